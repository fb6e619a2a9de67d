/* SPDX-License-Identifier: MIT
 *
 * A buffer that grows up to a maximum, and a walk through a tree, which is at most EVENT_DEPTH_MAX
 * high. Once it failed it stays so, and its text must not be used.
 */
#include "flow/gather.h"

#include <stdlib.h>
#include <string.h>

#include "flow/gather_private.h"

void gather_put(struct gather *g, const char *s, size_t len)
{
	if (g->len + len + 1 > g->room) {
		size_t room = (g->len + len + 1) * 2;
		g->too_long = g->too_long || room / 2 > GATHER_MAX;
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

static bool is_skipped(const struct gather *g, const struct node *n)
{
	for (size_t i = 0; i < g->skipc; i++)
		if (g->skip[i] == n)
			return true;
	return false;
}

void gather_pair(struct gather *g, const struct node_pair *p)
{
	if (is_skipped(g, p->value))
		return;
	gather_put(g, p->key.s, p->key.len);
	gather_put(g, p->value->kind == NODE_STRING ? "=" : "\n", 1);
	gather_node(g, p->value);
}

static void gather_pairs(struct gather *g, const struct node *map, bool without_words)
{
	for (size_t i = 0; i < map->map.count; i++)
		if (!without_words || !call_has_words(&map->map.pair[i]))
			gather_pair(g, &map->map.pair[i]);
}

void gather_call(struct gather *g, const struct node *map)
{
	bool known = map->kind == NODE_MAP && call_put(g, map) == 0;

	g->too_many |= map->kind == NODE_MAP && !known;
	if (map->kind == NODE_MAP)
		gather_pairs(g, map, known);
	else
		gather_node(g, map);
}

static void gather_list(struct gather *g, const struct node *n)
{
	for (size_t i = 0; i < n->list.count; i++) {
		gather_node(g, n->list.item[i]);
		if (n->list.item[i]->kind == NODE_STRING && i + 1 < n->list.count && !g->failed)
			g->s[g->len - 1] = ' ';
	}
}

void gather_node(struct gather *g, const struct node *n)
{
	if (n->kind == NODE_STRING) {
		gather_put(g, n->text.s, n->text.len);
		gather_put(g, "\n", 1);
	} else if (n->kind == NODE_LIST) {
		gather_list(g, n);
	} else if (n->kind == NODE_MAP && call_is(n)) {
		gather_call(g, n);
	} else if (n->kind == NODE_MAP) {
		gather_pairs(g, n, false);
	}
}

void gather_error(const struct gather *g, struct err *ret)
{
	if (g->too_long)
		err_set(ret, ERR_LIMIT, "its strings are longer than %zu MiB", GATHER_MAX >> 20);
	else if (!g->failed)
		err_set(ret, ERR_LIMIT, "commands and arguments of a call: at most %d",
			GATHER_CALLS_MAX);
	else
		err_memory(ret);
}

void gather_done(struct gather *g)
{
	free(g->s);
	*g = (struct gather){0};
}
