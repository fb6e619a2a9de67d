/* SPDX-License-Identifier: MIT
 *
 * A person ends the doubt about files that nobody remembers: who may, about what, and when; and what
 * somebody gets who writes the database, or says an old word again. On both kinds of store.
 */
#include "flow/found.h"

#include <time.h>

#include "approval_case.h"
#include "base/account.h"

#define SECOND 1000000ULL

static uint64_t skew_us;

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec / 1000 + skew_us;
}

struct world {
	struct gate_state state;
	struct case_person root, anna;
	struct policy policy;
	uint32_t runs;
};

static void must(int r, const struct err *err)
{
	if (r < 0)
		printf("# %s: %s\n", err->message, err->cause);
	scratch_must(r == 0, "a step");
}

static void begin(struct world *w)
{
	struct err err = {0};

	*w = (struct world){.root = case_person("root", 0), .anna = case_person("anna", ANNA)};
	skew_us = 0;
	w->state.dir = case_fresh("state");
	w->state.store = case_open(w->state.dir);
	must(keeper_open(&w->state.keeper, w->state.store, w->state.dir, &err), &err);
	w->state.keeper.now_us = now_us;
	must(policy_init(&w->policy, POLICY_BALANCED, &err), &err);
	must(case_enrol(w->state.store, &w->anna, ADMIN), &err);
	must(case_enrol(w->state.store, &w->root, ADMIN), &err);
}

static void end(struct world *w)
{
	ok(case_is_good(w->state.store, w->state.dir), "and the log is whole");
	policy_done(&w->policy);
	gate_state_close(&w->state);
}

static void commit(struct world *w, struct store_tx *tx)
{
	struct err err = {0};

	must(store_commit(w->state.store, tx, &err), &err);
	store_tx_done(tx);
	*tx = (struct store_tx){0};
}

static void append(struct store_tx *tx, enum record_kind kind, const struct id *run,
		   const char *more, struct jcs *j)
{
	char hex[ID_HEX], ref[64];
	const char *refs[] = {ref, more};
	struct err err = {0};

	snprintf(ref, sizeof(ref), "run:%s", id_hex(run, hex));
	must(jcs_finish(j, &err), &err);
	store_append(tx, kind, refs, more ? 2 : 1, j);
	jcs_done(j);
	jcs_init(j, RECORD_BODY_MAX);
}

static struct lost_run lost_of(const struct id *run, enum lost_why why)
{
	return (struct lost_run){.run = *run,
				 .why = why,
				 .since = (int64_t)((now_us() - skew_us) / SECOND),
				 .label = label_unknown()};
}

/* A run of the account UID that has begun, as the gate records it. */
static struct id start(struct world *w, const char *uid)
{
	AUTO_TX struct store_tx tx = {0};
	AUTO_JCS struct jcs j = {0};
	struct files_lost lost;
	struct err err = {0};
	struct id run;

	id_random(&run);
	must(files_lost_load(&w->state.keeper, &lost, &err), &err);
	jcs_init(&j, RECORD_BODY_MAX);
	jcs_str(&j, "uid", uid);
	append(&tx, RECORD_REQUEST, &run, NULL, &j);
	jcs_hex(&j, "policy_sha256", w->policy.sha256, sizeof(w->policy.sha256));
	append(&tx, RECORD_VERDICT, &run, NULL, &j);
	jcs_list(&j, "limits");
	jcs_object(&j, NULL);
	jcs_str(&j, "name", "time");
	jcs_int(&j, "value", 30000);
	jcs_end(&j);
	jcs_end(&j);
	append(&tx, RECORD_START, &run, NULL, &j);
	struct lost_run row = lost_of(&run, LOST_OPEN);
	files_lost_open(&lost, &row, &tx);
	commit(w, &tx);
	return run;
}

/* It has ended, and wrote too much. */
static struct id lose(struct world *w)
{
	AUTO_TX struct store_tx tx = {0};
	AUTO_JCS struct jcs j = {0};
	struct id run = start(w, "uid:1000");
	struct lost_run row = lost_of(&run, LOST_MUCH);

