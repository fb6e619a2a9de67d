/* SPDX-License-Identifier: MIT
 *
 * Limits of inner parts of the scanner and the rule reader, each at its maximum and one more.
 * Limits of whole expressions, texts, rules and packs are tested with these.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "detect/session.h"
#include "rule/load.h"
#include "rule/tree_cache.h"
#include "scan/find/literal_table.h"
#include "scan/find/strs.h"
#include "scan/regex/char_set.h"
#include "scan/text/fold.h"
#include "scan/text/normal.h"
#include "scratch.h"
#include "tap.h"
#include "yaml/scalar.h"

static const struct strs *numbered(struct strs_maker *m, unsigned count)
{
	const struct strs *all = NULL;
	char text[16];

	for (unsigned i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%u", i);
		const struct strs *one = strs_one(m, text, strlen(text));
		all = i ? strs_either(m, all, one) : one;
	}
	return all;
}

static void test_strs(void)
{
	struct arena arena = {0};
	struct strs_maker m = {.arena = &arena};
	char text[STR_MAX + 1];
	const struct strs *most = numbered(&m, STRS_MAX), *twelve = numbered(&m, 12);
	const struct strs *half, *letter = strs_one(&m, "x", 1);

	memset(text, 'a', sizeof(text));
	ok(strs_one(&m, text, STR_MAX) && !strs_one(&m, text, STR_MAX + 1),
	   "a string of %d bytes, not one more", STR_MAX);
	half = strs_one(&m, text, STR_MAX - 1);
	ok(strs_join(&m, half, letter) && !strs_join(&m, strs_join(&m, half, letter), letter),
	   "nor one that is joined");
	ok(most && most->count == STRS_MAX && !strs_either(&m, most, letter),
	   "a set of %d strings, not one more", STRS_MAX);
	/* 12 by 8 is the maximum, 12 by 9 is more. */
	ok(strs_join(&m, strs_join(&m, twelve, letter), numbered(&m, STRS_MAX / 12)) &&
		   !strs_join(&m, strs_join(&m, twelve, letter), numbered(&m, STRS_MAX / 12 + 1)),
	   "nor one that is joined");
	arena_done(&arena);
}

static void test_sets(void)
{
	struct reach_sets sets;
	struct reach_set set = {0};
	struct js_set js = {0};

	reach_sets_init(&sets); /* it has one already */
	for (uint64_t i = 1; i < REACH_SETS_MAX; i++) {
		set.bits[0] = i;
		reach_set_find(&sets, &set);
	}
	ok(reach_set_find(&sets, &set) == REACH_SETS_MAX - 1, "%d sets of bytes", REACH_SETS_MAX);
	set.bits[0] = REACH_SETS_MAX;
	ok(reach_set_find(&sets, &set) == 0 && !sets.failed,
	   "one more becomes the set of all bytes");
	reach_sets_done(&sets);
	for (uint32_t i = 0; i < JS_SET_MAX; i++)
		js_set_add(&js, 2 * i, 2 * i);
	ok(js.count == JS_SET_MAX && !js.failed, "a set of %d ranges", JS_SET_MAX);
	js_set_add(&js, 1, 1);
	ok(js.failed, "not one more");
	js_set_done(&js);
}

static void test_ast(void)
{
	AUTO_FREE struct js_range *range = calloc(JS_RANGES_MAX + 1, sizeof(*range));
	struct js_ast ast = {0};
	uint32_t last = 0;

	for (uint32_t i = 0; i < JS_NODES_MAX; i++)
		last = js_node_add(&ast, (struct js_node){.kind = JS_CHAR});
	ok(last == JS_NODES_MAX - 1, "%d nodes", JS_NODES_MAX);
	ok(js_node_add(&ast, (struct js_node){.kind = JS_CHAR}) == JS_NONE, "not one more");
	js_ast_done(&ast);
	ok(range && js_node_add_class(&ast, range, JS_RANGES_MAX + 1) == JS_NONE &&
		   js_node_add_class(&ast, range, JS_RANGES_MAX) == 0,
	   "%d ranges, not one more", JS_RANGES_MAX);
	ok(js_node_add_class(&ast, range, 1) == JS_NONE, "nor of all classes together");
	js_ast_done(&ast);
}

/* A chain of equal hashes ends before the index is full: at half of it. */
static void test_reaches(void)
{
	enum { REACHES_MAX = 1 << 17 };
	struct table_maker m;
	struct err err;
	struct reach r = {0};
	bool right = table_maker_init(&m, 1, &err) == 0;

	for (uint32_t i = 0; i < REACHES_MAX && right; i++) {
		r.min = i;
		right = table_add_reach(&m, &r) == i;
	}
	r.min = REACHES_MAX / 2;
	ok(right && table_add_reach(&m, &r) == REACHES_MAX / 2 && !m.failed, "%d reaches",
	   REACHES_MAX);
	r.min = REACHES_MAX;
	table_add_reach(&m, &r);
	ok(m.failed, "one more fails");
	table_maker_done(&m);
}

static void test_slots(void)
{
	struct table_maker m;
	struct err err;
	bool good = table_maker_init(&m, 1, &err) == 0;

	for (size_t i = 0; i < TABLE_ENTRIES_MAX; i++)
		table_add_slot(&m, (struct table_slot){0});
	ok(good && !m.failed && m.slots.count == TABLE_ENTRIES_MAX, "%d slots", TABLE_ENTRIES_MAX);
	table_add_slot(&m, (struct table_slot){0});
	struct table t = {0};
	ok(m.failed && table_make(&m, &t, &err) < 0, "one more fails");
	table_maker_done(&m);
}

