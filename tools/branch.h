/* SPDX-License-Identifier: MIT
 *
 * Compiles rows of comparisons into a filter. The first row that holds decides. Adjacent rows with
 * the same first tests share them, and a word is loaded once for adjacent tests: a third fewer
 * instructions than row by row.
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
	struct branch_test
		test[BRANCH_TESTS_MAX]; /* all must hold; a row without tests always holds */
	uint32_t answer;
};

/* Returns the label of the rows. FALLBACK is the answer if no row holds. */
size_t branch_add(struct bpf *filter, const struct branch_row *rows, size_t count,
		  uint32_t fallback);

#endif
