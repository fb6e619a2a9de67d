/* SPDX-License-Identifier: MIT
 *
 * cordon diff, apply and reset: a conversation's pending changes of a directory. diff shows them, apply
 * writes those that the policy or a ticket covers and asks about the rest, reset drops them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "cli/gate.h"
#include "cli/jsonval.h"
#include "cli/linediff.h"
#include "cli/shown.h"
#include "flow/apply.h"

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
			 "sha256", gate_hex_json(s->sha256, sizeof(s->sha256)));
}

#define TOLD(function, expression) FIELD(function, struct overlay_entry, expression)
TOLD(told_path, jsonval_text(v->path, strlen(v->path)))
TOLD(told_encoding, jsonval_encoding(v->path, strlen(v->path)))
TOLD(told_change, json_string(change_names[v->change]))
TOLD(told_before, state_json(&v->before))
TOLD(told_after, state_json(&v->after))
TOLD(told_moved, json_boolean(v->moved))
TOLD(told_rule, json_string(rule_names[v->rule]))
TOLD(told_note, jsonval_word(v->note))

const struct cli_field gate_change_fields[] = {
	{"path", "below the directory", told_path},
	{"path_encoding", "base64, where the path is not UTF-8", told_encoding},
	{"change", "created, modified, deleted or mode", told_change},
	{"before", "type, mode, size and sha256 in the directory, or null", told_before},
	{"after", "the same in the overlay, or null", told_after},
	{"moved", "the directory has changed since the program saw it", told_moved},
	{"rule", "free; named: only by a ticket that names the path; never", told_rule},
	{"note", "why it is not free, or null", told_note},
	{0}};

/* The text of one side; "" if it is not text, or too large to be shown. */
static char *read_side(int dir, const char *path, const struct overlay_state *s, size_t *ret_len)
{
	AUTO_CLOSE int fd = s->type == OVERLAY_FILE && s->size <= SHOWN_BYTES_MAX
				    ? beneath_open(dir, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
				    : -1;
	char *data = calloc(1, SHOWN_BYTES_MAX + 1);
	ssize_t n = data && fd >= 0 ? io_read_full(fd, data, SHOWN_BYTES_MAX) : 0;

	*ret_len = n > 0 ? (size_t)n : 0;
	return data;
}

static void show_line(void *context, const struct linediff_line *line)
{
	const struct shown *s = context;

	printf("%c ", line->added ? '+' : '-');
	shown_line(s, 2, line->text, line->len);
}

static void show_entry(const struct overlay_entry *e, int workspace, int tree)
{
	size_t from_len, to_len;
	AUTO_FREE char *from = read_side(workspace, e->path, &e->before, &from_len);
	AUTO_FREE char *to = read_side(tree, e->path, &e->after, &to_len);

	printf("%s ", change_names[e->change]);
	shown_words(stdout, e->path);
	if (e->before.mode != e->after.mode && e->change >= OVERLAY_MODIFIED)
		printf(" (mode %04o to %04o)", e->before.mode & 07777, e->after.mode & 07777);
	if (e->moved)
		fputs(" (the directory has changed since)", stdout);
	if (e->note)
		printf(" (%s)", e->note);
	putchar('\n');
	if (!from || !to || memchr(from, '\0', from_len) || memchr(to, '\0', to_len))
		return;
	struct shown s = {.to = stdout, .more = "  ", .below = "  ", .width = shown_width(stdout)};
	linediff((struct linediff_text){from, from_len}, (struct linediff_text){to, to_len},
		 show_line, &s);
}

static int show(struct cli_call *call, struct gate *g, int workspace, struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	AUTO_DIFF struct overlay_diff d = {0};
	uint8_t id[DIGEST_BYTES];

	if (overlay_open(&o, g->state.dir, g->conversation.id.byte, workspace, err) < 0 ||
	    (o.finished && apply_mark_again(g, err) < 0) ||
	    overlay_diff(&o, workspace, &d, err) < 0 || overlay_diff_id(&d, id, err) < 0)
		return -1;
	if (call->json) {
		jsonval_print(json_pack(
			"{s:s, s:o, s:o, s:o}", "conversation", g->report->conversation,
			"directory", jsonval_readable(g->workspace_at.path), "diff",
			gate_hex_json(id, sizeof(id)), "changes",
			jsonval_list(gate_change_fields, d.entry, sizeof(d.entry[0]), d.count)));
		return 0;
	}
	AUTO_CLOSE int tree = overlay_open_tree(&o);
	for (size_t i = 0; i < d.count; i++)
		show_entry(&d.entry[i], workspace, tree);
	if (!d.count)
		puts("no pending changes");
	return 0;
}

static void print_effects(const struct report *r)
{
	for (size_t i = 0; i < r->effectc; i++) {
		const struct report_effect *e = &r->effect[i];
		printf("%-8s  ", e->done ? "written" : outcome_name(e->outcome));
		shown_words(stdout, e->object);
		if (e->by)
			printf("  by %s", e->by);
		if (e->waits)
			printf("  cordon approvals show %s", e->waits);
		if (e->command) {
			fputs("  ", stdout);
			shown_words(stdout, e->command);
		}
		if (e->reason)
			printf("  (%s)", e->reason);
		putchar('\n');
	}
}

static int apply(struct cli_call *call, struct gate *g, int workspace, struct err *err)
{
	size_t count;

	if (apply_pending(g, workspace, &count, err) < 0)
		return -1;
	if (call->json)
		jsonval_print(
			json_pack("{s:s, s:o, s:I, s:o}", "conversation", g->report->conversation,
				  "directory", jsonval_readable(g->workspace_at.path), "written",
				  (json_int_t)count, "effects", gate_effects_json(g->report)));
	else
		print_effects(g->report);
	return 0;
}

static int reset(struct cli_call *call, struct gate *g, int workspace, struct err *err)
{
	bool finished = false;

	if (overlay_reset(g->state.dir, g->conversation.id.byte, workspace, &finished, err) < 0 ||
	    (finished && apply_mark_again(g, err) < 0))
		return -1;
	if (call->json)
		jsonval_print(json_pack("{s:s, s:o}", "conversation", g->report->conversation,
					"directory", jsonval_readable(g->workspace_at.path)));
	return 0;
}

typedef int changes_fn(struct cli_call *call, struct gate *g, int workspace, struct err *err);

static int speak(struct cli_call *call, struct gate *g, changes_fn *fn, struct err *err)
{
	AUTO_CLOSE int workspace = open(g->req->workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (workspace < 0)
		return err_errno(err, ERR_INPUT, "%.200s", g->req->workspace);
	if (gate_open_state(g, err) < 0 || gate_facts(g, NULL, err) < 0)
		return -1;
	struct stat st;
	if (fstat(workspace, &st) < 0 || st.st_dev != g->workspace.st_dev ||
	    st.st_ino != g->workspace.st_ino)
		return err_replaced(err, g->req->workspace);
	return fn(call, g, workspace, err);
}

static int run(struct cli_call *call, changes_fn *fn, const char *name)
{
	AUTO_PAGES struct gate *g = pages_new(sizeof(*g));
	AUTO_FREE struct report *report = calloc(1, sizeof(*report));
	struct request *r = &call->request;
	struct err err;
	int status = -1;

	if (!g || !report)
		return 125;
	g->state.dir = -1;
	r->state = call->state;
	r->policy = call->policy;
	r->workspace = call->argc ? call->argv[0] : ".";
	r->workspace_mode = WORKSPACE_OVERLAY;
	if (call->argc > 1 || !r->conversation) {
		err_set(&err, ERR_USAGE, "which conversation?");
		err_cure(&err, "cordon %s --conversation ID [DIR]", name);
	} else if (gate_open(g, r, report, &err) == 0) {
		status = speak(call, g, fn, &err);
	}
	gate_close(g);
	report_done(report);
	return status == 0 ? 0 : gate_fail(call, &err);
}

int cli_diff(struct cli_call *call)
{
	return run(call, show, "diff");
}

int cli_apply(struct cli_call *call)
{
	return run(call, apply, "apply");
}

int cli_reset(struct cli_call *call)
{
	return run(call, reset, "reset");
}
