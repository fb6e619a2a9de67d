/* SPDX-License-Identifier: MIT
 *
 * A source is something that an agent reads: a page, a file, a tool's answer. Its row, its
 * fingerprints and the exposure of its conversation are committed before its bytes are released:
 * source_commit takes the bytes and returns them when all is on disk. Otherwise a fast next call
 * could run code from a document that is not recorded yet.
 */
#ifndef CORDON_TRUST_SOURCE_H
#define CORDON_TRUST_SOURCE_H

#include "model/gate_terms.h"
#include "trust/conversation.h"
#include "trust/evidence/attribute.h"

enum {
	SOURCE_NAME_MAX = 1024, /* bytes after escaping */
	SOURCE_REFS_MAX = 8,	/* names of records that it came from */
	SOURCE_RULES_MAX = 64,	/* rules with a finding */
	SOURCE_CHUNK = 2 << 20, /* approximate bytes of one fingerprint item */
	SOURCE_SET_MAX = 4096,	/* that code is compared with */
};
#define SOURCE_PRINT_BYTES_MAX ((uint64_t)64 << 20) /* of a conversation; the oldest are evicted */

/* The zero value is hostile: fail closed. */
enum source_trust {
	SOURCE_HOSTILE, /* a rule of the deny grade has a finding */
	SOURCE_UNTRUSTED,
	SOURCE_TRUSTS,
};
const char *source_trust_name(enum source_trust trust);

struct source {
	struct id id, conversation;
	enum source_kind kind;
	char name[SOURCE_NAME_MAX + 1]; /* escaped: safe to print */
	uint8_t sha256[KEEPER_SHA256];
	uint64_t bytes, time_us;
	enum source_trust trust;
	enum grade grade;
};

/* A source before it is committed. */
struct source_in {
	enum source_kind kind;
	const char *name; /* any bytes */
	size_t name_len;
	const struct origin_text *text; /* [0]: the bytes; then texts hidden in them */
	size_t count;
	/* Texts of the program whose output this is: an agent does not learn them from the output. */
	const struct origin_text *own;
	size_t ownc;
	enum grade grade;
	const char *const *rules; /* ids, for the log */
	size_t rulec;
	const char *const *refs; /* more names for the log: the run it came from */
	size_t refc;
};

/* DATA is NULL until the source is committed. */
struct source_released {
	struct source source;
	const char *data;
	size_t len;
};

/* Exposes the conversation, and updates C. */
int source_commit(struct keeper *k, struct conversation *c, const struct source_in *in,
		  struct source_released *ret, struct err *err);
int source_load(struct keeper *k, const struct id *id, struct source *ret, struct err *err);

/* The sources of a conversation whose fingerprints are stored, oldest first. */
struct source_seen {
	uint64_t time_us;
	unsigned items; /* number of its fingerprint items that were read */
	bool is_untied; /* for the caller: the same code was compared with it and ties nowhere */
};
struct source_set {
	size_t count;
	struct id *id;
	struct index *index;
	struct source_seen *seen;
	/* of the conversation when they were read */
	struct id conversation;
	uint64_t version, forgotten;
};
/* SET is zero or was loaded before. A set of the same conversation is extended by what is new, so that the
 * loader keeps up with a process that adds sources all the time. After a failure SET is empty. */
int source_set_load(struct keeper *k, const struct conversation *c, struct source_set *set,
		    struct err *err);
void source_set_done(struct source_set *s);

/* Deletes the oldest fingerprints until at most KEEP bytes are left. Sources and exposure stay; code
 * from such a source is no longer recognised. */
int source_evict(struct keeper *k, struct conversation *c, uint64_t keep, struct err *err);

#endif
