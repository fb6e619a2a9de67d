/* SPDX-License-Identifier: MIT
 *
 * JSON: events (one, a list, or one a line), a configuration of MCP servers, or something else.
 * What is not quite JSON is read all the same, as the most lenient of programs would, and its text
 * is scanned besides; what is broken or unknown is scanned as the text it is. Nothing gets by
 * because it is no good JSON. Strings are scanned as they read, not as they are escaped.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/json.h"
#include "flow/scan_private.h"

/* An event says its type, and at least one of these. */
static const char *const event_keys[] = {"content", "fields", "metadata", "metrics", "trace"};

static bool is_event(const struct node *n)
{
	if (!n || !node_string(node_get(n, "type")))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(event_keys); i++)
		if (node_get(n, event_keys[i]))
			return true;
	return false;
}

/* One of the types that rules know. */
static bool is_known_event(const struct node *n)
{
	return is_event(n) &&
	       vocab_find(VOCAB_EVENT, node_string(node_get(n, "type"))) < EVENT_OTHER;
}

/* Anything may have a type and a content, and a file that says of itself that it is an event says
 * with it which rules are asked, and about which of its strings. So only the caller's word counts:
 * without it the text is scanned as well. */
static bool is_surely_event(const struct scanner *s, const struct node *n)
{
	bool said = s->options.has_type || (s->options.has_kind && s->options.kind == KIND_EVENTS);

	return (said || s->options.mode == DETECT_REFERENCE) && is_known_event(n);
}

static bool are_events(const struct node *list)
{
	size_t count = node_count(list);

	if (list->kind != NODE_LIST || !count || count > EVENT_LIST_MAX)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!is_event(node_item(list, i)))
			return false;
	return true;
}

/* Keys that no event has are not the event's: nobody else would look at them. */
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

static void scan_event(struct scanner *s, const struct scan_file *file, const struct node *node,
		       int64_t number, struct scan_calls *calls)
{
	struct scan_unit unit = {.file = file, .number = number, .line = node->line};
	struct err err;

	if (event_from_node(node, &unit.event, &err) == 0) {
		if (s->options.has_type)
			unit.event.type = s->options.type;
		scan_unit(s, &unit);
		scan_calls_add(calls, &unit);
	} else if (is_known_event(node)) {
		err_context(&err, "event %lld", (long long)number);
		scan_error(s, file->name, &err);
	}
	if (is_surely_event(s, node))
		scan_beside(s, file, node, number);
}

/* Of good JSON the text says the same as its strings, but for escapes, and words that stand apart. */
static bool reads_otherwise(const struct scanner *s, struct text text, const struct node *root)
{
	return root && s->options.mode != DETECT_REFERENCE &&
	       (memchr(text.s, '\\', text.len) || gather_has_calls(root));
}

/* Any other document, or UNIT's part of one: its text, and where they read otherwise, its strings. */
static void scan_strings(struct scanner *s, struct scan_unit *unit, struct text text,
			 const struct node *root)
{
	struct gather g = {0}, script = {0};

	unit->event = scan_plain(s, text);
	if (reads_otherwise(s, text, root)) {
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
		*ret_sure &= is_surely_event(s, event);
	}
	scan_calls_end(s, file, &calls);
}

