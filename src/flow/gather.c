/* SPDX-License-Identifier: MIT
 *
 * A buffer that grows up to a maximum, and a walk through a tree, which is at most EVENT_DEPTH_MAX
 * high. Once it failed it stays so, and its text must not be used.
 */
#include "flow/gather.h"

#include <stdlib.h>
#include <string.h>

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

void gather_join(struct gather *g)
{
	if (g->len && !g->failed)
		g->s[g->len - 1] = ' ';
}

void gather_node(struct gather *g, const struct node *n)
{
	if (n->kind == NODE_STRING) {
		gather_put(g, n->text.s, n->text.len);
		gather_put(g, "\n", 1);
	}
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++)
		gather_pair(g, &n->map.pair[i]);
	for (size_t i = 0; n->kind == NODE_LIST && i < n->list.count; i++) {
		gather_node(g, n->list.item[i]);
		if (n->list.item[i]->kind == NODE_STRING && i + 1 < n->list.count)
			gather_join(g);
	}
}

void gather_error(const struct gather *g, struct err *ret)
{
	if (g->too_long)
		err_set(ret, ERR_LIMIT, "its strings are longer than %zu MiB", GATHER_MAX >> 20);
	else
		err_set(ret, ERR_SYSTEM, "out of memory");
}

void gather_done(struct gather *g)
{
	free(g->s);
	*g = (struct gather){0};
}
