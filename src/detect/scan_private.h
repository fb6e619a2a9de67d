/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of "scan": how a file is split into units and how a unit is scanned.
 */
#ifndef CORDON_DETECT_SCAN_PRIVATE_H
#define CORDON_DETECT_SCAN_PRIVATE_H

#include "detect/gather.h"
#include "detect/scan.h"

enum { SCAN_SEEN_MAX = 1024 };

/* Rules that matched in parts of a file. When the whole file is scanned afterwards, they are not
 * reported again; one that does not fit here is reported twice. */
struct scan_seen {
	size_t count;
	const struct rule *rule[SCAN_SEEN_MAX];
};

/* The code in the arguments of a file's tool calls. One box reads all of it, because a box for each
 * call would take much longer. */
struct scan_calls {
	struct gather text;
	size_t count;	/* calls that may contain code */
	int64_t number; /* of the last call's event */
	size_t line;
};

/* scan_unit.c */
void scan_unit(struct scanner *s, struct scan_unit *unit);
/* Do programs get a code view? */
bool scan_has_views(const struct scanner *s);
/* Scans the file as one unit. */
void scan_whole(struct scanner *s, const struct scan_file *file);
/* The event for a text that is not an event itself. */
struct event scan_plain(const struct scanner *s, struct text text);
/* Scans UNIT with the gathered text. */
void scan_gathered(struct scanner *s, struct scan_unit *unit, struct gather *g);
/* Makes UNIT's script of the calls below ROOT, if there are code views. G owns the text. */
void scan_script(struct scanner *s, struct scan_unit *unit, const struct node *root,
		 struct gather *g);
/* Reports what G left out. True: G's text must not be used. */
bool scan_gather_failed(struct scanner *s, const struct scan_file *file, const struct gather *g);

/* scan_calls.c: collects possible code of UNIT's event; it is scanned at the end of the file. */
void scan_calls_add(struct scan_calls *c, const struct scan_unit *unit);
void scan_calls_end(struct scanner *s, const struct scan_file *file, struct scan_calls *c);

/* scan_fenced.c: does a Markdown file have code blocks in a language with a code view? */
bool scan_has_fenced(const struct scan_file *file);

/* scan_doc.c: false if the file is not JSON; RET_WHY has the reason. */
bool scan_document(struct scanner *s, struct scan_file *file, struct err *ret_why);
bool scan_is_event(const struct node *n);
/* Does it have an event type that rules know? */
bool scan_is_known_event(const struct node *n);
/* Does the caller say that it is an event and nothing else? */
bool scan_is_surely_event(const struct scanner *s, const struct node *n);
void scan_event(struct scanner *s, const struct scan_file *file, const struct node *node,
		int64_t number, struct scan_calls *calls);
/* Do the strings of the document differ from its text? True if it has escapes or calls. */
bool scan_reads_otherwise(const struct scanner *s, struct text text, const struct node *root);
/* Scans another document, or UNIT's part of one: its text, and its strings if they differ from it. */
void scan_strings(struct scanner *s, struct scan_unit *unit, struct text text,
		  const struct node *root);
/* Parses JSON as leniently as programs do. ERR_LIMIT: it is JSON and exceeds a maximum; a text that only
 * has many brackets is not JSON. */
int scan_read_json(struct text data, size_t line, struct arena *arena, const struct node **ret,
		   bool *ret_loose, struct err *ret_why);

/* scan_lines.c: false if the lines are not JSON documents. */
bool scan_lines(struct scanner *s, struct scan_file *file);

/* scan_servers.c: false if ROOT is not a configuration of servers. */
bool scan_servers(struct scanner *s, struct scan_file *file, const struct node *root);

#endif
