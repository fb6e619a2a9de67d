/* SPDX-License-Identifier: MIT
 *
 * The word "scan" of the sentence, from bytes to findings. A file's kind decides into which units
 * (events for the engine) it is split; findings go to a sink. All doors scan with these functions, so
 * they agree on what is clean. It never prints. If something cannot be scanned, that is an error that
 * is counted and reported, so it never looks clean.
 */
#ifndef CORDON_DETECT_SCAN_H
#define CORDON_DETECT_SCAN_H

#include "detect/engine.h"
#include "model/code_view.h"

#define SCAN_FILE_MAX EVENT_BYTES_MAX
enum {
	SCAN_FINDINGS_MAX = 100000, /* findings that the sink gets */
	SCAN_REMARKS_MAX = 10000,   /* errors that the sink gets */
	SCAN_EXCERPT_MAX = 160,	    /* bytes */
	SCAN_REASON_MAX = 512,
	SCAN_PLACE_BYTES = 64 << 20, /* read to locate the findings of a unit */
};

/* The kind of a file. */
enum scan_kind {
	KIND_TEXT,
	KIND_PYTHON,
	KIND_SHELL,
	KIND_DOCKER,
	KIND_MAKE,
	KIND_SKILL,
	KIND_JSON, /* one of the next two, or text */
	KIND_MCP,
	KIND_EVENTS,
	KIND_NOTEBOOK,
	KIND_COUNT,
};

/* A file, or other bytes with a name. */
struct scan_file {
	const char *name; /* for messages */
	enum scan_kind kind;
	bool sure;	  /* the kind is known from the name or the caller */
	struct text data; /* any bytes, a NUL after the last */
	struct err
		limit; /* the exceeded maximum for which a document is scanned as text; zero: none */
};

struct scan_seen;

/* Code that was put together from a file, so its lines are not lines of the file. */
struct scan_program {
	const char *language; /* NULL: no code */
	struct text text;
};

/* One event for the engine. */
struct scan_unit {
	const struct scan_file *file;
	struct event event;
	const char *part;  /* the server of a configuration, or NULL */
	int64_t number;	   /* of the event in the file, from 0; -1: the unit is the whole file */
	size_t line;	   /* where the unit begins; 0: unknown */
	bool is_file;	   /* the event's content is the file */
	struct text other; /* the text without escapes, which is also scanned; s may be NULL */
	struct scan_program script; /* the commands that the unit has other programs run */
	const char
		*limit; /* the exceeded maximum for which a document is scanned as text; or NULL */
	const struct scan_seen *known; /* rules that are not reported again, or NULL */
};

struct scan_finding {
	const struct finding *finding;
	const struct scan_unit *unit;
	size_t line, column; /* from 1, in characters; 0: unknown */
	char excerpt[SCAN_EXCERPT_MAX + 8];
};

struct scan_totals {
	size_t files, units, bytes, skipped, errors, findings;
	size_t severity[SEVERITY_OTHER + 1];
	size_t views, views_part, views_none; /* code views: complete, in part, none */
};

/* Zero is the default. */
struct scan_options {
	enum detect_mode mode; /* the engine's */
	bool has_type, has_kind;
	enum event_type type; /* the type of a text; else rules of all types apply */
	enum scan_kind kind;  /* else decided by name and first bytes */
	const struct node
		*fields; /* other fields of the event whose content is the text; or NULL */
	const struct code_reader *reader; /* NULL: programs get no code view */
	/* A document is not an event, even if it has the keys of one. */
	bool no_events;
	const struct code_view *ready; /* the file's code view if it is already made; or NULL */
	/* The code is about to run: any part that cannot be read counts as not scanned. */
	bool runs;
};

/* Called for each finding, error and note; each may be NULL. Arguments are valid during the call. */
struct scan_sink {
	void *context;
	void (*finding)(void *context, const struct scan_finding *f);
	void (*error)(void *context, const char *name, const struct err *err);
	/* A note that is not an error. LINE may be 0, NAME "". */
	void (*note)(void *context, const char *name, size_t line, const char *words);
	void (*effects)(void *context, const struct scan_file *file, const struct code_view *view);
};

/* One scan of any number of files, in one thread. Plain data: begin with scan_begin. */
struct scanner {
	const struct engine *engine;
	struct engine_thread *thread;
	struct scan_options options;
	struct scan_sink sink;
	struct scan_totals totals;
	enum detect_verdict worst;   /* of all units so far */
	enum detect_verdict verdict; /* deny until scan_end says otherwise */
	char reason[SCAN_REASON_MAX];
	struct err no_view;	   /* the reason why there is no box for the code view */
	size_t place_left;	   /* of SCAN_PLACE_BYTES, in this unit */
	struct engine_place place; /* the text whose findings are being located */
	struct scan_seen *seen;	   /* gets the rules that matched, or NULL */
};

void scan_begin(struct scanner *s, const struct engine *engine, struct engine_thread *thread,
		const struct scan_options *options, const struct scan_sink *sink);
/* Scans bytes in any encoding, with a NUL after the last. NAMED: the caller named this file, so it is
 * an error if it is not text; otherwise it is left out with a note. */
void scan_data(struct scanner *s, const char *name, struct text data, bool named);
/* Counts a file that the caller could not read. */
void scan_error(struct scanner *s, const char *name, const struct err *err);
void scan_note(struct scanner *s, const char *name, size_t line, const char *words);
/* Sets the verdict. A file that was not scanned is not harmless. */
void scan_end(struct scanner *s);

/* The narrowest lane in which the rule fires. */
enum lane scan_lane(const struct rule *rule);
/* NULL past the end. */
const char *scan_kind_name(unsigned kind);
/* NULL if the kind is not code. */
const char *scan_kind_language(enum scan_kind kind);
/* The kind of code that the reader LANGUAGE (or NULL) reads; else text. */
enum scan_kind scan_kind_read_by(const char *language);
enum scan_kind scan_kind_of(const char *name, struct text data, bool *ret_sure);
/* Is it code in some language? Then three backticks do not quote. */
bool scan_is_program(const struct scan_file *file);
/* A description of a file that is not text; NULL if it may be text. */
const char *scan_binary(const char *name, struct text data);

#endif
