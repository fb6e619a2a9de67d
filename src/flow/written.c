/* SPDX-License-Identifier: MIT
 *
 * See written.h. What was committed the result lists; in a workspace that a run wrote into directly
 * (:rw) it is whatever is stamped since it began. The kernel stamps every change (ctime), and
 * nobody in the box can set that.
 */
#include "flow/written.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/scope.h"
#include "base/walk.h"
#include "flow/payload.h"

enum {
	ENTRIES_MAX = 50000, /* files and directories that are looked through */
	REST_MAX = 64,	     /* files that are left for the transaction of the result */
};

struct written {
	struct keeper *k;
	const struct written_ask *ask;
	uint64_t files, bytes; /* that may still be remembered */
	bool lost;
	size_t count; /* that are not kept yet */
	struct file_key key[FILES_EACH];
	uint8_t sha256[FILES_EACH][KEEPER_SHA256];
};

static int keep(struct written *w, struct err *err)
{
	size_t count = w->count;

	w->count = 0;
	return file_labels_commit(w->k, w->key, count, w->ask->label, err);
}

/* FD is a file, or -1: then it could not be opened. */
static int add(struct written *w, int fd, struct err *err)
{
	struct stat st;
	bool is_there = fd >= 0 && fstat(fd, &st) == 0;

	if (is_there && !S_ISREG(st.st_mode))
		return 0;
	if (!is_there || !w->files || (uint64_t)st.st_size > w->bytes) {
		w->lost = true;
		return 0;
	}
	w->files--;
	w->bytes -= (uint64_t)st.st_size;
	if (payload_hash_file(fd, w->sha256[w->count], err) < 0) {
		w->lost = true;
		return 0;
	}
	w->key[w->count] =
		(struct file_key){st.st_dev, st.st_ino, w->sha256[w->count], (uint64_t)st.st_size};
	return ++w->count == FILES_EACH ? keep(w, err) : 0;
}

/* What was not written back has a note. */
static int add_committed(struct written *w, struct err *err)
{
	const struct result *r = w->ask->committed;

	for (size_t i = 0; i < r->changec; i++) {
		const struct change *c = &r->changes[i];
		if (c->change == CHANGE_DELETED || c->note || c->type == TYPE_DIR)
			continue;
		AUTO_CLOSE int fd = beneath_open(w->ask->dir, c->path,
						 O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		if (add(w, fd, err) < 0)
			return -1;
	}
	return 0;
}

static bool is_stamped(const struct written *w, const struct stat *st)
{
	const struct timespec *a = &st->st_ctim, *b = &w->ask->began;

	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec >= b->tv_nsec);
}

static bool skips(void *ctx, const struct stat *st)
{
	return !S_ISREG(st->st_mode) || !is_stamped(ctx, st);
}

static int visit(void *ctx, const struct walk_entry *e, struct err *err)
{
	if (S_ISDIR(e->st.st_mode))
		return 0;
	AUTO_CLOSE int fd = walk_reopen(e);
	return add(ctx, fd, err);
}

/* A file that was not changed is none of it. A directory is no older than what is in it, and whoever may
 * not read it may write there all the same, or go deeper than we do. */
static void leaves(void *ctx, const struct stat *st)
{
	struct written *w = ctx;

	w->lost |= !st || S_ISDIR(st->st_mode) || is_stamped(w, st);
}

static int add_stamped(struct written *w, struct err *err)
{
	struct walk_to to = {.entries = ENTRIES_MAX,
			     .goes_on = true,
			     .leaves = leaves,
			     .skips = skips,
			     .visit = visit,
			     .ctx = w};
	uint64_t seen;
	struct err why;

	if (walk(w->ask->dir, &to, &seen, &why) == 0)
		return 0;
	if (why.code == ERR_LIMIT || why.code == ERR_INPUT) {
		w->lost = true;
		return 0;
	}
	*err = why;
	return -1;
}

int written_see(struct keeper *k, const struct written_ask *ask, struct written **ret,
		struct err *err)
{
	struct written *w = malloc(sizeof(*w));

	if (!w)
		return err_memory(err);
	w->k = k;
	w->ask = ask;
	w->files = ask->files;
	w->bytes = ask->bytes;
	w->lost = false;
	w->count = 0;
	if ((ask->committed ? add_committed(w, err) : add_stamped(w, err)) < 0 ||
	    (w->count > REST_MAX && keep(w, err) < 0)) {
		free(w);
		return -1;
	}
	*ret = w;
	return 0;
}

bool written_is_lost(const struct written *w)
{
	return w->lost;
}

int written_keep(const struct written *w, struct store_tx *tx, struct err *err)
{
	return file_labels_add(w->k, w->key, w->count, w->ask->label, tx, err) < 0 ? -1 : 0;
}

bool written_has(const struct written *w, const uint8_t sha256[KEEPER_SHA256])
{
	for (size_t i = 0; i < w->count; i++)
		if (memcmp(w->sha256[i], sha256, KEEPER_SHA256) == 0)
			return true;
	return false;
}

void written_free(struct written *w)
{
	free(w);
}
