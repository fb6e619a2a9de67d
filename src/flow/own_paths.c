/* SPDX-License-Identifier: MIT
 *
 * See own_paths.h. Each own path is walked part by part from the root directory to its place. What a given
 * directory shows is a place too, and so is each mount below it: of two places one is in the other or not.
 */
#include "flow/own_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/above.h"
#include "base/account.h"
#include "base/scope.h"
#include "flow/mounts.h"
#include "flow/packs.h"
#include "flow/places.h"
#include "store/state.h"

enum { LINKS_MAX = 40 };

enum own_kind {
	OWN_THERE,
	OWN_MISSING, /* AT is the deepest directory that is there, REST the path from it */
	OWN_LINK,   /* a link on the way: the box could replace it, and no mount can prevent that */
	OWN_CLOSED, /* it cannot be looked for: WHY */
};

struct own_place {
	struct own_place *next;
	const struct own_path *own;
	enum own_kind kind;
	struct place at;
	const char *rest;
	struct stat st;
	int why;
};

struct own_missing {
	struct own_missing *next;
	const struct own_path *own;
	const char *dir, *rest; /* on the host: the deepest directory that is there, and the rest */
	const char *target;	/* of all of it, in the box */
};

/* Where Cordon puts things in a home directory. */
static const struct {
	const char *what, *variable, *at_home;
} usual[] = {{"cache", "XDG_CACHE_HOME", ".cache"},
	     {"rules", "XDG_DATA_HOME", ".local/share"},
	     {"configuration", "XDG_CONFIG_HOME", ".config"},
	     {"state", "XDG_STATE_HOME", ".local/state"}};

static void add(struct own_paths *own, const char *what, const char *path, bool is_cordons)
{
	char cwd[PATH_MAX];

	if (path && *path && *path != '/')
		path = getcwd(cwd, sizeof(cwd)) ? arena_printf(own->arena, "%s/%s", cwd, path) : "";
	if (path && *path && own->count < OWN_PATHS_MAX)
		own->at[own->count++] = (struct own_path){what, path, is_cordons, is_cordons};
}

void own_paths_find(struct own_paths *ret, const struct request *req, const struct policy *policy,
		    struct arena *arena)
{
	char state[PATH_MAX];
	struct err ignored;

	*ret = (struct own_paths){.arena = arena};
	if (state_path(state, &ignored) == 0)
		add(ret, "state", arena_dup(arena, state), true);
	add(ret, "state", req->state, true);
	for (size_t i = 0; i < ARRAY_SIZE(usual) - 1; i++)
		add(ret, usual[i].what,
		    places_below(arena, usual[i].variable, usual[i].at_home, "cordon"), true);
	add(ret, "configuration", "/etc/cordon", true);
	add(ret, "policy", req->policy, false);
	for (size_t i = 0; policy && i < policy->secretc; i++)
		if (policy->secret[i].path)
			add(ret, "secret", arena_dup(arena, policy->secret[i].path), false);
	for (size_t i = 0; i < req->rulesc; i++)
		add(ret, "rules", req->rules[i], false);
	/* Every account may read the installed rules; only a directory could be there to change them. */
	struct places program = req->workspace ? places_of_program(arena) : (struct places){0};
	for (size_t i = 0; program.self && packs_default(arena, &program, i); i++)
		add(ret, "rules", packs_default(arena, &program, i), false);
}

/* How far along an own path a walk has come. */
struct walk {
	int dir;
	char rest[PATH_MAX]; /* what is still to be walked */
	int links;
	struct own_place *found;
};

