/* SPDX-License-Identifier: MIT
 *
 * Tolls. Before what can be slow a pattern has a callout, so that somebody can count (match.c), the
 * same on every machine; its number says how much. A toll is a guess of what PCRE2 may have to do
 * until it calls again, a step being about ten nanoseconds; it never changes what matches.
 */
#ifndef CORDON_SCAN_JS_TOLL_H
#define CORDON_SCAN_JS_TOLL_H

#include "scan/js_ast.h"

/* Up to JS_TOLL_FIXED_MAX a number says the toll, JS_TOLL_FIXED steps each; the others say what is
 * read, and, added to it, how much is tried at every character of that: 4 to the power of it. */
enum js_toll {
	JS_TOLL_LOOP = 0, /* a group comes again: one step */
	JS_TOLL_CALL = 2, /* of a group that is written elsewhere */
	JS_TOLL_FIXED_MAX = 239,
	JS_TOLL_RUN = 240,    /* up to where spaces end, or begin */
	JS_TOLL_LINE = 244,   /* to the line's end */
	JS_TOLL_ANY = 248,    /* to the text's */
	JS_TOLL_BEHIND = 252, /* a lookbehind of very many alternatives */
	JS_TOLL_BACK = 253,   /* what a group has read, as far as it stands here again */
	JS_TOLL_NONE = 256,
};

enum { JS_TOLL_FIXED = 4, JS_TOLL_WEIGHTS = 4, JS_TOLL_BYTES = 8, JS_TOLL_WAYS_MAX = 1 << 16 };

/* What is before a repeat. */
enum js_before { JS_AFTER_ANY, JS_AFTER_CHAR, JS_AFTER_EDGE /* of a word: \b */ };

/* Of REPEAT, a character or a class that repeats. BRANCHES: of what comes behind it. WAYS: in how
 * many ways PCRE2 can come here from one place, because of the repeats before it; it grows. */
unsigned js_toll_of_run(const struct js_ast *ast, const struct js_node *repeat, uint32_t branches,
			enum js_before before, uint32_t *ways);
/* Of a group that repeats. */
unsigned js_toll_of_loop(const struct js_node *repeat);
/* Of a lookbehind. */
unsigned js_toll_of_behind(const struct js_ast *ast, const struct js_node *look);
/* Of kid AT of SEQ, or of what it holds; 1 when there is nothing to choose from. */
uint32_t js_toll_branches(const struct js_ast *ast, const struct js_node *seq, uint32_t at);

#endif
