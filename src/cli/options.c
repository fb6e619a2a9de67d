/* SPDX-License-Identifier: MIT
 *
 * Options. Limits are not repeated here: their rows in the model are options too.
 */
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "base/scope.h"
#include "cli/cli.h"
#include "conf/names.h"
#include "conf/profile.h"
#include "conf/units.h"
#include "policy/net.h"

int cli_set_json(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->json = true;
	return 0;
}

static int set_events(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	(void)o, (void)v, (void)err;
	c->events = true;
	return 0;
}

static int set_by_signal(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err)
{
	(void)o, (void)v, (void)err;
	c->by_signal = true;
	return 0;
}

static int set_telemetry(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.telemetry = true;
	return 0;
}

static int set_help(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->help = true;
	return 0;
}

int cli_no_such(const struct cli_option *o, const char *v, struct err *err)
{
	char names[NAMES_MAX];

	return err_set(err, ERR_USAGE, "--%s: there is no \"%.32s\" (%s)", o->name, v,
		       o->values(names, sizeof(names)));
}

bool cli_find_name(const char *(*name)(unsigned i), const char *v, size_t len, unsigned *ret)
{
	for (*ret = 0; name(*ret); (*ret)++)
		if (strlen(name(*ret)) == len && strncmp(name(*ret), v, len) == 0)
			return true;
	return false;
}

int cli_set_lang(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	c->request.lang = v;
	return profile_find(v) ? 0 : cli_no_such(o, v, err);
}

static int set_tier(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	enum tier tier = tier_find(v);

	if (tier >= TIER_COUNT)
		return cli_no_such(o, v, err);
	c->request.tier = tier;
	return 0;
}

static int set_exec(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (v[0] != '/')
		return err_set(err, ERR_USAGE, "--exec %.64s: give the whole path", v);
	if (c->request.execc == REQUEST_LIST_MAX)
		return err_set(err, ERR_LIMIT, "--exec: more than %d", REQUEST_LIST_MAX);
	c->request.exec[c->request.execc++] = v;
	return 0;
}

/* In the one form in which tickets have it. */
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

static int set_env(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (v[0] == '=' || !strchr(v, '='))
		return err_set(err, ERR_USAGE, "--env %.64s: write it like NAME=value", v);
	if (c->request.envc == REQUEST_LIST_MAX) {
		err_set(err, ERR_LIMIT, "--env: more than %d", REQUEST_LIST_MAX);
		err_cure(err, "give what is data as a file: --stdin FILE, or in --workspace DIR");
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

/* The value is argv's own memory: the suffix is cut off in place. */
int cli_set_workspace(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	size_t len = strlen(v);

	(void)o;
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
	return *v ? 0 : err_set(err, ERR_USAGE, "--workspace: which directory?");
}

static int set_stdin(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)err;
	c->request.stdin_file = v;
	return 0;
}

static int set_venv(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (v[0] != '/')
		return err_set(err, ERR_USAGE, "--venv %.64s: give the whole path", v);
	c->request.venv = v;
	return 0;
}

static int set_diff(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.diff = true;
	return 0;
}

static int set_apply(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.apply = true;
	return 0;
}

static int set_user(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.is_users = true;
	return 0;
}

static int set_exposed(struct cli_call *c, const struct cli_option *o, const char *v,
		       struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.is_exposed = true;
	return 0;
}

int cli_set_secret(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (c->request.secretc == REQUEST_LIST_MAX)
		return err_set(err, ERR_LIMIT, "--secret: more than %d", REQUEST_LIST_MAX);
	c->request.secret[c->request.secretc++] = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--secret: which?");
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
	c->state = v;
	return v[0] == '/' && strlen(v) < PATH_MAX
		       ? 0
		       : err_set(err, ERR_USAGE, "--state: give the whole path");
}

int cli_set_policy(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	c->policy = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--policy: which file?");
}

int cli_set_rules(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (c->rulesc == REQUEST_LIST_MAX)
		return err_set(err, ERR_LIMIT, "--rules: more than %d", REQUEST_LIST_MAX);
	c->rules[c->rulesc++] = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--rules: which directory?");
}

int cli_set_conversation(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err)
{
	(void)o;
	c->request.conversation = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--conversation: which?");
}

/* The words of the gate. */
static int set_text(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	static const struct {
		const char *name;
		size_t offset;
	} rows[] = {{"plan", offsetof(struct request, plan)},
		    {"policy", offsetof(struct request, policy)},
		    {"state", offsetof(struct request, state)}};

	if (!*v)
		return err_set(err, ERR_USAGE, "--%s: which?", o->name);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].name, o->name) == 0)
			memcpy((char *)&c->request + rows[i].offset, &v, sizeof(v));
	return 0;
}

