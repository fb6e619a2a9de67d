/* SPDX-License-Identifier: MIT
 *
 * cordon executor: see src/door/executor.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "door/cli/box.h"
#include "door/executor/executor.h"

struct options {
	struct box_options box; /* first: see box_read_words */
	bool proposes;		/* the directory itself never changes */
	const char *listen;	/* where clients connect, or NULL */
};

CLI_OWN(struct options)

/* Without a mode: the directory itself where a grant covers that, else its overlay. */
static int set_workspace(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err)
{
	static const char suffix[] = ":overlay";
	size_t len = strlen(v), cut = sizeof(suffix) - 1;

	options_of(c)->proposes = len > cut && strcmp(v + len - cut, suffix) == 0;
	return cli_set_workspace(c, o, v, err);
}

static int choose_workspace(struct cli_call *call, struct err *err)
{
	struct request *r = &call->request;
	const char *asked = r->workspace ? r->workspace : ".";
	char real[PATH_MAX];

	if (!realpath(asked, real))
		return err_errno(err, ERR_INPUT, "%.200s", asked);
	if (options_of(call)->proposes)
		r->workspace_mode = WORKSPACE_OVERLAY;
	else if (r->workspace_mode != WORKSPACE_RO)
		r->workspace_mode = WORKSPACE_RW;
	r->workspace = arena_dup(&call->arena, real);
	return call->arena.failed ? err_memory(err) : 0;
}

/* The words that cordon box create would get, but for those that each box has of its own. */
static int keep_words(struct cli_call *call, struct executor_options *o, struct err *err)
{
	static const char *const left_out[] = {"--workspace", "--conversation", "--listen"};
	const struct box_options *b = &options_of(call)->box;
	char *to = arena_alloc(&call->arena, b->words_len + 1);
	const char *end = b->words + b->words_len;
	size_t at = 0;

	if (!to || !b->words)
		return err_memory(err);
	o->words = to;
	for (const char *word = b->words; word < end; word += strlen(word) + 1, at++) {
		size_t i = 0, len = 0;
		while (i < ARRAY_SIZE(left_out) &&
		       (len = strlen(left_out[i]),
			strncmp(word, left_out[i], len) != 0 || (word[len] && word[len] != '=')))
			i++;
		if (at < 2)
			continue;
		if (i < ARRAY_SIZE(left_out)) {
			word += word[len] ? 0 : strlen(word) + 1;
			continue;
		}
		memcpy(to, word, strlen(word) + 1);
		to += strlen(word) + 1;
	}
	o->words_len = (size_t)(to - o->words);
	return 0;
}

/* A program may be a server of the agent's, which lives as long as the agent. */
static void lengthen_time(struct cli_call *call)
{
	const struct config *c = &call->config;

	if (!c->now.where[CONFIG_LIMIT + LIMIT_TIME] &&
	    !c->enforced.where[CONFIG_LIMIT + LIMIT_TIME])
		call->request.limit[LIMIT_TIME] = limit_row(LIMIT_TIME)->max;
}

static int run_executor(struct cli_call *call)
{
	struct executor_options o = {
		.request = &call->request, .in = STDIN_FILENO, .out = STDOUT_FILENO};
	struct err err;

	if (choose_workspace(call, &err) < 0 ||
	    box_durations(&options_of(call)->box, &o.idle_ms, &o.life_ms, &err) < 0 ||
	    keep_words(call, &o, &err) < 0)
		return cli_fail(call, &err);
	cli_use_command_limits(call);
	lengthen_time(call);
	const char *listen = options_of(call)->listen;
	int served = listen ? executor_listen(&o, listen, &err) : executor_serve(&o, &err);
	return served < 0 ? cli_fail(call, &err) : 0;
}

static int set_listen(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	static const char scheme[] = "unix:";

	(void)o;
	if (strncmp(v, scheme, sizeof(scheme) - 1) != 0 || !v[sizeof(scheme) - 1])
		return err_set(err, ERR_USAGE, "--listen %.64s: only unix:PATH", v);
	options_of(c)->listen = v + sizeof(scheme) - 1;
	return 0;
}

static const struct cli_option executor_options[] = {
	{"listen", "unix:PATH", "serve clients of this socket, instead of standard input",
	 .set = set_listen},
	{"workspace", "DIR[:ro|:overlay|:rw]",
	 "the project; default: the current directory, changed directly where a grant covers it",
	 .set = set_workspace},
	{"whole", NULL, "the workspace may be a home directory, /tmp or the like",
	 .set = cli_set_whole},
	CLI_TEXT(struct options, box.idle, "idle", "D",
		 "a box ends after so long without a program; default 1h"),
	CLI_TEXT(struct options, box.life, "life", "D", "a box ends after so long; default 8h"),
	{"tier", "T", "else what the configuration says, or the first", .set = cli_set_tier,
	 .choice = cli_tier_name},
	CLI_CONVERSATION_ROW,
	CLI_POLICY_ROW,
	{"rules", "DIR", "a directory of rules for the scan; may be repeated", .set = cli_set_rules,
	 .may_repeat = true},
	CLI_STATE_ROW,
	{0}};

static const struct cli_exit executor_exits[] = {
	{"0", "the client has gone"},
	{"125", "Cordon could not do it: wrong usage, or no such directory"},
	{"", ""}};

static const struct cli_combination executor_combinations[] = {
	{"connections, net-out, net-in", NEEDS, "net, secret"}, {0}};

COMMAND(executor) = {
	.name = "executor",
	.order = 18,
	.synopsis = "[options]",
	.help = "run what Codex starts: the program of environments.toml",
	.example = "cordon executor </dev/null",
	.options = executor_options,
	.more = cli_code_options,
	.combinations = executor_combinations,
	.exits = executor_exits,
	.takes_limits = true,
	.runs_commands = true,
	.ahead = box_read_words,
	.run = run_executor,
};
