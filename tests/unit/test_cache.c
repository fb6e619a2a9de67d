/* SPDX-License-Identifier: MIT
 *
 * The file that stores a database: it is used when it is correct, and replaced when anything about
 * it is not.
 */
#include "scan/find/pattern_db.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

static const struct db_pattern pattern[] = {
	{"ignore\\s+all", 12, JS_IGNORE_CASE}, {"(", 1, 0},   {"\\u{1f600}x", 10, JS_UNICODE},
	{"caf\xc3\xa9", 5, JS_IGNORE_CASE},    {"\\d", 2, 0},
};
enum { COUNT = sizeof(pattern) / sizeof(pattern[0]) };

static uint8_t mac_key;
static char dir[] = "/tmp/test-cache.XXXXXX", path[64];

static void count_refused(void *context, size_t number, const struct err *why)
{
	*(int *)context += number == 1 && why->message[0];
}

/* Does the database answer correctly? */
static bool answers(const struct db *db)
{
	static const char data[] = "IGNORE  all caf\xc3\xa9 \xf0\x9f\x98\x80x";
	struct scan_text text;
	struct db_hits hits;
	struct err err;
	struct db_scratch *s = db_scratch_new(db, NULL, &err);
	unsigned yes = 0;

	if (!s || normal_decode(data, sizeof(data) - 1, &text, &err) < 0 ||
	    db_scan(db, s, &text, NULL, &hits, &err) < 0)
		return false;
	for (size_t i = 0; i < hits.yesc; i++)
		yes |= 1U << hits.yes[i];
	normal_done(&text);
	db_scratch_free(s);
	return yes == (1 << 0 | 1 << 2 | 1 << 3) && !hits.undecidedc;
}

/* Opens it and returns the file's state; DB_FILE_NONE for a wrong answer. */
static enum db_file open_it(size_t count)
{
	struct db_cache opened = {.path = path};
	struct err err = {0};
	struct db *db = NULL;
	int refused = 0;

	db_key(pattern, count, opened.key);
	opened.mac_key[0] = mac_key;
	bool good = db_open(&opened, pattern, count, count_refused, &refused, &db, &err) == 0;

	good = good && refused == 1 && (count < COUNT || answers(db));
	if (good && opened.file != DB_FILE_READ)
		printf("# %s\n", opened.why.message);
	db_free(db);
	return good ? opened.file : DB_FILE_NONE;
}

static bool is_remade(void)
{
	return open_it(COUNT) == DB_FILE_WRITTEN && open_it(COUNT) == DB_FILE_READ;
}

static void flip(off_t at, int whence)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char c = 0;
	off_t place = lseek(fd, at, whence);

	if (pread(fd, &c, 1, place) == 1) {
		c ^= 1;
		ok(pwrite(fd, &c, 1, place) == 1, "a flipped bit at %ld", (long)place);
	}
	close(fd);
}

static void test_damage(void)
{
	static const struct {
		off_t at;
		int whence;
	} places[] = {{0, SEEK_SET},  {9, SEEK_SET},  {45, SEEK_SET},	 {75, SEEK_SET},
		      {90, SEEK_SET}, {-1, SEEK_END}, {-5000, SEEK_END}, {2000, SEEK_SET}};
	struct stat st;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		flip(places[i].at, places[i].whence);
		ok(is_remade(), "and the file is rewritten");
	}
	stat(path, &st);
	ok(truncate(path, st.st_size - 1) == 0 && is_remade(), "without its last byte");
	ok(truncate(path, st.st_size + 1) == 0 && is_remade(), "with one byte more");
	ok(truncate(path, 100) == 0 && is_remade(), "shorter than a header");
	ok(truncate(path, 0) == 0 && is_remade(), "empty");
}

static void test_rights(void)
{
	char other[80];

	ok(chmod(path, 0664) == 0 && is_remade(), "writable by its group");
	ok(chmod(path, 0646) == 0 && is_remade(), "writable by all accounts");
	snprintf(other, sizeof(other), "%s/other", dir);
	ok(rename(path, other) == 0 && symlink("other", path) == 0 && is_remade(),
	   "a link to a correct file");
	struct stat st;
	ok(lstat(path, &st) == 0 && S_ISREG(st.st_mode), "the link is replaced, not followed");
	unlink(other);
	unlink(path);
	ok(mkfifo(path, 0600) == 0 && is_remade(), "a pipe");
	if (geteuid() == 0) /* only root can give a file to another account */
		ok(chown(path, 4711, 4711) == 0 && is_remade(), "owned by another account");
}

/* Makes the file for patterns that match nothing, and gives it the key of those above. */
static bool forge(void)
{
	static const struct db_pattern blind[COUNT] = {
		{"no", 2, 0}, {"(", 1, 0}, {"no", 2, 0}, {"no", 2, 0}, {"no", 2, 0}};
	struct db_cache cache = {.path = path};
	struct err err = {0};
	struct db *db = NULL;
	uint8_t key[DB_KEY];
	static char file[1 << 20];

	unlink(path);
	db_key(pattern, COUNT, key);
	db_key(blind, COUNT, cache.key);
	bool made = db_open(&cache, blind, COUNT, NULL, NULL, &db, &err) == 0;
	db_free(db);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	ssize_t len = read(fd, file, sizeof(file));
	char *at = len > 0 ? memmem(file, (size_t)len, cache.key, DB_KEY) : NULL;
	made = made && at && pwrite(fd, key, DB_KEY, at - file) == DB_KEY;
	close(fd);
	return made;
}

/* An intact file, but of another account or of other patterns. */
static void test_foreign(void)
{

	mac_key = 1;
	ok(is_remade(), "written with another key");
	mac_key = 0;
	ok(is_remade(), "and the same again");
	ok(forge() && is_remade(), "of other patterns, under the name of these");
}

static void test_nowhere(void)
{
	struct db_cache opened = {.path = "/nowhere/at/all"};
	struct err err = {0};
	struct db *db = NULL;

	db_key(pattern, COUNT, opened.key);
	ok(db_open(&opened, pattern, COUNT, NULL, NULL, &db, &err) == 0 &&
		   opened.file == DB_FILE_NONE && opened.why.message[0] && answers(db),
	   "a database can be made when the file cannot be written");
	db_free(db);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/db", dir);
	ok(is_remade(), "the file is written the first time and read the second");
	ok(open_it(COUNT - 1) == DB_FILE_WRITTEN, "other patterns have another database");
	ok(is_remade(), "and the same again");
	test_damage();
	test_rights();
	test_foreign();
	test_nowhere();
	unlink(path);
	ok(rmdir(dir) == 0, "no other file is left");
	return tap_done();
}
