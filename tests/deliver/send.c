/* SPDX-License-Identifier: MIT
 *
 * send EVENT command WORD...|url URL [SECRET]: delivers standard input and prints the outcome, one
 * field a line.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "gate/deliver.h"

int main(int argc, char **argv)
{
	static char body[DELIVER_BODY_MAX + 2];
	struct config_target to = {0};
	struct err err = {0};

	if (argc < 4)
		return 2;
	if (strcmp(argv[2], "command") == 0) {
		while (to.commandc < CONFIG_WORDS_MAX && argv[to.commandc + 3]) {
			to.command[to.commandc] = argv[to.commandc + 3];
			to.commandc++;
		}
	} else {
		to.url = argv[3];
		to.secret_file = argv[4];
	}
	ssize_t n = io_read_full(STDIN_FILENO, body, sizeof(body) - 1);
	uint64_t began = io_now_ns();
	int r = n < 0 ? -1 : deliver(&to, argv[1], body, (size_t)n, &err);
	uint64_t ms = (io_now_ns() - began) / 1000000;
	printf("%s\n%s\n%s\n%s\n%s\n", r == 0 ? "taken" : "failed", err.message, err.cause,
	       err.cure, ms < DELIVER_MS + 2000 ? "in time" : "too late");
	return r == 0 ? 0 : 1;
}
