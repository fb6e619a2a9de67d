/* SPDX-License-Identifier: MIT
 *
 * Builds the spec: limits, payload, paths of the host, arguments, workspace, environment. It starts
 * nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "live/blueprint_private.h"
#include "live/early_reader.h"
#include "live/machine.h"
#include "live/mounts.h"
#include "live/workspace.h"

/* A directory in the box, the first entry of PYTHONPATH. */
#define BOOT "/cordon/boot"

static int advise_file(struct err *err)
{
	err_cure(err, "pass data as a file: --stdin FILE, or in --workspace DIR");
	return -1;
}

/* execve(2) takes no longer string (MAX_ARG_STRLEN). */
static int check_length(const char *word, const char *what, struct err *err)
{
	size_t len = strlen(word);

	if (len < SPEC_STRING_MAX)
		return 0;
	err_set(err, ERR_LIMIT, "%s has %zu bytes; the limit is %lu", what, len,
		SPEC_STRING_MAX - 1);
	return advise_file(err);
}

static int add_arg(struct spec *s, const char *arg, struct err *err)
{
	if (s->argc == SPEC_ARGS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d arguments", SPEC_ARGS_MAX);
	s->argv[s->argc++] = arg;
	return 0;
}

/* The caller's arguments follow those of the interpreter. */
static int add_caller_args(struct spec *s, const struct request *req, struct err *err)
{
	size_t room = SPEC_ARGS_MAX - s->argc;
	char what[40];

	if (req->argc > room) {
		err_set(err, ERR_LIMIT, "%zu arguments; the limit is %zu", req->argc, room);
		return advise_file(err);
	}
	for (size_t i = 0; i < req->argc; i++) {
		snprintf(what, sizeof(what), "argument %zu", i + 1);
		if (check_length(req->argv[i], what, err) < 0)
			return -1;
		s->argv[s->argc++] = req->argv[i];
	}
	return 0;
}

static int add_args(struct draft *d, struct err *err)
{
	struct spec *s = &d->bp->spec;
	const char *const *extra = d->req->isolated ? d->profile->isolated : d->profile->args;

	if (request_has_live_box(d->req)) /* each start brings its own */
		return add_arg(s, d->interpreter, err);

	/* A virtualenv is recognised by the path its interpreter is started with. */
	if (add_arg(s, d->interpreter ? d->interpreter : s->program, err) < 0)
		return -1;
	for (; d->interpreter && *extra; extra++)
		if (add_arg(s, *extra, err) < 0)
			return -1;
	if (d->interpreter && add_arg(s, s->payload_target, err) < 0)
		return -1;
	return add_caller_args(s, d->req, err);
}

static int add_env(struct spec *s, const char *pair, struct err *err)
{
	size_t name = strcspn(pair, "=");
	char what[96];

	if (name == 0 || pair[name] != '=')
		return err_set(err, ERR_USAGE, "--env %s: not of the form NAME=value", pair);
	snprintf(what, sizeof(what), "the variable %.64s", pair);
	what[strcspn(what, "=")] = '\0';
	if (check_length(pair, what, err) < 0)
		return -1;
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

/* An "@" in PAIR stands for the home directory, a "%" for that of temporary files. */
static int add_env_row(struct draft *d, const char *pair, struct err *err)
{
	struct spec *s = &d->bp->spec;
	const char *at = strpbrk(pair, "@%");

	if (!at)
		return add_env(s, pair, err);
	const char *where = s->private_dir	       ? s->private_dir
			    : *at != '@' || !d->is_dev ? "/tmp"
			    : d->req->home	       ? SPEC_KEPT_HOME
						       : "/home";
	return add_env(
		s, arena_printf(&d->bp->arena, "%.*s%s%s", (int)(at - pair), pair, where, at + 1),
		err);
}

static bool is_path_env(const struct draft *d, const char *pair)
{
	const char *name = d->profile->path_env;

	return name && strncmp(pair, name, strlen(name)) == 0 && pair[strlen(name)] == '=';
}

/* The directories that the program may import modules from: the caller's, else the workspace. An
 * interpreter that reads its code early adds this path itself, after the decision; before it, no
 * module of the workspace may be imported. */
static const char *module_path(const struct draft *d)
{
	const struct spec *s = &d->bp->spec;

	for (size_t i = d->req->envc; i-- > 0;)
		if (is_path_env(d, d->req->env[i]))
			return strchr(d->req->env[i], '=') + 1;
	return s->workspace_path ? s->cwd : "";
}

static int add_module_path(struct draft *d, struct err *err)
{
	const char *path = d->bp->spec.flags & SPEC_CHANNEL ? BOOT : module_path(d);

	if (!*path || !d->profile->path_env)
		return 0;
	return add_env(&d->bp->spec,
		       arena_printf(&d->bp->arena, "%s=%s", d->profile->path_env, path), err);
}

/* Adds the files that the interpreter runs first when it starts. */
static int add_boot(struct draft *d, struct err *err)
{
	struct blueprint *p = d->bp;
	struct boot boot = {.dir = BOOT,
			    .modules = module_path(d),
			    .waits = p->reads_early,
			    .telemetry = early_reader_can_report(p, d->req)};

	if (!boot.waits && !boot.telemetry)
		return 0;
	p->has_telemetry = boot.telemetry;
	if (early_reader_open(p, &boot, err) < 0)
		return -1;
	for (size_t i = 0; i < boot.files; i++)
		if (draft_file(d, boot.file[i], err) < 0)
			return -1;
	return 0;
}

static int add_environment(struct draft *d, struct err *err)
{
	struct blueprint *p = d->bp;
	const char *const *lists[] = {d->is_dev ? profile_dev_env : profile_common_env,
				      d->req->isolated ? NULL : d->profile->env};

	for (size_t l = 0; l < ARRAY_SIZE(lists); l++)
		for (const char *const *e = lists[l]; e && *e; e++)
			if (add_env_row(d, *e, err) < 0)
				return -1;
	if (d->path && add_env(&p->spec,
			       arena_printf(&p->arena, "PATH=%s:%s", d->path,
					    profile_dev_env[0] + strlen("PATH=")),
			       err) < 0)
		return -1;
	if (add_module_path(d, err) < 0)
		return -1;
	if (d->req->limit[LIMIT_CPU]) {
		unsigned long long cores = (d->req->limit[LIMIT_CPU] + 99) / 100;
		if (add_env(&p->spec, arena_printf(&p->arena, "OPENBLAS_NUM_THREADS=%llu", cores),
			    err) < 0)
			return -1;
	}
	for (size_t i = 0; i < d->req->envc; i++) {
		bool is_set = (p->spec.flags & SPEC_CHANNEL) && is_path_env(d, d->req->env[i]);
		if (!is_set && add_env(&p->spec, d->req->env[i], err) < 0)
			return -1;
	}
	return 0;
}

static int open_workspace(struct draft *d, struct err *err)
{
	struct blueprint *p = d->bp;

	p->spec.cwd = p->spec.private_dir ? p->spec.private_dir : "/tmp";
	if (!d->req->workspace)
		return 0;
	const char *real = draft_resolve(d, d->req->workspace, err);
	if (!real) {
		workspace_explain(d->req->workspace, err);
		return -1;
	}
	p->workspace = workspace_open(real, d->req, &p->own, &p->spec, err);
	if (p->workspace < 0)
		return -1;
	if (p->spec.private_dir && d->req->workspace_mode == WORKSPACE_OVERLAY) {
		err_set(err, ERR_USAGE, "--tier no-userns has no overlay");
		err_cure(err, "use --workspace DIR:ro or DIR:rw");
		return -1;
	}
	p->spec.workspace = d->req->workspace_mode;
	p->spec.workspace_path = p->spec.cwd = real;
	if (d->req->cwd && !d->req->creates_box && path_below(d->req->cwd, real))
		p->spec.cwd = d->req->cwd;
	size_t masks = p->spec.maskc;
	struct stat st;
	if (d->req->workspace_mode == WORKSPACE_RW &&
	    (fstat(p->workspace, &st) < 0 ||
	     direct_open(&p->direct, real, &st, DIRECT_WORKSPACE, err) < 0 ||
	     direct_protect(&p->direct.at[p->direct.count - 1], &p->spec, &p->arena, err) < 0))
		return -1;
	if (p->spec.private_dir && p->spec.maskc > masks) {
		err_set(err, ERR_USAGE, "--tier no-userns cannot protect %.200s",
			p->spec.mask[masks].path);
		err_cause(err, "the user's own tools run or obey it, and this tier cannot mount it "
			       "read-only");
		err_cure(err, "use --workspace DIR:ro, or another tier");
		return -1;
	}
	return 0;
}

/* --hide: relative paths begin at the workspace. Masks are by identity, so no link leads around one. */
static int hide_paths(struct draft *d, struct err *err)
{
	struct spec *s = &d->bp->spec;
	struct stat st;

	for (size_t i = 0; i < d->req->hidec; i++) {
		const char *asked = d->req->hide[i];
		if (*asked != '/' && s->workspace_path)
			asked = arena_printf(&d->bp->arena, "%s/%s", s->workspace_path, asked);
		const char *real = draft_resolve(d, asked, err);
		if (!real || lstat(real, &st) < 0) {
			err_context(err, "--hide");
			return -1;
		}
		if (s->private_dir) {
			err_set(err, ERR_USAGE, "--tier no-userns cannot hide a path");
			err_cause(err, "this tier has no mounts");
			return -1;
		}
		if (!draft_shows(d, real)) {
			err_set(err, ERR_USAGE, "--hide %.200s: the box does not show it", real);
			err_cure(err,
				 "name a path below the workspace or a directory of --ro or --rw");
			return -1;
		}
		if (own_paths_add_mask(s, real, &st, err) < 0)
			return -1;
	}
	return 0;
}

/* Code that is a file of the workspace knows where it lies. Without mounts it cannot. */
static int run_in_place(struct draft *d, struct err *err)
{
	struct blueprint *p = d->bp;
	const struct request *r = d->req;
	bool is_file = !r->code && r->file && !p->payload.is_program && strcmp(r->file, "-") != 0;

	if (!is_file || p->workspace < 0 || p->spec.private_dir ||
	    !S_ISREG(p->payload.from.st_mode))
		return 0;
	const char *real = draft_resolve(d, r->file, err);
	if (!real)
		return -1;
	const char *rest = path_below(real, p->spec.workspace_path);
	if (rest && *rest && spec_path_is_clean(real))
		p->spec.payload_target = real;
	return 0;
}

/* Without namespaces, /tmp and home of the run are a directory on the host. */
static int make_private(struct draft *d, struct err *err)
{
	if (d->req->tier != TIER_NO_USERNS)
		return 0;
	private_path_sweep();
	if (private_path_choose(&d->bp->private, err) < 0)
		return -1;
	d->bp->spec.private_dir = d->bp->private.inner;
	return 0;
}

static int add_common_files(struct draft *d, struct err *err)
{
	const struct spec_file *lists[] = {request_connects(d->req) ? profile_net_files : NULL,
					   d->req->home ? profile_kept_files : NULL,
					   d->is_dev ? profile_dev_files : NULL,
					   profile_common_files};

	struct spec_file machine[MACHINE_FILES];

	if (d->bp->spec.flags & SPEC_PROC_FULL && !d->bp->spec.private_dir) {
		machine_files(d->req, &d->bp->arena, machine);
		for (size_t i = 0; i < MACHINE_FILES; i++)
			if (draft_file(d, machine[i], err) < 0)
				return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (const struct spec_file *f = lists[i]; f && f->target; f++)
			if (draft_file(d, *f, err) < 0)
				return -1;
	return 0;
}

static int show_payload(struct draft *d, struct err *err)
{
	struct blueprint *p = d->bp;
	const struct payload *payload = &p->payload;

	if (request_has_live_box(d->req))
		return 0;
	p->hash_later = payload->is_program && !payload->is_hashed && d->req->hash_program;
	if (p->hash_later && payload_stamp(payload->fd, &p->program, err) < 0)
		return -1;
	p->spec.payload = payload->is_program ? PAYLOAD_PROGRAM : PAYLOAD_FILE;
	memcpy(p->spec.payload_sha256, payload->sha256, sizeof(payload->sha256));
	if (payload->is_program) {
		const char *source = arena_dup(&p->arena, payload->path);
		bool in_place = p->spec.private_dir || strncmp(source, "/usr/", 5) == 0;
		p->spec.program = in_place ? source : d->profile->target;
		return draft_bind(d, source, p->spec.program, BIND_PROGRAM, err);
	}
	p->spec.payload_target =
		p->spec.private_dir
			? arena_printf(&p->arena, "%s/main%s", p->spec.private_dir, payload->suffix)
			: arena_printf(&p->arena, "%s%s", d->profile->target, payload->suffix);
	return 0;
}

/* The kernel counts files in the box as memory. With a smaller --disk, a full disk is reported as
 * such and not as too much memory. */
static int set_limits(const struct request *r, struct spec *s, struct err *err)
{
	memcpy(s->limit, r->limit, sizeof(s->limit));
	if (s->limit[LIMIT_DISK] < s->limit[LIMIT_MEMORY])
		return 0;
	if (r->limit[LIMIT_DISK] != limit_default(LIMIT_DISK, false) &&
	    r->limit[LIMIT_DISK] != limit_default(LIMIT_DISK, true)) {
		err_set(err, ERR_USAGE, "--disk must be below --memory");
		err_cause(err, "files written in the box are kept in memory and count as memory");
		return -1;
	}
	s->limit[LIMIT_DISK] = s->limit[LIMIT_MEMORY] / 2;
	return 0;
}

/* Tier, flags and limits of the spec. Refuses options that do not go together. */
static int set_basics(const struct draft *d, struct spec *s, struct err *err)
{
	const struct request *r = d->req;
	const struct profile *p = d->profile;
	bool overlay = r->workspace && r->workspace_mode == WORKSPACE_OVERLAY;

	s->tier = r->tier;
	s->flags = p->spec_flags;
	if (d->is_dev)
		s->flags |= SPEC_EXEC | SPEC_DEV | SPEC_PROC_FULL;
	else if (r->execc || p->programs)
		s->flags |= SPEC_EXEC;
	if (request_has_live_box(r) && r->tier == TIER_NO_USERNS) {
		err_set(err, ERR_USAGE, "--tier no-userns has no live box");
		err_cure(err, "use --tier no-cgroup, or cordon run for each program");
		return -1;
	}
	if (request_has_live_box(r) && !d->is_dev) {
		err_set(err, ERR_USAGE, "a live box has the profile dev");
		err_cure(err, "leave out --profile");
		return -1;
	}
	if (request_has_live_box(r))
		s->flags |= SPEC_LIVE;
	/* A directory of the host may hold a socket that a process of the host listens on. */
	if (r->venv || r->roc || r->rwc || (r->workspace && !overlay))
		s->flags |= SPEC_NEAR;
	if (overlay)
		s->flags |= SPEC_DIFF | SPEC_KEEP_UPPER;
	if ((r->diff || r->apply) && !overlay)
		return err_set(err, ERR_USAGE, "--diff and --apply need --workspace DIR:overlay");
	if (request_connects(r) && r->tier == TIER_NO_USERNS) {
		err_set(err, ERR_USAGE, "--tier no-userns has no network");
		err_cause(err, "connections need a private network around the program");
		return -1;
	}
	if (request_connects(r))
		s->flags |= SPEC_NET;
	if (r->limit[LIMIT_CPU] && r->tier != TIER_FULL) {
		err_set(err, ERR_USAGE, "--cpu needs a cgroup, and --tier %s has none",
			tier_row(r->tier)->name);
		err_cure(err, "leave out --cpu or --tier; --cpu-time works in every tier");
		return -1;
	}
	if (r->keep && !d->is_dev) {
		err_set(err, ERR_USAGE, "--keep is for the profile dev");
		err_cause(err, "in the profile snippet a box has no home directory");
		err_cure(err, "--profile dev");
		return -1;
	}
	if (r->keep && !r->workspace)
		return err_set(err, ERR_USAGE, "--keep needs --workspace DIR");
	if (r->keep && r->tier == TIER_NO_USERNS) {
		err_set(err, ERR_USAGE, "--tier no-userns cannot show a kept home directory");
		err_cause(err, "this tier has no mounts");
		return -1;
	}
	if (r->venv && !p->venv)
		return err_set(err, ERR_USAGE, "--venv is not for --lang %s", p->name);
	return set_limits(r, s, err);
}

int blueprint_make(struct blueprint *p, const struct request *req, struct err *err)
{
	struct draft d = {.bp = p,
			  .req = req,
			  .profile = p->profile,
			  .is_dev = profile_is_dev(p->profile, req)};

	if (set_basics(&d, &p->spec, err) < 0 || make_private(&d, err) < 0 ||
	    draft_interpreter(&d, err) < 0 || show_payload(&d, err) < 0)
		return -1;
	if (draft_show(&d, err) < 0 || add_common_files(&d, err) < 0 ||
	    open_workspace(&d, err) < 0 || draft_check_rw(&d, err) < 0 || hide_paths(&d, err) < 0 ||
	    run_in_place(&d, err) < 0 || add_args(&d, err) < 0 || add_boot(&d, err) < 0 ||
	    add_environment(&d, err) < 0)
		return -1;
	clock_gettime(CLOCK_REALTIME_COARSE, &p->began); /* the clock of file time stamps */
	if (p->arena.failed)
		return err_memory(err);
	return 0;
}