	jcs_init(&j, RECORD_BODY_MAX);
	jcs_int(&j, "since", row.since);
	jcs_str(&j, "why", lost_why_words(LOST_MUCH));
	append(&tx, RECORD_LOST, &run, FOUND_REF, &j);
	jcs_int(&j, "exit_code", 0);
	append(&tx, RECORD_RESULT, &run, NULL, &j);
	files_lost_add(&row, &tx);
	commit(w, &tx);
	return run;
}

static bool has_row(struct world *w, const struct id *run)
{
	struct lost_run row;
	struct err err = {0};
	int r = files_lost_find(&w->state.keeper, run, &row, &err);

	must(r < 0 ? -1 : 0, &err);
	return r;
}

static int say_as(struct world *w, const char *run, const struct case_person *p,
		  const struct approval_actor *actor, struct found *ret, struct err *err)
{
	struct found_ask ask = {.run = run, .key = &p->key, .actor = actor, .policy = &w->policy};

	*err = (struct err){0};
	return found_say(&w->state, &ask, ret, err);
}

static int say(struct world *w, const struct id *run, const struct case_person *p,
	       struct found *ret, struct err *err)
{
	char hex[ID_HEX];

	return say_as(w, lost_is_several(run) ? FOUND_SEVERAL : id_hex(run, hex), p,
		      &(struct approval_actor){.uid = p->uid}, ret, err);
}

static bool refuses(struct world *w, const struct id *run, const struct case_person *p,
		    const struct approval_actor *actor, const char *why)
{
	struct found found;
	struct err err;
	char hex[ID_HEX];
	int r = say_as(w, id_hex(run, hex), p, actor, &found, &err);
	bool is_it =
		r < 0 && err.code == ERR_REFUSED && strstr(err.message, why) && has_row(w, run);

	if (!is_it)
		printf("# %d: %s\n", r, r < 0 ? err.message : "it was taken");
	return is_it;
}

static int count_one(void *context, const struct lost_run *run, struct err *err)
{
	(void)run, (void)err;
	++*(int *)context;
	return 0;
}

static int missing(struct world *w)
{
	struct err err = {0};
	int count = 0;

	must(found_missing_each(&w->state, count_one, &count, &err), &err);
	return count;
}

static void test_said(void)
{
	struct world w;
	struct found found;
	struct err err;
	char text[64], hex[ID_HEX];

	begin(&w);
	struct id run = lose(&w), other = lose(&w);
	ok(missing(&w) == 0, "nothing is missing");
	ok(say(&w, &run, &w.anna, &found, &err) == 0 && !found.already &&
		   strcmp(found.by, "anna") == 0 && found.record.is_there,
	   "somebody with another account says it");
	ok(!has_row(&w, &run) && has_row(&w, &other), "the row of this run is gone, and no other");
	uint64_t seq = found.record.seq;
	snprintf(text, sizeof(text), "run:%s", id_hex(&run, hex));
	ok(say_as(&w, text, &w.root, &(struct approval_actor){.uid = 0}, &found, &err) == 0 &&
		   found.already && strcmp(found.by, "anna") == 0 && found.record.seq == seq,
	   "to say it again is no error, and writes nothing");
	ok(missing(&w) == 0, "nor is anything missing: it was signed");
	must(approval_person_remove(w.state.store, "anna", 0, &err), &err);
	ok(missing(&w) == 0, "what somebody has said stays said when they go");
	end(&w);
}

