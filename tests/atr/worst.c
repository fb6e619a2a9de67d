/* SPDX-License-Identifier: MIT
 *
 * worst RULES EVERY [COUNT]: the time for texts that are made to be slow. Standard input is the
 * output of texts.mjs. From one text in EVERY several of TEXT_LEN bytes are made: repeated, cut
 * short, cut shorter, without spaces, with a gap, shuffled. The engine runs in strict mode with
 * the text in every field, so the time includes layers, rules and sorting. It is processor time; a
 * slow text is tried several times and the fastest counts, because the machine has other work.
 * Prints a line for each way, and for the COUNT slowest texts the patterns that take the time. It
 * only reports: time must never decide a test.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "detect/engine.h"

enum {
	TEXT_LEN = 100000,
	SLOW_US = 25000, /* is tried again */
	GOAL_US = 50000,
	TRIES = 3,
	SHOWN_MAX = 64,
	SHOWN_BYTES = 100,
	TOP = 6,
	DEAR_US = 500,
	FIELDS = 9,
	WAYS_MAX = 16,
};

struct slow {
	double us;
	const char *way;
	char *text;
};

static struct {
	struct pack pack;
	struct arena arena;
	struct pattern_list patterns;
	struct db *db;
	struct db_scratch *scratch;
	struct engine *engine;
	struct engine_thread *thread;
	uint64_t random;
	struct {
		double sum, max;
		size_t count, over, undecided;
	} way[WAYS_MAX];
	struct slow slow[SHOWN_MAX + 1];
	size_t shown, slows;
	char text[TEXT_LEN + 1];
} all;

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "worst: %s\n", what);
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static size_t pick(size_t n)
{
	all.random ^= all.random << 13;
	all.random ^= all.random >> 7;
	all.random ^= all.random << 17;
	return (size_t)(all.random >> 11) % n;
}

static void fill(const char *s, size_t len, char between)
{
	for (size_t at = 0, i = 0; at < TEXT_LEN; at++, i = i == len ? 0 : i + 1)
		all.text[at] = i == len ? between : s[i];
}

static void repeated(const char *s, size_t len)
{
	fill(s, len, ' ');
}

static void lines(const char *s, size_t len)
{
	fill(s, len, '\n');
}

static void cut(const char *s, size_t len)
{
	fill(s, len * 7 / 10 + 1, ' ');
}

static void cut_short(const char *s, size_t len)
{
	fill(s, len * 35 / 100 + 1, ' ');
}

static void glued(const char *s, size_t len)
{
	char *to = malloc(len + 1);
	size_t n = 0;

	must(to, "no memory");
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] > 0x20)
			to[n++] = s[i];
	to[n++] = '.';
	fill(to, n - 1, to[n - 1]);
	free(to);
}

/* One long gap before some word. */
static void stretched(const char *s, size_t len)
{
	size_t at = pick(len), before = at, gap = TEXT_LEN > len ? TEXT_LEN - len : 0;

	while (at && s[at] > ' ')
		at--;
	before = at;
	memcpy(all.text, s, before < TEXT_LEN ? before : TEXT_LEN);
	for (size_t i = 0; i < gap && before + i < TEXT_LEN; i++)
		all.text[before + i] = "word "[i % 5];
	for (size_t i = before + gap; i < TEXT_LEN; i++)
		all.text[i] = s[at++];
}

/* Its words in random order, so that nothing repeats. */
static void shuffled(const char *s, size_t len)
{
	for (size_t at = 0; at < TEXT_LEN;) {
		size_t from = pick(len), most = 4 + pick(60);
		while (from && s[from - 1] > ' ')
			from--;
		for (; from < len && most && at < TEXT_LEN; most--)
			all.text[at++] = s[from++];
		if (at < TEXT_LEN)
			all.text[at++] = ' ';
	}
}

static const struct {
	const char *name;
	void (*make)(const char *s, size_t len);
} ways[] = {
	{"repeated", repeated},	    {"as lines", lines},      {"cut at 70 %", cut},
	{"cut at 35 %", cut_short}, {"stretched", stretched}, {"glued", glued},
	{"shuffled", shuffled},
};

enum { WAYS = sizeof(ways) / sizeof(ways[0]) };

static double ask(size_t *undecided)
{
	static const char *const names[FIELDS] = {
		"user_input", "agent_output",  "tool_response",	   "tool_name", "tool_args",
		"content",    "agent_message", "tool_description", "tool_input"};
	struct node text = {
		.kind = NODE_STRING, .line = 1, .size = 1, .text = {all.text, TEXT_LEN}};
	struct node_pair pair[FIELDS];
	struct findings f = {0};
	struct err err;

	for (size_t i = 0; i < FIELDS; i++)
		pair[i] = (struct node_pair){{names[i], strlen(names[i])}, &text, 1};
	struct node fields = {.kind = NODE_MAP, .line = 1, .height = 1, .size = FIELDS + 1};
	fields.map.count = FIELDS;
	fields.map.pair = pair;
	struct event event = {.type = EVENT_OTHER,
			      .content = text.text,
			      .fields = &fields,
			      .time_ms = EVENT_TIME_NONE};
	double before = now_us();
	must(engine_scan(all.engine, all.thread, &event, &f, &err) == 0, err.message);
	double took = now_us() - before;
	*undecided = 0;
	for (size_t i = 0; i < f.count; i++)
		*undecided += f.list[i].undecided;
	findings_done(&f);
	return took;
}

