/* SPDX-License-Identifier: MIT
 *
 * A conversation's overlay of a directory: the pending changes of its runs. It is a directory of the
 * state, STATE/overlays/CONVERSATION/DEVICE-INODE:
 *
 *     tree      the saved changes, as overlayfs writes an upper directory
 *     base      the state of each path in the directory when it was first changed or hidden
 *     pending   a saved run to be merged into tree; incoming: an incomplete one
 *     first     the tree before the first save of a live box, until it ends
 *     live      the name of the live box that holds it
 *     journal   an apply that has begun; gone: data that a reset removes
 *
 * overlay_open finishes the operation of a killed process. Only overlay_apply, also from its journal,
 * writes to the directory itself.
 */
#ifndef CORDON_OVERLAY_OVERLAY_H
#define CORDON_OVERLAY_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/digest.h"
#include "base/err.h"
#include "model/limit.h"

#define OVERLAY_BYTES_MAX (4ULL << 30) /* of pending files, including the run to be saved */
#define OVERLAY_ENTRIES_MAX 100000U    /* paths changed or hidden */

enum {
	OVERLAY_CONVERSATION = 16,
	OVERLAY_NAME = 128,
	OVERLAY_DEPTH_MAX = 256, /* nested directories: each takes two of 1024 descriptors */
};

struct overlay {
	int dir;       /* locked while it is open; or -1 */
	bool finished; /* an interrupted apply has been finished */
	bool is_live;  /* of a live box, which runs: each save replaces the one before */
	uint64_t bytes_max;
	size_t entries_max;
	char tree[OVERLAY_NAME]; /* the path of tree below the state directory */
};
#define OVERLAY_CLOSED                                                                             \
	{                                                                                          \
		.dir = -1                                                                          \
	}
#define AUTO_OVERLAY __attribute__((cleanup(overlay_close)))

/* ERR_CONFLICT: another process has it open; or the named paths of an interrupted apply could not be
 * finished, which is reported once. */
int overlay_open(struct overlay *ret, int state, const uint8_t conversation[OVERLAY_CONVERSATION],
		 int workspace, struct err *err);
/* DIR was open and locked in another process, which has passed it on. */
struct overlay overlay_adopt(int dir);
/* The live box NAME will hold it: no process waits for that. */
int overlay_lend(const struct overlay *o, const char *name, struct err *err);
void overlay_close(struct overlay *o);
/* Opens the saved tree for a box. -1 with errno; ENOENT: nothing is saved. */
int overlay_open_tree(const struct overlay *o);

/* Not saved: set-id bits, extended attributes, and everything but files, directories and links. */
struct overlay_losses {
	size_t saved, left_out, stripped;
	char first[CORDON_CHANGE_PATH_MAX + 1]; /* the first such path */
};
/* Saves the changes of a run. UPPER was written by hostile code. Files of the directory that
 * changed after SINCE count as moved. A failure does not damage earlier changes. */
int overlay_save(struct overlay *o, int upper, int workspace, struct timespec since,
		 struct overlay_losses *ret, struct err *err);

/* OVERLAY_OTHER cannot be compared: a device, a FIFO, a socket, an unreadable file. */
enum overlay_type {
	OVERLAY_ABSENT,
	OVERLAY_FILE,
	OVERLAY_DIR,
	OVERLAY_LINK,
	OVERLAY_OTHER,
	OVERLAY_TYPES
};

struct overlay_state {
	enum overlay_type type;
	unsigned mode; /* permissions; the owner of a directory always has all */
	uint64_t size; /* of a file or of a link's target; SHA256 is their hash */
	uint8_t sha256[DIGEST_BYTES];
};

enum overlay_change { OVERLAY_CREATED, OVERLAY_MODIFIED, OVERLAY_DELETED, OVERLAY_MODE };
enum overlay_rule {
	OVERLAY_NEVER, /* is not applied */
	OVERLAY_NAMED, /* is applied only if a ticket names the path */
	OVERLAY_FREE,
};

struct overlay_entry {
	char *path;
	enum overlay_change change;
	struct overlay_state before, after; /* in the directory now, and in the overlay */
	bool moved;			    /* the directory has changed since the program saw it */
	enum overlay_rule rule;
	const char *note; /* why it is not OVERLAY_FREE */
};

struct overlay_diff {
	struct overlay_entry *entry; /* sorted by path */
	size_t count, room;
};

/* *RET must be zeroed before, and freed after a failure too. */
int overlay_diff(const struct overlay *o, int workspace, struct overlay_diff *ret, struct err *err);
void overlay_diff_done(struct overlay_diff *d);
#define AUTO_DIFF __attribute__((cleanup(overlay_diff_done)))
/* The hash of all paths with their states before and after. */
int overlay_diff_id(const struct overlay_diff *d, uint8_t ret[DIGEST_BYTES], struct err *err);

/* Writes the entries of D for which CHOSEN is true. ERR_CONFLICT: D is out of date, and nothing was
 * written. Other failures name a path; written entries have left the overlay, the others stay. */
int overlay_apply(struct overlay *o, int workspace, const struct overlay_diff *d,
		  const bool *chosen, struct err *err);
/* Closes the overlay and removes it if it has no pending changes; its conversation has no later run. */
void overlay_close_last(struct overlay *o, int state, int workspace);
/* The number of unfinished applies of all conversations. */
size_t overlay_unfinished(int state);
/* Drops the overlay, damaged or not. An interrupted apply is finished first (*RET_FINISHED). */
int overlay_reset(int state, const uint8_t conversation[OVERLAY_CONVERSATION], int workspace,
		  bool *ret_finished, struct err *err);

#endif
