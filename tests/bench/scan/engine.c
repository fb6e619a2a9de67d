/* SPDX-License-Identifier: MIT
 *
 * scan-engine RULES MODE [MAX]: runs the engine on the events from events.mjs (standard input) in
 * the same way as reference.mjs runs the npm engine: the same text in every field, all rules. Of
 * each set every other event warms up; the others are scanned once, in sequence; with MAX only
 * that many. All sets are warmed up before the first is measured, because machine code is made
 * when an expression is first needed, which in a server is soon. The time includes everything:
 * decoding, normalising, fields, rules, sorting. One JSON line a set, in processor time. No event
 * may be left out of the numbers.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "detect/engine.h"

enum { EVENTS_MAX = 100000, SETS_MAX = 64, FIELDS = 9 };

struct sample {
	struct node text;
	size_t set;
};

static struct {
	struct pack pack;
	struct arena arena;
	struct pattern_list patterns;
	struct db *db;
	struct engine *engine;
	struct engine_thread *thread;
	struct sample sample[EVENTS_MAX];
	size_t samples;
	char *set[SETS_MAX];
	size_t sets;
} all;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void die(const char *what)
{
	fprintf(stderr, "scan-engine: %s\n", what);
	exit(1);
}

static size_t set_of(const char *name)
{
	size_t i = 0;

	while (i < all.sets && strcmp(all.set[i], name) != 0)
		i++;
	if (i == SETS_MAX)
		die("too many sets");
	if (i == all.sets)
		all.set[all.sets++] = strdup(name);
	return i;
}

static void take(const char *line, size_t len)
{
	json_t *o = json_loadb(line, len, JSON_ALLOW_NUL, NULL);
	json_t *text = json_object_get(o, "text");
	size_t size = json_string_length(text);

	if (!o)
		die("a line is no JSON");
	if (text) {
		char *copy = malloc(size + 1);
		if (all.samples == EVENTS_MAX || !copy)
			die("too many events");
		memcpy(copy, json_string_value(text), size + 1);
		all.sample[all.samples++] = (struct sample){
			.text = {.kind = NODE_STRING, .line = 1, .size = 1, .text = {copy, size}},
			.set = set_of(json_string_value(json_object_get(o, "set")))};
	}
	json_decref(o);
}

/* Milliseconds: made from the sources and written to a file; read from the file. */
static void open_database(double ret_ms[2])
{
	char path[] = "/tmp/scan-engine.XXXXXX";
	struct db_cache cache = {.path = path};
	struct err err;
	int fd = mkstemp(path);

	if (fd < 0)
		die("no temporary file");
	close(fd);
	if (patterns_collect(&all.pack, &all.arena, &all.patterns, &err) < 0)
		die(err.message);
	db_key(all.patterns.pattern, all.patterns.count, cache.key);
	for (int i = 0; i < 2; i++) {
		double before = now();
		db_free(all.db);
		if (db_open(&cache, all.patterns.pattern, all.patterns.count, NULL, NULL, &all.db,
			    &err) < 0)
			die(err.message);
		ret_ms[i] = (now() - before) / 1e3;
	}
	unlink(path);
	if (cache.file != DB_FILE_READ)
		die(cache.why.message);
}

static void start(const char *rules, const char *mode)
{
	struct pack_options packs = {.strict = true};
	struct engine_options options = {.mode = strcmp(mode, "strict") == 0 ? DETECT_STRICT
									     : DETECT_REFERENCE};
	double opened[2], before = now();
	struct err err;

	if (pack_load(&all.pack, rules, &packs, &err) < 0)
		die(err.message);
	double loaded = now();
	open_database(opened);
	double made = now();
	if (engine_new(&all.pack, &all.patterns, all.db, &options, &all.engine, &err) < 0)
		die(err.message);
	all.thread = engine_thread_new(all.engine, &err);
	if (!all.thread)
		die(err.message);
	printf("{\"start\":{\"rules_ms\":%.1f,\"compile_ms\":%.1f,\"read_ms\":%.1f,"
	       "\"engine_ms\":%.1f}}\n",
	       (loaded - before) / 1e3, opened[0], opened[1], (now() - made) / 1e3);
}

/* Returns the time; adds the number of findings. */
static double ask(const struct sample *s, size_t *found, size_t *undecided)
{
	static const char *const names[FIELDS] = {
		"user_input", "agent_output",  "tool_response",	   "tool_name", "tool_args",
		"content",    "agent_message", "tool_description", "tool_input"};
	struct node_pair pair[FIELDS];
	struct findings f = {0};
	struct err err;

	for (size_t i = 0; i < FIELDS; i++)
		pair[i] = (struct node_pair){{names[i], strlen(names[i])}, &s->text, 1};
	struct node fields = {.kind = NODE_MAP, .line = 1, .height = 1, .size = FIELDS + 1};
	fields.map.count = FIELDS;
	fields.map.pair = pair;
	struct event event = {.type = EVENT_OTHER,
			      .content = s->text.text,
			      .fields = &fields,
			      .time_ms = EVENT_TIME_NONE};
	double before = now();
	if (engine_scan(all.engine, all.thread, &event, &f, &err) < 0)
		die(err.message);
	double took = now() - before;
	for (size_t i = 0; i < f.count; i++)
		*(f.list[i].undecided ? undecided : found) += 1;
	findings_done(&f);
	return took;
}

static int by_time(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void run_set(size_t set, size_t max)
{
	static double us[EVENTS_MAX];
	size_t n = 0, bytes = 0, found = 0, undecided = 0, seen = 0;
	double sum = 0;

	for (size_t i = 0; i < all.samples && n < max; i++) {
		if (all.sample[i].set != set || seen++ % 2 == 0)
			continue;
		us[n] = ask(&all.sample[i], &found, &undecided);
		sum += us[n++];
		bytes += all.sample[i].text.text.len;
	}
	if (!n)
		return;
	qsort(us, n, sizeof(us[0]), by_time);
	printf("{\"set\":\"%s\",\"n\":%zu,\"avg\":%.2f,\"p50\":%.2f,\"p99\":%.2f,\"max\":%.2f,"
	       "\"mbs\":%.3f,\"rules\":%.3f,\"undecided\":%zu}\n",
	       all.set[set], n, sum / (double)n, us[n / 2], us[n * 99 / 100], us[n - 1],
	       (double)bytes / sum, (double)found / (double)n, undecided);
	fflush(stdout);
}

static void warm_up(void)
{
	size_t seen[SETS_MAX] = {0}, ignored = 0;

	for (size_t i = 0; i < all.samples; i++)
		if (seen[all.sample[i].set]++ % 2 == 0)
			ask(&all.sample[i], &ignored, &ignored);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0;

	if (argc < 3)
		die("RULES MODE [MAX]");
	size_t max = argc > 3 ? strtoul(argv[3], NULL, 10) : EVENTS_MAX;
	start(argv[1], argv[2]);
	for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;)
		take(line, (size_t)len);
	warm_up();
	for (size_t set = 0; set < all.sets; set++)
		run_set(set, max);
	free(line);
	return 0;
}
