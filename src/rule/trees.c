/* SPDX-License-Identifier: MIT
 *
 * A node is its kind, its line and its content. Numbers have seven bits a byte, low ones first; a
 * string is its length, its bytes and a NUL. Height and size are not stored but computed, so a file
 * cannot lie about them.
 */
#include "rule/trees.h"

#include <string.h>

#include "rule/load.h"
#include "yaml/yaml.h"
#include "yaml/yaml_text.h"

/* The smallest size of an element. It bounds the counts that a file may state. */
enum { NODE_LEAST = 2, PAIR_LEAST = 3 + NODE_LEAST };

struct decoder {
	const uint8_t *at, *end;
	struct arena *arena;
	size_t nodes;	    /* of this tree */
	size_t nodes_total; /* of all trees before it */
};

/* Returns -1 and sets no error; trees_decode reports that the trees are not sound. */
static int get_number(struct decoder *d, uint32_t *ret)
{
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 35 && d->at < d->end; shift += 7) {
		uint8_t byte = *d->at++;
		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*ret = (uint32_t)n;
			return n > UINT32_MAX ? -1 : 0;
		}
	}
	return -1;
}

static int get_bytes(struct decoder *d, void *ret, size_t len)
{
	if ((size_t)(d->end - d->at) < len)
		return -1;
	memcpy(ret, d->at, len);
	d->at += len;
	return 0;
}

static int get_text(struct decoder *d, struct text *ret)
{
	uint32_t len;

	if (get_number(d, &len) < 0 || len > YAML_STRING_MAX || len >= (size_t)(d->end - d->at) ||
	    d->at[len] || !yaml_text_is_utf8((const char *)d->at, len))
		return -1;
	*ret = (struct text){(const char *)d->at, len};
	d->at += len + 1;
	return 0;
}

static int get_count(struct decoder *d, size_t most, size_t least_bytes, size_t *ret)
{
	uint32_t count;

	if (get_number(d, &count) < 0 || count > most ||
	    count > (size_t)(d->end - d->at) / least_bytes)
		return -1;
	*ret = count;
	return 0;
}

static int get_node(struct decoder *d, unsigned depth, struct node *ret);

static int get_child(struct decoder *d, unsigned depth, struct node *parent, struct node *child)
{
	if (get_node(d, depth, child) < 0)
		return -1;
	parent->size += child->size;
	if (parent->height <= child->height)
		parent->height = child->height + 1;
	return 0;
}

static int get_list(struct decoder *d, unsigned depth, struct node *ret)
{
	size_t count = 0;

	if (depth == YAML_DEPTH_MAX || get_count(d, YAML_NODES_MAX, NODE_LEAST, &count) < 0)
		return -1;
	const struct node **item = arena_alloc(d->arena, count * sizeof(const struct node *));
	struct node *child = arena_alloc(d->arena, count * sizeof(*child));
	if (d->arena->failed)
		return -1;
	ret->height = 1;
	for (size_t i = 0; i < count; i++) {
		item[i] = &child[i];
		if (get_child(d, depth + 1, ret, &child[i]) < 0)
			return -1;
	}
	ret->list.count = count;
	ret->list.item = item;
	return 0;
}

static int get_map(struct decoder *d, unsigned depth, struct node *ret)
{
	size_t count = 0;

	if (depth == YAML_DEPTH_MAX || get_count(d, YAML_KEYS_MAX, PAIR_LEAST, &count) < 0)
		return -1;
	struct node_pair *pair = arena_alloc(d->arena, count * sizeof(*pair));
	struct node *child = arena_alloc(d->arena, count * sizeof(*child));
	if (d->arena->failed)
		return -1;
	ret->height = 1;
	for (size_t i = 0; i < count; i++) {
		pair[i].value = &child[i];
		if (get_text(d, &pair[i].key) < 0 || get_number(d, &pair[i].line) < 0 ||
		    get_child(d, depth + 1, ret, &child[i]) < 0)
			return -1;
	}
	ret->map.count = count;
	ret->map.pair = pair;
	return 0;
}

static int get_null(struct decoder *d, unsigned depth, struct node *ret)
{
	(void)d, (void)depth, (void)ret;
	return 0;
}

static int get_truth(struct decoder *d, unsigned depth, struct node *ret)
{
	uint32_t truth;

	(void)depth;
	if (get_number(d, &truth) < 0 || truth > 1)
		return -1;
	ret->truth = truth;
	return 0;
}

