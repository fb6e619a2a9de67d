/* SPDX-License-Identifier: MIT
 *
 * The benchmark's main: prepare, prove every tool, measure, report. `tests/bench/run` calls it once
 * as root and once as an ordinary user; it knows only the user it runs as.
 * Exit status 0 means every tool that belongs here was measured, whatever the numbers say; 1 means
 * one of them did not run; 2 means wrong usage.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define ROUNDS_DEFAULT 300
#define ROUNDS_PYTHON_SHARE 4
#define ROUNDS_INSIDE 5
#define SECONDS_DEFAULT 2

struct flag {
	const char *name;
	size_t at; /* where in struct bench the value goes */
	bool number, required;
};

static const struct flag flags[] = {
	{"cordon", offsetof(struct bench, cordon), false, true},
	{"gated", offsetof(struct bench, gated), false, true},
	{"filter", offsetof(struct bench, filter), false, true},
	{"here", offsetof(struct bench, here), false, true},
	{"scratch", offsetof(struct bench, scratch), false, true},
	{"json", offsetof(struct bench, json_path), false, true},
	{"only", offsetof(struct bench, only), false, false},
	{"goal", offsetof(struct bench, goal), false, false},
	{"rounds", offsetof(struct bench, rounds), true, false},
	{"seconds", offsetof(struct bench, seconds), true, false},
};
#define FLAGS_COUNT (sizeof(flags) / sizeof(flags[0]))

static int flag_set(struct bench *b, const char *name, const char *value)
{
	for (size_t i = 0; i < FLAGS_COUNT; i++) {
		if (strcmp(flags[i].name, name) != 0)
			continue;
		void *to = (char *)b + flags[i].at;
		if (flags[i].number)
			*(unsigned *)to = (unsigned)strtoul(value, NULL, 10);
		else
			*(const char **)to = value;
		return 0;
	}
	return -1;
}

static int flags_read(struct bench *b, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2)
		if (strncmp(argv[i], "--", 2) != 0 || i + 1 >= argc ||
		    flag_set(b, argv[i] + 2, argv[i + 1]) < 0)
			return -1;
	for (size_t i = 0; i < FLAGS_COUNT; i++)
		if (flags[i].required && !*(const char **)(void *)((char *)b + flags[i].at))
			return -1;
	return b->rounds ? 0 : -1;
}

static int scratch_error_file(const struct bench *b)
{
	char path[PATH_BYTES_MAX];
	snprintf(path, sizeof(path), "%s/stderr", b->scratch);
	return open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
}

static void measure_all(struct bench *b)
{
	fprintf(stderr, "bench: uid %d: cold starts\n", (int)getuid());
	b->realtime = priority_is_realtime();
	measure_cold(b, WORK_TRUE, b->rounds);
	measure_cold(b, WORK_PYTHON, b->rounds / ROUNDS_PYTHON_SHARE);
	measure_cold(b, WORK_SCRIPT, b->rounds / ROUNDS_PYTHON_SHARE);
	measure_cold(b, WORK_JOB, b->rounds / ROUNDS_PYTHON_SHARE);
	fprintf(stderr, "bench: uid %d: code inside, memory\n", (int)getuid());
	measure_inside(b, ROUNDS_INSIDE);
	priority_lower();
	measure_memory(b);
	fprintf(stderr, "bench: uid %d: sandboxes per second\n", (int)getuid());
	if (b->seconds)
		measure_clients(b);
}

int main(int argc, char **argv)
{
	static struct bench b = {.rounds = ROUNDS_DEFAULT, .seconds = SECONDS_DEFAULT};
	if (flags_read(&b, argc, argv) < 0) {
		fprintf(stderr,
			"usage: %s --cordon FILE --gated FILE --filter FILE --here DIR --scratch "
			"DIR "
			"--json FILE [--rounds N] [--seconds N] [--only NAME,NAME] "
			"[--goal NAME]\n",
			argv[0]);
		return 2;
	}
	b.root = geteuid() == 0;
	b.err_fd = scratch_error_file(&b);
	if (b.err_fd < 0 || bundles_prepare(&b) < 0) {
		fprintf(stderr, "bench: cannot write to %s\n", b.scratch);
		return 1;
	}
	if (filter_measure(&b) < 0)
		fprintf(stderr, "bench: cannot use the filter %s\n", b.filter);
	tools_verify(&b);
	measure_all(&b);
	int rc = report(&b, stdout);
	if (report_json(&b) < 0) {
		fprintf(stderr, "bench: cannot write %s\n", b.json_path);
		return 1;
	}
	return rc < 0 ? 1 : 0;
}
