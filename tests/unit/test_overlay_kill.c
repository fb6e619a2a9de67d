/* SPDX-License-Identifier: MIT
 *
 * A process that is killed at any step of saving and applying, and memory that runs out at any allocation.
 * Every call that changes a file is counted (tests/tests.mk); the process ends before the first of them,
 * before the second, and so on, until one comes to its end. The next process must find the old or the new.
 * Without TEST_MORE=1 only one in five calls and allocations is tried: each test begins with another one.
 */
#include "overlay/overlay.h"

#include <errno.h>
#include <sys/wait.h>

#include "overlay_case.h"
#include "tap.h"

enum { SHORT = 5 };

static size_t step, die_at, fail_at, stride = SHORT;

static void count(void)
{
	if (++step == die_at)
		_exit(42);
}

#define COUNTED(type, name, parameters, arguments)                                                 \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		count();                                                                           \
		return __real_##name arguments;                                                    \
	}

COUNTED(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d))
COUNTED(int, unlinkat, (int a, const char *b, int c), (a, b, c))
COUNTED(int, mkdirat, (int a, const char *b, mode_t c), (a, b, c))
COUNTED(int, mknodat, (int a, const char *b, mode_t c, dev_t d), (a, b, c, d))
COUNTED(int, linkat, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e))
COUNTED(int, symlinkat, (const char *a, int b, const char *c), (a, b, c))
COUNTED(int, fchmod, (int a, mode_t b), (a, b))
COUNTED(ssize_t, sendfile, (int a, int b, off_t *c, size_t d), (a, b, c, d))
COUNTED(int, io_write_all, (int a, const void *b, size_t c), (a, b, c))
COUNTED(int, fsetxattr, (int a, const char *b, const void *c, size_t d, int e), (a, b, c, d, e))
COUNTED(int, syncfs, (int a), (a))

