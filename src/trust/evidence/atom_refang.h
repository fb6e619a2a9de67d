/* SPDX-License-Identifier: MIT
 *
 * Restores words that were disguised. People who warn write evil[.]com and hxxp://, and models read
 * them as the real address. Pages put typographic hyphens, invisible characters and tags into words.
 * Works on one word at a time, in memory of fixed size.
 */
#ifndef CORDON_TRUST_EVIDENCE_ATOM_REFANG_H
#define CORDON_TRUST_EVIDENCE_ATOM_REFANG_H

#include "trust/evidence/atoms.h"

enum {
	ATOM_REFANGED_MAX = 4 * ATOM_MAX, /* bytes of a word */
	ATOM_TAG_MAX = 256,		  /* of a tag or a comment inside a word */
};

struct atom_refanged {
	char text[ATOM_REFANGED_MAX + 2]; /* the word, and BEHIND bytes that follow it */
	size_t len, behind;
	uint32_t from[ATOM_REFANGED_MAX]; /* the place of each byte in the document */
	uint8_t wide
		[ATOM_REFANGED_MAX]; /* its length there, and OTHER if it was written differently */
	bool is_other;		     /* was any byte? */
};

/* Reads the first word at or after AT, of characters of CLASS, into *W. Returns the place after it. */
size_t atom_refang(struct atom_refanged *w, const char *text, size_t len, size_t at,
		   const uint8_t classes[256], unsigned class);
/* Converts a place in W to one in the document. False: the document has the same text there. */
bool atom_refanged_place(const struct atom_refanged *w, size_t *at, size_t *len);

#endif