static void test_names(void)
{
	static const char *const bad[] = {
		"", "run:", "x", "run:0123", "several runs", "00000000000000000000000000000000"};
	static const char unknown[] = "run:0123456789abcdef0123456789abcdef";
	struct approval_actor root = {.uid = 0};
	struct world w;
	struct found found;
	struct err err;

	begin(&w);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(say_as(&w, bad[i], &w.root, &root, &found, &err) < 0 && err.code == ERR_USAGE,
		   "\"%s\" is no run", bad[i]);
	ok(say_as(&w, unknown, &w.root, &root, &found, &err) < 0 && err.code == ERR_INPUT,
	   "one that left no doubt");
	ok(say_as(&w, FOUND_SEVERAL, &w.root, &root, &found, &err) < 0 && err.code == ERR_INPUT,
	   "nor did several");
	end(&w);
}

static void test_who(void)
{
	struct case_person asker = case_person("asker", ASKER), ben = case_person("ben", BEN);
	struct approval_actor anna = {.uid = ANNA}, boxed = {.uid = ANNA, .in_box = true};
	struct approval_actor mapped = {.uid = ACCOUNT_UNKNOWN}, own = {.uid = ASKER};
	struct approval_actor person = {.uid = ASKER, .has_terminal = true, .key_protected = true};
	struct world w;
	struct found found;
	struct err err = {0};
	char hex[ID_HEX];

	begin(&w);
	must(case_enrol(w.state.store, &asker, ADMIN), &err);
	struct id run = lose(&w), unknown = start(&w, "uid:0 of a user namespace");
	ok(refuses(&w, &run, &asker, &own, "your account asked for it"), "whose run it was");
	ok(refuses(&w, &run, &w.anna, &boxed, "in a box"), "who is in a box");
	ok(refuses(&w, &run, &w.anna, &mapped, "user namespace"), "who is in a user namespace");
	ok(refuses(&w, &run, &ben, &(struct approval_actor){.uid = BEN}, "not enrolled"),
	   "who is not enrolled");
	ok(refuses(&w, &run, &w.anna, &(struct approval_actor){.uid = BEN}, "another account"),
	   "who has somebody else's key");
	must(case_enrol(w.state.store, &ben, ASKER), &err);
	ok(refuses(&w, &run, &ben, &(struct approval_actor){.uid = BEN}, "enrolled the key"),
	   "whom the account that asked has enrolled");
	must(approval_person_remove(w.state.store, "anna", 0, &err), &err);
	ok(refuses(&w, &run, &w.anna, &anna, "not enrolled"), "whose key was removed");
	skew_us = 3600 * SECOND;
	ok(refuses(&w, &unknown, &ben, &(struct approval_actor){.uid = BEN}, "user namespace"),
	   "where nobody knows who asked only root may");
	ok(say(&w, &unknown, &w.root, &found, &err) == 0, "and root does");
	w.policy.single_user = true;
	w.policy.sha256[0] ^= 1;
	ok(refuses(&w, &run, &asker, &person, "your account asked for it"),
	   "single_user of another policy than decided");
	w.policy.sha256[0] ^= 1;
	ok(refuses(&w, &run, &asker, &own, "no passphrase"), "single_user without a passphrase");
	ok(say_as(&w, id_hex(&run, hex), &asker, &person, &found, &err) == 0,
	   "single_user, at a terminal, with a passphrase");
	end(&w);
}

static void test_over(void)
{
	struct approval_actor anna = {.uid = ANNA};
	struct world w;
	struct found found;
	struct err err;

	begin(&w);
	struct id run = start(&w, "uid:1000");
	ok(refuses(&w, &run, &w.anna, &anna, "may still write"), "a run that may still go on");
	skew_us = 60 * SECOND;
	ok(refuses(&w, &run, &w.anna, &anna, "may still write"), "or for another second");
	skew_us = 91 * SECOND;
	ok(say(&w, &run, &w.anna, &found, &err) == 0 && !has_row(&w, &run),
	   "when its time is over, and a minute");
	end(&w);
}

