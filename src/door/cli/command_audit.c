/* SPDX-License-Identifier: MIT
 *
 * cordon audit: reads and checks the log. Only checkpoint, accept, rotate, archive and prove write
 * to it; the others open it for reading, so that a log which cannot be written any more can still
 * be examined.
 */
#include <string.h>

#include "base/scope.h"
#include "conf/units.h"
#include "door/cli/audit.h"
#include "store/jcs.h"

CLI_OWN(struct audit_options)

static const struct verb {
	struct cli_verb verb;
	enum state_access way;
	int (*run)(struct audit *a, struct err *err);
} verbs[] = {
	{{"tail", NULL, 0, 0}, STATE_READS, audit_tail},
	{{"verify", NULL, 0, 0}, STATE_READS, audit_verify},
	{{"trace", NULL, 1, 1}, STATE_READS, audit_trace},
	{{"export", NULL, 0, 0}, STATE_READS, audit_export},
	{{"checkpoint", NULL, 0, 0}, STATE_WRITES, audit_checkpoint},
	{{"key", NULL, 0, 0}, STATE_READS, audit_show_key},
	{{"rotate", NULL, 0, 0}, STATE_WRITES, audit_rotate},
	{{"accept", NULL, 0, 0}, STATE_ACCEPTS, audit_accept},
	{{"archive", NULL, 1, 1}, STATE_WRITES, audit_archive},
	{{"prove", NULL, 1, 1}, STATE_WRITES, audit_prove},
	{{"check", NULL, 1, 1}, STATE_UNOPENED, audit_check},
};

static int run_audit(struct cli_call *call)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct audit a = {.call = call, .options = options_of(call), .state = &s};
	struct err err;
	const struct verb *verb =
		cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]), &err);
	int r = -1;

	if (verb && (verb->way == STATE_UNOPENED || cli_open_state(call, verb->way, &s, &err) == 0))
		r = verb->run(&a, &err);
	return r < 0 ? cli_fail_short(call, &err) : r;
}

static int set_lines(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	options_of(c)->has_lines = true;
	return cli_parse_number(o, v, AUDIT_LINES_MAX, &options_of(c)->lines, err);
}

static int set_from(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	return cli_parse_number(o, v, (uint64_t)JCS_NUMBER_MAX, &options_of(c)->from, err);
}

static int set_keep(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err)
{
	(void)o;
	c->flag_values.where[CONFIG_LOG_KEEP] = "--keep";
	/* 90 would be seconds, which is never meant here. */
	bool has_unit = *v && !strchr("0123456789", v[strlen(v) - 1]);
	if (has_unit && units_parse(UNIT_DURATION_MS, v, &c->flag_values.keep_ms) &&
	    c->flag_values.keep_ms)
		return 0;
	return err_set(err, ERR_USAGE, "--keep: a time with its unit, like 90d");
}

static int set_archive(struct cli_call *c, const struct cli_option *o, const char *v,
		       struct err *err)
{
	struct audit_options *own = options_of(c);

	(void)o;
	if (own->archivec == AUDIT_ARCHIVES_MAX)
		return err_set(err, ERR_LIMIT, "--archive: more than %d", AUDIT_ARCHIVES_MAX);
	own->archive[own->archivec++] = v;
	return 0;
}

static const struct cli_option audit_options[] = {
	{"n", "N", "tail: how many records; default 10", .set = set_lines},
	CLI_FLAG(struct audit_options, follow, "follow", "tail, export: continue with new records"),
	CLI_TEXT(struct audit_options, checkpoint, "checkpoint", "FILE",
		 "verify: a file of checkpoints that were kept elsewhere"),
	CLI_TEXT(struct audit_options, heads, "heads", "FILE",
		 "verify: a file of heads that were kept elsewhere"),
	CLI_TEXT(struct audit_options, key, "key", "PUB",
		 "verify, check: the log's public key, or a file with it"),
	CLI_CHOICE(struct audit_options, format, "format", "F", audit_format_name,
		   "export: the first is the default"),
	{"from", "N", "export: start at this record", .set = set_from},
	CLI_TEXT(struct audit_options, before, "before", "DATE",
		 "archive: records older than this date"),
	{"keep", "TIME",
	 "archive: records older than this, like 90d; default: log.keep of the configuration",
	 .set = set_keep},
	{"archive", "FILE", "verify: an archive to check too; may be repeated", .set = set_archive,
	 .may_repeat = true},
	CLI_STATE_ROW,
	CLI_JSON_ROW,
	{0}};

static const struct json_doc audit_docs[] = {
	{"audit.verify", audit_verify_fields},	 {"audit.trace", audit_trace_fields},
	{"audit.trace", verdict_fields},	 {"audit.checkpoint", audit_checkpoint_fields},
	{"audit.key", audit_key_fields},	 {"audit.rotate", audit_rotate_fields},
	{"audit.accept", audit_accept_fields},	 {"audit.prove", audit_prove_fields},
	{"audit.archive", audit_archive_fields}, {0}};

static const struct cli_exit audit_exits[] = {
	{"0", "success; verify: the log is intact"},
	{"1", "verify: the log is damaged or was changed"},
	{"2", "wrong usage"},
	{"125", "the log could not be read or written; trace: there is no such record"},
	{"126",
	 "refused: others have access to the state directory, or a signature does not match"},
	{"", ""}};

static const struct cli_combination audit_combinations[] = {
	{"n", ONLY_FOR, "tail"},
	{"follow", ONLY_FOR, "tail, export"},
	{"before, keep", ONLY_FOR, "archive"},
	{"before", NOT_WITH, "keep"},
	{"checkpoint, heads, archive", ONLY_FOR, "verify"},
	{"key", ONLY_FOR, "verify, check"},
	{"format, from", ONLY_FOR, "export"},
	{0}};

COMMAND(audit) = {
	.name = "audit",
	.order = 170,
	.synopsis =
		"tail|verify|export|checkpoint|key|rotate|accept|(trace|archive|prove|check) WHAT "
		"[options]",
	.help = "read and verify the log; find the documents that led to a run",
	.example = "cordon audit verify --checkpoint kept.txt --key kept.pub",
	.options = audit_options,
	.combinations = audit_combinations,
	.exits = audit_exits,
	.docs = {audit_docs},
	.usage_status = 2,
	.takes_operands = true,
	.run = run_audit,
};