static bool take_part(struct walk *w, char name[NAME_MAX + 2])
{
	char *part = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(part, "/");

	/* One byte more than any name has: the kernel refuses it. */
	snprintf(name, NAME_MAX + 2, "%.*s", (int)len, part);
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

/* The place of the walk's directory, and of PART in it if that is not "". */
static int note(struct own_paths *own, struct walk *w, const struct own_path *path,
		enum own_kind kind, const char *part, struct err *err)
{
	struct own_place *p = arena_alloc(own->arena, sizeof(*p));
	int why = errno;

	if (!p)
		return err_memory(err);
	*p = (struct own_place){.next = w->found, .own = path, .kind = kind, .why = why};
	if (fstat(w->dir, &p->st) < 0)
		return err_errno(err, ERR_SYSTEM, "%.200s", path->path);
	if (mounts_place(own->mounts, w->dir, own->arena, &p->at, err) < 0)
		return -1;
	p->at.path = path_join(own->arena, p->at.path, part);
	w->found = p;
	return 0;
}

static const char *all_parts(const struct own_paths *own, const struct walk *w, const char *part)
{
	const char *rest = w->rest + strspn(w->rest, "/");

	return *rest ? arena_printf(own->arena, "%s/%s", part, rest) : arena_dup(own->arena, part);
}

/* What this account may not enter, and cannot allow itself to, its box may not enter either. Root's box is
 * another account. */
static bool is_closed_to_box(const struct walk *w)
{
	struct stat st;
	int why = errno;

	bool closed = why == EACCES && geteuid() != 0 && fstat(w->dir, &st) == 0 &&
		      st.st_uid != geteuid();
	errno = why;
	return closed;
}

/* PART could not be opened. */
static int note_failure(struct own_paths *own, struct walk *w, const struct own_path *path,
			const char *part, struct err *err)
{
	if (errno == ENAMETOOLONG || is_closed_to_box(w) ||
	    ((errno == ENOENT || errno == ENOTDIR) && !path->make))
		return 0;
	if (errno != ENOENT)
		return note(own, w, path, OWN_CLOSED, all_parts(own, w, part), err);
	if (note(own, w, path, OWN_MISSING, "", err) < 0)
		return -1;
	w->found->rest = all_parts(own, w, part);
	return 0;
}

static int walk(struct own_paths *own, struct walk *w, const struct own_path *path, struct err *err)
{
	char part[NAME_MAX + 2];
	struct stat st;

	while (take_part(w, part)) {
		AUTO_CLOSE int fd = openat(w->dir, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return note_failure(own, w, path, part, err);
		if (fstat(fd, &st) < 0)
			return err_errno(err, ERR_SYSTEM, "%.200s", path->path);
		if (!S_ISLNK(st.st_mode)) {
			scope_close(&w->dir);
			w->dir = scope_take_fd(&fd);
			continue;
		}
		if (note(own, w, path, OWN_LINK, part, err) < 0)
			return -1;
		if (!follow(w, part))
			return 0;
	}
	return note(own, w, path, OWN_THERE, "", err);
}

/* Adds the place of PATH, and those of links on the way. Of one that Cordon would not make only if it is
 * there. */
static int resolve(struct own_paths *own, const struct own_path *path, struct err *err)
{
	struct walk w = {.dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};

	if (w.dir < 0 || strlen(path->path) >= sizeof(w.rest))
		return err_set(err, ERR_SYSTEM, "%.200s cannot be looked for", path->path);
	memcpy(w.rest, path->path, strlen(path->path) + 1);
	int r = walk(own, &w, path, err);
	scope_close(&w.dir);
	if (!path->make && w.found && w.found->kind == OWN_LINK)
		return r;
	*own->end = w.found;
	while (*own->end)
		own->end = &(*own->end)->next;
	return r;
}

/* A home directory, perhaps of another account, which Cordon may have put things in. */
static int add_home(struct own_paths *own, const char *home, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
		struct own_path *path = arena_alloc(own->arena, sizeof(*path));
		if (!path)
			return err_memory(err);
		*path = (struct own_path){
			.what = usual[i].what,
			.path = arena_printf(own->arena, "%s/%s/cordon", home, usual[i].at_home),
			.whole = true};
		if (access(path->path, F_OK) < 0 && errno == ENOENT)
			continue;
		if (resolve(own, path, err) < 0)
			return -1;
	}
	return 0;
}

static int add_accounts(struct own_paths *own, struct err *err)
{
	FILE *f = fopen("/etc/passwd", "re");
	AUTO_FREE char *line = NULL;
	const char *home;
	size_t size = 0;
	int r = 0;

	if (!f)
		return errno == ENOENT ? 0 : err_errno(err, ERR_SYSTEM, "/etc/passwd");
	while (r == 0 && (home = account_home(f, &line, &size)))
		if (access(home, F_OK) == 0 || errno != ENOENT)
			r = add_home(own, home, err);
	fclose(f);
	return r;
}

/* Other accounts' directories are looked for when a directory is given, which may hold a home. */
static int look_for_accounts(struct own_paths *own, struct err *err)
{
	if (own->has_accounts)
		return 0;
	own->has_accounts = true;
	return add_accounts(own, err);
}

static int look(struct own_paths *own, struct err *err)
{
	static const struct own_path system = {"state", "/var/lib/cordon", true, false};

	if (own->mounts || !own->arena)
		return 0;
	own->end = &own->first;
	own->mounts = mounts_read(own->arena, err);
	if (!own->mounts)
		return -1;
	for (size_t i = 0; i < own->count; i++)
		if (resolve(own, &own->at[i], err) < 0)
			return -1;
	if (resolve(own, &system, err) < 0)
		return -1;
	return own->arena->failed ? err_memory(err) : 0;
}

static int refuse(const struct own_path *own, const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s is Cordon's own", name);
	err_cause(err, "it is, or lies in, %.200s (%s); no box is given any of it", own->path,
		  own->what);
	err_cure(err, "give something else: a copy in another directory");
	return -1;
}

static int refuse_closed(const struct own_place *p, const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s may show Cordon's own %.200s", name, p->own->path);
	err_cause(err, "that cannot be looked for: %s", strerror(p->why));
	err_cure(err, "let this account look there, or give a smaller directory");
	return -1;
}

static int refuse_link(const struct own_place *p, const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s: a link in it leads to Cordon's own %.200s", name,
		p->own->path);
	err_cause(err, "a program in the box could replace the link %.200s", p->at.path);
	err_cure(err, "give a smaller directory; or have Cordon use its %s by a path without links",
		 p->own->what);
	return -1;
}

