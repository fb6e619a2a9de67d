/* SPDX-License-Identifier: MIT */
/*
 * Compares an outcome with the expectation of its row. An expectation is one word, or several
 * with "|" between them where more than one end is right:
 *   held        the program ran to its end and said HELD
 *   killed      the box died of signal 31 and the denial names the kill list
 *   limit:NAME  ended by that limit          timeout     ended by the wall clock
 *   exit:N      the program's own status     error:NAME  refused to start: that layer is missing
 *   failed      Cordon itself gave up (125) and said why
 *   stdout:TEXT exited with 0 and printed TEXT
 *   escaped     the program said ESCAPED (only mutants are expected to)
 */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int status_is(const struct outcome *outcome, const char *status)
{
	return strcmp(outcome_word(outcome, "status"), status) == 0;
}

static int says(const struct outcome *outcome, const char *word)
{
	char line[64];

	outcome_last_line(outcome, line, sizeof(line));
	return strncmp(line, word, strlen(word)) == 0;
}

static int is_held(const struct outcome *outcome, const char *value)
{
	(void)value;
	return outcome->exit_code == 0 && says(outcome, "HELD") &&
	       (!outcome->result || status_is(outcome, "exited"));
}

static int is_escaped(const struct outcome *outcome, const char *value)
{
	(void)value;
	return says(outcome, "ESCAPED"); /* a box without a layer may end it before it exits */
}

static int is_killed(const struct outcome *outcome, const char *value)
{
	json_t *denial, *denials = json_object_get(outcome->result, "denials");
	size_t i;

	(void)value;
	if (!status_is(outcome, "signaled") || outcome_number(outcome, "signal") != 31)
		return 0;
	json_array_foreach (denials, i, denial) {
		const char *rule = json_string_value(json_object_get(denial, "rule"));

		if (rule && strncmp(rule, "kill list", 9) == 0)
			return outcome->exit_code == 128 + 31;
	}
	return 0;
}

static int is_limit(const struct outcome *outcome, const char *value)
{
	return status_is(outcome, "limit") && strcmp(outcome_word(outcome, "limit"), value) == 0;
}

static int is_timeout(const struct outcome *outcome, const char *value)
{
	(void)value;
	return status_is(outcome, "timed_out") && outcome->exit_code == 124;
}

static int is_exit(const struct outcome *outcome, const char *value)
{
	return outcome->exit_code == atoi(value) &&
	       (!outcome->result || (status_is(outcome, "exited") &&
				     outcome_number(outcome, "exit_code") == atoi(value)));
}

/* By the kernel itself, without a word from the supervisor. */
static int is_signal(const struct outcome *outcome, const char *value)
{
	return status_is(outcome, "signaled") && outcome_number(outcome, "signal") == atoi(value) &&
	       outcome->exit_code == 128 + atoi(value);
}

static int is_error(const struct outcome *outcome, const char *value)
{
	json_t *error = json_object_get(outcome->result, "error");
	const char *layer = json_string_value(json_object_get(error, "layer"));

	return status_is(outcome, "error") && outcome->exit_code == 125 && layer &&
	       strcmp(layer, value) == 0;
}

static int is_failed(const struct outcome *outcome, const char *value)
{
	json_t *error = json_object_get(outcome->result, "error");

	(void)value;
	return status_is(outcome, "error") && outcome->exit_code == 125 &&
	       json_string_length(json_object_get(error, "message")) > 0;
}

static int is_stdout(const struct outcome *outcome, const char *value)
{
	return outcome->exit_code == 0 && outcome->text &&
	       memmem(outcome->text, outcome->text_length, value, strlen(value));
}

static const struct {
	const char *word;
	int (*fits)(const struct outcome *outcome, const char *value);
} words[] = {
	{"held", is_held},     {"escaped", is_escaped}, {"killed", is_killed},
	{"limit", is_limit},   {"timeout", is_timeout}, {"exit", is_exit},
	{"signal", is_signal}, {"failed", is_failed},	{"error", is_error},
	{"stdout", is_stdout},
};

static int fits_one(const char *expect, const struct outcome *outcome)
{
	const char *colon = strchr(expect, ':');
	size_t length = colon ? (size_t)(colon - expect) : strlen(expect);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].word) == length && strncmp(words[i].word, expect, length) == 0)
			return words[i].fits(outcome, colon ? colon + 1 : "");
	return 0;
}

int judge(const char *expect, const struct outcome *outcome, char *why)
{
	char copy[256], line[200], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", expect);
	while ((word = strsep(&rest, "|")))
		if (fits_one(word, outcome))
			return 0;
	outcome_last_line(outcome, line, sizeof(line));
	snprintf(why, MAX_WHY,
		 "expected %s; exit %d, status \"%s\", signal %ld, limit \"%s\", %s%.180s", expect,
		 outcome->exit_code, outcome_word(outcome, "status"),
		 outcome_number(outcome, "signal"), outcome_word(outcome, "limit"),
		 outcome->text ? "said: " : "no JSON: ",
		 outcome->text	      ? line
		 : outcome->err.bytes ? outcome->err.bytes
				      : "");
	return -1;
}
