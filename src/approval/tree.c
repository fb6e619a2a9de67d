/* SPDX-License-Identifier: MIT
 *
 * See tree.h. Each entry is a line with its length in it, so no two trees write the same bytes; names
 * are in the order of their bytes. An entry is first opened as a place only (O_PATH): what it is, is
 * asked of that descriptor, and a file is opened through it, so nobody can put something else there
 * in between. One name at a time, and openat2 refuses links and whatever is mounted on the way: the
 * box may see what is below a mount.
 */
#include "approval/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/entries.h"
#include "base/scope.h"

#define PREFIX "cordon approval tree 1\n"
/* Python takes what is kept in there for the file beside it when the file has the right time. */
#define CACHE "__pycache__"

struct walk {
	struct digest state;
	const struct tree_size *most;
	struct tree_size size;
	char path[TREE_PATH_MAX + 1]; /* below the root; "" */
	size_t len;
	unsigned depth;
	uint8_t buf[TREE_READ_MAX];
};

struct entry {
	int fd; /* O_PATH */
	struct stat st;
	bool timed; /* its time counts too */
};

static const char *here(const struct walk *w)
{
	return w->len ? w->path : ".";
}

static int too_many(const struct walk *w, struct err *err)
{
	return err_set(err, ERR_LIMIT, "it has more than %llu files and directories",
		       (unsigned long long)w->most->entries);
}

static int too_large(const struct walk *w, struct err *err)
{
	return err_set(err, ERR_LIMIT, "its files have more than %llu bytes",
		       (unsigned long long)w->most->bytes);
}

static int unreadable(const struct walk *w, struct err *err)
{
	if (errno == EXDEV)
		return err_set(err, ERR_INPUT, "something is mounted at %s in it", here(w));
	return err_errno(err, ERR_INPUT, "%s in it cannot be read", here(w));
}

static void add(struct walk *w, const void *data, size_t len)
{
	digest_add(&w->state, data, len);
}

/* What it is: KIND, mode, NUMBER (a length, or which device), name. */
static void add_line(struct walk *w, char kind, const struct entry *e, uint64_t number)
{
	char line[128];
	int len = snprintf(line, sizeof(line), "%c %04o %llu %lld.%09ld %zu ", kind,
			   (unsigned)e->st.st_mode & 07777, (unsigned long long)number,
			   e->timed ? (long long)e->st.st_mtim.tv_sec : 0,
			   e->timed ? e->st.st_mtim.tv_nsec : 0, w->len);

	add(w, line, (size_t)len);
	add(w, w->path, w->len);
	add(w, "\n", 1);
}

/* Through the descriptor that was looked at. */
static int reopen(const struct entry *e)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", e->fd);
	return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_size == b->st_size && a->st_mode == b->st_mode &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static int add_file(struct walk *w, const struct entry *e, struct err *err)
{
	uint64_t left = w->most->bytes - w->size.bytes, len = 0;
	struct stat after;
	ssize_t n;

	if ((uint64_t)e->st.st_size > left)
		return too_large(w, err);
	AUTO_CLOSE int fd = reopen(e);
	if (fd < 0)
		return unreadable(w, err);
	add_line(w, 'f', e, (uint64_t)e->st.st_size);
	while ((n = read(fd, w->buf, sizeof(w->buf))) > 0) {
		len += (uint64_t)n;
		if (len > left)
			return too_large(w, err);
		add(w, w->buf, (size_t)n);
	}
	if (n < 0 || fstat(fd, &after) < 0)
		return unreadable(w, err);
	if (len != (uint64_t)e->st.st_size || !is_same(&e->st, &after))
		return err_set(err, ERR_INPUT, "somebody is changing %s in it", here(w));
	w->size.bytes += len;
	return 0;
}

static int add_link(struct walk *w, const struct entry *e, struct err *err)
{
	ssize_t n = readlinkat(e->fd, "", (char *)w->buf, TREE_LINK_MAX + 1);

	if (n < 0)
		return unreadable(w, err);
	if (n > TREE_LINK_MAX)
		return err_set(err, ERR_LIMIT, "the link %s in it is too long", here(w));
	add_line(w, 'l', e, (uint64_t)n);
	add(w, w->buf, (size_t)n);
	return 0;
}

