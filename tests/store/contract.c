/* SPDX-License-Identifier: MIT
 *
 * The contract of store.h, the same for every backend: what is committed is there, what is not is
 * not, versions decide between two writers, lists are in order, and every maximum holds at itself
 * and not one further.
 */
#include <sys/wait.h>

#include "base/scope.h"
#include "case.h"

static int commit(struct store *s, struct store_tx *tx)
{
	struct err err = {0};

	return store_commit(s, tx, &err) < 0 ? (int)err.code : 0;
}

static int put(struct store *s, const char *key, const void *value, size_t len, uint64_t expected,
	       uint64_t *ret)
{
	AUTO_TX struct store_tx tx = {0};

	store_put(&tx, STORE_CONVERSATION, key, value, len, expected);
	int code = commit(s, &tx);
	if (ret)
		*ret = tx.version;
	return code;
}

/* 0, or the error's code. */
static int expect(struct store *s, const char *key, uint64_t version)
{
	AUTO_TX struct store_tx tx = {0};

	store_expect(&tx, STORE_CONVERSATION, key, version);
	return commit(s, &tx);
}

static int drop(struct store *s, const char *key, uint64_t expected)
{
	AUTO_TX struct store_tx tx = {0};

	store_delete(&tx, STORE_CONVERSATION, key, expected);
	return commit(s, &tx);
}

static bool holds(struct store *s, const char *key, const void *value, size_t len)
{
	AUTO_ITEM struct store_item item = {0};
	struct err err;

	return store_get(s, STORE_CONVERSATION, key, &item, &err) == 0 && item.version &&
	       item.len == len && memcmp(item.value, value, len) == 0 && !strcmp(item.key, key);
}

static bool is_gone(struct store *s, const char *key)
{
	AUTO_ITEM struct store_item item = {0};
	struct err err;

	return store_get(s, STORE_CONVERSATION, key, &item, &err) == 0 && !item.version;
}

static uint64_t size_of(struct store *s)
{
	uint64_t size = 0;
	struct err err;

	scratch_must(store_size(s, &size, &err) == 0, "the size");
	return size;
}

struct rows {
	uint64_t seq[1024];
	size_t count;
	uint8_t last[RECORD_HASH];
	bool is_bad;
};

static int take_row(void *context, const struct store_row *row, struct err *err)
{
	struct rows *r = context;
	struct record record;
	uint8_t hash[RECORD_HASH];

	record_hash(row->bytes, row->len, hash);
	r->is_bad = r->is_bad || record_decode(row->bytes, row->len, &record, err) < 0 ||
		    record.seq != row->seq || memcmp(hash, row->hash, RECORD_HASH) != 0;
	if (r->count < 1024)
		r->seq[r->count++] = row->seq;
	return 0;
}

static void test_log(struct store *s)
{
	static const char *const refs[] = {"run:1", "src:2", "run:1"};
	AUTO_TX struct store_tx tx = {0}, empty = {0};
	AUTO_JCS struct jcs j = {0};
	struct rows r = {0};
	struct err err = {0};

	ok(size_of(s) == 2, "a new log has its genesis and the first checkpoint");
	case_body(&j, 1);
	store_append(&tx, RECORD_VERDICT, refs, 3, &j);
	store_append(&tx, RECORD_START, refs, 1, &j);
	ok(commit(s, &tx) == 0 && tx.first_seq == 2 && size_of(s) == 4, "two records are appended");
	ok(store_read(s, 0, 0, take_row, &r, &err) == 0 && r.count == 4 && !r.is_bad &&
		   r.seq[3] == 3,
	   "they are read, in order");
	r.count = 0;
	ok(store_read(s, 1, 2, take_row, &r, &err) == 0 && r.count == 2 && r.seq[0] == 1,
	   "a range is");
	r.count = 0;
	ok(store_read(s, 4, 0, take_row, &r, &err) == 0 && r.count == 0,
	   "nothing is behind the end");
	ok(store_find(s, "run:1", 0, 0, take_row, &r, &err) == 0 && r.count == 2 && r.seq[0] == 2 &&
		   r.seq[1] == 3 && !r.is_bad,
	   "records are found by name, a name that is there twice once");
	r.count = 0;
	ok(store_find(s, "run:1", 3, 1, take_row, &r, &err) == 0 && r.count == 1 && r.seq[0] == 3,
	   "from a number on");
	r.count = 0;
	ok(store_find(s, "run:11", 0, 0, take_row, &r, &err) == 0 && r.count == 0 &&
		   store_find(s, "run", 0, 0, take_row, &r, &err) < 0,
	   "other names are not");
	ok(commit(s, &empty) == ERR_USAGE, "an empty transaction is refused");
}

