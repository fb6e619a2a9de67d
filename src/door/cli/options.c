/* SPDX-License-Identifier: MIT
 *
 * Options that commands share. Each row of model/limit.h is an option too.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "approval/approval.h"
#include "base/nearest.h"
#include "base/scope.h"
#include "conf/name_list.h"
#include "conf/units.h"
#include "door/cli/cli.h"
#include "policy/net.h"
#include "trust/kept_home.h"
#include "trust/ticket.h"

int cli_set_json(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->json = true;
	return 0;
}

static int set_help(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->help = true;
	return 0;
}

bool cli_find_name(const char *(*name)(unsigned i), const char *v, size_t len, unsigned *ret)
{
	for (*ret = 0; name(*ret); (*ret)++)
		if (strlen(name(*ret)) == len && strncmp(name(*ret), v, len) == 0)
			return true;
	return false;
}

int cli_choose(const char *(*name)(unsigned i), const struct cli_option *o, const char *v,
	       unsigned *ret, struct err *err)
{
	char names[NAMES_MAX];

	if (cli_find_name(name, v, strlen(v), ret))
		return 0;
	err_set(err, ERR_USAGE, "--%s: there is no \"%.32s\" (%s)", o->name, v,
		names_join(name, names, sizeof(names)));
	nearest_say(err, "", nearest(v, strlen(v), name));
	return -1;
}

int cli_set_text(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)err;
	*(const char **)(void *)(c->own + o->at) = v;
	return 0;
}

int cli_set_flag(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)v, (void)err;
	*(bool *)(c->own + o->at) = true;
	return 0;
}

int cli_set_choice(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	return cli_choose(o->choice, o, v, (unsigned *)(void *)(c->own + o->at), err);
}

int cli_parse_number(const struct cli_option *o, const char *v, uint64_t most, uint64_t *ret,
		     struct err *err)
{
	char *end = NULL;

	errno = 0;
	*ret = strtoull(v, &end, 10);
	if (*v >= '0' && *v <= '9' && !*end && !errno && *ret <= most)
		return 0;
	return err_set(err, ERR_USAGE, "%s%s: a number up to %llu", cli_dashes(o), o->name,
		       (unsigned long long)most);
}

int cli_set_runs(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	uint64_t *runs = (uint64_t *)(void *)(c->own + o->at);

	if (cli_parse_number(o, v, TICKET_RUNS_MAX, runs, err) < 0)
		return -1;
	return *runs ? 0 : err_set(err, ERR_USAGE, "--runs: at least 1");
}

int cli_set_validity(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	uint64_t *ms = (uint64_t *)(void *)(c->own + o->at);

	if (units_parse(UNIT_DURATION_MS, v, ms) && *ms && *ms <= TICKET_TIME_MAX_US / 1000)
		return 0;
	return err_set(err, ERR_USAGE, "--for: a time like 10m, 30 days (720h) at most");
}

int cli_set_lang(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	unsigned row;

	c->request.lang = v;
	return cli_choose(o->choice, o, v, &row, err);
}

static int set_exec(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (v[0] != '/')
		return err_set(err, ERR_USAGE, "--exec %.64s: the path must be absolute", v);
	if (c->request.execc == REQUEST_LIST_MAX)
		return err_set(err, ERR_LIMIT, "--exec: more than %d", REQUEST_LIST_MAX);
	c->request.exec[c->request.execc++] = v;
	return 0;
}

/* Stores the canonical form, as tickets do. */
int cli_set_net(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	char form[POLICY_NET_TEXT_MAX];
	struct policy_net net;

	(void)o;
	if (c->request.netc == REQUEST_LIST_MAX)
		return err_set(err, ERR_LIMIT, "--net: more than %d", REQUEST_LIST_MAX);
	if (policy_net_parse(v, true, &c->arena, &net, err) < 0) {
		err->code = ERR_USAGE;
		err_context(err, "--net");
		return -1;
	}
	c->request.net[c->request.netc++] =
		arena_dup(&c->arena, policy_net_format(&net, form, sizeof(form)));
	return c->arena.failed ? err_memory(err) : 0;
}

static int add_path(const struct cli_option *o, const char *v, const char **list, size_t most,
		    size_t *count, struct err *err)
{
	if (*count == most)
		return err_set(err, ERR_LIMIT, "--%s: more than %zu", o->name, most);
	list[(*count)++] = v;
	return 0;
}

static int set_ro(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	return add_path(o, v, c->request.ro, REQUEST_PATHS_MAX, &c->request.roc, err);
}

static int set_rw(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	return add_path(o, v, c->request.rw, REQUEST_RW_MAX, &c->request.rwc, err);
}

static int set_hide(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	return add_path(o, v, c->request.hide, REQUEST_PATHS_MAX, &c->request.hidec, err);
}

int cli_check_name(const char *name, const char *of, struct err *err)
{
	if (kept_home_is_name(name))
		return 0;
	err_set(err, ERR_USAGE, "\"%.64s\" is no name of a %s", name, of);
	err_cure(err, "use at most %d letters, digits, dots, dashes and underscores",
		 KEPT_HOME_NAME_MAX - 1);
	return -1;
}

static int set_keep(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	c->request.keep = v;
	return cli_check_name(v, "kept home directory", err);
}

