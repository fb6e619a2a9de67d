/* SPDX-License-Identifier: MIT
 *
 * Queries of a tree. Every function accepts NULL for a missing node and returns "no", so a path
 * through a document needs no checks on the way.
 */
#include "yaml/node.h"

#include <math.h>
#include <string.h>

const char *node_kind_name(enum node_kind kind)
{
	static const char *const names[NODE_KINDS] = {
		[NODE_NULL] = "null",	   [NODE_BOOL] = "a truth value", [NODE_INT] = "a number",
		[NODE_FLOAT] = "a number", [NODE_STRING] = "a string",	  [NODE_LIST] = "a list",
		[NODE_MAP] = "a map",
	};

	return kind < NODE_KINDS ? names[kind] : "nothing";
}

const struct node *node_get(const struct node *map, const char *key)
{
	size_t len = strlen(key);

	if (!map || map->kind != NODE_MAP)
		return NULL;
	for (size_t i = 0; i < map->map.count; i++) {
		const struct node_pair *p = &map->map.pair[i];
		if (p->key.len == len && memcmp(p->key.s, key, len) == 0)
			return p->value;
	}
	return NULL;
}

const char *node_string(const struct node *n)
{
	if (!n || n->kind != NODE_STRING || memchr(n->text.s, '\0', n->text.len))
		return NULL;
	return n->text.s;
}

int node_number(const struct node *n, double *ret)
{
	if (!n || (n->kind != NODE_INT && n->kind != NODE_FLOAT))
		return -1;
	*ret = n->kind == NODE_INT ? (double)n->integer : n->number;
	return 0;
}

bool node_is_true(const struct node *n)
{
	return n && n->kind == NODE_BOOL && n->truth;
}

bool node_is_truthy(const struct node *n)
{
	double number;

	if (!n || n->kind == NODE_NULL)
		return false;
	if (n->kind == NODE_BOOL)
		return n->truth;
	if (n->kind == NODE_STRING)
		return n->text.len > 0;
	return node_number(n, &number) < 0 || (!isnan(number) && number != 0);
}

size_t node_count(const struct node *n)
{
	if (n && n->kind == NODE_LIST)
		return n->list.count;
	return n && n->kind == NODE_MAP ? n->map.count : 0;
}

const struct node *node_item(const struct node *list, size_t i)
{
	return list && list->kind == NODE_LIST && i < list->list.count ? list->list.item[i] : NULL;
}