static void test_versions(struct store *s)
{
	uint64_t first = 0, second = 0, third = 0;

	ok(put(s, "a", "1", 1, STORE_NEW, &first) == 0 && holds(s, "a", "1", 1), "a new item");
	ok(put(s, "a", "2", 1, STORE_NEW, NULL) == ERR_CONFLICT && holds(s, "a", "1", 1),
	   "is not new twice");
	ok(put(s, "a", "2", 1, first, &second) == 0 && second > first && holds(s, "a", "2", 1),
	   "with its version it is changed");
	ok(put(s, "a", "3", 1, first, NULL) == ERR_CONFLICT && holds(s, "a", "2", 1),
	   "with an older one it is not");
	ok(put(s, "a", "3", 1, STORE_ANY, NULL) == 0 && put(s, "b", "1", 1, STORE_ANY, NULL) == 0 &&
		   holds(s, "a", "3", 1) && holds(s, "b", "1", 1),
	   "whatever is there, or not");
	ok(put(s, "c", "1", 1, 7, NULL) == ERR_CONFLICT && is_gone(s, "c"),
	   "what is not there has no version");
	ok(drop(s, "a", second) == ERR_CONFLICT && holds(s, "a", "3", 1) &&
		   drop(s, "b", STORE_ANY) == 0 && is_gone(s, "b") && drop(s, "b", STORE_ANY) == 0,
	   "it is deleted with its version or any");
	ok(drop(s, "b", first) == ERR_CONFLICT && drop(s, "b", STORE_NEW) == ERR_USAGE,
	   "and not when it is not there");
	scratch_must(drop(s, "a", STORE_ANY) == 0 && put(s, "a", "4", 1, STORE_NEW, &third) == 0,
		     "again");
	ok(expect(s, "a", third) == 0 && expect(s, "a", third) == 0 && holds(s, "a", "4", 1),
	   "who only expects a version does not change it");
	ok(expect(s, "a", second) == ERR_CONFLICT && expect(s, "b", first) == ERR_CONFLICT &&
		   expect(s, "a", STORE_NEW) == ERR_USAGE && expect(s, "a", STORE_ANY) == ERR_USAGE,
	   "and hears that it is another, or gone");
	ok(third > second && put(s, "a", "5", 1, first, NULL) == ERR_CONFLICT &&
		   put(s, "a", "5", 1, second, NULL) == ERR_CONFLICT,
	   "made again, it has none of the versions it ever had");
	ok(put(s, "e", "", 0, STORE_NEW, NULL) == 0 && holds(s, "e", "", 0),
	   "an empty value is a value");
	ok(put(s, "z", "\0a\xff\0", 4, STORE_NEW, NULL) == 0 && holds(s, "z", "\0a\xff\0", 4),
	   "as is one of any bytes");
}

static void test_all_or_nothing(struct store *s)
{
	AUTO_TX struct store_tx tx = {0}, good = {0};
	uint64_t before = size_of(s);

	case_add(&tx, RECORD_REQUEST, "run:x", 1);
	store_put(&tx, STORE_SOURCE, "n", "1", 1, STORE_NEW);
	store_put(&tx, STORE_CONVERSATION, "a", "9", 1, STORE_NEW);
	ok(commit(s, &tx) == ERR_CONFLICT && size_of(s) == before,
	   "one conflict, and nothing is written");
	AUTO_ITEM struct store_item item = {0};
	struct err err;
	ok(store_get(s, STORE_SOURCE, "n", &item, &err) == 0 && !item.version,
	   "no other item either");
	case_add(&good, RECORD_REQUEST, "run:x", 1);
	store_put(&good, STORE_SOURCE, "n", "1", 1, STORE_NEW);
	store_delete(&good, STORE_CONVERSATION, "e", STORE_ANY);
	ok(commit(s, &good) == 0 && size_of(s) == before + 1 && is_gone(s, "e"),
	   "without one all of it is");
	ok(store_get(s, STORE_SOURCE, "n", &item, &err) == 0 && item.version == good.version,
	   "and its version is the transaction's");
}

struct keys {
	char text[256];
	struct store *nested;
};

