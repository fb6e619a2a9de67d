/* SPDX-License-Identifier: MIT
 *
 * Walks the tree that the scanner has of an expression, one function a kind of node. Depth is
 * bounded by the parser.
 */
#include "cli/lucene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "scan/js_parse.h"
#include "scan/regex.h"

static void put_node(FILE *to, const struct js_ast *ast, uint32_t id);

/* A half of a pair stands for some character that Lucene has as one. */
static bool is_half(uint32_t c)
{
	return c >= 0xd800 && c <= 0xdfff;
}

static void put_utf8(FILE *to, uint32_t c)
{
	char bytes[UTF8_CHAR_MAX];

	fwrite(bytes, 1, utf8_put(bytes, c), to);
}

/* There is no NUL in a value; the next character is as good. */
static void put_char(FILE *to, uint32_t c)
{
	bool plain = c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') ||
		     c <= ' ';

	if (!plain)
		fputc('\\', to);
	put_utf8(to, c ? c : 1);
}

static void put_class(FILE *to, const struct js_ast *ast, const struct js_node *n)
{
	const struct js_range *r = ast->range + n->first;
	bool all = n->count == 1 && r->low == 0 && r->high >= js_char_max(ast), halves = false;

	for (uint32_t i = 0; i < n->count; i++)
		halves = halves || (r[i].high >= 0xd800 && r[i].low <= 0xdfff);
	if (all || halves || !n->count) {
		fputs(!n->count ? "#" : "(.|\n)", to);
		return;
	}
	fputc('[', to);
	for (uint32_t i = 0; i < n->count; i++) {
		put_char(to, r[i].low);
		if (r[i].high == r[i].low)
			continue;
		fputc('-', to);
		put_char(to, r[i].high);
	}
	fputc(']', to);
}

static void put_repeat(FILE *to, const struct js_ast *ast, const struct js_node *n)
{
	fputc('(', to);
	put_node(to, ast, js_kid(ast, n, 0));
	fputc(')', to);
	if (n->min == 0 && n->max == 1)
		fputc('?', to);
	else if (n->max == JS_UNBOUNDED && n->min <= 1)
		fputc(n->min ? '+' : '*', to);
	else if (n->max == JS_UNBOUNDED)
		fprintf(to, "{%u,}", n->min);
	else
		fprintf(to, "{%u,%u}", n->min, n->max);
}

static void put_kids(FILE *to, const struct js_ast *ast, const struct js_node *n, const char *gap)
{
	for (uint32_t i = 0; i < n->count; i++) {
		fputs(i ? gap : "", to);
		put_node(to, ast, js_kid(ast, n, i));
	}
}

static void put_node(FILE *to, const struct js_ast *ast, uint32_t id)
{
	const struct js_node *n = js_node_at(ast, id);

	switch (n->kind) {
	case JS_CHAR:
		is_half(n->value) ? (void)fputs("(.|\n)?", to) : put_char(to, n->value);
		break;
	case JS_CLASS:
		put_class(to, ast, n);
		break;
	case JS_REPEAT:
		put_repeat(to, ast, n);
		break;
	case JS_SEQ:
		put_kids(to, ast, n, "");
		if (!n->count)
			fputs("()", to);
		break;
	case JS_ALT:
	case JS_GROUP:
		fputc('(', to);
		put_kids(to, ast, n, "|");
		fputc(')', to);
		break;
	case JS_BACKREF:
		fputs("(.|\n)*", to);
		break;
	default: /* asks about a place, takes nothing */
		fputs("()", to);
		break;
	}
}

json_t *lucene_of_rule(struct text pattern, struct err *err)
{
	struct js_ast ast;
	size_t skip = 0, len = 0;
	char *text = NULL;
	unsigned flags = regex_of_rule(pattern.s, pattern.len, &skip);
	FILE *to;
	json_t *ret;

	/* Without case: classes would be written out in all cases. */
	if (js_parse(pattern.s + skip, pattern.len - skip, flags & ~(unsigned)JS_IGNORE_CASE, &ast,
		     err) < 0)
		return NULL;
	to = open_memstream(&text, &len);
	if (to) {
		fputs("(.|\n)*", to);
		put_node(to, &ast, ast.root);
		fputs("(.|\n)*", to);
		fclose(to);
	}
	js_ast_done(&ast);
	ret = text ? json_stringn(text, len) : NULL;
	if (!ret)
		err_memory(err);
	free(text);
	return ret;
}
