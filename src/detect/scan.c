/* SPDX-License-Identifier: MIT
 *
 * Begins and ends a scan, and makes texts of bytes: converts other encodings to UTF-8, leaves out
 * binary files, and scans each kind of text in its own way.
 */
#include "detect/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/scan_private.h"
#include "scan/text/wide.h"

enum {
	READABLE_LEAST =
		16,	 /* bytes of a run; every picture has shorter ones, which match anything */
	FIRST_LINE = 80, /* bytes that bash tests for a NUL */
	LIBRARY_HEAD = 60, /* bytes of a member's head in an ar archive */
};

void scan_begin(struct scanner *s, const struct engine *engine, struct engine_thread *thread,
		const struct scan_options *options, const struct scan_sink *sink)
{
	*s = (struct scanner){.engine = engine,
			      .thread = thread,
			      .options = *options,
			      .sink = *sink,
			      .worst = DETECT_ALLOW,
			      .verdict = DETECT_DENY};
}

void scan_end(struct scanner *s)
{
	s->verdict = s->worst;
	if (!s->totals.errors || s->worst == DETECT_DENY)
		return;
	s->verdict = DETECT_DENY;
	snprintf(s->reason, sizeof(s->reason), "DENY: %zu inputs could not be scanned",
		 s->totals.errors);
}

enum lane scan_lane(const struct rule *rule)
{
	for (unsigned lane = LANE_COUNT - 1; lane > LANE_HUNT; lane--)
		if (rule_is_live(rule, (enum lane)lane))
			return (enum lane)lane;
	return LANE_HUNT;
}

/* Scans one JSON document, or one on each line. False: the file is neither, and is scanned as text, so
 * that broken JSON hides nothing. */
static bool scan_json(struct scanner *s, struct scan_file *file)
{
	struct err why;

	if (scan_document(s, file, &why))
		return true;
	if (why.code == ERR_LIMIT)
		file->limit = why;
	if (scan_lines(s, file))
		return true;
	file->kind = KIND_TEXT;
	if (file->sure)
		scan_note(s, file->name, 0, why.message);
	return false;
}

static void scan_text(struct scanner *s, const char *name, struct text data)
{
	struct scan_file file = {.name = name, .data = data, .sure = true};

	file.kind = s->options.has_kind ? s->options.kind : scan_kind_of(name, data, &file.sure);
	if (file.kind >= KIND_JSON && scan_json(s, &file))
		return;
	scan_whole(s, &file);
}

static bool is_readable(char c)
{
	return (c >= ' ' && c <= '~') || c == '\t' || c == '\n' || c == '\r';
}

/* Adds the runs of printable bytes, each with a newline. A NUL does not end a run, because shells skip
 * it. */
static void gather_readable(struct gather *g, struct text data)
{
	size_t run = 0; /* where the present run begins in G */

	for (size_t i = 0; i <= data.len && !g->failed; i++) {
		if (i < data.len && (is_readable(data.s[i]) || !data.s[i])) {
			gather_put(g, data.s + i, data.s[i] != '\0');
			continue;
		}
		if (g->len - run < READABLE_LEAST)
			g->len = run;
		else
			gather_put(g, "\n", 1);
		run = g->len;
	}
	if (g->s)
		g->s[g->len] = '\0';
}

/* May a shell run this binary file? The first bytes of a picture do not prevent that: a shell skips
 * them and runs the rest. But bash refuses a file with a NUL in its first line, as almost every binary
 * file has. Others are not scanned: honest programs and libraries contain all words of the rules. */
static bool may_be_script(struct text data)
{
	static const char library[] = "!<arch>\n";
	size_t first = sizeof(library) - 1, end = first + LIBRARY_HEAD;

	for (size_t i = 0; i < data.len && i < FIRST_LINE && data.s[i] != '\n'; i++)
		if (!data.s[i])
			return false;
	return data.len < end || memcmp(data.s, library, first) != 0 ||
	       memcmp(data.s + end - 2, "`\n", 2) != 0;
}

static void scan_readable(struct scanner *s, const char *name, struct text data)
{
	struct scan_file file = {.name = name, .kind = KIND_TEXT, .data = data};
	struct scan_unit unit = {.file = &file, .number = -1};
	struct gather g = {0};

	gather_readable(&g, data);
	if (g.len || g.failed)
		scan_gathered(s, &unit, &g);
	gather_done(&g);
}

static void scan_bytes(struct scanner *s, const char *name, struct text data, bool named)
{
	const char *what = s->options.has_kind ? NULL : scan_binary(name, data);
	struct err err;

	if (what && named) {
		err_set(&err, ERR_INPUT, "is %s, not text", what);
		err_cure(&err, "--kind text scans it nevertheless");
		scan_error(s, name, &err);
		return;
	}
	if (what) {
		s->totals.skipped++;
		bool script = s->options.mode != DETECT_REFERENCE && may_be_script(data);
		if (script)
			scan_readable(s, name, data);
		scan_note(s, name, 0,
			  script ? "is no text: only what can be read of it is scanned"
				 : "is no text: not scanned");
		return;
	}
	s->totals.files++;
	s->totals.bytes += data.len;
	scan_text(s, name, data);
}

/* Converts to UTF-8. -1 with ERR: the result would be too long. */
static int decode(struct text data, enum wide wide, struct text *ret, char **ret_memory,
		  struct err *err)
{
	size_t len = wide_size(data.s, data.len, wide);

	if (len > SCAN_FILE_MAX)
		return err_set(err, ERR_LIMIT, "is larger than %zu MiB in UTF-8",
			       SCAN_FILE_MAX >> 20);
	char *out = malloc(len + 1);
	if (!out)
		return err_memory(err);
	wide_read(data.s, data.len, wide, out);
	out[len] = '\0';
	*ret = (struct text){*ret_memory = out, len};
	return 0;
}

/* Scans the file in one encoding. AGAIN: the file is already counted. False: not this encoding. */
static bool scan_reading(struct scanner *s, const char *name, struct text data, enum wide wide,
			 bool named, bool again)
{
	AUTO_FREE char *memory = NULL;
	struct text made = {0};
	struct err err;

	if (decode(data, wide, &made, &memory, &err) < 0) {
		scan_error(s, name, &err);
		return false;
	}
	if (!s->options.has_kind && scan_binary(name, made))
		return false;
	if (again)
		scan_text(s, name, made);
	else
		scan_bytes(s, name, made, named);
	return true;
}

/* True: the file was UTF-16 or UTF-32. Programs may decode the same file differently, so each decoding
 * is scanned; else a byte order mark would hide one. */
static bool scan_wide(struct scanner *s, const char *name, struct text data, bool named)
{
	unsigned guess = wide_guess(data.s, data.len);
	bool any = false;

	for (unsigned i = 0; i < WIDE_COUNT; i++)
		if (guess & 1U << i)
			any |= scan_reading(s, name, data, (enum wide)i, named, any);
	if (any && wide_has_bytes(data.s, data.len))
		scan_text(s, name, data);
	return any;
}

void scan_data(struct scanner *s, const char *name, struct text data, bool named)
{
	struct err err;

	if (data.len > SCAN_FILE_MAX) {
		err_set(&err, ERR_LIMIT, "is larger than %zu MiB", SCAN_FILE_MAX >> 20);
		scan_error(s, name, &err);
	} else if (!scan_wide(s, name, data, named)) {
		scan_bytes(s, name, data, named);
	}
}
