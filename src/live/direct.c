/* SPDX-License-Identifier: MIT
 *
 * See direct.h. Other processes may change the directory during the walk, so every step uses
 * descriptors and follows no link. Between its creation and the end of the run, the user's tools
 * can see a new protected path (docs/explanation/THREATS.md).
 */
#include "live/direct.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/io.h"
#include "base/parent_dir.h"
#include "base/scope.h"
#include "live/mounts.h"
#include "overlay/protected.h"

int direct_open(struct direct_dirs *all, const char *path, const struct stat *must, int rw,
		struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "%s", path);
	if (!parent_dir_is_same(&st, must))
		return err_replaced(err, path);
	if (all->count == DIRECT_DIRS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d directories to write to",
			       DIRECT_DIRS_MAX);
	all->at[all->count++] = (struct direct_dir){scope_take_fd(&fd), path, rw};
	return 0;
}

void direct_close(struct direct_dirs *all)
{
	while (all->count)
		scope_close(&all->at[--all->count].fd);
}

struct finder {
	const struct spec *spec;
	const char *top; /* the path where the walk began */
	/* The directory of the walk, relative to where it began; "" or with a / at its end. */
	char path[PATH_MAX];
	size_t entries, entries_max;
	/* After a run: the walk gives the owner access to every directory, continues after an
	 * error, and skips names that begin with OWN. */
	const char *own;
	struct err *first;
	/* Called for an entry of DIR that is protected, or too deep for the walk
	 * (PROTECTED_NOT). */
	int (*take)(struct finder *f, int dir, const char *name, enum protected_kind kind,
		    struct err *err);
	void *context;
};

static int refuse_size(struct err *err)
{
	err_set(err, ERR_LIMIT, "the directory has more than %d entries", DIRECT_ENTRIES_MAX);
	err_cause(err, "Cordon checks all of it before a program may write to it directly");
	err_cure(err, "use :overlay, or a smaller directory");
	return -1;
}

/* Adds the bits MORE to the mode. chmod through /proc, because fchmod refuses O_PATH. */
static int add_mode(int dir, const char *name, mode_t more)
{
	AUTO_CLOSE int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char proc[32];
	struct stat st;

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	return S_ISLNK(st.st_mode) ? 0 : chmod(proc, (st.st_mode & 07777) | more);
}

static int open_below(const struct finder *f, int dir, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int below = openat(dir, name, flags);

	if (below < 0 && errno == EACCES && f->own && add_mode(dir, name, 0700) == 0)
		below = openat(dir, name, flags);
	return below;
}

/* The mask of NAME in the directory of the walk, or NULL. */
static const struct spec_mask *find_mask(const struct finder *f, const char *name, bool frozen)
{
	size_t len = strlen(f->path);

	for (size_t i = 0; i < f->spec->maskc; i++) {
		const struct spec_mask *m = &f->spec->mask[i];
		const char *rest = m->frozen == frozen ? path_below(m->path, f->top) : NULL;
		if (rest && strncmp(rest, f->path, len) == 0 && strcmp(rest + len, name) == 0)
			return m;
	}
	return NULL;
}

/* The box shows something empty in its place, so no program could write there. */
static bool is_covered(const struct finder *f, int dir, const char *name)
{
	const struct spec_mask *m = find_mask(f, name, false);
	struct stat st;

	return m && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       m->identity.dev == st.st_dev && m->identity.ino == st.st_ino;
}

static int find(struct finder *f, int dir, enum protected_place place, unsigned depth,
		struct err *err);

static int find_below(struct finder *f, int dir, const char *name, enum protected_place place,
		      unsigned depth, struct err *err)
{
	size_t len = strlen(f->path);

	if (depth == DIRECT_DEPTH_MAX || len + strlen(name) + 2 > sizeof(f->path) - NAME_MAX)
		return f->take(f, dir, name, PROTECTED_NOT, err);
	int below = open_below(f, dir, name);
	if (below < 0 && (errno == ENOTDIR || errno == ELOOP || errno == ENOENT))
		return 0;
	if (below < 0) {
		err_errno(err, ERR_INPUT, "looking into %.200s%s", f->path, name);
		err_cure(err, "use :overlay, or make that directory readable");
		return -1;
	}
	snprintf(f->path + len, sizeof(f->path) - len, "%s/", name);
	int r = find(f, below, protected_below(name, place), depth + 1, err);
	f->path[len] = '\0';
	return r;
}

