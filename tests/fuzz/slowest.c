/* SPDX-License-Identifier: MIT
 *
 * slowest SECONDS [SEED [FILE]]: searches for the texts that take a scan the longest. Standard
 * input is the output of tests/atr/texts.mjs. Texts of one length are made from pieces of the
 * given ones and of each other; the slowest of a round survive. At the end it prints the slowest,
 * with the patterns that take the time, and writes them to FILE as JSON, one a line. It only
 * reports: time must never decide a test.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scan/find/pattern_db.h"

enum {
	PATTERNS_MAX = 20000,
	TEXTS_MAX = 20000,
	TEXT_LEN = 4096,
	ALIVE = 48,
	SHOWN_BYTES = 120,
	TOP = 4,
	CHANGES = 4,
	TRIES = 3, /* scans of which the fastest counts, because the machine has other work */
};

struct one {
	double us;
	size_t undecided;
	char text[TEXT_LEN];
};

struct cost {
	double us;
	size_t pattern;
};

static struct {
	struct db_pattern pattern[PATTERNS_MAX];
	char *id[PATTERNS_MAX];
	size_t count;
	struct {
		char *s;
		size_t len;
	} seed[TEXTS_MAX];
	size_t seeds, scans;
	struct db *db;
	struct db_scratch *scratch;
	struct one alive[ALIVE];
	uint64_t random;
} all;

static size_t pick(size_t n)
{
	all.random ^= all.random << 13;
	all.random ^= all.random >> 7;
	all.random ^= all.random << 17;
	return (size_t)(all.random >> 11) % n;
}

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "slowest: %s\n", what);
	exit(1);
}

