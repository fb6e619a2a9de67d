/* SPDX-License-Identifier: MIT
 *
 * What can be asked of the log: a proof of one record for a verifier without the log, that one
 * checkpoint is the beginning of another, and which documents led to a run, through the output
 * of an earlier run, and no others.
 */
#include "base/scope.h"
#include "case.h"
#include "store/proof.h"
#include "store/trace.h"

enum { RECORDS = 300 };

static bool proves(struct store *s, uint64_t seq, const char *vkey, struct buf *proof)
{
	AUTO_BUF struct buf record = {.most = RECORD_MAX};
	struct record r = {0};
	struct err err = {0};

	proof->len = 0;
	bool good = proof_make(s, seq, proof, &err) == 0 &&
		    proof_check((char *)proof->data, proof->len, vkey, &record, &err) == 0 &&
		    record_decode(record.data, record.len, &r, &err) == 0 && r.seq == seq;
	if (!good)
		printf("# %llu: %s\n", (unsigned long long)seq, err.message);
	return good;
}

static void test_proofs(struct store *s)
{
	AUTO_BUF struct buf proof = {.most = PROOF_MAX};
	char vkey[NOTE_VKEY_MAX], note[NOTE_MAX];
	struct err err = {0};
	uint64_t size = 0;
	int bad = 0;

	scratch_must(store_vkey(s, vkey, &err) == 0 && store_size(s, &size, &err) == 0, "the size");
	ok(proves(s, size - 1, vkey, &proof), "the newest record is signed first, then proven");
	scratch_must(store_size(s, &size, &err) == 0, "the size");
	for (uint64_t seq = 0; seq < size - 1; seq += 7)
		bad += !proves(s, seq, vkey, &proof);
	ok(!bad, "records from everywhere in the log are proven, without the log");
	ok(proof_make(s, size, &proof, &err) < 0 && proof_make(s, size - 1, &proof, &err) < 0,
	   "what is not there is not, nor is the newest checkpoint, which nothing covers");
	ok(store_checkpoint(s, note, &err) == 0, "a checkpoint");
}

/* Whatever bit is changed: the proof does not hold any more. */
static void test_changed_proof(struct store *s)
{
	AUTO_BUF struct buf proof = {.most = PROOF_MAX};
	char vkey[NOTE_VKEY_MAX], other[NOTE_VKEY_MAX], origin[NOTE_ORIGIN_MAX + 1];
	uint8_t public[KEY_PUBLIC];
	struct err err = {0};
	size_t taken = 0;

	scratch_must(store_vkey(s, vkey, &err) == 0 && proves(s, 100, vkey, &proof), "a proof");
	for (size_t i = 0; i < proof.len; i++) {
		AUTO_BUF struct buf record = {.most = RECORD_MAX};
		proof.data[i] ^= 1;
		taken += proof_check((char *)proof.data, proof.len, vkey, &record, &err) == 0;
		proof.data[i] ^= 1;
	}
	ok(!taken, "no byte of %zu of a proof can change", proof.len);
	for (size_t len = 0; len < proof.len; len++) {
		AUTO_BUF struct buf record = {.most = RECORD_MAX};
		taken += proof_check((char *)proof.data, len, vkey, &record, &err) == 0;
	}
	ok(!taken, "nor can it be shorter");
	AUTO_BUF struct buf record = {.most = RECORD_MAX};
	scratch_must(note_parse_vkey(vkey, origin, public, &err) == 0, "the key");
	public[0] ^= 1;
	note_vkey(origin, public, other);
	ok(proof_check((char *)proof.data, proof.len, other, &record, &err) < 0,
	   "nor have another key");
}

