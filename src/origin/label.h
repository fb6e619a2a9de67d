/* SPDX-License-Identifier: MIT
 *
 * How far something can be trusted, how far it may go, and which sources it came from. Labels only
 * go down: there is a join and nothing that undoes it. A label that nobody set is hostile.
 */
#ifndef CORDON_ORIGIN_LABEL_H
#define CORDON_ORIGIN_LABEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/gate.h"
#include "origin/pack.h"

enum { ID_BYTES = 16, ID_HEX = 2 * ID_BYTES + 1, LABEL_SOURCES_MAX = 32 };

struct id {
	uint8_t byte[ID_BYTES];
};

bool id_is_same(const struct id *a, const struct id *b);
void id_random(struct id *ret);
const char *id_hex(const struct id *id, char ret[ID_HEX]);
/* LEN characters, all of them. */
bool id_parse(const char *hex, size_t len, struct id *ret);

/* Least trusted first. */
enum integrity {
	INTEGRITY_HOSTILE,   /* with a finding of the deny grade */
	INTEGRITY_UNTRUSTED, /* anybody's; also: unknown */
	INTEGRITY_TOOL,	     /* a tool that the configuration trusts, or clean code */
	INTEGRITY_PLAN,
	INTEGRITY_USER,
	INTEGRITY_COUNT,
};
enum secrecy { SECRECY_PUBLIC, SECRECY_INTERNAL, SECRECY_SECRET, SECRECY_COUNT };

/* NULL past the end. */
const char *integrity_name(unsigned integrity);
const char *secrecy_name(unsigned secrecy);

struct label {
	enum integrity integrity;
	enum secrecy secrecy;
	size_t count;
	bool more; /* sources that did not fit */
	struct id source[LABEL_SOURCES_MAX];
};

/* What nothing has touched yet: joined with anything it is that. */
struct label label_top(void);
/* What is not known. */
struct label label_unknown(void);
void label_join(struct label *to, const struct label *from);
void label_add_source(struct label *l, const struct id *source);
/* A run that is known to have been given all of L: if there is no room, what it was given goes and is found
 * with the run. */
void label_add_run(struct label *l, const struct id *run);
/* Is A nowhere above B? */
bool label_is_below(const struct label *a, const struct label *b);

/* What somebody outside says of it. Lower is always taken; higher only when the configuration
 * TRUSTS who says so, and then no higher than a tool and never from hostile. */
void label_hear(struct label *l, enum integrity said, bool trusts);

/* What a run's output and the files it writes are: what made them, and what they were made from. A
 * run that can fetch things has read things that nobody knows. */
struct label label_of_run(enum origin code, const struct label *inputs, unsigned caps);

enum { LABEL_PACKED_MAX = 5 + LABEL_SOURCES_MAX * ID_BYTES };
void label_pack(struct packer *p, const struct label *l);
void label_unpack(struct unpacker *u, struct label *ret);

#endif
