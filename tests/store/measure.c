/* SPDX-License-Identifier: MIT
 *
 * measure DIR [RECORDS]: what a run pays for its record (opening the store, one durable transaction
 * as the gate makes it, closing), and how long a log of RECORDS takes to verify. It only tells. DIR
 * is where the state is made: on the disk that is to be measured.
 */
#include <inttypes.h>

#include "base/io.h"
#include "base/scope.h"
#include "case.h"
#include "store/proof.h"

enum { RUNS = 101, BATCH = 200, EACH_RUN = 2 };

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void tell(const char *what, uint64_t *ns, size_t count)
{
	qsort(ns, count, sizeof(*ns), by_value);
	printf("%-42s median %7.3f ms   p90 %7.3f ms\n", what, (double)ns[count / 2] / 1e6,
	       (double)ns[count * 9 / 10] / 1e6);
}

/* As long as a verdict is: about 600 bytes with its refs. */
static void add_verdict(struct store_tx *tx, int n)
{
	static const char *const refs[] = {"run:0123456789abcdef", "src:0123456789abcdef",
					   "conv:01234567"};
	AUTO_JCS struct jcs j = {0};
	uint8_t hash[32] = {(uint8_t)n, (uint8_t)(n >> 8)};
	struct err err;

	jcs_init(&j, RECORD_BODY_MAX);
	jcs_hex(&j, "code", hash, sizeof(hash));
	jcs_int(&j, "n", n);
	jcs_str(&j, "origin", "derived");
	jcs_hex(&j, "policy", hash, sizeof(hash));
	jcs_str(&j, "reason", "parts of the code tie to an untrusted source, so a person is asked");
	scratch_must(jcs_finish(&j, &err) == 0, "a body");
	store_append(tx, RECORD_VERDICT, refs, 3, &j);
}

static void commit(struct store *s, int records, int first)
{
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};

	for (int i = 0; i < records; i++)
		add_verdict(&tx, first + i);
	if (records == EACH_RUN)
		store_put(&tx, STORE_CONVERSATION, "d", "0123456789abcdef", 16, STORE_ANY);
	if (store_commit(s, &tx, &err) < 0)
		printf("%s: %s\n", err.message, err.cause);
	scratch_must(!err.code, "a commit");
}

static void measure_runs(int dir)
{
	uint64_t whole[RUNS], opened[RUNS], written[RUNS], closed[RUNS];

	for (int i = 0; i < RUNS; i++) {
		uint64_t begin = io_now_ns();
		struct store *s = case_open(dir);
		uint64_t open_at = io_now_ns();
		commit(s, EACH_RUN, i);
		uint64_t write_at = io_now_ns();
		store_close(s);
		uint64_t close_at = io_now_ns();
		opened[i] = open_at - begin;
		written[i] = write_at - open_at;
		closed[i] = close_at - write_at;
		whole[i] = close_at - begin;
	}
	tell("open", opened, RUNS);
	tell("commit of 2 records and an item", written, RUNS);
	tell("close", closed, RUNS);
	tell("all of it", whole, RUNS);
}

static double seconds_since(uint64_t begin)
{
	return (double)(io_now_ns() - begin) / 1e9;
}

/* How long it takes to verify them, in seconds. */
static double measure_verify(int dir, int records)
{
	AUTO_STORE struct store *s = case_open(dir);
	AUTO_BUF struct buf proof = {.most = PROOF_MAX};
	struct verify_options o = {.dir = dir};
	struct verify_report report;
	struct err err = {0};
	uint64_t begin = io_now_ns();

	for (int i = 0; i < records; i += BATCH)
		commit(s, BATCH, i);
	printf("%d records written in %.1f s, %d at a time\n", records, seconds_since(begin),
	       BATCH);
	begin = io_now_ns();
	scratch_must(case_verifies(s, &o, VERIFY_GOOD, &report), "verifying");
	double took = seconds_since(begin);
	printf("%" PRIu64 " records verified in %.1f s, %" PRIu64 " checkpoints\n", report.records,
	       took, report.checkpoints);
	begin = io_now_ns();
	scratch_must(proof_make(s, report.records / 2, &proof, &err) == 0, err.message);
	printf("a proof of one made in %.1f s, %zu bytes\n", seconds_since(begin), proof.len);
	return took;
}

/* Whether it was fast enough. */
static bool meets(double took, const char *goal)
{
	bool met = took <= atof(goal);

	printf("goal verify: %.1f s, %s at most: %s\n", took, goal, met ? "met" : "MISSED");
	return met;
}

int main(int argc, char **argv)
{
	if (argc < 2 || chdir(argv[1]) < 0) {
		fprintf(stderr, "usage: measure DIR [RECORDS [SECONDS]]\n");
		return 2;
	}
	int dir = case_fresh("measured");
	struct store *s = case_open(dir);

	store_close(s);
	measure_runs(dir);
	double took = argc > 2 ? measure_verify(dir, atoi(argv[2])) : 0;
	bool met = argc <= 3 || meets(took, argv[3]);
	close(dir);
	return system("rm -rf measured") != 0 || !met;
}
