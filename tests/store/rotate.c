/* SPDX-License-Identifier: MIT
 *
 * The log's key is changed: by a record that the old one has signed, and in no other way. Whoever
 * kept any of its keys can still verify it; a key that came in without such a record is found, and
 * so is a log from before the change in the place of the one after it. A process that was there
 * before the change writes on with the new key, and one that died in the middle of it costs nothing.
 */
#include "store/rotate.h"

#include "base/scope.h"
#include "case.h"

#define RESTORE CASE_RESTORE "; DROP TABLE saved_log; DROP TABLE saved_item; DROP TABLE saved_ref"

static void sql(const char *statements)
{
	char postgres[1024];

	snprintf(postgres, sizeof(postgres), "SET search_path = cordon; %s;", statements);
	case_sql("s", statements, postgres);
}

static void rotate(struct store *s)
{
	struct err err = {0};
	uint64_t record = 0;
	bool done = store_rotate(s, &record, &err) == 0;

	if (!done)
		printf("# %s\n", err.message);
	scratch_must(done, "rotating");
}

static void vkey_of(struct store *s, char ret[NOTE_VKEY_MAX])
{
	struct err err = {0};

	scratch_must(store_vkey(s, ret, &err) == 0, "the key");
}

static bool is_good_with(struct store *s, int dir, const char *vkey, uint64_t rotations)
{
	struct verify_options o = {.dir = dir, .vkey = vkey};
	struct verify_report report;

	return case_verifies(s, &o, VERIFY_GOOD, &report) && report.rotations == rotations &&
	       report.is_pinned == (dir >= 0 || vkey);
}

static void test_keys(int dir)
{
	char first[NOTE_VKEY_MAX], second[NOTE_VKEY_MAX], third[NOTE_VKEY_MAX];
	struct store *s = case_open(dir), *earlier = case_open(dir);
	AUTO_KEY struct key before = {0}, after = {0};
	struct err err = {0};

	case_fill(s, 300, 3);
	vkey_of(s, first);
	scratch_must(key_load(dir, CHAIN_KEY, false, &before, &err) == 0, "the key");
	rotate(s);
	vkey_of(s, second);
	scratch_must(key_load(dir, CHAIN_KEY, false, &after, &err) == 0, "the key");
	ok(strcmp(first, second) != 0 && memcmp(before.public, after.public, KEY_PUBLIC) != 0 &&
		   !scratch_exists("s/" CHAIN_NEXT_KEY),
	   "the key is another, in its file too, and the old one is gone");
	case_fill(earlier, 300, 3);
	ok(is_good_with(s, dir, NULL, 1), "who was there before writes on with the new one");
	rotate(earlier);
	vkey_of(s, third);
	case_fill(s, 300, 3);
	ok(is_good_with(s, dir, NULL, 2), "changed twice, it is good by the key beside it");
	ok(is_good_with(s, dir, first, 2) && is_good_with(s, dir, second, 2) &&
		   is_good_with(s, dir, third, 2),
	   "and by any that was kept");
	ok(is_good_with(s, -1, NULL, 2), "and by itself");
	store_close(s);
	store_close(earlier);
}

static void test_at_once(int dir)
{
	struct store *a = case_open(dir), *b = case_open(dir);
	struct err err = {0};
	uint64_t record = 0;

	rotate(a);
	ok(store_rotate(b, &record, &err) < 0 && err.code == ERR_CONFLICT,
	   "of two processes that change it at once one does");
	case_fill(b, 3, 1);
	rotate(b);
	ok(case_is_good(a, dir), "and the other can afterwards");
	store_close(a);
	store_close(b);
}

/* The record is there, the file is not yet. */
static void test_cut_off(int dir)
{
	struct store *s = case_open(dir);
	struct store_options o = {.dir = dir, .url = case_url()};
	struct err err = {0};

	scratch_must(system("cp -p s/log.key old.key") == 0, "cp");
	rotate(s);
	store_close(s);
	scratch_must(system("mv s/log.key s/log.key.next && mv old.key s/log.key") == 0, "mv");
	s = NULL;
	ok(store_open(&o, &s, &err) == 0 && !scratch_exists("s/" CHAIN_NEXT_KEY),
	   "who opens it next puts the new key in its place: %s", err.message);
	case_fill(s, 300, 3);
	ok(case_is_good(s, dir), "and writes on");
	store_close(s);
	scratch_must(system("mv s/log.key away.key && cp -p away.key s/log.key.next && "
			    "sed 's/[0-9a-f]\\{4\\}$/0000/' away.key >s/log.key && "
			    "rm s/log.key.next && chmod 600 s/log.key") == 0,
		     "another key");
	ok(store_open(&o, &s, &err) < 0 && err.code == ERR_REFUSED, "a key that is not the log's");
	scratch_must(system("mv away.key s/log.key") == 0, "mv");
}

/* An old copy from before the change, put back: the file heads knows better. */
static void test_put_back(int dir)
{
	struct store_options o = {.dir = dir, .url = case_url(), .read_only = true};
	struct verify_options v = {.dir = dir};
	struct verify_report report;
	struct store *s = case_open(dir);
	struct err err = {0};

	sql(CASE_SAVE);
	rotate(s);
	store_close(s);
	sql(RESTORE);
	scratch_must(store_open(&o, &s, &err) == 0, "a reader");
	ok(case_verifies(s, &v, VERIFY_TRUNCATED, &report), "cut before the change: %s",
	   report.words);
	store_close(s);
	o.read_only = false;
	ok(store_open(&o, &s, &err) < 0 && err.code == ERR_REFUSED, "no process writes to it: %s",
	   err.message);
}

