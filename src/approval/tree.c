/* SPDX-License-Identifier: MIT
 *
 * See tree.h. Each entry is a line with its length in it, so no two trees write the same bytes. What
 * is mounted somewhere in it is an error: the box may see what is below.
 */
#include "approval/tree.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/scope.h"
#include "base/walk.h"

#define PREFIX "cordon approval tree 1\n"
/* Python takes what is kept in there for the file beside it when the file has the right time. */
#define CACHE "__pycache__"

struct tree {
	struct digest state;
	const struct tree_size *most;
	uint64_t bytes;
	uint8_t buf[TREE_READ_MAX];
};

static int too_large(const struct tree *t, struct err *err)
{
	return err_set(err, ERR_LIMIT, "its files have more than %llu bytes",
		       (unsigned long long)t->most->bytes);
}

static void add(struct tree *t, const void *data, size_t len)
{
	digest_add(&t->state, data, len);
}

/* Its time counts too. */
static bool is_timed(const struct walk_entry *e)
{
	return S_ISREG(e->st.st_mode) && e->beside && entries_has(e->beside, CACHE);
}

/* What it is: KIND, mode, NUMBER (a length, or which device), name. */
static void add_line(struct tree *t, char kind, const struct walk_entry *e, uint64_t number)
{
	bool timed = is_timed(e);
	char line[128];
	int len = snprintf(line, sizeof(line), "%c %04o %llu %lld.%09ld %zu ", kind,
			   (unsigned)e->st.st_mode & 07777, (unsigned long long)number,
			   timed ? (long long)e->st.st_mtim.tv_sec : 0,
			   timed ? e->st.st_mtim.tv_nsec : 0, e->len);

	add(t, line, (size_t)len);
	add(t, e->path, e->len);
	add(t, "\n", 1);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mode == b->st_mode &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int add_file(struct tree *t, const struct walk_entry *e, struct err *err)
{
	uint64_t left = t->most->bytes - t->bytes, len = 0;
	struct stat after;
	ssize_t n;

	if ((uint64_t)e->st.st_size > left)
		return too_large(t, err);
	AUTO_CLOSE int fd = walk_reopen(e);
	if (fd < 0)
		return walk_unreadable(e, err);
	add_line(t, 'f', e, (uint64_t)e->st.st_size);
	while ((n = read(fd, t->buf, sizeof(t->buf))) > 0) {
		len += (uint64_t)n;
		if (len > left)
			return too_large(t, err);
		add(t, t->buf, (size_t)n);
	}
	if (n < 0 || fstat(fd, &after) < 0)
		return walk_unreadable(e, err);
	if (len != (uint64_t)e->st.st_size || !is_same(&e->st, &after))
		return err_set(err, ERR_INPUT, "somebody is changing %s in it",
			       e->len ? e->path : ".");
	t->bytes += len;
	return 0;
}

static int add_link(struct tree *t, const struct walk_entry *e, struct err *err)
{
	ssize_t n = readlinkat(e->fd, "", (char *)t->buf, TREE_LINK_MAX + 1);

	if (n < 0)
		return walk_unreadable(e, err);
	if (n > TREE_LINK_MAX)
		return err_set(err, ERR_LIMIT, "the link %s in it is too long",
			       e->len ? e->path : ".");
	add_line(t, 'l', e, (uint64_t)n);
	add(t, t->buf, (size_t)n);
	return 0;
}

/* By what it is; it is never opened. */
static int add_other(struct tree *t, const struct walk_entry *e, struct err *err)
{
	char kind = S_ISFIFO(e->st.st_mode)   ? 'p'
		    : S_ISSOCK(e->st.st_mode) ? 's'
		    : S_ISCHR(e->st.st_mode)  ? 'c'
		    : S_ISBLK(e->st.st_mode)  ? 'b'
					      : 'o';

	(void)err;
	add_line(t, kind, e, e->st.st_rdev);
	return 0;
}

static int add_dir(struct tree *t, const struct walk_entry *e, struct err *err)
{
	(void)err;
	add_line(t, 'd', e, e->names->count);
	return 0;
}

static int add_entry(void *ctx, const struct walk_entry *e, struct err *err)
{
	static const struct {
		mode_t type;
		int (*add)(struct tree *t, const struct walk_entry *e, struct err *err);
	} kinds[] = {{S_IFREG, add_file}, {S_IFDIR, add_dir}, {S_IFLNK, add_link}};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((e->st.st_mode & S_IFMT) == kinds[i].type)
			return kinds[i].add(ctx, e, err);
	return add_other(ctx, e, err);
}

int tree_sum(const char *path, const struct tree_size *most, struct tree_sum *ret, struct err *err)
{
	AUTO_FREE struct tree *t = calloc(1, sizeof(*t));
	AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
	struct walk_to to = {.entries = most->entries, .visit = add_entry, .ctx = t};

	if (!t)
		return err_memory(err);
	t->most = most;
	digest_init(&t->state);
	add(t, PREFIX, sizeof(PREFIX) - 1);
	if (walk(fd, &to, &ret->size.entries, err) < 0)
		return -1;
	digest_end(&t->state, ret->sha256);
	ret->size.bytes = t->bytes;
	return 0;
}
