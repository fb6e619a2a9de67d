/* SPDX-License-Identifier: MIT
 *
 * What the files of the word "scan" share: how a file becomes units, and a unit goes through the engine.
 */
#ifndef CORDON_DETECT_SCAN_PRIVATE_H
#define CORDON_DETECT_SCAN_PRIVATE_H

#include "detect/gather.h"
#include "detect/scan.h"

enum { SCAN_SEEN_MAX = 1024 };

/* Rules that were found in parts of a file. Where the file is looked at once more as a whole, they
 * are not told again; one for which there is no room is told twice. */
struct scan_seen {
	size_t count;
	const struct rule *rule[SCAN_SEEN_MAX];
};

/* What tool calls of one file have in their arguments, to be read together: a box for each would take
 * as many times as long. */
struct scan_calls {
	struct gather text;
	size_t count;	/* of calls with something that may be code */
	int64_t number; /* the last one's */
	size_t line;
};

/* scan_unit.c */
void scan_unit(struct scanner *s, struct scan_unit *unit);
/* Are programs looked at as such? */
bool scan_has_views(const struct scanner *s);
/* The file as one unit. */
void scan_whole(struct scanner *s, const struct scan_file *file);
/* A text of UNIT's file that is no event by itself. */
struct event scan_plain(const struct scanner *s, struct text text);
/* What was gathered, as UNIT's text. */
void scan_gathered(struct scanner *s, struct scan_unit *unit, struct gather *g);
/* The calls below ROOT become UNIT's script, held by G, where there is a code view to be had. */
void scan_script(struct scanner *s, struct scan_unit *unit, const struct node *root,
		 struct gather *g);
/* Tells if something is not in G, and whether its text is of no use. */
bool scan_gather_failed(struct scanner *s, const struct scan_file *file, const struct gather *g);

/* scan_calls.c: what may be code in UNIT's event is kept; at the end of the file it is scanned. */
void scan_calls_add(struct scan_calls *c, const struct scan_unit *unit);
void scan_calls_end(struct scanner *s, const struct scan_file *file, struct scan_calls *c);

/* scan_fenced.c: has a Markdown file blocks of code in a language that there is a view of? */
bool scan_has_fenced(const struct scan_file *file);

/* scan_doc.c: false when it is no JSON that Cordon knows, and RET_WHY says why not. */
bool scan_document(struct scanner *s, struct scan_file *file, struct err *ret_why);
bool scan_is_event(const struct node *n);
/* One of the types that rules know. */
bool scan_is_known_event(const struct node *n);
/* And nothing else, since the caller says so. */
bool scan_is_surely_event(const struct scanner *s, const struct node *n);
void scan_event(struct scanner *s, const struct scan_file *file, const struct node *node,
		int64_t number, struct scan_calls *calls);
/* Of good JSON the text says the same as its strings, but for escapes, and words that stand apart. */
bool scan_reads_otherwise(const struct scanner *s, struct text text, const struct node *root);
/* Any other document, or UNIT's part of one: its text, and where they read otherwise, its strings. */
void scan_strings(struct scanner *s, struct scan_unit *unit, struct text text,
		  const struct node *root);
/* As JSON, or as near to it as programs would take. ERR_LIMIT: so far it was, and then it was too
 * much; a text that has only many brackets is none. */
int scan_read_json(struct text data, size_t line, struct arena *arena, const struct node **ret,
		   bool *ret_loose, struct err *ret_why);

/* scan_lines.c: false when the lines are no JSON, each by itself. */
bool scan_lines(struct scanner *s, struct scan_file *file);

/* scan_servers.c: false when ROOT is no configuration of servers. */
bool scan_servers(struct scanner *s, struct scan_file *file, const struct node *root);

#endif
