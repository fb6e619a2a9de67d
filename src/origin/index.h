/* SPDX-License-Identifier: MIT
 *
 * All that is kept of a source to recognise parts of it later: fingerprints, atoms, and hashes of
 * its short lines. A source and a piece of code are both given as texts: first the thing itself,
 * then what is hidden in it (decoded layers) or what it means (the code view). Who makes those
 * knows how; here they are only texts.
 */
#ifndef CORDON_ORIGIN_INDEX_H
#define CORDON_ORIGIN_INDEX_H

#include "origin/prints.h"

enum {
	INDEX_TEXTS_MAX = 1 << 18, /* as many as a decoder gives (scan/decode.h) */
	INDEX_PIECE_MIN = 12,	   /* canonical characters of a line that is kept */
	INDEX_PIECE_MAX = 64,
	INDEX_PIECE_DISTINCT = 6,
	INDEX_OWN_MAX = 4 << 20, /* bytes of texts that something is not recognised by */
};

struct origin_text {
	const char *how; /* "base64", "code view"...; NULL: the thing itself */
	const char *data;
	size_t len;
	size_t offset, span; /* where in the thing it was found; span 0: all over it */
};

enum index_list { INDEX_SPANS, INDEX_ATOMS, INDEX_PIECES, INDEX_LISTS };

/* Places are offsets in the thing itself. */
struct index {
	struct prints list[INDEX_LISTS];
};

int index_build(const struct origin_text *text, size_t count, struct index *ret, struct err *err);
/* Takes out what these texts have too: whoever wrote them has not learned it from this source. Texts
 * beyond INDEX_OWN_MAX take nothing out. */
int index_without(struct index *ix, const struct origin_text *own, size_t count, struct err *err);
void index_done(struct index *ix);

#define AUTO_INDEX __attribute__((cleanup(index_done)))

/* The hash of a short text as a whole, 0 when it is too short, too long or too plain. */
struct canon;
uint64_t index_whole(const struct canon *c);

#endif
