/* SPDX-License-Identifier: MIT */
/*
 * Reads what "cordon run --json" printed: exactly one JSON object, with the program's output
 * inside it as text or base64. Anything else leaves result empty, and no expectation fits that.
 */
#include "run.h"

#include <stdlib.h>
#include <string.h>

static int base64_value(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static size_t base64_decode(const char *in, size_t length, char *ret_bytes)
{
	unsigned int bits = 0, have = 0;
	size_t used = 0;

	for (size_t i = 0; i < length && base64_value(in[i]) >= 0; i++) {
		bits = bits << 6 | (unsigned int)base64_value(in[i]);
		have += 6;
		if (have >= 8) {
			have -= 8;
			ret_bytes[used++] = (char)(bits >> have);
		}
	}
	return used;
}

const char *outcome_word(const struct outcome *outcome, const char *key)
{
	const char *word = json_string_value(json_object_get(outcome->result, key));

	return word ? word : "";
}

long outcome_number(const struct outcome *outcome, const char *key)
{
	json_t *value = json_object_get(outcome->result, key);

	return json_is_integer(value) ? (long)json_integer_value(value) : -1;
}

static void take_text(struct outcome *outcome)
{
	json_t *out = json_object_get(outcome->result, "stdout");
	const char *bytes = json_string_value(out);
	size_t length = json_string_length(out);

	if (!bytes || !(outcome->text = calloc(1, length + 1)))
		return;
	outcome->text_length = length;
	if (strcmp(outcome_word(outcome, "stdout_encoding"), "base64") == 0)
		outcome->text_length = base64_decode(bytes, length, outcome->text);
	else
		memcpy(outcome->text, bytes, length);
}

void outcome_read(struct outcome *outcome, int on_tty)
{
	if (on_tty) {
		outcome->text = calloc(1, outcome->tty.length + 1);
		outcome->text_length = outcome->text ? outcome->tty.length : 0;
		memcpy(outcome->text, outcome->tty.bytes, outcome->text_length);
		return;
	}
	/* Without JSON_DISABLE_EOF_CHECK a second object, or any stray line, is an error. */
	outcome->result = json_loadb(outcome->out.bytes, outcome->out.length,
				     JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	if (outcome->result && !json_is_object(outcome->result)) {
		json_decref(outcome->result);
		outcome->result = NULL;
	}
	take_text(outcome);
}

void outcome_last_line(const struct outcome *outcome, char *ret_line, size_t size)
{
	size_t end = outcome->text_length, start, length;

	ret_line[0] = '\0';
	while (end > 0 && strchr("\r\n", outcome->text[end - 1]))
		end--;
	for (start = end; start > 0 && outcome->text[start - 1] != '\n';)
		start--;
	length = end - start < size - 1 ? end - start : size - 1;
	if (outcome->text)
		memcpy(ret_line, outcome->text + start, length);
	ret_line[length] = '\0';
}

void outcome_done(struct outcome *outcome)
{
	free(outcome->out.bytes);
	free(outcome->err.bytes);
	free(outcome->tty.bytes);
	free(outcome->text);
	json_decref(outcome->result);
	*outcome = (struct outcome){.exit_code = -1};
}