static int take_key(void *context, const struct store_item *item, struct err *err)
{
	struct keys *k = context;
	AUTO_ITEM struct store_item other = {0};

	if (k->nested && store_get(k->nested, STORE_TICKET, item->key, &other, err) < 0)
		return -1;
	if (k->nested &&
	    (other.len != item->len || memcmp(other.value, item->value, item->len) != 0))
		return err_set(err, ERR_SYSTEM, "not the same");
	size_t at = strlen(k->text);
	snprintf(k->text + at, sizeof(k->text) - at, "%s ", item->key);
	return strcmp(item->key, "stop") == 0 ? 5 : 0;
}

static bool lists(struct store *s, const char *prefix, const char *after, size_t limit,
		  const char *want)
{
	struct store_range range = {prefix, after, limit, 0};
	struct keys k = {.nested = s};
	struct err err = {0};
	int r = store_list(s, STORE_TICKET, &range, take_key, &k, &err);

	if (strcmp(k.text, want) != 0)
		printf("# %s (%s)\n", k.text, err.message);
	return r == 0 && strcmp(k.text, want) == 0;
}

/* FIRST: of the items of test_lists; SECOND: of "stop". */
static void test_newer(struct store *s, uint64_t first, uint64_t second)
{
	AUTO_TX struct store_tx again = {0};
	struct keys k[3] = {0};
	struct err err = {0};

	store_put(&again, STORE_TICKET, "b/1", "other", 5, first);
	scratch_must(commit(s, &again) == 0, "an item");
	for (int i = 0; i < 3; i++) {
		struct store_range range = {NULL, NULL, i, i == 2 ? second : first};
		store_list(s, STORE_TICKET, &range, take_key, &k[i], &err);
	}
	ok(!strcmp(k[0].text, "b/1 stop ") && !strcmp(k[1].text, "b/1 ") &&
		   !strcmp(k[2].text, "b/1 "),
	   "those that were put or changed since, and no other");
}

static void test_lists(struct store *s)
{
	static const char *const keys[] = {"b/2", "a", "b/10", "b0", "b", "B", "~", "b/1"};
	AUTO_TX struct store_tx tx = {0}, stop = {0};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		store_put(&tx, STORE_TICKET, keys[i], keys[i], strlen(keys[i]), STORE_NEW);
	scratch_must(commit(s, &tx) == 0, "items");
	ok(lists(s, NULL, NULL, 0, "B a b b/1 b/10 b/2 b0 ~ "), "all, in the order of their bytes");
	ok(lists(s, "b/", NULL, 0, "b/1 b/10 b/2 "), "those with a prefix");
	ok(lists(s, "b", "b/1", 2, "b/10 b/2 "), "after one, so many");
	ok(lists(s, "~", NULL, 0, "~ ") && lists(s, "x", NULL, 0, "") && lists(s, NULL, "~", 0, ""),
	   "the last, and none");
	store_put(&stop, STORE_TICKET, "stop", "stop", 4, STORE_NEW);
	scratch_must(commit(s, &stop) == 0, "items");
	struct store_range range = {NULL, NULL, 0, 0};
	struct keys k = {0};
	struct err err = {0};
	ok(store_list(s, STORE_TICKET, &range, take_key, &k, &err) == 5 &&
		   !strcmp(k.text, "B a b b/1 b/10 b/2 b0 stop "),
	   "the callback can end it");
	ok(store_list(s, STORE_SOURCE, &range, take_key, &k, &err) == 0,
	   "another kind has none of them");
	test_newer(s, tx.version, stop.version);
}

static int put_ops(struct store *s, size_t count, size_t records)
{
	AUTO_TX struct store_tx tx = {0};

	for (size_t i = 0; i < records; i++)
		case_add(&tx, RECORD_SCAN, NULL, (int64_t)i);
	for (size_t i = 0; i < count; i++) {
		char key[24];
		snprintf(key, sizeof(key), "%zu", i);
		store_put(&tx, STORE_SOURCE, key, "x", 1, STORE_ANY);
	}
	return commit(s, &tx);
}

static int put_bytes(struct store *s, const char *value, size_t len, size_t last)
{
	AUTO_TX struct store_tx tx = {0};

	store_put(&tx, STORE_SOURCE, "l1", value, len, STORE_ANY);
	store_put(&tx, STORE_SOURCE, "l2", value, last, STORE_ANY);
	return commit(s, &tx);
}

