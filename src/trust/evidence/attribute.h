/* SPDX-License-Identifier: MIT
 *
 * Finds the parts of code that tie to a source. Pure: texts and indexes in, evidence out. Evidence
 * must only lower trust: code without evidence can still come from a source, because rewriting leaves
 * none.
 */
#ifndef CORDON_TRUST_EVIDENCE_ATTRIBUTE_H
#define CORDON_TRUST_EVIDENCE_ATTRIBUTE_H

#include "trust/evidence/atoms.h"
#include "trust/evidence/source_index.h"

enum {
	EVIDENCE_MAX = 64, /* the strongest are listed; TIES has each source */
	EVIDENCE_SOURCES_MAX = 65536,
	EVIDENCE_MATCHES_MAX = 1 << 20 /* fingerprints shared by one text and one source */
};

/* Weakest first. */
enum tie { TIE_NONE, TIE_ATOM, TIE_SPAN, TIE_WHOLE, TIE_COUNT };
const char *tie_name(enum tie tie);

struct evidence {
	enum tie tie;
	uint32_t source;	     /* its number */
	enum atom_kind atom;	     /* TIE_ATOM */
	const char *how;	     /* NULL: found in the code itself; else in this form of it */
	size_t at, len;		     /* in the code; LEN 0: the whole code */
	size_t source_at, source_to; /* in the source; if equal: the whole source, or unknown */
	size_t weight;		     /* canonical characters, or bytes of an atom */
	size_t text, text_at, text_len; /* the number of the text, and the place in it */
};

struct attribution {
	size_t count;			    /* of EVIDENCE_MAX */
	struct evidence list[EVIDENCE_MAX]; /* strongest first */
	size_t more;			    /* not listed; a lower bound */
};

/* TIES gets the strongest tie of each source. TEXT[0] is the code itself. */
int attribute(const struct origin_text *text, size_t count, const struct index *source,
	      size_t sources, enum tie *ties, struct attribution *ret, struct err *err);

#endif
