/* SPDX-License-Identifier: MIT
 *
 * What packs.c and those who keep files for it share. The cache's files are named by what they are
 * about and end in their kind.
 */
#ifndef CORDON_DETECT_PACKS_PRIVATE_H
#define CORDON_DETECT_PACKS_PRIVATE_H

#include "detect/packs.h"
#include "rule/stamps.h"

/* What a file's name ends with. */
#define PACKS_DATABASE ".db"
#define PACKS_RULES ".rl"
#define PACKS_WARM ".wm"

/* packs_cache.c. The rules in PATH, which are added to SET's pack: */
int packs_rules(struct packs *set, const char *path, const struct pack_options *options,
		struct err *err);
/* SET's database: */
int packs_database(struct packs *set, struct err *err);
/* The whole path of a cache's file; KEY has at least 16 bytes. */
const char *packs_file(struct packs *set, const uint8_t *key, const char *suffix);
/* The oldest of too many go. */
void packs_prune(const char *path, const char *suffix);
/* The hash of SET's rules, which were read from their files; see packs_key. */
int packs_hash(const struct packs *set, uint8_t ret[PACKS_KEY], struct err *err);
void packs_on_refused(void *context, size_t number, const struct err *why);

/* packs_warm.c. Everything of SET, whose sources are known, out of one file. -1, and SET is as it
 * was, when that is not possible. */
int packs_warm_open(struct packs *set, const struct packs_options *options,
		    const struct engine_options *engine, struct err *why);
/* An engine of a set that was opened so. */
int packs_warm_engine(const struct packs *set, const struct engine_options *options,
		      struct engine **ret, struct err *err);
/* The key of such a set: it was made with the file. */
void packs_warm_rules(const struct packs *set, uint8_t ret[PACKS_KEY]);
/* Such a file in which a rule was damaged goes: the next time it is made again. */
void packs_warm_done(const struct packs *set);
/* How SET's sources look NOW, before they are read. -1: stamps cannot stand for them. */
int packs_stamp(const struct packs *set, int64_t now, struct stamps *ret, struct err *why);
/* Makes that file of SET, which is open; it was stamped at NOW. */
int packs_warm_keep(struct packs *set, const struct engine_options *engine,
		    const struct stamps *stamps, int64_t now, struct err *why);

#endif
