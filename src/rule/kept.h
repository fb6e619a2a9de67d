/* SPDX-License-Identifier: MIT
 *
 * A file that keeps the trees of a pack's documents, together with the documents: reading YAML is
 * most of what a start costs. It counts only when its code is right (base/kept.h) and every file of
 * the pack is, byte for byte, what it was. What follows from the trees (rules, complaints, their
 * order) is done again each time, as after reading YAML.
 */
#ifndef CORDON_RULE_KEPT_H
#define CORDON_RULE_KEPT_H

#include "base/kept.h"
#include "rule/load.h"

#define KEPT_FILE_MAX (256UL << 20)

/* pack_load by means of FILE, whose code KEY makes. 1, and nothing is loaded, when that is not
 * possible; *RET_WHY says why. Else as pack_load. */
int pack_load_kept(struct pack *pack, const char *path, const char *file,
		   const uint8_t key[KEPT_KEY], const struct pack_options *options,
		   struct err *ret_why, struct err *err);
/* Makes FILE of the rules from number FIRST on. Each has one document in RECORD, in their order. */
int pack_keep(const struct pack *pack, size_t first, const struct pack_record *record,
	      const char *file, const uint8_t key[KEPT_KEY], struct err *err);

#endif
