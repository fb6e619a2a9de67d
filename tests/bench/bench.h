/* SPDX-License-Identifier: MIT
 *
 * The nouns of the benchmark: a work (what runs), a tool (what runs it), a plan (one tool with one
 * work, ready to spawn) and what was measured of each.
 * Works and tools are rows in tools.c: a new peer is one row there and nothing here.
 * Must never decide a test: a slow tool is a number, only a tool that did not run is a failure.
 */
#ifndef CORDON_BENCH_H
#define CORDON_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define PLAN_WORDS_MAX 96
#define PLAN_TEXT_MAX 8192
#define PATH_BYTES_MAX 512
#define REASON_BYTES_MAX 512
#define INSIDE_MAX 8
#define INSIDE_NAME_MAX 24
#define TOOLS_MAX 16
#define FILTER_FD 9
#define SPAWN_TIMEOUT_MS 20000

enum work_id {
	WORK_TRUE,
	WORK_PYTHON,
	WORK_SCRIPT,
	WORK_JOB,
	WORK_ECHO,
	WORK_SLEEP,
	WORK_INSIDE,
	WORK_COUNT
};

/* One program, said twice: as argv for those that take a command, as arguments of `cordon run`. */
struct work {
	const char *name;
	const char *cmd;
	const char *box;
	const char *input; /* file under {here} given as stdin, NULL for /dev/null */
	const char *help;
};

enum need {
	NEED_ROOT = 1,	       /* cannot work, or is not configured here, for an ordinary user */
	NEED_FILTER = 4,       /* takes the filter on FILTER_FD */
	NEED_BUNDLE = 8,       /* takes a directory with config.json */
	NEED_PURE_CGROUP = 16, /* refuses hosts that mix cgroup v1 and v2 */
	NEED_ACCOUNT = 32,     /* refuses a user without a line in passwd */
};

struct tool {
	const char *name;
	const char *program; /* looked for in PATH; a name in braces is taken as it is */
	const char *argv;    /* words; {cmd} and {box} become the work's words */
	unsigned needs;
	unsigned every; /* takes part in every n-th round: slow peers get fewer */
	const char *help;
};

extern const struct work works[WORK_COUNT];
extern const struct tool tools[];
extern const size_t tools_count;

struct series {
	double *v;
	size_t n, max;
};

struct summary {
	double median, p99, min;
};

enum state { STATE_ABSENT, STATE_NOT_HERE, STATE_FAILED, STATE_RAN };

#define CLIENT_ROWS 3
extern const unsigned client_counts[CLIENT_ROWS];

struct memory {
	long pss_kb, dirty_kb;
	unsigned processes, unreadable;
};

struct inside {
	char name[INSIDE_NAME_MAX];
	struct series ms;
};

struct outcome {
	enum state state;
	char reason[REASON_BYTES_MAX];
	unsigned failures;
	struct series us[WORK_COUNT];
	double per_second[CLIENT_ROWS];
	struct memory memory;
	struct inside inside[INSIDE_MAX];
};

struct bench {
	const char *cordon, *gated, *here, *scratch, *filter, *json_path, *only, *goal;
	unsigned rounds, seconds;
	bool root, realtime;
	size_t filter_len;
	int err_fd;
	struct outcome out[TOOLS_MAX];
};

struct plan {
	const struct tool *tool;
	const struct work *work;
	char *argv[PLAN_WORDS_MAX];
	size_t words;
	char text[PLAN_TEXT_MAX];
	size_t used;
	char id[32];
	char input[PATH_BYTES_MAX];
	const char *filter;
};

/* plan.c */
int plan_make(struct plan *p, const struct bench *b, const struct tool *t, const struct work *w);

/* spawn.c: all return 0, or -1 with ret_reason filled */
int spawn_start(struct plan *p, int out_fd, int err_fd, pid_t *ret_pid);
int spawn_finish(pid_t pid, char *ret_reason);
int spawn_time(struct plan *p, int err_fd, double *ret_us, char *ret_reason);
int spawn_read(struct plan *p, int err_fd, char *buf, size_t size, char *ret_reason);
void spawn_blame(int err_fd, char *reason);
double now_us(void);

/* setup.c */
bool tool_is_present(const struct tool *t);
int filter_measure(struct bench *b);
int bundles_prepare(const struct bench *b);
void tools_verify(struct bench *b);
bool priority_is_realtime(void);
void priority_lower(void);

/* measure.c */
void measure_cold(struct bench *b, enum work_id w, unsigned rounds);
void measure_clients(struct bench *b);
void measure_inside(struct bench *b, unsigned rounds);

/* memory.c */
void measure_memory(struct bench *b);

/* stats.c */
int series_add(struct series *s, double v);
struct summary series_summary(struct series *s);

/* report.c */
int report(struct bench *b, FILE *f);
int report_json(struct bench *b);

#endif
