/* SPDX-License-Identifier: MIT
 *
 * cordon box: boxes that live on between commands, for many programs of one conversation. The keeper holds
 * them (src/keeper); this process speaks the sentence for each box and each program.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/scope.h"
#include "conf/units.h"
#include "door/cli/box.h"
#include "door/cli/open_state.h"
#include "show/run_json.h"
#include "show/terminal.h"
#include "trust/conversation.h"

#define IDLE_DEFAULT_MS (60 * 60 * 1000ULL)
#define LIFE_DEFAULT_MS (8 * IDLE_DEFAULT_MS)

CLI_OWN(struct box_options)

static int read_duration(const char *text, const char *name, uint64_t fallback, uint64_t *ret,
			 struct err *err)
{
	*ret = fallback;
	if (!text || (units_parse(UNIT_DURATION_MS, text, ret) && *ret &&
		      *ret <= limit_row(LIMIT_TIME)->max))
		return 0;
	err_set(err, ERR_USAGE, "--%s %.64s: not a duration between 1ms and a day", name, text);
	err_cure(err, "write it as %s", units_example(UNIT_DURATION_MS));
	return -1;
}

int box_durations(const struct box_options *o, uint64_t *ret_idle_ms, uint64_t *ret_life_ms,
		  struct err *err)
{
	return read_duration(o->idle, "idle", IDLE_DEFAULT_MS, ret_idle_ms, err) < 0 ||
			       read_duration(o->life, "life", LIFE_DEFAULT_MS, ret_life_ms, err) < 0
		       ? -1
		       : 0;
}

/* The box is a conversation of its own, unless the caller names one. Nothing is known of the code that
 * will run in it, so it is exposed unless the user typed this. */
static int begin_conversation(struct cli_call *call, struct gate_state *s, struct err *err)
{
	struct request *r = &call->request;
	struct conversation c;
	char hex[ID_HEX], title[KEEP_NAME_MAX + 8];

	if (r->conversation)
		return 0;
	snprintf(title, sizeof(title), "box %s", call->argv[1]);
	conversation_init(&c, s->principal, title, s->keeper.now_us());
	if (!r->is_users)
		conversation_expose(&c, "the box names no conversation", c.begun_us);
	if (conversation_begin(&s->keeper, &c, err) < 0)
		return -1;
	r->conversation = arena_dup(&call->arena, id_hex(&c.id, hex));
	return r->conversation ? 0 : err_memory(err);
}

static int create(struct cli_call *call, struct kept_box *k, struct err *err)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct request *r = &call->request;
	const char *name = call->argv[1];

	if (cli_check_name(name, "box", err) < 0 ||
	    box_durations(options_of(call), &k->about.idle_ms, &k->about.life_ms, err) < 0)
		return -1;
	if (call->words)
		return err_set(err, ERR_USAGE, "cordon box create takes no --words");
	r->is_users |= !r->is_exposed && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
	if (!r->workspace) {
		r->workspace = ".";
		r->workspace_mode = WORKSPACE_OVERLAY;
	}
	if (cli_open_state(call, STATE_WRITES, &s, err) < 0 ||
	    begin_conversation(call, &s, err) < 0 || kept_box_connect(k, s.dir, true, err) < 0 ||
	    box_store_options(options_of(call), &k->fds[KEEP_FD_OPTIONS], err) < 0)
		return -1;
	gate_state_close(&s);
	snprintf(k->about.name, sizeof(k->about.name), "%s", name);
	cli_use_command_limits(call);
	r->creates_box = true;
	r->lang = "bash";
	r->file = arena_printf(&call->arena, "box %s", name);
	call->kept = k;
	int status = cli_run(call);
	if (status == 0 && !call->json)
		puts(name);
	return status;
}

/* ---- boxes ---- */

struct box_view {
	const struct keep_box *box;
	const char *workspace;
};

#define BOX(function, expression) FIELD(function, struct box_view, expression)
BOX(field_name, jsonval_readable(v->box->name))
BOX(field_conversation, json_string(v->box->conversation))
BOX(field_workspace, jsonval_readable(v->workspace))
BOX(field_state, json_string(v->box->has_died ? "died" : "lives"))
BOX(field_running, jsonval_number(v->box->running))
BOX(field_started, jsonval_number(v->box->started))
BOX(field_created, jsonval_number(v->box->created_ms))
BOX(field_ends, jsonval_number(v->box->ends_ms))
BOX(field_error, v->box->has_died ? jsonval_readable(v->box->err.message) : json_null())

static const struct json_field box_fields[] = {
	{"name", "its name", field_name},
	{"conversation", "the conversation that it belongs to", field_conversation},
	{"directory", "its workspace", field_workspace},
	{"state", "lives; or died: what it changed since it was last saved is lost", field_state},
	{"running", "starts of which a process lives", field_running},
	{"started", "all programs that were started", field_started},
	{"created", "ms since 1970", field_created},
	{"ends", "ms since 1970: it ends then at the latest", field_ends},
	{"error", "why it died, or null", field_error},
	{0}};

