/* SPDX-License-Identifier: MIT
 *
 * The options of ingest, plan and audit. Words that are rows elsewhere are not repeated here.
 */
#include <string.h>

#include "base/scope.h"
#include "cli/audit.h"
#include "cli/gate.h"
#include "conf/names.h"
#include "conf/profile.h"
#include "conf/units.h"
#include "origin/plan.h"
#include "origin/source.h"

#define LABEL_WORDS "hostile, untrusted; public, internal, secret"

static const char *names_of_kinds(char *buf, size_t size)
{
	return names_join(source_kind_name, buf, size);
}

static const char *names_of_exports(char *buf, size_t size)
{
	return names_join(audit_format_name, buf, size);
}

static int set_domain(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err)
{
	(void)o;
	c->gate.domain = v;
	return *v ? 0 : err_set(err, ERR_USAGE, "--domain: which one?");
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

/* One word or two of a label, with a comma between. */
static int set_words(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	unsigned word;

	for (const char *p = v;; p++) {
		size_t len = strcspn(p, ",");
		if (cli_find_name(integrity_name, p, len, &word)) {
			c->gate.integrity = word;
			c->gate.has_integrity = true;
		} else if (cli_find_name(secrecy_name, p, len, &word)) {
			c->gate.secrecy = word;
			c->gate.has_secrecy = true;
		} else {
			return err_set(err, ERR_USAGE, "--%s: there is no \"%.32s\" (%s)", o->name,
				       p, LABEL_WORDS);
		}
		p += len;
		if (!*p)
			return 0;
	}
}

static int set_label(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	if (set_words(c, o, v, err) < 0)
		return -1;
	if (!c->gate.has_integrity || c->gate.integrity <= INTEGRITY_UNTRUSTED)
		return 0;
	return err_set(err, ERR_USAGE, "--label: what is said of a source can only lower it");
}

static int set_runs(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	if (gate_number(o, v, PLAN_RUNS_MAX, &c->gate.runs, err) < 0)
		return -1;
	return c->gate.runs ? 0 : err_set(err, ERR_USAGE, "--runs: at least 1");
}

static int set_ttl(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	if (units_parse(UNIT_DURATION_MS, v, &c->gate.ttl_ms) && c->gate.ttl_ms &&
	    c->gate.ttl_ms <= PLAN_TIME_MAX_US / 1000)
		return 0;
	return err_set(err, ERR_USAGE, "--ttl: a time like 10m, 30 days (720h) at most");
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

const struct cli_option cli_ingest_options[] = {
	{"domain", "HANDLE", "the conversation; else the one that all without a handle share",
	 set_domain, NULL},
	CLI_CONVERSATION_ROW,
	{"kind", "K", "", set_kind, names_of_kinds},
	{"name", "URI", "what it is called: an address, a path", set_name, NULL},
	{"label", "WORD[,WORD]", LABEL_WORDS "; can only lower", set_label, NULL},
	{"release", "TO", "a file, or - for standard output: gets the bytes when they are recorded",
	 set_release, NULL},
	{"rules", "DIR", "a directory of rules; may be repeated; else the default packs",
	 cli_set_rules, NULL},
	STATE_ROW,
	{"json", NULL, "print JSON", cli_set_json, NULL},
	{0}};

const struct cli_option cli_plan_options[] = {
	{"domain", "HANDLE", "the conversation; nothing untrusted was read in it yet", set_domain,
	 NULL},
	CLI_CONVERSATION_ROW,
	{"lang", "L", "else by the file's name", cli_set_lang, names_of_profiles},
	{"ask", "CAP[,CAP]", "what runs may ask for beside compute", cli_set_ask,
	 cli_names_of_caps},
	{"inputs", "WORD[,WORD]",
	 "the least trusted and the most secret input it may get; default: all but hostile",
	 set_words, NULL},
	{"runs", "N", "how often it may run; default 1", set_runs, NULL},
	{"ttl", "TIME", "how long it is good; default 24h, 720h at most", set_ttl, NULL},
	{"policy", "FILE", "the policy of its runs; else the built-in profile balanced",
	 cli_set_policy, NULL},
	STATE_ROW,
	{"json", NULL, "print JSON", cli_set_json, NULL},
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
	{"json", NULL, "print JSON", cli_set_json, NULL},
	{0}};
