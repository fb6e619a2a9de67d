/* SPDX-License-Identifier: MIT
 *
 * Builds the spec, step by step: profile, payload, binds, programs, environment, workspace. Paths
 * are resolved here, outside the box, with the caller's own rights; cordon-box checks what it
 * opens against the descriptors that go along.
 */
#include "flow/blueprint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "conf/names.h"
#include "conf/profile.h"
#include "flow/basics.h"
#include "flow/payload.h"
#include "flow/talk.h"
#include "flow/workspace.h"

/* In the box; the first of what PYTHONPATH names. */
#define BOOT "/cordon/boot"

struct draft {
	struct blueprint *bp;
	const struct request *req;
	const struct profile *profile; /* the blueprint's */
	const char *interpreter;       /* as started, e.g. a virtualenv's */
	const char *real;	       /* the file behind it */
};

void blueprint_init(struct blueprint *p)
{
	p->payload.fd = p->workspace = p->input = -1;
	p->talk = p->talk_in = p->parts = -1;
	p->pump.from = p->pump.to = -1;
	outside_init(&p->outside);
}

void blueprint_again(struct blueprint *p)
{
	scope_close(&p->workspace);
	givens_close(&p->given);
	p->venv = p->library = NULL;
	talk_close(p);
	outside_done(&p->outside);
	memset(&p->spec, 0, sizeof(p->spec));
	p->hash_later = p->talks = p->tells = false;
}

void blueprint_done(struct blueprint *p)
{
	private_close(&p->private);
	outside_done(&p->outside);
	arena_done(&p->arena);
	payload_done(&p->payload);
	scope_close(&p->workspace);
	givens_close(&p->given);
	talk_close(p);
	scope_close(&p->input);
	scope_close(&p->pump.from);
	scope_close(&p->pump.to);
}

static int add_file(struct spec *s, const char *target, const char *content, bool is_link,
		    struct err *err)
{
	for (size_t i = 0; i < s->filec; i++)
		if (strcmp(s->file[i].target, target) == 0)
			return 0;
	if (s->filec == SPEC_FILES_MAX)
		return err_set(err, ERR_LIMIT, "too many links and files in the box");
	s->file[s->filec++] = (struct spec_file){target, content, is_link};
	return 0;
}

