/* SPDX-License-Identifier: MIT
 *
 * One program, through the sentence. Its environment is built: a variable that the client sends gets in only
 * if the table below names it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "door/executor/job.h"
#include "door/executor/rpc.h"

enum { ROWS = 24, COLS = 80 };

/* Names that end in "*" stand for all that begin so. */
static const char *const passed[] = {"TERM",
				     "COLORTERM",
				     "NO_COLOR",
				     "FORCE_COLOR",
				     "CLICOLOR",
				     "PAGER",
				     "GIT_PAGER",
				     "GH_PAGER",
				     "MANPAGER",
				     "LANG",
				     "LANGUAGE",
				     "LC_*",
				     "TZ",
				     "CI",
				     "CODEX_CI",
				     "CODEX_THREAD_ID",
				     "COLUMNS",
				     "LINES",
				     "CODEX_SANDBOX*",
				     "CODEX_SESSION_ID",
				     "CODEX_TOOL_CALL_ID",
				     "GIT_TERMINAL_PROMPT",
				     "GIT_EDITOR",
				     "EDITOR"};

static bool is_passed(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
		size_t len = strlen(passed[i]);
		if (passed[i][len - 1] == '*' ? strncmp(passed[i], name, len - 1) == 0
					      : strcmp(passed[i], name) == 0)
			return true;
	}
	return false;
}

/* Variables of the door's own options come first and stay. */
static void add_environment(struct request *r, const json_t *env, struct arena *a)
{
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)env, name, value) {
		const char *text = json_string_value(value);
		size_t i = 0, len = strlen(name);
		if (!text || !is_passed(name) || r->envc == REQUEST_LIST_MAX)
			continue;
		while (i < r->envc && (strncmp(r->env[i], name, len) != 0 || r->env[i][len] != '='))
			i++;
		if (i == r->envc)
			r->env[r->envc++] = arena_printf(a, "%s=%s", name, text);
	}
}

/* As a shell reads it: "exec -a NAME PROGRAM ARG...", each word quoted where it must be. */
static char *command_line(const json_t *job, struct arena *a)
{
	const json_t *argv = json_object_get(job, "argv");
	const char *arg0 = job_text(job, "arg0"),
		   *program = json_string_value(json_array_get(argv, 0));
	char *line = arena_printf(a, "exec%s%s%s %s", arg0 ? " -a " : "",
				  arg0 ? arena_quote(a, arg0) : "", *program == '-' ? " --" : "",
				  arena_quote(a, program));

	for (size_t i = 1; i < json_array_size(argv); i++)
		line = arena_printf(a, "%s %s", line,
				    arena_quote(a, json_string_value(json_array_get(argv, i))));
	return arena_printf(a, "%s\n", line);
}

/* What the model wrote: the text of "bash -c TEXT". */
static const char *shell_text(const json_t *job, bool *ret_login)
{
	const json_t *argv = json_object_get(job, "argv");
	const char *word[3];

	for (size_t i = 0; i < ARRAY_SIZE(word); i++)
		word[i] = json_string_value(json_array_get(argv, i));
	if (json_array_size(argv) != 3 || job_text(job, "arg0") ||
	    (strcmp(word[0], "/bin/bash") != 0 && strcmp(word[0], "bash") != 0 &&
	     strcmp(word[0], "/usr/bin/bash") != 0))
		return NULL;
	*ret_login = strcmp(word[1], "-lc") == 0;
	return *ret_login || strcmp(word[1], "-c") == 0 ? word[2] : NULL;
}

static void fill(const struct desk *d, const json_t *job, struct request *r, struct arena *a)
{
	const char *text;

	box_job_request(d, job, r);
	text = shell_text(job, &r->is_login);
	r->arg0 = text ? json_string_value(json_array_get(json_object_get(job, "argv"), 0)) : NULL;
	r->code = text ? arena_printf(a, "%s\n", text) : command_line(job, a);
	r->code_len = strlen(r->code);
	r->file = "command";
	r->cwd = job_text(job, "cwd");
	r->purpose = NULL;
	add_environment(r, json_object_get(job, "env"), a);
	if (json_is_true(json_object_get(job, "tty"))) {
		r->rows = ROWS;
		r->cols = COLS;
	}
	if (d->input >= 0) {
		dup2(d->input, STDIN_FILENO);
		r->stdin_file = "-";
	}
}

