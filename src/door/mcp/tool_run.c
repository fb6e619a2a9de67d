/* SPDX-License-Identifier: MIT
 *
 * The tools that run code: run_command in the live box of the session, run_code as `cordon run` does.
 */
#include <stdio.h>
#include <string.h>

#include "base/pages.h"
#include "base/scope.h"
#include "door/mcp/run_answer.h"
#include "door/mcp/tools.h"

static void pass_on(void *ctx, int stream, const char *data, size_t len)
{
	struct mcp_call *call = ctx;

	(void)stream;
	call->output(call, data, len);
}

/* The call can only lower what is configured. */
static void lower_time(struct request *r, const struct mcp_call *call)
{
	uint64_t wanted = (uint64_t)mcp_number(call, "timeout_seconds", 0) * 1000;

	if (wanted && (!r->limit[LIMIT_TIME] || wanted < r->limit[LIMIT_TIME]))
		r->limit[LIMIT_TIME] = wanted;
}

static int add_env(struct request *r, const struct mcp_call *call, struct arena *a, struct err *err)
{
	json_t *env = json_object_get(call->arguments, "env"), *value;
	const char *name;

	json_object_foreach (env, name, value) {
		if (!*name || strchr(name, '='))
			return err_set(err, ERR_INPUT, "env: \"%.64s\" is no name of a variable",
				       name);
		if (r->envc == REQUEST_LIST_MAX)
			return err_set(err, ERR_LIMIT, "env has more than %d variables",
				       REQUEST_LIST_MAX);
		r->env[r->envc++] = arena_printf(a, "%s=%s", name, json_string_value(value));
	}
	return a->failed ? err_memory(err) : 0;
}

static void add_input(struct request *r, const struct mcp_call *call)
{
	const json_t *input = json_object_get(call->arguments, "stdin");

	r->stdin_file = NULL;
	if (input) {
		r->input = json_string_value(input);
		r->input_len = json_string_length(input);
	}
}

typedef void runner(struct mcp_session *s, const struct request *r, const struct launch_sink *sink,
		    struct result *ret);

static void run(struct mcp_call *call, struct request *r, runner *run_it, struct mcp_answer *ret)
{
	AUTO_PAGES struct result *result = pages_new(sizeof(*result));
	const struct launch_sink sink = {.output = pass_on, .ctx = call};
	struct arena a = {0};
	struct err err;

	lower_time(r, call);
	add_input(r, call);
	if (!result)
		err_memory(&err);
	if (!result || add_env(r, call, &a, &err) < 0) {
		mcp_answer_error(ret, &err);
	} else {
		run_it(call->session, r, &sink, result);
		run_answer(call, result, ret);
		result_done(result);
	}
	arena_done(&a);
}

static void run_command(struct mcp_call *call, struct mcp_answer *ret)
{
	struct request *r = &call->session->command;
	struct arena a = {0};

	r->lang = "bash";
	r->file = "command";
	r->code = arena_printf(&a, "%s\n", mcp_text(call, "command"));
	r->code_len = strlen(r->code);
	const char *cwd = mcp_text(call, "cwd");
	r->cwd =
		cwd && *cwd != '/' ? arena_printf(&a, "%s/%s", call->session->workspace, cwd) : cwd;
	run(call, r, session_start, ret);
	arena_done(&a);
}

static void run_code(struct mcp_call *call, struct mcp_answer *ret)
{
	struct request *r = &call->session->snippet;

	r->lang = mcp_text(call, "language");
	r->file = "code";
	r->code = mcp_text(call, "code");
	r->code_len = strlen(r->code);
	run(call, r, session_run, ret);
}

#define CODE_BYTES "\"maxLength\":1048576"
#define SHARED_MEMBERS                                                                             \
	"\"stdin\":{\"type\":\"string\",\"description\":\"standard input; empty by default\"},"    \
	"\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"             \
	"\"description\":\"environment variables of this call\"},"                                 \
	"\"timeout_seconds\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":86400}"

const struct mcp_tool tool_run_command = {
	.name = "run_command",
	.title = "Run a shell command",
	.description = "Runs a command with bash in a sandbox that lives as long as this session: "
		       "it has the "
		       "project directory at its own path, compilers and tools, and no network and "
		       "no secrets "
		       "but what the person granted. Files that it changes stay in the sandbox "
		       "until the person "
		       "applies them. Programs started with & live on. Exit code, standard output "
		       "and standard "
		       "error come back.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"command\":{\"type\":\"string\",\"maxLength\":100000,"
		 "\"description\":\"text for bash\"},"
		 "\"cwd\":{\"type\":\"string\",\"maxLength\":4095,\"description\":"
		 "\"absolute, or relative to the project directory, which is the "
		 "default\"}," SHARED_MEMBERS
		 "},\"required\":[\"command\"],\"additionalProperties\":false}",
	.output = run_answer_schema,
	.run = run_command,
};

const struct mcp_tool tool_run_code = {
	.name = "run_code",
	.title = "Run a piece of code",
	.description =
		"Runs code in a fresh sandbox that can start no other program. It sees the project "
		"directory with the changes of earlier calls, and no network. Programs that "
		"run_command "
		"left running end first. To show a picture, write it to a file and call read_file.",
	.input = "{\"type\":\"object\",\"properties\":{"
		 "\"language\":{\"type\":\"string\",\"enum\":[\"python\",\"node\",\"ruby\","
		 "\"bash\"]},"
		 "\"code\":{\"type\":\"string\"," CODE_BYTES "}," SHARED_MEMBERS
		 "},\"required\":[\"language\",\"code\"],\"additionalProperties\":false}",
	.output = run_answer_schema,
	.run = run_code,
};
