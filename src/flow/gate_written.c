/* SPDX-License-Identifier: MIT
 *
 * What an untrusted run has written is known by what is in it, so that it is known wherever it is moved
 * to: what was committed, as the result lists it; in a workspace that it wrote into directly (:rw),
 * whatever is stamped since it began. The kernel stamps every change (ctime), and nobody in the box can
 * set that. The directory's mark holds for what is too many, too large or too deep.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/walk.h"
#include "flow/beneath.h"
#include "flow/gate.h"

struct written {
	struct timespec began;
	uint64_t left; /* bytes that may still be hashed */
	size_t count;
	struct file_key key[FILES_MAX];
	uint8_t sha256[FILES_MAX][KEEPER_SHA256];
};

/* FD is a file, or -1. */
static int add(struct written *w, int fd, struct err *err)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size > w->left || w->count == FILES_MAX)
		return 0;
	w->left -= (uint64_t)st.st_size;
	if (payload_hash_file(fd, w->sha256[w->count], err) < 0)
		return -1;
	w->key[w->count] =
		(struct file_key){st.st_dev, st.st_ino, w->sha256[w->count], (uint64_t)st.st_size};
	w->count++;
	return 0;
}

static int add_committed(struct written *w, int dir, const struct result *r, struct err *err)
{
	for (size_t i = 0; i < r->changec && w->count < FILES_MAX; i++) {
		AUTO_CLOSE int fd = -1;
		if (r->changes[i].change != CHANGE_DELETED)
			fd = beneath_open(dir, r->changes[i].path,
					  O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (add(w, fd, err) < 0)
			return -1;
	}
	return 0;
}

static bool skips(void *ctx, const struct stat *st)
{
	const struct written *w = ctx;
	const struct timespec *a = &st->st_ctim, *b = &w->began;

	return !S_ISREG(st->st_mode) || a->tv_sec < b->tv_sec ||
	       (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

static int visit(void *ctx, const struct walk_entry *e, struct err *err)
{
	if (S_ISDIR(e->st.st_mode))
		return 0;
	AUTO_CLOSE int fd = walk_reopen(e);
	return add(ctx, fd, err);
}

static int add_stamped(struct written *w, int dir, struct err *err)
{
	struct walk_to to = {.entries = GATE_KNOWN_ENTRIES,
			     .goes_on = true,
			     .skips = skips,
			     .visit = visit,
			     .ctx = w};
	uint64_t seen;
	struct err why;

	if (walk(dir, &to, &seen, &why) == 0 || why.code == ERR_LIMIT || why.code == ERR_INPUT)
		return 0;
	*err = why;
	return -1;
}

int gate_label_files(struct gate *g, const struct result *r, const struct label *label,
		     struct err *err)
{
	bool is_rw = g->confined.workspace && g->confined.workspace_mode == WORKSPACE_RW;

	if (label->integrity >= INTEGRITY_TOOL || !(is_rw || (r->committed && r->changec)))
		return 0;
	AUTO_FREE struct written *w = malloc(sizeof(*w));
	if (!w)
		return err_set(err, ERR_SYSTEM, "out of memory");
	w->began = g->began;
	w->left = GATE_KNOWN_BYTES;
	w->count = 0;
	int dir = g->bp->workspace;
	if ((is_rw ? add_stamped(w, dir, err) : add_committed(w, dir, r, err)) < 0)
		return -1;
	return file_labels_commit(&g->state.keeper, w->key, w->count, label, err);
}