/* Landlock grants whole directories, and nothing in them can be taken back. */
static int refuse_unmasked(const struct own_path *own, const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s contains Cordon's own %.200s", name, own->path);
	err_cause(err, "the tier no-userns has no mounts, so it cannot be masked");
	err_cure(err, "give a smaller directory, or use another tier");
	return -1;
}

static int refuse_state(const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s is Cordon's own", name);
	err_cause(err, "it is, or lies in, a state directory: one with a file " STATE_MARK);
	err_cure(err, "give another directory; if it is no state directory, remove that file");
	return -1;
}

/* Is DIR, or a directory above it, one of them, or any state directory? */
static int refuse_above(const struct own_paths *own, int dir, bool is_file, const char *name,
			struct err *err)
{
	AUTO_CLOSE int fd = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	struct stat st, before = {0};

	for (int depth = 0; depth < ABOVE_DEPTH_MAX; depth++) {
		if (fd < 0 || fstat(fd, &st) < 0)
			return err_errno(err, ERR_INPUT, "looking above %s", name);
		if (depth && above_is_same(&st, &before))
			return 0;
		for (const struct own_place *p = own->first; p; p = p->next)
			if (p->kind == OWN_THERE && (p->own->whole || !is_file) &&
			    above_is_same(&p->st, &st))
				return refuse(p->own, name, err);
		if (faccessat(fd, STATE_MARK, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return refuse_state(name, err);
		if (errno != ENOENT)
			return err_errno(err, ERR_REFUSED, "looking above %s", name);
		before = st;
		int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		scope_close(&fd);
		fd = up;
	}
	return err_set(err, ERR_LIMIT, "%s is more than %d deep", name, ABOVE_DEPTH_MAX);
}

/* By its names alone: a file in what may be any account's. */
static const char *home_of(const struct own_paths *own, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
		const char *own_dir = arena_printf(own->arena, "/%s/cordon/", usual[i].at_home);
		if (strstr(path, own_dir))
			return usual[i].what;
	}
	return NULL;
}

int own_paths_refuse(struct own_paths *own, int fd, const char *name, struct err *err)
{
	struct place place;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "%s", name);
	if (!own->arena || (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)))
		return 0;
	if (look(own, err) < 0 || mounts_place(own->mounts, fd, own->arena, &place, err) < 0)
		return -1;
	bool is_file = !S_ISDIR(st.st_mode);
	if (!is_file && look_for_accounts(own, err) < 0)
		return -1;
	const char *what = is_file ? home_of(own, place.path) : NULL;
	if (what)
		return refuse(&(struct own_path){.what = what, .path = place.path}, name, err);
	for (const struct own_place *p = own->first; p; p = p->next) {
		const char *rest = place_below(&place, &p->at);
		/* A directory of rules that a call names may hold other files too, and they can be given. */
		bool is_in = rest && (!*rest || p->own->whole || !is_file);
		if (p->kind == OWN_CLOSED && is_in)
			return refuse_closed(p, name, err);
		if (p->kind == OWN_THERE && (is_in || above_is_same(&p->st, &st)))
			return refuse(p->own, name, err);
	}
	AUTO_CLOSE int dir = is_file ? above_open_parent(fd, &st) : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return is_file && dir < 0 ? 0 : refuse_above(own, dir, is_file, name, err);
}