static int get_integer(struct decoder *d, unsigned depth, struct node *ret)
{
	(void)depth;
	return get_bytes(d, &ret->integer, sizeof(ret->integer));
}

static int get_float(struct decoder *d, unsigned depth, struct node *ret)
{
	(void)depth;
	return get_bytes(d, &ret->number, sizeof(ret->number));
}

static int get_string(struct decoder *d, unsigned depth, struct node *ret)
{
	(void)depth;
	return get_text(d, &ret->text);
}

static int get_node(struct decoder *d, unsigned depth, struct node *ret)
{
	static int (*const get[NODE_KINDS])(struct decoder * d, unsigned depth,
					    struct node *ret) = {
		[NODE_NULL] = get_null,	  [NODE_BOOL] = get_truth,    [NODE_INT] = get_integer,
		[NODE_FLOAT] = get_float, [NODE_STRING] = get_string, [NODE_LIST] = get_list,
		[NODE_MAP] = get_map,
	};
	uint8_t kind;
	uint32_t line;

	if (get_bytes(d, &kind, 1) < 0 || kind >= NODE_KINDS || get_number(d, &line) < 0 ||
	    ++d->nodes > YAML_NODES_MAX || d->nodes + d->nodes_total > PACK_NODES_MAX)
		return -1;
	*ret = (struct node){.kind = kind, .line = line, .size = 1};
	return get[kind](d, depth, ret);
}

int trees_decode(const uint8_t *data, size_t len, size_t count, struct arena *arena,
		 const struct node **ret, struct err *err)
{
	struct decoder d = {.at = data, .end = data + len, .arena = arena};

	for (size_t i = 0; i < count; i++) {
		struct node *root = arena_alloc(arena, sizeof(*root));
		if (arena->failed)
			return err_memory(err);
		if (get_node(&d, 0, root) < 0)
			return err_set(err, ERR_INPUT, "tree %zu is not sound", i);
		d.nodes_total += d.nodes;
		d.nodes = 0;
		ret[i] = root;
	}
	return d.at == d.end ? 0 : err_set(err, ERR_INPUT, "there is something behind the trees");
}

struct encoder {
	uint8_t *data; /* NULL: only count */
	size_t at, size;
};

/* Past the end it writes nothing and goes on counting; a tree's size is bounded. */
static void put_bytes(struct encoder *e, const void *data, size_t len)
{
	if (e->data && e->at <= e->size && len <= e->size - e->at)
		memcpy(e->data + e->at, data, len);
	e->at += len;
}

static void put_number(struct encoder *e, size_t number)
{
	uint8_t byte[10];
	size_t len = 0;

	for (; number > 0x7f; number >>= 7)
		byte[len++] = (uint8_t)(number | 0x80);
	byte[len++] = (uint8_t)number;
	put_bytes(e, byte, len);
}

static void put_text(struct encoder *e, struct text t)
{
	put_number(e, t.len);
	put_bytes(e, t.s, t.len);
	put_bytes(e, "", 1);
}

static void put_node(struct encoder *e, const struct node *n)
{
	uint8_t kind = (uint8_t)n->kind;

	put_bytes(e, &kind, 1);
	put_number(e, n->line);
	if (n->kind == NODE_BOOL)
		put_number(e, n->truth);
	if (n->kind == NODE_INT)
		put_bytes(e, &n->integer, sizeof(n->integer));
	if (n->kind == NODE_FLOAT)
		put_bytes(e, &n->number, sizeof(n->number));
	if (n->kind == NODE_STRING)
		put_text(e, n->text);
	if (n->kind == NODE_LIST || n->kind == NODE_MAP)
		put_number(e, node_count(n));
	for (size_t i = 0; n->kind == NODE_LIST && i < n->list.count; i++)
		put_node(e, n->list.item[i]);
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++) {
		put_text(e, n->map.pair[i].key);
		put_number(e, n->map.pair[i].line);
		put_node(e, n->map.pair[i].value);
	}
}

size_t trees_encode(const struct node *const *root, size_t count, uint8_t *data, size_t size)
{
	struct encoder e = {.data = data, .size = size};

	for (size_t i = 0; i < count && e.at <= size; i++)
		put_node(&e, root[i]);
	return e.at <= size ? e.at : 0;
}
