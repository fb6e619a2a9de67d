/* SPDX-License-Identifier: MIT
 *
 * From what cordon-box measured to the contract's words and exit statuses, and the capture of
 * output: head and tail at their maxima and one byte beyond, the ring in every position.
 */
#include "model/result.h"

#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/scope.h"
#include "tap.h"

#define EXIT(n) ((n) << 8)

struct row {
	const char *what;
	int wait_status;
	uint32_t timed_out, killed_by_rule, limit, limit_ended;
	enum run_status status;
	int exit_code, signal, exit_status;
};

static const struct row rows[] = {
	{"success", EXIT(0), 0, 0, LIMIT_NONE, 0, STATUS_EXITED, 0, 0, 0},
	{"its own failure", EXIT(3), 0, 0, LIMIT_NONE, 0, STATUS_EXITED, 3, 0, 3},
	{"exit 124 of its own", EXIT(124), 0, 0, LIMIT_NONE, 0, STATUS_EXITED, 124, 0, 124},
	{"exit 255", EXIT(255), 0, 0, LIMIT_NONE, 0, STATUS_EXITED, 255, 0, 255},
	{"segmentation fault", 11, 0, 0, LIMIT_NONE, 0, STATUS_SIGNALED, -1, 11, 139},
	{"segmentation fault with core", 11 | 0x80, 0, 0, LIMIT_NONE, 0, STATUS_SIGNALED, -1, 11,
	 139},
	{"SIGKILL of its own", 9, 0, 0, LIMIT_NONE, 0, STATUS_SIGNALED, -1, 9, 137},
	{"timeout", 9, 1, 0, LIMIT_NONE, 0, STATUS_TIMED_OUT, -1, 9, 124},
	{"timeout, though it just exited", EXIT(0), 1, 0, LIMIT_NONE, 0, STATUS_TIMED_OUT, 0, 0,
	 124},
	{"memory", 9, 0, 0, LIMIT_MEMORY, 1, STATUS_LIMIT, -1, 9, 137},
	{"CPU time", 9, 0, 0, LIMIT_CPU_TIME, 1, STATUS_LIMIT, -1, 9, 137},
	{"pids touched, run went on", EXIT(1), 0, 0, LIMIT_PIDS, 0, STATUS_EXITED, 1, 0, 1},
	{"memory touched, run went on", EXIT(0), 0, 0, LIMIT_MEMORY, 0, STATUS_EXITED, 0, 0, 0},
	{"kill list", 9, 0, 1, LIMIT_NONE, 0, STATUS_SIGNALED, -1, 31, 159},
	{"kill list beats a limit", 9, 0, 1, LIMIT_MEMORY, 1, STATUS_SIGNALED, -1, 31, 159},
	{"kill list beats the clock", 9, 1, 1, LIMIT_NONE, 0, STATUS_SIGNALED, -1, 31, 159},
	{"the clock beats a limit", 9, 1, 0, LIMIT_MEMORY, 1, STATUS_TIMED_OUT, -1, 9, 124},
	{"a limit that does not exist", EXIT(0), 0, 0, 9999, 1, STATUS_EXITED, 0, 0, 0},
};

static void test_conclude(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		static struct result r;
		memset(&r, 0, sizeof(r));
		result_init(&r);
		r.wire = (struct wire_result){.wait_status = row->wait_status,
					      .timed_out = row->timed_out,
					      .killed_by_rule = row->killed_by_rule,
					      .limit = row->limit,
					      .limit_ended = row->limit_ended};
		result_conclude(&r);
		ok(r.status == row->status, "%s: %s", row->what, status_name(row->status));
		ok(row->status != STATUS_EXITED || r.exit_code == row->exit_code,
		   "%s: its exit code", row->what);
		ok(r.signal == row->signal, "%s: signal %d", row->what, row->signal);
		ok(result_exit_status(&r) == row->exit_status, "%s: cordon exits with %d",
		   row->what, row->exit_status);
		result_done(&r);
	}
}