enum { REFS = 8 };
/* In the order in which they happen; REFS end with NULL. */
static const struct {
	enum record_kind kind;
	const char *refs[REFS];
	bool is_story; /* belongs to the past of run:2 */
} events[] = {
	{RECORD_CONVERSATION, {"conv:1"}, true},
	{RECORD_INGEST, {"src:csv", "conv:1"}, true},
	{RECORD_INGEST, {"src:other", "conv:1"}, true}, /* read in the same conversation */
	{RECORD_REQUEST, {"run:0", "conv:1"}, false},
	{RECORD_VERDICT, {"run:0", "src:csv", "conv:1"}, false}, /* used the same document */
	{RECORD_RESULT, {"run:0"}, false},
	{RECORD_REQUEST, {"run:1", "conv:1"}, true},
	{RECORD_VERDICT, {"run:1", "src:csv", "conv:1"}, true},
	{RECORD_RESULT, {"run:1"}, true},
	{RECORD_INGEST, {"src:out1", "run:1", "conv:1"}, true}, /* laundered through its output */
	/* A conversation that is met again, later in its time, when it was told already. */
	{RECORD_INGEST, {"src:a", "conv:3"}, true},
	{RECORD_VERDICT, {"run:5", "conv:3"}, true},
	{RECORD_RESULT, {"run:5"}, true},
	{RECORD_INGEST, {"src:five", "run:5", "conv:1"}, true},
	{RECORD_INGEST, {"src:b", "conv:3"}, true},
	{RECORD_VERDICT, {"run:7", "conv:3"}, true},
	{RECORD_RESULT, {"run:7"}, true},
	{RECORD_INGEST, {"src:c", "conv:3"}, false},
	{RECORD_INGEST, {"src:seven", "run:7", "conv:4"}, true},
	{RECORD_VERDICT, {"run:6", "conv:4"}, true},
	{RECORD_RESULT, {"run:6"}, true},
	{RECORD_INGEST, {"src:six", "run:6", "conv:1"}, true},
	{RECORD_APPROVAL, {"apr:9", "conv:1"}, true},
	{RECORD_TICKET, {"ticket:p", "conv:1"}, true},
	{RECORD_TICKET, {"ticket:q", "conv:1"}, false}, /* given, and not used */
	{RECORD_REQUEST, {"run:2", "conv:1", "ticket:p"}, true},
	{RECORD_VERDICT, {"run:2", "apr:9", "conv:1", "src:csv"}, true},
	{RECORD_INGEST, {"src:late", "conv:1"}, false}, /* read when that was decided */
	{RECORD_START, {"run:2"}, true},
	{RECORD_RESULT, {"run:2"}, true},
	{RECORD_INGEST, {"src:out2", "run:2", "conv:1"}, true},
	{RECORD_VERDICT, {"run:3", "src:out2"}, false}, /* came after it */
	{RECORD_APPLY, {"conv:1", "ticket:p"}, false},
};
enum { EVENTS = sizeof(events) / sizeof(events[0]) };

struct story {
	uint64_t first;
	bool told[EVENTS], is_mixed; /* not in the order of the log */
	uint64_t last;
	size_t count, beyond;
};

static int take_told(void *context, const struct store_row *row, const struct record *r,
		     struct err *err)
{
	struct story *t = context;

	(void)err;
	t->is_mixed |= t->count++ && row->seq <= t->last;
	t->last = row->seq;
	if (row->seq < t->first || row->seq - t->first >= EVENTS || r->seq != row->seq)
		t->beyond++;
	else
		t->told[row->seq - t->first] = true;
	return 0;
}

static void test_trace(struct store *s)
{
	AUTO_TX struct store_tx tx = {0};
	struct story t = {0};
	struct err err = {0};
	int wrong = 0;

	for (size_t i = 0; i < EVENTS; i++) {
		AUTO_JCS struct jcs body = {0};
		size_t refs = 0;
		while (refs < REFS && events[i].refs[refs])
			refs++;
		case_body(&body, (int64_t)i);
		store_append(&tx, events[i].kind, events[i].refs, refs, &body);
	}
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
	t.first = tx.first_seq;
	ok(trace_back(s, "run:2", take_told, &t, &err) == 0 && !t.beyond,
	   "the story of a run is told");
	for (size_t i = 0; i < EVENTS; i++) {
		if (t.told[i] != events[i].is_story)
			printf("# record %zu (%s, %s) is %s\n", i, record_kind_name(events[i].kind),
			       events[i].refs[0], t.told[i] ? "told" : "not told");
		wrong += t.told[i] != events[i].is_story;
	}
	ok(!t.is_mixed, "in the order in which it happened");
	ok(!wrong,
	   "with the document behind the output that was read, and nothing that came later");
	struct story none = {.first = tx.first_seq};
	ok(trace_back(s, "run:none", take_told, &none, &err) == 0 && none.count == 0 &&
		   trace_back(s, "run", take_told, &none, &err) < 0,
	   "of what is not there nothing is told");
}

