/* SPDX-License-Identifier: MIT
 *
 * Rows of comparisons, the first of which that holds decides, as instructions of a filter. Rows in
 * a row that begin alike are told apart where they differ, and a word is loaded once while it is
 * asked about: a third fewer instructions than row by row.
 */
#ifndef CORDON_TOOLS_BRANCH_H
#define CORDON_TOOLS_BRANCH_H

#include "tools/bpf.h"

#define BRANCH_TESTS_MAX 6

/* (the 32 bits at OFFSET) & MASK == VALUE */
struct branch_test {
	uint32_t offset, mask, value;
};

struct branch_row {
	size_t count;
	struct branch_test test[BRANCH_TESTS_MAX]; /* all of them; none: it always holds */
	uint32_t answer;
};

/* The label of what decides; FALLBACK is the answer where no row holds. */
size_t branch_add(struct bpf *filter, const struct branch_row *rows, size_t count,
		  uint32_t fallback);

#endif
