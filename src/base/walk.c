/* SPDX-License-Identifier: MIT
 *
 * See walk.h. An entry's type is read from its descriptor, and the entry is opened through it, so
 * it cannot be replaced in between. openat2 refuses links and mounts.
 */
#include "base/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"

struct walker {
	const struct walk_to *to;
	uint64_t entries;
	char path[WALK_PATH_MAX + 1];
	size_t len;
	unsigned depth;
};

int walk_unreadable(const struct walk_entry *e, struct err *err)
{
	const char *name = e->len ? e->path : ".";

	if (errno == EXDEV)
		return err_set(err, ERR_INPUT, "a file system is mounted at %s in it", name);
	return err_errno(err, ERR_INPUT, "%s in it cannot be read", name);
}

int walk_reopen(const struct walk_entry *e)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", e->fd);
	return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static int list(struct walker *w, const struct walk_entry *e, DIR *dir, struct dir_entries *ret,
		struct err *err)
{
	int r = dir_entries_read(dir, w->to->entries - w->entries, ret);

	w->entries += ret->count;
	if (r == 0)
		return 0;
	if (errno == ENOMEM)
		return err_memory(err);
	if (errno != E2BIG)
		return walk_unreadable(e, err);
	return err_set(err, ERR_LIMIT, "it has more than %llu files and directories",
		       (unsigned long long)w->to->entries);
}

static int visit(struct walker *w, struct walk_entry *e, struct err *err);

/* The entry's name alone: its path does not fit. It is skipped, or ends the walk. */
static int leave_out(const struct walker *w, int dir, const char *name, const struct err *err)
{
	bool is_full = err->code == ERR_LIMIT && w->entries >= w->to->entries;
	struct stat st;

	if (!w->to->leaves || is_full || (err->code != ERR_INPUT && err->code != ERR_LIMIT))
		return -1;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
		w->to->leaves(w->to->ctx, w->path, name);
	return 0;
}

static int open_name(struct walker *w, int dir, const char *name, const struct dir_entries *beside,
		     struct err *err)
{
	struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
					  RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};

	if (w->len + 1 + strlen(name) > WALK_PATH_MAX)
		return err_set(err, ERR_LIMIT, "paths in it have more than %d bytes",
			       WALK_PATH_MAX);
	w->len += (size_t)snprintf(w->path + w->len, sizeof(w->path) - w->len, "%s%s",
				   w->len ? "/" : "", name);
	AUTO_CLOSE int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	struct walk_entry e = {.fd = fd, .path = w->path, .len = w->len, .beside = beside};
	if (fd < 0 || fstat(fd, &e.st) < 0)
		return walk_unreadable(&e, err);
	return visit(w, &e, err);
}

static int visit_name(struct walker *w, int dir, const char *name, const struct dir_entries *beside,
		      struct err *err)
{
	size_t before = w->len;
	unsigned depth = w->depth;

	int r = open_name(w, dir, name, beside, err);
	w->len = before;
	w->path[before] = '\0';
	w->depth = depth;
	return r < 0 ? leave_out(w, dir, name, err) : 0;
}

static int visit_dir(struct walker *w, struct walk_entry *e, struct err *err)
{
	AUTO_DIR_ENTRIES struct dir_entries names = {0};
	AUTO_CLOSE int fd = openat(e->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_CLOSE int own = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	AUTO_CLOSEDIR DIR *dir = own < 0 ? NULL : fdopendir(own);

	if (!dir)
		return walk_unreadable(e, err);
	scope_take_fd(&own);
	if (++w->depth > WALK_DEPTH_MAX)
		return err_set(err, ERR_LIMIT, "it is more than %d directories deep",
			       WALK_DEPTH_MAX);
	if (list(w, e, dir, &names, err) < 0)
		return -1;
	e->names = &names;
	if (w->to->visit(w->to->ctx, e, err) < 0)
		return -1;
	for (size_t i = 0; i < names.count; i++)
		if (visit_name(w, fd, names.name[i], &names, err) < 0)
			return -1;
	return 0;
}

static int visit(struct walker *w, struct walk_entry *e, struct err *err)
{
	return S_ISDIR(e->st.st_mode) ? visit_dir(w, e, err) : w->to->visit(w->to->ctx, e, err);
}

int walk(int dir, const struct walk_to *to, uint64_t *ret_entries, struct err *err)
{
	AUTO_FREE struct walker *w = calloc(1, sizeof(*w));

	if (!w)
		return err_memory(err);
	w->to = to;
	struct walk_entry e = {.fd = dir, .path = w->path};
	if (dir < 0 || fstat(dir, &e.st) < 0)
		return walk_unreadable(&e, err);
	int r = visit(w, &e, err);
	*ret_entries = w->entries;
	return r;
}
