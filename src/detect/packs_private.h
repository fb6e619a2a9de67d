/* SPDX-License-Identifier: MIT
 *
 * Shared by packs.c, packs_cache.c and packs_warm.c. The name of a cache file is a hash of its key
 * and a suffix for its kind.
 */
#ifndef CORDON_DETECT_PACKS_PRIVATE_H
#define CORDON_DETECT_PACKS_PRIVATE_H

#include "detect/packs.h"
#include "rule/stamps.h"

/* The suffixes of cache files. */
#define PACKS_DATABASE ".db"
#define PACKS_RULES ".rl"
#define PACKS_WARM ".wm"

/* packs_cache.c. Adds the rules in PATH to SET's pack. */
int packs_rules(struct packs *set, const char *path, const struct pack_options *options,
		struct err *err);
/* Makes or loads SET's database. */
int packs_database(struct packs *set, struct err *err);
/* The path of a cache file; KEY has at least 16 bytes. */
const char *packs_file(struct packs *set, const uint8_t *key, const char *suffix);
/* Removes the oldest file if there are too many. */
void packs_prune(const char *path, const char *suffix);
/* packs_key for rules that were read from their files. */
int packs_hash(const struct packs *set, uint8_t ret[PACKS_KEY], struct err *err);
void packs_on_refused(void *context, size_t number, const struct err *why);

/* packs_warm.c. Loads all of SET, whose sources are known, from one cache file. On -1 SET is
 * unchanged. */
int packs_warm_open(struct packs *set, const struct packs_options *options,
		    const struct engine_options *engine, struct err *why);
/* Makes an engine of such a set. */
int packs_warm_engine(const struct packs *set, const struct engine_options *options,
		      struct engine **ret, struct err *err);
/* packs_key of such a set, as stored in the file. */
void packs_warm_rules(const struct packs *set, uint8_t ret[PACKS_KEY]);
/* Removes the file if a rule in it was damaged; the next start makes it again. */
void packs_warm_done(const struct packs *set);
/* Takes the stamps of SET's sources before they are read. -1: stamps could miss a change. */
int packs_stamp(const struct packs *set, int64_t now, struct stamps *ret, struct err *why);
/* Writes that file for SET, which is open and was stamped at NOW. */
int packs_warm_keep(struct packs *set, const struct engine_options *engine,
		    const struct stamps *stamps, int64_t now, struct err *why);

#endif
