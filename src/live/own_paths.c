/* SPDX-License-Identifier: MIT
 *
 * See own_paths.h. Cordon walks each own path component by component and notes its place.
 */
#include "live/own_paths.h"

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

#include "base/account.h"
#include "base/parent_dir.h"
#include "base/scope.h"
#include "conf/config.h"
#include "conf/places.h"
#include "live/mounts.h"
#include "store/state.h"

enum { LINKS_MAX = 40 };

enum own_kind {
	OWN_THERE,
	OWN_MISSING, /* AT is the deepest existing directory, REST the path from there */
	OWN_LINK,    /* a link in the path: a box could replace it, and no mount can prevent that */
	OWN_CLOSED,  /* it cannot be looked up; WHY is the errno */
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
	const char *dir, *rest; /* on the host, as in OWN_MISSING */
	const char *target;	/* the whole path in the box */
};

/* Cordon's directories in a home directory. */
static const struct {
	const char *what, *variable, *at_home;
} usual[] = {{"cache", "XDG_CACHE_HOME", ".cache"},
	     {"rules", "XDG_DATA_HOME", ".local/share"},
	     {"configuration", "XDG_CONFIG_HOME", ".config"},
	     {"state", "XDG_STATE_HOME", ".local/state"}};

static const char public[] = "installed rules";
static void add(struct own_paths *own, const char *what, const char *path, bool is_cordons)
{
	char cwd[PATH_MAX];

	if (path && *path && *path != '/')
		path = getcwd(cwd, sizeof(cwd)) ? path_join(own->arena, cwd, path) : "";
	if (path && *path && own->count < OWN_PATHS_MAX)
		own->at[own->count++] =
			(struct own_path){what, path, is_cordons, is_cordons, what == public};
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
	add(ret, "configuration", CORDON_ETC, true);
	add(ret, "policy", req->policy, false);
	for (size_t i = 0; policy && i < policy->secretc; i++)
		if (policy->secret[i].path)
			add(ret, "secret", arena_dup(arena, policy->secret[i].path), false);
	for (size_t i = 0; i < req->reservedc; i++)
		add(ret, "configuration", req->reserved[i], false);
	for (size_t i = 0; i < req->rulesc; i++)
		add(ret, "rules", req->rules[i], false);
	/* All accounts may read the installed rules; only a workspace lets a box change them. */
	struct places program = req->workspace ? places_of_program(arena) : (struct places){0};
	struct places_rules at;
	for (size_t i = 0; program.self && places_of_rules(&program, i, arena, &at); i++)
		add(ret, public, at.path, false);
}

/* The state of a walk along an own path. */
struct walk {
	int dir;
	char rest[PATH_MAX]; /* the path from DIR */
	int links;
	struct own_place *places; /* newest first */
};

static bool take_part(struct walk *w, char name[NAME_MAX + 2])
{
	char *part = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(part, "/");

	/* Room for NAME_MAX + 1 bytes: the kernel then refuses a name that is too long. */
	snprintf(name, NAME_MAX + 2, "%.*s", (int)len, part);
	memmove(w->rest, part + len, strlen(part + len) + 1);
	return len;
}

/* False: the link cannot be resolved, so Cordon cannot use this path either. */
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

/* Adds the place of PART in the walk's directory, or of that directory itself if PART is "". */
static int add_place(struct own_paths *own, struct walk *w, const struct own_path *path,
		     enum own_kind kind, const char *part, struct err *err)
{
	struct own_place *p = arena_alloc(own->arena, sizeof(*p));
	int why = errno;

	if (!p)
		return err_memory(err);
	*p = (struct own_place){.next = w->places, .own = path, .kind = kind, .why = why};
	if (fstat(w->dir, &p->st) < 0)
		return err_errno(err, ERR_SYSTEM, "%.200s", path->path);
	if (mounts_place(own->mounts, w->dir, own->arena, &p->at, err) < 0)
		return -1;
	p->at.path = path_join(own->arena, p->at.path, part);
	w->places = p;
	return 0;
}

