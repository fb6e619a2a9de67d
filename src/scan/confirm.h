/* SPDX-License-Identifier: MIT
 *
 * Asks one pattern about places of a text, within bounds that are counted and never timed, so that
 * every machine gives the same answers. PCRE2 is asked first: it is fast, and may do so many steps
 * at a place, so many for a pattern and so many for a text. Whoever reaches one of these is asked
 * the linear way, which cannot explode. What is undecided then: a pattern that has no linear form
 * and took too many steps, or a text that took too many the linear way.
 */
#ifndef CORDON_SCAN_CONFIRM_H
#define CORDON_SCAN_CONFIRM_H

#include "scan/db.h"

struct confirm; /* for one thread */

/* LIMITS may be NULL, or have zeros: the defaults. */
struct confirm *confirm_new(const struct db *db, const struct match_limits *limits,
			    struct err *err);
void confirm_free(struct confirm *c);

/* The next questions are about TEXT, which stays where it is. KIN: it is a form of the one before it,
 * or a layer: what was slow there is slow here. */
void confirm_begin(struct confirm *c, const struct scan_text *text, bool kin);
/* All that were charged so far, for every text. */
uint64_t confirm_steps(const struct confirm *c);
/* Does a match of the pattern begin in the window? Yes is also said when it begins elsewhere. */
enum match_answer confirm_window(struct confirm *c, uint32_t pattern, struct match_window w);
/* All of the text has been asked about: there is no need to ask again. */
bool confirm_is_done(const struct confirm *c, uint32_t pattern);

/* About a whole text, of which nothing else is known; RET_START as in match_run(). */
enum match_answer confirm_text(struct confirm *c, uint32_t pattern, const struct scan_text *text,
			       size_t *ret_start);
/* As match_locate(). */
enum match_answer confirm_locate(struct confirm *c, uint32_t pattern, const struct scan_text *text,
				 size_t *ret_start);
/* The same, only the linear way. Undecided: it has no linear form. */
enum match_answer confirm_linear(struct confirm *c, uint32_t pattern, const struct scan_text *text,
				 enum db_linear way);

#endif
