/* SPDX-License-Identifier: MIT
 *
 * A first pass only counts, because the parser would allocate memory for everything before a limit
 * could stop it: a megabyte of brackets becomes a hundred of lists. Then jansson reads, and its
 * values are copied to nodes. jansson does not report where a value is, but it keeps their order.
 * So a second pass over the text, value by value, finds the line of each.
 */
#include "detect/json_read.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

struct counter {
	const char *data;
	size_t len, at;
	unsigned line;
	size_t column, nodes, depth;
};

struct copier {
	struct arena *arena;
	struct counter place; /* before the next key or value */
	bool one_line;
};

static int refuse(const struct counter *c, struct err *err, const char *what, size_t most)
{
	return err_set(err, ERR_LIMIT, "JSON, line %u, column %zu: %s: at most %zu", c->line,
		       c->column, what, most);
}

/* Skips to the closing quote, or the end; the parser reports other errors. */
static void skip_string(struct counter *c)
{
	for (c->at++; c->at < c->len && c->data[c->at] != '"'; c->at++, c->column++)
		if (c->data[c->at] == '\\') {
			c->at++;
			c->column++;
		}
}

/* There is at most one value more than signs that can precede a value. */
static int count(struct counter *c, struct err *err)
{
	for (; c->at < c->len; c->at++) {
		char s = c->data[c->at];
		c->column++;
		if (s == '\n') {
			c->line++;
			c->column = 0;
		} else if (s == '"') {
			skip_string(c);
		} else if (s == '[' || s == '{') {
			c->depth++;
		} else if ((s == ']' || s == '}') && c->depth) {
			c->depth--;
		}
		c->nodes += s == '[' || s == '{' || s == ',';
		/* jansson accepts a NUL after a number. */
		if (!s)
			return err_set(err, ERR_INPUT, "JSON, line %u, column %zu: a NUL", c->line,
				       c->column);
		if (c->depth > JSON_DEPTH_MAX)
			return refuse(c, err, "nested lists and maps", JSON_DEPTH_MAX);
		if (c->nodes >= JSON_NODES_MAX)
			return refuse(c, err, "values", JSON_NODES_MAX);
	}
	return 0;
}

/* The line of the next key or value, and moves past it; for a list or map, into it. The text is
 * valid JSON here. */
static unsigned next_line(struct copier *c)
{
	struct counter *p = &c->place;

	if (c->one_line)
		return p->line;
	for (; p->at < p->len && strchr(" \t\r\n,:]}", p->data[p->at]); p->at++)
		p->line += p->data[p->at] == '\n';
	if (p->at < p->len && p->data[p->at] == '"')
		skip_string(p);
	else if (p->at < p->len && p->data[p->at] != '[' && p->data[p->at] != '{')
		while (p->at + 1 < p->len && !strchr(" \t\r\n,]}", p->data[p->at + 1]))
			p->at++;
	p->at++;
	return p->line;
}

static struct text copy_text(struct copier *c, const char *s, size_t len)
{
	char *copy = arena_alloc(c->arena, len + 1);

	if (c->arena->failed)
		return (struct text){"", 0};
	memcpy(copy, s, len);
	copy[len] = '\0';
	return (struct text){copy, len};
}

static const struct node *copy_node(struct copier *c, json_t *from);

static void adopt(struct node *n, const struct node *child)
{
	n->size += child->size;
	if (child->height + 1 > n->height)
		n->height = child->height + 1;
}

static void copy_list(struct copier *c, json_t *from, struct node *n)
{
	size_t many = json_array_size(from), i;
	const struct node **item = arena_alloc(c->arena, (many + 1) * sizeof(const struct node *));
	json_t *value;

	n->kind = NODE_LIST;
	n->height = 1;
	json_array_foreach (from, i, value) {
		const struct node *child = copy_node(c, value);
		if (c->arena->failed)
			return;
		adopt(n, item[i] = child);
	}
	n->list.count = many;
	n->list.item = item;
}

static void copy_map(struct copier *c, json_t *from, struct node *n)
{
	struct node_pair *pair =
		arena_alloc(c->arena, (json_object_size(from) + 1) * sizeof(*pair));
	const char *key;
	json_t *value;
	size_t i = 0;

	n->kind = NODE_MAP;
	n->height = 1;
	json_object_foreach (from, key, value) {
		unsigned line = next_line(c);
		struct text name = copy_text(c, key, strlen(key));
		const struct node *child = copy_node(c, value);
		if (c->arena->failed)
			return;
		adopt(n, child);
		pair[i++] = (struct node_pair){name, child, line};
	}
	n->map.count = i;
	n->map.pair = pair;
}

static const struct node *copy_node(struct copier *c, json_t *from)
{
	static const struct node none;
	struct node *n = arena_alloc(c->arena, sizeof(*n));

	if (c->arena->failed)
		return &none;
	*n = (struct node){.kind = NODE_NULL, .line = next_line(c), .size = 1};
	if (json_is_array(from)) {
		copy_list(c, from, n);
	} else if (json_is_object(from)) {
		copy_map(c, from, n);
	} else if (json_is_string(from)) {
		n->kind = NODE_STRING;
		n->text = copy_text(c, json_string_value(from), json_string_length(from));
	} else if (json_is_boolean(from)) {
		n->kind = NODE_BOOL;
		n->truth = json_is_true(from);
	} else if (json_is_number(from)) {
		n->kind = NODE_FLOAT;
		n->number = json_number_value(from);
	}
	return n;
}

int json_read(const char *data, size_t len, unsigned line, struct arena *arena,
	      const struct node **ret, struct err *err)
{
	struct counter counter = {.data = data, .len = len, .line = line};
	struct copier c = {arena, counter, !memchr(data, '\n', len)};
	json_error_t why;

	if (len > JSON_BYTES_MAX)
		return err_set(err, ERR_LIMIT, "JSON: longer than %zu bytes", JSON_BYTES_MAX);
	if (count(&counter, err) < 0)
		return -1;
	json_t *root = json_loadb(data, len,
				  JSON_REJECT_DUPLICATES | JSON_DECODE_ANY |
					  JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL,
				  &why);
	if (!root)
		return err_set(err, ERR_INPUT, "JSON, line %u, column %d: %s",
			       line + (unsigned)(why.line > 0 ? why.line - 1 : 0), why.column,
			       why.text);
	*ret = copy_node(&c, root);
	json_decref(root);
	return arena->failed ? err_memory(err) : 0;
}
