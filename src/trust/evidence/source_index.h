/* SPDX-License-Identifier: MIT
 *
 * What is stored of a source to recognise parts of it later: fingerprints, atoms, hashes of short
 * lines, and where these end; never its text. A source and a piece of code are both lists of texts:
 * first the original, then the texts hidden in it (decoded layers) or its meaning (the code view).
 * The caller makes those.
 */
#ifndef CORDON_TRUST_EVIDENCE_SOURCE_INDEX_H
#define CORDON_TRUST_EVIDENCE_SOURCE_INDEX_H

#include <stdbool.h>

#include "trust/evidence/fingerprint.h"

enum {
	INDEX_TEXTS_MAX = 1 << 18, /* as many as a decoder gives (scan/text/decode.h) */
	INDEX_PIECE_MIN = 12,	   /* canonical characters of a line */
	INDEX_PIECE_MAX = 64,
	INDEX_PIECE_DISTINCT = 6,
	INDEX_OWN_MAX = 4 << 20, /* bytes of texts for index_without */
};

struct origin_text {
	const char *how; /* "base64", "code view"...; NULL: the original */
	const char *data;
	size_t len;
	size_t offset, span; /* its place in the original; SPAN 0: all of it */
	bool is_command;     /* shell words: a name with dots is not an attribute */
};

/* The store has these numbers: add new ones at the end. */
enum index_list {
	INDEX_SPANS,
	INDEX_ATOMS,
	INDEX_PIECES,
	INDEX_HIDDEN, /* the same three for hidden texts */
	INDEX_KEPT =
		2 * INDEX_HIDDEN, /* the bytes of the original that end a canonical character */
	INDEX_LAYERS,		  /* the places of hidden texts in the original */
	INDEX_ENDS,		  /* ends of atoms whose normal form has another length */
	INDEX_LISTS
};

/* Places are offsets in the original; in the hidden lists they are numbers of INDEX_LAYERS. A source
 * that an older version stored has only the first three lists. */
struct index {
	struct prints list[INDEX_LISTS];
};

struct index_place {
	size_t from, to; /* if equal: all of it, or unknown */
};

int index_build(const struct origin_text *text, size_t count, struct index *ret, struct err *err);
/* Adds the atoms of the source's name if that is a URL: code can have learned the address from it.
 * They have no place in the original. */
int index_name(struct index *ix, const char *name, size_t len, struct err *err);
/* Removes everything that these texts have too: their author did not learn it from this source. Texts
 * beyond INDEX_OWN_MAX are ignored. */
int index_without(struct index *ix, const struct origin_text *own, size_t count, struct err *err);
void index_done(struct index *ix);

#define AUTO_INDEX __attribute__((cleanup(index_done)))

/* The place after COUNT canonical characters from FROM; FROM if unknown. */
size_t index_end(const struct index *ix, size_t from, size_t count);
/* The end of the atom at FROM whose normal form has PLAIN bytes, of which at most ATOM_MAX count. */
size_t index_atom_end(const struct index *ix, size_t from, size_t plain);
/* The place of a hidden text. */
struct index_place index_layer(const struct index *ix, size_t number);

/* The hash of a whole short text; 0 if it is too short, too long or too uniform. *RET_COUNT: its
 * characters. */
struct canon;
uint64_t index_whole(const struct canon *c, size_t *ret_count);

#endif
