/* SPDX-License-Identifier: MIT
 *
 * An attacker who can write the database changes the log: clumsily with a statement, or well, with
 * every hash made again (forge). Each kind of change is found and the first bad record named; what
 * cannot be found is written down as such.
 */
#include "base/scope.h"
#include "case.h"

enum { RECORDS = 600, EDITED = 100, ROWS_MAX = 1024 };

#define TEXT_S "CAST(record AS TEXT)"
#define TEXT_P "convert_from(record, 'UTF8')"
#define SET_S(from, to)                                                                            \
	"UPDATE log SET record = CAST(replace(" TEXT_S ", '" from "', '" to "') AS BLOB)"
#define SET_P(from, to)                                                                            \
	"UPDATE log SET record = convert_to(replace(" TEXT_P ", '" from "', '" to "'), 'UTF8')"
#define BOTH(sql) sql, sql

/* Record 100 has the number 98 in its body. */
static const struct {
	const char *what, *sqlite, *postgres;
	enum verify_problem problem;
	int64_t first, last; /* see names */
} rows[] = {
	{"nothing", BOTH("SELECT 1"), VERIFY_GOOD, 0, 0},
	{"a record's body", SET_S("\"n\":98", "\"n\":99") " WHERE seq = 100",
	 SET_P("\"n\":98", "\"n\":99") " WHERE seq = 100", VERIFY_EDITED, 100, 100},
	{"a record's body and its hash",
	 SET_S("\"n\":98",
	       "\"n\":99") " WHERE seq = 100; UPDATE log SET hash = sha256(record) WHERE seq = 100",
	 SET_P("\"n\":98",
	       "\"n\":99") " WHERE seq = 100; UPDATE log SET hash = sha256(record) WHERE seq = 100",
	 VERIFY_EDITED, 100, 101},
	{"a record's name", SET_S("run:a", "run:b") " WHERE seq = 100",
	 SET_P("run:a", "run:b") " WHERE seq = 100", VERIFY_EDITED, 100, 100},
	{"only a space", SET_S("\"n\":98", "\"n\": 98") " WHERE seq = 100",
	 SET_P("\"n\":98", "\"n\": 98") " WHERE seq = 100", VERIFY_FORM, 100, 100},
	{"all of a record", "UPDATE log SET record = x'00' WHERE seq = 100",
	 "UPDATE log SET record = '\\x00' WHERE seq = 100", VERIFY_FORM, 100, 100},
	{"nothing is left of a record", "UPDATE log SET record = x'' WHERE seq = 100",
	 "UPDATE log SET record = '' WHERE seq = 100", VERIFY_FORM, 100, 100},
	{"nearly nothing of its hash", "UPDATE log SET hash = x'00' WHERE seq = 100",
	 "UPDATE log SET hash = '\\x00' WHERE seq = 100", VERIFY_FORM, 100, 100},
	{"the last record", SET_S("\"n\":599", "\"n\":598"), SET_P("\"n\":599", "\"n\":598"),
	 VERIFY_EDITED, -1, -1},
	{"the last record and its hash",
	 SET_S("\"n\":599", "\"n\":598") "; UPDATE log SET hash = sha256(record)",
	 SET_P("\"n\":599", "\"n\":598") "; UPDATE log SET hash = sha256(record)", VERIFY_EDITED,
	 -1, -1},
	{"the first record", SET_S("\"format\":1", "\"format\":2") " WHERE seq = 0",
	 SET_P("\"format\":1", "\"format\":2") " WHERE seq = 0", VERIFY_EDITED, 0, 0},
	{"a record is deleted", BOTH("DELETE FROM log WHERE seq = 100"), VERIFY_MISSING, 100, 100},
	{"ten are", BOTH("DELETE FROM log WHERE seq >= 100 AND seq < 110"), VERIFY_MISSING, 100,
	 109},
	{"the first is", BOTH("DELETE FROM log WHERE seq = 0"), VERIFY_FORM, 0, 0},
	{"the last is", BOTH("DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)"),
	 VERIFY_MISSING, -1, -1},
	{"all are", BOTH("DELETE FROM log"), VERIFY_MISSING, 0, -1},
	{"two change places",
	 BOTH("UPDATE log SET seq = -1 WHERE seq = 100; UPDATE log SET seq = 100 WHERE seq = 101;"
	      "UPDATE log SET seq = 101 WHERE seq = -1"),
	 VERIFY_ORDER, 100, 100},
	{"one is there twice",
	 BOTH("INSERT INTO log (seq, hash, record) SELECT 5000, hash, record FROM log WHERE seq = "
	      "100"),
	 VERIFY_HEAD, -2, 5000},
	{"one lies before the first",
	 BOTH("INSERT INTO log (seq, hash, record) SELECT -5, hash, record FROM log WHERE seq = 3"),
	 VERIFY_FORM, 0, 0},
	{"a name in the index is gone", BOTH("DELETE FROM ref WHERE seq = 100"), VERIFY_INDEX, 0,
	 0},
	{"or another", BOTH("UPDATE ref SET name = 'run:b' WHERE seq = 100"), VERIFY_INDEX, 0, 0},
	{"or one of a record that there is not yet",
	 BOTH("INSERT INTO ref (name, seq) VALUES ('run:b', 1000000)"), VERIFY_INDEX, 0, 0},
	{"or of the highest number", BOTH("INSERT INTO ref (name, seq) VALUES ('run:b', -1)"),
	 VERIFY_INDEX, 0, 0},
	{"or one more", BOTH("INSERT INTO ref (name, seq) VALUES ('run:b', 100)"), VERIFY_INDEX, 0,
	 0},
	{"the head is gone", BOTH("DELETE FROM item WHERE kind = 'head'"), VERIFY_HEAD, -2, -2},
	{"the head is nonsense", "UPDATE item SET value = x'00' WHERE kind = 'head'",
	 "UPDATE item SET value = '\\x00' WHERE kind = 'head'", VERIFY_HEAD, -2, -2},
	{"the head is too long", "UPDATE item SET value = zeroblob(5000000) WHERE kind = 'head'",
	 "UPDATE item SET value = convert_to(repeat('x', 5000000), 'UTF8') WHERE kind = 'head'",
	 VERIFY_HEAD, 0, 0},
};

