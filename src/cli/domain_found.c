/* SPDX-License-Identifier: MIT
 *
 * cordon domain found: a person has looked at the files that a run may have written and nobody remembers.
 * Who it is, and which key, is found out before the state is opened: root becomes its owner then.
 */
#include "cli/approvals.h"
#include "cli/gate.h"
#include "cli/jsonval.h"
#include "cli/verdict.h"
#include "flow/found.h"

#define TOLD(function, expression) FIELD(function, struct found, expression)

static json_t *run_json(const struct found *f)
{
	char hex[ID_HEX];

	return lost_is_several(&f->lost.run) ? json_string(FOUND_SEVERAL)
					     : json_sprintf("run:%s", id_hex(&f->lost.run, hex));
}

TOLD(told_run, run_json(v))
TOLD(told_since, json_integer((json_int_t)v->lost.since * 1000))
TOLD(told_by, json_string(v->by))
TOLD(told_already, json_boolean(v->already))
TOLD(told_record, verdict_record_json(&v->record))

const struct cli_field gate_found_fields[] = {
	{"run", "the run, or several", told_run},
	{"since",
	 "files that were changed since are no longer doubtful because of it; ms since 1970",
	 told_since},
	{"found_by", "the person who said so", told_by},
	{"already", "it had been said before, and nothing was written", told_already},
	{"record", "the record of their word: seq, hash", told_record},
	{0}};

static void tell(const struct cli_call *call, const struct found *f)
{
	char hex[ID_HEX], when[GATE_TIME_MAX];
	bool is_several = lost_is_several(&f->lost.run);

	if (call->json) {
		verdict_print(gate_found_fields, f,
			      &(struct verdict_said){.ref = is_several ? "lost" : "run",
						     .id = is_several ? "files"
								      : id_hex(&f->lost.run, hex)});
		return;
	}
	printf("files that were changed since %s are no longer doubtful because of %s%s: %s %s\n",
	       gate_time((uint64_t)f->lost.since * 1000000, when),
	       is_several ? "" : "run:", is_several ? "several runs" : id_hex(&f->lost.run, hex),
	       f->by, f->already ? "has said so before" : "says so");
}

static int say(struct cli_call *call, const struct found_ask *ask, struct err *err)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct found found;

	if (gate_begin(call, GATE_WRITES, &s, err) < 0 || found_say(&s, ask, &found, err) < 0)
		return -1;
	tell(call, &found);
	return 0;
}

int domain_found(struct cli_call *call)
{
	struct approval_actor actor;
	struct policy policy = {0};
	struct key key = {0};
	struct err err;

	approval_actor_here(&actor);
	int r = approvals_load_key(call->approvals.key, &key, &actor.key_protected, &err);
	if (r == 0)
		r = policy_open(&policy, call->policy, &err);
	if (r == 0)
		r = say(call,
			&(struct found_ask){.run = call->argv[1],
					    .key = &key,
					    .actor = &actor,
					    .policy = &policy},
			&err);
	policy_done(&policy);
	key_wipe(&key);
	return r == 0 ? 0 : gate_fail(call, &err);
}
