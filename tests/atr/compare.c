/* SPDX-License-Identifier: MIT
 *
 * compare [EVERY]: compares a scan of each text with asking every pattern about the whole text.
 * Standard input is the output of texts.mjs: expressions {id, source, flags}, then texts {text,
 * own}. Asking all patterns takes milliseconds, so only one text in EVERY (1: all) is asked that
 * way. For the others, the patterns of the text's own rule are asked, and every pattern with a yes
 * in the scan. Raw and normalised text count as two, and the second is scanned after the first.
 * Texts are also joined to some thousand bytes, damaged in a few places, and the joined text is
 * scanned after the damaged one: all matches must be found. Prints TAP.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/tap.h"
#include "scan/find/pattern_db.h"

enum {
	EXPRESSIONS_MAX = 20000,
	SHOWN_MAX = 20,
	LINEAR_EVERY = 16,
	JOINED_MIN = 2500,
	JOINED_MAX = 8000,
	EDITS = 12,
	EDIT_MAX = 40,
};

static struct {
	struct db_pattern pattern[EXPRESSIONS_MAX];
	char *id[EXPRESSIONS_MAX];
	size_t count, refused, every;
	struct db *db;
	struct db_scratch *scratch;
	uint8_t *yes;
	uint64_t *no; /* patterns that match nowhere in the last text */
	char joined[JOINED_MAX], edited[2 * JOINED_MAX];
	size_t joined_len;
	uint64_t random;
	size_t edits, sooner, texts, whole, pairs, hits, missed, extra, undecided, linear, linearly,
		formless, shown;
} all;

static void refuse(void *context, size_t number, const struct err *why)
{
	(void)context;
	all.refused++;
	printf("# %s: %s\n", all.id[number], why->message);
}

static void show(const char *what, size_t number, const struct scan_text *t)
{
	if (all.shown++ >= SHOWN_MAX)
		return;
	printf("# %s %s: ", what, all.id[number]);
	for (size_t i = 0; i < t->len && i < 160; i++)
		printf(t->data[i] >= ' ' && t->data[i] < 127 ? "%c" : "\\x%02x",
		       (unsigned char)t->data[i]);
	printf("\n");
}

static void take_expression(json_t *o)
{
	json_t *source = json_object_get(o, "source");
	const char *flags = json_string_value(json_object_get(o, "flags"));
	unsigned bits =
		(strchr(flags, 'i') ? JS_IGNORE_CASE : 0) | (strchr(flags, 'u') ? JS_UNICODE : 0);

	if (all.count == EXPRESSIONS_MAX)
		exit(2);
	all.id[all.count] = strdup(json_string_value(json_object_get(o, "id")));
	all.pattern[all.count++] = (struct db_pattern){strdup(json_string_value(source)),
						       json_string_length(source), bits};
}

