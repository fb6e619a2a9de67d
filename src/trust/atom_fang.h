/* SPDX-License-Identifier: MIT
 *
 * Words of a document as whoever acts on it types them: evil[.]com and hxxp:// are written by people who
 * warn, and read by models as what they mean; typographic hyphens, marks that nobody sees, and tags inside a
 * word are how a page shows it. One word at a time, in memory of a fixed size.
 */
#ifndef CORDON_TRUST_ATOM_FANG_H
#define CORDON_TRUST_ATOM_FANG_H

#include "trust/atoms.h"

enum {
	ATOM_FANGED_MAX = 4 * ATOM_MAX, /* bytes of a word */
	ATOM_TAG_MAX = 256,		/* of a tag or a comment in it */
};

struct atom_fanged {
	char text[ATOM_FANGED_MAX + 2]; /* the word, and BEHIND bytes that come behind it */
	size_t len, behind;
	uint32_t from[ATOM_FANGED_MAX]; /* where in the document each byte was */
	uint8_t wide[ATOM_FANGED_MAX];	/* its bytes there, and OTHER if it was written otherwise */
	bool is_other;			/* is any? */
};

/* The word at AT or behind it, of characters that have CLASS, into *W. Returns where to go on. */
size_t atom_fang(struct atom_fanged *w, const char *text, size_t len, size_t at,
		 const uint8_t classes[256], unsigned class);
/* From a place in W to the one in the document. False: there it is written just so. */
bool atom_fanged_place(const struct atom_fanged *w, size_t *at, size_t *len);

#endif
