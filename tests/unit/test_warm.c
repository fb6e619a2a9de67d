/* SPDX-License-Identifier: MIT
 *
 * What is kept of rules so that they need not be read again: it is used when nothing has changed,
 * and then opening reads and decodes nothing; whatever has changed in the rules, the verdict is that
 * of the rules as they are.
 */
#include <pthread.h>

#include "warm_kit.h"

enum { THREADS = 4, ROUNDS = 50 };

static void test_nothing_is_read(void)
{
	struct packs set;
	struct stat st = {0}, db = {0};

	ok(is_cold(FOUND) && kept(".db") && !kept(".wm"),
	   "the first time the database is made, which is new");
	ok(is_cold(FOUND) && kept(".wm"), "the second time it is read, and something kept");
	stat(kept(".wm"), &st);
	stat(kept(".db"), &db);
	ok(open_it(&set) == 0 && set.warm.bytes, "the third time that is used");
	ok(lazy_made(&set.pack) == 0, "no rule was decoded");
	ok(db_decoded(set.db) == 0, "no pattern was decoded");
	ok(world.read == 0, "no file was read");
	ok(world.summed < (size_t)st.st_size && db.st_size > 0,
	   "only the kept file was summed, and not its rules: %zu bytes", world.summed);
	ok(set.pack.rulec == RULES && set.source[0].rules == RULES && set.pack.files == RULES &&
		   set.sourcec == 1,
	   "what is told of the rules is there");
	ok(strcmp(ask(&set, set.thread, "nothing of that"), "") == 0 && db_decoded(set.db) == 0 &&
		   lazy_made(&set.pack) == 0,
	   "a text without a literal needs none either");
	ok(strcmp(ask(&set, set.thread, TEXT), FOUND) == 0 && lazy_made(&set.pack) == 2 &&
		   db_decoded(set.db) == 3,
	   "one with three literals and two matches: %zu patterns, %zu rules", db_decoded(set.db),
	   lazy_made(&set.pack));
	const struct rule *rule = pack_find(&set.pack, "ATR-2026-00007");
	ok(rule && pack_rule(&set.pack, rule->order) == rule, "a rule is found by its id");
	ok(rule && strcmp(rule->file, "p/r0007.yaml") == 0 && !rule->test_cases &&
		   node_get(rule->root, "description"),
	   "with its file and document, but for its tests");
	ok(!pack_find(&set.pack, "ATR-2026-99999"), "and another is not");
	packs_done(&set);
}

static void test_options(void)
{
	struct engine_options other = {.mode = DETECT_REFERENCE};
	struct engine *engine = NULL;
	struct engine_thread *t = NULL;
	struct err err = {0};
	struct packs set;

	ok(open_with(&set, &other, false) == 0 && !set.warm.bytes,
	   "what is kept for one kind of engine is not used for another");
	packs_done(&set);
	ok(open_with(&set, &other, false) == 0 && set.warm.bytes, "which has its own");
	ok(packs_engine(&set, &other, &engine, &t, &err) == 0, "a second engine of the same kind");
	engine_thread_free(t);
	engine_free(engine);
	other.mode = DETECT_STRICT;
	ok(packs_engine(&set, &other, &engine, &t, &err) < 0 && err.message[0],
	   "but not of another: %s", err.message);
	packs_done(&set);
	ok(is_warm(), "the first is still there");
}

static bool key_of(bool warm, uint8_t ret[PACKS_KEY])
{
	struct packs set;
	struct err err = {0};
	bool is_made = open_it(&set) == 0 && packs_key(&set, ret, &err) == 0 &&
		       (set.warm.bytes != NULL) == warm;

	packs_done(&set);
	return is_made;
}

