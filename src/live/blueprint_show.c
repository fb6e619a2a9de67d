/* SPDX-License-Identifier: MIT
 *
 * Adds the paths of the host that the box shows: the profile's rows, the interpreter, a
 * virtualenv, programs. It resolves them with the caller's own rights. cordon-box opens them
 * again; of those that the caller named it accepts only the files that were resolved here.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "live/blueprint_private.h"
#include "live/mounts.h"
#include "live/workspace.h"

int draft_file(struct draft *d, struct spec_file file, struct err *err)
{
	struct spec *s = &d->bp->spec;

	for (size_t i = 0; i < s->filec; i++)
		if (strcmp(s->file[i].target, file.target) == 0)
			return 0;
	if (s->filec == SPEC_FILES_MAX) {
		err_set(err, ERR_LIMIT, "more than %d links and files in the box", SPEC_FILES_MAX);
		err_cause(err, "each --exec that names a symbolic link adds one");
		err_cure(err, "name programs by their real paths: --exec $(realpath %.100s)",
			 file.target);
		return -1;
	}
	s->file[s->filec++] = file;
	return 0;
}

static int draft_link(struct draft *d, const char *path, const char *to, struct err *err)
{
	return draft_file(d, (struct spec_file){path, to, true, strlen(to)}, err);
}

int draft_bind(struct draft *d, const char *source, const char *target, unsigned flags,
	       struct err *err)
{
	struct spec *s = &d->bp->spec;

	if (!spec_path_is_clean(source) || !spec_path_is_clean(target)) {
		err_set(err, ERR_INPUT, "cannot show %s in the box: an odd path", source);
		err_cause(err,
			  "a path in the box begins with /, and has no control characters and no "
			  "empty part, . or ..");
		err_cure(err, "name it by its real path (realpath), or rename it");
		return -1;
	}
	for (size_t i = 0; i < s->bindc; i++)
		if (strcmp(s->bind[i].target, target) == 0) {
			s->bind[i].flags |= flags & (BIND_CODE | BIND_PROGRAM);
			return 0;
		}
	if (s->bindc == SPEC_BINDS_MAX) {
		err_set(err, ERR_LIMIT, "more than %d paths in the box", SPEC_BINDS_MAX);
		err_cause(err, "each --exec adds one to those of the language");
		err_cure(err, "use --exec for fewer programs");
		return -1;
	}
	s->bind[s->bindc++] =
		(struct spec_bind){.source = source, .target = target, .flags = flags};
	return 0;
}

static int add_exec(struct spec *s, const char *path, struct err *err)
{
	if (s->programc == SPEC_PROGRAMS_MAX) {
		err_set(err, ERR_LIMIT, "more than %d programs", SPEC_PROGRAMS_MAX);
		err_cause(err, "each --exec adds one to those of the language");
		err_cure(err, "use --exec for fewer programs");
		return -1;
	}
	s->exec[s->programc++] = path;
	return 0;
}

/* A symbolic link is made anew in the box; a file or directory is a read-only bind. */
static int show(struct draft *d, const char *path, unsigned flags, struct err *err)
{
	struct arena *a = &d->bp->arena;
	char link[PATH_MAX];
	ssize_t n = readlink(path, link, sizeof(link) - 1);

	if (n > 0) {
		link[n] = '\0';
		return draft_link(d, path, arena_dup(a, link), err);
	}
	if (access(path, F_OK) < 0 && (flags & BIND_OPTIONAL))
		return 0;
	return draft_bind(d, path, path, flags & BIND_FLAGS, err);
}

/* As show, for a real path that the caller named: cordon-box shows exactly this file, or refuses
 * the run. */
