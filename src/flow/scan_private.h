/* SPDX-License-Identifier: MIT
 *
 * What the files of the word "scan" share: a unit through the engine, and who makes units of a file.
 */
#ifndef CORDON_FLOW_SCAN_PRIVATE_H
#define CORDON_FLOW_SCAN_PRIVATE_H

#include "flow/gather.h"
#include "flow/scan.h"

enum { SCAN_SEEN_MAX = 1024 };

/* Rules that were found in parts of a file. Where the file is looked at once more as a whole, they
 * are not told again; one for which there is no room is told twice. */
struct scan_seen {
	size_t count;
	const struct rule *rule[SCAN_SEEN_MAX];
};

/* scan_unit.c */
void scan_unit(struct scanner *s, struct scan_unit *unit);
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

/* scan_doc.c: false when it is no JSON that Cordon knows; then it is text. */
bool scan_document(struct scanner *s, struct scan_file *file);

/* scan_servers.c: false when ROOT is no configuration of servers. */
bool scan_servers(struct scanner *s, struct scan_file *file, const struct node *root);

#endif