static bool fails(void)
{
	if (!fail_at || --fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

#define FAILING(type, name, parameters, arguments)                                                 \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails() ? NULL : __real_##name arguments;                                   \
	}

FAILING(void *, malloc, (size_t a), (a))
FAILING(void *, calloc, (size_t a, size_t b), (a, b))
FAILING(void *, realloc, (void *a, size_t b), (a, b))

/* Runs WORK in a child that ends before step N. Returns false when it came to its end. */
static bool killed_at(size_t n, int (*work)(struct err *err), bool *ret_good)
{
	int status = 0;
	struct err err = {0};
	pid_t pid = fork();

	if (pid == 0) {
		step = 0;
		die_at = n;
		_exit(work(&err) == 0 ? 0 : 1);
	}
	scratch_must(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "waiting");
	*ret_good = WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 42;
	return WEXITSTATUS(status) == 42;
}

static int finish(struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;

	return open_overlay(&o, err);
}

/* The process that finishes is killed too, at some step. */
static bool killed_twice_at(size_t n, int (*work)(struct err *err), bool *ret_good)
{
	bool killed = killed_at(n, work, ret_good), good;

	killed_at(n % 37 + 1, finish, &good);
	*ret_good = *ret_good && good;
	return killed;
}

static int apply_all(struct err *err)
{
	return apply(NULL, err);
}

/* A first run, and a second that changes each kind over it. */
static void prepare_save(bool second)
{
	struct err err;

	prepare();
	shell("mkdir ws/become ws/gone; echo a >ws/become/a; echo a >ws/gone/a");
	shell("mkdir upper/gone upper/dir upper/todir; echo 1 >upper/new; echo 1 >upper/tofile");
	shell("echo 1 >upper/gone/b; echo 1 >upper/dir/a; echo 1 >upper/todir/x");
	scratch_must(save(&err) == 0, err.message);
	clear_upper();
	shell("mkdir -m 750 upper/dir; mkdir upper/dir/sub upper/tofile upper/tool");
	shell("echo 2 >upper/dir/a; echo 2 >upper/old; ln -s old upper/to; echo 2 >upper/todir");
	shell("echo 2 >upper/dir/sub/x; echo 2 >upper/tofile/y; echo 2 >upper/tool/x");
	shell("echo 2 >upper/become");
	opaque("upper/tool");
	opaque("upper/dir/sub");
	opaque("upper/tofile");
	whiteout("upper/gone");
	whiteout("upper/new");
	whiteout("upper/link");
	if (second)
		scratch_must(save(&err) == 0, err.message);
}

/* What the saved tree and the diff are, in words. */
static const char *picture(void)
{
	static char text[1 << 16];
	size_t len = (size_t)snprintf(text, 1 << 15, "%s\n", pending());
	FILE *f = popen(
		"cd state/overlays/*/*-* && find . ! -name base -printf '%P %y %m\\n' | sort; "
		"cat $(find . -type f ! -name base | sort)",
		"r");

	scratch_must(f, "find");
	text[len + fread(text + len, 1, sizeof(text) - len - 1, f)] = '\0';
	pclose(f);
	return text;
}

static void test_save(void)
{
	char old[1 << 16], new[1 << 16];
	size_t n = 1, tried = 0, olds = 0, news = 0;
	bool killed = true, good = true, all = true;

	prepare_save(false);
	snprintf(old, sizeof(old), "%s", picture());
	prepare_save(true);
	snprintf(new, sizeof(new), "%s", picture());
	for (; killed && all; n += stride) {
		prepare_save(false);
		killed = killed_twice_at(n, save, &good);
		const char *now = picture();
		olds += !strcmp(now, old);
		news += !strcmp(now, new);
		all = good && olds + news == ++tried;
		if (!all)
			printf("# step %zu:\n# %s\n", n, now);
	}
	ok(all && olds > 5 && news > 5,
	   "killed at %zu steps, a save is not there (%zu) or whole (%zu)", tried, olds, news);
}

/* A live box saves, deletes what it made and changed, and saves again. */
static int save_twice(struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;

	if (open_overlay(&o, err) < 0)
		return -1;
	o.is_live = true;
	shell("mkdir -p upper/made; echo live >upper/made/a; echo live >upper/old");
	if (save_in(&o, err) < 0)
		return -1;
	shell("rm -r upper/made upper/old; echo live >upper/last");
	return save_in(&o, err);
}

static void test_live(void)
{
	char old[1 << 16], new[1 << 16];
	size_t n = 1, tried = 0, olds = 0, firsts = 0, news = 0;
	bool killed = true, good = true, all = true;
	struct err err;

	prepare_save(true);
	clear_upper();
	snprintf(old, sizeof(old), "%s", picture());
	scratch_must(save_twice(&err) == 0, err.message);
	snprintf(new, sizeof(new), "%s", picture());
	for (; killed && all; n += stride) {
		prepare_save(true);
		clear_upper();
		killed = killed_twice_at(n, save_twice, &good);
		const char *now = picture();
		olds += !strcmp(now, old);
		firsts +=
			strstr(now, "+made +made/a") && strstr(now, "=old") && !strstr(now, "last");
		news += !strcmp(now, new);
		all = good && olds + firsts + news == ++tried;
		if (!all)
			printf("# step %zu:\n# %s\n", n, now);
	}
	ok(all && olds > 2 && firsts > 2 && news && strstr(new, "+last") && !strstr(new, "made"),
	   "killed at %zu steps, the saves of a live box: none (%zu), the first (%zu), the second "
	   "(%zu)",
	   tried, olds, firsts, news);
}

static const char *directory(void)
{
	static char text[1 << 16];
	FILE *f = popen(
		"cd ws && find . -printf '%P %y %m %l\\n' | sort; cat $(find . -type f | sort)",
		"r");

	scratch_must(f, "find");
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	pclose(f);
	return text;
}

static void test_apply(void)
{
	char old[1 << 16], new[1 << 16];
	size_t n = 1 + 1 % stride, tried = 0, olds = 0, news = 0;
	bool killed = true, good = true, all = true;
	struct err err;

	prepare_save(true);
	snprintf(old, sizeof(old), "%s", directory());
	scratch_must(apply(NULL, &err) == 0, err.message);
	snprintf(new, sizeof(new), "%s", directory());
	ok(strcmp(old, new) != 0 && !strcmp(pending(), ""), "an apply that is not killed");
	for (; killed && all; n += stride) {
		prepare_save(true);
		killed = killed_twice_at(n, apply_all, &good);
		const char *left = pending(), *now = directory();
		olds += !strcmp(now, old);
		news += !strcmp(now, new) && !left[0];
		all = good && olds + news == ++tried;
		if (!all)
			printf("# step %zu: %s\n# %s\n", n, left, now);
	}
	ok(all && olds && news > 10,
	   "killed at %zu steps, an apply is not there (%zu) or whole (%zu)", tried, olds, news);
}

/* The user changes a file while an apply lies half done. */
static void test_moved(void)
{
	size_t n = 1 + 2 % stride, tried = 0, told = 0;
	bool killed = true, good = true, all = true;

	for (; killed && all; n += stride, tried++) {
		prepare_save(true);
		killed = killed_at(n, apply_all, &good);
		bool was_done = !strcmp(scratch_text("ws/old"), "2\n");
		shell("echo theirs >ws/old");
		struct overlay o = OVERLAY_CLOSED;
		struct err err;
		int r = open_overlay(&o, &err);
		overlay_close(&o);
		bool is_told = r < 0 && err.code == ERR_CONFLICT && strstr(err.message, "old");
		told += is_told;
		all = (r == 0 || is_told) && !strcmp(scratch_text("ws/old"), "theirs\n") &&
		      open_overlay(&o, &err) == 0 &&
		      system("! find ws -name '.cordon*' | grep -q .") == 0;
		overlay_close(&o);
		if (!all)
			printf("# step %zu: done %d: %s\n", n, was_done, err.message);
	}
	ok(all && told > 10, "a changed path is left, and reported once (%zu of %zu)", told, tried);
}

/* Without memory at the Nth allocation: an error, or it did not matter. */
static void test_memory(int (*work)(struct err *err), const char *what)
{
	size_t n = 1 + (work == save ? 3 : 4) % stride, tried = 0, failed = 0, wrong = 0;
	bool used = true;

	for (; used; n += stride, tried++) {
		struct err err = {0};
		prepare_save(work == apply_all);
		fail_at = n;
		int r = work(&err);
		used = fail_at == 0;
		fail_at = 0;
		failed += r < 0;
		const char *left = pending();
		bool whole = work == save ? strstr(left, "+dir/a") != NULL
					  : !left[0] || strchr("+-=%", left[0]);
		wrong += (r < 0 && !err.message[0]) || !whole;
		if ((r < 0 && !err.message[0]) || !whole)
			printf("# allocation %zu: %d %s; %s\n", n, r, err.message, left);
	}
	ok(failed && !wrong, "%s: %zu of %zu allocations that fail are an error", what, failed,
	   tried);
}

int main(void)
{
	const char *dir = scratch_enter();

	if (getenv("TEST_MORE"))
		stride = 1;
	if (!holds_signs()) {
		tap_skip("overlays", "no extended attributes here");
		scratch_leave(dir);
		return tap_done();
	}
	test_save();
	test_live();
	test_apply();
	test_moved();
	test_memory(save, "save");
	test_memory(apply_all, "apply");
	scratch_leave(dir);
	return tap_done();
}
