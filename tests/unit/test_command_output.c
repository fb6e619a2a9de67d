/* SPDX-License-Identifier: MIT
 *
 * Output of a policy's commands. A command that fails, prints too much or does not end in time
 * gives no output, and cordon does not wait for it.
 */
#include "live/command_output.h"

#include <stdint.h>

#include "base/io.h"
#include "tap.h"

enum { ROOM = 8, SHORT_MS = 400, LONG_MS = 20000 };

static const struct {
	const char *command, *output; /* NULL: failure */
	int wait_ms;
} rows[] = {
	{"echo word", "word\n", LONG_MS},
	{"printf 1234567", "1234567", LONG_MS},
	{"printf 12345678", NULL, LONG_MS},
	{"yes", NULL, LONG_MS},
	{"echo a; sleep 0.2; echo b", "a\nb\n", LONG_MS},
	{"echo word; exit 1", NULL, LONG_MS},
	{"echo word; kill -9 $$", NULL, LONG_MS},
	{"cordon-no-such-command 2>&-", NULL, LONG_MS},
	{":", "", LONG_MS},
	{"echo word; exec sleep 5", NULL, SHORT_MS},
	{"echo word; sleep 5", NULL, SHORT_MS},
	{"echo word; exec >&-; exec sleep 5", NULL, SHORT_MS},
	{"sleep 5 & echo word", NULL, SHORT_MS},
};

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char output[ROOM] = "?";
		uint64_t begin = io_now_ns();
		int r = command_output_read(rows[i].command, rows[i].wait_ms, output,
					    sizeof(output));
		uint64_t ms = (io_now_ns() - begin) / 1000000U;

		ok(rows[i].output ? r == 0 && strcmp(output, rows[i].output) == 0
				  : r < 0 && output[0] == '\0',
		   "%s", rows[i].command);
		ok(ms < 3000, "in time: %s", rows[i].command);
	}
	return tap_done();
}