/* As earlier versions wrote it. */
static void test_old_row(struct world *w)
{
	static const struct id several;
	struct label label = label_unknown();
	uint8_t row[9 + LABEL_PACKED_MAX];
	struct packer p = {.data = row, .room = sizeof(row)};
	struct store_tx tx = {0};
	struct found found;
	struct err err;

	pack_uint(&p, 1, 1);
	pack_uint(&p, 9, 8);
	label_pack(&p, &label);
	store_put(&tx, STORE_FILE, "l", row, p.len, STORE_NEW);
	commit(w, &tx);
	ok(say(w, &several, &w->root, &found, &err) < 0 && strstr(err.message, "may still write"),
	   "a row that does not say when the last began is never over");
}

static void test_several(void)
{
	static const struct id several;
	struct world w;
	struct found found;
	struct err err;

	begin(&w);
	for (int i = 0; i < LOST_ROWS_MAX + 2; i++)
		start(&w, "uid:1000");
	ok(has_row(&w, &several), "there are so many that they are one");
	ok(say(&w, &several, &w.root, &found, &err) < 0 && err.code == ERR_REFUSED &&
		   strstr(err.message, "may still write"),
	   "one of them may go on");
	skew_us = (24 * 3600 + 61) * SECOND;
	ok(say(&w, &several, &w.anna, &found, &err) < 0 && err.code == ERR_REFUSED,
	   "only root may say it of all");
	ok(say(&w, &several, &w.root, &found, &err) == 0 && !has_row(&w, &several) &&
		   !found.already,
	   "and does");
	ok(say(&w, &several, &w.root, &found, &err) == 0 && found.already, "also twice");
	test_old_row(&w);
	end(&w);
}

/* Who can write the items and no record. */
static void test_rows_written(void)
{
	struct world w;
	struct err err = {0};
	struct found found;
	AUTO_ITEM struct store_item person = {0};
	struct store_tx tx = {0};

	begin(&w);
	struct id run = lose(&w);
	must(store_get(w.state.store, STORE_KEY, "approver/anna", &person, &err), &err);
	must(approval_person_remove(w.state.store, "anna", 0, &err), &err);
	store_put(&tx, STORE_KEY, "approver/anna", person.value, person.len, STORE_NEW);
	commit(&w, &tx);
	ok(refuses(&w, &run, &w.anna, &(struct approval_actor){.uid = ANNA}, "not enrolled"),
	   "an approver who was put back is none");
	files_lost_close(&run, &tx);
	commit(&w, &tx);
	ok(missing(&w) == 1, "a row that was taken out without a word is missed");
	ok(say(&w, &run, &w.root, &found, &err) < 0 && err.code == ERR_INPUT,
	   "and nobody can sign for what is not there");
	end(&w);
}

struct copy {
	char body[4096];
	size_t len;
};

static int copy_word(void *context, const struct store_row *row, struct err *err)
{
	struct copy *c = context;
	struct record r;

	must(record_decode(row->bytes, row->len, &r, err), err);
	if (r.kind == RECORD_FOUND && r.body.len < sizeof(c->body)) {
		memcpy(c->body, r.body.data, r.body.len);
		c->len = r.body.len;
	}
	return 0;
}

static void put_copy(struct world *w, const struct id *run, const struct copy *c)
{
	struct jcs j = {.out = {.data = (uint8_t *)c->body, .len = c->len}};
	AUTO_TX struct store_tx tx = {0};
	char hex[ID_HEX], ref[64];
	const char *refs[] = {FOUND_REF, ref};

	snprintf(ref, sizeof(ref), "run:%s", id_hex(run, hex));
	store_append(&tx, RECORD_FOUND, refs, 2, &j);
	commit(w, &tx);
}

