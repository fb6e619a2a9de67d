/* SPDX-License-Identifier: MIT
 *
 * Which parts of this code tie to which source? Pure: texts and indexes in, evidence out. Evidence
 * may only lower trust: rewritten text leaves none.
 */
#ifndef CORDON_TRUST_ATTRIBUTE_H
#define CORDON_TRUST_ATTRIBUTE_H

#include "trust/atoms.h"
#include "trust/index.h"

enum {
	EVIDENCE_MAX = 64, /* the strongest; every source that ties is told all the same */
	EVIDENCE_SOURCES_MAX = 65536,
	EVIDENCE_MATCHES_MAX = 1 << 20 /* fingerprints that one text shares with one source */
};

/* Weakest first. */
enum tie { TIE_NONE, TIE_ATOM, TIE_SPAN, TIE_WHOLE, TIE_COUNT };
const char *tie_name(enum tie tie);

struct evidence {
	enum tie tie;
	uint32_t source;	     /* its number */
	enum atom_kind atom;	     /* TIE_ATOM */
	const char *how;	     /* NULL: in the code itself; else the text it was found in */
	size_t at, len;		     /* in the code; LEN 0: all over it */
	size_t source_at, source_to; /* in the source; the same: all over it, or not known */
	size_t weight;		     /* canonical characters, or an atom's bytes */
	size_t text, text_at, text_len; /* in which text, and where there */
};

struct attribution {
	size_t count;			    /* of EVIDENCE_MAX */
	struct evidence list[EVIDENCE_MAX]; /* strongest first */
	size_t more;			    /* that could not be listed; at least so many */
};

/* TIES has room for a tie of each source: the strongest. TEXT[0] is the code itself. */
int attribute(const struct origin_text *text, size_t count, const struct index *source,
	      size_t sources, enum tie *ties, struct attribution *ret, struct err *err);

#endif
