/* SPDX-License-Identifier: MIT
 *
 * A pack whose rules are decoded when they are first used (pack_rule), because a text needs only a
 * few of the hundreds in a pack. Each rule is stored as a tree (trees.h) without the parts that only
 * authors of rules need: test cases, evasion tests and the list of standards.
 */
#ifndef CORDON_RULE_LAZY_H
#define CORDON_RULE_LAZY_H

#include "base/cache_file.h"
#include "rule/load.h"

/* One rule, as stored in a file. */
struct lazy_row {
	uint64_t at, len;	   /* of its tree */
	struct cache_file_mac mac; /* of the tree's bytes: CACHE_FILE_TREE */
	uint32_t file;		   /* offset of its file's name in NAMES */
	uint32_t conditions;
};

/* The data of a pack. It must stay valid while the pack is used. */
struct lazy_rows {
	const struct lazy_row *row;
	size_t count;
	const uint8_t *trees;
	size_t trees_len;
	const char *names; /* the last byte is a NUL */
	size_t names_len;
	uint8_t mac_key[CACHE_FILE_KEY];
};

/* PACK is zeroed. Returns -1 if an offset of a row is out of bounds. */
int lazy_open(struct pack *pack, const struct lazy_rows *rows, struct err *err);
void lazy_free(struct pack_lazy *lazy);
/* Decodes a rule. NULL: its bytes are not a rule, or out of memory. Threads may call it at the same
 * time. */
const struct rule *lazy_rule(struct pack_lazy *lazy, size_t number);
/* Could a rule not be decoded? Then the file must be made again. */
bool lazy_is_damaged(const struct pack *pack);
/* How many rules are decoded so far. */
size_t lazy_made(const struct pack *pack);

/* Encodes a rule's tree; the caller frees *RET. */
int lazy_encode(const struct rule *rule, uint8_t **ret, size_t *ret_len, struct err *err);

#endif