static void sql(const char *sqlite, const char *postgres)
{
	char whole[2048];

	snprintf(whole, sizeof(whole), "SET search_path = cordon; %s;", postgres);
	case_sql("s", sqlite, whole);
}

static bool names(const struct verify_report *r, int64_t first, int64_t last, uint64_t size)
{
	/* -1: the last record; -2: the one after it */
	uint64_t special[] = {0, size - 1, size};
	uint64_t want_first = first < 0 ? special[-first] : (uint64_t)first;
	uint64_t want_last = last < 0 ? special[-last] : (uint64_t)last;

	if (r->problem == VERIFY_GOOD || (r->first_bad == want_first && r->last_bad == want_last))
		return true;
	printf("# %s: %llu to %llu\n", r->words, (unsigned long long)r->first_bad,
	       (unsigned long long)r->last_bad);
	return false;
}

static struct store *reader(int dir)
{
	struct store_options o = {.dir = dir, .url = case_url(), .read_only = true};
	struct store *s = NULL;
	struct err err = {0};

	if (store_open(&o, &s, &err) < 0)
		printf("# %s: %s\n", err.message, err.cause);
	scratch_must(s != NULL, "opening for reading");
	return s;
}

static void test_rows(int dir, uint64_t size)
{
	struct verify_options o = {.dir = dir};
	struct verify_report report;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sql(rows[i].sqlite, rows[i].postgres);
		AUTO_STORE struct store *s = reader(dir);
		bool is_found = case_verifies(s, &o, rows[i].problem, &report);
		ok(is_found && names(&report, rows[i].first, rows[i].last, size), "%s: %s%s%s",
		   rows[i].what, verify_problem_name(rows[i].problem), report.words[0] ? ", " : "",
		   report.words);
		sql(CASE_RESTORE, CASE_RESTORE);
	}
}

