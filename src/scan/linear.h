/* SPDX-License-Identifier: MIT
 *
 * The second way to ask an expression about a text: all ways to match are followed at once, so the
 * time grows with the text and with the expression, never with the number of ways. It is slower
 * than PCRE2 where that does not explode, and says the same: it is asked when PCRE2 has done too
 * many steps. Only whether there is a match is known, not where. Expressions with back-references
 * have no such form, nor have those that would be too large.
 */
#ifndef CORDON_SCAN_LINEAR_H
#define CORDON_SCAN_LINEAR_H

#include "scan/match.h"

enum {
	LINEAR_STATES_MAX = 1 << 14,
	LINEAR_NODES_MAX = 1 << 17, /* while it is made */
	LINEAR_LOOKS_MAX = 64,	    /* lookarounds of one expression, those within them too */
	LINEAR_BITS_MAX = 1 << 18,  /* pairs of a word's number and its bits */
	LINEAR_VISITS_MAX = 1 << 22,
	LINEAR_CLASSES_MAX = 512,
	LINEAR_POOL_BYTES = 8 << 20, /* for a thread: what its forms remember */
};

struct linear; /* for one thread: it holds the state of a run too */

/* What all forms of one thread remember of how they moved, see linear_pool.c. NULL: no memory. */
struct linear_pool;
struct linear_pool *linear_pool_new(void);
void linear_pool_free(struct linear_pool *pool);
/* Bytes that hold something. */
size_t linear_pool_used(const struct linear_pool *pool);

/* AST has been simplified. ERR_LIMIT: there is no such form of it. */
struct linear *linear_new(const struct js_ast *ast, struct err *err);
/* The same, but it reads from the text's end, and can only be asked about a whole text. It is quick
 * where the last part of an expression is what the text does not have; a text that makes PCRE2 slow
 * mostly has the first part very often. */
struct linear *linear_new_back(const struct js_ast *ast, struct err *err);
void linear_free(struct linear *l);

/* Does a match begin in the window? Every character costs a step for each 64 states, and a few
 * more. STEPS goes down; when there are not enough, it is undecided. POOL is always the same one
 * for a form, or NULL; it changes neither the answer nor the steps, only the time. */
enum match_answer linear_run(struct linear *l, struct linear_pool *pool, const char *data,
			     const struct match_window *window, uint64_t *steps);
/* What a run over LEN bytes costs at most, but for lookaheads. */
uint64_t linear_cost(const struct linear *l, size_t len);

#endif
