/* SPDX-License-Identifier: MIT
 *
 * A configuration of MCP servers: each server's command and arguments on one line, as a shell would
 * get them, then its other strings; then the rest of the file. A key may stand there twice, and
 * programs do not agree on which of both counts: so each command goes with each list of arguments.
 */
#include <string.h>

#include "base/scope.h"
#include "flow/scan_private.h"
#include "yaml/utf8.h"

enum {
	LISTS_MAX = 16,		     /* of servers, in one file */
	CALLS_MAX = GATHER_SKIP_MAX, /* of a command with arguments, of one server */
};

/* Where programs keep their servers: a key, or a key in a key. */
static const struct {
	const char *outer, *inner;
} server_keys[] = {{NULL, "mcpServers"}, {"mcp", "servers"}, {NULL, "servers"}};

/* The next value of KEY from *AT on, and *AT behind it; NULL at the end. */
static const struct node *next_value(const struct node *map, const char *key, size_t *at)
{
	size_t len = strlen(key);

	while (map && map->kind == NODE_MAP && *at < map->map.count) {
		const struct node_pair *p = &map->map.pair[(*at)++];
		if (p->key.len == len && memcmp(p->key.s, key, len) == 0)
			return p->value;
	}
	return NULL;
}

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

struct lists {
	size_t count; /* of all */
	const struct node *list[LISTS_MAX];
};

static void find_in(const struct node *map, const char *key, struct lists *ret)
{
	const struct node *n;

	for (size_t at = 0; (n = next_value(map, key, &at));) {
		if (!are_servers(n))
			continue;
		if (ret->count < LISTS_MAX)
			ret->list[ret->count] = n;
		ret->count++;
	}
}

static void find_lists(const struct node *root, struct lists *ret)
{
	const struct node *outer;

	for (size_t i = 0; i < ARRAY_SIZE(server_keys); i++)
		if (!server_keys[i].outer)
			find_in(root, server_keys[i].inner, ret);
		else
			for (size_t at = 0; (outer = next_value(root, server_keys[i].outer, &at));)
				find_in(outer, server_keys[i].inner, ret);
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

static void put_call(struct gather *g, const struct node *command, const struct node *args)
{
	if (command)
		gather_node(g, command);
	if (command && args)
		gather_join(g);
	if (args)
		gather_node(g, args);
	gather_put(g, "\n", 1);
}

/* The values of KEY; -1: there are too many. */
static int values_of(const struct node *map, const char *key, const struct node *ret[CALLS_MAX],
		     size_t *ret_count)
{
	const struct node *n;

	*ret_count = 0;
	for (size_t at = 0; (n = next_value(map, key, &at));) {
		if (*ret_count == CALLS_MAX)
			return -1;
		ret[(*ret_count)++] = n;
	}
	return 0;
}

/* -1: there are too many. */
static int put_calls(struct gather *g, const struct node *server)
{
	const struct node *command[CALLS_MAX] = {NULL}, *args[CALLS_MAX] = {NULL};
	size_t commands, lists;

	if (values_of(server, "command", command, &commands) < 0 ||
	    values_of(server, "args", args, &lists) < 0)
		return -1;
	size_t rows = lists ? lists : 1, columns = commands ? commands : 1;
	if (rows * columns > CALLS_MAX)
		return -1;
	for (size_t i = 0; i < rows * columns; i++)
		put_call(g, command[i % columns], args[i / columns]);
	for (g->skipc = 0; g->skipc < lists; g->skipc++)
		g->skip[g->skipc] = args[g->skipc];
	return 0;
}

static void refuse(struct scanner *s, const struct scan_file *file, const char *what, int most)
{
	struct err err;

	err_set(&err, ERR_LIMIT, "%s: at most %d", what, most);
	scan_error(s, file->name, &err);
}

static void scan_server(struct scanner *s, const struct scan_file *file, const struct node_pair *p)
{
	struct scan_unit unit = {.file = file, .number = -1, .part = p->key.s};
	struct gather g = {0};

	unit.line = line_of_key(file, p->key);
	if (put_calls(&g, p->value) < 0)
		refuse(s, file, "commands and arguments of a server", CALLS_MAX);
	gather_node(&g, p->value);
	scan_gathered(s, &unit, &g);
	gather_done(&g);
}

bool scan_servers(struct scanner *s, struct scan_file *file, const struct node *root)
{
	struct scan_unit unit = {.file = file, .number = -1};
	struct lists lists = {0};
	struct gather rest = {0};

	find_lists(root, &lists);
	if (!lists.count)
		return false;
	file->kind = KIND_MCP;
	if (lists.count > LISTS_MAX)
		refuse(s, file, "lists of servers", LISTS_MAX);
	for (size_t i = 0; i < lists.count && i < LISTS_MAX; i++) {
		const struct node *list = lists.list[i];
		for (size_t k = 0; k < list->map.count; k++)
			scan_server(s, file, &list->map.pair[k]);
		rest.skip[rest.skipc++] = list;
	}
	gather_node(&rest, root);
	if (rest.len || rest.failed)
		scan_gathered(s, &unit, &rest);
	gather_done(&rest);
	return true;
}
