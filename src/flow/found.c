/* SPDX-License-Identifier: MIT
 *
 * See found.h. What the person signs is this row of this run: a later one of the same name needs another
 * word. Whose run it was, by which policy, and whether it is over is asked of the log and not of the row.
 */
#include "flow/found.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/account.h"
#include "model/limit.h"

enum { HEX_SHA256 = 2 * KEEPER_SHA256 + 1, BODY_MAX = 4096 };

/* What the log has of the run. */
struct story {
	uint64_t uid;	/* or ACCOUNT_UNKNOWN */
	uint64_t began; /* microseconds; 0: it has not */
	uint64_t time_ms;
	char policy[HEX_SHA256];
	bool has_ended, has_word;
	int64_t since;
	char by[APPROVAL_NAME_MAX + 1];
	struct report_record record; /* of the last word */
};

static int bad_run(const char *text, struct err *err)
{
	err_set(err, ERR_USAGE, "\"%.60s\" is no run", text);
	err_cure(err, "cordon domain show lists those whose files are doubtful");
	return -1;
}

static int parse_run(const char *text, struct id *ret, struct err *err)
{
	const char *hex = strncmp(text, "run:", 4) == 0 ? text + 4 : text;

	*ret = (struct id){0};
	if (strcmp(text, FOUND_SEVERAL) == 0)
		return 0;
	bool is_one = id_parse(hex, strlen(hex), ret) && !lost_is_several(ret);
	return is_one ? 0 : bad_run(text, err);
}

/* Only an account of this machine is written so: base/account.h. */
static uint64_t read_account(const char *principal)
{
	char *end = NULL;

	if (strncmp(principal, "uid:", 4) != 0 || principal[4] < '0' || principal[4] > '9')
		return ACCOUNT_UNKNOWN;
	unsigned long uid = strtoul(principal + 4, &end, 10);
	return *end || uid >= ACCOUNT_UNKNOWN ? ACCOUNT_UNKNOWN : uid;
}

static uint64_t read_time(struct jcs_span start)
{
	struct jcs_span list, one;
	int64_t ms = 0;
	char name[32];

	if (!jcs_member(start, "limits", &list))
		return 0;
	for (size_t at = 0; jcs_next(list, &at, &one);)
		if (jcs_text_at(one, "name", name, sizeof(name)) &&
		    strcmp(name, limit_row(LIMIT_TIME)->name) == 0)
			jcs_int_at(one, "value", &ms);
	return (uint64_t)ms;
}

static void read_word(struct story *s, const struct record *r, const struct store_row *row)
{
	struct jcs_span vote;

	s->has_word = jcs_member(r->body, "vote", &vote) &&
		      jcs_text_at(vote, "name", s->by, sizeof(s->by));
	jcs_int_at(r->body, "since", &s->since);
	s->record = (struct report_record){.is_there = true, .seq = row->seq};
	memcpy(s->record.hash, row->hash, sizeof(s->record.hash));
}

static int read_record(void *context, const struct store_row *row, struct err *err)
{
	struct story *s = context;
	char principal[PRINCIPAL_MAX + 1];
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	if (r.kind == RECORD_REQUEST && jcs_text_at(r.body, "uid", principal, sizeof(principal)))
		s->uid = read_account(principal);
	if (r.kind == RECORD_VERDICT)
		jcs_text_at(r.body, "policy_sha256", s->policy, sizeof(s->policy));
	if (r.kind == RECORD_START) {
		s->began = r.time;
		s->time_ms = read_time(r.body);
	}
	s->has_ended |= r.kind == RECORD_RESULT;
	if (r.kind == RECORD_FOUND)
		read_word(s, &r, row);
	return 0;
}

/* Words on many at once name no run. Whose those were nobody knows any more. */
static int read_several(void *context, const struct store_row *row, struct err *err)
{
	char first[RECORD_REF_MAX + 1], second[RECORD_REF_MAX + 1];
	struct record r;
	size_t at = 0;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	if (r.kind == RECORD_FOUND && record_next_ref(&r, &at, first) &&
	    !record_next_ref(&r, &at, second))
		read_word(context, &r, row);
	return 0;
}

static const char *ref_of(const struct id *run, char ret[RECORD_REF_MAX + 1])
{
	char hex[ID_HEX];

	snprintf(ret, RECORD_REF_MAX + 1, lost_is_several(run) ? FOUND_REF : "run:%s",
		 id_hex(run, hex));
	return ret;
}

static int read_story(struct gate_state *s, const struct id *run, struct story *ret,
		      struct err *err)
{
	char ref[RECORD_REF_MAX + 1];

	*ret = (struct story){.uid = ACCOUNT_UNKNOWN};
	return store_find(s->store, ref_of(run, ref), 0, 0,
			  lost_is_several(run) ? read_several : read_record, ret, err);
}