/* What the log says of the rules: all that decides, and nothing of how they were read. */
static void test_key(void)
{
	uint8_t cold[PACKS_KEY], warm[PACKS_KEY], other[PACKS_KEY];

	clear_cache();
	ok(key_of(false, cold) && warms_up(FOUND) && key_of(true, warm) &&
		   memcmp(cold, warm, PACKS_KEY) == 0,
	   "rules have one key, however they were read");
	rule_file("p/r0003.yaml", 3, "word", "x: 1\n");
	ok(key_of(false, other) && memcmp(cold, other, PACKS_KEY) != 0,
	   "rules that say something else have another, with the same patterns");
	rule_file("p/r0003.yaml", 3, "word", "");
	ok(key_of(false, other) && memcmp(cold, other, PACKS_KEY) == 0,
	   "and those again have the first");
	ok(warms_up(FOUND), "all is as it was");
}

/* Each changes one thing; then the rules are what they are now, and later that is kept. */
static void edit_in_place(void)
{
	struct stat st;
	int fd = open("p/r0003.yaml", O_RDWR | O_CLOEXEC);
	char text[2048] = "";

	scratch_must(fd >= 0 && fstat(fd, &st) == 0 && read(fd, text, sizeof(text) - 1) > 0, "r");
	char *at = strstr(text, "word0003");
	scratch_must(at && pwrite(fd, "wxrd", 4, at - text) == 4, "writing a rule");
	struct timespec times[] = {st.st_atim, st.st_mtim};
	scratch_must(futimens(fd, times) == 0 && close(fd) == 0, "putting its time back");
}

static void replace(void)
{
	rule_file("new", 3, "wyrd", "");
	scratch_must(rename("new", "p/r0003.yaml") == 0, "rename");
}

static void put_back(void)
{
	rule_file("p/r0003.yaml", 3, "word", "");
}

static void add_rule(void)
{
	rule_file("p/sub/z.yaml", 98, "other", "");
}

static void make_it_find(void)
{
	rule_file("p/sub/z.yaml", 98, "a word0003|other", "");
}

static void remove_rule(void)
{
	scratch_must(unlink("p/sub/z.yaml") == 0, "unlink");
}

static void add_directory(void)
{
	scratch_dir("p/other");
	rule_file("p/other/z.yaml", 97, "a word0003|other", "");
}

static void remove_directory(void)
{
	scratch_must(unlink("p/other/z.yaml") == 0 && rmdir("p/other") == 0, "rmdir");
}

static void swap_directories(void)
{
	scratch_must(system("cp -pr p q && rm -r p && mv q p") == 0, "a copy with the same times");
}

static const struct {
	const char *what;
	void (*change)(void);
	const char *expected;
} changes[] = {
	{"a rule is edited in place, and its time put back", edit_in_place, "04 "},
	{"a rule is replaced by another file of that length", replace, "04 "},
	{"it is written anew", put_back, FOUND},
	{"there is one more rule", add_rule, FOUND},
	{"which is edited", make_it_find, "03 04 98 "},
	{"and removed", remove_rule, FOUND},
	{"there is one more directory", add_directory, "97 03 04 "},
	{"which is removed", remove_directory, FOUND},
	{"everything is a copy", swap_directories, FOUND},
};

static void test_changes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		tick();
		changes[i].change();
		ok(is_cold(changes[i].expected), "%s: the rules are read", changes[i].what);
		ok(warms_up(changes[i].expected), "and then kept again");
	}
	world.boot = "two";
	ok(is_cold(FOUND) && is_warm(), "the machine was started since: once more");
	world.boot = "";
	ok(is_cold(FOUND) && is_cold(FOUND), "without the id of the boot it is never used");
	world.boot = "two";
	ok(is_warm(), "what was kept is still good");
}

/* A change within a clock's tick of the last one may leave the same stamp. */
static void test_ticks(void)
{
	clear_cache();
	world.later = 0;
	put_back();
	ok(is_cold(FOUND) && is_cold(FOUND) && is_cold(FOUND) && !kept(".wm"),
	   "a rule was changed just now: nothing is kept");
	world.later = LATER;
	ok(is_cold(FOUND) && kept(".wm") && is_warm(), "until it has settled");
	clear_cache();
	world.later = -LATER;
	ok(is_cold(FOUND) && is_cold(FOUND) && !kept(".wm"), "nor when it is of tomorrow");
	world.later = LATER;
	ok(warms_up(FOUND), "and so again");
}