static const char *all_parts(const struct own_paths *own, const struct walk *w, const char *part)
{
	const char *rest = w->rest + strspn(w->rest, "/");

	return *rest ? arena_printf(own->arena, "%s/%s", part, rest) : arena_dup(own->arena, part);
}

/* A directory that this account may not enter, and whose mode it cannot change, is closed to its
 * box too. The box of root has other rights. */
static bool is_closed_to_box(const struct walk *w)
{
	struct stat st;
	int why = errno;

	bool closed = why == EACCES && geteuid() != 0 && fstat(w->dir, &st) == 0 &&
		      st.st_uid != geteuid();
	errno = why;
	return closed;
}

/* PART could not be opened; errno says why. */
static int add_failure(struct own_paths *own, struct walk *w, const struct own_path *path,
		       const char *part, struct err *err)
{
	if (errno == ENAMETOOLONG || is_closed_to_box(w) ||
	    ((errno == ENOENT || errno == ENOTDIR) && !path->make))
		return 0;
	if (errno != ENOENT)
		return add_place(own, w, path, OWN_CLOSED, all_parts(own, w, part), err);
	if (add_place(own, w, path, OWN_MISSING, "", err) < 0)
		return -1;
	w->places->rest = all_parts(own, w, part);
	return 0;
}

static int walk(struct own_paths *own, struct walk *w, const struct own_path *path, struct err *err)
{
	char part[NAME_MAX + 2];
	struct stat st;

	while (take_part(w, part)) {
		AUTO_CLOSE int fd = openat(w->dir, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return add_failure(own, w, path, part, err);
		if (fstat(fd, &st) < 0)
			return err_errno(err, ERR_SYSTEM, "%.200s", path->path);
		if (!S_ISLNK(st.st_mode)) {
			scope_close(&w->dir);
			w->dir = scope_take_fd(&fd);
			continue;
		}
		if (add_place(own, w, path, OWN_LINK, part, err) < 0)
			return -1;
		if (!follow(w, part))
			return 0;
	}
	return add_place(own, w, path, OWN_THERE, "", err);
}

/* Adds the place of PATH, and the places of links in it. A path that Cordon would not create is
 * added only if it exists. */
static int resolve(struct own_paths *own, const struct own_path *path, struct err *err)
{
	struct walk w = {.dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};

	if (w.dir < 0 || strlen(path->path) >= sizeof(w.rest))
		return err_set(err, ERR_SYSTEM, "cannot look up %.200s", path->path);
	memcpy(w.rest, path->path, strlen(path->path) + 1);
	int r = walk(own, &w, path, err);
	scope_close(&w.dir);
	if (!path->make && w.places && w.places->kind == OWN_LINK)
		return r;
	*own->end = w.places;
	while (*own->end)
		own->end = &(*own->end)->next;
	return r;
}

/* A home directory of any account, in which Cordon may keep files. */
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

/* Only for directories, which may contain the home of another account. */
static int load_accounts(struct own_paths *own, struct err *err)
{
	if (own->has_accounts)
		return 0;
	own->has_accounts = true;
	return add_accounts(own, err);
}

/* Resolves the listed paths, once. */
static int load(struct own_paths *own, struct err *err)
{
	static const struct own_path system = {"state", "/var/lib/cordon", true, false, false};

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
	err_cause(err, "it is, or lies in, %.200s (%s); no box may show that", own->path,
		  own->what);
	err_cure(err, "use a copy in another directory");
	return -1;
}

static int refuse_closed(const struct own_place *p, const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s may show Cordon's own %.200s", name, p->own->path);
	err_cause(err, "cannot look it up: %s", strerror(p->why));
	err_cure(err, "give this account access to it, or use a smaller directory");
	return -1;
}

static int refuse_link(const struct own_place *p, const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s contains a link that leads to Cordon's own %.200s", name,
		p->own->path);
	err_cause(err, "a program in the box could replace the link %.200s", p->at.path);
	err_cure(err, "use a smaller directory, or configure a path without links for Cordon's %s",
		 p->own->what);
	return -1;
}

