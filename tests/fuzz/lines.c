/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for messages of doors: any bytes, through a pipe, into lines and then into JSON. What is
 * refused must be refused with a reason. A broken promise aborts.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "door/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { MAX = 4096, PIPE = 60000 };

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_line(struct lines_text line)
{
	struct err err = {0};
	json_t *message;

	must(line.len <= MAX && !memchr(line.data, '\n', line.len));
	message = lines_parse(line, &err);
	must(message ? json_is_object(message) : err.message[0] != '\0');
	json_decref(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct lines_in in = {.max = MAX};
	enum lines_event event = LINES_NONE;
	struct lines_text line;
	struct err err;
	int fds[2];

	must(pipe(fds) == 0);
	must(write(fds[1], data, len < PIPE ? len : PIPE) >= 0 || len == 0);
	close(fds[1]);
	in.fd = fds[0];
	while (event != LINES_END) {
		event = lines_next(&in, &line);
		if (event == LINES_LINE || event == LINES_HALF)
			check_line(line);
		else if (event == LINES_NONE)
			must(lines_read(&in, &err) == 0);
	}
	must(in.fd == -1);
	lines_in_done(&in);
	close(fds[0]);
	return 0;
}
