/* SPDX-License-Identifier: MIT
 *
 * What is kept of rules, damaged: wherever it is, the verdict is that of the rules, or there is
 * none. Lies under a code that is right could only be written with the key; even they lead no scan out of
 * its arrays.
 */
#include "warm_kit.h"

static void flip(const char *path, off_t at)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	unsigned char c = 0;

	scratch_must(fd >= 0 && pread(fd, &c, 1, at) == 1, path);
	c ^= 0x41;
	scratch_must(pwrite(fd, &c, 1, at) == 1 && close(fd) == 0, path);
}

static struct warm_header header_of(const char *path)
{
	struct warm_header h = {0};
	FILE *f = fopen(path, "re");

	scratch_must(f && fread(&h, sizeof(h), 1, f) == 1 && fclose(f) == 0, path);
	return h;
}

/* Never another verdict: it is refused, or the rules are read. */
static void test_damage(void)
{
	struct warm_header h = header_of(kept(".wm"));
	size_t wrong = 0, used = 0, tried = 0, step = 1;
	bool all = getenv("TEST_MORE") != NULL;
	size_t head = all ? 1 : 5, middle = all ? 89 : 409;

	for (uint64_t at = 0; at < h.part[WARM_TREES].at; at += step, tried++) {
		step = at >= sizeof(h) ? middle : at >= 64 ? head : 1;
		flip(kept(".wm"), (off_t)at);
		struct seen seen = see(FOUND);
		wrong += !seen.opened || !seen.right;
		used += seen.warm;
		flip(kept(".wm"), (off_t)at);
		wrong += !warms_up(FOUND);
	}
	ok(!wrong && !used, "each of %zu bytes that is damaged is noticed: %zu wrong, %zu used",
	   tried, wrong, used);
}

/* The whole file; *RET is to be freed. */
static size_t read_whole(const char *path, uint8_t **ret)
{
	struct stat st = {0};
	FILE *f = fopen(path, "re");

	scratch_must(f && stat(path, &st) == 0, path);
	*ret = malloc((size_t)st.st_size);
	scratch_must(*ret && fread(*ret, (size_t)st.st_size, 1, f) == 1 && fclose(f) == 0, path);
	return (size_t)st.st_size;
}

static void write_whole(const char *path, const uint8_t *bytes, size_t len)
{
	FILE *f = fopen(path, "we");

	scratch_must(f && fwrite(bytes, len, 1, f) == 1 && fclose(f) == 0 && !chmod(path, 0600),
		     path);
}

/* What is said when the byte at AT is damaged. */
static const char *ask_damaged(const char *path, uint8_t *bytes, size_t len, uint64_t at)
{
	struct packs set;
	const char *said = "";

	bytes[at] ^= 0x41;
	write_whole(path, bytes, len);
	bytes[at] ^= 0x41;
	if (open_it(&set) == 0 && set.warm.bytes)
		said = ask(&set, set.thread, TEXT);
	packs_done(&set);
	return said;
}

/* TEXT needs rule 3 and not rule 7. */
static void test_damaged_rules(void)
{
	char path[512];
	uint8_t *bytes = NULL;

	snprintf(path, sizeof(path), "%s", kept(".wm"));
	size_t len = read_whole(path, &bytes), needed = 0, refused = 0, other = 0, good = 0;
	const struct warm_header *h = (const struct warm_header *)(void *)bytes;
	const char *names = (const char *)bytes + h->part[WARM_NAMES].at;
	const struct lazy_row *row = (const void *)(bytes + h->part[WARM_ROWS].at);
	for (size_t i = 0; i < h->part[WARM_ROWS].count; i++) {
		bool is_needed = strcmp(names + row[i].file, "p/r0003.yaml") == 0;
		bool is_other = strcmp(names + row[i].file, "p/r0007.yaml") == 0;
		for (uint64_t k = 0; (is_needed || is_other) && k < row[i].len; k++) {
			uint64_t at = h->part[WARM_TREES].at + row[i].at + k;
			const char *said = ask_damaged(path, bytes, len, at);
			needed += is_needed;
			other += is_other;
			refused += is_needed && !strcmp(said, "error") && !scratch_exists(path);
			good += is_other && !strcmp(said, FOUND) && scratch_exists(path);
		}
	}
	ok(needed && refused == needed,
	   "a damaged byte of a rule is refused once, where the rule is needed: %zu", refused);
	ok(other && good == other, "and nowhere else: %zu", good);
	free(bytes);
	unlink(path);
	ok(warms_up(FOUND), "and so again");
}

