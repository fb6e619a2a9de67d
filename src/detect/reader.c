/* SPDX-License-Identifier: MIT
 *
 * A document is lines when its first line is an object by itself and there is more: then each line
 * is read when it is asked for, so that a long log needs no more memory than its longest line.
 */
#include "detect/reader.h"

#include <string.h>

#include "detect/json.h"

static bool is_blank(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!s[i] || !strchr(" \t\r\n", s[i]))
			return false;
	return true;
}

/* Moves behind the next line that is not blank. Its length is 0 at the end. */
static struct text next_line(struct event_reader *r)
{
	while (r->at < r->len) {
		const char *start = r->data + r->at;
		const char *end = memchr(start, '\n', r->len - r->at);
		size_t len = end ? (size_t)(end - start) : r->len - r->at;
		r->at += len + 1;
		r->line++;
		if (!is_blank(start, len))
			return (struct text){start, len};
	}
	return (struct text){NULL, 0};
}

static bool is_lines(const struct event_reader *r)
{
	struct event_reader probe = {.data = r->data, .len = r->len};
	struct text line = next_line(&probe);
	const struct node *root;
	struct err err;

	if (!line.len || probe.at >= r->len || is_blank(r->data + probe.at, r->len - probe.at))
		return false;
	bool is = json_read(line.s, line.len, 1, &probe.arena, &root, &err) == 0 &&
		  root->kind == NODE_MAP;
	arena_done(&probe.arena);
	return is;
}

int event_reader_open(struct event_reader *r, const char *data, size_t len, struct err *err)
{
	*r = (struct event_reader){.data = data, .len = len};
	if (is_lines(r))
		return 0;
	if (json_read(data, len, 1, &r->arena, &r->whole, err) < 0)
		return -1;
	if (r->whole->kind != NODE_MAP && r->whole->kind != NODE_LIST)
		return err_set(err, ERR_INPUT, "JSON: neither an event nor a list of events");
	if (node_count(r->whole) > EVENT_LIST_MAX && r->whole->kind == NODE_LIST)
		return err_set(err, ERR_LIMIT, "JSON: more than %d events", EVENT_LIST_MAX);
	return 0;
}

static int next_of_lines(struct event_reader *r, struct event *ret, struct err *err)
{
	struct text line = next_line(r);
	const struct node *root;

	arena_done(&r->arena);
	if (!line.len)
		return 0;
	if (r->count == EVENT_LIST_MAX) {
		r->at = r->len;
		return err_set(err, ERR_LIMIT, "JSON: more than %d events", EVENT_LIST_MAX);
	}
	r->count++;
	if (json_read(line.s, line.len, r->line, &r->arena, &root, err) < 0)
		return -1;
	if (event_from_node(root, ret, err) == 0)
		return 1;
	err_context(err, "line %u", r->line);
	return -1;
}

int event_reader_next(struct event_reader *r, struct event *ret, struct err *err)
{
	size_t all = 1;

	if (!r->whole)
		return next_of_lines(r, ret, err);
	if (r->whole->kind == NODE_LIST)
		all = node_count(r->whole);
	if (r->count == all)
		return 0;
	const struct node *one =
		r->whole->kind == NODE_LIST ? node_item(r->whole, r->count) : r->whole;
	r->count++;
	if (event_from_node(one, ret, err) == 0)
		return 1;
	if (r->whole->kind == NODE_LIST)
		err_context(err, "event %zu", r->count);
	return -1;
}

void event_reader_done(struct event_reader *r)
{
	arena_done(&r->arena);
	*r = (struct event_reader){0};
}