static void test_maxima(struct store *s)
{
	AUTO_FREE char *value = calloc(1, STORE_VALUE_MAX + 1);
	char key[STORE_KEY_MAX + 2];

	scratch_must(value != NULL, "memory");
	memset(value, 'v', STORE_VALUE_MAX + 1);
	ok(put(s, "big", value, STORE_VALUE_MAX, STORE_NEW, NULL) == 0 &&
		   holds(s, "big", value, STORE_VALUE_MAX),
	   "the largest value");
	ok(put(s, "big", value, STORE_VALUE_MAX + 1, STORE_ANY, NULL) == ERR_LIMIT,
	   "one byte more");
	memset(key, 'k', sizeof(key));
	key[STORE_KEY_MAX] = '\0';
	ok(put(s, key, "1", 1, STORE_NEW, NULL) == 0 && holds(s, key, "1", 1), "the longest key");
	key[STORE_KEY_MAX] = 'k';
	key[STORE_KEY_MAX + 1] = '\0';
	ok(put(s, key, "1", 1, STORE_NEW, NULL) == ERR_INPUT &&
		   put(s, "", "1", 1, STORE_NEW, NULL) && put(s, "a b", "1", 1, STORE_NEW, NULL) &&
		   put(s, "\xc3\xa4", "1", 1, STORE_NEW, NULL),
	   "one more, none, and others than printable ones");
	ok(!put_ops(s, STORE_OPS_MAX, 0) && !put_ops(s, 0, STORE_RECORDS_MAX), "the most steps");
	ok(put_ops(s, STORE_OPS_MAX + 1, 0) == ERR_LIMIT, "one more");
	ok(put_ops(s, 0, STORE_RECORDS_MAX + 1) == ERR_LIMIT, "one record more");
	ok(!put_bytes(s, value, STORE_VALUE_MAX, STORE_BYTES_MAX - STORE_VALUE_MAX), "the most");
	AUTO_TX struct store_tx tx = {0};
	store_put(&tx, STORE_SOURCE, "l1", value, STORE_VALUE_MAX, STORE_ANY);
	store_put(&tx, STORE_SOURCE, "l2", value, STORE_VALUE_MAX, STORE_ANY);
	store_put(&tx, STORE_SOURCE, "l3", value, 1, STORE_ANY);
	ok(commit(s, &tx) == ERR_LIMIT, "one more");
	store_put(&tx, STORE_HEAD, "log", "x", 1, STORE_ANY);
	ok(tx.failed.code == ERR_LIMIT, "the first failure is the one that is told");
	AUTO_TX struct store_tx head = {0};
	store_put(&head, STORE_HEAD, "log", "x", 1, STORE_ANY);
	ok(commit(s, &head) == ERR_INPUT, "a caller cannot write a head");
}

static bool appends(struct store *s, size_t body, size_t refc)
{
	static const char *refs[RECORD_REFS_MAX + 1];
	AUTO_TX struct store_tx tx = {0};
	AUTO_JCS struct jcs j = {0};
	struct err err;

	for (size_t i = 0; i <= RECORD_REFS_MAX; i++)
		refs[i] = "run:many";
	jcs_init(&j, body + 64);
	for (char name[] = "a"; j.out.len < body; name[0]++) {
		static char text[JCS_TEXT_MAX];
		size_t left = body - j.out.len;
		size_t len = left > JCS_TEXT_MAX + 64 ? JCS_TEXT_MAX : left > 8 ? left - 8 : 0;
		memset(text, ' ', sizeof(text));
		jcs_text(&j, name, text, len > JCS_TEXT_MAX ? JCS_TEXT_MAX / 2 : len);
		if (left <= 8)
			break;
	}
	scratch_must(jcs_finish(&j, &err) == 0, "a body");
	store_append(&tx, RECORD_SCAN, refs, refc, &j);
	return commit(s, &tx) == 0;
}

static void test_record_maxima(struct store *s)
{
	ok(appends(s, 100, RECORD_REFS_MAX), "the most names of a record");
	ok(!appends(s, 100, RECORD_REFS_MAX + 1), "one more");
	ok(appends(s, RECORD_BODY_MAX - 100, 0), "a record of nearly the most bytes");
	ok(!appends(s, RECORD_BODY_MAX + 1, 0), "one over them");
	AUTO_TX struct store_tx tx = {0};
	struct jcs unfinished;
	jcs_init(&unfinished, 100);
	store_append(&tx, RECORD_SCAN, NULL, 0, &unfinished);
	ok(commit(s, &tx) == ERR_INPUT, "a body that is not finished is refused");
	jcs_done(&unfinished);
}

