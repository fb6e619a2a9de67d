/* SPDX-License-Identifier: MIT
 *
 * Builds the spec, step by step: profile, payload, what is shown of the host, arguments, workspace,
 * environment.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "flow/basics.h"
#include "flow/blueprint_private.h"
#include "flow/direct.h"
#include "flow/talk.h"
#include "flow/workspace.h"

/* In the box; the first of what PYTHONPATH names. */
#define BOOT "/cordon/boot"

/* What was said is too much. */
static int tell_file(struct err *err)
{
	err_cure(err, "give what is data as a file: --stdin FILE, or in --workspace DIR");
	return -1;
}

/* The kernel takes no longer one. */
static int check_length(const char *word, const char *what, struct err *err)
{
	size_t len = strlen(word);

	if (len < SPEC_STRING_MAX)
		return 0;
	err_set(err, ERR_LIMIT, "%s has %zu bytes, and %lu are the most", what, len,
		SPEC_STRING_MAX - 1);
	return tell_file(err);
}

static int add_arg(struct spec *s, const char *arg, struct err *err)
{
	if (s->argc == SPEC_ARGS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d arguments", SPEC_ARGS_MAX);
	s->argv[s->argc++] = arg;
	return 0;
}

/* Those that were asked for, behind the interpreter's. */
static int add_given(struct spec *s, const struct request *req, struct err *err)
{
	size_t room = SPEC_ARGS_MAX - s->argc;
	char what[40];

	if (req->argc > room) {
		err_set(err, ERR_LIMIT, "%zu arguments, and %zu are the most", req->argc, room);
		return tell_file(err);
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

	/* A virtualenv is recognised by the path its interpreter is started with. */
	if (add_arg(s, d->interpreter ? d->interpreter : s->program, err) < 0)
		return -1;
	for (; d->interpreter && *extra; extra++)
		if (add_arg(s, *extra, err) < 0)
			return -1;
	if (d->interpreter && add_arg(s, s->payload_target, err) < 0)
		return -1;
	return add_given(s, d->req, err);
}

static int add_env(struct spec *s, const char *pair, struct err *err)
{
	size_t name = strcspn(pair, "=");
	char what[96];

	if (name == 0 || pair[name] != '=')
		return err_set(err, ERR_USAGE, "--env %s: write it like NAME=value", pair);
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

static bool is_path_env(const struct draft *d, const char *pair)
{
	const char *name = d->profile->path_env;

	return name && strncmp(pair, name, strlen(name)) == 0 && pair[strlen(name)] == '=';
}

/* Modules of the workspace can be imported, but not before the word to go on: the interpreter then adds
 * the path by itself. A path that the caller gives replaces it. */
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
	struct view_boot boot = {.dir = BOOT,
				 .modules = module_path(d),
				 .waits = p->talks,
				 .telemetry = talk_can_tell(p, d->req)};

	if (!boot.waits && !boot.telemetry)
		return 0;
	p->tells = boot.telemetry;
	if (talk_open(p, &boot, err) < 0)
		return -1;
	for (size_t i = 0; i < boot.files; i++)
		if (draft_file(d, boot.file[i], err) < 0)
			return -1;
	return 0;
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
	for (size_t i = 0; i < d->req->envc; i++) {
		bool is_told = (p->spec.flags & SPEC_TALK) && is_path_env(d, d->req->env[i]);
		if (!is_told && add_env(&p->spec, d->req->env[i], err) < 0)
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
	p->workspace = workspace_open(real, d->req->workspace_mode, &p->own, &p->spec, err);
	if (p->workspace < 0)
		return -1;
	if (p->spec.private_dir && d->req->workspace_mode == WORKSPACE_OVERLAY) {
		err_set(err, ERR_USAGE, "--tier no-userns has no overlay");
		err_cure(err, "use --workspace DIR:ro or DIR:rw");
		return -1;
	}
	p->spec.workspace = d->req->workspace_mode;
	size_t masks = p->spec.maskc;
	if (d->req->workspace_mode == WORKSPACE_RW &&
	    direct_protect(p->workspace, &p->spec, &p->arena, err) < 0)
		return -1;
	if (p->spec.private_dir && p->spec.maskc > masks) {
		err_set(err, ERR_USAGE, "--tier no-userns cannot protect %.200s",
			p->spec.mask[masks].path);
		err_cause(err, "the user's own tools run or obey it, and this tier has no mounts");
		err_cure(err, "use --workspace DIR:ro, or another tier");
		return -1;
	}
	p->spec.workspace_path = real;
	p->spec.cwd = p->spec.private_dir ? real : "/workspace";
	clock_gettime(CLOCK_REALTIME_COARSE, &p->began); /* the clock that stamps files */
	return 0;
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
	const struct spec_file *lists[] = {request_connects(d->req) ? profile_net_files : NULL,
					   profile_common_files};

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

	p->hash_later = payload->is_program && !payload->is_known && d->req->hash_program;
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

int blueprint_make(struct blueprint *p, const struct request *req, struct err *err)
{
	struct draft d = {.bp = p, .req = req, .profile = p->profile};

	if (basics_set(req, p->profile, &p->spec, err) < 0 || make_private(&d, err) < 0 ||
	    draft_interpreter(&d, err) < 0 || show_payload(&d, err) < 0)
		return -1;
	if (draft_show(&d, err) < 0 || add_common_files(&d, err) < 0 || add_args(&d, err) < 0 ||
	    open_workspace(&d, err) < 0 || add_talk(&d, err) < 0 || add_environment(&d, err) < 0)
		return -1;
	if (p->arena.failed)
		return err_memory(err);
	return 0;
}
