/* SPDX-License-Identifier: MIT
 *
 * The limit that is told of a run: what ended it, before what was only touched, in whatever order.
 */
#include "box/supervise.h"
#include "tap.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct reached {
	uint32_t limit;
	bool ended;
};

static const struct {
	const char *name;
	struct reached first, second, told;
} rows[] = {
	{"none", {LIMIT_NONE, false}, {LIMIT_NONE, false}, {LIMIT_NONE, false}},
	{"one touched", {LIMIT_PIDS, false}, {LIMIT_NONE, false}, {LIMIT_PIDS, false}},
	{"one ended it", {LIMIT_NONE, false}, {LIMIT_MEMORY, true}, {LIMIT_MEMORY, true}},
	{"the first of two", {LIMIT_PIDS, false}, {LIMIT_MEMORY, false}, {LIMIT_PIDS, false}},
	{"touched, then ended",
	 {LIMIT_CONNECTIONS, false},
	 {LIMIT_MEMORY, true},
	 {LIMIT_MEMORY, true}},
	{"ended, then touched",
	 {LIMIT_CPU_TIME, true},
	 {LIMIT_PIDS, false},
	 {LIMIT_CPU_TIME, true}},
	{"two ended it", {LIMIT_CPU_TIME, true}, {LIMIT_MEMORY, true}, {LIMIT_CPU_TIME, true}},
	{"the same one", {LIMIT_MEMORY, false}, {LIMIT_MEMORY, true}, {LIMIT_MEMORY, true}},
	{"no such limit", {LIMIT_COUNT + 7, true}, {LIMIT_PIDS, false}, {LIMIT_PIDS, false}},
};

int main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct wire_result res = {.limit = LIMIT_NONE};

		run_reached(&res, rows[i].first.limit, rows[i].first.ended);
		run_reached(&res, rows[i].second.limit, rows[i].second.ended);
		ok(res.limit == rows[i].told.limit && res.limit_ended == rows[i].told.ended, "%s",
		   rows[i].name);
	}
	return tap_done();
}
