/* SPDX-License-Identifier: MIT
 *
 * Rows of facts that a reader tells of a program, held against what says whether they are plain. The test
 * defines JUDGE before it includes this.
 */
#ifndef CORDON_TEST_USES_H
#define CORDON_TEST_USES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/scope.h"
#include "tap.h"

struct row {
	const char *uses, *why;
};

static char why[160];

static bool is_plain(const char *uses)
{
	why[0] = '\0';
	return JUDGE(uses, why, sizeof(why));
}

static void are_plain(const char *const *uses, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ok(is_plain(uses[i]), "plain: %zu %s", i, why);
}

static void are_not_plain(const struct row *row, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ok(!is_plain(row[i].uses) && strstr(why, row[i].why), "not plain: %s: %s",
		   row[i].why, why);
}

#endif
