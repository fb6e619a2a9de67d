/* SPDX-License-Identifier: MIT
 *
 * What a run has changed is remembered up to a number of files and of bytes; at these maxima all of
 * it is, and with one more it is kept that something is not. The store is a real one.
 */
#include "flow/written.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/scope.h"
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
	struct err err = {0};
	bool is_lost = false;

	case_done(written_remember(&c->k, ask, &is_lost, &err) == 0, &err);
	return is_lost;
}

static bool is_kept(struct origin_case *c, struct files_lost *ret)
{
	struct err err = {0};

	case_done(files_lost_load(&c->k, ret, &err) == 0, &err);
	return ret->any;
}

static void test_maxima(struct origin_case *c)
{
	struct files_lost l;
	struct written_ask ask = {.dir = open("w", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
				  .files = FILES,
				  .bytes = (uint64_t)FILES * BYTES,
				  .label = &untrusted};

	scratch_must(ask.dir >= 0, "opening the directory");
	ok(!lost(c, &ask) && !is_kept(c, &l), "as many files and bytes as may be");
	ask.bytes--;
	ok(lost(c, &ask) && is_kept(c, &l), "one byte more");
	ok(l.since == 0 && l.label.integrity == INTEGRITY_UNTRUSTED,
	   "since it began, by its label");
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

static void test_since(struct origin_case *c)
{
	struct label hostile = label_unknown();
	struct files_lost l;
	struct err err = {0};

	hostile.integrity = INTEGRITY_HOSTILE;
	ok(files_lost_add(&c->k, 7, &hostile, &err) == 0 && is_kept(c, &l) && l.since == 0 &&
		   l.label.integrity == INTEGRITY_HOSTILE,
	   "the earliest counts, and the worst");
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
	test_since(&c);
	case_close(&c);
	return tap_done();
}