static int show_host_path(struct draft *d, const char *path, unsigned flags, struct err *err)
{
	const struct host_path *g = host_paths_add(&d->bp->host_paths, path, err);
	struct spec *s = &d->bp->spec;

	if (!g || show(d, path, flags, err) < 0)
		return -1;
	const struct own_shown shown = {path, path, flags & BIND_WRITABLE};
	int r = S_ISDIR(g->st.st_mode) ? own_paths_mask(&d->bp->own, g->fd, &shown, s, err)
				       : own_paths_refuse(&d->bp->own, g->fd, path, err);
	if (r < 0)
		return -1;
	for (size_t i = 0; i < s->bindc; i++)
		if (strcmp(s->bind[i].source, path) == 0) {
			s->bind[i].identity = host_path_identity(g);
			return 0;
		}
	return err_replaced(err, path);
}

static int show_rows(struct draft *d, const struct profile_bind *rows, struct err *err)
{
	bool exec = d->bp->spec.flags & SPEC_EXEC;

	for (; rows->path; rows++) {
		unsigned when = rows->flags & WHEN_FLAGS;
		const char *path = rows->path, *at = strchr(path, '@');
		/* Shown only if it is a link: the rows of /usr/bin cover what a real /bin would
		 * show. */
		if (when == WHEN_FLAGS) {
			char link[2];
			if (readlink(path, link, sizeof(link)) < 0)
				continue;
		} else if (when && (when == WHEN_EXEC) != exec) {
			continue;
		}
		if (at && d->real)
			path = arena_printf(&d->bp->arena, "%.*s%s", (int)(at - path), path,
					    basename(d->real));
		if (show(d, path, rows->flags, err) < 0)
			return -1;
	}
	return 0;
}

const char *draft_resolve(struct draft *d, const char *path, struct err *err)
{
	char real[PATH_MAX];

	if (!realpath(path, real)) {
		err_errno(err, ERR_INPUT, "%s", path);
		return NULL;
	}
	return arena_dup(&d->bp->arena, real);
}

static int refuse_venv(const struct draft *d, struct err *err)
{
	err_set(err, ERR_INPUT, "--venv %s: not a virtualenv", d->req->venv);
	err_cause(err, "%s does not exist", d->interpreter);
	err_cure(err, "create one: %s %s", d->profile->make_venv, d->req->venv);
	return -1;
}

int draft_interpreter(struct draft *d, struct err *err)
{
	const struct profile *p = d->profile;
	struct arena *a = &d->bp->arena;

	if (!p->interpreter)
		return 0;
	d->interpreter = p->interpreter;
	if (d->req->venv)
		d->interpreter = arena_printf(a, "%s/%s", d->req->venv, p->venv);
	d->real = draft_resolve(d, d->interpreter, err);
	if (!d->real && d->req->venv)
		return refuse_venv(d, err);
	if (!d->real) {
		err_context(err, "no interpreter for %s", p->name);
		err_cause(err, "%s is not on this machine", d->interpreter);
		err_cure(err, "install the package %s", p->package);
		return -1;
	}
	return 0;
}

