/* SPDX-License-Identifier: MIT
 *
 * Writing back what hostile code left in an overlay's upper directory. Each case prepares the two
 * directories, names one change as cordon-box would, commits, and looks at the effect: nothing
 * may land outside the workspace, and no link, device or set-id bit may come through.
 */
#include "flow/commit.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/sysmacros.h>

#include "commit_case.h"

static unsigned mode_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 ? st.st_mode & 07777U : 0xffffU;
}

static void test_plain(void)
{
	struct result *r;
	struct err err;

	prepare();
	scratch_file("upper/new", "new", 0644);
	scratch_file("upper/old", "changed", 0600);
	scratch_dir("upper/made");
	scratch_dir("upper/made/in");
	scratch_file("upper/made/in/file", "deep", 0644);
	r = begin();
	file_change(r, "new", 0640);
	add(r, "old", 3, CHANGE_MODIFIED, TYPE_FILE, 0600, false);
	add(r, "made", 4, CHANGE_ADDED, TYPE_DIR, 0750, false);
	add(r, "made/in", 7, CHANGE_ADDED, TYPE_DIR, 0755, false);
	file_change(r, "made/in/file", 0644);
	ok(commit(r, &err) == 0 && r->committed, "ordinary changes are committed: %s", err.message);
	ok(!strcmp(scratch_text("ws/new"), "new") && mode_of("ws/new") == 0640, "a new file");
	ok(!strcmp(scratch_text("ws/old"), "changed") && mode_of("ws/old") == 0600,
	   "a changed file");
	ok(mode_of("ws/made") == 0750, "a new directory with its mode");
	ok(!strcmp(scratch_text("ws/made/in/file"), "deep"), "a file in it");
	ok(!scratch_exists("ws/.cordon-commit.tmp"), "no temporary file stays");
	result_done(r);
}

static void test_deletions(void)
{
	struct result *r;
	struct err err;

	prepare();
	r = begin();
	add(r, "old", 3, CHANGE_DELETED, TYPE_FILE, 0, false);
	add(r, "dir", 3, CHANGE_DELETED, TYPE_DIR, 0, false);
	add(r, "link", 4, CHANGE_DELETED, TYPE_LINK, 0, false);
	ok(commit(r, &err) == 0, "deletions are committed: %s", err.message);
	ok(!scratch_exists("ws/old") && !scratch_exists("ws/dir"),
	   "a file and a directory are gone");
	ok(!scratch_exists("ws/link") && scratch_exists("outside/file"),
	   "a link is gone, its target not");
	result_done(r);
}

static void test_replaced(void)
{
	struct result *r;
	struct err err;

	prepare();
	scratch_file("upper/dir", "now a file", 0644);
	scratch_dir("upper/old");
	scratch_file("upper/old/in", "in", 0644);
	scratch_dir("upper/link");
	scratch_file("upper/link/file", "mine", 0644);
	r = begin();
	add(r, "dir", 3, CHANGE_MODIFIED, TYPE_FILE, 0644, false);
	add(r, "old", 3, CHANGE_MODIFIED, TYPE_DIR, 0755, false);
	file_change(r, "old/in", 0644);
	add(r, "link", 4, CHANGE_MODIFIED, TYPE_DIR, 0755, false);
	file_change(r, "link/file", 0644);
	ok(commit(r, &err) == 0, "things become other things: %s", err.message);
	ok(!strcmp(scratch_text("ws/dir"), "now a file"), "a directory becomes a file");
	ok(!strcmp(scratch_text("ws/old/in"), "in"), "a file becomes a directory");
	ok(!strcmp(scratch_text("ws/link/file"), "mine"), "a link becomes a directory");
	ok(!strcmp(scratch_text("outside/file"), "outside"), "what it pointed to is as it was");
	result_done(r);
	prepare();
	scratch_dir("upper/dir");
	r = begin();
	add(r, "dir", 3, CHANGE_MODIFIED, TYPE_DIR, 0755, true);
	ok(commit(r, &err) == 0 && scratch_exists("ws/dir") && !scratch_exists("ws/dir/kept"),
	   "an opaque directory replaces the old one");
	result_done(r);
}