static void list_one(void *ctx, const struct keep_box *box, const char *workspace)
{
	char when[TERMINAL_TIME_MAX];

	if (ctx) {
		struct box_view v = {box, workspace};
		json_array_append_new(ctx, jsonval_object(box_fields, &v));
		return;
	}
	printf("%-16s  %s  %s  %" PRIu32 " running  ", box->name, box->conversation,
	       box->has_died ? "died " : "lives", box->running);
	printf("until %s  ", terminal_time(box->ends_ms * 1000, when));
	terminal_words(stdout, workspace);
	putchar('\n');
}

static int list(struct cli_call *call, struct kept_box *k, struct err *err)
{
	json_t *all = call->json ? jsonval_array() : NULL;
	int r = k->socket < 0 ? 0 : kept_box_list(k, list_one, all, err);

	if (r == 0 && all)
		jsonval_print(json_pack("{s:O}", "boxes", all));
	json_decref(all);
	return r;
}

static void print_end(struct cli_call *call, const struct kept_box *k, const struct keep_done *done)
{
	if (call->json)
		jsonval_print(json_pack("{s:s, s:s, s:I, s:I}", "name", k->about.name,
					"conversation", k->about.conversation, "changes",
					(json_int_t)done->changes, "left_out",
					(json_int_t)done->left_out));
	else if (done->changes)
		fprintf(stderr,
			"cordon: %" PRIu64 " pending changes: cordon diff --conversation %s %s\n",
			done->changes, k->about.conversation,
			arena_quote(&call->arena, call->request.workspace));
	if (!call->json && done->left_out)
		fprintf(stderr,
			"cordon: %" PRIu64
			" changes are devices, FIFOs or sockets and were not saved\n",
			done->left_out);
}

/* Uses the box, so that its conversation and its directory are known, then tells it to save or to end. */
static int tell(struct cli_call *call, struct kept_box *k, uint32_t kind, struct keep_done *done,
		struct err *err)
{
	AUTO_PAGES struct cli_call *made = pages_new(sizeof(*made));
	struct request *r = &call->request;

	if (!made)
		return err_memory(err);
	if (box_use(call, call->argv[1], k, made, err) < 0) {
		/* One that has died, or whose options no longer hold, ends nevertheless. */
		if (kind != KEEP_SAVE)
			(void)kept_box_tell(k, kind, call->argv[1], done, &(struct err){0});
		return -1;
	}
	r->conversation = k->about.conversation;
	r->workspace = arena_dup(&call->arena, made->request.workspace);
	r->workspace_mode = made->request.workspace_mode;
	config_done(&made->config);
	return kept_box_tell(k, kind, k->about.name, done, err);
}

static int stop(struct cli_call *call, struct kept_box *k, struct err *err)
{
	struct keep_done done;

	if (tell(call, k, KEEP_STOP, &done, err) < 0)
		return -1;
	print_end(call, k, &done);
	return 0;
}

static int diff(struct cli_call *call, struct kept_box *k, struct err *err)
{
	struct keep_done done;

	if (tell(call, k, KEEP_SAVE, &done, err) < 0)
		return -1;
	return cli_changes(call, CLI_DIFF, k->fds[KEEP_FD_OVERLAY], err);
}

/* Both end the box, because a directory may not change below a box, and create it again. */
static int end_and_create(struct cli_call *call, struct kept_box *k, uint32_t kind,
			  enum cli_changes act, struct err *err)
{
	struct keep_done done;

	if (tell(call, k, kind, &done, err) < 0)
		return -1;
	int acted = cli_changes(call, act, -1, err);
	struct err why;
	fflush(stdout);
	if (box_create_again(k, acted < 0 ? &why : err) < 0)
		return -1;
	return acted;
}

static int apply(struct cli_call *call, struct kept_box *k, struct err *err)
{
	return end_and_create(call, k, KEEP_STOP, CLI_APPLY, err);
}

static int reset(struct cli_call *call, struct kept_box *k, struct err *err)
{
	return end_and_create(call, k, KEEP_DROP, CLI_RESET, err);
}

static const struct verb {
	struct cli_verb verb;
	/* The exit status, or -1. K is connected, except for create. */
	int (*run)(struct cli_call *call, struct kept_box *k, struct err *err);
} verbs[] = {{{"create", NULL, 1, 1}, create}, {{"exec", NULL, 1, 1}, box_exec},
	     {{"cp", NULL, 2, 2}, box_copy},   {{"ls", NULL, 1, 2}, box_list_files},
	     {{"diff", NULL, 1, 1}, diff},     {{"apply", NULL, 1, 1}, apply},
	     {{"reset", NULL, 1, 1}, reset},   {{"stop", NULL, 1, 1}, stop},
	     {{"list", NULL, 0, 0}, list}};

