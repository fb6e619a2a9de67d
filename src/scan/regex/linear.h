/* SPDX-License-Identifier: MIT
 *
 * A second matcher, for expressions on which PCRE2 needs too many steps. It follows all ways to
 * match at once, so its time grows with the text and the expression and never with the number of
 * ways. It gives the same answer as PCRE2, but slower where PCRE2 does not explode. It finds
 * whether there is a match, not where. An expression with back-references, or one that would be
 * too large, has no linear form.
 */
#ifndef CORDON_SCAN_LINEAR_H
#define CORDON_SCAN_LINEAR_H

#include "scan/regex/match.h"

enum {
	LINEAR_STATES_MAX = 1 << 14,
	LINEAR_NODES_MAX = 1 << 17, /* while it is made */
	LINEAR_LOOKS_MAX = 64,	    /* lookarounds of one expression, nested ones included */
	LINEAR_BITS_MAX = 1 << 18,  /* pairs of a word number and its bits */
	LINEAR_VISITS_MAX = 1 << 22,
	LINEAR_CLASSES_MAX = 512,
	LINEAR_POOL_BYTES = 8 << 20, /* for one thread: the remembered moves of its forms */
};

struct linear; /* for one thread: it contains the state of a run */

/* The moves that all forms of one thread remember, see linear_pool.c. NULL: no memory. */
struct linear_pool;
struct linear_pool *linear_pool_new(void);
void linear_pool_free(struct linear_pool *pool);
/* Bytes in use. */
size_t linear_pool_used(const struct linear_pool *pool);

/* AST has been simplified. ERR_LIMIT: the expression has no linear form. */
struct linear *linear_new(const struct js_ast *ast, struct err *err);
/* The same, reading from the text's end; it can be asked only about a whole text. It is fast when
 * the text lacks the last part of the expression. A text that makes PCRE2 slow usually has the
 * first part very often. */
struct linear *linear_new_back(const struct js_ast *ast, struct err *err);
void linear_free(struct linear *l);

/* Does a match begin in the window? Every character costs a step for each 64 states, plus a few.
 * STEPS is reduced; when it is used up, the answer is undecided. POOL is NULL or always the same
 * pool for a form; it changes only the time, not the answer or the steps. */
enum match_answer linear_run(struct linear *l, struct linear_pool *pool, const char *data,
			     const struct match_window *window, uint64_t *steps);
/* The maximum cost of a run over LEN bytes, without lookaheads. */
uint64_t linear_cost(const struct linear *l, size_t len);

#endif
