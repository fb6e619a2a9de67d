/* SPDX-License-Identifier: MIT
 *
 * Three growing arrays, each with its maximum.
 */
#include "scan/regex/ast.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

/* Makes room for MORE items of SIZE after USED. */
static bool reserve(void **array, uint32_t *room, uint32_t used, size_t more, uint32_t max,
		    size_t size)
{
	size_t want = *room ? *room : FIRST_ROOM;

	if (more > max || used > max - more)
		return false;
	if (used + more <= *room)
		return true;
	while (want < used + more)
		want *= 2;
	void *grown = realloc(*array, want * size);
	if (!grown)
		return false;
	*array = grown;
	*room = (uint32_t)want;
	return true;
}

uint32_t js_node_add(struct js_ast *ast, struct js_node node)
{
	if (!reserve((void **)&ast->node, &ast->nodes_room, ast->nodes, 1, JS_NODES_MAX,
		     sizeof(*ast->node)))
		return JS_NONE;
	ast->node[ast->nodes] = node;
	return ast->nodes++;
}

uint32_t js_node_add_kids(struct js_ast *ast, struct js_node node, const uint32_t *kids,
			  size_t count)
{
	if (!reserve((void **)&ast->kid, &ast->kids_room, ast->kids, count, JS_NODES_MAX,
		     sizeof(*ast->kid)))
		return JS_NONE;
	if (count)
		memcpy(ast->kid + ast->kids, kids, count * sizeof(*kids));
	node.first = ast->kids;
	node.count = (uint32_t)count;
	ast->kids += (uint32_t)count;
	return js_node_add(ast, node);
}

uint32_t js_node_add_class(struct js_ast *ast, const struct js_range *range, size_t count)
{
	struct js_node node = {.kind = JS_CLASS, .first = ast->ranges, .count = (uint32_t)count};

	if (!reserve((void **)&ast->range, &ast->ranges_room, ast->ranges, count, JS_RANGES_MAX,
		     sizeof(*ast->range)))
		return JS_NONE;
	if (count)
		memcpy(ast->range + ast->ranges, range, count * sizeof(*range));
	ast->ranges += (uint32_t)count;
	return js_node_add(ast, node);
}

void js_ast_done(struct js_ast *ast)
{
	free(ast->node);
	free(ast->kid);
	free(ast->range);
	memset(ast, 0, sizeof(*ast));
}