/* What a forger makes of the log. */
struct forgery {
	uint64_t size;	       /* how much of it is left */
	int64_t edited;	       /* -1: none */
	int64_t backward;      /* the record whose clock is an hour back */
	const struct key *key; /* checkpoints are signed again with it; NULL: they stay */
	uint64_t unsign;       /* checkpoints from this record on become something else; 0: none */
};

struct log {
	struct store_op op[ROWS_MAX + 1];
	size_t count;
	struct head head;
	const struct forgery *f;
	struct arena arena;
};

static void sign_again(struct log *l, const struct key *key, struct buf *body)
{
	struct note note = {.size = l->head.tree.size};
	char text[NOTE_MAX];

	note_origin(l->head.log_id, note.origin);
	merkle_root(&l->head.tree, note.root);
	size_t len = note_sign(&note, key, text);
	buf_str(body, "{\"note\":");
	jcs_write_string(body, text, len);
	buf_str(body, "}");
}

static int forge_row(void *context, const struct store_row *row, struct err *err)
{
	struct log *l = context;
	AUTO_BUF struct buf out = {.most = RECORD_MAX}, body = {.most = NOTE_MAX * 2};
	struct store_op *op = &l->op[l->count++];
	uint8_t leaf[MERKLE_HASH];
	struct record r;

	scratch_must(l->count <= ROWS_MAX && record_decode(row->bytes, row->len, &r, err) == 0,
		     "a record");
	memcpy(r.prev, l->head.last, RECORD_HASH);
	if ((int64_t)r.seq == l->f->edited)
		r.body = (struct jcs_span){(const uint8_t *)"{\"n\":4711}", 10};
	if ((int64_t)r.seq == l->f->backward)
		r.time -= 3600000000;
	if (r.kind == RECORD_CHECKPOINT && l->f->unsign && r.seq >= l->f->unsign) {
		r.kind = RECORD_REQUEST;
		r.body = (struct jcs_span){(const uint8_t *)"{\"n\":4712}", 10};
	}
	if (r.kind == RECORD_CHECKPOINT) {
		l->head.checkpoint = r.seq;
		if (l->f->key) {
			sign_again(l, l->f->key, &body);
			r.body = (struct jcs_span){body.data, body.len};
		}
	}
	scratch_must(record_encode(&r, &out, err) == 0, "a record");
	uint8_t *copy = memcpy(arena_alloc(&l->arena, out.len), out.data, out.len);
	*op = (struct store_op){.op = STORE_OP_APPEND, .seq = r.seq, .data = copy, .len = out.len};
	record_hash(copy, out.len, op->hash);
	memcpy(l->head.last, op->hash, RECORD_HASH);
	merkle_leaf(copy, out.len, leaf);
	merkle_add(&l->head.tree, leaf);
	return 0;
}

static void cut_index(uint64_t size)
{
	char words[64];

	snprintf(words, sizeof(words), "DELETE FROM ref WHERE seq >= %llu",
		 (unsigned long long)size);
	sql(words, words);
}

/* Every hash is made again: only what was signed contradicts it. */
static void forge(int dir, const struct forgery *f)
{
	static struct log l;
	AUTO_STORE struct store *s = case_open(dir);
	uint8_t head[HEAD_MAX];
	struct store_tip tip;
	struct head old;
	struct err err = {0};

	l = (struct log){.f = f};
	scratch_must(s->backend->tip(s->self, &tip, &err) == 0 &&
			     head_from_tip(&tip, &old, &err) == 0,
		     "head");
	memcpy(l.head.log_id, old.log_id, HEAD_LOG_ID);
	memcpy(l.head.public, old.public, KEY_PUBLIC);
	scratch_must(store_read(s, 0, f->size, forge_row, &l, &err) == 0, "reading");
	sql("DELETE FROM log", "DELETE FROM log");
	cut_index(f->size);
	l.head.writes = old.writes + 1;
	l.op[l.count++] = (struct store_op){.op = STORE_OP_PUT,
					    .kind = STORE_HEAD,
					    .key = HEAD_KEY,
					    .expected = STORE_ANY,
					    .version = l.head.writes,
					    .data = head,
					    .len = head_encode(&l.head, head)};
	for (size_t at = 0; at < l.count; at += STORE_RECORDS_MAX) {
		size_t part = l.count - at < STORE_RECORDS_MAX ? l.count - at : STORE_RECORDS_MAX;
		scratch_must(s->backend->lock(s->self, &tip, &err) == 0 &&
				     s->backend->commit(s->self, l.op + at, part, &err) == 0,
			     "writing");
	}
	arena_done(&l.arena);
}

