/* SPDX-License-Identifier: MIT
 *
 * Output formats of scan. Each format is one struct scan_format in a file of its own.
 */
#ifndef CORDON_SHOW_SCAN_FORMAT_H
#define CORDON_SHOW_SCAN_FORMAT_H

#include <jansson.h>

#include "detect/packs.h"
#include "detect/scan.h"
#include "show/jsonval.h"

struct scan {
	unsigned mode, lane; /* rows of their tables */
	unsigned fail_on;    /* a severity */
	bool shows_effects;
	struct packs *rules;
	const struct scan_format *format;
	void *out; /* belongs to the format */
	struct scanner scanner;
	uint64_t start_ns;
	size_t failing; /* findings at or above --fail-on, and undecided ones */
	bool left_out;	/* the note about omitted histories was printed */
	bool begun;	/* the rules are loaded and the scan has begun */
	bool progress, mid_progress;
	uint64_t progress_ns;
};

/* FINDING, ERROR, NOTE and EFFECTS are called during the scan. Only END must be there; without ERROR, errors
 * go to standard error. */
struct scan_format {
	const char *name;
	unsigned order; /* the first is the default */
	int (*begin)(struct scan *s, struct err *err);
	void (*finding)(struct scan *s, const struct scan_finding *f);
	void (*error)(struct scan *s, const char *file, const struct err *err);
	/* A remark that is not a failure. LINE may be 0. */
	void (*note)(struct scan *s, const char *file, size_t line, const char *words);
	void (*effects)(struct scan *s, const struct scan_file *file, const struct code_view *view);
	void (*end)(struct scan *s);
};

/* scan_progress.c */
/* Updates the progress line on the terminal; NAME NULL removes it. */
void scan_progress(struct scan *s, const char *name);
const char *scan_lane_name(const struct rule *rule);
/* clean, findings or error. */
const char *scan_status(const struct scan *s);

/* FORMAT(name) = {...}; at the beginning of a line registers the format: make collects these
 * lines in format_list.h. */
#define FORMAT(name) const struct scan_format scan_format_##name

/* format_list.c: the I-th in their order, or NULL past the end. */
const struct scan_format *scan_format_at(unsigned i);
const char *scan_format_name(unsigned i);
unsigned scan_format_find(const char *name);

/* scan_json.c: for the manual page. */
extern const struct json_doc scan_docs[];

#endif