/* By what it is; it is never opened. */
static int add_other(struct walk *w, const struct entry *e, struct err *err)
{
	char kind = S_ISFIFO(e->st.st_mode)   ? 'p'
		    : S_ISSOCK(e->st.st_mode) ? 's'
		    : S_ISCHR(e->st.st_mode)  ? 'c'
		    : S_ISBLK(e->st.st_mode)  ? 'b'
					      : 'o';

	(void)err;
	add_line(w, kind, e, e->st.st_rdev);
	return 0;
}

static int list(struct walk *w, DIR *dir, struct entries *ret, struct err *err)
{
	int r = entries_read(dir, w->most->entries - w->size.entries, ret);

	w->size.entries += ret->count;
	if (r == 0)
		return 0;
	if (errno == ENOMEM)
		return err_set(err, ERR_SYSTEM, "out of memory");
	return errno == E2BIG ? too_many(w, err) : unreadable(w, err);
}

static int add_entry(struct walk *w, const struct entry *e, struct err *err);

static int add_name(struct walk *w, int dir, const char *name, bool timed, struct err *err)
{
	struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
					  RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
	size_t before = w->len, len = strlen(name);

	if (w->len + 1 + len > TREE_PATH_MAX)
		return err_set(err, ERR_LIMIT, "names in it have more than %d bytes",
			       TREE_PATH_MAX);
	w->len += (size_t)snprintf(w->path + w->len, sizeof(w->path) - w->len, "%s%s",
				   w->len ? "/" : "", name);
	AUTO_CLOSE int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	struct entry e = {.fd = fd};
	if (fd < 0 || fstat(fd, &e.st) < 0)
		return unreadable(w, err);
	e.timed = timed && S_ISREG(e.st.st_mode);
	int r = add_entry(w, &e, err);
	w->len = before;
	w->path[before] = '\0';
	return r;
}

static int add_dir(struct walk *w, const struct entry *e, struct err *err)
{
	AUTO_ENTRIES struct entries names = {0};
	AUTO_CLOSE int fd = openat(e->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int own = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	AUTO_CLOSEDIR DIR *dir = own < 0 ? NULL : fdopendir(own);
	bool timed = false;

	if (!dir)
		return unreadable(w, err);
	scope_take_fd(&own);
	if (++w->depth > TREE_DEPTH_MAX)
		return err_set(err, ERR_LIMIT, "it is more than %d directories deep",
			       TREE_DEPTH_MAX);
	if (list(w, dir, &names, err) < 0)
		return -1;
	add_line(w, 'd', e, names.count);
	for (size_t i = 0; i < names.count; i++)
		timed |= strcmp(names.name[i], CACHE) == 0;
	for (size_t i = 0; i < names.count; i++)
		if (add_name(w, fd, names.name[i], timed, err) < 0)
			return -1;
	w->depth--;
	return 0;
}

static int add_entry(struct walk *w, const struct entry *e, struct err *err)
{
	static const struct {
		mode_t type;
		int (*add)(struct walk *w, const struct entry *e, struct err *err);
	} kinds[] = {{S_IFREG, add_file}, {S_IFDIR, add_dir}, {S_IFLNK, add_link}};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if ((e->st.st_mode & S_IFMT) == kinds[i].type)
			return kinds[i].add(w, e, err);
	return add_other(w, e, err);
}

int tree_sum(const char *path, const struct tree_size *most, struct tree_sum *ret, struct err *err)
{
	AUTO_FREE struct walk *w = calloc(1, sizeof(*w));
	AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
	struct entry e = {.fd = fd};

	if (!w)
		return err_set(err, ERR_SYSTEM, "out of memory");
	w->most = most;
	if (fd < 0 || fstat(fd, &e.st) < 0)
		return unreadable(w, err);
	digest_init(&w->state);
	add(w, PREFIX, sizeof(PREFIX) - 1);
	if (add_entry(w, &e, err) < 0)
		return -1;
	digest_end(&w->state, ret->sha256);
	ret->size = w->size;
	return 0;
}
