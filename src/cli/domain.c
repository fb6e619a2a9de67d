/* SPDX-License-Identifier: MIT
 *
 * cordon domain: mints the handle of a conversation, begins it anew, and shows what was read in one.
 * Whoever may use this account may begin a conversation: the host does it when the user does, and not
 * the agent.
 */
#include <string.h>

#include "base/scope.h"
#include "cli/approvals.h"
#include "cli/gate.h"
#include "cli/jsonval.h"
#include "cli/shown.h"
#include "cli/verb.h"
#include "cli/verdict.h"
#include "flow/found.h"
#include "model/gate.h"
#include "origin/source.h"

/* What is told of a domain. HANDLE may be NULL. */
struct told {
	const struct domain *domain;
	const char *handle;
	json_t *sources; /* or NULL: they are not asked for */
	json_t *lost;	 /* or NULL */
};

#define TOLD(function, expression) FIELD(function, struct told, expression)

TOLD(told_handle, jsonval_word(v->handle))
TOLD(told_domain, gate_id_json(&v->domain->id))
TOLD(told_principal, jsonval_readable(v->domain->principal))
TOLD(told_epoch, jsonval_number(v->domain->epoch))
TOLD(told_integrity, json_string(integrity_name(v->domain->floor.integrity)))
TOLD(told_secrecy, json_string(secrecy_name(v->domain->floor.secrecy)))
TOLD(told_exposed, json_boolean(v->domain->floor.integrity < INTEGRITY_TOOL))
TOLD(told_since, v->domain->tainted_us ? jsonval_number(v->domain->tainted_us / 1000) : json_null())
TOLD(told_members, jsonval_number(v->domain->memberc))
TOLD(told_count, jsonval_number(v->domain->sources))
TOLD(told_kinds, gate_set_json(v->domain->kinds, source_kind_name))
TOLD(told_sources, json_incref(v->sources))
TOLD(told_lost, json_incref(v->lost))

const struct cli_field gate_domain_fields[] = {
	{"handle", "what clients carry", told_handle},
	{"domain", "its id, as the log has it", told_domain},
	{"principal", "whose it is", told_principal},
	{"conversations", "how many are one here: by a name that clients gave them", told_members},
	{"epoch", "how often the host began it anew", told_epoch},
	{"integrity", "the least trusted thing that was read: hostile, untrusted, tool, plan, user",
	 told_integrity},
	{"secrecy", "the most secret: public, internal, secret", told_secrecy},
	{"exposed", "something untrusted was read, or nobody knows", told_exposed},
	{"exposed_since", "ms since 1970, or null", told_since},
	{"sources", "how many were ever read in it", told_count},
	{"kinds", "which kinds, in this epoch", told_kinds},
	{"documents", "show: each as its record has it, with its time in ms", told_sources},
	{"lost", "show: runs that may have written what nobody remembers: run, since (ms), why",
	 told_lost},
	{0}};

struct listing {
	json_t *all; /* or NULL: it is printed */
};

static int list_one(void *context, const struct store_row *row, struct err *err)
{
	struct listing *l = context;
	char text[2 * SOURCE_NAME_MAX], when[GATE_TIME_MAX];
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	if (r.kind != RECORD_INGEST)
		return 0;
	if (l->all) {
		json_t *body = json_loadb((const char *)r.body.data, r.body.len, 0, NULL);
		if (!body)
			return err_set(err, ERR_INPUT, "record %llu cannot be read",
				       (unsigned long long)r.seq);
		json_object_set_new(body, "time", jsonval_number(r.time / 1000));
		return json_array_append_new(l->all, body) < 0 ? err_memory(err) : 0;
	}
	printf("  %s", gate_time(r.time, when));
	static const char *const members[] = {"kind", "integrity", "id", "name"};
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (jcs_text_at(r.body, members[i], text, sizeof(text))) {
			fputs("  ", stdout);
			size_t more = shown_short(stdout, text, strlen(text));
			if (more)
				printf(SHOWN_MORE, more);
		}
	putchar('\n');
	return 0;
}

/* A domain that was merged of several has the documents of all. */
static int list(struct gate_state *s, const struct domain *d, json_t *all, struct err *err)
{
	struct listing l = {.all = all};
	char ref[RECORD_REF_MAX], hex[ID_HEX];

	for (size_t i = 0; i < d->memberc; i++) {
		snprintf(ref, sizeof(ref), "dom:%s", id_hex(&d->member[i], hex));
		if (store_find(s->store, ref, 0, 0, list_one, &l, err) < 0)
			return -1;
	}
	return 0;
}

static int list_lost(json_t *all, const struct lost_run *run, const char *why, struct err *err)
{
	char hex[ID_HEX], ref[RECORD_REF_MAX] = "several runs", when[GATE_TIME_MAX];

	if (!lost_is_several(&run->run))
		snprintf(ref, sizeof(ref), "run:%s", id_hex(&run->run, hex));
	if (!all) {
		printf("files that were changed since %s are doubtful: %s %s\n",
		       gate_time((uint64_t)run->since * 1000000, when), ref, why);
		return 0;
	}
	json_t *one = json_pack("{s:s, s:I, s:s}", "run", ref, "since",
				(json_int_t)run->since * 1000, "why", why);
	return json_array_append_new(all, one) < 0 ? err_memory(err) : 0;
}