static void test_lengths(void)
{
	struct stat st;

	ok(stat(kept(".wm"), &st) == 0 && truncate(kept(".wm"), st.st_size - 1) == 0 &&
		   is_cold(FOUND) && is_warm(),
	   "it lacks its last byte");
	ok(truncate(kept(".wm"), st.st_size + 1) == 0 && is_cold(FOUND) && is_warm(),
	   "it has one more");
	ok(truncate(kept(".wm"), sizeof(struct warm_header)) == 0 && is_cold(FOUND) && is_warm(),
	   "it is a header");
	ok(truncate(kept(".wm"), 0) == 0 && is_cold(FOUND) && is_warm(), "it is empty");
	ok(chmod(kept(".wm"), 0666) == 0 && is_cold(FOUND) && is_warm(),
	   "others could have written it");
}

static void test_database(void)
{
	struct stat st;

	clear_cache();
	ok(warms_up(FOUND) && stat(kept(".db"), &st) == 0, "there is one database");
	tick();
	flip(kept(".db"), st.st_size / 2);
	ok(is_cold(FOUND), "it is damaged: the rules are read, and it is made again");
	ok(warms_up(FOUND), "and so again");
	tick();
	ok(truncate(kept(".db"), st.st_size - 1) == 0 && is_cold(FOUND) && warms_up(FOUND),
	   "it lacks its last byte");
	ok(unlink(kept(".db")) == 0 && is_cold(FOUND) && warms_up(FOUND), "it is gone");
	tick();
	ok(utimensat(AT_FDCWD, kept(".db"), NULL, 0) == 0 && is_cold(FOUND) && is_warm(),
	   "it was touched: it is read and kept anew");
}

/* A changed byte under a new code. */
static void lie(const char *path, uint64_t at, uint8_t with, uint8_t key)
{
	struct stat st;
	struct err err;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	scratch_must(fd >= 0 && fstat(fd, &st) == 0, path);
	AUTO_FREE uint8_t *bytes = malloc((size_t)st.st_size);
	struct warm_header *h = (struct warm_header *)(void *)bytes;

	scratch_must(bytes && pread(fd, bytes, (size_t)st.st_size, 0) == st.st_size, path);
	bytes[at] ^= with;
	scratch_must(cache_file_seal((uint8_t[CACHE_FILE_KEY]){key}, CACHE_FILE_WARM,
				     bytes + WARM_SEALED, h->part[WARM_TREES].at - WARM_SEALED,
				     &h->mac, &err) == 0,
		     path);
	scratch_must(pwrite(fd, bytes, (size_t)st.st_size, 0) == st.st_size && close(fd) == 0,
		     path);
}

/* A whole file that was written with another account's key. */
static void test_foreign(void)
{
	lie(kept(".wm"), 0, 0, 1);
	ok(is_cold(FOUND) && is_warm(), "written with another key: the rules are read");
	world.key = 1;
	ok(is_cold(FOUND) && warms_up(FOUND), "another account has files of its own");
	world.key = 0;
	ok(is_warm(), "and they do not replace these");
	clear_cache();
	ok(warms_up(FOUND), "and so again");
}

/* Numbers that lie, under a code that is right: no scan may leave its arrays. */
static void test_lies(void)
{
	static const enum warm_part parts[] = {WARM_META, WARM_ROWS, WARM_SET, WARM_DIRS,
					       WARM_FILES};
	struct warm_header h = header_of(kept(".wm"));
	size_t tried = 0, used = 0;
	size_t meta = getenv("TEST_MORE") ? 5 : 31, others = getenv("TEST_MORE") ? 23 : 139;
	char path[512];

	snprintf(path, sizeof(path), "%s", kept(".wm"));
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		for (uint64_t k = 0; k < h.part[parts[i]].count * warm_item_size[parts[i]];
		     k += parts[i] == WARM_META ? meta : others, tried++) {
			struct packs set;
			scratch_must(warms_up(FOUND) && kept(".wm"), "a good file");
			lie(path, h.part[parts[i]].at + k, (uint8_t)(k % 3 ? 0x81 : 0x04), 0);
			if (open_it(&set) == 0) {
				used += set.warm.bytes != NULL;
				ask(&set, set.thread, TEXT);
			}
			packs_done(&set);
			unlink(path);
		}
	ok(tried > 100 && used, "%zu lies, of which %zu are not noticed, end no scan", tried, used);
}

int main(void)
{
	const char *dir = scratch_enter();

	make_pack();
	scratch_dir("cache");
	ok(warms_up(FOUND), "there is something to damage");
	test_lengths();
	test_damage();
	test_foreign();
	test_damaged_rules();
	test_database();
	test_lies();
	scratch_leave(dir);
	return tap_done();
}
