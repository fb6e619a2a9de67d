/* SPDX-License-Identifier: MIT
 *
 * scan-bench [--slow]: how fast texts are scanned. Standard input is what events.mjs
 * prints: expressions {id, source, flags}, then events {set, text}. Each event is decoded,
 * normalised and scanned (and scanned raw when normalising changes it), once, in sequence, after
 * a first pass over the set that brings the machine's code into being: what a server sees. Prints a
 * line for each set; --slow: and the beginning of its slowest events.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scan/db.h"

enum { EXPRESSIONS_MAX = 20000, EVENTS_MAX = 100000, SETS_MAX = 64 };

struct event {
	char *text;
	size_t len, set;
	double us;
};

static struct {
	struct db_pattern pattern[EXPRESSIONS_MAX];
	char *id[EXPRESSIONS_MAX];
	size_t count;
	struct event event[EVENTS_MAX];
	size_t events;
	char *set[SETS_MAX];
	size_t sets;
	struct db *db;
	struct db_scratch *scratch;
	size_t hits, undecided;
	bool slow;
} all;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void die(const char *what)
{
	fprintf(stderr, "scan-bench: %s\n", what);
	exit(1);
}

static void take_expression(json_t *o)
{
	json_t *source = json_object_get(o, "source");
	const char *flags = json_string_value(json_object_get(o, "flags"));
	unsigned bits =
		(strchr(flags, 'i') ? JS_IGNORE_CASE : 0) | (strchr(flags, 'u') ? JS_UNICODE : 0);

	if (all.count == EXPRESSIONS_MAX)
		die("too many expressions");
	all.id[all.count] = strdup(json_string_value(json_object_get(o, "id")));
	all.pattern[all.count++] = (struct db_pattern){strdup(json_string_value(source)),
						       json_string_length(source), bits};
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

static void take_event(json_t *o)
{
	json_t *text = json_object_get(o, "text");
	size_t len = json_string_length(text);

	if (all.events == EVENTS_MAX)
		die("too many events");
	struct event *e = &all.event[all.events++];
	e->set = set_of(json_string_value(json_object_get(o, "set")));
	e->len = len;
	e->text = malloc(len + 1);
	if (!e->text)
		die("out of memory");
	memcpy(e->text, json_string_value(text), len + 1);
}

static void scan(const struct scan_text *text)
{
	struct db_hits hits;
	struct err err;

	if (db_scan(all.db, all.scratch, text, NULL, &hits, &err) < 0)
		die(err.message);
	all.hits += hits.yesc;
	all.undecided += hits.undecidedc;
}

static void run_event(struct event *e)
{
	struct scan_text raw, folded;
	struct err err;
	double start = now();

	if (normal_decode(e->text, e->len, &raw, &err) < 0 || normal_fold(&raw, &folded, &err) < 0)
		die(err.message);
	scan(&folded);
	if (folded.data != raw.data)
		scan(&raw);
	normal_done(&folded);
	normal_done(&raw);
	e->us = now() - start;
}

static int by_time(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Its slowest five. */
static void show_slow(size_t set, double from)
{
	int left = 5;

	for (size_t i = 0; i < all.events && left; i++) {
		const struct event *e = &all.event[i];
		if (e->set != set || e->us < from)
			continue;
		printf("  %9.1f us: %.60s\n", e->us, e->text);
		left--;
	}
}

static void run_set(size_t set)
{
	static double us[EVENTS_MAX];
	size_t n = 0, bytes = 0;
	double sum = 0;

	for (int pass = 0; pass < 2; pass++) {
		n = bytes = 0;
		sum = 0;
		all.hits = all.undecided = 0;
		for (size_t i = 0; i < all.events; i++) {
			struct event *e = &all.event[i];
			if (e->set != set)
				continue;
			run_event(e);
			us[n++] = e->us;
			sum += e->us;
			bytes += e->len;
		}
	}
	qsort(us, n, sizeof(us[0]), by_time);
	printf("%-20s n %5zu  us avg %9.1f p50 %9.1f p99 %9.1f max %9.1f  MB/s %6.1f  hits "
	       "%.2f%s\n",
	       all.set[set], n, sum / (double)n, us[n / 2], us[n * 99 / 100], us[n - 1],
	       (double)bytes / sum, (double)all.hits / (double)n,
	       all.undecided ? "  UNDECIDED" : "");
	if (all.undecided)
		printf("  undecided: %zu\n", all.undecided);
	if (all.slow)
		show_slow(set, us[n > 5 ? n - 5 : 0]);
	fflush(stdout);
}

/* From the sources to the cache, and from the cache. */
static void open_twice(void)
{
	char path[] = "/tmp/scan-bench.XXXXXX";
	struct db_cache opened = {.path = path};
	struct err err = {0};
	int fd = mkstemp(path);

	if (fd < 0)
		die("no temporary file");
	close(fd);
	for (int i = 0; i < 2; i++) {
		double start = now();

		db_free(all.db);
		if (db_open(&opened, all.pattern, all.count, NULL, NULL, &all.db, &err) < 0)
			die(err.message);
		printf("%zu expressions %s in %.1f ms\n", all.count,
		       opened.file == DB_FILE_READ ? "read from the cache" : "compiled and written",
		       (now() - start) / 1e3);
		if (i && opened.file != DB_FILE_READ)
			die(opened.why.message);
	}
	unlink(path);
}

int main(int argc, char **argv)
{
	struct err err = {0};
	json_t *o;

	all.slow = argc > 1 && !strcmp(argv[1], "--slow");
	while ((o = json_loadf(stdin, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, NULL))) {
		if (json_object_get(o, "source"))
			take_expression(o);
		else
			take_event(o);
		json_decref(o);
	}
	open_twice();
	all.scratch = db_scratch_new(all.db, NULL, &err);
	if (!all.scratch)
		die(err.message);
	for (size_t i = 0; i < all.sets; i++)
		run_set(i);
	return 0;
}