/* Landlock grants access to whole directories and cannot exclude a path in them. */
static int refuse_unmasked(const struct own_path *own, const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s contains Cordon's own %.200s", name, own->path);
	err_cause(err, "the tier no-userns has no mounts, so it cannot mask it");
	err_cure(err, "use a smaller directory or another tier");
	return -1;
}

static int refuse_state(const char *name, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.200s is Cordon's own", name);
	err_cause(err, "it is, or lies in, a state directory: one with the file " STATE_MARK);
	err_cure(err, "use another directory; if it is not a state directory, remove that file");
	return -1;
}

/* Refuses DIR if it, or a directory above it, is an own path or any state directory. */
static int refuse_above(const struct own_paths *own, int dir, bool is_file, const char *name,
			struct err *err)
{
	AUTO_CLOSE int fd = fcntl(dir, F_DUPFD_CLOEXEC, 0);
	struct stat st, before = {0};

	for (int depth = 0; depth < PARENT_DIR_DEPTH_MAX; depth++) {
		if (fd < 0 || fstat(fd, &st) < 0)
			return err_errno(err, ERR_INPUT, "checking the directories above %s", name);
		if (depth && parent_dir_is_same(&st, &before))
			return 0;
		for (const struct own_place *p = own->first; p; p = p->next)
			if (p->kind == OWN_THERE && (p->own->whole || !is_file) &&
			    parent_dir_is_same(&p->st, &st))
				return refuse(p->own, name, err);
		if (faccessat(fd, STATE_MARK, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return refuse_state(name, err);
		if (errno != ENOENT)
			return err_errno(err, ERR_REFUSED, "checking the directories above %s",
					 name);
		before = st;
		int up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		scope_close(&fd);
		fd = up;
	}
	return err_set(err, ERR_LIMIT, "%s is more than %d directories deep", name,
		       PARENT_DIR_DEPTH_MAX);
}

/* The kind of own path in which PATH lies, judged by names alone; or NULL. Covers every home. */
static const char *kind_by_name(const struct own_paths *own, const char *path)
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
	if (load(own, err) < 0 || mounts_place(own->mounts, fd, own->arena, &place, err) < 0)
		return -1;
	bool is_file = !S_ISDIR(st.st_mode);
	if (!is_file && load_accounts(own, err) < 0)
		return -1;
	const char *what = is_file ? kind_by_name(own, place.path) : NULL;
	if (what)
		return refuse(&(struct own_path){.what = what, .path = place.path}, name, err);
	for (const struct own_place *p = own->first; p; p = p->next) {
		const char *rest = place_below(&place, &p->at);
		/* A directory of rules may contain other files, which a run may use. */
		bool is_in = rest && (!*rest || p->own->whole || !is_file);
		if (p->kind == OWN_CLOSED && is_in)
			return refuse_closed(p, name, err);
		if (p->kind == OWN_THERE && (is_in || parent_dir_is_same(&p->st, &st)))
			return refuse(p->own, name, err);
	}
	AUTO_CLOSE int dir = is_file ? parent_dir_open(fd, &st) : fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return is_file && dir < 0 ? 0 : refuse_above(own, dir, is_file, name, err);
}

/* A mask above another replaces it. */
int own_paths_add_mask(struct spec *spec, const char *path, const struct stat *st, struct err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < spec->maskc; i++)
		if (!spec->mask[i].frozen && path_below(path, spec->mask[i].path))
			return 0;
	for (size_t i = 0; i < spec->maskc; i++)
		if (!path_below(spec->mask[i].path, path))
			spec->mask[kept++] = spec->mask[i];
	spec->maskc = kept;
	if (spec->maskc == SPEC_MASKS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d of Cordon's own paths to mask",
			       SPEC_MASKS_MAX);
	if (!spec_path_is_clean(path))
		return err_set(err, ERR_INPUT, "%.200s: the path contains control characters",
			       path);
	spec->mask[spec->maskc++] =
		(struct spec_mask){.path = path, .identity = {st->st_dev, st->st_ino, 0}};
	return 0;
}