static void test_checkpoints(struct store *s)
{
	char text[2048], again[2048], vkey[NOTE_VKEY_MAX], origin[NOTE_ORIGIN_MAX + 1];
	uint8_t public[KEY_PUBLIC];
	struct note note = {0};
	struct err err = {0};
	uint64_t before = size_of(s);

	ok(store_checkpoint(s, text, &err) == 0 &&
		   note_parse(text, strlen(text), &note, &err) == 0 && note.size == before &&
		   size_of(s) == before + 1,
	   "a checkpoint on demand is of all records, and one itself");
	ok(store_checkpoint(s, again, &err) == 0 && !strcmp(text, again) &&
		   size_of(s) == before + 1,
	   "nothing new, no other checkpoint");
	ok(store_vkey(s, vkey, &err) == 0 && note_parse_vkey(vkey, origin, public, &err) == 0 &&
		   note_is_signed(text, strlen(text), &note, public),
	   "it is signed with the key that is told");
	before = size_of(s);
	case_fill(s, STORE_CHECKPOINT_EVERY - 2, 50);
	ok(size_of(s) == before + STORE_CHECKPOINT_EVERY - 2, "so many more and none");
	case_fill(s, 1, 1);
	ok(size_of(s) == before + STORE_CHECKPOINT_EVERY, "the next one brings it");
}

/* A process with the log open knows how long it was. */
static void test_shorter(void)
{
	int dir = case_fresh("s");
	struct store *s = case_open(dir);
	AUTO_TX struct store_tx tx = {0};

	case_sql("s", CASE_SAVE, "SET search_path = cordon; " CASE_SAVE ";");
	case_fill(s, 3, 3);
	case_sql("s", CASE_RESTORE, "SET search_path = cordon; " CASE_RESTORE ";");
	case_add(&tx, RECORD_REQUEST, "run:a", 1);
	ok(commit(s, &tx) == ERR_REFUSED, "an old copy under an open log gets no more records");
	store_close(s);
	close(dir);
}

/* What is said to be written is: a database that drops it without a word is found out at once. */
static void test_dropped(int dir)
{
	static const struct {
		const char *what, *sqlite, *postgres;
	} ways[] = {
		{"records", "CREATE TRIGGER t BEFORE INSERT ON log BEGIN SELECT RAISE(IGNORE); END",
		 "CREATE RULE t AS ON INSERT TO cordon.log DO INSTEAD NOTHING"},
		{"items", "CREATE TRIGGER t BEFORE INSERT ON item BEGIN SELECT RAISE(IGNORE); END",
		 "CREATE FUNCTION cordon.f() RETURNS trigger LANGUAGE plpgsql AS "
		 "'BEGIN RETURN NULL; END'; CREATE TRIGGER t BEFORE INSERT ON cordon.item "
		 "FOR EACH ROW EXECUTE FUNCTION cordon.f()"},
	};
	static const char *const undo[][2] = {
		{"DROP TRIGGER t", "DROP RULE t ON cordon.log"},
		{"DROP TRIGGER t", "DROP TRIGGER t ON cordon.item"},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		AUTO_STORE struct store *s = case_open(dir); /* later such a server is refused */
		case_sql("s", ways[i].sqlite, ways[i].postgres);
		AUTO_TX struct store_tx tx = {0};
		struct rows r = {0};
		struct err err = {0};
		uint64_t before = size_of(s);
		case_add(&tx, RECORD_REQUEST, "run:dropped", (int64_t)i);
		store_put(&tx, STORE_CONVERSATION, "dropped", "1", 1, STORE_ANY);
		bool done = store_commit(s, &tx, &err) == 0;
		bool is_there = store_read(s, before, 1, take_row, &r, &err) == 0 && r.count == 1 &&
				holds(s, "dropped", "1", 1);
		ok(done == is_there, "a database that drops %s: %s", ways[i].what,
		   done ? "they are there" : "refused");
		case_sql("s", undo[i][0], undo[i][1]);
	}
}