/* A run that a limit ended before its first program was reaped must not look like success. */
static void test_fail_closed(void)
{
	static struct result r;
	static const struct {
		enum err_code code;
		enum run_status status;
		int exit_status;
	} errors[] = {{ERR_NONE, STATUS_ERROR, 125},
		      {ERR_USAGE, STATUS_ERROR, 125},
		      {ERR_LAYER, STATUS_ERROR, 125},
		      {ERR_REFUSED, STATUS_REFUSED, 126},
		      {ERR_REFUSED, STATUS_ERROR, 126}};

	memset(&r, 0, sizeof(r));
	result_init(&r);
	ok(r.status == STATUS_ERROR && result_exit_status(&r) == 125,
	   "the zero value is a failure");
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		r.status = errors[i].status;
		r.err.code = errors[i].code;
		ok(result_exit_status(&r) == errors[i].exit_status, "error code %d exits with %d",
		   errors[i].code, errors[i].exit_status);
	}
	ok(!strcmp(status_name((enum run_status)99), "error"), "an unknown status is an error");
	memset(&r, 0, sizeof(r));
	result_init(&r);
	r.wire = (struct wire_result){
		.wait_status = EXIT(0), .limit = LIMIT_MEMORY, .limit_ended = 1};
	result_conclude(&r);
	ok(result_exit_status(&r) != 0, "a run that a limit ended is never a success");
}

/* One result for several runs: nothing of the run before may be taken for this one's. */
static void test_used(void)
{
	static struct result r;

	memset(&r, 0xff, sizeof(r));
	result_init(&r);
	ok(r.status == STATUS_ERROR && r.exit_code == 0 && r.signal == 0,
	   "a used result says nothing of its last run");
	ok(r.err.code == ERR_NONE && r.err.message[0] == '\0', "its error is gone");
	ok(r.denialc == 0 && r.changec == 0 && !r.changes && !r.changes_cut,
	   "its denials and changes are gone");
	ok(r.wire.layers == 0 && r.wire.limit == LIMIT_NONE && r.wire.cgroup[0] == '\0',
	   "its layers and limit are gone");
	ok(!r.has_sha256 && r.upper == -1, "its tree and hash are gone");
	ok(!r.out[0].head && !r.out[1].tail && r.out[1].total == 0, "its output is gone");
}

static void test_changes(void)
{
	static struct result r;
	static struct wire_change c;
	static const struct {
		const char *what;
		uint32_t change, type, path_len;
	} bad[] = {{"an unknown change", CHANGE_KINDS, 0, 1},
		   {"an unknown type", 0, CHANGE_TYPES, 1},
		   {"an empty path", 0, 0, 0},
		   {"a path that is too long", 0, 0, CORDON_CHANGE_PATH_MAX + 1}};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		memset(&r, 0, sizeof(r));
		result_init(&r);
		c = (struct wire_change){
			.change = bad[i].change, .type = bad[i].type, .path_len = bad[i].path_len};
		ok(result_add_change(&r, &c) == 0 && r.changec == 0 && r.changes_cut,
		   "%s is not listed, and that is told", bad[i].what);
		result_done(&r);
	}
	memset(&r, 0, sizeof(r));
	result_init(&r);
	c = (struct wire_change){.path_len = CORDON_CHANGE_PATH_MAX};
	memset(c.path, 'p', sizeof(c.path));
	ok(result_add_change(&r, &c) == 0 && r.changec == 1 &&
		   strlen(r.changes[0].path) == CORDON_CHANGE_PATH_MAX,
	   "the longest path is kept whole");
	c.path_len = 1;
	while (r.changec < CORDON_CHANGES_MAX && result_add_change(&r, &c) == 0)
		;
	ok(!r.changes_cut, "%d changes are listed", CORDON_CHANGES_MAX);
	result_add_change(&r, &c);
	ok(r.changes_cut && r.changec == CORDON_CHANGES_MAX,
	   "one more change sets changes_cut and is not listed");
	result_done(&r);
}