static const char *execution_name(unsigned i)
{
	static const char *const names[] = {"snippet", "dev"};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

static int set_execution(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err)
{
	unsigned i;

	if (cli_choose(o->choice, o, v, &i, err) < 0)
		return -1;
	c->request.execution = (enum execution)(EXECUTION_SNIPPET + i);
	return 0;
}

static int set_env(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (v[0] == '=' || !strchr(v, '='))
		return err_set(err, ERR_USAGE, "--env %.64s: write it like NAME=value", v);
	if (c->request.envc == REQUEST_LIST_MAX) {
		err_set(err, ERR_LIMIT, "--env: more than %d", REQUEST_LIST_MAX);
		err_cure(err, "pass data as a file: --stdin FILE, or in --workspace DIR");
		return -1;
	}
	c->request.env[c->request.envc++] = v;
	return 0;
}

static const struct {
	const char *suffix;
	enum workspace_mode mode;
} workspace_modes[] = {
	{":ro", WORKSPACE_RO}, {":overlay", WORKSPACE_OVERLAY}, {":rw", WORKSPACE_RW}};

/* The value is in argv: the suffix is removed in place. */
int cli_set_workspace(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	size_t len = strlen(v);

	(void)o, (void)err;
	c->request.workspace = v;
	c->request.workspace_mode = WORKSPACE_OVERLAY;
	for (size_t i = 0; i < ARRAY_SIZE(workspace_modes); i++) {
		size_t cut = strlen(workspace_modes[i].suffix);
		if (len <= cut || strcmp(v + len - cut, workspace_modes[i].suffix) != 0)
			continue;
		c->request.workspace_mode = workspace_modes[i].mode;
		((char *)v)[len - cut] = '\0';
		break;
	}
	return 0;
}

static int set_venv(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (v[0] != '/')
		return err_set(err, ERR_USAGE, "--venv %.64s: the path must be absolute", v);
	c->request.venv = v;
	return 0;
}

int cli_set_secret(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (c->request.secretc == REQUEST_LIST_MAX)
		return err_set(err, ERR_LIMIT, "--secret: more than %d", REQUEST_LIST_MAX);
	c->request.secret[c->request.secretc++] = v;
	return 0;
}

int cli_set_strict(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->strict = true;
	return 0;
}

int cli_set_state(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	c->flag_values.state = v;
	c->flag_values.where[CONFIG_STATE] = "--state";
	return v[0] == '/' && strlen(v) < PATH_MAX
		       ? 0
		       : err_set(err, ERR_USAGE, "--state: the path must be absolute");
}

int cli_set_policy(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)err;
	c->flag_values.policy = v;
	c->flag_values.where[CONFIG_POLICY] = "--policy";
	return 0;
}

int cli_set_rules(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (c->flag_values.rules.count == REQUEST_LIST_MAX)
		return err_set(err, ERR_LIMIT, "--rules: more than %d", REQUEST_LIST_MAX);
	c->flag_values.rules.text[c->flag_values.rules.count++] = v;
	c->flag_values.where[CONFIG_RULES] = "--rules";
	return 0;
}

int cli_set_conversation(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err)
{
	(void)o, (void)err;
	c->request.conversation = v;
	return 0;
}

int cli_set_title(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	bool is_title = strcmp(o->name, "title") == 0;
	size_t most = is_title ? APPROVAL_TITLE_MAX : APPROVAL_PURPOSE_MAX;

	*(is_title ? &c->request.title : &c->request.purpose) = v;
	return strlen(v) <= most
		       ? 0
		       : err_set(err, ERR_USAGE, "--%s: %zu bytes at most", o->name, most);
}

int cli_set_wait(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.wait = true;
	return 0;
}

static int set_limit(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	enum limit_id id = limit_find(o->name);

	c->flag_values.where[CONFIG_LIMIT + id] = arena_printf(&c->arena, "--%s", o->name);
	return units_parse_limit(id, v, &c->flag_values.limit[id], err);
}

const char *cli_dashes(const struct cli_option *o)
{
	return o->name[1] ? "--" : "-";
}

const struct cli_option cli_every_options[] = {
	{"help", NULL, "print this help", .set = set_help},
	{"words", "FD",
	 "read more arguments from a descriptor, each ended by a NUL; ps does not show them",
	 .set = cli_set_words},
	{0}};

const struct cli_option cli_code_options[] = {
	{"profile", "P", "execute listed programs, or all that the box shows (bash: dev)",
	 .set = set_execution, .choice = execution_name},
	{"exec", "PATH", "a program that may be started; may be repeated", .set = set_exec,
	 .may_repeat = true},
	{"net", "HOST:PORT", "a host that the program wants to connect to; may be repeated",
	 .set = cli_set_net, .may_repeat = true},
	{"secret", "NAME", "a secret of the policy that the program wants to use; may be repeated",
	 .set = cli_set_secret, .may_repeat = true},
	{"ro", "PATH",
	 "a file or directory that is shown read-only, at its own path; may be repeated",
	 .set = set_ro, .may_repeat = true},
	{"rw", "PATH",
	 "a directory that the program writes to directly, at its own path; may be repeated",
	 .set = set_rw, .may_repeat = true},
	{"hide", "PATH",
	 "a path of the workspace, of --ro or of --rw, that stays empty; may be repeated",
	 .set = set_hide, .may_repeat = true},
	{"keep", "NAME",
	 "the home directory is kept on disk under this name, for the workspace; profile dev",
	 .set = set_keep},
	{"env", "K=V", "an environment variable; may be repeated", .set = set_env,
	 .may_repeat = true},
	{"venv", "DIR", "a Python virtualenv", .set = set_venv},
	{0}};

struct cli_option cli_limit_option(const struct limit_row *row)
{
	static const char *const words[] = {[UNIT_DURATION_MS] = "D",
					    [UNIT_PERCENT] = "PCT",
					    [UNIT_BYTES] = "N",
					    [UNIT_COUNT] = "N"};

	return (struct cli_option){row->name, words[row->unit], row->help, .set = set_limit};
}
