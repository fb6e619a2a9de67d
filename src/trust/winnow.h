/* SPDX-License-Identifier: MIT
 *
 * Fingerprints of a text (Schleimer, Wilkerson, Aiken: Winnowing, 2003): of every WINNOW_WINDOW
 * pieces of WINNOW_K characters in a row the one with the smallest hash is kept. So two texts that
 * share WINNOW_SHARED characters in a row share a fingerprint. Long pieces and a narrow window cost
 * more room than short pieces and a wide one (two bytes for one of the text), but unrelated texts
 * share half as many: 24 and 4 were measured against 20 and 8.
 * Pieces of few different characters (rulers, tables, blanks) are left out: they tie anything to
 * anything.
 */
#ifndef CORDON_TRUST_WINNOW_H
#define CORDON_TRUST_WINNOW_H

#include "trust/canon.h"
#include "trust/prints.h"

enum {
	WINNOW_K = 24,
	WINNOW_WINDOW = 4,
	WINNOW_SHARED = WINNOW_K + WINNOW_WINDOW - 1,
	WINNOW_DISTINCT = 9,	  /* characters that a piece must have */
	WINNOW_DISTINCT_SIGNS = 6 /* of one without a letter: programs are written so, rulers not */
};

/* Adds them with their places in the canonical text, ascending; not sorted. */
void winnow(const struct canon *c, struct prints *out);
/* Those of all pieces. */
void winnow_all(const struct canon *c, struct prints *out);

#endif
