/* SPDX-License-Identifier: MIT
 *
 * Reads one YAML document from bytes that may be hostile. It means what js-yaml's `load` gives,
 * with these differences: a date is a string, a document that refers to itself is refused, and so
 * are tags other than the core schema's. Every maximum is here.
 */
#ifndef CORDON_YAML_YAML_H
#define CORDON_YAML_YAML_H

#include "base/arena.h"
#include "base/err.h"
#include "yaml/node.h"

#define YAML_BYTES_MAX 1000000 /* the reference's */
#define YAML_DEPTH_MAX 64      /* lists and maps in each other */
#define YAML_NODES_MAX 50000   /* what aliases stand for counts each time */
#define YAML_STRING_MAX 262144 /* bytes of one string or key */
#define YAML_KEYS_MAX 1000     /* of one map */
#define YAML_ANCHORS_MAX 1000
#define YAML_ALIASES_MAX 1000

/* On failure *RET_LINE says where; the error's message does not repeat it. The tree's strings are
 * copies in ARENA; what a failed reading left there stays until the arena is done. */
int yaml_read(const char *data, size_t len, struct arena *arena, const struct node **ret,
	      unsigned *ret_line, struct err *err);
/* The same without anchors, aliases, merges and tags: what stands there is all there is. */
int yaml_read_plain(const char *data, size_t len, struct arena *arena, const struct node **ret,
		    unsigned *ret_line, struct err *err);
/* The version of the library that has a say in how documents are read. */
const char *yaml_library(void);

#endif