static void pass_output(void *ctx, int stream, const char *data, size_t len)
{
	desk_send(ctx, stream ? FRAME_ERROR : FRAME_OUTPUT, data, len);
}

static void tell_started(void *ctx, const struct report *r)
{
	(void)r;
	desk_send(ctx, FRAME_STARTED, NULL, 0);
}

static void tell_waiting(void *ctx, const struct report *r)
{
	char line[256];
	int len = snprintf(
		line, sizeof(line),
		"cordon: a person is asked, and this command waits: cordon approvals show %s\n",
		r->approval);

	desk_send(ctx, FRAME_ERROR, line, (size_t)len);
}

static bool is_withheld(const struct report *r)
{
	for (size_t i = 0; r && i < r->effectc; i++)
		if (r->effect[i].outcome < OUTCOME_POLICY)
			return true;
	return false;
}

/* A program that was killed needs no words. Of one that failed, Cordon may know why. What was given needs
 * none: R is recorded, and its effects are not needed any more. */
static bool has_words(struct result *r)
{
	if (is_withheld(r->report))
		return true;
	if (r->report)
		r->report->effectc = 0;
	return r->status != STATUS_SIGNALED || r->denialc;
}

static void run(struct desk *d, struct request *r, struct kept_box *k)
{
	const struct launch_sink sink = {.pending = tell_waiting,
					 .started = tell_started,
					 .output = pass_output,
					 .ctx = d,
					 .signals = d->signals};
	AUTO_PAGES struct result *result = pages_new(sizeof(*result));

	if (!result) {
		desk_answer(d, json_pack("{s:i}", "exitCode", 125));
		return;
	}
	flow_run_live(r, k, &d->session, &sink, result);
	AUTO_FREE char *words = has_words(result) ? desk_words(result, r) : NULL;
	if (words && *words)
		desk_send(d, FRAME_ERROR, words, strlen(words));
	desk_answer(d, json_pack("{s:i}", "exitCode", result_exit_status(result)));
	result_done(result);
}

static void drop_signals(struct desk *d)
{
	const struct launch_sink sink = {.signals = d->signals};

	while (launch_next_signal(&sink) > 0)
		;
}

void start_job(struct desk *d, const json_t *job)
{
	AUTO_KEPT_BOX struct kept_box k = KEPT_BOX_NONE;
	AUTO_PAGES struct request *r = pages_new(sizeof(*r));
	struct arena a = {0};
	struct err err;

	d->runs_programs = true;
	drop_signals(d);
	int use = r ? box_job_use(d, job, &k, &err) : err_memory(&err);
	if (use == 1) {
		desk_answer(d, json_pack("{s:b}", "noBox", 1));
	} else if (use < 0) {
		desk_send(d, FRAME_ERROR, err.message, strlen(err.message));
		desk_answer(d, json_pack("{s:i}", "exitCode", 125));
	} else {
		fill(d, job, r, &a);
		run(d, r, &k);
	}
	arena_done(&a);
}

/* It is decided and recorded like a start; the door passes it on. */
void input_job(struct desk *d, const json_t *job)
{
	static const struct launch_sink quiet = {0};
	AUTO_KEPT_BOX struct kept_box k = KEPT_BOX_NONE;
	AUTO_PAGES struct request *r = pages_new(sizeof(*r));
	AUTO_PAGES struct result *result = pages_new(sizeof(*result));
	const json_t *text = json_object_get(job, "text");
	size_t len = 0;
	AUTO_FREE char *data = rpc_bytes(json_string_value(text), json_string_length(text), &len);
	struct err err;

	int use = r && result && data ? box_job_use(d, job, &k, &err) : err_memory(&err);
	if (use != 0) {
		desk_answer(d, use == 1 ? json_pack("{s:b}", "noBox", 1)
					: json_pack("{s:s}", "words", "cordon: not typed\n"));
		return;
	}
	box_job_request(d, job, r);
	r->typed = json_is_true(json_object_get(job, "shell")) ? TYPED_COMMANDS : TYPED_TEXT;
	r->wait = false; /* nothing could be typed meanwhile, to no program */
	r->file = "typed text";
	r->code = data;
	r->code_len = len;
	flow_run_live(r, &k, &d->session, &quiet, result);
	bool typed = result->ran == RAN_ENDED && result->status == STATUS_EXITED;
	AUTO_FREE char *words = typed ? NULL : desk_words(result, r);
	desk_answer(d, typed ? json_object() : json_pack("{s:s}", "words", words ? words : ""));
	result_done(result);
}