/* Where one mask is above another, the box needs only that one. */
static int add_mask(struct spec *spec, const char *path, const struct stat *st, struct err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < spec->maskc; i++)
		if (path_below(path, spec->mask[i].path))
			return 0;
	for (size_t i = 0; i < spec->maskc; i++)
		if (!path_below(spec->mask[i].path, path))
			spec->mask[kept++] = spec->mask[i];
	spec->maskc = kept;
	if (spec->maskc == SPEC_MASKS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d of Cordon's own paths in the box",
			       SPEC_MASKS_MAX);
	if (!spec_path_is_clean(path))
		return err_set(err, ERR_INPUT, "%.200s: a path with control characters", path);
	spec->mask[spec->maskc++] =
		(struct spec_mask){.path = path, .meant = {st->st_dev, st->st_ino, 0}};
	return 0;
}

/* PATH in the mount of DIR. -1 with EXDEV: another mount hides it. */
static int open_below(int dir, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};

	return (int)syscall(SYS_openat2, dir, *path ? path : ".", &how, sizeof(how));
}

static int note_missing(struct own_paths *own, const struct own_place *p, int dir,
			const char *target, struct err *err)
{
	struct own_missing *m = arena_alloc(own->arena, sizeof(*m));
	char path[PATH_MAX];

	if (mounts_path(dir, path, err) < 0)
		return -1;
	if (!m)
		return err_memory(err);
	*m = (struct own_missing){own->missing, p->own, arena_dup(own->arena, path), p->rest,
				  path_join(own->arena, target, p->rest)};
	own->missing = m;
	return 0;
}

/* P is at PATH below the directory DIR. */
static int mask_place(struct own_paths *own, const struct own_place *p, int dir, const char *path,
		      const struct own_shown *shown, struct spec *spec, struct err *err)
{
	const char *target = path_join(own->arena, shown->target, path);
	AUTO_CLOSE int fd = open_below(dir, path);
	struct stat st;

	if ((p->kind == OWN_LINK || p->kind == OWN_MISSING) && !shown->writable)
		return 0;
	if (p->kind == OWN_CLOSED)
		return refuse_closed(p, shown->name, err);
	if (fd < 0 && errno == EXDEV)
		return 0;
	if (p->kind == OWN_LINK)
		return refuse_link(p, shown->name, err);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_REFUSED, "looking for Cordon's own %.200s", p->own->path);
	if (!above_is_same(&st, &p->st))
		return err_replaced(err, p->own->path);
	if (spec->private_dir)
		return refuse_unmasked(p->own, shown->name, err);
	return p->kind == OWN_MISSING ? note_missing(own, p, fd, target, err)
				      : add_mask(spec, target, &st, err);
}

