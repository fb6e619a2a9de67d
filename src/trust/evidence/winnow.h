/* SPDX-License-Identifier: MIT
 *
 * Selects fingerprints of a text (Schleimer, Wilkerson, Aiken: Winnowing, 2003): of WINNOW_WINDOW
 * consecutive pieces of WINNOW_K characters, the one with the smallest hash. So two texts that share
 * WINNOW_SHARED characters in a row share a fingerprint. Long pieces and a narrow window need more
 * room than short pieces and a wide one (two bytes for each byte of text), but unrelated texts share
 * half as many: 24 and 4 measured against 20 and 8. Pieces of few different characters (rulers,
 * tables) are left out: they would tie unrelated texts.
 */
#ifndef CORDON_TRUST_EVIDENCE_WINNOW_H
#define CORDON_TRUST_EVIDENCE_WINNOW_H

#include "trust/evidence/canonical_text.h"
#include "trust/evidence/fingerprint.h"

enum {
	WINNOW_K = 24,
	WINNOW_WINDOW = 4,
	WINNOW_SHARED = WINNOW_K + WINNOW_WINDOW - 1,
	WINNOW_DISTINCT = 9,	  /* different characters that a piece needs */
	WINNOW_DISTINCT_SIGNS = 6 /* the same for a piece without letters, as in programs */
};

/* Adds fingerprints with ascending places in the canonical text; not sorted. */
void winnow(const struct canon *c, struct prints *out);
/* Adds those of all pieces. */
void winnow_all(const struct canon *c, struct prints *out);

#endif