/* Adds it to the slowest, in order. */
static void remember(size_t way, double us)
{
	size_t i = all.slows;

	if (i == all.shown && (!i || all.slow[i - 1].us >= us))
		return;
	for (; i > 0 && all.slow[i - 1].us < us; i--)
		all.slow[i] = all.slow[i - 1];
	all.slow[i] = (struct slow){us, ways[way].name, strndup(all.text, TEXT_LEN)};
	if (all.slows < all.shown)
		all.slows++;
	else
		free(all.slow[all.shown].text);
}

static void try(size_t way, const char *s, size_t len)
{
	size_t undecided;

	ways[way].make(s, len);
	double best = ask(&undecided);
	for (int i = 1; i < TRIES && best > SLOW_US; i++) {
		double us = ask(&undecided);
		best = us < best ? us : best;
	}
	all.way[way].sum += best;
	all.way[way].count++;
	all.way[way].over += best > GOAL_US;
	all.way[way].undecided += undecided;
	all.way[way].max = best > all.way[way].max ? best : all.way[way].max;
	remember(way, best);
}

static void start(const char *rules)
{
	struct pack_options packs = {.strict = true};
	struct engine_options options = {.mode = DETECT_STRICT};
	struct err err;

	must(pack_load(&all.pack, rules, &packs, &err) == 0, err.message);
	must(patterns_collect(&all.pack, &all.arena, &all.patterns, &err) == 0, err.message);
	must(db_build(all.patterns.pattern, all.patterns.count, NULL, NULL, &all.db, &err) == 0,
	     err.message);
	must(engine_new(&all.pack, &all.patterns, all.db, &options, &all.engine, &err) == 0,
	     err.message);
	all.thread = engine_thread_new(all.engine, &err);
	all.scratch = db_scratch_new(all.db, NULL, &err);
	must(all.thread && all.scratch, err.message);
}

static double scan_for(const struct scan_text *text, const uint64_t *wanted)
{
	struct db_hits hits;
	struct err err;
	double best = 1e12;

	for (int i = 0; i < 2; i++) {
		double before = now_us();
		must(db_scan(all.db, all.scratch, text, wanted, &hits, &err) == 0, err.message);
		double us = now_us() - before;
		best = us < best ? us : best;
	}
	return best;
}

struct cost {
	double us;
	size_t pattern;
};

static int by_cost(const void *left, const void *right)
{
	const struct cost *a = left, *b = right;

	return a->us < b->us ? 1 : a->us > b->us ? -1 : 0;
}

/* The time of each pattern alone, minus that of an empty scan. Patterns are skipped when 64 of
 * them together take almost no time. */
static void find_costs(const struct scan_text *text, double none, struct cost *cost)
{
	size_t count = all.patterns.count, words = count / 64 + 1;
	uint64_t *wanted = calloc(words, sizeof(*wanted));

	must(wanted, "no memory");
	for (size_t w = 0; w < words; w++) {
		wanted[w] = ~(uint64_t)0;
		bool dear = scan_for(text, wanted) > none + DEAR_US;
		for (size_t i = w * 64; i < count && i < w * 64 + 64; i++) {
			wanted[w] = (uint64_t)1 << i % 64;
			cost[i] = (struct cost){dear ? scan_for(text, wanted) - none : 0, i};
		}
		wanted[w] = 0;
	}
	free(wanted);
	qsort(cost, count, sizeof(*cost), by_cost);
}

static void show(const struct slow *s)
{
	uint64_t *nobody = calloc(all.patterns.count / 64 + 1, sizeof(*nobody));
	struct cost *cost = calloc(all.patterns.count, sizeof(*cost));
	struct scan_text raw;
	struct err err;

	must(nobody && cost && normal_decode(s->text, strlen(s->text), &raw, &err) == 0,
	     "no memory");
	double none = scan_for(&raw, nobody);
	find_costs(&raw, none, cost);
	printf("%.1f ms, %s: ", s->us / 1e3, s->way);
	for (size_t i = 0; s->text[i] && i < SHOWN_BYTES; i++)
		printf(s->text[i] >= ' ' && s->text[i] < 127 ? "%c" : "\\x%02x",
		       (unsigned char)s->text[i]);
	printf("\n  none %.1f, all %.1f", none / 1e3, scan_for(&raw, NULL) / 1e3);
	for (size_t i = 0; i < TOP; i++)
		printf(", %.1f /%.40s/", cost[i].us / 1e3,
		       all.patterns.pattern[cost[i].pattern].source);
	printf(" ms\n");
	fflush(stdout);
	normal_done(&raw);
	free(nobody);
	free(cost);
}

static void report(void)
{
	printf("%-14s %7s %9s %9s %12s %10s\n", "way", "texts", "mean ms", "max ms", "over 50 ms",
	       "undecided");
	for (size_t i = 0; i < WAYS; i++)
		printf("%-14s %7zu %9.2f %9.2f %12zu %10zu\n", ways[i].name, all.way[i].count,
		       all.way[i].sum / 1e3 / (double)all.way[i].count, all.way[i].max / 1e3,
		       all.way[i].over, all.way[i].undecided);
	fflush(stdout);
	for (size_t i = 0; i < all.slows; i++)
		show(&all.slow[i]);
}

int main(int argc, char **argv)
{
	size_t every, seen = 0;
	json_t *o;

	must(argc >= 3, "RULES EVERY [COUNT]");
	every = strtoul(argv[2], NULL, 10);
	all.shown = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	must(every && all.shown <= SHOWN_MAX, "EVERY is at least 1, COUNT at most 64");
	all.random = 4711;
	start(argv[1]);
	while ((o = json_loadf(stdin, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, NULL))) {
		const char *s = json_string_value(json_object_get(o, "text"));
		if (s && s[0] && seen++ % every == 0)
			for (size_t i = 0; i < WAYS; i++)
				try(i, s, strlen(s));
		json_decref(o);
	}
	must(seen, "no texts");
	report();
	return 0;
}