/* Each that is in PLACE, which the directory DIR is. */
static int mask_below(struct own_paths *own, int dir, const struct place *place,
		      const struct own_shown *shown, struct spec *spec, struct err *err)
{
	for (const struct own_place *p = own->first; p; p = p->next) {
		const char *rest = place_below(&p->at, place);
		if (rest && mask_place(own, p, dir, rest, shown, spec, err) < 0)
			return -1;
	}
	return 0;
}

/* M is below a given directory, and SHOWN is its own name and target. It is opened only if it shows one of
 * them, or a part of one. */
static int mask_mount(struct own_paths *own, const struct mount *m, const struct own_shown *shown,
		      struct spec *spec, struct err *err)
{
	const struct own_place *p = own->first, *around = NULL;
	bool concerns = false;
	struct stat st;

	for (; p; p = p->next) {
		bool is_in = place_below(&m->shows, &p->at) &&
			     (p->kind == OWN_THERE || p->kind == OWN_CLOSED);
		around = is_in ? p : around;
		concerns |= is_in || place_below(&p->at, &m->shows);
	}
	AUTO_CLOSE int fd = concerns ? open(m->point, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (!concerns || (fd < 0 && (errno == ENOENT || errno == ENOTDIR)))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_REFUSED, "looking for Cordon's own in %.200s", m->point);
	if (mounts_find(own->mounts, fd) != m)
		return 0; /* another mount hides it */
	if (!around)
		return mask_below(own, fd, &m->shows, shown, spec, err);
	if (around->kind == OWN_CLOSED)
		return refuse_closed(around, m->point, err);
	if (spec->private_dir)
		return refuse_unmasked(around->own, shown->name, err);
	return add_mask(spec, shown->target, &st, err);
}

int own_paths_mask(struct own_paths *own, int dir, const struct own_shown *shown, struct spec *spec,
		   struct err *err)
{
	char path[PATH_MAX];
	struct place place;

	if (!own->arena)
		return 0;
	if (mounts_path(dir, path, err) < 0 || look(own, err) < 0 ||
	    look_for_accounts(own, err) < 0 || add_home(own, path, err) < 0 ||
	    own_paths_refuse(own, dir, shown->name, err) < 0 ||
	    mounts_place(own->mounts, dir, own->arena, &place, err) < 0 ||
	    mask_below(own, dir, &place, shown, spec, err) < 0)
		return -1;
	for (const struct mount *m = own->mounts; m; m = m->next) {
		const char *rest = path_below(m->point, path);
		if (!rest || !*rest)
			continue;
		const struct own_shown below = {
			m->point, path_join(own->arena, shown->target, rest), shown->writable};
		if (mask_mount(own, m, &below, spec, err) < 0)
			return -1;
	}
	return own->arena->failed ? err_memory(err) : 0;
}

/* What this account cannot make, and cannot allow itself to, a box with its rights cannot make either. */
static bool cannot_make(int dir)
{
	struct stat st;

	return errno == EROFS || ((errno == EACCES || errno == EPERM) && fstat(dir, &st) == 0 &&
				  st.st_uid != geteuid());
}

static int make_missing(const struct own_missing *m, struct spec *spec, struct err *err)
{
	struct walk w = {.dir = open(m->dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
	char part[NAME_MAX + 2];
	struct stat st;
	int r = 0;

	snprintf(w.rest, sizeof(w.rest), "%s", m->rest);
	while (r == 0 && w.dir >= 0 && take_part(&w, part)) {
		if (mkdirat(w.dir, part, 0700) < 0 && errno != EEXIST) {
			r = cannot_make(w.dir) ? 1 : -1;
			break;
		}
		int fd = openat(w.dir, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		scope_close(&w.dir);
		w.dir = fd;
	}
	if (r < 0 || w.dir < 0 || fstat(w.dir, &st) < 0)
		r = err_errno(err, ERR_SYSTEM, "making %.200s, before a box can", m->own->path);
	scope_close(&w.dir);
	return r == 0 ? add_mask(spec, m->target, &st, err) : r < 0 ? -1 : 0;
}

int own_paths_make(const struct own_paths *own, struct spec *spec, struct err *err)
{
	for (const struct own_missing *m = own->missing; m; m = m->next)
		if (make_missing(m, spec, err) < 0)
			return -1;
	return 0;
}
