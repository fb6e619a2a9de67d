/* SPDX-License-Identifier: MIT
 *
 * What the two halves of the parser share: the structure of an expression (js_parse.c) and its
 * escapes and classes (js_escape.c).
 */
#ifndef CORDON_SCAN_JS_PARSER_H
#define CORDON_SCAN_JS_PARSER_H

#include "scan/js_ast.h"
#include "scan/js_set.h"

struct js_name {
	size_t start, len; /* in the source */
	uint32_t group;
};

struct js_parser {
	struct js_ast *ast;
	const uint32_t *src;
	size_t len, pos;
	uint32_t *stack; /* kids of the sequences being read */
	size_t stacked;
	unsigned depth;
	uint32_t groups_total, groups_seen;
	struct js_name name[JS_NAME_MAX];
	size_t names;
	struct err *err;
};

#define JS_EOF UINT32_MAX

static inline uint32_t js_peek(const struct js_parser *p, size_t ahead)
{
	return p->pos + ahead < p->len ? p->src[p->pos + ahead] : JS_EOF;
}

static inline bool js_eat(struct js_parser *p, uint32_t c)
{
	if (js_peek(p, 0) != c)
		return false;
	p->pos++;
	return true;
}

static inline bool js_is_unicode(const struct js_parser *p)
{
	return p->ast->flags & JS_UNICODE;
}

/* Always JS_NONE, with the reason and the place. */
uint32_t js_refuse(struct js_parser *p, const char *why);
/* NODE, or JS_NONE with a reason when it could not be made. */
uint32_t js_made(struct js_parser *p, uint32_t node);
/* A number in decimal, at most UINT32_MAX - 1; false when there is none. */
bool js_decimal(struct js_parser *p, uint32_t *ret);
/* A group's name and the > behind it; false when that is not what is there. */
bool js_group_name(struct js_parser *p, struct js_name *ret);

/* What stands behind a backslash, outside a class. */
uint32_t js_escape(struct js_parser *p);
/* What stands behind an opening bracket. */
uint32_t js_class(struct js_parser *p);
/* A class node of the set, which it ends. */
uint32_t js_class_node(struct js_parser *p, struct js_set *set, bool negative);

#endif