/* Forgeries, each in a log of its own. BODY as rotate.c writes it, but for what is wrong. */
struct forgery {
	const char *what;
	bool has_record, by_thief, other_log, silent, lies; /* LIES: of the key it is from */
	int64_t bad; /* which record after the last good one is told */
};

static void forge_record(struct store *s, const struct forgery *f, const struct key *thief,
			 struct store_tx *tx)
{
	AUTO_JCS struct jcs body = {0};
	uint8_t bytes[512], signature[KEY_SIGNATURE];
	char vkey[NOTE_VKEY_MAX];
	const char *ref = ROTATE_REF;
	struct err err = {0};

	vkey_of(s, vkey);
	vkey[strcspn(vkey, "+")] = '\0';
	if (f->other_log)
		vkey[strlen(vkey) - 1] ^= 1;
	size_t len =
		(size_t)snprintf((char *)bytes, sizeof(bytes), "cordon-log-key-v1\n%s\n", vkey);
	memcpy(bytes + len, s->key.public, KEY_PUBLIC);
	memcpy(bytes + len + KEY_PUBLIC, thief->public, KEY_PUBLIC);
	key_sign(f->by_thief ? thief : &s->key, bytes, len + (size_t)2 * KEY_PUBLIC, signature);
	jcs_init(&body, RECORD_BODY_MAX);
	jcs_str(&body, "event", "rotated");
	jcs_hex(&body, "from", f->lies ? thief->public : s->key.public, KEY_PUBLIC);
	jcs_hex(&body, "key", thief->public, KEY_PUBLIC);
	jcs_hex(&body, "signature", signature, KEY_SIGNATURE);
	scratch_must(jcs_finish(&body, &err) == 0, "a body");
	store_append(tx, RECORD_KEY, &ref, 1, &body);
}

static void test_forgeries(void)
{
	static const struct forgery rows[] = {
		{"a new key without any record", false, false, false, false, false, 1},
		{"one that signs itself", true, true, false, false, false, 0},
		{"one that was signed for another log", true, false, true, false, false, 0},
		{"one that has signed nothing", true, false, false, true, false, 0},
		{"one that lies about the old one", true, false, false, false, true, 0},
		{"one that the old key has signed", true, false, false, false, false, -1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct forgery *f = &rows[i];
		int dir = case_fresh("s");
		struct store *s = case_open(dir);
		AUTO_KEY struct key thief = {0};
		AUTO_TX struct store_tx tx = {0};
		struct verify_report report;
		struct err err = {0};
		char vkey[NOTE_VKEY_MAX];
		uint64_t size = 0;

		case_fill(s, 20, 5);
		vkey_of(s, vkey);
		scratch_must(key_load(dir, "thief", true, &thief, &err) == 0, "a thief");
		scratch_must(store_size(s, &size, &err) == 0, "the size");
		if (f->has_record)
			forge_record(s, f, &thief, &tx);
		else
			case_add(&tx, RECORD_REQUEST, "run:a", 1);
		scratch_must((f->silent ? store_commit(s, &tx, &err)
					: chain_change_key(s, &tx, &thief, &err)) == 0,
			     err.message);
		if (f->silent)
			case_fill(s, 3, 1);
		struct verify_options o = {.dir = -1, .vkey = vkey};
		bool bad = f->bad >= 0;
		ok(case_verifies(s, &o, bad ? VERIFY_SIGNATURE : VERIFY_GOOD, &report) &&
			   (!bad || report.first_bad == size + (uint64_t)f->bad),
		   "%s: %s", f->what, report.words);
		store_close(s);
		close(dir);
	}
}

/* An earlier change, written down once more: the key it was from is not the log's any more. */
static int take_body(void *context, const struct store_row *row, struct err *err)
{
	struct jcs *body = context;
	struct record r;

	scratch_must(record_decode(row->bytes, row->len, &r, err) == 0, "a record");
	buf_add(&body->out, r.body.data, r.body.len);
	return 1;
}

static void test_replay(void)
{
	int dir = case_fresh("s");
	AUTO_STORE struct store *s = case_open(dir);
	AUTO_JCS struct jcs body = {.out = {.most = RECORD_BODY_MAX}};
	AUTO_TX struct store_tx tx = {0};
	struct verify_options o = {.dir = dir};
	struct verify_report report;
	const char *ref = ROTATE_REF;
	struct err err = {0};

	rotate(s);
	rotate(s);
	scratch_must(store_find(s, ROTATE_REF, 0, 1, take_body, &body, &err) == 1, "the first");
	store_append(&tx, RECORD_KEY, &ref, 1, &body);
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
	ok(case_verifies(s, &o, VERIFY_SIGNATURE, &report), "a change cannot be repeated: %s",
	   report.words);
	close(dir);
}

static void test_max(void)
{
	int dir = case_fresh("s");
	AUTO_STORE struct store *s = case_open(dir);
	struct err err = {0};
	uint64_t record = 0;

	for (int i = 0; i < ROTATE_MAX; i++)
		rotate(s);
	ok(is_good_with(s, dir, NULL, ROTATE_MAX), "changed %d times", ROTATE_MAX);
	ok(store_rotate(s, &record, &err) < 0 && err.code == ERR_LIMIT, "and no more");
	ok(case_is_good(s, dir), "which does no harm");
	close(dir);
}

int main(void)
{
	const char *scratch = scratch_enter();
	int dir = case_fresh("s");

	test_keys(dir);
	test_at_once(dir);
	test_cut_off(dir);
	test_put_back(dir);
	close(dir);
	test_forgeries();
	test_replay();
	test_max();
	scratch_leave(scratch);
	return tap_done();
}
