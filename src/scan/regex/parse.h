/* SPDX-License-Identifier: MIT
 *
 * Reads a JavaScript regular expression into a tree. Without the flag u the old rules of the web hold
 * (Annex B: literal braces and brackets, octal escapes, identity escapes). The parser takes and
 * refuses what a JavaScript engine does, and an error names the place. It also refuses groups with
 * modifiers, sets of the flag v, and properties other than general categories.
 *
 * parse.c reads the structure, char_escape.c characters, escapes and classes.
 */
#ifndef CORDON_SCAN_PARSE_H
#define CORDON_SCAN_PARSE_H

#include "scan/regex/ast.h"
#include "scan/regex/char_set.h"

/* SOURCE is UTF-8. On success the caller calls js_ast_done(); on failure there is nothing to do. */
int js_parse(const char *source, size_t len, unsigned flags, struct js_ast *ret, struct err *err);

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

/* UTF-8 to code units, or to code points with UNICODE. Every character has at least one byte, so LEN
 * elements are enough. */
bool js_decode(const char *source, size_t len, bool unicode, uint32_t *out, size_t *ret);
/* Counts all groups and records their names; the parser is at the beginning again afterwards. */
bool js_count_groups(struct js_parser *p);
/* Sets the error with the reason and the place. Always JS_NONE. */
uint32_t js_refuse(struct js_parser *p, const char *why);
/* NODE; if it is JS_NONE, sets the error. */
uint32_t js_made(struct js_parser *p, uint32_t node);
/* A decimal number, at most UINT32_MAX - 1; false when there is none. */
bool js_decimal(struct js_parser *p, uint32_t *ret);
/* A group's name and the > after it; false when there is none. */
bool js_group_name(struct js_parser *p, struct js_name *ret);

/* What follows a backslash, outside a class. */
uint32_t js_escape(struct js_parser *p);
/* What follows an opening bracket. */
uint32_t js_class(struct js_parser *p);
/* Makes a class node of the set and frees the set. */
uint32_t js_class_node(struct js_parser *p, struct js_set *set, bool negative);

#endif