static int connect_keeper(struct cli_call *call, const struct verb *verb, struct kept_box *k,
			  struct err *err)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;

	if (verb->run == create)
		return 0;
	if (cli_open_state(call, STATE_DIRECTORY, &s, err) < 0)
		return -1;
	int r = kept_box_connect(k, s.dir, false, err);
	if (r <= 0 || verb->run == list)
		return r < 0 ? -1 : 0;
	err_set(err, ERR_INPUT, "there is no live box");
	err_cure(err, "cordon box create NAME makes one");
	return -1;
}

static int run_box(struct cli_call *call)
{
	AUTO_KEPT_BOX struct kept_box k = KEPT_BOX_NONE;
	struct err err;
	const struct verb *verb =
		cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]), &err);

	if (!verb)
		return cli_fail(call, &err);
	int status = connect_keeper(call, verb, &k, &err) < 0 ? -1 : verb->run(call, &k, &err);
	return status < 0 ? cli_fail(call, &err) : status;
}

static const struct cli_option box_options[] = {
	{"workspace", "DIR[:ro|:overlay|:rw]",
	 "create: the directory to work in, at its own path; default: the current one",
	 .set = cli_set_workspace},
	{"whole", NULL, "create: the workspace may be a home directory, /tmp or the like",
	 .set = cli_set_whole},
	CLI_TEXT(struct box_options, idle, "idle", "D",
		 "create: the box ends after so long without a program; default 1h"),
	CLI_TEXT(struct box_options, life, "life", "D",
		 "create: the box ends after so long; default 8h"),
	{"tier", "T", "create: else what the configuration says, or the first", .set = cli_set_tier,
	 .choice = cli_tier_name},
	CLI_TEXT(struct box_options, cwd, "cwd", "DIR",
		 "exec: where it begins; default: the current directory, or else the workspace"),
	{"stdin", "FILE", "exec: the program's standard input; default: that of cordon",
	 .set = cli_set_stdin},
	CLI_FLAG(struct box_options, no_tty, "no-tty", "exec: no terminal for the program"),
	{"names", NULL, "diff: only the names of what changed", .set = cli_set_names},
	CLI_CONVERSATION_ROW,
	{"user", NULL, "you attest that the user typed this; at a terminal that is the default",
	 .set = cli_set_user},
	{"exposed", NULL, "something untrusted that Cordon did not see led to this",
	 .set = cli_set_exposed},
	CLI_POLICY_ROW,
	{"wait", NULL, "if people are asked, wait for their answer", .set = cli_set_wait},
	CLI_REQUEST_ROWS,
	{"rules", "DIR", "a directory of rules for the scan; may be repeated", .set = cli_set_rules,
	 .may_repeat = true},
	CLI_STATE_ROW,
	CLI_JSON_ROW,
	{0}};

static const struct json_doc box_docs[] = {{"boxes[]", box_fields}, {0}};

static const struct cli_exit box_exits[] = {
	{"N", "exec: the program exited with N; else 0"},
	{"75", "it waits for approval; after that, the same command runs it"},
	{"124", "exec: the time limit was reached"},
	{"125", "Cordon could not do it: wrong usage, no such box, or the box has ended"},
	{"126", "refused: by the policy or by people, or they did not answer in time"},
	{"128+N", "exec: the program was killed by signal N"},
	{"", ""}};

static const struct cli_combination box_combinations[] = {
	{"idle, life, tier, workspace, whole, conversation, net, secret, ro, rw, hide, keep, venv, "
	 "profile, exec, rules",
	 ONLY_FOR, "create"},
	{"policy", ONLY_FOR, "create, apply"},
	{"names", ONLY_FOR, "diff"},
	{"stdin, cwd, no-tty", ONLY_FOR, "exec"},
	{"connections, net-out, net-in", NEEDS, "net, secret"},
	{"user", NOT_WITH, "exposed"},
	{0}};

COMMAND(box) = {
	.name = "box",
	.order = 17,
	.synopsis = "create|exec|cp|ls|diff|apply|reset|stop|list [NAME] [options] [-- COMMAND...]",
	.help = "keep a box between commands, and run many programs in it",
	.example = "cordon box create work && cordon box exec work -- touch new && cordon box stop "
		   "work",
	.options = box_options,
	.more = cli_code_options,
	.combinations = box_combinations,
	.exits = box_exits,
	.docs = {box_docs},
	.takes_operands = true,
	.takes_limits = true,
	.sets_box_limits = "create",
	.runs_commands = true,
	.ahead = box_read_words,
	.run = run_box,
};
