/* SPDX-License-Identifier: MIT
 *
 * JSON: events (one, a list, or one a line), a configuration of MCP servers, or something else.
 * What is broken or unknown is scanned as the text it is; nothing gets by because it is no good
 * JSON. Strings are scanned as they read, not as they are escaped.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/json.h"
#include "flow/scan.h"
#include "rule/utf8.h"

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

/* Anything may have a type and a content. Of what does not say one of the types that rules know, the
 * text is scanned as well. */
static bool is_surely_event(const struct node *n)
{
	return is_event(n) &&
	       vocab_find(VOCAB_EVENT, node_string(node_get(n, "type"))) < EVENT_OTHER;
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

/* Strings of a document as one text. */
struct gather {
	char *s;
	size_t len, room;
	bool failed, too_long;
};

/* A file has its strings at most twice (a server's command), each with a sign behind it. */
static const size_t gather_max = 4 * SCAN_FILE_MAX;

static void put(struct gather *g, const char *s, size_t len)
{
	if (g->len + len + 1 > g->room) {
		size_t room = (g->len + len + 1) * 2;
		g->too_long = g->too_long || room / 2 > gather_max;
		char *more = g->failed || g->too_long ? NULL : realloc(g->s, room);
		if (!more) {
			g->failed = true;
			return;
		}
		g->s = more;
		g->room = room;
	}
	memcpy(g->s + g->len, s, len);
	g->len += len;
	g->s[g->len] = '\0';
}

static void gather(struct gather *g, const struct node *n, const struct node *without);

static void gather_pair(struct gather *g, const struct node_pair *p, const struct node *without)
{
	if (p->value == without)
		return;
	put(g, p->key.s, p->key.len);
	put(g, p->value->kind == NODE_STRING ? "=" : "\n", 1);
	gather(g, p->value, without);
}

/* A list of strings is a line, as arguments are. */
static void gather(struct gather *g, const struct node *n, const struct node *without)
{
	if (n->kind == NODE_STRING) {
		put(g, n->text.s, n->text.len);
		put(g, "\n", 1);
	} else if (n->kind == NODE_MAP) {
		for (size_t i = 0; i < n->map.count; i++)
			gather_pair(g, &n->map.pair[i], without);
	} else if (n->kind == NODE_LIST) {
		for (size_t i = 0; i < n->list.count; i++) {
			gather(g, n->list.item[i], without);
			if (n->list.item[i]->kind == NODE_STRING && g->len && !g->failed)
				g->s[g->len - 1] = i + 1 < n->list.count ? ' ' : '\n';
		}
	}
}

static void tell_failure(struct scanner *s, const struct scan_file *file, const struct gather *g)
{
	struct err err;

	if (g->too_long)
		err_set(&err, ERR_LIMIT, "its strings are longer than %zu MiB", gather_max >> 20);
	else
		err_set(&err, ERR_SYSTEM, "out of memory");
	scan_error(s, file->name, &err);
}

static void scan_gathered(struct scanner *s, const struct scan_file *file, struct gather *g,
			  const char *part, int64_t number, size_t line)
{
	struct scan_unit unit = {.file = file, .number = number, .part = part, .line = line};

	unit.event = (struct event){.type = s->options.type,
				    .plain = !s->options.has_type,
				    .content = {g->s ? g->s : "", g->len},
				    .time_ms = EVENT_TIME_NONE};
	if (g->failed)
		tell_failure(s, file, g);
	else
		scan_unit(s, &unit);
}

/* Keys that no event has are not the event's: nobody else would look at them. */
static void scan_beside(struct scanner *s, const struct scan_file *file, const struct node *event,
			int64_t number, size_t line)
{
	struct gather g = {0};

	for (size_t i = 0; i < event->map.count; i++)
		if (!event_has_key(event->map.pair[i].key))
			gather_pair(&g, &event->map.pair[i], NULL);
	if (g.len || g.failed)
		scan_gathered(s, file, &g, NULL, number, line);
	free(g.s);
}

static void scan_event(struct scanner *s, const struct scan_file *file, const struct node *node,
		       int64_t number)
{
	struct scan_unit unit = {.file = file, .number = number, .line = node->line};
	bool sure = is_surely_event(node);
	struct err err;

	if (event_from_node(node, &unit.event, &err) == 0) {
		if (s->options.has_type)
			unit.event.type = s->options.type;
		scan_unit(s, &unit);
	} else if (sure) {
		err_context(&err, "event %lld", (long long)number);
		scan_error(s, file->name, &err);
	}
	if (sure)
		scan_beside(s, file, node, number, node->line);
}

/* On which line a key first stands, for people; 0 where it is written in another way. */
static size_t line_of_key(const struct scan_file *file, struct text key)
{
	const char *at = file->data.s, *end = at + file->data.len;

	for (; key.len && (at = memmem(at, (size_t)(end - at), key.s, key.len)); at++)
		if (at > file->data.s && at[-1] == '"' && at[key.len] == '"')
			return utf8_line(file->data.s, file->data.len, (size_t)(at - file->data.s));
	return 0;
}

/* The command and its arguments on one line, as a shell would get them; then the rest. */
static void scan_server(struct scanner *s, const struct scan_file *file, const struct node_pair *p)
{
	struct gather g = {0};
	const struct node *command = node_get(p->value, "command"),
			  *args = node_get(p->value, "args");

	if (command)
		gather(&g, command, NULL);
	if (args && g.len && !g.failed)
		g.s[g.len - 1] = ' ';
	if (args)
		gather(&g, args, NULL);
	put(&g, "\n", 1);
	gather(&g, p->value, args);
	scan_gathered(s, file, &g, p->key.s, -1, line_of_key(file, p->key));
	free(g.s);
}

/* Where programs keep their servers: a key, or a key in a key. */
static const struct {
	const char *outer, *inner;
} server_keys[] = {{NULL, "mcpServers"}, {"mcp", "servers"}, {NULL, "servers"}};

static bool are_servers(const struct node *n)
{
	if (!n || n->kind != NODE_MAP || !n->map.count)
		return false;
	for (size_t i = 0; i < n->map.count; i++)
		if (!node_get(n->map.pair[i].value, "command") &&
		    !node_get(n->map.pair[i].value, "url"))
			return false;
	return true;
}

static const struct node *find_servers(const struct node *root)
{
	for (size_t i = 0; i < ARRAY_SIZE(server_keys); i++) {
		const struct node *in =
			server_keys[i].outer ? node_get(root, server_keys[i].outer) : root;
		const struct node *servers = node_get(in, server_keys[i].inner);
		if (are_servers(servers))
			return servers;
	}
	return NULL;
}

static void scan_servers(struct scanner *s, const struct scan_file *file, const struct node *root,
			 const struct node *servers)
{
	struct gather g = {0};

	for (size_t i = 0; i < servers->map.count; i++)
		scan_server(s, file, &servers->map.pair[i]);
	gather(&g, root, servers);
	if (g.len || g.failed)
		scan_gathered(s, file, &g, NULL, -1, 0);
	free(g.s);
}

/* Any other document, or UNIT's part of one: its text, and where something is escaped in it, its
 * strings too. */
static void scan_strings(struct scanner *s, struct scan_unit *unit, struct text text,
			 const struct node *root)
{
	struct gather g = {0};

	unit->event = (struct event){.type = s->options.type,
				     .plain = !s->options.has_type,
				     .content = text,
				     .time_ms = EVENT_TIME_NONE};
	if (root && s->options.mode != DETECT_REFERENCE && memchr(text.s, '\\', text.len)) {
		gather(&g, root, NULL);
		unit->other = (struct text){g.s, g.len};
	}
	if (g.failed)
		tell_failure(s, unit->file, &g);
	else
		scan_unit(s, unit);
	free(g.s);
}

static void scan_events(struct scanner *s, const struct scan_file *file, const struct node *root,
			bool *ret_sure)
{
	size_t count = root->kind == NODE_LIST ? root->list.count : 1;

	*ret_sure = true;
	for (size_t i = 0; i < count; i++) {
		const struct node *event = root->kind == NODE_LIST ? root->list.item[i] : root;
		scan_event(s, file, event, (int64_t)i);
		*ret_sure &= is_surely_event(event);
	}
}

static void scan_root(struct scanner *s, struct scan_file *file, const struct node *root)
{
	const struct node *servers = find_servers(root);
	struct scan_unit unit = {.file = file, .number = -1, .line = 1, .is_file = true};
	bool done = false;

	if (is_event(root) || are_events(root)) {
		file->kind = KIND_EVENTS;
		scan_events(s, file, root, &done);
	}
	if (!done && servers) {
		file->kind = KIND_MCP;
		scan_servers(s, file, root, servers);
	} else if (!done) {
		file->kind = file->kind == KIND_EVENTS ? KIND_EVENTS : KIND_JSON;
		scan_strings(s, &unit, file->data, root);
	}
}

static void scan_line(struct scanner *s, const struct scan_file *file, struct text line,
		      size_t number, int64_t event)
{
	struct scan_unit unit = {.file = file, .number = event, .line = number};
	struct arena arena = {0};
	const struct node *root = NULL;
	struct err err;

	if (json_read(line.s, line.len, (unsigned)number, &arena, &root, &err) < 0)
		root = NULL;
	if (root && is_event(root))
		scan_event(s, file, root, event);
	else
		scan_note(s, file->name, number, "is no event: scanned as text");
	if (!is_surely_event(root))
		scan_strings(s, &unit, line, root);
	arena_done(&arena);
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
	struct text line = first_line(file->data);
	bool yes = json_read(line.s, line.len, 1, &arena, &root, &err) == 0 && is_event(root);

	arena_done(&arena);
	return yes;
}

/* Line for line, of a copy that is cut up, since a text has a NUL after its end. */
static void scan_lines(struct scanner *s, struct scan_file *file)
{
	AUTO_FREE char *copy = malloc(file->data.len + 1);
	struct text rest = {copy, copy ? file->data.len : 0};
	int64_t event = 0;

	file->kind = KIND_EVENTS;
	if (!copy) {
		tell_failure(s, file, &(struct gather){.failed = true});
		return;
	}
	memcpy(copy, file->data.s, file->data.len + 1);
	for (size_t number = 1; rest.len; number++) {
		char *end = memchr(rest.s, '\n', rest.len);
		size_t len = end ? (size_t)(end - rest.s) : rest.len;
		if (end)
			*end = '\0';
		if (strspn(rest.s, " \t\r") < len)
			scan_line(s, file, (struct text){rest.s, len}, number, event++);
		len += end ? 1 : 0;
		rest = (struct text){rest.s + len, rest.len - len};
	}
}

bool scan_document(struct scanner *s, struct scan_file *file)
{
	struct arena arena = {0};
	const struct node *root;
	struct err err;
	bool known = true;
	size_t mark = strncmp(file->data.s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	if (json_read(file->data.s + mark, file->data.len - mark, 1, &arena, &root, &err) == 0) {
		scan_root(s, file, root);
	} else if (are_lines(file)) {
		scan_lines(s, file);
	} else {
		known = false;
		file->kind = KIND_TEXT;
		if (file->sure)
			scan_note(s, file->name, 0, err.message);
	}
	arena_done(&arena);
	return known;
}
