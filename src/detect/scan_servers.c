/* SPDX-License-Identifier: MIT
 *
 * A configuration of MCP servers. For each server it scans the command line (command and arguments)
 * and its other strings, then the rest of the file. Being found here only gives a server its name in
 * messages; calls are found anywhere (gather.h).
 */
#include <string.h>

#include "base/scope.h"
#include "detect/scan_private.h"

enum { LISTS_MAX = GATHER_SKIP_MAX }; /* of servers, in one file */

/* The key, or the two nested keys, under which programs list servers. */
static const struct {
	const char *outer, *inner;
} server_keys[] = {
	{NULL, "mcpServers"},  {"mcp", "servers"},	  {NULL, "servers"},
	{NULL, "mcp.servers"}, {NULL, "context_servers"},
};

/* The next value of KEY from *AT on; moves *AT past it. NULL at the end. */
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

/* One server is enough: others may be disabled, or of an unknown kind. */
static bool are_servers(const struct node *n)
{
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++)
		if (node_get(n->map.pair[i].value, "command") ||
		    node_get(n->map.pair[i].value, "url"))
			return true;
	return false;
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

static void refuse(struct scanner *s, const struct scan_file *file)
{
	struct err err;

	err_set(&err, ERR_LIMIT, "lists of servers: at most %d", LISTS_MAX);
	scan_error(s, file->name, &err);
}

static void scan_server(struct scanner *s, const struct scan_file *file, const struct node_pair *p)
{
	struct scan_unit unit = {.file = file, .number = -1, .part = p->key.s, .line = p->line};
	struct gather g = {0};

	gather_call(&g, p->value);
	scan_gathered(s, &unit, &g);
	gather_done(&g);
}

bool scan_servers(struct scanner *s, struct scan_file *file, const struct node *root)
{
	struct scan_unit unit = {.file = file, .number = -1};
	struct lists lists = {0};
	struct gather rest = {0}, script = {0};

	find_lists(root, &lists);
	if (!lists.count)
		return false;
	file->kind = KIND_MCP;
	if (lists.count > LISTS_MAX)
		refuse(s, file);
	for (size_t i = 0; i < lists.count && i < LISTS_MAX; i++) {
		const struct node *list = lists.list[i];
		for (size_t k = 0; k < list->map.count; k++)
			scan_server(s, file, &list->map.pair[k]);
		rest.skip[rest.skipc++] = list;
	}
	gather_node(&rest, root);
	scan_script(s, &unit, root, &script);
	if (script.len && !rest.len)
		gather_put(&rest, "\n",
			   1); /* the code view replaces a text, so there must be one */
	if (rest.len || rest.failed || script.len)
		scan_gathered(s, &unit, &rest);
	gather_done(&script);
	gather_done(&rest);
	return true;
}
