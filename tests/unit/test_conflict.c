/* SPDX-License-Identifier: MIT
 *
 * Two at work on one directory: the program on its copy, somebody else on the directory itself.
 * Each row is what the other did during the run; what he did must still be there afterwards, and
 * a commit that cannot keep it must not happen at all. What does not collide goes through.
 */
#include "flow/conflict.h"

#include <errno.h>
#include <sys/xattr.h>

#include "commit_case.h"
#include "tap.h"

/* Somebody else at work on "old", "dir" and what is in it while the program ran. */
static void edit_old(void)
{
	scratch_file("ws/old", "mine", 0644);
}

/* The same length, and a modification time that says it is old. */
static void edit_old_unseen(void)
{
	struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};

	scratch_file("ws/old", "abc", 0644);
	scratch_must(utimensat(AT_FDCWD, "ws/old", times, 0) == 0, "old times");
}

static void replace_old(void)
{
	scratch_file("outside/other", "mine", 0644);
	scratch_must(rename("outside/other", "ws/old") == 0, "replacing");
}

static void remove_old(void)
{
	scratch_must(unlink("ws/old") == 0, "removing");
}

static void make_new(void)
{
	scratch_file("ws/new", "mine", 0644);
}

static void edit_below(void)
{
	scratch_file("ws/dir/kept", "mine", 0644);
}

static void add_below(void)
{
	scratch_file("ws/dir/mine", "mine", 0644);
}

static void close_dir(void)
{
	scratch_must(chmod("ws/dir", 0700) == 0, "closing");
}

static void remove_dir(void)
{
	scratch_must(unlink("ws/dir/kept") == 0 && rmdir("ws/dir") == 0, "removing");
}

static void link_dir(void)
{
	remove_dir();
	scratch_must(symlink("../outside", "ws/dir") == 0, "linking");
}

static void do_nothing(void)
{
}

struct race {
	const char *what;
	void (*meanwhile)(void);
	const char *path;
	enum change_kind change;
	enum change_type type;
	bool opaque, conflict;
};

static const struct race races[] = {
	{"nobody else", do_nothing, "old", CHANGE_MODIFIED, TYPE_FILE, false, false},
	{"another edited it", edit_old, "old", CHANGE_MODIFIED, TYPE_FILE, false, true},
	{"an edit with old times", edit_old_unseen, "old", CHANGE_MODIFIED, TYPE_FILE, false, true},
	{"another replaced it", replace_old, "old", CHANGE_MODIFIED, TYPE_FILE, false, true},
	{"another deleted it", remove_old, "old", CHANGE_ADDED, TYPE_FILE, false, true},
	{"another edited what is deleted", edit_old, "old", CHANGE_DELETED, TYPE_FILE, false, true},
	{"a renamed copy", do_nothing, "renamed", CHANGE_ADDED, TYPE_FILE, false, false},
	{"both deleted it", remove_old, "old", CHANGE_DELETED, TYPE_FILE, false, false},
	{"both made it", make_new, "new", CHANGE_MODIFIED, TYPE_FILE, false, true},
	{"another made a neighbour", make_new, "old", CHANGE_MODIFIED, TYPE_FILE, false, false},
	{"an edit in a deleted directory", edit_below, "dir", CHANGE_DELETED, TYPE_DIR, false,
	 true},
	{"a file in a deleted directory", add_below, "dir", CHANGE_DELETED, TYPE_DIR, false, true},
	{"an edit in a replaced directory", edit_below, "dir", CHANGE_MODIFIED, TYPE_DIR, true,
	 true},
	{"an edit in what is a file now", edit_below, "dir", CHANGE_MODIFIED, TYPE_FILE, false,
	 true},
	{"an untouched directory is deleted", edit_old, "dir", CHANGE_DELETED, TYPE_DIR, false,
	 false},
	{"a neighbour in the directory", add_below, "dir", CHANGE_MODIFIED, TYPE_DIR, false, false},
	{"a neighbour of a file in it", add_below, "dir/in", CHANGE_ADDED, TYPE_FILE, false, false},
	{"two modes of a directory", close_dir, "dir", CHANGE_MODIFIED, TYPE_DIR, false, true},
	{"the directory is gone", remove_dir, "dir/in", CHANGE_ADDED, TYPE_FILE, false, true},
	{"the directory is a link", link_dir, "dir/in", CHANGE_ADDED, TYPE_FILE, false, true},
};

/* What the program left, as the overlay would keep it. */
static bool make_upper(const struct race *race)
{
	char path[64];

	prepare();
	scratch_file("upper/beside", "beside", 0644);
	snprintf(path, sizeof(path), "upper/%s", race->path);
	if (race->change == CHANGE_DELETED)
		return true;
	if (strncmp(race->path, "dir/", 4) == 0)
		scratch_dir("upper/dir");
	if (race->type == TYPE_DIR) {
		scratch_dir(path);
		return true;
	}
	scratch_file(path, "the program's", 0644);
	/* In a new place or not: a copy of one from below. */
	return race->change != CHANGE_ADDED || strncmp(race->path, "dir/", 4) == 0 ||
	       setxattr(path, "user.overlay.origin", "", 0, 0) == 0;
}

static void test_conflicts(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(races); i++) {
		const struct race *race = &races[i];
		struct err err;
		if (!make_upper(race)) {
			ok(errno == ENOTSUP, "%s: no marks here before Linux 6.6", race->what);
			continue;
		}
		struct result *r = begin();
		file_change(r, "beside", 0644);
		add(r, race->path, strlen(race->path), race->change, race->type, 0755,
		    race->opaque);
		race->meanwhile();
		bool done = commit(r, &err) == 0, noted = r->changes[1].note != NULL;
		if (!ok(done == !race->conflict && noted == race->conflict &&
				r->committed == done && scratch_exists("ws/beside") == done &&
				(done || err.code == ERR_CONFLICT),
			"%s: %s", race->what,
			race->conflict ? "nothing is committed" : "all is committed"))
			printf("# %s; %s\n", err.message, err.cause);
		ok(!race->conflict || !scratch_exists("ws/old") ||
			   strcmp(scratch_text("ws/old"), "the program's") != 0,
		   "%s: the other's work is there", race->what);
		result_done(r);
	}
}

static void test_clock(void)
{
	struct result *r;
	struct err err;

	r = begin_with_new();
	mark.boot_ns -= 60000000000U;
	ok(commit(r, &err) == -1 && err.code == ERR_CONFLICT && !scratch_exists("ws/new"),
	   "a clock that was set back: nothing is committed");
	result_done(r);
}

int main(void)
{
	const char *dir = scratch_enter();

	test_conflicts();
	test_clock();
	scratch_leave(dir);
	return tap_done();
}
