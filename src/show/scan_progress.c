/* SPDX-License-Identifier: MIT
 *
 * What all formats of scan share: words, and the progress line on a terminal.
 */
#include "show/scan_format.h"

#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "show/terminal.h"

enum { PROGRESS_NS = 100000000, NAME_SHOWN = 40 };

void scan_progress(struct scan *s, const char *name)
{
	uint64_t now = s->progress ? io_now_ns() : 0;

	if (!s->progress)
		return;
	if (!name) {
		if (s->mid_progress)
			fputs("\r\033[K", stderr);
		s->mid_progress = false;
		return;
	}
	if (now - s->progress_ns < PROGRESS_NS)
		return;
	s->progress_ns = now;
	fprintf(stderr, "\r\033[K%zu files, %zu findings  ", s->scanner.totals.files,
		s->scanner.totals.findings);
	terminal_print_text(stderr,
			    strlen(name) > NAME_SHOWN ? name + strlen(name) - NAME_SHOWN : name);
	fflush(stderr);
	s->mid_progress = true;
}

const char *scan_lane_name(const struct rule *rule)
{
	return vocab_at(VOCAB_LANE, scan_lane(rule))->name;
}

const char *scan_status(const struct scan *s)
{
	if (s->scanner.totals.errors)
		return "error";
	return s->scanner.totals.findings ? "findings" : "clean";
}
