/* SPDX-License-Identifier: MIT
 *
 * Labels of files that runs wrote, and of what was read, so that it does not become clean by being
 * written down: by where a file is and what is in it, and by what is in it alone, wherever it went.
 * Looked up when a later run is given it or an agent reads it, in any domain.
 */
#ifndef CORDON_ORIGIN_FILELABEL_H
#define CORDON_ORIGIN_FILELABEL_H

#include <sys/types.h>

#include "origin/keeper.h"

enum {
	FILE_HASH_MIN = 8,    /* bytes: what is shorter is not known by its content alone */
	FILES_MAX = 4096,     /* in one call, */
	FILES_EACH = 340,     /* and in one transaction */
	FILE_SIZES = 1 << 17, /* what sizes are told apart */
};

struct file_key {
	dev_t dev; /* with INO 0: not known */
	ino_t ino;
	const uint8_t *sha256;
	uint64_t bytes;
};

/* Before anybody may read them. A file that has a label already gets the lower of both. */
int file_labels_commit(struct keeper *k, const struct file_key *file, size_t count,
		       const struct label *label, struct err *err);
/* The same in a transaction, of FILES_EACH at most; with ERR_CONFLICT it is made anew. 1: there is
 * something new in it. */
int file_labels_add(struct keeper *k, const struct file_key *file, size_t count,
		    const struct label *label, struct store_tx *tx, struct err *err);
/* *RET_KNOWN false: no run of ours wrote it, *RET is unknown's label. */
int file_label_find(struct keeper *k, const struct file_key *file, struct label *ret,
		    bool *ret_known, struct err *err);
/* A directory that a run could write into, and those above it: what is below may be what it wrote,
 * whatever it is called and whatever is in it now. */
enum dir_mark { DIR_WRITTEN, DIR_ABOVE, DIR_MARKS };
int dir_label_find(struct keeper *k, enum dir_mark mark, dev_t dev, ino_t ino, struct label *ret,
		   bool *ret_known, struct err *err);
/* Is there a directory that a run could write into? */
int dir_label_any(struct keeper *k, bool *ret, struct err *err);
/* In the transaction that starts the run, which expects the marks and says that it adds to them. 1: it
 * does; 0: that was known. */
int dir_label_add(struct keeper *k, enum dir_mark mark, dev_t dev, ino_t ino,
		  const struct label *label, struct store_tx *tx, struct err *err);
/* Those of which any file is known, about: what is false here need not be hashed. */
struct file_sizes {
	bool any;
	uint8_t bit[FILE_SIZES / 8];
};
int file_sizes_load(struct keeper *k, struct file_sizes *ret, struct err *err);
bool file_sizes_has(const struct file_sizes *s, uint64_t bytes);

/* Of all labels of files and directories together: another number whenever one of them is new or has
 * gone down. Read before they are, and expected by who acts on them, in one transaction. */
int file_marks_load(struct keeper *k, uint64_t *ret, struct err *err);
/* ADDS: the same transaction writes some. */
void file_marks_expect(uint64_t version, bool adds, struct store_tx *tx);
/* Something is new. */
void file_marks_touch(struct store_tx *tx);

/* These bytes are no better than LABEL for good, wherever they are seen again. */
int file_label_keep(struct keeper *k, const uint8_t sha256[KEEPER_SHA256], uint64_t bytes,
		    const struct label *label, struct store_tx *tx, struct err *err);

#endif
