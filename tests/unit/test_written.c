/* SPDX-License-Identifier: MIT
 *
 * What a run has changed is remembered up to a number of files and of bytes; at these maxima all of
 * it is, and with one more it is kept that something is not. The store is a real one.
 */
#include "flow/written.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/walk.h"
#include "origin/fileslost.h"
#include "origin_case.h"

enum { FILES = 3, BYTES = 100, NOBODY = 65534 };

static struct label untrusted;

/* Of this file nothing is told, once. */
static struct stat unseen;
int __real_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);

int __wrap_fstat(int fd, struct stat *st)
{
	int r = __real_fstat(fd, st);

	if (r < 0 || st->st_ino != unseen.st_ino || st->st_dev != unseen.st_dev)
		return r;
	unseen.st_ino = 0;
	memset(st, 0, sizeof(*st));
	errno = EIO;
	return -1;
}

static void put(const char *name, size_t len)
{
	AUTO_CLOSE int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	scratch_must(fd >= 0 && ftruncate(fd, (off_t)len) == 0 && pwrite(fd, name, 1, 0) == 1,
		     "writing a file");
}

static bool lost(struct origin_case *c, struct written_ask *ask)
{
	AUTO_TX struct store_tx tx = {0};
	struct written *w = NULL;
	struct err err = {0};

	case_done(written_see(&c->k, ask, &w, &err) == 0, &err);
	case_done(written_keep(w, &tx, &err) == 0, &err);
	case_done(!tx.count || store_commit(c->k.store, &tx, &err) == 0, &err);
	bool is_lost = written_is_lost(w);
	written_free(w);
	return is_lost;
}

static struct files_lost *load(struct origin_case *c)
{
	static struct files_lost l;
	struct err err = {0};

	case_done(files_lost_load(&c->k, &l, &err) == 0, &err);
	return &l;
}