static int has_hash(void *context, const struct store_row *row, struct err *err)
{
	(void)err;
	return memcmp(row->hash, context, RECORD_HASH) == 0;
}

/* A record can name another that was committed before it. */
static void test_known_records(struct store *s)
{
	static const char *const refs[] = {"run:known"};
	AUTO_TX struct store_tx tx = {0};
	AUTO_JCS struct jcs j = {0};
	uint8_t hash[RECORD_HASH] = {0};
	struct err err = {0};
	uint64_t seq = 0;

	case_body(&j, 1);
	store_append(&tx, RECORD_VERDICT, refs, 1, &j);
	store_append(&tx, RECORD_START, refs, 1, &j);
	ok(!store_tx_record(&tx, RECORD_START, &seq, hash), "what is not committed has no number");
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
	ok(store_tx_record(&tx, RECORD_VERDICT, &seq, hash) && seq == tx.first_seq &&
		   store_read(s, seq, 1, has_hash, hash, &err) == 1 &&
		   store_tx_record(&tx, RECORD_START, &seq, hash) && seq == tx.first_seq + 1 &&
		   store_read(s, seq, 1, has_hash, hash, &err) == 1 &&
		   !store_tx_record(&tx, RECORD_RESULT, &seq, hash),
	   "each record of a transaction is known by its number and its hash");
}

/* The longest story, and one name more. */
static void test_trace_max(struct store *s)
{
	enum { PER_RECORD = 250, WHOLE = (TRACE_REFS_MAX - 1) / PER_RECORD };
	static char names[PER_RECORD + 1][RECORD_REF_MAX];
	const char *refs[PER_RECORD + 1];
	struct story t = {0};
	struct err err = {0};

	for (int i = 0; i <= WHOLE; i++) {
		AUTO_TX struct store_tx tx = {0};
		AUTO_JCS struct jcs body = {0};
		int count = i < WHOLE ? PER_RECORD : (TRACE_REFS_MAX - 1) % PER_RECORD;
		refs[0] = "run:max";
		for (int k = 1; k <= count; k++) {
			snprintf(names[k], RECORD_REF_MAX, "src:max-%d-%d", i, k);
			refs[k] = names[k];
		}
		case_body(&body, i);
		store_append(&tx, RECORD_VERDICT, refs, (size_t)count + 1, &body);
		scratch_must(store_commit(s, &tx, &err) == 0, err.message);
	}
	ok(trace_back(s, "run:max", take_told, &t, &err) == 0, "a story of %d names",
	   TRACE_REFS_MAX);
	AUTO_TX struct store_tx more = {0};
	AUTO_JCS struct jcs body = {0};
	refs[1] = "src:one-more";
	case_body(&body, 0);
	store_append(&more, RECORD_VERDICT, refs, 2, &body);
	scratch_must(store_commit(s, &more, &err) == 0, err.message);
	ok(trace_back(s, "run:max", take_told, &t, &err) < 0 && err.code == ERR_LIMIT,
	   "one more is too long, and that is said");
}

int main(void)
{
	const char *scratch = scratch_enter();
	int dir = case_fresh("s");
	struct store *s = case_open(dir);

	case_fill(s, RECORDS, 1);
	test_proofs(s);
	test_changed_proof(s);
	test_trace(s);
	test_known_records(s);
	test_trace_max(s);
	ok(case_is_good(s, dir), "the log verifies");
	store_close(s);
	close(dir);
	scratch_leave(scratch);
	return tap_done();
}
