/* SPDX-License-Identifier: MIT
 *
 * Cold start, sandboxes per second and the speed of code inside.
 * All tools take part in each round, in a new order every time: load, heat and the kernel's late
 * clean-up of the last sandbox's network namespace then fall on all of them alike.
 * Must never mix a failed run into the numbers; failures are counted and named.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define ORDER_SEED 20260101u
#define INSIDE_TEXT_MAX 1024
#define SETTLE_US 200000

static void order_shuffle(size_t *order, size_t n, unsigned *seed)
{
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)rand_r(seed) % i, keep = order[i - 1];
		order[i - 1] = order[j];
		order[j] = keep;
	}
}

static void failure_note(struct bench *b, struct outcome *o, const struct work *w, const char *why)
{
	if (o->failures++)
		return;
	snprintf(o->reason, sizeof(o->reason), "%s: %.400s", w->name, why);
	spawn_blame(b->err_fd, o->reason);
}

typedef void turn_fn(struct bench *b, struct plan *p, struct outcome *o, enum work_id w);

static void rounds_run(struct bench *b, enum work_id w, unsigned rounds, bool skip, turn_fn *turn)
{
	size_t order[TOOLS_MAX];
	unsigned seed = ORDER_SEED;
	struct plan *plans = calloc(tools_count, sizeof(*plans));
	if (!plans)
		return;
	for (size_t i = 0; i < tools_count; i++) {
		order[i] = i;
		if (b->out[i].state == STATE_RAN &&
		    plan_make(&plans[i], b, &tools[i], &works[w]) < 0)
			failure_note(b, &b->out[i], &works[w], "its row is too long");
	}
	for (unsigned r = 0; r < rounds; r++) {
		order_shuffle(order, tools_count, &seed);
		for (size_t k = 0; k < tools_count; k++) {
			size_t i = order[k];
			if (plans[i].words && !(skip && r % tools[i].every))
				turn(b, &plans[i], &b->out[i], w);
		}
	}
	free(plans);
}

static void turn_cold(struct bench *b, struct plan *p, struct outcome *o, enum work_id w)
{
	char why[REASON_BYTES_MAX] = "";
	double us = 0;
	if (spawn_time(p, b->err_fd, &us, why) < 0)
		failure_note(b, o, p->work, why);
	else
		series_add(&o->us[w], us);
}

void measure_cold(struct bench *b, enum work_id w, unsigned rounds)
{
	rounds_run(b, w, rounds, true, turn_cold);
}

static struct series *inside_series(struct outcome *o, const char *name)
{
	for (size_t i = 0; i < INSIDE_MAX; i++) {
		if (!o->inside[i].name[0])
			snprintf(o->inside[i].name, INSIDE_NAME_MAX, "%s", name);
		if (strcmp(o->inside[i].name, name) == 0)
			return &o->inside[i].ms;
	}
	return NULL;
}

static void turn_inside(struct bench *b, struct plan *p, struct outcome *o, enum work_id w)
{
	char text[INSIDE_TEXT_MAX], why[REASON_BYTES_MAX] = "", name[INSIDE_NAME_MAX];
	double ms = 0;
	int used = 0;
	(void)w;
	if (spawn_read(p, b->err_fd, text, sizeof(text), why) < 0) {
		failure_note(b, o, p->work, why);
		return;
	}
	for (char *at = text; sscanf(at, "%23s %lf%n", name, &ms, &used) == 2; at += used) {
		struct series *s = inside_series(o, name);
		if (s)
			series_add(s, ms);
	}
}

void measure_inside(struct bench *b, unsigned rounds)
{
	rounds_run(b, WORK_INSIDE, rounds, false, turn_inside);
}

struct tally {
	unsigned done, failed;
	char why[REASON_BYTES_MAX];
};

/* One client: sandboxes one after another until the time is over. Runs in its own process. */
static void client_run(struct plan *p, int err_fd, double until, int to)
{
	struct tally t = {0};
	while (now_us() < until) {
		pid_t pid = -1;
		if (spawn_start(p, -1, err_fd, &pid) == 0 && spawn_finish(pid, t.why) == 0)
			t.done++;
		else
			t.failed++;
	}
	_exit(write(to, &t, sizeof(t)) == (ssize_t)sizeof(t) ? 0 : 1);
}

static void clients_run(struct bench *b, struct plan *p, struct outcome *o, unsigned row)
{
	struct tally t;
	unsigned done = 0;
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return;
	usleep(SETTLE_US); /* the kernel takes down the last tool's namespaces behind its back */
	double start = now_us(), until = start + b->seconds * 1e6;
	for (unsigned i = 0; i < client_counts[row]; i++)
		if (fork() == 0)
			client_run(p, b->err_fd, until, fds[1]);
	close(fds[1]);
	while (read(fds[0], &t, sizeof(t)) == (ssize_t)sizeof(t)) {
		done += t.done;
		if (t.failed)
			failure_note(b, o, p->work, t.why);
	}
	o->per_second[row] = done / ((now_us() - start) / 1e6);
	close(fds[0]);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

void measure_clients(struct bench *b)
{
	struct plan p;
	for (unsigned row = 0; row < CLIENT_ROWS; row++)
		for (size_t i = 0; i < tools_count; i++)
			if (b->out[i].state == STATE_RAN &&
			    plan_make(&p, b, &tools[i], &works[WORK_TRUE]) == 0)
				clients_run(b, &p, &b->out[i], row);
}
