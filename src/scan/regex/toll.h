/* SPDX-License-Identifier: MIT
 *
 * Tolls. A pattern has a callout before each part that can be slow, so that match.c can count its
 * work, with the same result on every machine. The callout's number says how much to charge. A
 * toll estimates the work of PCRE2 until the next callout, in steps of about ten nanoseconds. It
 * never changes which texts match.
 */
#ifndef CORDON_SCAN_TOLL_H
#define CORDON_SCAN_TOLL_H

#include "scan/regex/ast.h"

/* A number up to JS_TOLL_FIXED_MAX is the toll in units of JS_TOLL_FIXED steps. The others name
 * what is read, plus an exponent: the work at each character is 4 to the power of it. */
enum js_toll {
	JS_TOLL_LOOP = 0, /* a group repeats: one step */
	JS_TOLL_CALL = 2, /* of a group that is written elsewhere */
	JS_TOLL_FIXED_MAX = 239,
	JS_TOLL_RUN = 240,    /* up to where spaces end, or begin */
	JS_TOLL_LINE = 244,   /* to the line's end */
	JS_TOLL_ANY = 248,    /* to the text's */
	JS_TOLL_BEHIND = 252, /* a lookbehind of very many alternatives */
	/* a back-reference: the text of its group, as far as it repeats here */
	JS_TOLL_BACK = 253,
	JS_TOLL_NONE = 256,
};

enum { JS_TOLL_FIXED = 4, JS_TOLL_WEIGHTS = 4, JS_TOLL_BYTES = 8, JS_TOLL_WAYS_MAX = 1 << 16 };

/* What precedes a repeat. */
enum js_before { JS_AFTER_ANY, JS_AFTER_CHAR, JS_AFTER_EDGE /* of a word: \b */ };

/* The toll of REPEAT, a character or a class that repeats. BRANCHES: of the part after it. WAYS:
 * the number of ways in which PCRE2 can come here from one place, because of the repeats before
 * it; it grows. */
unsigned js_toll_of_run(const struct js_ast *ast, const struct js_node *repeat, uint32_t branches,
			enum js_before before, uint32_t *ways);
/* The toll of a group that repeats. */
unsigned js_toll_of_loop(const struct js_node *repeat);
/* Of a lookbehind. */
unsigned js_toll_of_behind(const struct js_ast *ast, const struct js_node *look);
/* The branches of kid AT of SEQ, or of its contents; 1 when there is no choice. */
uint32_t js_toll_branches(const struct js_ast *ast, const struct js_node *seq, uint32_t at);

#endif
