/* SPDX-License-Identifier: MIT
 *
 * One JSON document: an event or a list of them, a configuration of MCP servers, or another document.
 * (scan_lines.c reads one document a line.) Broken JSON is parsed as the most lenient program would,
 * and its text is scanned too. Strings are scanned without their escapes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/json_read.h"
#include "detect/scan_private.h"

/* An event has a type and at least one of these keys. */
static const char *const event_keys[] = {"content", "fields", "metadata", "metrics", "trace"};

bool scan_is_event(const struct node *n)
{
	if (!n || !node_string(node_get(n, "type")))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(event_keys); i++)
		if (node_get(n, event_keys[i]))
			return true;
	return false;
}

bool scan_is_known_event(const struct node *n)
{
	return scan_is_event(n) &&
	       vocab_find(VOCAB_EVENT, node_string(node_get(n, "type"))) < EVENT_OTHER;
}

/* Any document may have the keys of an event, and an event decides which rules apply to which of its
 * strings. So only the caller can say that a file is an event; otherwise its text is scanned too. */
bool scan_is_surely_event(const struct scanner *s, const struct node *n)
{
	bool said = s->options.has_type || (s->options.has_kind && s->options.kind == KIND_EVENTS);

	return (said || s->options.mode == DETECT_REFERENCE) && scan_is_known_event(n);
}

static bool are_events(const struct node *list)
{
	size_t count = node_count(list);

	if (list->kind != NODE_LIST || !count || count > EVENT_LIST_MAX)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!scan_is_event(node_item(list, i)))
			return false;
	return true;
}

/* Scans the keys that do not belong to an event, which the engine ignores. */
static void scan_beside(struct scanner *s, const struct scan_file *file, const struct node *event,
			int64_t number)
{
	struct scan_unit unit = {.file = file, .number = number, .line = event->line};
	struct gather g = {0};

	for (size_t i = 0; i < event->map.count; i++)
		if (!event_has_key(event->map.pair[i].key))
			gather_pair(&g, &event->map.pair[i]);
	if (g.len || g.failed)
		scan_gathered(s, &unit, &g);
	gather_done(&g);
}

void scan_event(struct scanner *s, const struct scan_file *file, const struct node *node,
		int64_t number, struct scan_calls *calls)
{
	struct scan_unit unit = {.file = file, .number = number, .line = node->line};
	struct err err;

	if (event_from_node(node, &unit.event, &err) == 0) {
		if (s->options.has_type)
			unit.event.type = s->options.type;
		scan_unit(s, &unit);
		scan_calls_add(calls, &unit);
	} else if (scan_is_known_event(node)) {
		err_context(&err, "event %lld", (long long)number);
		scan_error(s, file->name, &err);
	}
	if (scan_is_surely_event(s, node))
		scan_beside(s, file, node, number);
}

bool scan_reads_otherwise(const struct scanner *s, struct text text, const struct node *root)
{
	return root && s->options.mode != DETECT_REFERENCE &&
	       (memchr(text.s, '\\', text.len) || gather_has_calls(root));
}

void scan_strings(struct scanner *s, struct scan_unit *unit, struct text text,
		  const struct node *root)
{
	struct gather g = {0}, script = {0};

	unit->event = scan_plain(s, text);
	if (scan_reads_otherwise(s, text, root)) {
		gather_node(&g, root);
		if (!scan_gather_failed(s, unit->file, &g))
			unit->other = (struct text){g.s, g.len};
		if (unit->is_file)
			scan_script(s, unit, root, &script);
	}
	scan_unit(s, unit);
	gather_done(&script);
	gather_done(&g);
}

static void scan_events(struct scanner *s, const struct scan_file *file, const struct node *root,
			bool *ret_sure)
{
	size_t count = root->kind == NODE_LIST ? root->list.count : 1;
	struct scan_calls calls = {0};

	*ret_sure = true;
	for (size_t i = 0; i < count; i++) {
		const struct node *event = root->kind == NODE_LIST ? root->list.item[i] : root;
		scan_event(s, file, event, (int64_t)i, &calls);
		*ret_sure &= scan_is_surely_event(s, event);
	}
	scan_calls_end(s, file, &calls);
}

/* LOOSE: programs differ in how they parse it, so its text is scanned too. */
static void scan_root(struct scanner *s, struct scan_file *file, const struct node *root,
		      bool loose)
{
	struct scan_unit unit = {.file = file, .number = -1, .line = 1, .is_file = true};
	struct scan_seen seen = {0};
	bool done = false;

	/* A notebook stays a notebook, also with the keys of an event. */
	bool notebook = file->kind == KIND_NOTEBOOK;
	s->seen = loose || s->options.mode != DETECT_REFERENCE ? &seen : NULL;
	if (!notebook && !s->options.no_events && (scan_is_event(root) || are_events(root))) {
		file->kind = KIND_EVENTS;
		scan_events(s, file, root, &done);
	}
	done = done || (!notebook && scan_servers(s, file, root));
	s->seen = NULL;
	if (done && !loose)
		return;
	if (!done && !notebook && file->kind != KIND_EVENTS)
		file->kind = KIND_JSON;
	unit.known = &seen;
	scan_strings(s, &unit, file->data, root);
}

int scan_read_json(struct text data, size_t line, struct arena *arena, const struct node **ret,
		   bool *ret_loose, struct err *ret_why)
{
	struct err err = {0};

	*ret = NULL;
	*ret_loose = false;
	if (json_read(data.s, data.len, (unsigned)line, arena, ret, ret_why) == 0)
		return 0;
	*ret_loose = true;
	if (json_read_loose(data.s, data.len, (unsigned)line, arena, ret, &err) == 0)
		return 0;
	if (err.code == ERR_LIMIT)
		*ret_why = err;
	ret_why->code = err.code;
	return -1;
}

bool scan_document(struct scanner *s, struct scan_file *file, struct err *ret_why)
{
	struct arena arena = {0};
	const struct node *root;
	bool loose;
	size_t mark = strncmp(file->data.s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	struct text data = {file->data.s + mark, file->data.len - mark};

	if (scan_read_json(data, 1, &arena, &root, &loose, ret_why) == 0) {
		if (loose && file->sure)
			scan_note(s, file->name, 0, ret_why->message);
		scan_root(s, file, root, loose);
		arena_done(&arena);
		return true;
	}
	arena_done(&arena);
	return false;
}
