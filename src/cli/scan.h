/* SPDX-License-Identifier: MIT
 *
 * cordon scan, from files to findings: a file has a kind, its kind makes units of it (events for
 * the engine), the engine's findings go to one of the formats. What could not be scanned is an
 * error that is counted and told; it must never look like a clean file.
 */
#ifndef CORDON_CLI_SCAN_H
#define CORDON_CLI_SCAN_H

#include <jansson.h>

#include "cli/cli.h"
#include "cli/packs.h"
#include "flow/view.h"

#define SCAN_FILE_MAX EVENT_BYTES_MAX
enum {
	SCAN_DEPTH_MAX = 64,	    /* directories in directories */
	SCAN_ENTRIES_MAX = 100000,  /* names in one directory */
	SCAN_FILES_MAX = 1000000,   /* in all */
	SCAN_FINDINGS_MAX = 100000, /* that are shown */
	SCAN_REMARKS_MAX = 10000,   /* errors, and notes, and effects each, that JSON lists */
	SCAN_EXCERPT_MAX = 160,	    /* bytes */
};

/* What a file is. */
enum scan_kind {
	KIND_TEXT,
	KIND_PYTHON,
	KIND_SHELL,
	KIND_SKILL,
	KIND_JSON, /* whichever of the next two it is, or text */
	KIND_MCP,
	KIND_EVENTS,
	KIND_COUNT,
};

struct scan_file {
	const char *name; /* as it was given or found */
	enum scan_kind kind;
	bool sure;	  /* its name or the caller says so */
	struct text data; /* any bytes, a NUL after the last */
};

/* Something the engine is asked about at once. */
struct scan_unit {
	const struct scan_file *file;
	struct event event;
	const char *part;  /* which server of a configuration; NULL */
	int64_t number;	   /* which event of the file, from 0; -1: it is all of it */
	size_t line;	   /* on which it begins; 0: not known */
	bool is_file;	   /* the event's content is the file */
	struct text other; /* the same with its escapes undone, to be scanned too; or s NULL */
};

struct scan_finding {
	const struct finding *finding;
	const struct scan_unit *unit;
	size_t line, column; /* from 1, in characters; 0: not known */
	char excerpt[SCAN_EXCERPT_MAX + 8];
};

struct scan_totals {
	size_t files, units, bytes, skipped, errors, findings;
	size_t severity[SEVERITY_OTHER + 1];
	size_t views, views_part, views_none; /* code: seen, in part, not */
	uint64_t start_ns;
};

struct scan {
	const struct cli_call *call;
	struct packs *rules;
	const struct scan_format *format;
	void *out; /* the format's */
	struct scan_totals totals;
	enum detect_verdict verdict; /* the worst of all units */
	char reason[512];	     /* for it */
	struct err no_view;	     /* the box cannot be had: why */
	size_t failing;		     /* findings that --fail-on is about, and undecided ones */
	bool begun;		     /* there are rules: it came to scanning */
	bool progress, mid_progress;
	uint64_t progress_ns;
};

/* How results are shown: a row each. FINDING to EFFECTS are called as things are found. */
struct scan_format {
	const char *name, *help;
	int (*begin)(struct scan *s, struct err *err);
	void (*finding)(struct scan *s, const struct scan_finding *f);
	void (*error)(struct scan *s, const char *file, const struct err *err);
	/* Something the reader should know that is no failure. LINE may be 0. */
	void (*note)(struct scan *s, const char *file, size_t line, const char *words);
	void (*effects)(struct scan *s, const struct scan_file *file, const struct code_view *view);
	void (*end)(struct scan *s);
};

/* scan.c */
void scan_error(struct scan *s, const char *file, const struct err *err);
void scan_note(struct scan *s, const char *file, size_t line, const char *words);
/* The line on the terminal; NAME NULL: away with it. */
void scan_progress(struct scan *s, const char *name);
/* The narrowest lane in which the rule fires. */
const char *scan_lane(const struct rule *rule);
/* clean, findings or error. */
const char *scan_status(const struct scan *s);

/* scan_file.c: opens and reads one file below DIRFD (AT_FDCWD), FOLLOW: also through a link. */
void scan_path(struct scan *s, int dirfd, const char *path, const char *name, bool follow);
void scan_stdin(struct scan *s);

/* scan_walk.c */
void scan_directory(struct scan *s, int fd, const char *name, unsigned depth);

/* scan_kind.c */
const char *scan_kind_name(unsigned kind);
/* NULL for one that is no code. */
const char *scan_kind_language(enum scan_kind kind);
enum scan_kind scan_kind_of(const char *name, struct text data, bool *ret_sure);
/* In words what it is, if it is none of them; NULL. */
const char *scan_binary(const char *name, struct text data);

/* scan_unit.c */
void scan_unit(struct scan *s, struct scan_unit *unit);
/* The file as one unit. */
void scan_whole(struct scan *s, const struct scan_file *file);

/* scan_doc.c: false when it is no JSON that Cordon knows; then it is text. */
bool scan_document(struct scan *s, struct scan_file *file);

/* out_text.c, out_json.c, out_sarif.c */
extern const struct scan_format scan_text_format, scan_json_format, scan_sarif_format;
const struct scan_format *scan_format_at(unsigned i);
const struct cli_object *scan_object_at(unsigned i);

#endif
