/* SPDX-License-Identifier: MIT
 *
 * A source is something that an agent reads. It is committed, with the fingerprints by which it is
 * recognised and the exposure of its conversation, before its bytes go anywhere: source_commit takes the
 * bytes, and what it gives back when all is on the disk is the only thing to release them from. Otherwise
 * a fast next call could run code made from a document that is not recorded yet.
 */
#ifndef CORDON_TRUST_SOURCE_H
#define CORDON_TRUST_SOURCE_H

#include "model/gate.h"
#include "trust/attribute.h"
#include "trust/conversation.h"

enum {
	SOURCE_NAME_MAX = 1024, /* bytes, escaped */
	SOURCE_REFS_MAX = 8,	/* names of records that it came from */
	SOURCE_RULES_MAX = 64,	/* rules that found something in it */
	SOURCE_CHUNK = 2 << 20, /* bytes of fingerprints in one item, about */
	SOURCE_SET_MAX = 4096,	/* that code is held against */
};
#define SOURCE_PRINT_BYTES_MAX ((uint64_t)64 << 20) /* of a conversation; the oldest go */

/* The zero value is hostile. */
enum source_trust {
	SOURCE_HOSTILE, /* a rule of the deny grade found something in it */
	SOURCE_UNTRUSTED,
	SOURCE_TRUSTS,
};
const char *source_trust_name(enum source_trust trust);

struct source {
	struct id id, conversation;
	enum source_kind kind;
	char name[SOURCE_NAME_MAX + 1]; /* UTF-8 without controls: safe to print */
	uint8_t sha256[KEEPER_SHA256];
	uint64_t bytes, time_us;
	enum source_trust trust;
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

/* A source exposes its conversation. C is as it is now, afterwards. */
int source_commit(struct keeper *k, struct conversation *c, const struct source_in *in,
		  struct source_released *ret, struct err *err);
int source_load(struct keeper *k, const struct id *id, struct source *ret, struct err *err);

/* All that was read in a conversation and is still recognised, oldest first. */
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
	/* As it was when they were read: */
	struct id conversation;
	uint64_t version, forgotten;
};
/* SET is all zero, or was loaded before: of the same conversation only what is new is read then, so that a
 * process that reads all the time is caught up with. After a failure it is empty. */
int source_set_load(struct keeper *k, const struct conversation *c, struct source_set *set,
		    struct err *err);
void source_set_done(struct source_set *s);

/* Forgets the oldest fingerprints until at most KEEP bytes are left. The sources
 * stay, and so does the exposure: what is forgotten is no longer recognised. */
int source_evict(struct keeper *k, struct conversation *c, uint64_t keep, struct err *err);

#endif