/* LOOSE: programs do not agree on what it means, so its text is looked at too. */
static void scan_root(struct scanner *s, struct scan_file *file, const struct node *root,
		      bool loose)
{
	struct scan_unit unit = {.file = file, .number = -1, .line = 1, .is_file = true};
	struct scan_seen seen = {0};
	bool done = false;

	/* A notebook stays one, whatever else it says that it is. */
	bool notebook = file->kind == KIND_NOTEBOOK;
	s->seen = loose || s->options.mode != DETECT_REFERENCE ? &seen : NULL;
	if (!notebook && !s->options.no_events && (is_event(root) || are_events(root))) {
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

/* As JSON, or as near to it as programs would take. ERR_LIMIT: so far it was, and then it was too
 * much; a text that has only many brackets is none. */
static int read_any(struct text data, size_t line, struct arena *arena, const struct node **ret,
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

/* A file of lines while it is scanned. What is no event that rules know is also a text together: it may say
 * on two lines what none of them says alone. */
struct lines {
	struct scanner *s;
	const struct scan_file *file;
	int64_t event;	       /* the next one's number */
	size_t rest;	       /* lines that are in both of the next */
	struct gather text;    /* as they stand, with an empty line for each event */
	bool escapes;	       /* there are any in the file: */
	struct gather strings; /* as they read */
	struct scan_seen seen;
	struct scan_calls calls;
};

static void keep_line(struct lines *l, struct text line, const struct node *root)
{
	l->rest++;
	gather_put(&l->text, line.s, line.len);
	if (!l->escapes)
		return;
	if (root)
		gather_node(&l->strings, root);
	else
		gather_put(&l->strings, line.s, line.len);
	gather_put(&l->strings, "\n", 1);
}

static void scan_line(struct lines *l, struct text line, size_t number)
{
	struct scan_seen here = {0};
	struct scan_unit unit = {
		.file = l->file, .number = l->event, .line = number, .known = &here};
	struct arena arena = {0};
	const struct node *root = NULL;
	struct err err;
	bool loose;

	if (read_any(line, number, &arena, &root, &loose, &err) < 0) {
		root = NULL;
		unit.limit = err.code == ERR_LIMIT ? err.message : NULL;
	}
	l->s->seen = l->s->options.mode == DETECT_REFERENCE ? NULL : &here;
	if (root && is_event(root))
		scan_event(l->s, l->file, root, l->event, &l->calls);
	else
		scan_note(l->s, l->file->name, number, "is no event: scanned as text");
	bool alone = root && is_known_event(root) && !loose;
	l->s->seen = alone ? NULL : &l->seen;
	if (!alone || !is_surely_event(l->s, root))
		scan_strings(l->s, &unit, line, root);
	l->s->seen = NULL;
	if (!alone)
		keep_line(l, line, root);
	l->event++;
	arena_done(&arena);
}

static void scan_rest(struct lines *l)
{
	struct scan_unit unit = {.file = l->file, .number = -1, .line = 1, .is_file = true};
	struct err err;

	if (l->text.failed || l->strings.failed) {
		gather_error(l->text.failed ? &l->text : &l->strings, &err);
		scan_error(l->s, l->file->name, &err);
	} else if (l->rest > 1) {
		unit.known = &l->seen;
		unit.event = scan_plain(l->s, (struct text){l->text.s, l->text.len});
		if (l->escapes)
			unit.other = (struct text){l->strings.s, l->strings.len};
		scan_unit(l->s, &unit);
	}
	gather_done(&l->text);
	gather_done(&l->strings);
	scan_calls_end(l->s, l->file, &l->calls);
}

/* The first line that is not blank. */
static struct text first_line(struct text data)
{
	size_t blank = strspn(data.s, " \t\r\n");
	const char *begin = data.s + blank, *end = memchr(begin, '\n', data.len - blank);

	return (struct text){begin, end ? (size_t)(end - begin) : data.len - blank};
}

static bool are_lines(const struct scan_file *file)
{
	struct arena arena = {0};
	const struct node *root;
	struct err err;
	bool loose, yes = read_any(first_line(file->data), 1, &arena, &root, &loose, &err) == 0 &&
			  is_event(root);

	arena_done(&arena);
	return yes;
}

/* Line for line, of a copy that is cut up, since a text has a NUL after its end. */
static void scan_lines(struct scanner *s, struct scan_file *file)
{
	AUTO_FREE char *copy = malloc(file->data.len + 1);
	struct text rest = {copy, copy ? file->data.len : 0};
	struct lines l = {.s = s, .file = file};

	l.escapes =
		s->options.mode != DETECT_REFERENCE && memchr(file->data.s, '\\', file->data.len);
	file->kind = KIND_EVENTS;
	if (copy)
		memcpy(copy, file->data.s, file->data.len + 1);
	else
		l.text.failed = true;
	for (size_t number = 1; rest.len; number++) {
		char *end = memchr(rest.s, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.s) : rest.len;
		if (end)
			*end = '\0';
		if (strspn(rest.s, " \t\r") < len)
			scan_line(&l, (struct text){rest.s, len}, number);
		gather_put(&l.text, "\n", 1);
		len += end ? 1 : 0;
		rest = (struct text){rest.s + len, rest.len - len};
	}
	scan_rest(&l);
}

bool scan_document(struct scanner *s, struct scan_file *file)
{
	struct arena arena = {0};
	const struct node *root;
	struct err why;
	bool known = true, loose;
	size_t mark = strncmp(file->data.s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	struct text data = {file->data.s + mark, file->data.len - mark};

	if (read_any(data, 1, &arena, &root, &loose, &why) == 0) {
		if (loose && file->sure)
			scan_note(s, file->name, 0, why.message);
		scan_root(s, file, root, loose);
	} else if (!s->options.no_events && are_lines(file)) {
		scan_lines(s, file);
	} else {
		known = false;
		file->kind = KIND_TEXT;
		if (why.code == ERR_LIMIT)
			file->limit = why;
		if (file->sure)
			scan_note(s, file->name, 0, why.message);
	}
	arena_done(&arena);
	return known;
}
