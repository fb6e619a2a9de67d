/* SPDX-License-Identifier: MIT
 *
 * What a run has changed is remembered up to a number of files and of bytes; at these maxima all of
 * it is, and with one more it is kept that something is not. The store is a real one.
 */
#include "flow/written.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/walk.h"
#include "origin/fileslost.h"
#include "origin_case.h"

enum { FILES = 3, BYTES = 100 };

static struct label untrusted;

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
	close(ask.dir);
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
	test_left_out(&c);
	test_rows(&c);
	test_many_rows(&c);
	case_close(&c);
	return tap_done();
}