static void build(void)
{
	struct err err = {0};
	struct timespec a, b;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	int status = db_build(all.pattern, all.count, refuse, NULL, &all.db, &err);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	ok(status == 0, "the pack is a database");
	if (status < 0) {
		printf("# %s\n", err.message);
		exit(1);
	}
	printf("# made in %.2f s\n",
	       (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9);
	all.scratch = db_scratch_new(all.db, NULL, &err);
	all.yes = calloc(all.count, 1);
	all.no = calloc(all.count / 64 + 1, sizeof(*all.no));
	all.random = 1;
	if (!all.scratch || !all.yes || !all.no)
		exit(1);
}

/* The pattern's linear forms must give its ANSWER. */
static void check_linear(const struct scan_text *t, size_t number, enum match_answer answer)
{
	bool good = true, decided = true;

	for (int way = 0; way < DB_LINEARS; way++) {
		enum match_answer linear = db_match_linear(all.db, all.scratch, number, t, way);
		decided &= linear != MATCH_UNDECIDED;
		good &= linear == MATCH_UNDECIDED || answer == MATCH_UNDECIDED || linear == answer;
	}
	all.linear += decided;
	all.formless += !decided;
	if (good)
		return;
	all.linearly++;
	show("otherwise in linear form", number, t);
}

/* The scan must give NUMBER the same answer as the pattern alone. */
static void check(const struct scan_text *t, size_t number, bool linear)
{
	enum match_answer answer = db_match(all.db, all.scratch, number, t, NULL);

	all.pairs++;
	if (linear)
		check_linear(t, number, answer);
	if (answer == MATCH_UNDECIDED || all.yes[number] == 2) {
		all.undecided++;
		show("undecided", number, t);
	} else if (answer == MATCH_YES && !all.yes[number]) {
		all.missed++;
		show("missed", number, t);
	} else if (answer == MATCH_NO && all.yes[number]) {
		all.extra++;
		show("extra", number, t);
	}
}

/* Fills all.yes and all.no; returns the steps it took. */
static uint64_t scan(const struct scan_text *t, const struct db_before *before)
{
	uint64_t steps = db_steps(all.scratch);
	struct db_hits hits;
	struct err err;

	if (db_scan_after(all.db, all.scratch, t, NULL, before, &hits, &err) < 0)
		exit(1);
	memset(all.yes, 0, all.count);
	for (size_t i = 0; i < hits.yesc; i++)
		all.yes[hits.yes[i]] = 1;
	for (size_t i = 0; i < hits.undecidedc; i++)
		all.yes[hits.undecided[i]] = 2;
	for (size_t i = 0; i < all.count; i++)
		all.no[i / 64] = (all.no[i / 64] & ~((uint64_t)1 << i % 64)) | (uint64_t)!all.yes[i]
										       << i % 64;
	all.hits += hits.yesc;
	return db_steps(all.scratch) - steps;
}

static void compare(const struct scan_text *t, const struct db_before *before, json_t *own)
{
	scan(t, before);
	bool whole = all.texts++ % all.every == 0;
	/* The linear forms of all patterns are made again each time. */
	bool linear = whole && all.whole % LINEAR_EVERY == 0;
	all.whole += whole;
	for (size_t i = 0; i < all.count; i++)
		if (whole || all.yes[i])
			check(t, i, linear);
	for (size_t i = 0; i < json_array_size(own) && !whole; i++)
		check(t, (size_t)json_integer_value(json_array_get(own, i)), true);
}

static size_t pick(size_t n)
{
	all.random ^= all.random << 13;
	all.random ^= all.random >> 7;
	all.random ^= all.random << 17;
	return (size_t)(all.random >> 11) % n;
}

/* The joined text with some bytes left out, some inserted that occur elsewhere, or a space beyond
 * ASCII. Returns its length. */
static size_t edit(void)
{
	size_t len = all.joined_len;

	memcpy(all.edited, all.joined, len);
	for (size_t n = pick(EDITS) + 1; n; n--) {
		size_t at = pick(len), out = pick(EDIT_MAX), in = pick(EDIT_MAX);
		size_t from = pick(all.joined_len - in);
		const char *put = pick(4) ? all.joined + from : "\xc2\xa0";
		in = put == all.joined + from ? in : 2;
		out = out < len - at ? out : len - at;
		memmove(all.edited + at + in, all.edited + at + out, len - at - out);
		memcpy(all.edited + at, put, in);
		len += in - out;
	}
	return len;
}

/* Scanned after the damaged text, the text must have all its matches. */
static void compare_edited(void)
{
	struct scan_text was, is;
	struct err err;
	size_t len = edit();

	if (normal_decode(all.edited, len, &was, &err) < 0 ||
	    normal_decode(all.joined, all.joined_len, &is, &err) < 0)
		exit(1);
	uint64_t alone = scan(&is, NULL);
	scan(&was, NULL);
	struct db_before before = {&was, all.no};
	all.sooner += scan(&is, &before) < alone;
	all.edits++;
	for (size_t i = 0; i < all.count; i++)
		check(&is, i, false);
	normal_done(&is);
	normal_done(&was);
	all.joined_len = 0;
}

static void join(const char *text, size_t len)
{
	if (all.joined_len + len + 1 < JOINED_MAX) {
		memcpy(all.joined + all.joined_len, text, len);
		all.joined_len += len;
		all.joined[all.joined_len++] = '\n';
	}
	if (all.joined_len > JOINED_MIN)
		compare_edited();
}

static void take_text(json_t *o)
{
	json_t *text = json_object_get(o, "text"), *own = json_object_get(o, "own");
	struct scan_text raw, folded;
	struct err err;

	if (normal_decode(json_string_value(text), json_string_length(text), &raw, &err) < 0 ||
	    normal_fold(&raw, &folded, &err) < 0)
		exit(1);
	compare(&raw, NULL, own);
	struct db_before before = {&raw, all.no};
	if (folded.data != raw.data)
		compare(&folded, &before, own);
	normal_done(&folded);
	normal_done(&raw);
	join(json_string_value(text), json_string_length(text));
}

int main(int argc, char **argv)
{
	json_t *o;

	all.every = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	while ((o = json_loadf(stdin, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, NULL))) {
		if (json_object_get(o, "source")) {
			take_expression(o);
		} else {
			if (!all.db)
				build();
			take_text(o);
		}
		json_decref(o);
	}
	ok(all.count && all.texts, "%zu expressions, %zu texts", all.count, all.texts);
	ok(all.refused == 0, "every one is an expression");
	ok(all.hits > all.texts / 2, "%zu matches in %zu questions, %zu texts asked of everybody",
	   all.hits, all.pairs, all.whole);
	ok(all.missed == 0, "a scan misses nothing (%zu)", all.missed);
	ok(all.extra == 0, "and makes nothing up (%zu)", all.extra);
	ok(all.linear > all.formless * 20 && all.linearly == 0,
	   "the linear way says the same %zu times (%zu not; %zu without such a form)", all.linear,
	   all.linearly, all.formless);
	ok(all.edits > 20 && all.sooner > all.edits * 9 / 10,
	   "a text is scanned with fewer steps after what is much the same, %zu of %zu times",
	   all.sooner, all.edits);
	ok(all.undecided == 0, "and decides (%zu not)", all.undecided);
	return tap_done();
}