/* Who can even append: a word on one run is none on another, nor on what has another number. */
static void test_words_again(void)
{
	struct world w;
	struct err err = {0};
	struct found found;
	struct store_tx tx = {0};
	struct copy word = {0}, changed;

	begin(&w);
	struct id first = lose(&w), second = lose(&w);
	must(say(&w, &first, &w.anna, &found, &err), &err);
	must(store_find(w.state.store, FOUND_REF, 0, 0, copy_word, &word, &err), &err);
	files_lost_close(&second, &tx);
	commit(&w, &tx);
	put_copy(&w, &second, &word);
	ok(missing(&w) == 1, "a word on another run is none on this");
	changed = word;
	char *at = memmem(changed.body, changed.len, "\"name\":\"anna\"", 13);
	scratch_must(at != NULL, "the name in the record");
	memcpy(at, "\"name\":\"root\"", 13);
	put_copy(&w, &second, &changed);
	ok(missing(&w) == 1, "nor is one under somebody else's name");
	struct lost_run row = lost_of(&first, LOST_MUCH);
	row.since = found.lost.since;
	files_lost_add(&row, &tx);
	commit(&w, &tx);
	ok(has_row(&w, &first) && say(&w, &first, &w.root, &found, &err) == 0 && !found.already,
	   "a row that comes again needs another word");
	end(&w);
}

/* Who is enrolled no more: neither what is about to be written counts, nor what is written later. */
static void test_removed(void)
{
	struct approval_matter m = {.what = "x", .uid = ASKER, .now = now_us() / 1000};
	struct world w;
	struct store_tx tx = {0};
	struct approval_word word;
	struct copy copy = {0};
	struct found found;
	struct err err = {0};

	begin(&w);
	struct id run = lose(&w);
	must(say(&w, &run, &w.anna, &found, &err), &err);
	must(store_find(w.state.store, FOUND_REF, 0, 0, copy_word, &copy, &err), &err);
	must(approval_say(w.state.store, &m, &w.anna.key, &(struct approval_actor){.uid = ANNA},
			  &tx, &word, &err),
	     &err);
	files_lost_close(&run, &tx);
	must(approval_person_remove(w.state.store, "anna", 0, &err), &err);
	ok(store_commit(w.state.store, &tx, &err) < 0 && err.code == ERR_CONFLICT,
	   "whose key is removed meanwhile has said nothing");
	store_tx_done(&tx);
	tx = (struct store_tx){0};
	AUTO_JCS struct jcs j = {0};
	jcs_init(&j, RECORD_BODY_MAX);
	jcs_int(&j, "since", found.lost.since);
	append(&tx, RECORD_LOST, &run, FOUND_REF, &j);
	commit(&w, &tx);
	put_copy(&w, &run, &copy);
	ok(missing(&w) == 1, "nor has who was removed before it was written");
	end(&w);
}

/* What is signed has the row's version: one that is new is not taken out by an old word. */
static void test_race(void)
{
	struct world w;
	struct lost_run row, other;
	struct store_tx tx = {0};
	struct err err = {0};
	uint8_t label[KEEPER_SHA256], a[KEEPER_SHA256], b[KEEPER_SHA256];

	begin(&w);
	struct id run = lose(&w);
	must(files_lost_find(&w.state.keeper, &run, &row, &err) == 1 ? 0 : -1, &err);
	files_lost_add(&row, &tx);
	commit(&w, &tx);
	files_lost_end(&row, &tx);
	ok(store_commit(w.state.store, &tx, &err) < 0 && err.code == ERR_CONFLICT,
	   "a row that is another one by then stays");
	store_tx_done(&tx);
	lost_run_label_digest(&row, label);
	lost_run_digest(&row, label, a);
	for (int i = 0; i < 5; i++) {
		other = row;
		other.run.byte[0] ^= i == 0;
		other.why = i == 1 ? LOST_OPEN : row.why;
		other.since += i == 2;
		other.version += i == 3;
		other.label.integrity = i == 4 ? INTEGRITY_HOSTILE : row.label.integrity;
		lost_run_label_digest(&other, label);
		lost_run_digest(&other, label, b);
		ok(memcmp(a, b, sizeof(a)) != 0, "part %d of the row is signed", i);
	}
	end(&w);
}

int main(void)
{
	const char *dir = scratch_enter();

	test_said();
	test_names();
	test_who();
	test_over();
	test_several();
	test_rows_written();
	test_words_again();
	test_removed();
	test_race();
	scratch_leave(dir);
	return tap_done();
}
