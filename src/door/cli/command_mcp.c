/* SPDX-License-Identifier: MIT
 *
 * cordon mcp: the options of the MCP server (src/door/mcp). They are those of cordon box create, so the
 * box of a session can also be used with cordon box.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "door/cli/cli.h"
#include "door/mcp/server.h"
#include "door/mcp/tools.h"
#include "show/terminal.h"

#define OUTPUT_MAX (64 << 10) /* of each stream, unless it is configured: a model reads it */

static const char instructions[] = "Code and commands run in a sandbox. The person's files change "
				   "only when the person applies the "
				   "changes; there is no network and no secret but what the person "
				   "granted. A refusal is final unless a "
				   "person allows it: show them its words, which say how.";

static int choose_workspace(struct cli_call *call, struct err *err)
{
	struct request *r = &call->request;
	char real[PATH_MAX];

	if (!r->workspace)
		r->workspace = ".";
	if (r->workspace_mode == WORKSPACE_NONE)
		r->workspace_mode = WORKSPACE_OVERLAY;
	if (!realpath(r->workspace, real) || access(real, R_OK | X_OK) < 0)
		return err_errno(err, ERR_INPUT, "%.200s", r->workspace);
	r->workspace = arena_dup(&call->arena, real);
	return call->arena.failed ? err_memory(err) : 0;
}

/* Everything after "mcp", as it was typed. */
static int read_words(struct cli_call *call, struct mcp_session *s, struct err *err)
{
	AUTO_CLOSE int words = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	AUTO_FREE char *data = malloc(KEEP_OPTIONS_MAX);
	ssize_t n = words >= 0 && data ? io_read_full(words, data, KEEP_OPTIONS_MAX) : -1;
	size_t at = 0, len = n > 0 ? (size_t)n : 0;

	if (!data)
		return err_memory(err);
	if (n == KEEP_OPTIONS_MAX)
		return err_set(err, ERR_LIMIT, "the options have %d bytes or more",
			       KEEP_OPTIONS_MAX);
	for (int i = 0; i < 2 && at < len; i++)
		at += strnlen(data + at, len - at) + 1;
	char *copy = at < len ? arena_alloc(&call->arena, len - at) : "";
	if (!copy)
		return err_memory(err);
	if (at < len)
		memcpy(copy, data + at, len - at);
	s->words = copy;
	s->words_len = at < len ? len - at : 0;
	return 0;
}

static int begin(struct cli_call *call, struct mcp_session *s, struct err *err)
{
	if (choose_workspace(call, err) < 0 || read_words(call, s, err) < 0)
		return -1;
	if (!call->config.now.where[CONFIG_LIMIT + LIMIT_OUTPUT])
		call->request.limit[LIMIT_OUTPUT] = OUTPUT_MAX;
	s->snippet = call->request;
	cli_use_command_limits(call);
	if (!call->config.now.where[CONFIG_LIMIT + LIMIT_OUTPUT])
		call->request.limit[LIMIT_OUTPUT] = OUTPUT_MAX;
	s->command = call->request;
	s->workspace = call->request.workspace;
	s->lock = -1;
	return 0;
}

/* In the client's log: where the changes are that the person has not applied. */
static void tell_changes(const struct mcp_session *s)
{
	struct arena a = {0};

	if (s->conversation[0] && s->command.workspace_mode == WORKSPACE_OVERLAY)
		fprintf(stderr,
			"cordon: pending changes, if any: cordon diff --conversation %s %s\n",
			s->conversation, arena_quote(&a, s->workspace));
	arena_done(&a);
}

static int run_mcp(struct cli_call *call)
{
	AUTO_PAGES struct mcp_session *s = pages_new(sizeof(*s));
	struct err err;

	if (!s)
		return CLI_STATUS_FAILED;
	if (begin(call, s, &err) < 0)
		return cli_fail(call, &err);
	int r = mcp_serve(mcp_tools, instructions, s, &err);
	struct err why;
	if (session_end(s, &why) < 0)
		terminal_print_error(&why);
	tell_changes(s);
	return r < 0 ? cli_fail(call, &err) : 0;
}

static const struct cli_option mcp_options[] = {
	{"workspace", "DIR[:ro|:overlay|:rw]",
	 "the directory to work in, at its own path; default: the current one, :overlay",
	 .set = cli_set_workspace},
	{"whole", NULL, "the workspace may be a home directory, /tmp or the like",
	 .set = cli_set_whole},
	{"tier", "T", "else what the configuration says, or the first", .set = cli_set_tier,
	 .choice = cli_tier_name},
	CLI_CONVERSATION_ROW,
	CLI_POLICY_ROW,
	{"rules", "DIR", "a directory of rules for the scan; may be repeated", .set = cli_set_rules,
	 .may_repeat = true},
	CLI_STATE_ROW,
	{0}};

static const struct cli_combination mcp_combinations[] = {
	{"connections, net-out, net-in", NEEDS, "net, secret"}, {0}};

static const struct cli_exit mcp_exits[] = {
	{"0", "the client has closed its end, or the server was told to end"},
	{"125", "it could not start: wrong usage, or no such directory"},
	{"", ""}};

COMMAND(mcp) = {
	.name = "mcp",
	.order = 19,
	.synopsis = "[options]",
	.help = "serve run_command, run_code and files to an MCP client, on standard input and "
		"output",
	.example = "cordon mcp --workspace . </dev/null",
	.options = mcp_options,
	.more = cli_code_options,
	.combinations = mcp_combinations,
	.exits = mcp_exits,
	.takes_limits = true,
	.run = run_mcp,
};