/* With the heads in the state directory, or without them: DIR is -1. */
static bool finds(int dir, const struct forgery *f, enum verify_problem problem, uint64_t first,
		  uint64_t last)
{
	struct verify_options o = {.dir = dir};
	struct verify_report report;
	AUTO_CLOSE int state = open("s", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	forge(state, f);
	struct store *s = reader(state);
	bool good = case_verifies(s, &o, problem, &report) &&
		    names(&report, (int64_t)first, (int64_t)last, 1);
	if (good && f->backward >= 0 && dir < 0)
		good = report.clock_steps == 1 && report.first_step == (uint64_t)f->backward;
	store_close(s);
	sql(CASE_RESTORE, CASE_RESTORE);
	return good;
}

static bool opens(int dir)
{
	struct store_options o = {.dir = dir, .url = case_url()};
	struct store *s = NULL;
	struct err err = {0};
	bool is_open = store_open(&o, &s, &err) == 0;

	printf("# %s\n", err.message);
	store_close(s);
	return is_open;
}

/* The log's own checkpoints say it too, to a verifier with nothing but the key. */
static void test_own_checkpoints(int dir, uint64_t size)
{
	struct forgery edit = {size, EDITED, -1, NULL, 0};
	struct verify_report report;
	char vkey[NOTE_VKEY_MAX];
	struct err err;

	forge(dir, &edit);
	struct store *s = reader(dir);
	scratch_must(store_vkey(s, vkey, &err) == 0, "the key");
	struct verify_options o = {.dir = -1, .vkey = vkey};
	ok(case_verifies(s, &o, VERIFY_FORKED, &report) && report.first_bad == 1 &&
		   report.last_bad == 256 && !report.kept,
	   "without any kept checkpoint, those in the log find it");
	store_close(s);
	sql(CASE_RESTORE, CASE_RESTORE);
}

/* An attacker without the key must leave the checkpoints out, and a verifier with the key alone sees that. */
static void test_unsigned(int dir, uint64_t size)
{
	const struct {
		struct forgery f;
		enum verify_problem problem;
		uint64_t first, last;
		const char *what;
	} cases[] = {
		{{size, EDITED, -1, NULL, 1}, VERIFY_SIGNATURE, 0, 1, "no checkpoint at all"},
		{{size, EDITED, -1, NULL, 2},
		 VERIFY_SIGNATURE,
		 1,
		 VERIFY_UNSIGNED_MAX + 1,
		 "the first one only"},
		{{VERIFY_UNSIGNED_MAX + 1, -1, -1, NULL, 2},
		 VERIFY_GOOD,
		 0,
		 0,
		 "as many without one as a writer can leave"},
		{{VERIFY_UNSIGNED_MAX + 2, -1, -1, NULL, 2},
		 VERIFY_SIGNATURE,
		 1,
		 VERIFY_UNSIGNED_MAX + 1,
		 "one more"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct verify_report report;
		char vkey[NOTE_VKEY_MAX];
		struct err err;
		forge(dir, &cases[i].f);
		struct store *s = reader(dir);
		scratch_must(store_vkey(s, vkey, &err) == 0, "the key");
		struct verify_options o = {.dir = -1, .vkey = vkey};
		ok(case_verifies(s, &o, cases[i].problem, &report) &&
			   report.first_bad == cases[i].first && report.last_bad == cases[i].last,
		   "%s: %s", cases[i].what, report.words);
		store_close(s);
		sql(CASE_RESTORE, CASE_RESTORE);
	}
}

/* As many records as a transaction takes, begun one short of a checkpoint: still good. */
static void test_largest_gap(void)
{
	int dir = case_fresh("g");
	AUTO_STORE struct store *s = case_open(dir);

	case_fill(s, STORE_CHECKPOINT_EVERY - 2, 1);
	case_fill(s, 2 * STORE_RECORDS_MAX, STORE_RECORDS_MAX);
	ok(case_is_good(s, dir), "the largest transaction at the worst moment leaves a good log");
	close(dir);
}

/* Checkpoints are of 1, 257 and 513 records. */
static void test_forgeries(int dir, const struct key *own, const struct key *thief, uint64_t size)
{
	struct forgery same = {size, -1, -1, NULL, 0}, edit = {size, EDITED, -1, NULL, 0};
	struct forgery resigned = {size, EDITED, -1, thief, 0}, stolen = {size, EDITED, -1, own, 0};
	struct forgery cut = {400, -1, -1, NULL, 0}, tail = {560, -1, -1, NULL, 0};
	struct forgery clock = {size, -1, 300, NULL, 0}, old_clock = {size, -1, 590, NULL, 0};

	ok(finds(dir, &same, VERIFY_GOOD, 0, 0), "made again without a change it is the same log");
	ok(finds(dir, &edit, VERIFY_FORKED, 1, 256),
	   "edited, with all hashes: not what was signed");
	ok(finds(dir, &resigned, VERIFY_SIGNATURE, 1, 1), "and signed with another key");
	ok(finds(dir, &stolen, VERIFY_FORKED, EDITED, EDITED),
	   "or with the stolen one: what was kept says no");
	ok(finds(dir, &cut, VERIFY_TRUNCATED, 400, size - 1), "cut before a checkpoint");
	ok(finds(dir, &tail, VERIFY_TRUNCATED, 560, size - 1), "cut after the last one");
	ok(finds(dir, &clock, VERIFY_FORKED, 257, 512), "another time is another record");
	ok(finds(dir, &old_clock, VERIFY_FORKED, 590, 590), "also after the last checkpoint");
	ok(finds(-1, &old_clock, VERIFY_GOOD, 0, 0),
	   "where no head was kept, a clock that goes back is told, not refused");
	forge(dir, &cut);
	ok(!opens(dir), "nobody writes to a log that was cut");
	sql(CASE_RESTORE, CASE_RESTORE);
	sql("DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)",
	    "DELETE FROM log WHERE seq = (SELECT max(seq) FROM log)");
	ok(!opens(dir), "nor to one whose last record is gone");
	sql(CASE_RESTORE, CASE_RESTORE);
	ok(opens(dir), "put back, it can be written again");
}

/* Kept elsewhere, a checkpoint on demand finds what the file beside the log cannot. */
static void test_kept_elsewhere(int dir)
{
	struct forgery tail = {560, -1, -1, NULL, 0};
	struct verify_report report;
	char note[NOTE_MAX], vkey[NOTE_VKEY_MAX];
	struct err err = {0};
	struct store *s = case_open(dir);

	scratch_must(store_checkpoint(s, note, &err) == 0 && store_vkey(s, vkey, &err) == 0,
		     "a checkpoint");
	store_close(s);
	forge(dir, &tail);
	unlink("s/" HEADS_FILE);
	s = reader(dir);
	struct verify_options o = {
		.dir = -1, .vkey = vkey, .notes = note, .notes_len = strlen(note)};
	ok(case_verifies(s, &o, VERIFY_TRUNCATED, &report) && report.first_bad == 560 &&
		   report.is_pinned,
	   "a checkpoint that was kept elsewhere finds the cut");
	struct verify_options alone = {.dir = -1};
	ok(case_verifies(s, &alone, VERIFY_GOOD, &report) && !report.is_pinned,
	   "without any key or checkpoint the log can only vouch for itself, and that is said");
	char *at = &note[strlen(note) - 10];
	*at = *at == 'A' ? 'B' : 'A';
	ok(case_verifies(s, &o, VERIFY_SIGNATURE, &report), "a changed checkpoint is no evidence");
	*at = '.';
	ok(verify_log(s, &o, &report, &err) < 0 && err.code == ERR_INPUT,
	   "and what is none at all is told, not passed over");
	store_close(s);
}

/* A whole other log, with its own key, in the place of this one. */
static void test_replaced(const char *vkey, const char *note)
{
	int dir = case_fresh("r");
	struct verify_report report;
	AUTO_STORE struct store *s = case_open(dir);
	struct verify_options by_key = {.dir = -1, .vkey = vkey};
	struct verify_options by_note = {.dir = dir, .notes = note, .notes_len = strlen(note)};

	case_fill(s, 20, 5);
	ok(case_is_good(s, dir), "another log is good for itself");
	ok(case_verifies(s, &by_key, VERIFY_REPLACED, &report) && report.first_bad == 0,
	   "but not with the key of the first: %s", report.words);
	ok(case_verifies(s, &by_note, VERIFY_REPLACED, &report), "nor with a checkpoint of it");
	close(dir);
}

static void begin_not(const char *keep)
{
	char sqlite[256], postgres[512];

	snprintf(sqlite, sizeof(sqlite),
		 "DELETE FROM log; DELETE FROM ref; DELETE FROM item WHERE kind <> '%s'", keep);
	snprintf(postgres, sizeof(postgres), "SET search_path = cordon; %s;", sqlite);
	case_sql("n", sqlite, postgres);
}

/* A process that was stopped while it made the log left tables and a key: nothing is wrong with that. A
 * log that was emptied has left more, or another place has a part of it. */
static void test_unbegun(void)
{
	int dir = case_fresh("n");
	struct verify_options o = {.dir = dir}, pinned = {.dir = dir};
	AUTO_TX struct store_tx tx = {0};
	struct verify_report report;
	char vkey[NOTE_VKEY_MAX];
	struct err err = {0};
	struct store *s = case_open(dir);

	store_put(&tx, STORE_CONVERSATION, "a", "a", 1, STORE_NEW);
	scratch_must(store_commit(s, &tx, &err) == 0 && store_vkey(s, vkey, &err) == 0, "a log");
	store_close(s);
	pinned.vkey = vkey;
	begin_not("conversation");
	s = reader(dir);
	ok(case_verifies(s, &o, VERIFY_TRUNCATED, &report), "emptied: %s", report.words);
	unlink("n/" HEADS_FILE);
	ok(case_verifies(s, &o, VERIFY_HEAD, &report), "and without its heads, by what it kept: %s",
	   report.words);
	begin_not("");
	ok(case_verifies(s, &pinned, VERIFY_HEAD, &report), "or by its key: %s", report.words);
	ok(verify_log(s, &o, &report, &err) < 0 && err.code == ERR_INPUT &&
		   strstr(err.message, "there is no log yet"),
	   "what was never begun is not damaged: %s", err.message);
	store_close(s);
	s = case_open(dir);
	ok(case_is_good(s, dir), "and can still be begun");
	store_close(s);
	close(dir);
}

static void load_keys(int dir, struct key *own, struct key *thief)
{
	struct err err;

	scratch_must(key_load(dir, CHAIN_KEY, false, own, &err) == 0, "the key");
	scratch_must(key_load(dir, "thief", true, thief, &err) == 0, "another key");
}

int main(void)
{
	const char *scratch = scratch_enter();
	int dir = case_fresh("s");
	struct store *s = case_open(dir);
	AUTO_KEY struct key own = {0}, thief = {0};
	char vkey[NOTE_VKEY_MAX], note[NOTE_MAX];
	struct err err = {0};
	uint64_t size = 0;

	case_fill(s, RECORDS, 1);
	load_keys(dir, &own, &thief);
	scratch_must(store_size(s, &size, &err) == 0 && store_vkey(s, vkey, &err) == 0, "the size");
	store_close(s);
	sql(CASE_SAVE, CASE_SAVE);
	test_rows(dir, size);
	test_forgeries(dir, &own, &thief, size);
	test_own_checkpoints(dir, size);
	test_unsigned(dir, size);
	test_kept_elsewhere(dir);
	struct note kept = {.size = 1};
	snprintf(kept.origin, sizeof(kept.origin), "%.*s", (int)strcspn(vkey, "+"), vkey);
	note_sign(&kept, &own, note);
	test_replaced(vkey, note);
	test_largest_gap();
	test_unbegun();
	close(dir);
	scratch_leave(scratch);
	return tap_done();
}