static double now_us(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void take(json_t *o)
{
	json_t *source = json_object_get(o, "source"), *text = json_object_get(o, "text");
	const char *flags = json_string_value(json_object_get(o, "flags"));

	if (source && all.count < PATTERNS_MAX) {
		unsigned bits = (strchr(flags, 'i') ? JS_IGNORE_CASE : 0) |
				(strchr(flags, 'u') ? JS_UNICODE : 0);
		all.id[all.count] = strdup(json_string_value(json_object_get(o, "id")));
		all.pattern[all.count++] = (struct db_pattern){strdup(json_string_value(source)),
							       json_string_length(source), bits};
	} else if (json_string_length(text) && all.seeds < TEXTS_MAX) {
		all.seed[all.seeds].s = strdup(json_string_value(text));
		all.seed[all.seeds].len = strlen(all.seed[all.seeds].s);
		all.seeds += all.seed[all.seeds].len > 0;
	}
}

/* The fastest of TRIES scans for the wanted patterns. */
static double measure(const char *s, const uint64_t *wanted, int tries, size_t *ret_undecided)
{
	struct scan_text raw, folded;
	struct db_hits hits;
	struct err err;
	double best = 1e12;

	must(normal_decode(s, TEXT_LEN, &raw, &err) == 0 && normal_fold(&raw, &folded, &err) == 0,
	     "no memory for a text");
	for (int i = 0; i < tries; i++) {
		double begin = now_us(CLOCK_THREAD_CPUTIME_ID);
		must(db_scan(all.db, all.scratch, &folded, wanted, &hits, &err) == 0, err.message);
		double us = now_us(CLOCK_THREAD_CPUTIME_ID) - begin;
		best = us < best ? us : best;
	}
	all.scans += (size_t)tries;
	if (ret_undecided)
		*ret_undecided = hits.undecidedc;
	normal_done(&folded);
	normal_done(&raw);
	return best;
}

/* A piece of a text of the pack, or of a surviving one; a short piece is often repeated. */
static void put_piece(char *text)
{
	size_t at = pick(TEXT_LEN), len, from, times = pick(3) ? 1 : 1 + pick(400);
	const char *s;

	if (pick(3)) {
		size_t i = pick(all.seeds);
		s = all.seed[i].s;
		from = pick(all.seed[i].len);
		len = 1 + pick(all.seed[i].len - from);
	} else {
		s = all.alive[pick(ALIVE)].text;
		from = pick(TEXT_LEN);
		len = 1 + pick(TEXT_LEN - from);
	}
	len = times > 1 && len > 40 ? 1 + len % 40 : len;
	for (; times-- > 0 && at < TEXT_LEN; at += len)
		memmove(text + at, s + from, len < TEXT_LEN - at ? len : TEXT_LEN - at);
}

static void set_letters(char *text)
{
	static const char letters[] = "a \n\t.,:;/\\'\"`|&$(){}[]<>=-_#0Zx%+*@!\xc3\xa9\xd0\xb0";
	char c = letters[pick(sizeof(letters) - 1)];
	size_t at = pick(TEXT_LEN), step = 1 + pick(64), times = pick(2) ? 1 : 1 + pick(TEXT_LEN);

	for (; times-- > 0 && at < TEXT_LEN; at += step)
		text[at] = c;
}

static void move_part(char *text)
{
	size_t from = pick(TEXT_LEN), to = pick(TEXT_LEN),
	       most = TEXT_LEN - (from > to ? from : to);

	memmove(text + to, text + from, 1 + pick(most));
}

static void (*const changes[])(char *text) = {put_piece, put_piece, set_letters, move_part};

/* One text of the pack, repeated: the first generation. */
static void make_first(struct one *o)
{
	size_t i = pick(all.seeds);

	for (size_t at = 0; at < TEXT_LEN; at++)
		o->text[at] = all.seed[i].s[at % all.seed[i].len];
	o->us = measure(o->text, NULL, TRIES, &o->undecided);
}

static int by_time(const void *left, const void *right)
{
	const struct one *a = left, *b = right;

	return a->us < b->us ? 1 : a->us > b->us ? -1 : 0;
}

/* A child replaces its parent if it is slower, so that the survivors stay different. */
static void evolve(double until)
{
	static struct one child;

	while (now_us(CLOCK_MONOTONIC) < until) {
		struct one *parent = &all.alive[pick(ALIVE)];
		memcpy(child.text, parent->text, TEXT_LEN);
		for (size_t n = 1 + pick(CHANGES); n > 0; n--)
			changes[pick(sizeof(changes) / sizeof(changes[0]))](child.text);
		child.us = measure(child.text, NULL, TRIES, &child.undecided);
		if (child.us > parent->us)
			*parent = child;
	}
	qsort(all.alive, ALIVE, sizeof(all.alive[0]), by_time);
}

static int by_cost(const void *left, const void *right)
{
	const struct cost *a = left, *b = right;

	return a->us < b->us ? 1 : a->us > b->us ? -1 : 0;
}

/* The time of each pattern alone, minus that of an empty scan; the slowest first. */
static double find_costs(const char *text, struct cost *cost)
{
	static uint64_t wanted[PATTERNS_MAX / 64 + 1];
	double none = measure(text, wanted, TRIES, NULL);

	for (size_t i = 0; i < all.count; i++) {
		wanted[i / 64] = 1ull << i % 64;
		cost[i] = (struct cost){measure(text, wanted, 1, NULL) - none, i};
		wanted[i / 64] = 0;
	}
	qsort(cost, all.count, sizeof(cost[0]), by_cost);
	return none;
}

/* Invalid characters become U+FFFD. */
static void keep(const struct one *o, FILE *to)
{
	struct scan_text raw;
	struct err err;

	must(normal_decode(o->text, TEXT_LEN, &raw, &err) == 0, "no memory");
	json_t *line = json_pack("{s:f, s:s%}", "us_per_kb", o->us * 1024 / TEXT_LEN, "text",
				 raw.data, raw.len);
	must(line && json_dumpf(line, to, JSON_COMPACT) == 0, "the file could not be written");
	fputc('\n', to);
	json_decref(line);
	normal_done(&raw);
}

/* Each pattern that is the slowest of a text, once. */
static void show(const struct one *o, FILE *to)
{
	static struct cost cost[PATTERNS_MAX];
	static bool seen[PATTERNS_MAX];
	double none = find_costs(o->text, cost);

	if (seen[cost[0].pattern])
		return;
	seen[cost[0].pattern] = true;
	printf("%.1f us/KB%s: ", o->us * 1024 / TEXT_LEN, o->undecided ? " (undecided)" : "");
	for (size_t i = 0; i < SHOWN_BYTES; i++)
		printf(o->text[i] >= ' ' && o->text[i] < 127 ? "%c" : "\\x%02x",
		       (unsigned char)o->text[i]);
	printf("\n  none %.1f", none);
	for (size_t i = 0; i < TOP && i < all.count; i++)
		printf(", %s %.1f", all.id[cost[i].pattern], cost[i].us);
	printf(" us\n");
	fflush(stdout); /* the next one takes a while */
	if (to)
		keep(o, to);
}

int main(int argc, char **argv)
{
	double begin, seconds = argc > 1 ? strtod(argv[1], NULL) : 60;
	FILE *to = argc > 3 ? fopen(argv[3], "we") : NULL;
	struct err err = {0};
	json_t *o;

	all.random = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 1;
	while ((o = json_loadf(stdin, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, NULL))) {
		take(o);
		json_decref(o);
	}
	must(all.count && all.seeds, "no expressions, or no texts");
	must(db_build(all.pattern, all.count, NULL, NULL, &all.db, &err) == 0, err.message);
	all.scratch = db_scratch_new(all.db, NULL, &err);
	must(all.scratch != NULL, err.message);
	begin = now_us(CLOCK_MONOTONIC);
	for (size_t i = 0; i < ALIVE; i++)
		make_first(&all.alive[i]);
	evolve(begin + seconds * 1e6);
	printf("%zu expressions, %zu texts, %zu scans in %.0f s\n", all.count, all.seeds, all.scans,
	       seconds);
	for (size_t i = 0; i < ALIVE; i++)
		show(&all.alive[i], to);
	if (to)
		must(fclose(to) == 0, "the file could not be written");
	db_scratch_free(all.scratch);
	db_free(all.db);
	return 0;
}
