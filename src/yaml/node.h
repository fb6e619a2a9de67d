/* SPDX-License-Identifier: MIT
 *
 * A document as a tree of values, each with its line in the file. The YAML reader makes trees; they
 * never change afterwards, because aliases share nodes. Height and size of a tree have maxima that
 * count shared nodes each time, so every walk is bounded.
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

/* Valid UTF-8, terminated by a NUL. The string itself may contain NULs. */
struct text {
	const char *s;
	size_t len;
};

struct node {
	enum node_kind kind;
	unsigned line;
	unsigned height; /* height of the tree below; 0 for a scalar */
	size_t size;	 /* nodes of the tree with this one, shared ones counted each time */
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
	struct text key; /* the key as JavaScript converts it to a string */
	const struct node *value;
	unsigned line; /* the line of the key */
};

const char *node_kind_name(enum node_kind kind);
/* NULL if MAP is NULL, is not a map, or has no such key. */
const struct node *node_get(const struct node *map, const char *key);
/* The string; NULL if N is not a string or contains a NUL. */
const char *node_string(const struct node *n);
/* 0; -1 if N is NULL or not a number. */
int node_number(const struct node *n, double *ret);
bool node_is_true(const struct node *n);
/* As JavaScript's `if`: missing, null, false, 0, NaN and "" are false. */
bool node_is_truthy(const struct node *n);
/* The number of children of a list or a map; else 0. */
size_t node_count(const struct node *n);
/* The I-th item of a list, or NULL. */
const struct node *node_item(const struct node *list, size_t i);

#endif