/* What the capture must hold, the simple way. */
static bool is_right(struct capture *c, const char *all, size_t total, size_t max)
{
	size_t head = total < max / 2 ? total : max / 2, rest = total - head;
	size_t tail = rest < max - max / 2 ? rest : max - max / 2, len, gap;
	AUTO_FREE char *got = capture_join(c, &len, &gap);
	bool r = got && len == head + tail && memcmp(got, all, head) == 0 &&
		 memcmp(got + head, all + total - tail, tail) == 0 && c->total == total &&
		 capture_omitted(c) == total - head - tail && gap == head;

	free(c->head);
	free(c->tail);
	return r;
}

static bool capture_case(const char *all, size_t total, size_t max, size_t piece)
{
	struct capture c;

	capture_init(&c, max);
	for (size_t at = 0; at < total; at += piece)
		capture_add(&c, all + at, total - at < piece ? total - at : piece);
	return is_right(&c, all, total, max);
}

static void test_capture(void)
{
	static const size_t maxima[] = {2, 3, 7, 8, 16, 256};
	char all[2048];

	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (char)(i * 7 + i / 256);
	for (size_t m = 0; m < ARRAY_SIZE(maxima); m++) {
		size_t max = maxima[m], wrong = 0, tried = 0;
		for (size_t total = 0; total <= 4 * max; total++)
			for (size_t piece = 1; piece <= 2 * max + 1; piece++, tried++)
				wrong += !capture_case(all, total, max, piece);
		ok(wrong == 0, "a capture of %zu bytes: %zu ways to fill it", max, tried);
		ok(capture_case(all, max, max, max), "%zu bytes fit", max);
		ok(capture_case(all, max + 1, max, max + 1), "%zu lose one", max + 1);
	}
	struct capture empty;
	capture_init(&empty, 1 << 20);
	ok(is_right(&empty, all, 0, 1 << 20), "no output is no output");
}

/* What is said of TOTAL bytes that came in pieces is the hash of all of them. */
static bool hash_case(const char *all, size_t total, size_t max, size_t piece)
{
	uint8_t said[32], expected[32];
	struct capture c;

	capture_init(&c, max);
	capture_hash(&c);
	for (size_t at = 0; at < total; at += piece)
		capture_add(&c, all + at, total - at < piece ? total - at : piece);
	crypto_hash_sha256(expected, (const uint8_t *)all, total);
	/* A second call gives the same. */
	bool r = capture_sha256(&c, said) && memcmp(said, expected, sizeof(said)) == 0 &&
		 capture_sha256(&c, said) && memcmp(said, expected, sizeof(said)) == 0;
	return is_right(&c, all, total, max) && r;
}

static void test_hash(void)
{
	struct capture c;
	char all[2048];
	uint8_t sha256[32];
	size_t wrong = 0;

	for (size_t i = 0; i < sizeof(all); i++)
		all[i] = (char)(i * 11 + i / 256);
	for (size_t total = 0; total <= sizeof(all); total += 64)
		for (size_t piece = 1; piece <= 257; piece += 64)
			wrong += !hash_case(all, total, 100, piece);
	ok(wrong == 0, "the hash is of every byte, also of those that are not kept");
	capture_init(&c, 100);
	ok(capture_sha256(&c, sha256) && sha256[0] == 0xe3 && sha256[1] == 0xb0,
	   "of what never came it is that of nothing");
	capture_add(&c, all, 10);
	ok(!capture_sha256(&c, sha256), "what was not hashed has no hash");
	free(c.head);
}

int main(void)
{
	test_conclude();
	test_fail_closed();
	test_used();
	test_changes();
	test_capture();
	test_hash();
	return tap_done();
}
