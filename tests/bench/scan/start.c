/* SPDX-License-Identifier: MIT
 *
 * scan-start CACHE PROGRAM RULES...: the cost for a fresh process to scan one program: the rules
 * are opened from the cache, and the program is scanned as a tool call and as a text. Prints one
 * JSON line: processor time in microseconds for each, page faults, and findings. It must never
 * fail because of a time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "detect/packs.h"

enum { PROGRAM_MAX = 1 << 20, LEAST = 4 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static long faults(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_minflt + u.ru_majflt;
}

static void die(const char *what)
{
	fprintf(stderr, "scan-start: %s\n", what);
	exit(1);
}

static struct text read_program(const char *path)
{
	static char data[PROGRAM_MAX];
	FILE *f = fopen(path, "re");
	size_t len = f ? fread(data, 1, sizeof(data), f) : 0;

	if (!f || fclose(f) != 0)
		die(path);
	return (struct text){data, len};
}

/* The time it took. */
static double ask(const struct packs *set, const struct event *event, struct findings *ret)
{
	double before = now();
	struct err err;

	if (engine_scan(set->engine, set->thread, event, ret, &err) < 0)
		die(err.message);
	return now() - before;
}

static void print_findings(const char *name, const struct findings *f)
{
	printf(",\"%s\":[", name);
	for (size_t i = 0; i < f->count; i++)
		printf("%s\"%s\"", i ? "," : "", f->list[i].rule->id);
	printf("]");
}

int main(int argc, char **argv)
{
	if (argc < LEAST)
		die("scan-start CACHE PROGRAM RULES...");
	struct packs_options options = {.directory = (const char *const *)argv + 3,
					.directories = (size_t)argc - 3,
					.places.cache = argv[1]};
	struct engine_options engine = {0};
	struct event call = {.type = EVENT_TOOL_CALL, .time_ms = EVENT_TIME_NONE};
	struct event text = {.plain = true, .time_ms = EVENT_TIME_NONE};
	struct findings as_call = {0}, as_text = {0};
	struct packs set = {0};
	struct err err;

	call.content = text.content = read_program(argv[2]);
	double before = now();
	long faults_before = faults();
	if (packs_open(&set, &options, &engine, &err) < 0)
		die(err.message);
	double opened = now() - before, one = ask(&set, &call, &as_call),
	       two = ask(&set, &text, &as_text), again = ask(&set, &text, &as_text);
	printf("{\"open_us\":%.0f,\"call_us\":%.0f,\"text_us\":%.0f,\"again_us\":%.0f,"
	       "\"faults\":%ld",
	       opened, one, two, again, faults() - faults_before);
	print_findings("call", &as_call);
	print_findings("text", &as_text);
	printf("}\n");
	findings_done(&as_call);
	findings_done(&as_text);
	packs_done(&set);
	return 0;
}