static int list_row(void *context, const struct lost_run *run, struct err *err)
{
	return list_lost(context, run, lost_why_words(run->why), err);
}

static int list_missing(void *context, const struct lost_run *run, struct err *err)
{
	return list_lost(context, run,
			 "wrote more than could be remembered; that was taken out of the database, "
			 "and nobody has signed for it: no run is told of it any more",
			 err);
}

static void print_domain(const struct domain *d)
{
	char hex[ID_HEX], when[GATE_TIME_MAX];

	printf("domain %s of %s, epoch %u\n", id_hex(&d->id, hex), d->principal, d->epoch);
	if (d->memberc > 1)
		printf("%zu conversations are one here: clients gave them one name\n", d->memberc);
	if (d->floor.integrity >= INTEGRITY_TOOL)
		puts("nothing untrusted was read in it");
	else if (d->tainted_us)
		printf("exposed since %s, down to %s\n", gate_time(d->tainted_us, when),
		       integrity_name(d->floor.integrity));
	else
		puts("exposed: nobody knows what was read before");
}

static void print_json(const struct told *t)
{
	char hex[ID_HEX];

	verdict_print(gate_domain_fields, t,
		      &(struct verdict_said){.ref = "dom", .id = id_hex(&t->domain->id, hex)});
}

static int make(struct cli_call *call, struct gate_state *s, struct err *err)
{
	struct host_event event = {.authenticated = true, .principal = s->principal, .what = "new"};
	char handle[HANDLE_MAX];
	struct domain d;

	if (domain_new(&s->keeper, &event, handle, &d, err) < 0 ||
	    gate_domain(s, handle, call->request.conversation, &d, err) < 0)
		return -1;
	if (call->json)
		print_json(&(struct told){&d, handle, NULL, NULL});
	else
		puts(handle);
	return 0;
}

/* What was read before is still recognised, but it is not known to the code that comes now. */
static int renew(struct cli_call *call, struct gate_state *s, struct err *err)
{
	struct host_event event = {
		.authenticated = true, .principal = s->principal, .what = "renew"};
	const char *handle = call->argv[1];
	struct domain d;

	if (gate_domain(s, handle, NULL, &d, err) < 0 ||
	    domain_begin_epoch(&s->keeper, &event, handle, &d, err) < 0)
		return -1;
	if (call->json)
		print_json(&(struct told){&d, handle, NULL, NULL});
	else
		print_domain(&d);
	return 0;
}

/* Of all conversations: a file goes from one to the other. */
static int list_all_lost(struct gate_state *s, json_t *lost, struct err *err)
{
	int r = files_lost_each(&s->keeper, list_row, lost, err);

	return r ? r : found_missing_each(s, list_missing, lost, err);
}

static int show(struct cli_call *call, struct gate_state *s, struct err *err)
{
	const char *handle = call->argc > 1 ? call->argv[1] : NULL;
	json_t *all = call->json ? jsonval_array() : NULL,
	       *lost = call->json ? jsonval_array() : NULL;
	struct domain d;

	int r = gate_domain(s, handle, NULL, &d, err);
	if (r == 0 && !call->json)
		print_domain(&d);
	if (r == 0)
		r = list_all_lost(s, lost, err);
	if (r == 0)
		r = list(s, &d, all, err);
	if (r == 0 && call->json)
		print_json(&(struct told){&d, handle, all, lost});
	json_decref(all);
	json_decref(lost);
	return r;
}

static const struct verb {
	struct cli_verb verb;
	int (*run)(struct cli_call *call, struct gate_state *s, struct err *err);
	bool names; /* it takes a client's own name: who looks merges nothing */
	int (*whole)(struct cli_call *call); /* it opens the state itself */
} verbs[] = {
	{{"new", NULL, 0, 0}, make, true, NULL},
	{{"show", NULL, 0, 1}, show, false, NULL},
	{{"renew", NULL, 1, 1}, renew, false, NULL},
	{{"found", NULL, 1, 1}, NULL, false, domain_found},
};

static const struct verb *verb_of(const struct cli_call *call, struct err *err)
{
	const struct verb *verb = cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]));

	if (verb && (verb->names || !call->request.conversation))
		return verb;
	if (verb)
		err_set(err, ERR_USAGE, "--conversation: not with %s", verb->verb.name);
	else
		err_set(err, ERR_USAGE, "what about domains?");
	err_cure(err, "cordon domain new, show [HANDLE], renew HANDLE or found RUN --key FILE");
	return NULL;
}

int cli_domain(struct cli_call *call)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct err err;
	const struct verb *verb = verb_of(call, &err);

	if (verb && verb->whole)
		return verb->whole(call);
	if (!verb || gate_begin(call, GATE_WRITES, &s, &err) < 0 || verb->run(call, &s, &err) < 0)
		return gate_fail(call, &err);
	return 0;
}

const struct cli_option cli_domain_options[] = {
	CLI_CONVERSATION_ROW,
	{"key", "FILE", "found: your key; cordon domain found run:ID --key FILE", approvals_set_key,
	 NULL},
	{"policy", "FILE", "found: what the run was decided by, if it says single_user",
	 cli_set_policy, NULL},
	{"state", "DIR", "the state directory, when it is not yours", cli_set_state, NULL},
	{"json", NULL, "print JSON", cli_set_json, NULL},
	{0}};
