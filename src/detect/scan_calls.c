/* SPDX-License-Identifier: MIT
 *
 * Code in the arguments of tool calls, through which agents run code. Which arguments are code is
 * decided by the names of the tool and of the arguments. Possible code of all calls of a file goes to
 * one code view (runtime/python/documents.py reads these records). Text that is clearly not code must
 * not cost a box and must not cause a finding.
 */
#include <string.h>

#include "base/scope.h"
#include "detect/scan_private.h"

/* These end a record and its parts; in a text they are replaced by a space. */
enum { RECORD_END = '\x1e', PART_END = '\x1f' };

/* A tool takes code if its name contains one of these. */
static const char *const tools[] = {"python", "jupyter",  "interpreter", "bash", "shell",
				    "sh",     "terminal", "command",	 "exec"};
/* An argument is code if its field, or a key of the JSON in it, has one of these names. */
static const char *const keys[] = {"command", "cmd",	"bash",	  "shell",   "commands", "python",
				   "code",    "script", "source", "program", "cell"};

/* A text may contain NULs. */
static bool stands_at(struct text text, size_t at, const char *word)
{
	size_t len = strlen(word);

	return len <= text.len - at && strncasecmp(text.s + at, word, len) == 0;
}

static bool names_tool(struct text tool)
{
	for (size_t at = 0; at < tool.len; at++)
		for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
			if (stands_at(tool, at, tools[i]))
				return true;
	return false;
}

static bool is_key(struct text text, size_t at, char end)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (stands_at(text, at, keys[i]) && text.s[at + strlen(keys[i])] == end)
			return true;
	return false;
}

/* Is the argument's name, or a quoted name in its text, one of keys? */
static bool names_code(struct text name, struct text text)
{
	const char *quote = text.s, *end = text.s + text.len;

	if (is_key(name, 0, '\0'))
		return true;
	while ((quote = memchr(quote, '"', (size_t)(end - quote))))
		if (is_key(text, (size_t)(++quote - text.s), '"'))
			return true;
	return false;
}

static void put_part(struct gather *g, struct text text, char end)
{
	for (size_t i = 0; i < text.len; i++) {
		const char *c = text.s + i;
		gather_put(g, *c == RECORD_END || *c == PART_END || !*c ? " " : c, 1);
	}
	gather_put(g, &end, 1);
}

/* The tool of a call. Its name is tested once, because it may be long and have many arguments. */
struct tool {
	struct text name;
	bool takes_code;
};

static void put_record(struct scan_calls *c, const struct tool *tool, struct text name,
		       struct text text)
{
	if (!text.len || (!tool->takes_code && !names_code(name, text)))
		return;
	put_part(&c->text, tool->name, PART_END);
	put_part(&c->text, name, PART_END);
	put_part(&c->text, text, RECORD_END);
}

static struct text text_of(const struct node *map, const char *key)
{
	const struct node *n = map ? node_get(map, key) : NULL;

	return n && n->kind == NODE_STRING ? n->text : (struct text){NULL, 0};
}

static void put_map(struct scan_calls *c, const struct tool *tool, const struct node *map)
{
	for (size_t i = 0; map && map->kind == NODE_MAP && i < map->map.count; i++) {
		const struct node_pair *p = &map->map.pair[i];
		if (p->value->kind == NODE_STRING && p->value->text.s != tool->name.s)
			put_record(c, tool, p->key, p->value->text);
	}
}

void scan_calls_add(struct scan_calls *c, const struct scan_unit *unit)
{
	const struct event *e = &unit->event;
	struct tool tool = {.name = text_of(e->fields, "tool_name")};
	size_t before = c->text.len;

	if (e->type != EVENT_TOOL_CALL)
		return;
	if (!tool.name.s)
		tool.name = text_of(e->metadata, "tool_name");
	tool.takes_code = names_tool(tool.name);
	if (e->content.s)
		put_record(c, &tool, (struct text){"content", strlen("content")}, e->content);
	put_map(c, &tool, e->fields);
	put_map(c, &tool, e->metadata);
	if (c->text.len == before)
		return;
	c->count++;
	c->number = unit->number;
	c->line = unit->line;
}

void scan_calls_end(struct scanner *s, const struct scan_file *file, struct scan_calls *c)
{
	struct scan_unit unit = {.file = file, .number = c->count == 1 ? c->number : -1};

	bool said = s->options.has_type || (s->options.has_kind && s->options.kind == KIND_EVENTS);

	/* The code view replaces a text, so there must be one; in code nothing is quoted. Only the
	 * caller's word can narrow the rules that apply (see scan_doc.c). */
	unit.event = (struct event){.type = EVENT_TOOL_CALL,
				    .program = true,
				    .plain = !said,
				    .content = {"\n", 1},
				    .time_ms = EVENT_TIME_NONE};
	unit.line = c->count == 1 ? c->line : 0;
	unit.script = (struct scan_program){"calls", {c->text.s, c->text.len}};
	if (scan_has_views(s) && (c->text.failed || c->text.len) &&
	    !scan_gather_failed(s, file, &c->text))
		scan_unit(s, &unit);
	gather_done(&c->text);
}