static int refuse_program(const char *asked, const char *real, struct err *err)
{
	struct stat st;

	err_set(err, ERR_INPUT, "--exec %s: not a program", asked);
	if (stat(real, &st) < 0) {
		err_cause(err, "it cannot be read: %s", strerror(errno));
		err_cure(err, "name a program that this account may read");
	} else if (!S_ISREG(st.st_mode)) {
		err_cause(err, "it is %s",
			  S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
		err_cure(err, "name the program itself");
	} else {
		err_cause(err, "this account may not execute it");
		err_cure(err, "if it is a program: chmod +x %s", real);
	}
	return -1;
}

/* As show, for a directory of the system that the profile dev shows whole: Cordon's own files may
 * lie in it. */
static int show_system(struct draft *d, const char *path, unsigned flags, struct err *err)
{
	const struct own_shown shown = {path, path, false};
	size_t before = d->bp->spec.bindc;

	if (show(d, path, flags, err) < 0 || d->bp->spec.bindc == before)
		return d->bp->spec.bindc == before ? 0 : -1;
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOTDIR ? 0 : err_errno(err, ERR_INPUT, "%s", path);
	return own_paths_mask(&d->bp->own, fd, &shown, &d->bp->spec, err);
}

/* A directory of toolchains that exists. PROGRAMS: a directory in it for PATH, or NULL. */
static int show_toolchain(struct draft *d, const char *dir, const char *programs,
			  const char *variable, struct err *err)
{
	struct arena *a = &d->bp->arena;
	struct spec *s = &d->bp->spec;
	char real[PATH_MAX];
	struct stat st;

	/* Without mounts a directory of root's is out of reach of the account that the box gets. */
	if ((s->private_dir && geteuid() == 0) || !realpath(dir, real) || stat(real, &st) < 0 ||
	    !S_ISDIR(st.st_mode) || access(real, R_OK | X_OK) < 0)
		return 0;
	const char *path = arena_dup(a, real);
	if (show_host_path(d, path, BIND_CODE | BIND_PROGRAM, err) < 0)
		return -1;
	if (programs)
		d->path = arena_printf(a, "%s%s%s%s%s", d->path ? d->path : "", d->path ? ":" : "",
				       path, *programs ? "/" : "", programs);
	if (variable && s->envc < SPEC_ENV_MAX)
		s->env[s->envc++] = arena_printf(a, "%s=%s", variable, path);
	return 0;
}

static int show_toolchains(struct draft *d, struct err *err)
{
	const struct profile_toolchain *t = profile_toolchains;
	const char *home = getenv("HOME");

	for (; home && *home == '/' && t->dir; t++)
		if (show_toolchain(d, arena_printf(&d->bp->arena, "%s/%s", home, t->dir),
				   t->programs, t->variable, err) < 0)
			return -1;
	for (size_t i = 0; i < d->req->toolchainc; i++) {
		const char *dir = d->req->toolchain[i];
		const char *bin = arena_printf(&d->bp->arena, "%s/bin", dir);
		if (show_toolchain(d, dir, access(bin, X_OK) == 0 ? "bin" : "", NULL, err) < 0)
			return -1;
	}
	return 0;
}

/* The profile dev: the system's programs, and the toolchains. */
static int show_dev(struct draft *d, struct err *err)
{
	for (const struct profile_bind *b = profile_dev_binds; b->path; b++)
		if ((b->flags & BIND_PROGRAM ? show_system : show)(d, b->path, b->flags, err) < 0)
			return -1;
	return show_toolchains(d, err);
}

/* A path of the option WHAT: at its real path, and by the name that was given. */
static const struct host_path *show_more(struct draft *d, const char *what, const char *asked,
					 unsigned flags, struct err *err)
{
	enum workspace_mode mode = flags & BIND_WRITABLE ? WORKSPACE_RW : WORKSPACE_RO;
	const char *real = draft_resolve(d, asked, err);

	if (!real) {
		err_context(err, "%s", what);
		return NULL;
	}
	flags |= d->is_dev ? BIND_CODE | BIND_PROGRAM : 0;
	if (show_host_path(d, real, flags, err) < 0)
		return NULL;
	const struct host_path *g = host_paths_find(&d->bp->host_paths, real);
	if (workspace_check_more(what, real, g->fd, mode, d->req, &d->bp->own, err) < 0)
		return NULL;
	bool is_link = *asked == '/' && strcmp(asked, real) != 0 && spec_path_is_clean(asked);
	return is_link && draft_link(d, asked, real, err) < 0 ? NULL : g;
}

static int show_ro(struct draft *d, struct err *err)
{
	for (size_t i = 0; i < d->req->roc; i++) {
		const struct host_path *g = show_more(d, "--ro", d->req->ro[i], BIND_OWNED, err);
		if (!g)
			return -1;
		d->bp->ro_at[i] = g->path;
	}
	return 0;
}

/* A directory whose write is withheld is read-only. */
static int show_rw(struct draft *d, struct err *err)
{
	struct blueprint *p = d->bp;

	if (d->req->rwc && p->spec.private_dir) {
		err_set(err, ERR_USAGE, "--tier no-userns cannot show a directory of --rw");
		err_cause(err, "this tier has no mounts");
		err_cure(err, "use --workspace DIR:rw, or another tier");
		return -1;
	}
	for (size_t i = 0; i < d->req->rwc; i++) {
		bool writes = request_writes(d->req, i);
		const struct host_path *g = show_more(d, "--rw", d->req->rw[i],
						      writes ? BIND_WRITABLE : BIND_OWNED, err);
		if (!g)
			return -1;
		p->rw_at[i] = g->path;
		if (!writes)
			continue;
		if (direct_open(&p->direct, g->path, &g->st, (int)i, err) < 0)
			return -1;
		if (direct_protect(&p->direct.at[p->direct.count - 1], &p->spec, &p->arena, err) <
		    0) {
			err_context(err, "--rw %s", g->path);
			err_cure(err, "use --ro, or a smaller directory");
			return -1;
		}
	}
	return 0;
}

static int refuse_two(const char *path, const char *other, struct err *err)
{
	err_set(err, ERR_USAGE, "--rw %.200s: the box also shows %.200s", path, other);
	err_cause(err, "what a program writes to is shown once, and nothing else is shown in it");
	err_cure(err, "leave one of them out; --workspace DIR:rw writes to the workspace");
	return -1;
}

int draft_check_rw(const struct draft *d, struct err *err)
{
	const struct blueprint *p = d->bp;
	const struct spec *s = &p->spec;

	for (size_t i = 0; i < d->req->rwc; i++) {
		const char *path = p->rw_at[i], *work = s->workspace_path;
		if (work && (path_below(work, path) || path_below(path, work)))
			return refuse_two(path, work, err);
		for (size_t k = 0; k < s->bindc; k++) {
			const struct spec_bind *b = &s->bind[k];
			bool is_own = strcmp(b->target, path) == 0 &&
				      (b->flags & BIND_WRITABLE || !request_writes(d->req, i));
			if (!is_own && path_below(b->target, path))
				return refuse_two(path, b->target, err);
		}
		for (size_t k = 0; k < s->filec; k++)
			if (path_below(s->file[k].target, path))
				return refuse_two(path, s->file[k].target, err);
		for (size_t k = 0; k < d->req->roc; k++)
			if (path_below(path, p->ro_at[k]))
				return refuse_two(path, p->ro_at[k], err);
		for (size_t k = 0; k < i; k++)
			if (path_below(path, p->rw_at[k]))
				return refuse_two(path, p->rw_at[k], err);
	}
	return 0;
}

static int refuse_in_home(const char *path, struct err *err)
{
	err_set(err, ERR_USAGE, "with --keep the box cannot show %.200s", path);
	err_cause(err, "its own home directory is " SPEC_KEPT_HOME);
	err_cure(err, "use another path, or leave --keep out");
	return -1;
}

/* The one part of the state directory that a box may show. The gate has opened it. */
static int show_home(struct draft *d, struct err *err)
{
	struct spec *s = &d->bp->spec;
	const char *home = d->req->home;

	if (!home)
		return 0;
	const struct host_path *g = host_paths_add(&d->bp->host_paths, home, err);
	for (size_t i = 0; i < s->bindc; i++)
		if (path_below(s->bind[i].target, SPEC_KEPT_HOME))
			return refuse_in_home(s->bind[i].target, err);
	if (!g ||
	    draft_bind(d, home, SPEC_KEPT_HOME, BIND_CODE | BIND_PROGRAM | BIND_WRITABLE, err) < 0)
		return -1;
	s->bind[s->bindc - 1].identity = host_path_identity(g);
	return 0;
}

/* --exec adds to the profile's own list. The box shows a listed program at its real path. */
static int add_programs(struct draft *d, struct err *err)
{
	struct spec *s = &d->bp->spec;
	struct stat st;

	for (const char *const *p = d->profile->programs; !d->is_dev && p && *p; p++) {
		char real[PATH_MAX];
		if (realpath(*p, real) && add_exec(s, arena_dup(&d->bp->arena, real), err) < 0)
			return -1;
	}
	for (size_t i = 0; i < d->req->execc; i++) {
		const char *asked = d->req->exec[i], *real = draft_resolve(d, asked, err);
		if (!real) {
			err_context(err, "--exec");
			err_cure(err, "give the absolute path of a program on this machine");
			return -1;
		}
		if (stat(real, &st) < 0 || !S_ISREG(st.st_mode) || access(real, X_OK) < 0)
			return refuse_program(asked, real, err);
		d->bp->program_at[i] = real;
		if (show(d, arena_dup(&d->bp->arena, asked), BIND_PROGRAM, err) < 0 ||
		    show_host_path(d, real, BIND_PROGRAM, err) < 0 || add_exec(s, real, err) < 0)
			return -1;
	}
	return 0;
}

static int add_loader(struct draft *d, struct err *err)
{
	char real[PATH_MAX];

	for (const char *const *l = profile_loaders; *l; l++)
		if (realpath(*l, real) &&
		    add_exec(&d->bp->spec, arena_dup(&d->bp->arena, real), err) < 0)
			return -1;
	return 0;
}

static int refuse_place(const struct draft *d, struct err *err)
{
	err_set(err, ERR_INPUT, "cannot use %s as the interpreter for %s", d->real,
		d->profile->name);
	err_cause(err, "its library is expected two directories above it, and that is /");
	err_cure(err,
		 "create the virtual environment with an interpreter in a directory of its own, "
		 "such as /opt/NAME/bin: %s %s",
		 d->profile->make_venv, d->req->venv);
	return -1;
}

static int show_venv(struct draft *d, struct err *err)
{
	if (!d->req->venv)
		return 0;
	const char *dir = d->bp->venv = draft_resolve(d, d->req->venv, err);
	if (!dir || show_host_path(d, dir, BIND_CODE, err) < 0)
		return -1;
	/* An interpreter outside the system brings its own standard library. */
	if (strncmp(d->real, "/usr/", 5) == 0)
		return 0;
	char *prefix = arena_dup(&d->bp->arena, d->real);
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(prefix, '/');
		if (!slash || slash == prefix)
			return refuse_place(d, err);
		*slash = '\0';
	}
	d->bp->library = prefix;
	return show_host_path(d, prefix, BIND_CODE, err) < 0 ||
			       show_host_path(d, d->real, BIND_PROGRAM, err) < 0
		       ? -1
		       : 0;
}

