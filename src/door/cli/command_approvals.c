/* SPDX-License-Identifier: MIT
 *
 * cordon approvals: what waits for a person, and the person's answer. Root may answer in any state
 * directory: it then takes on the identity of the directory's owner, so that nothing in there is
 * touched with more rights than the owner has.
 */
#include <time.h>

#include "base/scope.h"
#include "conf/units.h"
#include "door/cli/approvals.h"

CLI_OWN(struct approvals_options)

/* The verbs. */
enum need { NEEDS_NOTHING, NEEDS_STORE };

static const struct verb {
	struct cli_verb verb;
	enum need needs;
	int (*run)(struct approvals *v);
} verbs[] = {
	{{"list", NULL, 0, 0}, NEEDS_STORE, approvals_list},
	{{"show", NULL, 1, 1}, NEEDS_NOTHING, approvals_show},
	{{"wait", NULL, 1, 1}, NEEDS_STORE, approvals_wait},
	{{"approve", NULL, 1, 1}, NEEDS_STORE, approvals_approve},
	{{"deny", NULL, 1, 1}, NEEDS_STORE, approvals_deny},
	{{"export", NULL, 1, 1}, NEEDS_STORE, approvals_export},
	{{"sign", NULL, 1, 1}, NEEDS_NOTHING, approvals_sign},
	{{"add", NULL, 1, 1}, NEEDS_STORE, approvals_add},
	{{"key", "add", 2, 2}, NEEDS_NOTHING, approvals_key_add},
	{{"key", "list", 0, 0}, NEEDS_STORE, approvals_key_list},
	{{"key", "remove", 1, 1}, NEEDS_NOTHING, approvals_key_remove},
};

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static int run_approvals(struct cli_call *call)
{
	struct approvals v = {
		.call = call, .options = options_of(call), .now = now_ms(), .state = STATE_CLOSED};
	struct err err;

	const struct verb *verb =
		cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]), &err);
	approval_actor_here(&v.actor);
	int status = !verb || (verb->needs == NEEDS_STORE && approvals_open(&v, &err) < 0)
			     ? cli_fail_short(call, &err)
			     : verb->run(&v);
	gate_state_close(&v.state);
	return status;
}

static int set_name(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	options_of(c)->name = v;
	return signer_name_is_good(v) ? 0 : err_set(err, ERR_USAGE, "--as: invalid name");
}

static int set_for(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (units_parse(UNIT_DURATION_MS, v, &options_of(c)->for_ms) && options_of(c)->for_ms &&
	    options_of(c)->for_ms <= APPROVAL_MS_MAX)
		return 0;
	return err_set(err, ERR_USAGE, "--for: a time like 10m, 24h at most");
}

static int set_timeout(struct cli_call *c, const struct cli_option *o, const char *v,
		       struct err *err)
{
	(void)o;
	options_of(c)->has_timeout = true;
	if (units_parse(UNIT_DURATION_MS, v, &options_of(c)->timeout_ms) &&
	    options_of(c)->timeout_ms <= APPROVAL_MS_MAX)
		return 0;
	return err_set(err, ERR_USAGE, "--timeout: a time like 30s, 24h at most; 0 does not wait");
}

static const struct cli_option approvals_options[] = {
	CLI_TEXT(struct approvals_options, key, "key", "FILE",
		 "approve, sign: your SSH key, or the .pub file of one that ssh-agent has"),
	{"as", "NAME", "approve, sign: the name under which your key is enrolled", .set = set_name},
	CLI_CHOICE(struct approvals_options, scope, "scope", "S", scope_name,
		   "approve, sign: what it covers; the first is the default"),
	{"for", "TIME", "approve, sign: how long it is valid; default: as in the policy",
	 .set = set_for},
	CLI_TEXT(struct approvals_options, id, "id", "ID",
		 "sign: the request that you have read; required without a terminal"),
	CLI_FLAG(struct approvals_options, denies, "deny", "sign: deny the request"),
	{"reason", "TEXT", "deny: the reason; the requester sees it", .set = cli_set_text,
	 .at = offsetof(struct approvals_options, reason), .may_be_empty = true},
	{"timeout", "TIME", "wait: the longest time to wait; default: until the request expires",
	 .set = set_timeout},
	CLI_TEXT(struct approvals_options, file, "file", "PATH",
		 "show: print a file of the workspace that the request names, if it is unchanged"),
	CLI_FLAG(struct approvals_options, all, "all", "list: include closed requests"),
	{"policy", "FILE", "key add: the policy; default: the configured one",
	 .set = cli_set_policy},
	{"wait", NULL, "key add: if people are asked, wait for their answer", .set = cli_set_wait},
	CLI_STATE_ROW,
	CLI_JSON_ROW,
	{0}};

static const struct cli_exit approvals_exits[] = {
	{"0", "success"},
	{"2", "wrong usage"},
	{"75", "key add: it waits for approval; after that, the same command enrols"},
	{"125", "the state directory or a file could not be read or written"},
	{"126", "refused: the request is closed, or you may not answer it"},
	{"", ""}};

static const struct cli_combination approvals_combinations[] = {
	{"key, as, scope, for", ONLY_FOR, "approve, sign"},
	{"as", NEEDS, "key"},
	{"id, deny", ONLY_FOR, "sign"},
	{"reason", ONLY_FOR, "deny"},
	{"timeout", ONLY_FOR, "wait"},
	{"file", ONLY_FOR, "show"},
	{"all", ONLY_FOR, "list"},
	{"policy, wait", ONLY_FOR, "key add"},
	{0}};

COMMAND(approvals) = {
	.name = "approvals",
	.order = 70,
	.synopsis = "list|(approve|deny|export|wait) ID|show ID|FILE|(sign|add) FILE|key VERB "
		    "[options]",
	.help = "list, read, approve and deny requests",
	.example = "cordon approvals list --all",
	.options = approvals_options,
	.combinations = approvals_combinations,
	.exits = approvals_exits,
	.usage_status = 2,
	.takes_operands = true,
	.run = run_approvals,
};
