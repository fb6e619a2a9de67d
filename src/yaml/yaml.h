/* SPDX-License-Identifier: MIT
 *
 * Reads one YAML document from untrusted bytes. The result is that of js-yaml's `load`, except that
 * a date is a string, and that self-references and tags outside the core schema are refused. All
 * maxima are here.
 */
#ifndef CORDON_YAML_YAML_H
#define CORDON_YAML_YAML_H

#include "base/arena.h"
#include "base/err.h"
#include "yaml/node.h"

#define YAML_BYTES_MAX 1000000 /* the reference's */
#define YAML_DEPTH_MAX 64      /* nested lists and maps */
#define YAML_NODES_MAX 50000   /* an alias counts as its whole value */
#define YAML_STRING_MAX 262144 /* bytes of one string or key */
#define YAML_KEYS_MAX 1000     /* of one map */
#define YAML_ANCHORS_MAX 1000
#define YAML_ALIASES_MAX 1000

/* On failure *RET_LINE is the line, which the message does not repeat. The tree is in ARENA, also
 * its remains after a failure. */
int yaml_read(const char *data, size_t len, struct arena *arena, const struct node **ret,
	      unsigned *ret_line, struct err *err);
/* The same, but refuses anchors, aliases, merges and tags. */
int yaml_read_plain(const char *data, size_t len, struct arena *arena, const struct node **ret,
		    unsigned *ret_line, struct err *err);
/* The version of libyaml. */
const char *yaml_library(void);

#endif