static void test_again(int dir)
{
	struct store_options o = {.dir = dir, .url = case_url(), .read_only = true};
	AUTO_STORE struct store *s = case_open(dir), *reader = NULL;
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};

	ok(holds(s, "a", "4", 1), "what was committed is there when the store is opened again");
	ok(store_open(&o, &reader, &err) == 0 && holds(reader, "a", "4", 1) &&
		   size_of(reader) == size_of(s),
	   "a reader sees it");
	case_add(&tx, RECORD_REQUEST, NULL, 1);
	ok(commit(reader, &tx) == ERR_USAGE, "and cannot write");
	uint64_t version = 0;
	AUTO_STORE struct store *other = case_open(dir);
	scratch_must(put(s, "two", "1", 1, STORE_NEW, &version) == 0, "an item");
	ok(holds(other, "two", "1", 1) && put(other, "two", "2", 1, version, NULL) == 0 &&
		   put(s, "two", "3", 1, version, NULL) == ERR_CONFLICT && holds(s, "two", "2", 1),
	   "of two writers that read the same version one writes");
	ok(case_is_good(s, dir), "the log verifies");
}

static void test_busy(int dir)
{
	struct store_options o = {.dir = dir, .url = case_url(), .wait_ms = 300};
	AUTO_STORE struct store *s = case_open(dir), *waits = NULL;
	AUTO_TX struct store_tx tx = {0};
	struct store_tip tip;
	struct err err = {0};

	scratch_must(store_open(&o, &waits, &err) == 0, "opening");
	scratch_must(s->backend->lock(s->self, &tip, &err) == 0, "the lock");
	case_add(&tx, RECORD_REQUEST, NULL, 1);
	ok(store_commit(waits, &tx, &err) < 0 && strstr(err.message, "another process"),
	   "a writer that waits too long gets an error");
	s->backend->unlock(s->self);
	ok(store_commit(waits, &tx, &err) == 0, "the same transaction can be tried again");
}

/* Each writes records and counts up one item; every conflict is tried again. */
static int write_many(int dir, int count)
{
	AUTO_STORE struct store *s = case_open(dir);

	for (int i = 0; i < count;) {
		AUTO_TX struct store_tx tx = {0};
		AUTO_ITEM struct store_item item = {0};
		struct err err = {0};
		int n = 0;
		if (store_get(s, STORE_SETTING, "count", &item, &err) < 0)
			return 1;
		if (item.version)
			memcpy(&n, item.value, sizeof(n));
		n++;
		case_add(&tx, RECORD_REQUEST, "run:w", n);
		store_put(&tx, STORE_SETTING, "count", &n, sizeof(n), item.version);
		if (store_commit(s, &tx, &err) == 0)
			i++;
		else if (err.code != ERR_CONFLICT)
			return printf("# %s: %s\n", err.message, err.cause) > 0;
	}
	return 0;
}

/* The store is new: they also make it at once. */
static void test_writers(const char *name)
{
	enum { WRITERS = 4, EACH = 60 };
	int dir = case_fresh(name), failed = 0, n = 0;
	struct err err;

	for (int i = 0; i < WRITERS; i++) {
		fflush(stdout);
		pid_t pid = fork();
		if (pid == 0)
			_exit(write_many(dir, EACH));
	}
	for (int i = 0, status = 0; i < WRITERS; i++)
		failed += wait(&status) < 0 || status != 0;
	AUTO_STORE struct store *s = case_open(dir);
	AUTO_ITEM struct store_item item = {0};
	scratch_must(store_get(s, STORE_SETTING, "count", &item, &err) == 0 && item.version,
		     "the item");
	memcpy(&n, item.value, sizeof(n));
	ok(!failed && n == WRITERS * EACH, "%d writers at once count to %d", WRITERS, n);
	struct rows r = {0};
	ok(store_find(s, "run:w", 0, 0, take_row, &r, &err) == 0 && r.count == WRITERS * EACH,
	   "and wrote as many records");
	ok(case_is_good(s, dir), "in a log that verifies");
	close(dir);
}

int main(void)
{
	const char *scratch = scratch_enter();
	int dir = case_fresh("s");
	struct store *s = case_open(dir);

	test_log(s);
	test_versions(s);
	test_all_or_nothing(s);
	test_lists(s);
	test_maxima(s);
	test_record_maxima(s);
	test_checkpoints(s);
	store_close(s);
	test_dropped(dir);
	test_again(dir);
	test_busy(dir);
	test_shorter();
	close(dir);
	test_writers("w");
	scratch_leave(scratch);
	return tap_done();
}
