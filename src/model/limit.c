/* SPDX-License-Identifier: MIT
 *
 * The table of limits. Values are milliseconds, percent of one core, bytes or counts.
 */
#include "model/limit.h"

#include <string.h>

#define KIB (1ULL << 10)
#define MIB (1ULL << 20)
#define GIB (1ULL << 30)
#define DAY_MS (24ULL * 60 * 60 * 1000)

enum { LIMIT_OF_START = false, LIMIT_OF_BOX = true };

static const struct limit_row rows[LIMIT_COUNT] = {
#define LIMIT(number, name, unit, fallback, min, max, command, of_box, help)                       \
	[LIMIT_##number] = {name, unit, fallback, min, max, command, of_box, help},
#include "model/limits.def"
#undef LIMIT
};

const struct limit_row *limit_row(enum limit_id id)
{
	return &rows[id];
}

uint64_t limit_default(enum limit_id id, bool is_command)
{
	return is_command && rows[id].command ? rows[id].command : rows[id].fallback;
}

enum limit_id limit_find(const char *name)
{
	int i = 0;

	while (i < LIMIT_COUNT && strcmp(rows[i].name, name) != 0)
		i++;
	return (enum limit_id)i;
}