static int show_interpreter(struct draft *d, struct err *err)
{
	if (!d->interpreter)
		return 0;
	if (strcmp(d->interpreter, d->real) != 0 && !d->req->venv &&
	    draft_link(d, d->interpreter, d->real, err) < 0)
		return -1;
	d->bp->spec.program = d->real;
	if (d->is_dev && strncmp(d->real, "/usr/", 5) == 0) /* all of it is shown */
		return 0;
	return draft_bind(d, d->real, d->real, BIND_PROGRAM, err);
}

bool draft_shows(const struct draft *d, const char *path)
{
	const struct spec *s = &d->bp->spec;
	const char *rest = s->workspace_path ? path_below(path, s->workspace_path) : NULL;

	for (size_t i = 0; i < d->req->roc && !(rest && *rest); i++)
		rest = path_below(path, d->bp->ro_at[i]);
	for (size_t i = 0; i < d->req->rwc && !(rest && *rest); i++)
		rest = path_below(path, d->bp->rw_at[i]);
	return rest && *rest;
}

int draft_show(struct draft *d, struct err *err)
{
	const struct request *req = d->req;

	if (d->is_dev ? show_dev(d, err) < 0
		      : show_rows(d, profile_common_binds, err) < 0 ||
				(!req->isolated && show_rows(d, d->profile->binds, err) < 0) ||
				(request_connects(req) && show_rows(d, profile_net_binds, err) < 0))
		return -1;
	if (show_ro(d, err) < 0 || show_venv(d, err) < 0 || show_interpreter(d, err) < 0 ||
	    add_programs(d, err) < 0 || show_rw(d, err) < 0 || show_home(d, err) < 0)
		return -1;
	return d->is_dev ? 0 : add_loader(d, err);
}