/* Three are used already: number 0, the one after the last, and the end of the last word. */
static bool makes_letters(size_t count)
{
	struct table_maker m;
	struct table t = {0};
	struct err err;
	struct str str = {.len = STR_MAX};
	bool made = table_maker_init(&m, 1, &err) == 0;

	memset(str.byte, 'a', STR_MAX);
	for (size_t left = count - 3; left && made; left -= str.len) {
		str.len = (uint8_t)(left < STR_MAX ? left : STR_MAX);
		table_add_word(&m, &str, (struct table_entry){0});
		made = !m.failed;
	}
	made = made && table_make(&m, &t, &err) == 0;
	table_maker_done(&m);
	table_done(&t);
	return made;
}

static void test_fold(void)
{
	struct folded f = {0};
	struct err err = {0};

	/* The text is not read; a real one would need all of the memory. */
	ok(fold_text(&f, "", FOLD_TEXT_MAX + 1, true, &err) < 0 && err.code == ERR_LIMIT, "%s",
	   err.message);
}

/* 1.000... of LEN bytes. */
static enum node_kind kind_of_digits(size_t len)
{
	char digits[512] = "1.";
	struct node n = {0};

	memset(digits + 2, '0', len - 2);
	digits[len] = '\0';
	scalar_resolve((struct text){digits, len}, &n);
	return n.kind;
}

static void test_kept(void)
{
	static const uint8_t key[CACHE_FILE_KEY];
	struct pack pack = {0};
	struct err why = {0}, err = {0};

	scratch_file("kept", "", 0600);
	scratch_dir("rules");
	scratch_must(truncate("kept", TREE_CACHE_MAX) == 0, "kept");
	ok(tree_cache_load(&pack, "rules", "kept", key, &(struct pack_options){0}, &why, &err) ==
			   1 &&
		   !strstr(why.message, "268435456 bytes"),
	   "a file of %lu bytes is read: %s", TREE_CACHE_MAX, why.message);
	scratch_must(truncate("kept", TREE_CACHE_MAX + 1) == 0, "kept");
	ok(tree_cache_load(&pack, "rules", "kept", key, &(struct pack_options){0}, &why, &err) ==
			   1 &&
		   strstr(why.message, "268435457 bytes"),
	   "one more is not: %s", why.message);
	pack_done(&pack);
}

static size_t sessions_of(size_t count, size_t markc)
{
	struct session_event e = {0};
	struct err err;
	struct sessions *all = sessions_new(NULL, &err);
	AUTO_FREE uint32_t *mark = calloc(markc + 1, sizeof(*mark));
	char name[24];

	scratch_must(all && mark, "memory");
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%zu", i);
		scratch_must(session_record(all, name, &e, mark, markc, &err) == 0, "a session");
	}
	count = sessions_count(all);
	sessions_free(all);
	return count;
}

static void test_sessions(void)
{
	enum { MIB = 1 << 20, MOST = SESSION_BYTES_MAX / MIB };

	ok(sessions_of(SESSIONS_MAX, 0) == SESSIONS_MAX &&
		   sessions_of(SESSIONS_MAX + 1, 0) == SESSIONS_MAX,
	   "%d sessions", SESSIONS_MAX);
	/* Each takes its marks and some bytes more. */
	ok(sessions_of(MOST - 1, MIB / 4) == MOST - 1 && sessions_of(MOST, MIB / 4) == MOST - 1,
	   "%d of a megabyte", MOST - 1);
}

/* U+FFFD in place of each byte gives the longest text; normalising some characters makes it
 * longer. Each takes two seconds. */
static void test_grown(void)
{
	static const char grows[] = "\xef\xb7\xba";
	AUTO_FREE char *text = malloc(NORMAL_TEXT_MAX);

	for (int more = getenv("TEST_MORE") ? 0 : 1; text && more < 2; more++) {
		struct scan_text raw = {0}, t = {0};
		struct err err;
		memset(text, 0xff, NORMAL_TEXT_MAX);
		if (more)
			memcpy(text, grows, strlen(grows));
		bool read = normal_decode(text, NORMAL_TEXT_MAX, &raw, &err) == 0;
		int result = normal_fold(&raw, &t, &err);
		ok(read && (more ? result < 0 && err.code == ERR_LIMIT
				 : result == 0 && t.len == NORMAL_GROWN_MAX),
		   more ? "a longer normalised text is refused" : "the longest normalised text");
		normal_done(&t);
		normal_done(&raw);
	}
}

int main(void)
{
	const char *dir = scratch_enter();

	test_strs();
	test_sets();
	test_ast();
	test_reaches();
	test_slots();
	ok(makes_letters(TABLE_NODES_MAX), "%d letters of all words", TABLE_NODES_MAX);
	ok(!makes_letters(TABLE_NODES_MAX + 1), "not one more");
	test_fold();
	ok(kind_of_digits(400) == NODE_FLOAT && kind_of_digits(401) == NODE_STRING,
	   "a number of 400 digits");
	test_kept();
	test_sessions();
	test_grown();
	scratch_leave(dir);
	return tap_done();
}
