/* SPDX-License-Identifier: MIT
 *
 * See own_paths.h. An own path is walked part by part from the root: the names below a given directory are
 * what the mask needs, and a symbolic link there is noticed. The box could replace such a link, which
 * no mount can prevent, so the directory is refused.
 */
#include "flow/own_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/above.h"
#include "base/scope.h"
#include "flow/packs.h"
#include "flow/places.h"
#include "store/state.h"

enum { LINKS_MAX = 40 };

static void add(struct own_paths *own, const char *what, const char *path, bool make)
{
	char cwd[PATH_MAX];

	if (path && *path && *path != '/')
		path = getcwd(cwd, sizeof(cwd)) ? arena_printf(own->arena, "%s/%s", cwd, path) : "";
	if (path && *path && own->count < OWN_PATHS_MAX)
		own->at[own->count++] = (struct own_path){what, path, make};
}

void own_paths_find(struct own_paths *ret, const struct request *req, struct arena *arena)
{
	static const struct {
		const char *what, *variable, *at_home;
	} rows[] = {{"cache", "XDG_CACHE_HOME", ".cache"},
		    {"rules", "XDG_DATA_HOME", ".local/share"},
		    {"configuration", "XDG_CONFIG_HOME", ".config"}};
	char state[PATH_MAX];
	struct err ignored;

	ret->arena = arena;
	ret->count = 0;
	if (state_path(state, &ignored) == 0)
		add(ret, "state", arena_dup(arena, state), true);
	add(ret, "state", req->state, true);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		add(ret, rows[i].what,
		    places_below(arena, rows[i].variable, rows[i].at_home, "cordon"), true);
	add(ret, "configuration", "/etc/cordon", true);
	add(ret, "policy", req->policy, false);
	for (size_t i = 0; i < req->rulesc; i++)
		add(ret, "rules", req->rules[i], false);
	/* Every account may read the installed rules; only a directory could be there to change them. */
	struct places program = req->workspace ? places_of_program(arena) : (struct places){0};
	for (size_t i = 0; program.self && packs_default(arena, &program, i); i++)
		add(ret, "rules", packs_default(arena, &program, i), false);
}

static int refuse(const struct own_path *own, const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s is Cordon's own", name);
	err_cause(err, "it is, or lies in, %.200s (%s); no box is given any of it", own->path,
		  own->what);
	err_cure(err, "give something else: a copy in another directory");
	return -1;
}

int own_paths_refuse(const struct own_paths *own, int fd, const char *name, struct err *err)
{
	struct above above;
	struct stat st, at;

	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "%s", name);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return 0;
	AUTO_CLOSE int dir =
		S_ISDIR(st.st_mode) ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : above_open_parent(fd, &st);
	above.count = 0;
	if (dir >= 0 && above_walk(dir, name, &above, err) < 0)
		return -1;
	for (size_t i = 0; i < own->count; i++) {
		if (stat(own->at[i].path, &at) < 0)
			continue;
		/* A directory of rules that a call names may hold other files too, and they can be given. */
		bool looks_above = own->at[i].make || S_ISDIR(st.st_mode);
		bool is_own = above_is_same(&at, &st);
		for (size_t k = 0; looks_above && k < above.count; k++)
			is_own |= above_is_same(&at, &above.at[k]);
		if (is_own)
			return refuse(&own->at[i], name, err);
	}
	return 0;
}

/* How far along an own path a walk has come. */
struct walk {
	int dir;
	struct stat st;	     /* of DIR */
	bool below;	     /* DIR is in the given directory, or is it; */
	char rel[PATH_MAX];  /* this is its path from there */
	char rest[PATH_MAX]; /* what is still to be walked */
	int links;
};

static bool take_part(struct walk *w, char name[NAME_MAX + 1])
{
	char *part = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(part, "/");

	if (len > NAME_MAX) { /* there can be no such file */
		w->below = false;
		return false;
	}
	snprintf(name, NAME_MAX + 1, "%.*s", (int)len, part);
	memmove(w->rest, part + len, strlen(part + len) + 1);
	return len;
}

/* False: the path cannot be resolved, so Cordon does not use it. */
static bool follow(struct walk *w, const char *name)
{
	char target[PATH_MAX], all[2 * PATH_MAX];
	ssize_t n = readlinkat(w->dir, name, target, sizeof(target) - 1);

	if (n <= 0 || ++w->links > LINKS_MAX)
		return false;
	target[n] = '\0';
	snprintf(all, sizeof(all), "%s/%s", target, w->rest);
	if (strlen(all) >= sizeof(w->rest))
		return false;
	memcpy(w->rest, all, strlen(all) + 1);
	if (target[0] != '/')
		return true;
	scope_close(&w->dir);
	w->dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->dir >= 0;
}

