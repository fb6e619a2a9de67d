/* SPDX-License-Identifier: MIT
 *
 * Asks one pattern about places of a text, within bounds that are counted and never timed, so
 * every machine gives the same answers. PCRE2 comes first, because it is fast; it has a limit of
 * steps at a place, for a pattern and for a text. A pattern that reaches one of these is matched
 * by its linear form, which cannot explode.
 * An answer is undecided in two cases: a pattern without a linear form took too many steps, or a
 * text took too many steps in linear forms.
 */
#ifndef CORDON_SCAN_BOUNDED_MATCH_H
#define CORDON_SCAN_BOUNDED_MATCH_H

#include "scan/find/pattern_db.h"

struct confirm; /* for one thread */

/* LIMITS may be NULL, or have zeros, for the defaults. */
struct confirm *confirm_new(const struct db *db, const struct match_limits *limits,
			    struct err *err);
void confirm_free(struct confirm *c);

/* The next questions are about TEXT, which must stay. KIN: it is a form or layer of the text
 * before it, so a pattern that was slow there is slow here. */
void confirm_begin(struct confirm *c, const struct scan_text *text, bool kin);
/* All steps charged so far, for every text. */
uint64_t confirm_steps(const struct confirm *c);
/* Does a match of the pattern begin in the window? It may also answer yes for a match elsewhere. */
enum match_answer confirm_window(struct confirm *c, uint32_t pattern, struct match_window w);
/* The whole text has been matched: another question gives the same answer. */
bool confirm_is_done(const struct confirm *c, uint32_t pattern);

/* Matches a whole text about which nothing is known; RET_START as in match_run(). */
enum match_answer confirm_text(struct confirm *c, uint32_t pattern, const struct scan_text *text,
			       size_t *ret_start);
/* As match_locate(). */
enum match_answer confirm_locate(struct confirm *c, uint32_t pattern, const struct scan_text *text,
				 size_t *ret_start);
/* The same with the linear form only. Undecided: the pattern has none. */
enum match_answer confirm_linear(struct confirm *c, uint32_t pattern, const struct scan_text *text,
				 enum db_linear way);

#endif
