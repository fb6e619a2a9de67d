/* SPDX-License-Identifier: MIT
 *
 * A conversation's overlay of a directory: the changes of its runs that wait to be applied. It is a
 * directory of the state, STATE/overlays/CONVERSATION/DEVICE-INODE:
 *
 *     tree      the saved changes, as overlayfs writes an upper directory
 *     base      what the directory had at each path when the path was first changed or hidden
 *     pending   a saved run that is still to be merged into tree; incoming: one that was never complete
 *     journal   an apply that has begun; gone: what a reset removes
 *
 * overlay_open finishes what a killed process had begun. Nothing here writes to the directory itself but
 * overlay_apply and its journal.
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

#define OVERLAY_BYTES_MAX                                                                          \
	(4ULL << 30)		    /* of the files that wait, with those of the run to be saved */
#define OVERLAY_ENTRIES_MAX 100000U /* paths changed or hidden */

enum {
	OVERLAY_CONVERSATION = 16,
	OVERLAY_NAME = 128,
	OVERLAY_DEPTH_MAX = 256, /* directories in each other: each takes two of 1024 descriptors */
};

struct overlay {
	int dir;       /* locked as long as it is open; or -1 */
	bool finished; /* an apply that was interrupted has been finished */
	uint64_t bytes_max;
	size_t entries_max;
	char tree[OVERLAY_NAME]; /* the path of tree below the state directory */
};
#define OVERLAY_CLOSED                                                                             \
	{                                                                                          \
		.dir = -1                                                                          \
	}
#define AUTO_OVERLAY __attribute__((cleanup(overlay_close)))

/* ERR_CONFLICT: another process has it open; or an apply was interrupted, and the paths that are named
 * could not be finished. The latter is told once. */
int overlay_open(struct overlay *ret, int state, const uint8_t conversation[OVERLAY_CONVERSATION],
		 int workspace, struct err *err);
void overlay_close(struct overlay *o);
/* The saved tree, for a box; -1 with errno, ENOENT: nothing is saved. */
int overlay_open_tree(const struct overlay *o);

/* What did not come through: set-id bits and extended attributes, and what is no file, directory or link. */
struct overlay_losses {
	size_t left_out, stripped;
	char first[CORDON_CHANGE_PATH_MAX + 1]; /* the first path of either */
};
/* After a run. UPPER was written by hostile code that is dead. SINCE: files of the directory that changed
 * from then on count as moved. On failure what was saved before is whole. */
int overlay_save(struct overlay *o, int upper, int workspace, struct timespec since,
		 struct overlay_losses *ret, struct err *err);

/* OVERLAY_OTHER is what cannot be compared: a device, a FIFO, a socket, a file that cannot be read. */
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
	unsigned mode; /* permissions of a file or directory; a directory's owner always has all */
	uint64_t size; /* of a file, or of a link's target; and their hash: */
	uint8_t sha256[DIGEST_BYTES];
};

enum overlay_change { OVERLAY_CREATED, OVERLAY_MODIFIED, OVERLAY_DELETED, OVERLAY_MODE };
enum overlay_rule {
	OVERLAY_NEVER, /* not applied */
	OVERLAY_NAMED, /* only under a ticket that names the path */
	OVERLAY_FREE,
};

struct overlay_entry {
	char *path;
	enum overlay_change change;
	struct overlay_state before,
		after; /* as the directory has it now, and as the overlay shows it */
	bool moved;    /* the directory no longer has what the program saw */
	enum overlay_rule rule;
	const char *note; /* why it is not OVERLAY_FREE */
};

struct overlay_diff {
	struct overlay_entry *entry; /* in the order of paths */
	size_t count, room;
};

/* *RET is zeroed memory, and to be freed on failure too. */
int overlay_diff(const struct overlay *o, int workspace, struct overlay_diff *ret, struct err *err);
void overlay_diff_done(struct overlay_diff *d);
#define AUTO_DIFF __attribute__((cleanup(overlay_diff_done)))
/* The hash of all paths with what is before and after. */
int overlay_diff_id(const struct overlay_diff *d, uint8_t ret[DIGEST_BYTES], struct err *err);

/* Writes the entries of D for which CHOSEN is true. ERR_CONFLICT: D no longer holds, nothing was written.
 * Other failures name a path; what was written is no longer in the overlay, the rest still is. */
int overlay_apply(struct overlay *o, int workspace, const struct overlay_diff *d,
		  const bool *chosen, struct err *err);
/* Closes it, and removes what it left in the state directory if nothing waits in it: its conversation has
 * no later run. */
void overlay_close_last(struct overlay *o, int state, int workspace);
/* Drops all of it, damaged or not. An apply that was interrupted is finished first (*RET_FINISHED). */
int overlay_reset(int state, const uint8_t conversation[OVERLAY_CONVERSATION], int workspace,
		  bool *ret_finished, struct err *err);

#endif
