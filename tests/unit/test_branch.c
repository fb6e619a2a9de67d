/* SPDX-License-Identifier: MIT
 *
 * Rows of comparisons as a tree of tests: made-up rows, in a small interpreter, against the rows
 * read one after another. Few words, masks and values, so that rows often begin alike.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "tools/branch.h"

enum { WORDS = 3, ROWS_MAX = 12, ROUNDS = 20000, TRIES = 40, FALLBACK = 99 };

static uint32_t run(const struct bpf *p, const uint32_t *words)
{
	uint32_t a = 0;

	for (size_t pc = 0; pc < p->len; pc++) {
		const struct sock_filter *i = &p->insns[pc];

		if (i->code == (BPF_RET | BPF_K))
			return i->k;
		if (i->code == (BPF_LD | BPF_W | BPF_ABS))
			a = words[i->k];
		else if (i->code == (BPF_ALU | BPF_AND | BPF_K))
			a &= i->k;
		else if (i->code == (BPF_JMP | BPF_K | BPF_JEQ))
			pc += a == i->k ? i->jt : i->jf;
		else
			break;
	}
	return UINT32_MAX;
}

static uint32_t expected(const struct branch_row *rows, size_t count, const uint32_t *words)
{
	for (size_t i = 0; i < count; i++) {
		size_t held = 0;

		while (held < rows[i].count &&
		       (words[rows[i].test[held].offset] & rows[i].test[held].mask) ==
			       rows[i].test[held].value)
			held++;
		if (held == rows[i].count)
			return rows[i].answer;
	}
	return FALLBACK;
}

static size_t make_rows(struct branch_row *rows, unsigned *seed)
{
	static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, 1, 2};
	size_t count = (size_t)rand_r(seed) % (ROWS_MAX + 1);

	for (size_t i = 0; i < count; i++) {
		/* Now and then one that always holds. */
		rows[i] = (struct branch_row){.count = (size_t)rand_r(seed) % 4,
					      .answer = (uint32_t)rand_r(seed) % 4};
		for (size_t t = 0; t < rows[i].count; t++) {
			uint32_t mask = masks[rand_r(seed) % 4];

			rows[i].test[t] = (struct branch_test){(uint32_t)t % WORDS, mask,
							       (uint32_t)rand_r(seed) % 3 & mask};
		}
	}
	return count;
}

/* Where a row asks for another answer than the rows say, its number plus one. */
static int compare(const struct branch_row *rows, size_t count, unsigned *seed, size_t *ret_len)
{
	struct bpf *p = calloc(1, sizeof(*p));
	int wrong = 0;

	if (branch_add(p, rows, count, FALLBACK) != p->len)
		wrong = count > 0 && rows[0].count > 0;
	bpf_finish(p);
	*ret_len += p->len;
	for (int i = 0; i < TRIES && !wrong; i++) {
		uint32_t words[WORDS];

		for (int w = 0; w < WORDS; w++)
			words[w] = (uint32_t)rand_r(seed) % 4;
		/* A row that always holds, and none at all, need no test: then it is a return. */
		wrong = run(p, words) != expected(rows, count, words) && count > 0 &&
			rows[0].count > 0;
	}
	free(p);
	return wrong;
}

/* As if each row were asked by itself. */
static size_t plain_length(const struct branch_row *rows, size_t count)
{
	size_t len = 1;

	for (size_t i = 0; i < count; i++)
		for (size_t t = 0; t < rows[i].count; t++)
			len += 2 + (rows[i].test[t].mask != UINT32_MAX);
	return len;
}

int main(void)
{
	struct branch_row rows[ROWS_MAX];
	unsigned seed = 1;
	size_t len = 0, plain = 0;
	int wrong = 0;

	for (int i = 0; i < ROUNDS; i++) {
		size_t count = make_rows(rows, &seed);

		wrong += compare(rows, count, &seed, &len);
		plain += plain_length(rows, count);
	}
	ok(!wrong, "%d programs of %d answer as their rows do not", wrong, ROUNDS);
	ok(len < plain, "%zu instructions instead of %zu", len, plain);
	return tap_done();
}
