/* SPDX-License-Identifier: MIT
 *
 * cordon diff, apply and reset: a conversation's pending changes of a directory. diff shows them,
 * apply writes those that the policy or a ticket covers and asks about the rest, reset drops them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/linediff.h"
#include "base/pages.h"
#include "base/scope.h"
#include "base/subpath.h"
#include "door/cli/open_state.h"
#include "flow/apply.h"
#include "show/jsonval.h"
#include "show/run_json.h"
#include "show/terminal.h"

enum { SHOWN_BYTES_MAX = 1 << 20 };

static const char *const change_names[] = {"created", "modified", "deleted", "mode"};
static const char *const type_names[] = {"absent", "file", "directory", "link", "other"};
static const char *const rule_names[] = {"never", "named", "free"};

static json_t *state_json(const struct overlay_state *s)
{
	if (s->type == OVERLAY_ABSENT)
		return json_null();
	return json_pack("{s:s, s:o, s:I, s:o}", "type", type_names[s->type], "mode",
			 json_sprintf("%04o", s->mode & 07777), "size", (json_int_t)s->size,
			 "sha256", jsonval_hex(s->sha256, sizeof(s->sha256)));
}

#define CHANGE(function, expression) FIELD(function, struct overlay_entry, expression)
CHANGE(field_path, jsonval_text(v->path, strlen(v->path)))
CHANGE(field_encoding, jsonval_encoding(v->path, strlen(v->path)))
CHANGE(field_change, json_string(change_names[v->change]))
CHANGE(field_before, state_json(&v->before))
CHANGE(field_after, state_json(&v->after))
CHANGE(field_moved, json_boolean(v->moved))
CHANGE(field_rule, json_string(rule_names[v->rule]))
CHANGE(field_note, jsonval_word(v->note))

static const struct json_field change_fields[] = {
	{"path", "the path, relative to the directory", field_path},
	{"path_encoding", "base64, where the path is not UTF-8", field_encoding},
	{"change", "created, modified, deleted or mode", field_change},
	{"before", "type, mode, size and sha256 in the directory, or null", field_before},
	{"after", "the same in the overlay, or null", field_after},
	{"moved", "the directory has changed since the program saw it", field_moved},
	{"rule", "free; named: needs a ticket that names the path; never: cannot be applied",
	 field_rule},
	{"note", "why it is protected, or null", field_note},
	{0}};

/* The text of one side; "" if it is not text, or too large. */
static char *read_side(int dir, const char *path, const struct overlay_state *s, size_t *ret_len)
{
	AUTO_CLOSE int fd = s->type == OVERLAY_FILE && s->size <= SHOWN_BYTES_MAX
				    ? subpath_open(dir, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
				    : -1;
	char *data = calloc(1, SHOWN_BYTES_MAX + 1);
	ssize_t n = data && fd >= 0 ? io_read_full(fd, data, SHOWN_BYTES_MAX) : 0;

	*ret_len = n > 0 ? (size_t)n : 0;
	return data;
}

static void show_line(void *context, const struct linediff_line *line)
{
	const struct terminal_style *s = context;

	printf("%c ", line->added ? '+' : '-');
	terminal_line(s, 2, line->text, line->len);
	if (line->unended)
		puts("  (no newline at the end)");
}

static void show_name(const struct overlay_entry *e)
{
	bool had_mode = e->change == OVERLAY_MODIFIED || e->change == OVERLAY_MODE;

	printf("%s ", change_names[e->change]);
	terminal_words(stdout, e->path);
	if (e->before.mode != e->after.mode && had_mode)
		printf(" (mode %04o to %04o)", e->before.mode & 07777, e->after.mode & 07777);
	if (e->moved)
		fputs(" (the directory has changed since)", stdout);
	if (e->note)
		printf(" (%s)", e->note);
	putchar('\n');
}

static void show_lines(const struct overlay_entry *e, int workspace, int tree)
{
	size_t from_len, to_len;
	AUTO_FREE char *from = read_side(workspace, e->path, &e->before, &from_len);
	AUTO_FREE char *to = read_side(tree, e->path, &e->after, &to_len);

	if (!from || !to || memchr(from, '\0', from_len) || memchr(to, '\0', to_len))
		return;
	struct terminal_style s = {
		.to = stdout, .more = "  ", .below = "  ", .width = terminal_width(stdout)};
	linediff((struct linediff_text){from, from_len}, (struct linediff_text){to, to_len},
		 show_line, &s);
}

/* The overlay of a live box is locked already. */
static int open_overlay(struct gate *g, int workspace, int overlay, struct overlay *ret,
			struct err *err)
{
	if (overlay < 0)
		return overlay_open(ret, g->state.dir, g->facts.conversation.id.byte, workspace,
				    err);
	*ret = overlay_adopt(fcntl(overlay, F_DUPFD_CLOEXEC, 0));
	return ret->dir < 0 ? err_errno(err, ERR_SYSTEM, "opening the overlay") : 0;
}

static int show(struct cli_call *call, struct gate *g, int workspace, int overlay, struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	AUTO_DIFF struct overlay_diff d = {0};
	uint8_t id[DIGEST_BYTES];

	if (open_overlay(g, workspace, overlay, &o, err) < 0 ||
	    (o.finished && apply_mark_again(g, &g->facts.workspace_at, err) < 0) ||
	    overlay_diff(&o, workspace, &d, err) < 0 || overlay_diff_id(&d, id, err) < 0)
		return -1;
	if (call->json) {
		jsonval_print(json_pack(
			"{s:s, s:o, s:o, s:o}", "conversation", g->report->conversation,
			"directory", jsonval_readable(g->facts.workspace_at.path), "diff",
			jsonval_hex(id, sizeof(id)), "changes",
			jsonval_list(change_fields, d.entry, sizeof(d.entry[0]), d.count)));
		return 0;
	}
	AUTO_CLOSE int tree = overlay_open_tree(&o);
	for (size_t i = 0; i < d.count; i++) {
		show_name(&d.entry[i]);
		if (!call->names_only)
			show_lines(&d.entry[i], workspace, tree);
	}
	if (!d.count)
		puts("no pending changes");
	return 0;
}

static void print_effects(const struct report *r)
{
	for (size_t i = 0; i < r->effectc; i++) {
		const struct report_effect *e = &r->effect[i];
		printf("%-8s  ", e->done ? "written" : outcome_name(e->outcome));
		terminal_words(stdout, e->object);
		if (e->by)
			printf("  by %s", e->by);
		if (e->waits)
			printf("  cordon approvals show %s", e->waits);
		if (e->command) {
			fputs(e->waits ? "  or " : "  ", stdout);
			terminal_words(stdout, e->command);
		}
		if (e->reason)
			printf("  (%s)", e->reason);
		putchar('\n');
	}
	for (size_t i = 0; i < r->reasonc; i++) {
		fputs("because   ", stdout);
		terminal_words(stdout, r->reason[i]);
		putchar('\n');
	}
}

/* Why an approval did not apply, or why people could not be notified. */
static json_t *reasons_json(const struct report *r)
{
	json_t *all = jsonval_array();

	for (size_t i = 0; i < r->reasonc; i++)
		json_array_append_new(all, jsonval_readable(r->reason[i]));
	return all;
}

static int apply(struct cli_call *call, struct gate *g, int workspace, int overlay, struct err *err)
{
	size_t count;

	(void)overlay;
	if (apply_pending(g, workspace, &count, err) < 0)
		return -1;
	if (call->json)
		jsonval_print(json_pack("{s:s, s:o, s:I, s:o, s:o}", "conversation",
					g->report->conversation, "directory",
					jsonval_readable(g->facts.workspace_at.path), "written",
					(json_int_t)count, "effects", run_effects_json(g->report),
					"reasons", reasons_json(g->report)));
	else
		print_effects(g->report);
	return 0;
}

static int reset(struct cli_call *call, struct gate *g, int workspace, int overlay, struct err *err)
{
	bool finished = false;

	(void)overlay;
	if (overlay_reset(g->state.dir, g->facts.conversation.id.byte, workspace, &finished, err) <
		    0 ||
	    (finished && apply_mark_again(g, &g->facts.workspace_at, err) < 0))
		return -1;
	if (call->json)
		jsonval_print(json_pack("{s:s, s:o}", "conversation", g->report->conversation,
					"directory", jsonval_readable(g->facts.workspace_at.path)));
	return 0;
}

typedef int changes_fn(struct cli_call *call, struct gate *g, int workspace, int overlay,
		       struct err *err);

static int speak(struct cli_call *call, struct gate *g, changes_fn *fn, int overlay,
		 struct err *err)
{
	AUTO_CLOSE int workspace = open(g->req->workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (workspace < 0)
		return err_errno(err, ERR_INPUT, "%.200s", g->req->workspace);
	if (gate_open_state(g, err) < 0 || gate_facts(g, NULL, err) < 0)
		return -1;
	struct stat st;
	if (fstat(workspace, &st) < 0 || st.st_dev != g->facts.workspace.st_dev ||
	    st.st_ino != g->facts.workspace.st_ino)
		return err_replaced(err, g->req->workspace);
	return fn(call, g, workspace, overlay, err);
}

int cli_changes(struct cli_call *call, enum cli_changes act, int overlay, struct err *err)
{
	static changes_fn *const acts[] = {
		[CLI_DIFF] = show, [CLI_APPLY] = apply, [CLI_RESET] = reset};
	AUTO_PAGES struct gate *g = pages_new(sizeof(*g));
	AUTO_FREE struct report *report = calloc(1, sizeof(*report));

	if (!g || !report)
		return err_memory(err);
	g->state.dir = -1;
	call->request.workspace_mode = WORKSPACE_OVERLAY;
	int r = gate_open(g, &call->request, report, err) < 0
			? -1
			: speak(call, g, acts[act], overlay, err);
	gate_close(g);
	report_done(report);
	return r;
}

static int run(struct cli_call *call, enum cli_changes act, const char *name)
{
	struct request *r = &call->request;
	struct err err;

	r->workspace = call->argc ? call->argv[0] : ".";
	if (call->argc > 1 || !r->conversation) {
		err_set(&err, ERR_USAGE,
			r->conversation ? "only one directory is accepted"
					: "--conversation is required");
		err_cure(&err, "cordon %s --conversation ID [DIR]", name);
		return cli_fail_short(call, &err);
	}
	return cli_changes(call, act, -1, &err) < 0 ? cli_fail_short(call, &err) : 0;
}

int cli_set_names(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->names_only = true;
	return 0;
}

static int run_diff(struct cli_call *call)
{
	return run(call, CLI_DIFF, "diff");
}

static const struct cli_option diff_options[] = {
	CLI_CONVERSATION_ROW,
	{"names", NULL, "only the names of what changed", .set = cli_set_names},
	CLI_STATE_ROW,
	CLI_JSON_ROW,
	{0}};

static const struct cli_option reset_options[] = {
	CLI_CONVERSATION_ROW, CLI_STATE_ROW, CLI_JSON_ROW, {0}};

static const struct json_doc diff_docs[] = {{"diff.changes[]", change_fields}, {0}};

static const struct cli_exit diff_exits[] = {
	{"0", "the changes are shown; there may be none"},
	{"2", "wrong usage"},
	{"125", "no such conversation or directory, or the changes could not be read"},
	{"126", "refused: other accounts have access to the state directory"},
	{"", ""}};

COMMAND(diff) = {
	.name = "diff",
	.order = 120,
	.synopsis = "--conversation ID [DIR]",
	.help = "show the pending changes of a directory",
	.example = "cordon diff --conversation $C ~/app",
	.options = diff_options,
	.exits = diff_exits,
	.docs = {diff_docs},
	.usage_status = 2,
	.takes_operands = true,
	.run = run_diff,
};

static int run_apply(struct cli_call *call)
{
	return run(call, CLI_APPLY, "apply");
}

static const struct cli_option apply_options[] = {
	CLI_CONVERSATION_ROW, CLI_POLICY_ROW, CLI_REQUEST_ROWS, CLI_STATE_ROW, CLI_JSON_ROW, {0}};

static const struct json_doc apply_docs[] = {{"apply.effects[]", run_effect_fields}, {0}};

static const struct cli_exit apply_exits[] = {
	{"0", "every change was decided; changes that are not allowed wait, and are listed"},
	{"2", "wrong usage"},
	{"125", "nothing was applied: the directory has changed since, or a read or write failed"},
	{"126",
	 "refused: the conversation has ended, or others have access to the state directory"},
	{"", ""}};

COMMAND(apply) = {
	.name = "apply",
	.order = 130,
	.synopsis = "--conversation ID [DIR]",
	.help = "apply the pending changes of a directory",
	.example = "cordon apply --conversation $C ~/app",
	.options = apply_options,
	.exits = apply_exits,
	.docs = {apply_docs},
	.usage_status = 2,
	.takes_operands = true,
	.run = run_apply,
};

static int run_reset(struct cli_call *call)
{
	return run(call, CLI_RESET, "reset");
}

static const struct cli_exit reset_exits[] = {
	{"0", "the changes are dropped; there may be none"},
	{"2", "wrong usage"},
	{"125", "no such conversation or directory, or the changes could not be dropped"},
	{"126", "refused: other accounts have access to the state directory"},
	{"", ""}};

COMMAND(reset) = {
	.name = "reset",
	.order = 140,
	.synopsis = "--conversation ID [DIR]",
	.help = "drop the pending changes of a directory",
	.example = "cordon reset --conversation $C ~/app",
	.options = reset_options,
	.exits = reset_exits,
	.usage_status = 2,
	.takes_operands = true,
	.run = run_reset,
};
