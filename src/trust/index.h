/* SPDX-License-Identifier: MIT
 *
 * All that is kept of a source to recognise parts of it later: fingerprints, atoms, and hashes of
 * its short lines; and where in it those end, without its text. A source and a piece of code are both
 * given as texts: first the thing itself, then what is hidden in it (decoded layers) or what it means
 * (the code view). Who makes those knows how; here they are only texts.
 */
#ifndef CORDON_TRUST_INDEX_H
#define CORDON_TRUST_INDEX_H

#include <stdbool.h>

#include "trust/prints.h"

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
	bool is_command;     /* its words are a shell's: a name with dots in it is no attribute */
};

/* Their numbers are in the store: new ones come last. */
enum index_list {
	INDEX_SPANS,
	INDEX_ATOMS,
	INDEX_PIECES,
	INDEX_HIDDEN,		       /* the same three of what is hidden in it */
	INDEX_KEPT = 2 * INDEX_HIDDEN, /* which bytes of the thing end a canonical character */
	INDEX_LAYERS,		       /* where what is hidden lies in the thing */
	INDEX_ENDS, /* where atoms end that are longer or shorter in the thing than plainly written */
	INDEX_LISTS
};

/* Places are offsets in the thing itself; in the hidden lists numbers of INDEX_LAYERS. A source that was
 * read by an older Cordon has its first three lists only, all places in them, and no ends. */
struct index {
	struct prints list[INDEX_LISTS];
};

struct index_place {
	size_t from, to; /* the same: all over it, or nobody knows */
};

int index_build(const struct origin_text *text, size_t count, struct index *ret, struct err *err);
/* What it is called, where that is an URL: whoever goes there has it from this source, too. Nothing in
 * the thing itself is its place. */
int index_name(struct index *ix, const char *name, size_t len, struct err *err);
/* Takes out what these texts have too: whoever wrote them has not learned it from this source. Texts
 * beyond INDEX_OWN_MAX take nothing out. */
int index_without(struct index *ix, const struct origin_text *own, size_t count, struct err *err);
void index_done(struct index *ix);

#define AUTO_INDEX __attribute__((cleanup(index_done)))

/* Where COUNT canonical characters end that begin at FROM; FROM itself, where nobody knows. */
size_t index_end(const struct index *ix, size_t from, size_t count);
/* Where an atom ends that begins at FROM and is PLAIN bytes long, written plainly. Beyond ATOM_MAX nobody
 * has looked. */
size_t index_atom_end(const struct index *ix, size_t from, size_t plain);
/* Where a hidden text lies. */
struct index_place index_layer(const struct index *ix, size_t number);

/* The hash of a short text as a whole, 0 when it is too short, too long or too plain; of how many
 * characters it is. */
struct canon;
uint64_t index_whole(const struct canon *c, size_t *ret_count);

#endif
