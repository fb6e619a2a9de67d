/* SPDX-License-Identifier: MIT
 *
 * cordon scan: files and directories in, one of the formats out. What is made of bytes in between
 * is not the command line's (flow/scan.h).
 */
#ifndef CORDON_CLI_SCAN_H
#define CORDON_CLI_SCAN_H

#include <jansson.h>

#include "cli/cli.h"
#include "flow/packs.h"
#include "flow/scan.h"

enum {
	SCAN_DEPTH_MAX = 64,	   /* directories in directories */
	SCAN_ENTRIES_MAX = 100000, /* names in one directory */
	SCAN_FILES_MAX = 1000000,  /* in all */
};

struct scan {
	const struct cli_call *call;
	struct packs *rules;
	const struct scan_format *format;
	void *out; /* the format's */
	struct scanner scanner;
	uint64_t start_ns;
	size_t failing; /* findings that --fail-on is about, and undecided ones */
	bool left_out;	/* it was told that histories are */
	bool begun;	/* there are rules: it came to scanning */
	bool progress, mid_progress;
	uint64_t progress_ns;
};

/* How results are shown: a row each. FINDING to EFFECTS are called as things are found. */
struct scan_format {
	const char *name;
	int (*begin)(struct scan *s, struct err *err);
	void (*finding)(struct scan *s, const struct scan_finding *f);
	void (*error)(struct scan *s, const char *file, const struct err *err);
	/* Something the reader should know that is no failure. LINE may be 0. */
	void (*note)(struct scan *s, const char *file, size_t line, const char *words);
	void (*effects)(struct scan *s, const struct scan_file *file, const struct code_view *view);
	void (*end)(struct scan *s);
};

/* scan.c */
/* The line on the terminal; NAME NULL: away with it. */
void scan_progress(struct scan *s, const char *name);
/* In words. */
const char *scan_lane_name(const struct rule *rule);
/* clean, findings or error. */
const char *scan_status(const struct scan *s);

/* scan_file.c: opens and reads one file below DIRFD (AT_FDCWD). NAMED: the user named it, so it is
 * meant; otherwise it was found on a walk, where links lead elsewhere and what is no text is no error. */
void scan_path(struct scan *s, int dirfd, const char *path, const char *name, bool named);
void scan_stdin(struct scan *s);

/* scan_walk.c */
void scan_directory(struct scan *s, int fd, const char *name, unsigned depth);

/* out_text.c, out_json.c, out_sarif.c */
extern const struct scan_format scan_text_format, scan_json_format, scan_sarif_format;
const struct scan_format *scan_format_at(unsigned i);
const struct cli_object *scan_object_at(unsigned i);

#endif