static void test_maxima(struct origin_case *c)
{
	struct written_ask ask = {.dir = open("w", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
				  .files = FILES,
				  .bytes = (uint64_t)FILES * BYTES,
				  .label = &untrusted};

	scratch_must(ask.dir >= 0, "opening the directory");
	ok(!lost(c, &ask), "as many files and bytes as may be");
	ask.bytes--;
	ok(lost(c, &ask), "one byte more");
	ask.bytes++;
	put("w/more", 1);
	ask.bytes++;
	ok(lost(c, &ask), "one file more");
	ask.files++;
	ok(!lost(c, &ask), "one file more, and room for it");
	struct timespec later = {.tv_sec = INT32_MAX};
	ask.began = later;
	ask.files = 0;
	ok(!lost(c, &ask), "what was there before is none of it");
	close(ask.dir);
}

static void test_committed(struct origin_case *c)
{
	struct change change[] = {{.path = "a", .change = CHANGE_ADDED, .type = TYPE_FILE},
				  {.path = "b", .change = CHANGE_ADDED, .type = TYPE_FILE},
				  {.path = "gone", .change = CHANGE_DELETED, .type = TYPE_FILE},
				  {.path = "refused", .note = "no", .type = TYPE_FILE}};
	struct result r = {.changes = change, .changec = ARRAY_SIZE(change)};
	struct written_ask ask = {.dir = open("w", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
				  .committed = &r,
				  .files = 2,
				  .bytes = 2 * BYTES,
				  .label = &untrusted};

	ok(!lost(c, &ask), "a commit of as many as may be");
	ask.files = 1;
	ok(lost(c, &ask), "one more");
	ask.files = 2;
	change[1].path = "nowhere";
	ok(lost(c, &ask), "one that is not there to be read");
	change[1].path = "b";
	scratch_must(stat("w/b", &unseen) == 0, "w/b");
	ok(lost(c, &ask) && !unseen.st_ino, "one of which nobody is told what it is");
	close(ask.dir);
}

/* No file is of this run, and still it may have written where nobody looks: in a directory that it may not
 * read, or on what is mounted. */
static struct written_ask ask_about(const char *dir)
{
	struct written_ask ask = {.dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
				  .began = {.tv_sec = INT32_MAX},
				  .files = FILES,
				  .bytes = BYTES,
				  .label = &untrusted};

	scratch_must(ask.dir >= 0, dir);
	return ask;
}

static void test_unreadable(struct origin_case *c)
{
	scratch_must(mkdir("closed", 0755) == 0 && mkdir("closed/in", 0755) == 0, "mkdir");
	struct written_ask ask = ask_about("closed");
	uid_t self = geteuid();

	ok(!lost(c, &ask), "a directory that was there before");
	scratch_must((self || chown("closed/in", NOBODY, NOBODY) == 0) &&
			     chmod("closed/in", 0300) == 0 && (self || seteuid(NOBODY) == 0),
		     "closing it");
	ok(lost(c, &ask), "one that can be written into and not read");
	scratch_must(self || seteuid(0) == 0, "coming back");
	close(ask.dir);
}

/* In a process of its own: 0 or 1, or 2 where nothing can be mounted. */
static int look_at_mount(struct origin_case *c)
{
	if (unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 2;
	/* Opened here: what is mounted is in this process's own tree. */
	struct written_ask ask = ask_about("mounts");
	if (lost(c, &ask) || mount("none", "mounts/at", "tmpfs", 0, NULL) < 0)
		return 2;
	return lost(c, &ask);
}

static void test_mounted(struct origin_case *c)
{
	int status = 0;

	scratch_must(mkdir("mounts", 0755) == 0 && mkdir("mounts/at", 0755) == 0, "mkdir");
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(look_at_mount(c));
	scratch_must(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status), "a process");
	if (WEXITSTATUS(status) == 2)
		tap_skip("something is mounted in it", "nothing can be mounted here");
	else
		ok(WEXITSTATUS(status) == 1, "something is mounted in it");
}

/* Nobody looks deeper than that, whoever made it and when. */
static void test_left_out(struct origin_case *c)
{
	struct written_ask ask = {.began = {.tv_sec = INT32_MAX},
				  .files = FILES,
				  .bytes = BYTES,
				  .label = &untrusted};
	int at[WALK_DEPTH_MAX + 1];

	scratch_must(mkdir("deep", 0755) == 0, "mkdir");
	ask.dir = at[0] = open("deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 1; i <= WALK_DEPTH_MAX; i++) {
		if (i == WALK_DEPTH_MAX)
			ok(!lost(c, &ask), "as deep as may be, and there before");
		scratch_must(mkdirat(at[i - 1], "d", 0755) == 0, "mkdir");
		at[i] = openat(at[i - 1], "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	ok(lost(c, &ask), "one deeper");
	for (int i = WALK_DEPTH_MAX; i > 0; i--) {
		close(at[i]);
		scratch_must(unlinkat(at[i - 1], "d", AT_REMOVEDIR) == 0, "rmdir");
	}
	close(at[0]);
}

static void commit(struct origin_case *c, struct store_tx *tx)
{
	struct err err = {0};

	case_done(store_commit(c->k.store, tx, &err) == 0, &err);
	store_tx_done(tx);
	*tx = (struct store_tx){0};
}

static struct lost_run run_of(uint32_t n, enum lost_why why, int64_t since)
{
	struct lost_run r = {.why = why, .since = since, .label = untrusted};

	memcpy(r.run.byte, &n, sizeof(n));
	return r;
}

static void test_rows(struct origin_case *c)
{
	struct lost_run first = run_of(1, LOST_OPEN, 9), worst = run_of(2, LOST_MUCH, 7);
	struct store_tx tx = {0};
	struct files_lost *l = load(c);

	ok(l->count == 0, "there is none at first");
	files_lost_open(l, &first, &tx);
	commit(c, &tx);
	l = load(c);
	ok(l->count == 1 && l->by[LOST_OPEN].any && l->by[LOST_OPEN].since == 9 &&
		   !l->by[LOST_MUCH].any,
	   "a run that has begun, since then");
	worst.label.integrity = INTEGRITY_HOSTILE;
	files_lost_add(&worst, &tx);
	first = run_of(3, LOST_MUCH, 8);
	files_lost_add(&first, &tx);
	commit(c, &tx);
	l = load(c);
	ok(l->by[LOST_MUCH].since == 7 && l->by[LOST_MUCH].label.integrity == INTEGRITY_HOSTILE,
	   "the earliest counts, and the worst");
	for (uint32_t i = 1; i <= 3; i++) {
		first = run_of(i, LOST_OPEN, 0);
		files_lost_close(&first.run, &tx);
	}
	commit(c, &tx);
	ok(load(c)->count == 0, "and nothing is left when they are known");
}

static void test_many_rows(struct origin_case *c)
{
	struct store_tx tx = {0};

	for (uint32_t i = 1; i <= LOST_ROWS_MAX + 1; i++) {
		struct lost_run run = run_of(i, LOST_OPEN, 100 + i);
		files_lost_open(load(c), &run, &tx);
		commit(c, &tx);
	}
	ok(load(c)->count == LOST_ROWS_MAX + 1 && !load(c)->by[LOST_MUCH].any,
	   "as many as are told apart, and the one that begins");
	struct lost_run run = run_of(9999, LOST_OPEN, 999);
	files_lost_open(load(c), &run, &tx);
	commit(c, &tx);
	struct files_lost *l = load(c);
	ok(l->count <= 3 && l->by[LOST_MUCH].any && l->by[LOST_MUCH].since == 101,
	   "then they become one");
}

int main(void)
{
	struct origin_case c;
	static const char *const names[FILES] = {"w/a", "w/b", "w/c"};

	case_open(&c);
	untrusted = label_unknown();
	scratch_must(mkdir("w", 0755) == 0, "mkdir");
	for (int i = 0; i < FILES; i++)
		put(names[i], BYTES);
	test_maxima(&c);
	test_committed(&c);
	test_unreadable(&c);
	test_mounted(&c);
	test_left_out(&c);
	test_rows(&c);
	test_many_rows(&c);
	case_close(&c);
	return tap_done();
}
