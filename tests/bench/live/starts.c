/* SPDX-License-Identifier: MIT
 *
 * starts STATE BOX DIR COUNT: how long /bin/true takes in the live box BOX, whose workspace is
 * DIR. COUNT starts through the gate with their records, and as many without it, in turn, by one
 * client that stays connected. Prints one line of JSON.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "flow/run.h"

static void fail(const struct err *err)
{
	fprintf(stderr, "starts: %s: %s\n", err->message, err->cause);
	exit(1);
}

static void open_box(struct kept_box *k, const char *state, const char *name)
{
	const struct gate_state_options o = {.path = state, .only_dir = true};
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct err err;

	if (gate_state_open(&s, &o, &err) < 0 || kept_box_connect(k, s.dir, false, &err) != 0 ||
	    kept_box_use(k, name, &err) < 0)
		fail(&err);
}

/* As cordon box does. */
static void begin(struct request *r)
{
	request_init(r);
	for (int i = 0; i < LIMIT_COUNT; i++)
		r->limit[i] = limit_default((enum limit_id)i, true);
}

static double through_gate(struct kept_box *k, struct gate_session *session, const char *state,
			   const char *dir, enum tier tier)
{
	static const char code[] = "exec true\n";
	static const struct launch_sink sink;
	static struct request r;
	struct result *result = pages_new(sizeof(*result));

	begin(&r);
	r.lang = "bash";
	r.file = "command";
	r.code = code;
	r.code_len = sizeof(code) - 1;
	r.state = state;
	r.tier = tier;
	r.workspace = dir;
	r.workspace_mode = WORKSPACE_OVERLAY;
	r.conversation = k->about.conversation;
	r.is_users = true;
	uint64_t from = io_now_ns();
	flow_run_live(&r, k, session, &sink, result);
	double ms = (double)(io_now_ns() - from) / 1e6;
	if (result->status != STATUS_EXITED || result->exit_code || !result->recorded)
		fail(&result->err);
	result_done(result);
	pages_free(result);
	return ms;
}

static double alone(struct live *l, const struct spec *box, const uint64_t *limit)
{
	static const char *const argv[] = {"true"};
	AUTO_CLOSE int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	const struct live_start s = {.program = "/bin/true",
				     .cwd = box->cwd,
				     .argc = 1,
				     .argv = argv,
				     .envc = box->envc,
				     .env = box->env,
				     .limit = limit,
				     .stream = {null, null, null}};
	struct live_event e;
	struct err err;
	uint32_t id, from_id = 0;
	uint64_t from = io_now_ns();

	if (live_start(l, &s, &id, &err) < 0)
		fail(&err);
	do {
		if (live_next(l, -1, &e, &err) < 0)
			fail(&err);
		scope_close(&e.fd);
		from_id = e.id;
	} while (e.kind != LIVE_EXITED || from_id != id);
	return (double)(io_now_ns() - from) / 1e6;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print(const char *name, double *ms, size_t count, const char *end)
{
	qsort(ms, count, sizeof(*ms), by_size);
	printf("\"%s\": {\"p50\": %.3f, \"p99\": %.3f}%s", name, ms[count / 2],
	       ms[count * 99 / 100], end);
}

int main(int argc, char **argv)
{
	struct kept_box gated = KEPT_BOX_NONE, bare = KEPT_BOX_NONE;
	struct gate_session session = GATE_SESSION_CLOSED;
	static const struct launch_sink sink;
	static struct spec box;
	static struct result ignored;
	static struct request r;
	size_t count = argc == 5 ? (size_t)atoi(argv[4]) : 0;
	double *a = calloc(count + 1, sizeof(*a)), *b = calloc(count + 1, sizeof(*b));
	struct err err;

	if (!count || !a || !b)
		return 2;
	open_box(&gated, argv[1], argv[2]);
	open_box(&bare, argv[1], argv[2]);
	result_init(&ignored);
	begin(&r);
	if (kept_box_spec(&bare, &box, &err) < 0)
		fail(&err);
	kept_box_begin(&bare, &sink, &ignored);
	for (size_t i = 0; i < count; i++) {
		a[i] = through_gate(&gated, &session, argv[1], argv[3], box.tier);
		b[i] = alone(&bare.live, &box, r.limit);
	}
	putchar('{');
	print("gate", a, count, ", ");
	print("box", b, count, "}\n");
	kept_box_close(&gated);
	kept_box_close(&bare);
	gate_session_close(&session);
	return 0;
}