static int add_bind(struct spec *s, const char *source, const char *target, unsigned flags,
		    struct err *err)
{
	if (!spec_path_is_clean(source) || !spec_path_is_clean(target))
		return err_set(err, ERR_INPUT, "%s cannot be shown in the box: an odd path",
			       source);
	for (size_t i = 0; i < s->bindc; i++)
		if (strcmp(s->bind[i].target, target) == 0) {
			s->bind[i].flags |= flags & (BIND_CODE | BIND_PROGRAM);
			return 0;
		}
	if (s->bindc == SPEC_BINDS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d paths in the box", SPEC_BINDS_MAX);
	s->bind[s->bindc++] =
		(struct spec_bind){.source = source, .target = target, .flags = flags};
	return 0;
}

static int add_exec(struct spec *s, const char *path, struct err *err)
{
	if (s->programc == SPEC_PROGRAMS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d programs", SPEC_PROGRAMS_MAX);
	s->exec[s->programc++] = path;
	return 0;
}

/* Shows one path of the host: a link as that link, a file or directory as a read-only bind. */
static int show(struct draft *d, const char *path, unsigned flags, struct err *err)
{
	struct spec *s = &d->bp->spec;
	struct arena *a = &d->bp->arena;
	char link[PATH_MAX];
	ssize_t n = readlink(path, link, sizeof(link) - 1);

	if (n > 0) {
		link[n] = '\0';
		return add_file(s, path, arena_dup(a, link), true, err);
	}
	if (access(path, F_OK) < 0 && (flags & BIND_OPTIONAL))
		return 0;
	return add_bind(s, path, path, flags & BIND_FLAGS, err);
}

/* The same of something that the host gives, by its real name: the box shows this one or nothing. */
static int give(struct draft *d, const char *path, unsigned flags, struct err *err)
{
	const struct given *g = givens_add(&d->bp->given, path, err);
	struct spec *s = &d->bp->spec;

	if (!g || show(d, path, flags, err) < 0)
		return -1;
	for (size_t i = 0; i < s->bindc; i++)
		if (strcmp(s->bind[i].source, path) == 0) {
			s->bind[i].meant = given_meant(g);
			return 0;
		}
	return err_set(err, ERR_INPUT, "%s was replaced while the run was prepared", path);
}

static int show_rows(struct draft *d, const struct profile_bind *rows, struct err *err)
{
	bool exec = d->bp->spec.flags & SPEC_EXEC;

	for (; rows->path; rows++) {
		unsigned when = rows->flags & WHEN_FLAGS;
		const char *path = rows->path, *at = strchr(path, '@');
		/* Only as a link: a real /bin is shown by the rows of /usr/bin or not at all. */
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

static const char *resolve(struct draft *d, const char *path, struct err *err)
{
	char real[PATH_MAX];

	if (!realpath(path, real)) {
		err_errno(err, ERR_INPUT, "%s", path);
		return NULL;
	}
	return arena_dup(&d->bp->arena, real);
}

static int choose_profile(struct draft *d, struct err *err)
{
	const struct request *r = d->req;
	char names[NAMES_MAX];

	d->profile = r->lang ? profile_find(r->lang) : profile_guess(r->file);
	if (d->profile)
		return 0;
	err_set(err, ERR_USAGE, "%s%s", r->lang ? "there is no language " : "which language is ",
		r->lang ? r->lang : r->file);
	err_cure(err, "say --lang %s", names_of_profiles(names, sizeof(names)));
	return -1;
}

static int refuse_venv(const struct draft *d, struct err *err)
{
	err_set(err, ERR_INPUT, "--venv %s: not a virtualenv", d->req->venv);
	err_cause(err, "%s is not there", d->interpreter);
	err_cure(err, "make one: %s %s", d->profile->make_venv, d->req->venv);
	return -1;
}

static int find_interpreter(struct draft *d, struct err *err)
{
	const struct profile *p = d->profile;
	struct arena *a = &d->bp->arena;

	if (!p->interpreter)
		return 0;
	d->interpreter = p->interpreter;
	if (d->req->venv)
		d->interpreter = arena_printf(a, "%s/%s", d->req->venv, p->venv);
	d->real = resolve(d, d->interpreter, err);
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

/* --exec extends the profile's own list; a listed program is shown where it really is. */
static int add_programs(struct draft *d, struct err *err)
{
	struct spec *s = &d->bp->spec;
	struct stat st;

	for (const char *const *p = d->profile->programs; p && *p; p++) {
		char real[PATH_MAX];
		if (realpath(*p, real) && add_exec(s, arena_dup(&d->bp->arena, real), err) < 0)
			return -1;
	}
	for (size_t i = 0; i < d->req->execc; i++) {
		const char *asked = d->req->exec[i], *real = resolve(d, asked, err);
		if (!real)
			return -1;
		if (stat(real, &st) < 0 || !S_ISREG(st.st_mode) || access(real, X_OK) < 0)
			return err_set(err, ERR_INPUT, "--exec %s: not a program", asked);
		d->bp->program_at[i] = real;
		if (show(d, arena_dup(&d->bp->arena, asked), BIND_PROGRAM, err) < 0 ||
		    give(d, real, BIND_PROGRAM, err) < 0 || add_exec(s, real, err) < 0)
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

static int show_venv(struct draft *d, struct err *err)
{
	if (!d->req->venv)
		return 0;
	const char *dir = d->bp->venv = resolve(d, d->req->venv, err);
	if (!dir || give(d, dir, BIND_CODE, err) < 0)
		return -1;
	/* An interpreter outside the system brings its own standard library. */
	if (strncmp(d->real, "/usr/", 5) == 0)
		return 0;
	char *prefix = arena_dup(&d->bp->arena, d->real);
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(prefix, '/');
		if (!slash || slash == prefix)
			return err_set(err, ERR_INPUT, "%s is an odd place for %s", d->real,
				       d->profile->name);
		*slash = '\0';
	}
	d->bp->library = prefix;
	return give(d, prefix, BIND_CODE, err) < 0 || give(d, d->real, BIND_PROGRAM, err) < 0 ? -1
											      : 0;
}

static int show_interpreter(struct draft *d, struct err *err)
{
	struct spec *s = &d->bp->spec;

	if (!d->interpreter)
		return 0;
	if (strcmp(d->interpreter, d->real) != 0 && !d->req->venv &&
	    add_file(s, d->interpreter, d->real, true, err) < 0)
		return -1;
	s->program = d->real;
	return add_bind(s, d->real, d->real, BIND_PROGRAM, err);
}

static int add_arg(struct spec *s, const char *arg, struct err *err)
{
	if (s->argc == SPEC_ARGS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d arguments", SPEC_ARGS_MAX);
	s->argv[s->argc++] = arg;
	return 0;
}

static int add_args(struct draft *d, struct err *err)
{
	struct spec *s = &d->bp->spec;
	const char *const *extra = d->req->isolated ? d->profile->isolated : d->profile->args;

	/* A virtualenv is recognised by the path its interpreter is started with. */
	if (add_arg(s, d->interpreter ? d->interpreter : s->program, err) < 0)
		return -1;
	for (; d->interpreter && *extra; extra++)
		if (add_arg(s, *extra, err) < 0)
			return -1;
	if (d->interpreter && add_arg(s, s->payload_target, err) < 0)
		return -1;
	for (size_t i = 0; i < d->req->argc; i++)
		if (add_arg(s, d->req->argv[i], err) < 0)
			return -1;
	return 0;
}

static int add_env(struct spec *s, const char *pair, struct err *err)
{
	size_t name = strcspn(pair, "=");

	if (name == 0 || pair[name] != '=')
		return err_set(err, ERR_USAGE, "--env %s: write it like NAME=value", pair);
	for (size_t i = 0; i < s->envc; i++)
		if (strncmp(s->env[i], pair, name + 1) == 0) {
			s->env[i] = pair;
			return 0;
		}
	if (s->envc == SPEC_ENV_MAX)
		return err_set(err, ERR_LIMIT, "more than %d variables", SPEC_ENV_MAX);
	s->env[s->envc++] = pair;
	return 0;
}

/* PAIR with the home directory in place of its "@", if it has one. */
static int add_env_row(struct draft *d, const char *pair, struct err *err)
{
	struct spec *s = &d->bp->spec;
	const char *at = strchr(pair, '@');

	if (!at)
		return add_env(s, pair, err);
	return add_env(s,
		       arena_printf(&d->bp->arena, "%.*s%s%s", (int)(at - pair), pair,
				    s->private_dir ? s->private_dir : "/tmp", at + 1),
		       err);
}

/* Modules of the workspace can be imported, but not by a plan: nobody has planned them. Nor before the
 * word to go on: the interpreter then adds the path by itself. */
static const char *module_path(const struct draft *d)
{
	const struct spec *s = &d->bp->spec;

	return s->workspace_path && !d->bp->planned ? s->cwd : "";
}

static int add_module_path(struct draft *d, struct err *err)
{
	const char *path = d->bp->spec.flags & SPEC_TALK ? BOOT : module_path(d);

	if (!*path || !d->profile->path_env)
		return 0;
	return add_env(&d->bp->spec,
		       arena_printf(&d->bp->arena, "%s=%s", d->profile->path_env, path), err);
}

/* What the interpreter finds in its way when it starts. */
static int add_talk(struct draft *d, struct err *err)
{
	struct blueprint *p = d->bp;
	struct view_boot boot = {.modules = module_path(d),
				 .waits = p->talks,
				 .telemetry = talk_can_tell(p, d->req)};

	if (!boot.waits && !boot.telemetry)
		return 0;
	p->tells = boot.telemetry;
	if (talk_open(p, &boot, err) < 0)
		return -1;
	if (boot.waits &&
	    add_file(&p->spec, BOOT "/encodings/__init__.py", boot.encodings, false, err) < 0)
		return -1;
	return add_file(&d->bp->spec, BOOT "/sitecustomize.py", boot.sitecustomize, false, err);
}

static int add_environment(struct draft *d, struct err *err)
{
	struct blueprint *p = d->bp;
	const char *const *lists[] = {profile_common_env,
				      d->req->isolated ? NULL : d->profile->env};

	for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
		for (const char *const *e = lists[l]; e && *e; e++)
			if (add_env_row(d, *e, err) < 0)
				return -1;
	if (add_module_path(d, err) < 0)
		return -1;
	if (d->req->limit[LIMIT_CPU]) {
		unsigned long long cores = (d->req->limit[LIMIT_CPU] + 99) / 100;
		if (add_env(&p->spec, arena_printf(&p->arena, "OPENBLAS_NUM_THREADS=%llu", cores),
			    err) < 0)
			return -1;
	}
	for (size_t i = 0; i < d->req->envc; i++)
		if (add_env(&p->spec, d->req->env[i], err) < 0)
			return -1;
	return 0;
}

static int open_workspace(struct draft *d, struct err *err)
{
	struct blueprint *p = d->bp;

	p->spec.cwd = p->spec.private_dir ? p->spec.private_dir : "/tmp";
	if (!d->req->workspace)
		return 0;
	const char *real = resolve(d, d->req->workspace, err);
	if (!real) {
		workspace_explain(d->req->workspace, err);
		return -1;
	}
	p->workspace = workspace_open(real, d->req->workspace_mode, err);
	if (p->workspace < 0)
		return -1;
	if (p->spec.private_dir && d->req->workspace_mode == WORKSPACE_OVERLAY) {
		err_set(err, ERR_USAGE, "--tier no-userns has no overlay");
		err_cure(err, "use --workspace DIR:ro or DIR:rw");
		return -1;
	}
	p->spec.workspace = d->req->workspace_mode;
	p->spec.workspace_path = real;
	p->spec.cwd = p->spec.private_dir ? real : "/workspace";
	return d->req->commit ? conflict_mark(p->workspace, &p->mark, err) : 0;
}

/* What can be read piece by piece goes through a pipe of the program's own. */
static int open_pump(struct blueprint *p, int *from, struct err *err)
{
	int pipe[2];

	if (pipe2(pipe, O_CLOEXEC) < 0 || fcntl(pipe[1], F_SETFL, O_NONBLOCK) < 0)
		return err_errno(err, ERR_SYSTEM, "making a pipe");
	p->input = pipe[0];
	p->pump.to = pipe[1];
	p->pump.from = scope_take_fd(from);
	return 0;
}

/* Whoever approves it, or knows where it came from, means these bytes. */
static int fix_input(struct blueprint *bp, struct err *err)
{
	if (bp->input < 0 || payload_hash_file(bp->input, bp->input_sha256, err) < 0)
		return -1;
	bp->input_is_fixed = true;
	return 0;
}

/* The program gets no description that anybody else has: neither the caller's place in a file nor
 * the flags of his pipe. */
static int open_input(struct draft *d, struct err *err)
{
	const char *file = d->req->stdin_file ? d->req->stdin_file : "/dev/null";
	bool passed = strcmp(file, "-") == 0;
	AUTO_CLOSE int fd = passed ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				   : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (d->req->input) {
		d->bp->input = payload_input("the input", d->req->input, d->req->input_len, err);
		return fix_input(d->bp, err);
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "--stdin %s", file);
	if (S_ISREG(st.st_mode)) {
		d->bp->input_file = st;
		d->bp->input = payload_copy(fd, file, err);
		return fix_input(d->bp, err);
	}
	if (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
		return err_set(err, ERR_INPUT,
			       "--stdin %s: only a file, a pipe or a character device is read",
			       file);
	if (d->req->stdin_file)
		return open_pump(d->bp, &fd, err);
	d->bp->input = scope_take_fd(&fd);
	return fix_input(d->bp, err); /* nothing: /dev/null */
}

/* Without namespaces the run gets a directory of its own on the host. */
static int make_private(struct draft *d, struct err *err)
{
	if (d->req->tier != TIER_NO_USERNS)
		return 0;
	private_sweep();
	if (private_choose(&d->bp->private, err) < 0)
		return -1;
	d->bp->spec.private_dir = d->bp->private.inner;
	return 0;
}

static int add_common_files(struct draft *d, struct err *err)
{
	const struct spec_file *lists[] = {d->req->network ? profile_net_files : NULL,
					   profile_common_files};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (const struct spec_file *f = lists[i]; f && f->target; f++)
			if (add_file(&d->bp->spec, f->target, f->content, f->is_link, err) < 0)
				return -1;
	return 0;
}

static int open_payload(struct draft *d, struct payload *p, struct err *err)
{
	const struct request *r = d->req;

	if (r->code)
		return payload_take(p, d->profile, r->code, r->code_len, err);
	return payload_open(p, d->profile, r->file, r->limit[LIMIT_TIME], err);
}

int blueprint_begin(struct blueprint *p, const struct request *req, struct err *err)
{
	struct draft d = {.bp = p, .req = req};

	if (choose_profile(&d, err) < 0)
		return -1;
	p->profile = d.profile;
	return open_payload(&d, &p->payload, err) < 0 ? -1 : open_input(&d, err);
}

static int show_payload(struct draft *d, struct err *err)
{
	struct blueprint *p = d->bp;
	const struct payload *payload = &p->payload;

	p->hash_later = payload->is_program && !payload->is_known && d->req->hash_program;
	if (p->hash_later && payload_stamp(payload->fd, &p->program, err) < 0)
		return -1;
	p->spec.payload = payload->is_program ? PAYLOAD_PROGRAM : PAYLOAD_FILE;
	memcpy(p->spec.payload_sha256, payload->sha256, sizeof(payload->sha256));
	if (payload->is_program) {
		const char *source = arena_dup(&p->arena, payload->path);
		bool in_place = p->spec.private_dir || strncmp(source, "/usr/", 5) == 0;
		p->spec.program = in_place ? source : d->profile->target;
		return add_bind(&p->spec, source, p->spec.program, BIND_PROGRAM, err);
	}
	p->spec.payload_target =
		p->spec.private_dir
			? arena_printf(&p->arena, "%s/main%s", p->spec.private_dir, payload->suffix)
			: arena_printf(&p->arena, "%s%s", d->profile->target, payload->suffix);
	return 0;
}

int blueprint_make(struct blueprint *p, const struct request *req, struct err *err)
{
	struct draft d = {.bp = p, .req = req, .profile = p->profile};

	if (basics_set(req, p->profile, &p->spec, err) < 0 || make_private(&d, err) < 0 ||
	    find_interpreter(&d, err) < 0 || show_payload(&d, err) < 0)
		return -1;
	if (show_rows(&d, profile_common_binds, err) < 0 ||
	    (!req->isolated && show_rows(&d, d.profile->binds, err) < 0) ||
	    (req->network && show_rows(&d, profile_net_binds, err) < 0) || show_venv(&d, err) < 0 ||
	    show_interpreter(&d, err) < 0 || add_programs(&d, err) < 0 || add_loader(&d, err) < 0 ||
	    add_common_files(&d, err) < 0 || add_args(&d, err) < 0 || open_workspace(&d, err) < 0 ||
	    add_talk(&d, err) < 0 || add_environment(&d, err) < 0)
		return -1;
	if (p->arena.failed)
		return err_set(err, ERR_SYSTEM, "out of memory");
	return 0;
}
