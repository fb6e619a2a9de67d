/* SPDX-License-Identifier: MIT
 *
 * The word "scan" of the sentence, from bytes to findings: bytes have a kind, the kind makes units
 * of them (events for the engine), and what the engine finds goes to a sink. Every door scans in
 * this way, so what one of them calls clean, all do. It must never print, and what could not be
 * scanned is an error that is counted and told: it must never look clean.
 */
#ifndef CORDON_DETECT_SCAN_H
#define CORDON_DETECT_SCAN_H

#include "detect/engine.h"
#include "model/code_view.h"

#define SCAN_FILE_MAX EVENT_BYTES_MAX
enum {
	SCAN_FINDINGS_MAX = 100000, /* that the sink is given */
	SCAN_REMARKS_MAX = 10000,   /* errors that it is given */
	SCAN_EXCERPT_MAX = 160,	    /* bytes */
	SCAN_REASON_MAX = 512,
	SCAN_PLACE_BYTES = 64 << 20, /* read to find out where a unit's findings are */
};

/* What a file is. */
enum scan_kind {
	KIND_TEXT,
	KIND_PYTHON,
	KIND_SHELL,
	KIND_DOCKER,
	KIND_MAKE,
	KIND_SKILL,
	KIND_JSON, /* whichever of the next two it is, or text */
	KIND_MCP,
	KIND_EVENTS,
	KIND_NOTEBOOK,
	KIND_COUNT,
};

/* A file, or whatever else has bytes and a name. */
struct scan_file {
	const char *name; /* as it was given or found */
	enum scan_kind kind;
	bool sure;	  /* its name or the caller says so */
	struct text data; /* any bytes, a NUL after the last */
	struct err limit; /* for which it is only a text, though it is a document; zero: none */
};

struct scan_seen;

/* Code that does not stand in the file as it does here, so its lines are nobody's. */
struct scan_program {
	const char *language; /* NULL: there is none */
	struct text text;
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
	struct scan_program script; /* what it has others run */
	const char *limit; /* the maximum for which a document is only a text here; or NULL */
	const struct scan_seen *known; /* rules that are not told again, or NULL */
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
};

/* Zero is the default. */
struct scan_options {
	enum detect_mode mode; /* the engine's */
	bool has_type, has_kind;
	enum event_type type; /* what a text is to the rules; else those of every event are asked */
	enum scan_kind kind;  /* else by name and first bytes */
	const struct node *fields;	  /* of the event that a text is the content of; or NULL */
	const struct code_reader *reader; /* NULL: programs get no code view */
	/* A document that says of itself that it is an event is a document all the same. */
	bool no_events;
	const struct code_view *ready; /* somebody has read the file's code already; or NULL */
	/* It is about to run: what of it could not be read was not looked at, whyever that is. */
	bool runs;
};

/* Who is told, as things are found; each may be NULL. What is told is gone when the call returns. */
struct scan_sink {
	void *context;
	void (*finding)(void *context, const struct scan_finding *f);
	void (*error)(void *context, const char *name, const struct err *err);
	/* Something the reader should know that is no failure. LINE may be 0, NAME "". */
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
	struct err no_view;	   /* the box cannot be had: why */
	size_t place_left;	   /* of SCAN_PLACE_BYTES, in this unit */
	struct engine_place place; /* what was asked about last, while its places are told */
	struct scan_seen *seen;	   /* gets the rules that are found, or NULL */
};

void scan_begin(struct scanner *s, const struct engine *engine, struct engine_thread *thread,
		const struct scan_options *options, const struct scan_sink *sink);
/* Bytes in any encoding, with a NUL after the last. NAMED: somebody asked for just these; else what
 * is no text is left out with a note, and not an error. */
void scan_data(struct scanner *s, const char *name, struct text data, bool named);
/* For what its caller could not even get the bytes of. */
void scan_error(struct scanner *s, const char *name, const struct err *err);
void scan_note(struct scanner *s, const char *name, size_t line, const char *words);
/* Sets the verdict: what was not looked at is not harmless. */
void scan_end(struct scanner *s);

/* The narrowest lane in which the rule fires. */
enum lane scan_lane(const struct rule *rule);
/* NULL past the end. */
const char *scan_kind_name(unsigned kind);
/* NULL for one that is no code. */
const char *scan_kind_language(enum scan_kind kind);
/* The kind of code that the reader LANGUAGE (or NULL) reads; else text. */
enum scan_kind scan_kind_read_by(const char *language);
enum scan_kind scan_kind_of(const char *name, struct text data, bool *ret_sure);
/* Is it code of any language? Three backticks quote nothing there. */
bool scan_is_program(const struct scan_file *file);
/* In words what it is, if it is none of them; NULL. */
const char *scan_binary(const char *name, struct text data);

#endif
