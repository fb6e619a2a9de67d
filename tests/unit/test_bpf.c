/* SPDX-License-Identifier: MIT
 *
 * The filter compiler's instructions: a jump reaches 255 of them, what is farther gets a step in
 * between, and a full program says so instead of growing.
 */
#include <stdlib.h>
#include <string.h>

#include "tap.h"
#include "tools/bpf.h"

#define YES 1
#define NO 2

/* What a finished program answers for the word A; UINT32_MAX when it leaves its bounds. */
static uint32_t run(const struct bpf *p, uint32_t a)
{
	for (size_t pc = 0; pc < p->len; pc++) {
		const struct sock_filter *i = &p->insns[pc];

		switch (i->code) {
		case BPF_RET | BPF_K:
			return i->k;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			break;
		case BPF_JMP | BPF_K | BPF_JEQ:
			pc += a == i->k ? i->jt : i->jf;
			break;
		case BPF_JMP | BPF_K | BPF_JGE:
			pc += a >= i->k ? i->jt : i->jf;
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= i->k;
			break;
		default:
			return UINT32_MAX;
		}
	}
	return UINT32_MAX;
}

/* A jump over GAP instructions that must not be run. */
static struct bpf *jump_over(unsigned gap)
{
	struct bpf *p = calloc(1, sizeof(*p));
	size_t yes = bpf_ret(p, YES);

	for (unsigned i = 0; i < gap; i++)
		bpf_and(p, 0);
	size_t no = bpf_ret(p, NO);
	bpf_jump(p, BPF_JEQ, 7, yes, no);
	bpf_finish(p);
	return p;
}

static void test_reach(void)
{
	static const unsigned gaps[] = {0,   1,	  200, 250, 251, 252, 253,
					254, 255, 256, 257, 300, 3000};

	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		struct bpf *p = jump_over(gaps[i]);

		ok(run(p, 7) == YES && run(p, 8) == NO, "a jump over %u instructions arrives",
		   gaps[i]);
		free(p);
	}
}

static void test_shared_returns(void)
{
	struct bpf *p = calloc(1, sizeof(*p));
	size_t first = bpf_ret(p, YES);

	ok(bpf_ret(p, YES) == first && p->len == 1, "a return that is near is shared");
	for (int i = 0; i < 300; i++)
		bpf_and(p, 0);
	ok(bpf_ret(p, YES) != first && p->len == 302, "one that is far is made again");
	free(p);
}

static void test_full(void)
{
	struct bpf *p = calloc(1, sizeof(*p));

	bpf_ret(p, YES);
	for (size_t i = 1; i < BPF_INSNS_MAX; i++)
		bpf_and(p, 0);
	ok(p->len == BPF_INSNS_MAX, "a program of the largest size");
	ok(bpf_and(p, 0) == 0 && bpf_load(p, 0) == 0 && bpf_ret(p, NO) == 0 &&
		   bpf_jump(p, BPF_JEQ, 1, 1, 1) == 0,
	   "one more is refused");
	ok(p->len == BPF_INSNS_MAX, "and nothing was written");
	free(p);
}

int main(void)
{
	test_reach();
	test_shared_returns();
	test_full();
	return tap_done();
}