/* FD, which is NAME in the walk's directory, is where it is now. */
static bool enter(struct walk *w, int fd, const char *name, const struct stat *given)
{
	size_t len = strlen(w->rel);

	scope_close(&w->dir);
	w->dir = fd;
	if (strcmp(name, "..") == 0) {
		char *slash = strrchr(w->rel, '/');
		w->below = w->below && len;
		*(slash ? slash : w->rel) = '\0';
	} else if (w->below && strcmp(name, ".") != 0) {
		if (len + strlen(name) + 2 > sizeof(w->rel))
			return false;
		snprintf(w->rel + len, sizeof(w->rel) - len, "%s%s", len ? "/" : "", name);
	}
	if (above_is_same(&w->st, given)) {
		w->below = true;
		w->rel[0] = '\0';
	}
	return true;
}

/* What this account cannot make, and cannot allow itself to, a box with its rights cannot make either. */
static bool cannot_make(const struct walk *w)
{
	return errno == EROFS || ((errno == EACCES || errno == EPERM) && w->st.st_uid != geteuid());
}

static int refuse_link(const struct own_path *own, const struct walk *w, const char *name,
		       const char *link, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s: a link in it leads to Cordon's own %.200s", name,
		own->path);
	err_cause(err, "a program in the box could replace the link %.100s%s%.100s", w->rel,
		  w->rel[0] ? "/" : "", link);
	err_cure(err, "give a smaller directory; or have Cordon use its %s by a path without links",
		 own->what);
	return -1;
}

/* One part of the path. 1: go on. 0: the path ends here, and is not there. */
static int step(struct walk *w, const struct own_path *own, const struct stat *given,
		const char *name, const char *part, struct err *err)
{
	int flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(w->dir, part, flags);

	if (fd < 0 && errno == ENOENT && w->below && own->make) {
		if (mkdirat(w->dir, part, 0700) < 0 && errno != EEXIST)
			return cannot_make(w)
				       ? 0
				       : err_errno(err, ERR_SYSTEM,
						   "making %.200s, before a box can", own->path);
		fd = openat(w->dir, part, flags);
	}
	if (fd < 0)
		return 0;
	if (fstat(fd, &w->st) < 0 || S_ISLNK(w->st.st_mode)) {
		close(fd);
		if (w->below)
			return refuse_link(own, w, name, part, err);
		return follow(w, part);
	}
	return enter(w, fd, part, given);
}

/* Landlock grants whole directories, and nothing in them can be taken back. */
static int refuse_unmasked(const struct own_path *own, const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s contains Cordon's own %.200s", name, own->path);
	err_cause(err, "the tier no-userns has no mounts, so it cannot be masked");
	err_cure(err, "give a smaller directory, or use another tier");
	return -1;
}

static int add_mask(struct spec *spec, const char *path, const struct stat *st, struct err *err)
{
	for (size_t i = 0; i < spec->maskc; i++)
		if (strcmp(spec->mask[i].path, path) == 0)
			return 0;
	if (spec->maskc == SPEC_MASKS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d of Cordon's own paths in the box",
			       SPEC_MASKS_MAX);
	if (!spec_path_is_clean(path))
		return err_set(err, ERR_INPUT, "%.200s: a path with control characters", path);
	spec->mask[spec->maskc++] = (struct spec_mask){path, {st->st_dev, st->st_ino, 0}};
	return 0;
}

/* Is GIVEN on the way, or a link, which may lead there? Mostly not, and then no walk is needed. BEFORE: a
 * path for which the answer was no, so it need not be asked about what both begin with. */
static bool may_be_below(const char *own, const char *before, const struct stat *given)
{
	char path[PATH_MAX];
	struct stat st;
	size_t at = 1;

	for (size_t i = 1; own[i] && own[i] == before[i]; i++)
		at = own[i] == '/' ? i : at;
	for (;; at += strcspn(own + at, "/")) {
		snprintf(path, sizeof(path), "%.*s", (int)at, own);
		if (lstat(path, &st) < 0)
			return false;
		if (S_ISLNK(st.st_mode) || above_is_same(&st, given))
			return true;
		at += strspn(own + at, "/");
		if (!own[at])
			return false;
	}
}

int own_paths_mask(const struct own_paths *own, int dir, const char *name, const char *target,
		   struct spec *spec, struct err *err)
{
	char part[NAME_MAX + 1];
	const char *before = "/";
	struct stat given;

	if (fstat(dir, &given) < 0)
		return err_errno(err, ERR_INPUT, "%s", name);
	if (own_paths_refuse(own, dir, name, err) < 0)
		return -1;
	for (size_t i = 0; i < own->count; i++) {
		if (!may_be_below(own->at[i].path, before, &given)) {
			before = own->at[i].path;
			continue;
		}
		struct walk w = {.dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
		int r = w.dir >= 0 && strlen(own->at[i].path) < sizeof(w.rest);
		if (r)
			memcpy(w.rest, own->at[i].path, strlen(own->at[i].path) + 1);
		while (r > 0 && take_part(&w, part))
			r = step(&w, &own->at[i], &given, name, part, err);
		bool found = r > 0 && w.below && w.rel[0];
		if (found && spec->private_dir)
			r = refuse_unmasked(&own->at[i], name, err);
		else if (found)
			r = add_mask(spec, arena_printf(own->arena, "%s/%s", target, w.rel), &w.st,
				     err);
		scope_close(&w.dir);
		if (r < 0)
			return -1;
	}
	return 0;
}