/* Of one without a result nobody knows whether it was killed, until its time is over. */
static int check_is_over(const struct story *y, const struct lost_run *l, uint64_t now_us,
			 struct err *err)
{
	bool is_one = !lost_is_several(&l->run);
	uint64_t most = limit_row(LIMIT_TIME)->max;
	uint64_t time_ms = is_one && y->time_ms && y->time_ms < most ? y->time_ms : most;
	uint64_t began = (uint64_t)l->last > UINT64_MAX / 2000000 ? UINT64_MAX / 2
								  : (uint64_t)l->last * 1000000;

	began = y->began > began ? y->began : began;
	if ((is_one && (y->has_ended || l->why == LOST_MUCH)) ||
	    now_us > began + (time_ms + FOUND_GRACE_MS) * 1000)
		return 0;
	err_set(err, ERR_REFUSED, "%s may still write files",
		is_one ? "that run has no result, and" : "one of those runs");
	err_cause(err, "its time (--time) and a minute are not over yet");
	err_cure(err, "ask again then; cordon domain show tells since when it is");
	return -1;
}

static void put_word(const struct lost_run *l, const struct approval_matter *m,
		     const struct approval_word *w, struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};
	uint8_t label[KEEPER_SHA256];
	char run[RECORD_REF_MAX + 1];
	const char *refs[] = {FOUND_REF, ref_of(&l->run, run)};
	struct err err;

	lost_run_label_digest(l, label);
	jcs_init(&j, BODY_MAX);
	jcs_hex(&j, "binding", m->binding, sizeof(m->binding));
	jcs_hex(&j, "label_sha256", label, sizeof(label));
	jcs_int(&j, "since", l->since);
	jcs_int(&j, "version", (int64_t)l->version);
	approval_put_vote(&j, &w->vote);
	jcs_str(&j, "why", lost_why_words(l->why));
	if (jcs_finish(&j, &err) < 0)
		tx->failed = err;
	store_append(tx, RECORD_FOUND, refs, strcmp(refs[0], refs[1]) == 0 ? 1 : 2, &j);
	tx->is_final = true; /* it is a person's */
}

/* Only a policy that the run was decided by lets its own account say it. */
static bool lets_itself(const struct story *y, const struct policy *p)
{
	char hex[HEX_SHA256];

	sodium_bin2hex(hex, sizeof(hex), p->sha256, sizeof(p->sha256));
	return p->single_user && strcmp(hex, y->policy) == 0;
}

static int say(struct gate_state *s, const struct found_ask *ask, const struct story *y,
	       struct found *f, struct err *err)
{
	uint64_t now_us = s->keeper.now_us();
	AUTO_TX struct store_tx tx = {0};
	struct approval_word word = {0};
	struct approval_matter m = {
		.uid = y->uid, .single_user = lets_itself(y, ask->policy), .now = now_us / 1000};
	uint8_t label[KEEPER_SHA256];
	char hex[ID_HEX];

	m.what = lost_is_several(&f->lost.run) ? FOUND_SEVERAL : id_hex(&f->lost.run, hex);
	lost_run_label_digest(&f->lost, label);
	lost_run_digest(&f->lost, label, m.binding);
	if (check_is_over(y, &f->lost, now_us, err) < 0 ||
	    approval_say(s->store, &m, ask->key, ask->actor, &tx, &word, err) < 0)
		return -1;
	put_word(&f->lost, &m, &word, &tx);
	files_lost_end(&f->lost, &tx);
	if (store_commit(s->store, &tx, err) < 0)
		return -1;
	memcpy(f->by, word.name, sizeof(f->by));
	f->record.is_there = store_tx_record(&tx, RECORD_FOUND, &f->record.seq, f->record.hash);
	return 0;
}

static int tell_already(const struct story *y, const char *run, struct found *ret, struct err *err)
{
	if (!y->has_word) {
		err_set(err, ERR_INPUT, "no files are doubtful because of %.60s", run);
		err_cure(err, "cordon domain show lists the runs that they are because of");
		return -1;
	}
	ret->already = true;
	ret->lost.since = y->since;
	ret->record = y->record;
	memcpy(ret->by, y->by, sizeof(ret->by));
	return 0;
}

int found_say(struct gate_state *s, const struct found_ask *ask, struct found *ret, struct err *err)
{
	struct story story;
	struct id run;

	if (parse_run(ask->run, &run, err) < 0)
		return -1;
	for (int i = 0; i < KEEPER_TRIES_MAX; i++) {
		*ret = (struct found){.lost.run = run};
		int there = files_lost_find(&s->keeper, &run, &ret->lost, err);
		if (there < 0 || read_story(s, &run, &story, err) < 0)
			return -1;
		if (!there)
			return tell_already(&story, ask->run, ret, err);
		if (say(s, ask, &story, ret, err) == 0)
			return 0;
		if (err->code != ERR_CONFLICT)
			return -1;
	}
	return -1;
}
