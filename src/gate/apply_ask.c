/* SPDX-License-Identifier: MIT
 *
 * See apply_ask.h. A file is read once. Its bytes are kept only if they have the hash that people
 * sign.
 */
#include "gate/apply_ask.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/linediff.h"
#include "base/scope.h"
#include "base/subpath.h"

/* One side of a path. */
struct side {
	char *data;
	size_t len;
	enum approval_shown shown;
};

static void side_done(struct side *s)
{
	free(s->data);
}
#define AUTO_SIDE __attribute__((cleanup(side_done)))

static int changed(const char *path, struct err *err)
{
	return err_set(err, ERR_CONFLICT, "%.200s changed while it was read", path);
}

static ssize_t read_link_or_file(int fd, bool is_link, char *data)
{
	return is_link ? readlinkat(fd, "", data, APPLY_SHOWN_MAX)
		       : io_read_full(fd, data, APPLY_SHOWN_MAX);
}

static int read_side(int dir, const char *path, const struct overlay_state *s, struct side *ret,
		     struct err *err)
{
	bool is_link = s->type == OVERLAY_LINK;
	uint8_t sha256[DIGEST_BYTES];

	*ret = (struct side){.shown = APPROVAL_TEXT};
	if (s->type == OVERLAY_ABSENT || s->type == OVERLAY_DIR)
		return 0;
	if (s->type == OVERLAY_OTHER || s->size > APPLY_SHOWN_MAX) {
		ret->shown = s->type == OVERLAY_OTHER ? APPROVAL_NOT_TEXT : APPROVAL_TOO_LARGE;
		return 0;
	}
	AUTO_CLOSE int fd = subpath_open(
		dir, path, is_link ? O_PATH | O_NOFOLLOW : O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
	ret->data = malloc(APPLY_SHOWN_MAX + 1);
	if (!ret->data)
		return err_memory(err);
	ssize_t n = fd < 0 ? -1 : read_link_or_file(fd, is_link, ret->data);
	if (n < 0)
		return changed(path, err);
	digest_of(sha256, ret->data, (size_t)n);
	if ((size_t)n != s->size || memcmp(sha256, s->sha256, sizeof(sha256)) != 0)
		return changed(path, err);
	ret->len = (size_t)n;
	if (memchr(ret->data, '\0', ret->len))
		ret->shown = APPROVAL_NOT_TEXT;
	return 0;
}

static void count_line(void *context, const struct linediff_line *line)
{
	struct approval_change *c = context;

	(*(line->added ? &c->added : &c->removed))++;
}

/* Keeps both sides, or neither. */
static int keep_sides(struct gate *g, struct approval_change *c, const struct side *before,
		      const struct side *after, struct err *err)
{
	struct arena *a = &g->arena;
	struct approval_attachments *k = &g->question.attachments;

	c->shown = before->shown == APPROVAL_TEXT ? after->shown : before->shown;
	if (c->shown != APPROVAL_TEXT)
		return 0;
	if (APPROVAL_ATTACHMENTS_MAX - k->count < 2 ||
	    before->len + after->len > APPROVAL_ATTACHED_MAX - k->bytes.len) {
		c->shown = APPROVAL_TOO_LARGE;
		return 0;
	}
	approval_attach(k, arena_printf(a, "before %s", c->path), before->data, before->len);
	approval_attach(k, arena_printf(a, "after %s", c->path), after->data, after->len);
	if (linediff((struct linediff_text){before->data, before->len},
		     (struct linediff_text){after->data, after->len}, count_line, c) < 0)
		return err_memory(err);
	return 0;
}

static int fill_change(struct gate *g, int tree, int workspace, const struct overlay_entry *e,
		       struct approval_change *c, struct err *err)
{
	AUTO_SIDE struct side before = {0}, after = {0};

	*c = (struct approval_change){
		.path = arena_dup(&g->arena, e->path),
		.change = e->change,
		.before_type = e->before.type,
		.before_mode = e->before.type == OVERLAY_ABSENT ? 0 : e->before.mode & 07777,
		.before_size = e->before.size,
		.after_type = e->after.type,
		.after_mode = e->after.type == OVERLAY_ABSENT ? 0 : e->after.mode & 07777,
		.after_size = e->after.size,
		.note = e->rule == OVERLAY_NAMED && e->note ? e->note : "",
	};
	memcpy(c->before_sha256, e->before.sha256, sizeof(c->before_sha256));
	memcpy(c->after_sha256, e->after.sha256, sizeof(c->after_sha256));
	if (read_side(workspace, e->path, &e->before, &before, err) < 0)
		return -1;
	/* If only the mode changes, the bytes are in the directory. */
	if (read_side(e->change == OVERLAY_MODE ? workspace : tree, e->path, &e->after, &after,
		      err) < 0)
		return -1;
	return keep_sides(g, c, &before, &after, err);
}

static int fill_changes(struct gate *g, int tree, int workspace, const struct overlay_diff *d,
			const enum outcome *outcome, struct err *err)
{
	struct approval_change *list =
		arena_alloc(&g->arena, (APPROVAL_LIST_MAX + 1) * sizeof(*list));
	size_t count = 0;

	if (!list)
		return err_memory(err);
	for (size_t i = 0; i < d->count; i++) {
		if (outcome[i] != OUTCOME_WAITS)
			continue;
		if (count == APPROVAL_LIST_MAX) {
			err_set(err, ERR_LIMIT, "a person can be asked about at most %d changes",
				APPROVAL_LIST_MAX);
			err_cure(err, "make fewer at a time, or get a grant for their directory");
			return -1;
		}
		if (fill_change(g, tree, workspace, &d->entry[i], &list[count++], err) < 0)
			return -1;
	}
	g->question.asked.changes = (struct approval_list){.count = count, .list = list};
	return 0;
}

static int fill(struct gate *g, bool exposed, struct err *err)
{
	struct approval_request *r = &g->question.asked;
	struct request wanted;

	request_init(&wanted);
	wanted.lang = "diff";
	wanted.file = g->facts.workspace_at.path;
	wanted.title = g->req->title;
	wanted.purpose = g->req->purpose;
	wanted.workspace = g->facts.workspace_at.path;
	wanted.workspace_mode = WORKSPACE_OVERLAY;
	wanted.apply = true;
	approval_init(r);
	approval_fill_request(r, &wanted, &g->arena);
	approval_fill_policy(r, &g->policy, &wanted, &g->arena);
	r->origin = exposed ? ORIGIN_EXPOSED : ORIGIN_AGENT;
	r->conversation = g->report->conversation;
	struct approval_text *why = arena_alloc(&g->arena, sizeof(*why));
	const char *cause = g->facts.cause ? g->facts.cause : g->facts.conversation.cause;
	if (why && exposed && cause && *cause) {
		why->text = arena_printf(&g->arena, EXPOSED_BY "%s", cause);
		r->reasons = (struct approval_list){.count = 1, .list = why};
	}
	return g->arena.failed ? err_memory(err) : 0;
}

int apply_ask(struct gate *g, const struct overlay *o, int workspace, const struct overlay_diff *d,
	      const enum outcome *outcome, bool exposed, struct err *err)
{
	AUTO_CLOSE int tree = overlay_open_tree(o);

	if (tree < 0)
		return err_errno(err, ERR_SYSTEM, "opening the conversation's changes");
	gate_drop_attachments(g);
	if (fill(g, exposed, err) < 0 || fill_changes(g, tree, workspace, d, outcome, err) < 0)
		return -1;
	return gate_ask_people(g, err);
}