static int set_wait(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)v, (void)err;
	c->request.wait = true;
	return 0;
}

static int set_run_rules(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err)
{
	(void)o;
	if (c->request.rulesc == REQUEST_LIST_MAX)
		return err_set(err, ERR_LIMIT, "--rules: more than %d", REQUEST_LIST_MAX);
	c->request.rules[c->request.rulesc++] = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--rules: which directory?");
}

static int set_limit(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	enum limit_id id = limit_find(o->name);

	return units_parse_limit(id, v, &c->request.limit[id], err);
}

const char *cli_dashes(const struct cli_option *o)
{
	return o->name[1] ? "--" : "-";
}

const struct cli_option cli_every_options[] = {
	{"help", NULL, "this text", set_help, NULL},
	{"words", "FD",
	 "more words from a descriptor, each ended by a NUL, so that they are not visible in ps",
	 cli_set_words, NULL},
	{0}};

const struct cli_option cli_beside_options[] = {
	{"exec", "PATH", "a program that may be started; may be repeated", set_exec, NULL},
	{"net", "HOST:PORT", "a host that it wants to connect to; may be repeated", cli_set_net,
	 NULL},
	{"secret", "NAME", "a secret of the policy that it wants to use; may be repeated",
	 cli_set_secret, NULL},
	{"env", "K=V", "an environment variable; may be repeated", set_env, NULL},
	{"venv", "DIR", "a Python virtualenv", set_venv, NULL},
	{0}};

const struct cli_option cli_run_options[] = {
	{"lang", "L", "else by the file's name", cli_set_lang, names_of_profiles},
	{"json", NULL, "print one JSON object instead of the program's output", cli_set_json, NULL},
	{"events", NULL, "print a line of JSON for each thing as it happens", set_events, NULL},
	{"telemetry", NULL, "Python tells what it does; the program can silence and forge it",
	 set_telemetry, NULL},
	{"by-signal", NULL, "end by the signal that ended the program, instead of with 128+N",
	 set_by_signal, NULL},
	{"tier", "T", "the first is the default", set_tier, names_of_tiers},
	{"workspace", "DIR[:ro|:overlay|:rw]", "a directory at /workspace; default :overlay",
	 cli_set_workspace, NULL},
	{"diff", NULL, "tell what changed in the overlay", set_diff, NULL},
	{"apply", NULL, "apply the changes when the program exits with 0, where that is allowed",
	 set_apply, NULL},
	{"stdin", "FILE", "file for the program's standard input; - for that of cordon", set_stdin,
	 NULL},
	CLI_CONVERSATION_ROW,
	{"user", NULL, "you attest that the user typed this; at a terminal it counts by itself",
	 set_user, NULL},
	{"exposed", NULL, "something untrusted that Cordon did not see led to this", set_exposed,
	 NULL},
	{"plan", "ID", "it was planned while the conversation was clean (cordon plan)", set_text,
	 NULL},
	{"policy", "FILE", "what is allowed; else the profile balanced", set_text, NULL},
	{"wait", NULL, "if people are asked, until they have answered", set_wait, NULL},
	{"rules", "DIR", "rules to scan it with; may be repeated", set_run_rules, NULL},
	{"state", "DIR", "where the log is; else $XDG_STATE_HOME/cordon", set_text, NULL},
	{0}};

const struct cli_option cli_no_options[] = {{0}};

const char *cli_limit_value(const struct limit_row *row)
{
	static const char *const words[] = {[UNIT_DURATION_MS] = "D",
					    [UNIT_PERCENT] = "PCT",
					    [UNIT_BYTES] = "N",
					    [UNIT_COUNT] = "N"};

	return words[row->unit];
}

