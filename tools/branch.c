/* SPDX-License-Identifier: MIT
 *
 * The program is written from its end, so the last row is written first.
 */
#include "tools/branch.h"

static bool is_same_word(const struct branch_test *a, const struct branch_test *b)
{
	return a && b && a->offset == b->offset && a->mask == b->mask;
}

static bool is_same(const struct branch_test *a, const struct branch_test *b)
{
	return is_same_word(a, b) && a->value == b->value;
}

/* The number of rows whose test AT is that of the first row. */
static size_t alike(const struct branch_row *rows, size_t count, size_t at)
{
	size_t n = 1;

	while (n < count && rows[n].count > at && is_same(&rows[n].test[at], &rows[0].test[at]))
		n++;
	return n;
}

static bool goes_on(const struct branch_row *rows, size_t count, size_t at)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].count > at)
			return true;
	return false;
}

/* The first AT tests of all rows hold. HELD (or NULL) is the test before this on all paths, and NO
 * is the label for the case that no row holds. The depth of recursion is at most the number of
 * tests of the longest row and the number of rows. */
static size_t decide(struct bpf *filter, const struct branch_row *rows, size_t count, size_t at,
		     size_t no, const struct branch_test *held)
{
	if (count == 0)
		return no;
	if (rows[0].count == at)
		return bpf_ret(filter, rows[0].answer);
	const struct branch_test *test = &rows[0].test[at];
	size_t group = alike(rows, count, at);
	/* A path through further tests of the group has another test before it. */
	const struct branch_test *left = goes_on(rows, group, at + 1) ? NULL : test;
	size_t rest = decide(filter, rows + group, count - group, at, no, left);
	size_t yes = decide(filter, rows, group, at + 1, rest, test);
	size_t label = bpf_jump(filter, BPF_JEQ, test->value, yes, rest);
	if (is_same_word(held, test))
		return label;
	if (test->mask != UINT32_MAX)
		bpf_and(filter, test->mask);
	return bpf_load(filter, test->offset);
}

size_t branch_add(struct bpf *filter, const struct branch_row *rows, size_t count,
		  uint32_t fallback)
{
	return decide(filter, rows, count, 0, bpf_ret(filter, fallback), NULL);
}
