/* SPDX-License-Identifier: MIT
 *
 * A source is something that an agent reads. It is committed, with the fingerprints by which it is
 * recognised and the floor it lowers, before its bytes go anywhere: source_commit takes the bytes,
 * and what it gives back when all is on the disk is the only thing to release them from. Otherwise
 * a fast next call would run code that was made from a document nobody knows of yet.
 */
#ifndef CORDON_ORIGIN_SOURCE_H
#define CORDON_ORIGIN_SOURCE_H

#include "origin/attribute.h"
#include "origin/domain.h"

enum {
	SOURCE_NAME_MAX = 1024, /* bytes, escaped */
	SOURCE_REFS_MAX = 8,	/* names of records that it came from */
	SOURCE_RULES_MAX = 64,	/* rules that found something in it */
	SOURCE_CHUNK = 2 << 20, /* bytes of fingerprints in one item, about */
	SOURCE_SET_MAX = 4096,	/* that code is held against */
	SOURCE_KNOWN_MIN = 32,	/* bytes: what is shorter is not known in other domains */
};
#define SOURCE_PRINT_BYTES_MAX ((uint64_t)64 << 20) /* of a domain; the oldest go */

struct source {
	struct id id, domain;
	uint32_t epoch;
	enum source_kind kind;
	char name[SOURCE_NAME_MAX + 1]; /* UTF-8 without controls: safe to print */
	uint8_t sha256[KEEPER_SHA256];
	uint64_t bytes, time_us;
	struct label label;
	enum grade grade;
};

/* What comes in. */
struct source_in {
	enum source_kind kind;
	const char *name; /* any bytes */
	size_t name_len;
	const struct origin_text *text; /* [0]: the bytes; then what is hidden in them */
	size_t count;
	/* What it says of itself is not learned from it: the program whose output this is. */
	const struct origin_text *own;
	size_t ownc;
	/* Of what is known; as said, but no better than untrusted unless VOUCHED: by Cordon, which
	 * made it, or by the configuration. */
	struct label label;
	bool vouched;
	enum grade grade;
	const char *const *rules; /* ids, for the log */
	size_t rulec;
	const char *const *refs; /* more names for the log: the run it came from */
	size_t refc;
};

/* DATA is NULL until it is committed. */
struct source_released {
	struct source source;
	const char *data;
	size_t len;
};

/* D is as it is now, afterwards. */
int source_commit(struct keeper *k, struct domain *d, const struct source_in *in,
		  struct source_released *ret, struct err *err);
int source_load(struct keeper *k, const struct id *id, struct source *ret, struct err *err);

/* All that a domain has read and that is still recognised, oldest first. */
struct source_seen {
	uint64_t time_us;
	unsigned items; /* of its fingerprints that were read */
	bool is_untied; /* the caller's own: the same code was held against it, and ties nowhere */
};
struct source_set {
	size_t count;
	struct id *id;
	struct index *index;
	struct source_seen *seen;
	/* There was more: over SOURCE_SET_MAX, of which the newest are here, or it was forgotten. That
	 * code ties to nothing here says less then: whoever can make an agent read enough can make it
	 * forget. */
	bool more;
	/* As it was when they were read: */
	struct id domain;
	size_t members;
	uint64_t version, forgotten;
};
/* SET is all zero, or was loaded before: of the same domain only what is new is read then, so that somebody
 * who reads all the time is caught up with. After a failure it is empty. */
int source_set_load(struct keeper *k, const struct domain *d, struct source_set *set,
		    struct err *err);
void source_set_done(struct source_set *s);
#define AUTO_SOURCES __attribute__((cleanup(source_set_done)))

/* Of those that tie, what they are. One that was never released, because the power went while it was
 * committed, is untrusted. */
int source_integrities(struct keeper *k, const struct source_set *set, const enum tie *ties,
		       enum integrity *ret, struct err *err);

/* Forgets the oldest fingerprints until at most KEEP bytes are left. Sources, labels and the floor
 * stay: what is forgotten is no longer recognised, and is still untrusted. */
int source_evict(struct keeper *k, struct domain *d, uint64_t keep, struct err *err);

#endif