/* Opens PATH in the mount of DIR. -1 with EXDEV: another mount hides it. */
static int open_below(int dir, const char *path)
{
	struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};

	return (int)syscall(SYS_openat2, dir, *path ? path : ".", &how, sizeof(how));
}

static int add_missing(struct own_paths *own, const struct own_place *p, int dir,
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

	if ((p->kind == OWN_LINK || p->kind == OWN_MISSING || p->own->is_public) &&
	    !shown->writable)
		return 0;
	if (p->kind == OWN_CLOSED)
		return refuse_closed(p, shown->name, err);
	if (fd < 0 && errno == EXDEV)
		return 0;
	if (p->kind == OWN_LINK)
		return refuse_link(p, shown->name, err);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_REFUSED, "looking up Cordon's own %.200s", p->own->path);
	if (!parent_dir_is_same(&st, &p->st))
		return err_replaced(err, p->own->path);
	if (spec->private_dir)
		return refuse_unmasked(p->own, shown->name, err);
	return p->kind == OWN_MISSING ? add_missing(own, p, fd, target, err)
				      : own_paths_add_mask(spec, target, &st, err);
}

/* Masks each own path in PLACE, which is the place of DIR. */
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

/* M is mounted below a directory of the run; SHOWN is for the mount itself. It is opened only if
 * it shows an own path or a part of one. */
static int mask_mount(struct own_paths *own, const struct mount *m, const struct own_shown *shown,
		      struct spec *spec, struct err *err)
{
	const struct own_place *p = own->first, *around = NULL;
	bool shows_own = false;
	struct stat st;

	for (; p; p = p->next) {
		bool is_in = place_below(&m->shows, &p->at) &&
			     (p->kind == OWN_THERE || p->kind == OWN_CLOSED);
		around = is_in ? p : around;
		shows_own |= is_in || place_below(&p->at, &m->shows);
	}
	AUTO_CLOSE int fd = shows_own ? open(m->point, O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (!shows_own || (fd < 0 && (errno == ENOENT || errno == ENOTDIR)))
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_REFUSED, "looking up Cordon's own paths in %.200s",
				 m->point);
	if (mounts_find(own->mounts, fd) != m)
		return 0; /* another mount hides it */
	if (!around)
		return mask_below(own, fd, &m->shows, shown, spec, err);
	if (around->kind == OWN_CLOSED)
		return refuse_closed(around, m->point, err);
	if (spec->private_dir)
		return refuse_unmasked(around->own, shown->name, err);
	return own_paths_add_mask(spec, shown->target, &st, err);
}

int own_paths_mask(struct own_paths *own, int dir, const struct own_shown *shown, struct spec *spec,
		   struct err *err)
{
	char path[PATH_MAX];
	struct place place;

	if (!own->arena)
		return 0;
	if (mounts_path(dir, path, err) < 0 || load(own, err) < 0 || load_accounts(own, err) < 0 ||
	    add_home(own, path, err) < 0 || own_paths_refuse(own, dir, shown->name, err) < 0 ||
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

/* Where this account may not create a directory and cannot change the mode, its box cannot create
 * one either. */
static bool is_unwritable(int dir)
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
			r = is_unwritable(w.dir) ? 1 : -1;
			break;
		}
		int fd = openat(w.dir, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		scope_close(&w.dir);
		w.dir = fd;
	}
	if (r < 0 || w.dir < 0 || fstat(w.dir, &st) < 0)
		r = err_errno(err, ERR_SYSTEM, "creating %.200s, so that no box can create it",
			      m->own->path);
	scope_close(&w.dir);
	return r == 0 ? own_paths_add_mask(spec, m->target, &st, err) : r < 0 ? -1 : 0;
}

int own_paths_make(const struct own_paths *own, struct spec *spec, struct err *err)
{
	for (const struct own_missing *m = own->missing; m; m = m->next)
		if (make_missing(m, spec, err) < 0)
			return -1;
	return 0;
}
