/* SPDX-License-Identifier: MIT
 *
 * A pack of forty rules, a cache, and what a fresh process sees of them. The clock and the machine's
 * start are the test's (see tests/tests.mk), so that nothing waits until files have settled; what is
 * read and summed is counted. Included once per program.
 */
#ifndef CORDON_UNIT_WARM_KIT_H
#define CORDON_UNIT_WARM_KIT_H

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/scope.h"
#include "detect/packs_warm.h"
#include "scratch.h"
#include "tap.h"

enum { RULES = 40, FEW = 3 };
#define LATER (STAMP_TICK_NS + 1000000000LL)

static struct {
	int64_t later;	  /* the clock is ahead so much */
	const char *boot; /* of the machine */
	size_t summed, read;
	uint8_t key; /* the first byte of the state directory's */
} world = {.later = LATER, .boot = "one"};

int64_t __real_stamp_now(void);
int64_t __wrap_stamp_now(void);
void __wrap_stamp_boot(char ret[STAMP_BOOT]);
bool __real_cache_file_verify(const uint8_t *key, enum cache_file_kind kind, const void *data,
			      size_t len, const struct cache_file_mac *code);
bool __wrap_cache_file_verify(const uint8_t *key, enum cache_file_kind kind, const void *data,
			      size_t len, const struct cache_file_mac *code);
ssize_t __real_io_read_full(int fd, void *data, size_t len);
ssize_t __wrap_io_read_full(int fd, void *data, size_t len);

int64_t __wrap_stamp_now(void)
{
	return __real_stamp_now() + world.later;
}

void __wrap_stamp_boot(char ret[STAMP_BOOT])
{
	memset(ret, 0, STAMP_BOOT);
	memcpy(ret, world.boot, strlen(world.boot));
}

bool __wrap_cache_file_verify(const uint8_t *key, enum cache_file_kind kind, const void *data,
			      size_t len, const struct cache_file_mac *code)
{
	world.summed += len;
	return __real_cache_file_verify(key, kind, data, len, code);
}

ssize_t __wrap_io_read_full(int fd, void *data, size_t len)
{
	world.read++;
	return __real_io_read_full(fd, data, len);
}

/* Rule NUMBER of directory p finds WORD and its own number. */
static inline void rule_file(const char *path, int number, const char *word, const char *more)
{
	char text[2048];

	snprintf(text, sizeof(text),
		 "id: ATR-2026-%05d\ntitle: T\nschema_version: '1'\ndescription: D\nauthor: A\n"
		 "date: '2026'\nstatus: stable\nseverity: high\nmaturity: stable\n"
		 "tags: {category: model-abuse, scan_target: both, confidence: high}\n"
		 "agent_source: {type: llm_io}\nresponse: {actions: [alert]}\n%s"
		 "test_cases:\n  true_positives: [{input: a}]\n  true_negatives: [{input: b}]\n"
		 "detection:\n  condition: any\n  conditions:\n"
		 "    - {field: content, operator: regex, value: '%s%04d\\s+[a-z]+'}\n",
		 number, more, word, number);
	scratch_file(path, text, 0644);
}

static inline const char *rule_path(int number)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/r%04d.yaml", number % 2 ? "p" : "p/sub", number);
	return path;
}

static inline void make_pack(void)
{
	scratch_dir("p");
	scratch_dir("p/sub");
	for (int i = 0; i < RULES; i++)
		rule_file(rule_path(i), i, "word", "");
	scratch_file("p/README.md", "words", 0644);
}

static inline void clear_cache(void)
{
	scratch_must(system("rm -f cache/*") == 0, "clearing the cache");
}

/* The one file of a kind; NULL when there is none. */
static inline const char *kept(const char *suffix)
{
	static char path[512];
	AUTO_CLOSEDIR DIR *dir = opendir("cache");
	const char *found = NULL;

	for (struct dirent *e; dir && (e = readdir(dir));)
		if (strstr(e->d_name, suffix)) {
			snprintf(path, sizeof(path), "cache/%s", e->d_name);
			found = path;
		}
	return found;
}

static inline int open_with(struct packs *set, const struct engine_options *engine, bool warnings)
{
	static const char *const dir[] = {"p"};
	struct packs_options options = {.directory = dir, .directories = 1};
	struct err err = {0};

	*set = (struct packs){0};
	options.places.cache = "cache";
	options.places.cache_key[0] = world.key;
	options.pack.warnings = warnings;
	world.summed = world.read = 0;
	int result = packs_open(set, &options, engine, &err);
	if (result < 0)
		printf("# %s\n", err.message);
	return result;
}

static inline int open_it(struct packs *set)
{
	struct engine_options engine = {0};

	return open_with(set, &engine, false);
}

/* The last digits of the rules that were found, or why not. */
static inline const char *ask(const struct packs *set, struct engine_thread *t, const char *text)
{
	static _Thread_local char said[512];
	struct event event = {.plain = true, .time_ms = EVENT_TIME_NONE};
	struct findings f = {0};
	struct err err = {0};

	event.content = (struct text){text, strlen(text)};
	said[0] = '\0';
	if (engine_scan(set->engine, t, &event, &f, &err) < 0)
		snprintf(said, sizeof(said), "error");
	for (size_t i = 0; said[0] != 'e' && i < f.count; i++)
		snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s ",
			 f.list[i].rule->id + 12);
	findings_done(&f);
	return said;
}

#define TEXT "a word0003 x, word0004 y; word0005 ? other0003 z"
#define FOUND "03 04 "

/* Opens, asks, closes. Was it warm, and is the answer EXPECTED? */
struct seen {
	bool opened, warm, right;
};

static inline struct seen see(const char *expected)
{
	struct packs set;
	struct seen seen = {.opened = open_it(&set) == 0};

	if (seen.opened) {
		const char *said = ask(&set, set.thread, TEXT);
		seen.warm = set.warm.bytes != NULL;
		seen.right = strcmp(said, expected) == 0;
		if (!seen.right)
			printf("# %s: %s\n", seen.warm ? "warm" : "cold", said);
	}
	packs_done(&set);
	return seen;
}

static inline bool is_cold(const char *expected)
{
	struct seen seen = see(expected);

	return seen.opened && !seen.warm && seen.right;
}

static inline bool is_warm(void)
{
	struct seen seen = see(FOUND);

	return seen.opened && seen.warm && seen.right;
}

/* Whatever is there: soon it is warm. */
static inline bool warms_up(const char *expected)
{
	struct seen seen = {0};

	for (int i = 0; i < FEW && !seen.warm; i++)
		seen = see(expected);
	return seen.warm && seen.right;
}

/* What changes now has another time than what changed before: no kernel's clock is coarser. The
 * clock of this test is ahead, so it cannot tell. */
static inline void tick(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

#endif
