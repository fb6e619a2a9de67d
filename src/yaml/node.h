/* SPDX-License-Identifier: MIT
 *
 * A document as a tree of plain values, each with its line in the file. Trees are made by the
 * YAML reader and never change afterwards; an alias shares what it stands for, so a tree may be
 * walked many times but must never be written to. Height and size of every tree have a maximum
 * that also counts shared parts: a walk always ends soon.
 */
#ifndef CORDON_YAML_NODE_H
#define CORDON_YAML_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_kind {
	NODE_NULL,
	NODE_BOOL,
	NODE_INT,
	NODE_FLOAT,
	NODE_STRING,
	NODE_LIST,
	NODE_MAP,
	NODE_KINDS,
};

/* Bytes of valid UTF-8. There is a NUL after the last, and there may be others before. */
struct text {
	const char *s;
	size_t len;
};

struct node {
	enum node_kind kind;
	unsigned line;
	unsigned height; /* of the tree below: 0 for a scalar */
	size_t size;	 /* nodes of the tree, this one included, shared ones as often as seen */
	union {
		bool truth;
		int64_t integer;
		double number;
		struct text text;
		struct {
			size_t count;
			const struct node *const *item;
		} list;
		struct {
			size_t count;
			const struct node_pair *pair;
		} map;
	};
};

struct node_pair {
	struct text key; /* what JavaScript would make of it: a string */
	const struct node *value;
	unsigned line; /* the key's */
};

const char *node_kind_name(enum node_kind kind);
/* NULL when MAP is NULL or no map, or has no such key. */
const struct node *node_get(const struct node *map, const char *key);
/* Its string without a NUL in it; NULL when N is NULL or something else. */
const char *node_string(const struct node *n);
/* 0, or -1 when N is NULL or no number. */
int node_number(const struct node *n, double *ret);
bool node_is_true(const struct node *n);
/* What JavaScript's `if` says: missing, null, false, 0, NaN and "" are not. */
bool node_is_truthy(const struct node *n);
/* Children of a list or a map, else 0. */
size_t node_count(const struct node *n);
/* The I-th item of a list, or NULL. */
const struct node *node_item(const struct node *list, size_t i);

#endif
