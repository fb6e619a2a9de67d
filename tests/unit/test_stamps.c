/* SPDX-License-Identifier: MIT
 *
 * Stamps of a pack: what they stand for, what they refuse to stand for, and their maxima. They are
 * taken in a future in which everything has settled.
 */
#include "rule/stamps.h"

#include <time.h>

#include "base/scope.h"
#include "scratch.h"
#include "tap.h"

enum { NAME = 250, DEEP = 13 };

static int64_t later(void)
{
	return stamp_now() + 2 * STAMP_TICK_NS;
}

/* What changes now has another time than what changed before. */
static void tick(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* Can stamps stand for it? */
static bool is_taken(const char *path)
{
	struct stamps s = {0};
	struct err err = {0};
	bool taken = stamps_take(path, later(), &s, &err) == 0;

	if (taken)
		taken = stamps_are_sound(&s) && stamps_are_current(&s);
	else
		printf("# %s\n", err.message);
	stamps_done(&s);
	return taken;
}

static void test_stamp(void)
{
	struct stamp s = {.modified = 10 * STAMP_TICK_NS, .changed = 10 * STAMP_TICK_NS};
	char boot[STAMP_BOOT], again[STAMP_BOOT];

	ok(!stamp_is_settled(&s, 11 * STAMP_TICK_NS), "within a tick nothing is settled");
	ok(stamp_is_settled(&s, 11 * STAMP_TICK_NS + 1), "a moment later it is");
	s.changed += 2;
	ok(!stamp_is_settled(&s, 11 * STAMP_TICK_NS + 1), "both times count");
	s.changed = 20 * STAMP_TICK_NS;
	ok(!stamp_is_settled(&s, 12 * STAMP_TICK_NS), "one of tomorrow is not settled");
	stamp_boot(boot);
	stamp_boot(again);
	ok(strlen(boot) == 36 && strcmp(boot, again) == 0, "the machine's start has a name");
}

static void test_places(void)
{
	struct stamps s = {0};
	struct err err = {0};

	scratch_dir("a");
	scratch_dir("a/m");
	scratch_file("a/b.yaml", "x", 0644);
	scratch_file("a/z.yml", "x", 0644);
	scratch_file("a/m/c.yaml", "x", 0644);
	scratch_file("a/m/README", "x", 0644);
	scratch_dir("e");
	ok(stamps_take("a/", later(), &s, &err) == 0 && stamps_take("e", later(), &s, &err) == 0,
	   "two packs, one of them empty");
	ok(s.dirs == 3 && s.files == 3 && s.dir[0].count == 2 && s.dir[1].count == 1 &&
		   s.dir[2].count == 0,
	   "files stand with their directories");
	ok(strcmp(s.names + s.dir[1].path, "a/m") == 0 &&
		   strcmp(s.names + s.file[s.dir[1].first].name, "c.yaml") == 0 &&
		   strcmp(s.names + s.file[s.dir[0].first + 1].name, "z.yml") == 0,
	   "by name");
	ok(stamps_are_sound(&s) && stamps_are_current(&s), "and nothing has changed");
	tick();
	scratch_file("a/m/README", "other", 0644);
	ok(stamps_are_current(&s), "what is no rule may change");
	ok(chmod("a/m/c.yaml", 0600) == 0 && !stamps_are_current(&s), "a rule may not");
	struct stamps_dir dir = s.dir[1];
	s.dir[1].count = 3;
	ok(!stamps_are_sound(&s), "a directory with more files than there are is not sound");
	s.dir[1] = dir;
	s.file[0].name = (uint32_t)s.names_len;
	ok(!stamps_are_sound(&s), "nor a name that is not there");
	stamps_done(&s);
	ok(stamps_take("a", stamp_now(), &s, &err) < 0, "just now: %s", err.message);
	stamps_done(&s);
}

static void test_refused(void)
{
	ok(!is_taken("a/b.yaml"), "a single file");
	ok(!is_taken("nowhere"), "nothing at all");
	scratch_must(symlink("m", "a/n") == 0, "symlink");
	ok(is_taken("a"), "a link to a directory is a directory");
	scratch_must(symlink("b.yaml", "a/link.yaml") == 0, "symlink");
	ok(is_taken("a"), "a link to a rule is a rule");
	scratch_must(symlink("m/README", "a/text") == 0, "symlink");
	ok(!is_taken("a"), "a link to something else may become a directory");
	scratch_must(unlink("a/text") == 0 && symlink("gone", "a/text") == 0, "symlink");
	ok(!is_taken("a"), "so may a link to nothing");
	scratch_must(unlink("a/text") == 0 && is_taken("a"), "and so again");
	scratch_file("a/x.YAML", "x", 0644);
	ok(!is_taken("a"), "a name that is almost a rule's has to be told each time");
	scratch_must(unlink("a/x.YAML") == 0 && mkfifo("a/p.yaml", 0600) == 0, "mkfifo");
	ok(!is_taken("a"), "a pipe is no rule");
	scratch_must(unlink("a/p.yaml") == 0, "unlink");
}

static void test_maxima(void)
{
	char path[64];

	scratch_dir("d");
	for (int i = 0; i < STAMPS_DIRS_MAX; i++) {
		snprintf(path, sizeof(path), "d/%d", i);
		if (i)
			scratch_dir(path);
	}
	ok(is_taken("d"), "%d directories", STAMPS_DIRS_MAX);
	scratch_dir("d/more");
	ok(!is_taken("d"), "one more");
	scratch_dir("f");
	for (int i = 0; i < STAMPS_FILES_MAX; i++) {
		snprintf(path, sizeof(path), "f/%d.yaml", i);
		scratch_file(path, "", 0644);
	}
	ok(is_taken("f"), "%d files", STAMPS_FILES_MAX);
	scratch_file("f/more.yaml", "", 0644);
	ok(!is_taken("f"), "one more");
}

/* Names fill their room to the last byte: paths of directories that are long, then files. */
static void test_names(void)
{
	char name[NAME + 1], path[64];
	size_t used = 2, dirs = STAMPS_DIRS_MAX - DEEP - 1, deep = 1;

	memset(name, 'n', NAME);
	name[NAME] = '\0';
	scratch_must(system("mkdir n") == 0 && chdir("n") == 0, "n");
	for (int i = 0; i < DEEP; i++) {
		scratch_dir(name);
		scratch_must(chdir(name) == 0, "deeper");
		deep += 1 + NAME;
		used += deep + 1;
	}
	for (size_t i = 0; i < dirs; i++) {
		snprintf(path, sizeof(path), "%04zu", i);
		scratch_dir(path);
		used += deep + 1 + 4 + 1;
	}
	size_t left = STAMPS_NAMES_MAX - used;
	for (size_t i = 0; left > 0; i++) {
		size_t len = left > 2 * NAME ? NAME : left > NAME ? left / 2 : left;
		snprintf(name, sizeof(name), "%06zu%0*d", i, (int)len - 12, 0);
		memcpy(name + len - 6, ".yaml", 6);
		scratch_file(name, "", 0644);
		left -= len;
	}
	scratch_must(chdir("/") == 0 && chdir(getenv("STAMPS_TOP")) == 0, "back");
	ok(is_taken("n"), "%d bytes of names", STAMPS_NAMES_MAX);
	scratch_must(rename("n", "nn") == 0, "rename");
	ok(!is_taken("nn"), "one more in each path");
}

int main(void)
{
	const char *dir = scratch_enter();

	setenv("STAMPS_TOP", dir, 1);
	test_stamp();
	test_places();
	test_refused();
	test_maxima();
	test_names();
	scratch_leave(dir);
	return tap_done();
}
