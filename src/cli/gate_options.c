/* SPDX-License-Identifier: MIT
 *
 * The options of conversation, trust, grant, diff, apply, ingest, plan and audit. Words that are rows
 * elsewhere are not repeated here.
 */
#include <string.h>

#include "base/scope.h"
#include "cli/approvals.h"
#include "cli/audit.h"
#include "cli/gate.h"
#include "conf/names.h"
#include "conf/profile.h"
#include "conf/units.h"
#include "policy/policy.h"
#include "trust/source.h"
#include "trust/ticket.h"

static const char *names_of_kinds(char *buf, size_t size)
{
	return names_join(source_kind_name, buf, size);
}

static const char *names_of_exports(char *buf, size_t size)
{
	return names_join(audit_format_name, buf, size);
}

static int set_title(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o, (void)err;
	c->gate.title = v;
	return 0;
}

static int set_directory(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err)
{
	(void)o;
	c->gate.directory = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--directory: which?");
}

static int set_write(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (c->gate.writec == CLI_WRITES_MAX)
		return err_set(err, ERR_LIMIT, "--write: more than %d", CLI_WRITES_MAX);
	const char *path = policy_path(v, &c->arena, err);
	c->gate.write[c->gate.writec++] = path;
	if (path)
		return 0;
	if (err->code == ERR_INPUT)
		err->code = ERR_USAGE;
	err_context(err, "--write");
	return -1;
}

static int set_sent(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (units_parse(UNIT_BYTES, v, &c->gate.sent_max) && c->gate.sent_max)
		return 0;
	return err_set(err, ERR_USAGE, "--sent: bytes that a run may send, like 10M");
}

static int set_kind(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	c->gate.has_kind = true;
	return cli_find_name(source_kind_name, v, strlen(v), &c->gate.kind)
		       ? 0
		       : cli_no_such(o, v, err);
}

static int set_name(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	c->gate.name = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--name: what is it called?");
}

static int set_release(struct cli_call *c, const struct cli_option *o, const char *v,
		       struct err *err)
{
	(void)o;
	c->gate.release = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--release: where to?");
}

static int set_runs(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	if (gate_number(o, v, TICKET_RUNS_MAX, &c->gate.runs, err) < 0)
		return -1;
	return c->gate.runs ? 0 : err_set(err, ERR_USAGE, "--runs: at least 1");
}

static int set_ttl(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (units_parse(UNIT_DURATION_MS, v, &c->gate.ttl_ms) && c->gate.ttl_ms &&
	    c->gate.ttl_ms <= TICKET_TIME_MAX_US / 1000)
		return 0;
	return err_set(err, ERR_USAGE, "--for: a time like 10m, 30 days (720h) at most");
}

static int set_lines(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	c->gate.has_lines = true;
	return gate_number(o, v, AUDIT_LINES_MAX, &c->gate.lines, err);
}

static int set_from(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	return gate_number(o, v, (uint64_t)JCS_NUMBER_MAX, &c->gate.from, err);
}

static int set_follow(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	(void)o, (void)v, (void)err;
	c->gate.follow = true;
	return 0;
}

static int set_checkpoint(struct cli_call *c, const struct cli_option *o, const char *v,
			  struct err *err)
{
	(void)o;
	c->gate.checkpoint = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--checkpoint: which file?");
}

static int set_key(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	c->gate.key = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--key: which one?");
}

static int set_format(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	return cli_find_name(audit_format_name, v, strlen(v), &c->gate.format)
		       ? 0
		       : cli_no_such(o, v, err);
}

#define STATE_ROW                                                                                  \
	{                                                                                          \
		"state", "DIR", "the state directory, when it is not yours", cli_set_state, NULL   \
	}

#define JSON_ROW                                                                                   \
	{                                                                                          \
		"json", NULL, "print JSON", cli_set_json, NULL                                     \
	}
#define KEY_ROW                                                                                    \
	{                                                                                          \
		"key", "FILE", "sign with your key instead of confirming at the terminal",         \
			approvals_set_key, NULL                                                    \
	}

const struct cli_option cli_conversation_options[] = {
	{"title", "T", "new: what people call it", set_title, NULL}, STATE_ROW, JSON_ROW, {0}};

const struct cli_option cli_trust_options[] = {KEY_ROW, STATE_ROW, JSON_ROW, {0}};

const struct cli_option cli_untrust_options[] = {STATE_ROW, JSON_ROW, {0}};

const struct cli_option cli_grant_options[] = {
	CLI_CONVERSATION_ROW,
	{"directory", "DIR", "for runs that are given this directory", set_directory, NULL},
	{"write", "PATH", "below the directory, . is all of it; may be repeated", set_write, NULL},
	{"net", "HOST:PORT", "a host that it may connect to; may be repeated", cli_set_net, NULL},
	{"secret", "USE",
	 "a secret and its requests, NAME=GET,POST:HOST:PORT/PATH; may be repeated", cli_set_secret,
	 NULL},
	{"sent", "N", "bytes that one run may send; default 10M", set_sent, NULL},
	{"for", "TIME", "how long it holds; default 8h, 720h at most", set_ttl, NULL},
	{"runs", "N", "for how many runs; else any number", set_runs, NULL},
	KEY_ROW,
	STATE_ROW,
	JSON_ROW,
	{0}};

const struct cli_option cli_changes_options[] = {CLI_CONVERSATION_ROW, STATE_ROW, JSON_ROW, {0}};

const struct cli_option cli_apply_options[] = {
	CLI_CONVERSATION_ROW,
	{"policy", "FILE", "what is allowed; else the profile balanced", cli_set_policy, NULL},
	STATE_ROW,
	JSON_ROW,
	{0}};

const struct cli_option cli_ingest_options[] = {
	CLI_CONVERSATION_ROW,
	{"kind", "K", "", set_kind, names_of_kinds},
	{"name", "URI", "what it is called: an address, a path", set_name, NULL},
	{"release", "TO", "a file, or - for standard output: gets the bytes when they are recorded",
	 set_release, NULL},
	{"rules", "DIR", "a directory of rules; may be repeated; else the default packs",
	 cli_set_rules, NULL},
	{"policy", "FILE", "raises or lowers rules; else the profile balanced", cli_set_policy,
	 NULL},
	STATE_ROW,
	JSON_ROW,
	{0}};

const struct cli_option cli_plan_options[] = {
	CLI_CONVERSATION_ROW,
	{"lang", "L", "else by the file's name", cli_set_lang, names_of_profiles},
	{"workspace", "DIR", "the directory that its runs are given", cli_set_workspace, NULL},
	{"policy", "FILE", "what is allowed; else the profile balanced", cli_set_policy, NULL},
	{"runs", "N", "how often it may run; default 1", set_runs, NULL},
	{"for", "TIME", "how long it holds; default 24h, 720h at most", set_ttl, NULL},
	{"rules", "DIR", "a directory of rules; may be repeated; else the default packs",
	 cli_set_rules, NULL},
	STATE_ROW,
	JSON_ROW,
	{0}};

const struct cli_option cli_audit_options[] = {
	{"n", "N", "tail: how many records; default 10", set_lines, NULL},
	{"follow", NULL, "tail: go on as records are added", set_follow, NULL},
	{"checkpoint", "FILE", "verify: checkpoints that were kept elsewhere", set_checkpoint,
	 NULL},
	{"key", "PUB", "verify, check: the log's key that was kept elsewhere, or a file with it",
	 set_key, NULL},
	{"format", "F", "export: the first is the default", set_format, names_of_exports},
	{"from", "N", "export: begin with this record", set_from, NULL},
	STATE_ROW,
	JSON_ROW,
	{0}};