static void test_not_kept(void)
{
	struct packs set;
	struct engine_options engine = {0};

	tick();
	scratch_must(symlink("nowhere", "p/link") == 0, "symlink");
	ok(is_cold(FOUND) && is_cold(FOUND), "a link that may come to lead somewhere");
	tick();
	scratch_must(unlink("p/link") == 0 && symlink("sub", "p/sub2") == 0, "symlink");
	ok(is_cold(FOUND) && is_cold(FOUND), "rules that are there twice are left out, and told");
	tick();
	scratch_must(unlink("p/sub2") == 0, "unlink");
	tick();
	rule_file("p/r0099.yaml", 99, "(", "");
	scratch_file("p/broken.yaml", "a: [", 0644);
	ok(is_cold(FOUND) && is_cold(FOUND), "a file that is no rule has to be told each time");
	tick();
	scratch_must(unlink("p/broken.yaml") == 0, "unlink");
	ok(warms_up(FOUND), "a pattern that is no expression is kept");
	ok(open_it(&set) == 0 && set.refused == 1 && set.first_refused.message[0], "and told: %s",
	   set.first_refused.message);
	packs_done(&set);
	tick();
	rule_file("p/r0099.yaml", 99, "x", "");
	tick();
	scratch_must(system("sed -i 's/model-abuse/no-such/' p/r0099.yaml") == 0, "sed");
	ok(warms_up(FOUND), "a rule that is only warned of is kept");
	ok(open_with(&set, &engine, true) == 0 && !set.warm.bytes && set.pack.warnings,
	   "but not used by a caller that wants warnings");
	packs_done(&set);
	ok(open_with(&set, &engine, false) == 0 && set.warm.bytes && set.pack.warnings,
	   "others are told how many there were");
	packs_done(&set);
	tick();
	scratch_must(unlink("p/r0099.yaml") == 0, "unlink");
	ok(warms_up(FOUND), "and so again");
}

struct job {
	const struct packs *set;
	struct engine *engine;
	struct engine_thread *thread;
	size_t wrong;
};

static void *work(void *context)
{
	struct job *job = context;

	for (int i = 0; i < ROUNDS; i++) {
		char text[64], expected[16];
		snprintf(text, sizeof(text), "a word%04d x", i % RULES);
		snprintf(expected, sizeof(expected), "%02d ", i % RULES);
		job->wrong += strcmp(ask(job->set, job->thread, text), expected) != 0;
	}
	return NULL;
}

static void test_threads(void)
{
	struct engine_options options = {0};
	struct job job[THREADS] = {0};
	pthread_t thread[THREADS];
	struct err err = {0};
	struct packs set;
	size_t wrong = 0;

	ok(open_it(&set) == 0 && set.warm.bytes, "one set for many threads");
	for (int i = 0; i < THREADS; i++) {
		job[i].set = &set;
		scratch_must(packs_engine(&set, &options, &job[i].engine, &job[i].thread, &err) ==
				     0,
			     err.message);
	}
	for (int i = 0; i < THREADS; i++)
		scratch_must(pthread_create(&thread[i], NULL, work, &job[i]) == 0, "a thread");
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		wrong += job[i].wrong;
		engine_thread_free(job[i].thread);
		engine_free(job[i].engine);
	}
	ok(!wrong && lazy_made(&set.pack) == RULES && db_decoded(set.db) == RULES,
	   "who asks at the same time gets the same, and each is decoded once");
	packs_done(&set);
}

int main(void)
{
	const char *dir = scratch_enter();

	make_pack();
	scratch_dir("cache");
	test_nothing_is_read();
	test_threads();
	test_options();
	test_key();
	clear_cache();
	ok(warms_up(FOUND), "and so again");
	test_changes();
	test_ticks();
	test_not_kept();
	scratch_leave(dir);
	return tap_done();
}