/* The directory is a mask's, whatever the box says has changed there. */
static void test_own(void)
{
	static const struct {
		const char *path;
		enum change_kind change;
		enum change_type type;
		bool opaque, kept;
	} cases[] = {{"dir/own/key", CHANGE_ADDED, TYPE_FILE, false, false},
		     {"dir/own", CHANGE_MODIFIED, TYPE_DIR, false, false},
		     {"dir/own", CHANGE_DELETED, TYPE_DIR, false, false},
		     {"dir", CHANGE_DELETED, TYPE_DIR, false, false},
		     {"dir", CHANGE_MODIFIED, TYPE_FILE, false, false},
		     {"dir", CHANGE_MODIFIED, TYPE_DIR, true, false},
		     {"dir", CHANGE_MODIFIED, TYPE_DIR, false, false},
		     {"dir/owner", CHANGE_ADDED, TYPE_FILE, false, true},
		     {"d", CHANGE_ADDED, TYPE_FILE, false, true}};
	struct err err;

	spec.mask[spec.maskc++] = (struct spec_mask){"/usr/dir", {1, 2, 0}};
	spec.mask[spec.maskc++] = (struct spec_mask){"/workspace/dir/own", {1, 2, 0}};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		prepare();
		scratch_must(system("mkdir -p ws/dir/own upper/dir/own; echo key >ws/dir/own/key; "
				    "echo forged >upper/dir/own/key; echo x >upper/dir/owner; "
				    "echo x >upper/d") == 0,
			     "an own directory");
		struct result *r = begin();
		add(r, cases[i].path, strlen(cases[i].path), cases[i].change, cases[i].type, 0755,
		    cases[i].opaque);
		ok(commit(r, &err) == 0 && !r->changes[0].note == cases[i].kept &&
			   !strcmp(scratch_text("ws/dir/own/key"), "key\n"),
		   "%s beside a mask, change %d: %s", cases[i].path, cases[i].change,
		   r->changes[0].note ? r->changes[0].note : "committed");
		result_done(r);
	}
	spec.maskc = 0;
}

/* The directory is closed before what is in it is written: an ordinary user could not, then. */
static void test_closed_directory(void)
{
	static const unsigned modes[] = {0555, 0500, 0};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct result *r;
		struct err err;
		prepare();
		scratch_dir("upper/ro");
		scratch_file("upper/ro/file", "in", 0444);
		r = begin();
		add(r, "ro", 2, CHANGE_ADDED, TYPE_DIR, modes[i], false);
		file_change(r, "ro/file", 0444);
		ok(commit(r, &err) == 0, "a directory of mode %03o with a file: %s", modes[i],
		   err.message);
		ok(mode_of("ws/ro") == modes[i], "it has mode %03o at the end", modes[i]);
		result_done(r);
	}
}

static void test_bits(void)
{
	struct result *r;
	struct err err;

	prepare();
	scratch_file("upper/suid", "x", 0755);
	scratch_file("upper/sgid", "x", 0755);
	scratch_dir("upper/sticky");
	r = begin();
	file_change(r, "suid", 04755);
	file_change(r, "sgid", 02755);
	add(r, "sticky", 6, CHANGE_ADDED, TYPE_DIR, 07777, false);
	ok(commit(r, &err) == 0, "set-id files are committed: %s", err.message);
	ok(mode_of("ws/suid") == 0755 && mode_of("ws/sgid") == 0755, "without their set-id bits");
	ok((mode_of("ws/sticky") & 07000) == 0, "a directory neither");
	result_done(r);
}

static void test_odd_paths(void)
{
	static const struct {
		const char *path;
		size_t len;
	} odd[] = {{"../outside/x", 12},
		   {"/tmp/x", 6},
		   {"dir/../../outside/x", 19},
		   {"..", 2},
		   {".", 1},
		   {"dir/./x", 7},
		   {"dir//x", 6},
		   {"dir/..", 6},
		   {"a\0b", 3},
		   {"/", 1}};

	prepare();
	scratch_file("upper/x", "x", 0644);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		refused(odd[i].path, odd[i].len, CHANGE_ADDED, TYPE_FILE);
	refused("../outside/file", 15, CHANGE_DELETED, TYPE_FILE);
	refused("../outside", 10, CHANGE_ADDED, TYPE_DIR);
	ok(scratch_exists("outside/file") && !scratch_exists("outside/x"),
	   "nothing happened outside");
}

static void test_types(void)
{
	prepare();
	scratch_must(symlink("../outside/file", "upper/evil") == 0, "evil");
	refused("evil", 4, CHANGE_ADDED, TYPE_LINK);
	refused("dir/evil", 8, CHANGE_MODIFIED, TYPE_LINK);
	refused("device", 6, CHANGE_ADDED, TYPE_OTHER);
	ok(!scratch_exists("ws/evil") && !scratch_exists("ws/device"), "no link or device arrived");
}

/* A commit that fails: it says so, and nothing outside was touched. */
static void fails(const char *what, struct result *r)
{
	struct err err;

	ok(commit(r, &err) == -1 && !r->committed && err.message[0], "%s is an error", what);
	ok(!strcmp(scratch_text("outside/file"), "outside") && !scratch_exists("outside/new"),
	   "%s: nothing happened outside", what);
	result_done(r);
}