static bool is_directory(int dir, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type == DT_DIR;
	return fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* After a run the walk continues. */
static int keep_error(struct finder *f, struct err *err)
{
	if (!f->first)
		return -1;
	if (!f->first->code)
		*f->first = *err;
	*err = (struct err){0};
	return 0;
}

/* Closes DIR. */
static int find(struct finder *f, int dir, enum protected_place place, unsigned depth,
		struct err *err)
{
	AUTO_CLOSEDIR DIR *d = fdopendir(dir);
	struct dirent *e;
	int r = 0;

	if (!d) {
		scope_close(&dir);
		return err_memory(err);
	}
	if (place == PLACE_PLAIN && faccessat(dir, "HEAD", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		place = PLACE_BARE;
	while (r == 0 && (e = io_readdir(d))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    (f->own && strncmp(e->d_name, f->own, strlen(f->own)) == 0) ||
		    is_covered(f, dirfd(d), e->d_name))
			continue;
		if (++f->entries > f->entries_max)
			return refuse_size(err);
		bool is_dir = is_directory(dirfd(d), e);
		enum protected_kind kind = protected_entry(e->d_name, is_dir, place);
		/* Git's data are regular files. Through a link, git would write outside the
		 * directory. */
		if (e->d_type == DT_LNK && (place == PLACE_GIT || place == PLACE_GIT_DATA))
			kind = PROTECTED;
		if (kind != PROTECTED_NOT)
			r = f->take(f, dirfd(d), e->d_name, kind, err);
		else if (is_dir)
			r = find_below(f, dirfd(d), e->d_name, place, depth, err);
		r = r < 0 ? keep_error(f, err) : r;
	}
	return r;
}

/* Inode numbers are reused, so the time of creation also identifies a file. 0: not known to the
 * file system. */
static uint64_t birth_ns(int dir, const char *name)
{
	struct statx st;

	if (statx(dir, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) < 0 ||
	    !(st.stx_mask & STATX_BTIME))
		return 0;
	return (uint64_t)st.stx_btime.tv_sec * 1000000000 + st.stx_btime.tv_nsec;
}

struct protection {
	struct spec *spec;
	struct arena *arena;
};

static int protect(struct finder *f, int dir, const char *name, enum protected_kind kind,
		   struct err *err)
{
	struct protection *p = f->context;
	struct stat st;

	if (kind == PROTECTED_NOT) {
		err_set(err, ERR_LIMIT, "%.200s...: the directory is nested too deeply", f->path);
		err_cure(err, "use :overlay");
		return -1;
	}
	if (kind == PROTECTED_COMPILED || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (p->spec->maskc == SPEC_MASKS_MAX) {
		err_set(err, ERR_LIMIT, "the directory has more than %d protected paths",
			SPEC_MASKS_MAX);
		err_cure(err, "use :overlay");
		return -1;
	}
	p->spec->mask[p->spec->maskc++] =
		(struct spec_mask){.path = arena_printf(p->arena, "%s/%s%s", f->top, f->path, name),
				   .identity = {st.st_dev, st.st_ino, 0},
				   .frozen = true,
				   .born_ns = birth_ns(dir, name)};
	return 0;
}

int direct_protect(const struct direct_dir *d, struct spec *s, struct arena *a, struct err *err)
{
	struct protection p = {s, a};
	struct finder f = {.spec = s,
			   .top = d->path,
			   .take = protect,
			   .context = &p,
			   .entries_max = DIRECT_ENTRIES_MAX};
	int dir = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return err_errno(err, ERR_INPUT, "opening %s", d->path);
	if (find(&f, dir, PLACE_PLAIN, 0, err) < 0)
		return -1;
	return a->failed ? err_memory(err) : 0;
}

/* A moved path keeps its relative path in a new directory, which overlay_save takes as a layer.
 * The name of that directory is random, so that no program can create it first. */
struct collection {
	struct timespec began;
	const struct direct_dir *from;
	struct direct_taken *taken;
	unsigned deep, aside;
};

static bool is_since(const struct stat *st, const struct timespec *t)
{
	return st->st_ctim.tv_sec > t->tv_sec ||
	       (st->st_ctim.tv_sec == t->tv_sec && st->st_ctim.tv_nsec >= t->tv_nsec);
}

/* True for a path of before the run, which was read-only in the box. If the user replaced it
 * during the run, the mount was lost and the box may have written to the new file: then false. */
static bool is_frozen(const struct finder *f, int dir, const char *name, const struct stat *st)
{
	const struct spec_mask *m = find_mask(f, name, true);

	return m && m->identity.ino == st->st_ino && m->born_ns == birth_ns(dir, name);
}

/* Makes the directories of PATH below TO and opens the last one. */
static int make_parents(int to, const char *path)
{
	char part[NAME_MAX + 1];
	int dir = fcntl(to, F_DUPFD_CLOEXEC, 0);

	for (const char *at = path; dir >= 0 && *at; at += strcspn(at, "/") + 1) {
		snprintf(part, sizeof(part), "%.*s", (int)strcspn(at, "/"), at);
		(void)!mkdirat(dir, part, 0755);
		int below = openat(dir, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(dir);
		dir = below;
	}
	return dir;
}

/* Calls ACT. If the mode of DIR prevents it, gives the owner access during the call: a program may
 * have removed it. */
static int with_access(int dir, int (*act)(int dir, const char *name, int to, const char *as),
		       const char *name, int to, const char *as)
{
	struct stat st;
	int r = act(dir, name, to, as);

	if (r == 0 || errno != EACCES || fstat(dir, &st) < 0 ||
	    fchmod(dir, (st.st_mode & 07777) | 0700) < 0)
		return r;
	r = act(dir, name, to, as);
	int why = errno;
	(void)!fchmod(dir, st.st_mode & 07777);
	errno = why;
	return r;
}

/* To move a directory, the kernel demands write access to it. */
static int move(int dir, const char *name, int to, const char *as)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	    (st.st_mode & 0700) != 0700)
		(void)!add_mode(dir, name, 0700);
	return renameat(dir, name, to, as);
}

static int remove_file(int dir, const char *name, int to, const char *as)
{
	(void)to, (void)as;
	return unlinkat(dir, name, 0);
}

static int remove_tree(int dir, const char *name, int to, const char *as)
{
	(void)to, (void)as;
	return files_remove_tree(dir, name);
}

static int make_directory(int dir, const char *name, int to, const char *as)
{
	(void)to, (void)as;
	return mkdirat(dir, name, 0700);
}

/* The directory in the layer that PATH moves to, or -1. */
static int open_destination(struct collection *c, const char *path)
{
	struct direct_taken *t = c->taken;

	if (t->dir < 0 && with_access(c->from->fd, make_directory, t->name, -1, NULL) == 0)
		t->dir = openat(c->from->fd, t->name,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return t->dir < 0 ? -1 : make_parents(t->dir, path);
}

static int collect(struct finder *f, int dir, const char *name, enum protected_kind kind,
		   struct err *err)
{
	struct collection *c = f->context;
	char as[64];
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (kind == PROTECTED && is_frozen(f, dir, name, &st)) ||
	    (kind == PROTECTED_COMPILED && !is_since(&st, &c->began)))
		return 0;
	if (kind == PROTECTED_COMPILED)
		return with_access(dir, remove_file, name, -1, NULL) < 0
			       ? err_errno(err, ERR_SYSTEM, "removing %.200s%s", f->path, name)
			       : 0;
	AUTO_CLOSE int place = open_destination(c, kind == PROTECTED ? f->path : "");
	snprintf(as, sizeof(as), "deep-%u", c->deep);
	c->deep += kind == PROTECTED_NOT;
	if (place >= 0 && with_access(dir, move, name, place, kind == PROTECTED ? name : as) == 0)
		return 0;
	/* On another file system, or if there is no space: it stays in its directory under another
	 * name. */
	snprintf(as, sizeof(as), "%s-%u", c->taken->name, c->aside++);
	if (with_access(dir, move, name, dir, as) < 0)
		return err_errno(err, ERR_SYSTEM, "moving %.200s%s out of the directory", f->path,
				 name);
	err_set(err, ERR_SYSTEM, "cannot move %.200s%s to the pending changes", f->path, name);
	err_cause(err, "tools outside the box would run or obey it; it was renamed to %s", as);
	return -1;
}

int direct_take(const struct direct_dir *d, const struct spec *s, struct timespec began,
		struct direct_taken *ret, struct err *err)
{
	struct collection c = {.began = began, .from = d, .taken = ret};
	struct err first = {0};
	struct finder f = {.spec = s,
			   .top = d->path,
			   .take = collect,
			   .context = &c,
			   .entries_max = SIZE_MAX,
			   .own = ret->name,
			   .first = &first};
	uint8_t random[6];

	*ret = DIRECT_NOTHING;
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return err_errno(err, ERR_SYSTEM, "getting random bytes");
	snprintf(ret->name, sizeof(ret->name), "cordon-took-%02x%02x%02x%02x%02x%02x", random[0],
		 random[1], random[2], random[3], random[4], random[5]);
	int dir = open_below(&f, d->fd, ".");
	if (dir < 0)
		return err_errno(err, ERR_SYSTEM, "opening %s", d->path);
	if (find(&f, dir, PLACE_PLAIN, 0, err) < 0)
		return -1;
	*err = first;
	return first.code ? -1 : 0;
}

int direct_keep(struct direct_taken *t, const struct direct_dir *d, struct timespec began,
		struct overlay *o, struct err *err)
{
	struct overlay_losses losses;

	if (overlay_save(o, t->dir, d->fd, began, &losses, err) < 0)
		return -1;
	return with_access(d->fd, remove_tree, t->name, -1, NULL) < 0
		       ? err_errno(err, ERR_SYSTEM, "removing %s", t->name)
		       : 0;
}
