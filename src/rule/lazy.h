/* SPDX-License-Identifier: MIT
 *
 * A pack whose rules are still bytes: each is read when somebody first asks for it (pack_rule). Of
 * the hundreds in a pack a text needs a few. The bytes are a tree (trees.h) without what is only
 * for who tests or writes rules: such a rule has no test cases, no evasion tests, and its document
 * no list of standards.
 */
#ifndef CORDON_RULE_LAZY_H
#define CORDON_RULE_LAZY_H

#include "base/kept.h"
#include "rule/load.h"

/* One rule, as it stands in a file. */
struct lazy_row {
	uint64_t at, len;      /* of its tree */
	struct kept_code code; /* of the tree's bytes: KEPT_TREE */
	uint32_t file;	       /* where its file's name begins among NAMES */
	uint32_t conditions;
};

/* What a pack is made of; all of it stays while the pack is used. */
struct lazy_rows {
	const struct lazy_row *row;
	size_t count;
	const uint8_t *trees;
	size_t trees_len;
	const char *names; /* the last byte is a NUL */
	size_t names_len;
	uint8_t mac_key[KEPT_KEY];
};

/* PACK is zeroed. -1 when a row leads out of what there is. */
int lazy_open(struct pack *pack, const struct lazy_rows *rows, struct err *err);
void lazy_free(struct pack_lazy *lazy);
/* Of a pack that is lazy. NULL: its bytes are not a rule, or there is no memory. Threads may ask at
 * the same time. */
const struct rule *lazy_rule(struct pack_lazy *lazy, size_t number);
/* Was there one that could not be made? Then what the pack was made of is to be made again. */
bool lazy_is_damaged(const struct pack *pack);
/* How many were asked for so far. */
size_t lazy_made(const struct pack *pack);

/* The bytes of a rule's tree; *RET is to be freed. */
int lazy_encode(const struct rule *rule, uint8_t **ret, size_t *ret_len, struct err *err);

#endif
