/* SPDX-License-Identifier: MIT
 *
 * A cache file with the parsed trees of a pack's documents, because parsing YAML is most of the
 * cost of a start. The file also has the documents. It is used only if its MAC is valid
 * (base/cache_file.h) and each file of the pack equals its document byte for byte. Rules and
 * reports are made from the trees each time, as after parsing YAML.
 */
#ifndef CORDON_RULE_TREE_CACHE_H
#define CORDON_RULE_TREE_CACHE_H

#include "base/cache_file.h"
#include "rule/load.h"

#define TREE_CACHE_MAX (256UL << 20)

/* As pack_load, with the trees in FILE. Returns 1 and loads nothing if FILE cannot be used; *RET_WHY
 * has the reason. KEY is the key of the MAC. */
int tree_cache_load(struct pack *pack, const char *path, const char *file,
		    const uint8_t key[CACHE_FILE_KEY], const struct pack_options *options,
		    struct err *ret_why, struct err *err);
/* Writes FILE with the rules from number FIRST on. RECORD has their documents, in the same order. */
int tree_cache_write(const struct pack *pack, size_t first, const struct pack_record *record,
		     const char *file, const uint8_t key[CACHE_FILE_KEY], struct err *err);

#endif
