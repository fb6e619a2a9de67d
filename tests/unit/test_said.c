/* SPDX-License-Identifier: MIT
 *
 * Commands of a policy: what they print is taken, and one that fails, prints too much, or does not end in
 * time gives nothing, and is not waited for.
 */
#include "flow/said.h"

#include <stdint.h>

#include "base/io.h"
#include "tap.h"

enum { ROOM = 8, SHORT_MS = 400, LONG_MS = 20000 };

static const struct {
	const char *command, *gives; /* NULL: nothing */
	int wait_ms;
} rows[] = {
	{"echo said", "said\n", LONG_MS},
	{"printf 1234567", "1234567", LONG_MS},
	{"printf 12345678", NULL, LONG_MS},
	{"yes", NULL, LONG_MS},
	{"echo a; sleep 0.2; echo b", "a\nb\n", LONG_MS},
	{"echo said; exit 1", NULL, LONG_MS},
	{"echo said; kill -9 $$", NULL, LONG_MS},
	{"cordon-no-such-command 2>&-", NULL, LONG_MS},
	{":", "", LONG_MS},
	{"echo said; exec sleep 5", NULL, SHORT_MS},
	{"echo said; sleep 5", NULL, SHORT_MS},
	{"echo said; exec >&-; exec sleep 5", NULL, SHORT_MS},
	{"sleep 5 & echo said", NULL, SHORT_MS},
};

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char got[ROOM] = "?";
		uint64_t begin = io_now_ns();
		int r = said_by(rows[i].command, rows[i].wait_ms, got, sizeof(got));
		uint64_t ms = (io_now_ns() - begin) / 1000000U;

		ok(rows[i].gives ? r == 0 && strcmp(got, rows[i].gives) == 0
				 : r < 0 && got[0] == '\0',
		   "%s", rows[i].command);
		ok(ms < 3000, "soon");
	}
	return tap_done();
}