static void test_links(void)
{
	struct result *r;

	prepare();
	scratch_file("upper/new", "x", 0644);
	r = begin();
	file_change(r, "link/new", 0644);
	fails("a link as a parent in the workspace", r);
	prepare();
	r = begin();
	add(r, "link/file", 9, CHANGE_DELETED, TYPE_FILE, 0, false);
	fails("a deletion through a link", r);
	prepare();
	r = begin();
	add(r, "link/new", 8, CHANGE_ADDED, TYPE_DIR, 0755, false);
	fails("a directory through a link", r);
	prepare();
	scratch_must(symlink("../outside/file", "upper/lie") == 0, "lie");
	r = begin();
	file_change(r, "lie", 0644);
	fails("a link that is told as a file", r);
	ok(!scratch_exists("ws/lie"), "and its target's content did not arrive");
	prepare();
	scratch_must(symlink("../outside", "upper/made") == 0, "made");
	r = begin();
	add(r, "made", 4, CHANGE_ADDED, TYPE_DIR, 0755, false);
	file_change(r, "made/file", 0644);
	fails("a link as a parent in the upper directory", r);
	prepare();
	scratch_must(mkfifo("upper/fifo", 0644) == 0, "fifo");
	r = begin();
	file_change(r, "fifo", 0644);
	fails("a fifo that is told as a file", r);
}

static void test_temporary(void)
{
	struct result *r;
	struct err err;

	prepare();
	scratch_must(symlink("../outside/file", "ws/.cordon-commit.tmp") == 0, "planted");
	scratch_file("upper/new", "new", 0644);
	r = begin();
	file_change(r, "new", 0644);
	ok(commit(r, &err) == 0 && !strcmp(scratch_text("ws/new"), "new") &&
		   !strcmp(scratch_text("outside/file"), "outside"),
	   "a link planted in the temporary file's place is not followed");
	result_done(r);
	/* An unchanged link in the workspace: the name is replaced, not what it points to. */
	prepare();
	scratch_file("upper/link", "new", 0644);
	r = begin();
	add(r, "link", 4, CHANGE_MODIFIED, TYPE_FILE, 0644, false);
	ok(commit(r, &err) == 0 && !strcmp(scratch_text("ws/link"), "new") &&
		   scratch_exists("outside/file"),
	   "a file replaces a link, not its target");
	result_done(r);
}

static void test_all_or_nothing(void)
{
	struct result *r;
	struct err err;

	prepare();
	scratch_file("upper/new", "x", 0644);
	r = begin();
	file_change(r, "new", 0644);
	r->changes_cut = true;
	ok(commit(r, &err) == -1 && err.code == ERR_LIMIT && !scratch_exists("ws/new"),
	   "a list that was cut is not committed");
	result_done(r);
	result_init(r);
	ok(commit(r, &err) == -1, "nor changes that did not come out of the box");
	result_done(r);
}

/* What was refused was not written. */
static void test_half(void)
{
	struct result *r;
	struct err err;

	prepare();
	scratch_file("upper/new", "new", 0644);
	scratch_must(symlink("../outside/file", "upper/lie") == 0, "lie");
	r = begin();
	file_change(r, ".bashrc", 0644);
	file_change(r, ".envrc", 0644);
	file_change(r, "new", 0644);
	file_change(r, "lie", 0644);
	ok(commit(r, &err) == -1 && strstr(err.cause, "before it: 1;"),
	   "a commit that fails half-way counts what it wrote: %s", err.cause);
	result_done(r);
}

static void test_lock(void)
{
	AUTO_CLOSE int other = -1;
	struct result *r;
	struct err err;

	prepare();
	scratch_file("upper/new", "new", 0644);
	other = open("ws", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scratch_must(flock(other, LOCK_EX) == 0, "another commit");
	r = begin();
	file_change(r, "new", 0644);
	ok(commit(r, &err) == -1 && !r->committed && !scratch_exists("ws/new") &&
		   strstr(err.message, "another run"),
	   "while another run commits, this one does not: %s", err.message);
	scope_close(&other);
	ok(commit(r, &err) == 0 && scratch_exists("ws/new"), "when it is done, this one does");
	result_done(r);
}

/* The names that a commit of one file made in the workspace, as the kernel saw them. */
static void watch_commit(char *ret, size_t size)
{
	AUTO_CLOSE int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	union {
		struct inotify_event event;
		char bytes[4096];
	} seen;
	struct result *r;
	struct err err;

	r = begin_with_new();
	scratch_must(watch >= 0 && inotify_add_watch(watch, "ws", IN_CREATE) >= 0, "a watch");
	commit(r, &err);
	result_done(r);
	ssize_t n = read(watch, &seen, sizeof(seen));
	snprintf(ret, size, "%s", n > 0 && seen.event.len ? seen.event.name : "");
}

/* A name that can be foreseen can be planted: a link there, or a directory that stops us. */
static void test_names(void)
{
	char first[64], second[64];

	watch_commit(first, sizeof(first));
	watch_commit(second, sizeof(second));
	ok(!strncmp(first, ".cordon-commit-", 15) && strlen(first) == 15 + 16,
	   "a file is written beside its place: %s", first);
	ok(strcmp(first, second) != 0, "under another name each time: %s", second);
}

int main(void)
{
	const char *dir = scratch_enter();

	test_plain();
	test_deletions();
	test_replaced();
	test_own();
	test_closed_directory();
	test_bits();
	test_odd_paths();
	test_types();
	test_links();
	test_temporary();
	test_all_or_nothing();
	test_half();
	test_lock();
	test_names();
	scratch_leave(dir);
	return tap_done();
}