/* NULL when there is none; *RET_LIMIT is storage for a row made from a limit. */
static const struct cli_option *find(const struct cli_command *cmd, const char *name, size_t len,
				     struct cli_option *ret_limit)
{
	const struct cli_option *const tables[] = {cli_every_options, cmd->options,
						   cmd->more ? cmd->more : cli_no_options};

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct cli_option *o = tables[t]; o->name; o++)
			if (strlen(o->name) == len && strncmp(o->name, name, len) == 0)
				return o;
	for (int i = 0; cmd->options == cli_run_options && i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		if (strlen(row->name) == len && strncmp(row->name, name, len) == 0) {
			*ret_limit = (struct cli_option){row->name, cli_limit_value(row), row->help,
							 set_limit, NULL};
			return ret_limit;
		}
	}
	return NULL;
}

static int parse_one(const struct cli_command *cmd, char **argv, int argc, int *at,
		     struct cli_call *ret, struct err *err)
{
	const char *name = argv[*at] + (argv[*at][1] == '-' ? 2 : 1), *value = strchr(name, '=');
	size_t len = value ? (size_t)(value - name) : strlen(name);
	struct cli_option from_limit;
	const struct cli_option *o = find(cmd, name, len, &from_limit);

	if (!o) {
		err_set(err, ERR_USAGE, "there is no option %.64s", argv[*at]);
		err_cure(err, "cordon %s --help lists them", cmd->name);
		return -1;
	}
	(*at)++;
	if (!o->value)
		return value ? err_set(err, ERR_USAGE, "%s%s takes no value", cli_dashes(o),
				       o->name)
			     : o->set(ret, o, NULL, err);
	if (value)
		return o->set(ret, o, value + 1, err);
	if (*at >= argc)
		return err_set(err, ERR_USAGE, "%s%s needs a value (%s)", cli_dashes(o), o->name,
			       o->value);
	return o->set(ret, o, argv[(*at)++], err);
}

/* "-n": an option of one letter that the command has. */
static bool is_letter(const struct cli_command *cmd, const char *word)
{
	struct cli_option from_limit;

	return word[0] == '-' && word[1] && word[1] != '-' && !word[2] &&
	       find(cmd, word + 1, 1, &from_limit);
}

/* What comes after "--": the file, if it was not named before (its name may begin with a dash), and
 * its arguments. */
static void take_rest(int argc, char **argv, struct cli_call *ret)
{
	if (argc > 0 && ret->argc == 0) {
		ret->argv[ret->argc++] = *argv++;
		argc--;
		if (argc > 0 && strcmp(*argv, "--") == 0) {
			argv++;
			argc--;
		}
	}
	ret->request.argv = (const char *const *)argv;
	ret->request.argc = (size_t)argc;
}

/* "-" is an operand; "--" ends the options. */
int cli_parse(const struct cli_command *cmd, int argc, char **argv, struct cli_call *ret,
	      struct err *err)
{
	int at = 0;

	ret->argv = argv; /* operands are gathered at its front */
	while (at < argc && strcmp(argv[at], "--") != 0) {
		if (strncmp(argv[at], "--", 2) == 0 || is_letter(cmd, argv[at])) {
			if (parse_one(cmd, argv, argc, &at, ret, err) < 0 ||
			    cli_splice_words(ret, at, &argc, &argv, err) < 0)
				return -1;
		} else if (strcmp(argv[at], "-h") == 0) {
			ret->help = true;
			at++;
		} else if (argv[at][0] == '-' && argv[at][1] != '\0') {
			err_set(err, ERR_USAGE, "there is no option %.64s", argv[at]);
			err_cure(err,
				 "cordon %s --help lists them; a file of that name comes after --",
				 cmd->name);
			return -1;
		} else {
			argv[ret->argc++] = argv[at++];
		}
	}
	if (at < argc)
		at++;
	take_rest(argc - at, argv + at, ret);
	if (cmd->operands || ret->help || (!ret->argc && !ret->request.argc))
		return 0;
	err_set(err, ERR_USAGE, "cordon %s takes no \"%.64s\"", cmd->name, ret->argv[0]);
	err_cure(err, "cordon %s %s", cmd->name, cmd->synopsis);
	return -1;
}
