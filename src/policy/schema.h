/* SPDX-License-Identifier: MIT
 *
 * Reads a YAML tree into structs by rows, one row per key. A key without a row is an error. Errors
 * name the line.
 */
#ifndef CORDON_POLICY_SCHEMA_H
#define CORDON_POLICY_SCHEMA_H

#include "base/arena.h"
#include "base/err.h"
#include "policy/policy.h"
#include "yaml/node.h"

struct schema_key;

struct schema {
	const struct schema_key *(*key_at)(unsigned i); /* the I-th row, or NULL past the end */
	struct arena *arena;
	unsigned line; /* of the current value, or of the error */
	struct err *err;
};

struct schema_key {
	struct policy_key key;
	bool required;
	size_t at; /* offset of the value in the map's struct */
	int (*read)(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
	const char *(*words)(unsigned i); /* permitted words, or NULL */
	const char *inner;		  /* the map that the value is, or NULL */
};

/* policy_keys.c: the rows of a policy. */
const struct schema_key *schema_key_at(unsigned i);

/* Reads the map MAP into the struct TO. */
int schema_read(struct schema *s, const char *map, const struct node *n, void *to);
/* Sets the line and the error; returns -1. */
int schema_complain(struct schema *s, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int schema_too_many(struct schema *s, unsigned line, const char *what, size_t most);

/* Readers for rows: a map, and one word of an enumeration. */
int schema_map(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_word(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
/* The string, or NULL with the error set. A number is read as it was written. */
const char *schema_string(struct schema *s, const struct schema_key *k, const struct node *n,
			  size_t most);

/* values.c: readers of single values. */
int schema_version(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_net(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_limits(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_ttl(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_approvers(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_yes(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_text(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_paths(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_hosts(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_uses(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_methods(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
int schema_token(struct schema *s, const struct schema_key *k, const struct node *n, void *to);
/* A name and one port: the host and the port of a struct policy_secret. */
int schema_host(struct schema *s, const struct schema_key *k, const struct node *n, void *to);

#endif
