/* SPDX-License-Identifier: MIT
 *
 * One expression on one text, with PCRE2's compiler for the machine. A match that is given up
 * because a limit was reached is an answer of its own: it must never look like "no match".
 */
#ifndef CORDON_SCAN_MATCH_H
#define CORDON_SCAN_MATCH_H

#include <stdint.h>

#include "scan/normal.h"
#include "scan/regex.h"

enum match_answer {
	MATCH_UNDECIDED = 0, /* a limit was reached, or PCRE2 failed */
	MATCH_YES,
	MATCH_NO,
};

/* How far one match may go. Zero: the default. None of them is a time. */
struct match_limits {
	uint32_t steps; /* PCRE2's match limit: at each place at which a match may begin */
	uint32_t depth; /* without the machine's code: how deep it may backtrack */
	uint32_t heap_kb;
	uint64_t
		text_steps; /* for all expressions on one text, once PCRE2 gave up; see confirm.h */
};

enum {
	MATCH_STEPS = 10000000, /* at one place */
	MATCH_STEPS_MIN = 1000,
	MATCH_TEXT_STEPS = 500000000, /* at all places of a text, unless each gets the least */
	MATCH_PLACE_STEPS = 1000000,  /* to find where a match is that there is */
	MATCH_DEPTH = 1000000,
	MATCH_HEAP_KB = 65536,
	MATCH_STACK_MAX = 8 << 20, /* of the machine's code */
};

struct match_code;    /* a compiled expression */
struct match_scratch; /* what one thread needs while it matches */

/* NULL and a reason when PCRE2 cannot take it. The machine's code is made when it is worth it: most
 * expressions of a pack are never needed, and many once. Threads may share what comes back. */
struct match_code *match_compile(const struct regex *regex, struct err *err);
void match_free(struct match_code *code);
/* Does the machine's code come out for every form there is? */
bool match_is_native(const struct match_code *code);

/* Compiled forms as bytes: only for who made the bytes himself, with the same PCRE2 on the same kind
 * of machine (match_library() names it); PCRE2 believes them. All begin with the same HEAD. */
struct match_bytes {
	const uint8_t *head;
	size_t head_len;
	const uint8_t *own[JS_FORMS];
	size_t len[JS_FORMS]; /* 0: there is no such form */
};
/* The bytes of one form; *RET is to be freed, HEAD_LEN of the LEN bytes are the head. */
int match_save(const struct match_code *code, enum js_form form, uint8_t **ret, size_t *ret_len,
	       size_t *ret_head_len, struct err *err);
/* An expression that is made of its BYTES, which stay, when it is first asked. */
struct match_code *match_lazy(const struct match_bytes *bytes, bool unicode, struct err *err);
bool match_has(const struct match_code *code, enum js_form form);
bool match_is_unicode(const struct match_code *code);
/* At least 64 bytes. */
void match_library(char *ret, size_t size);

struct match_scratch *match_scratch_new(const struct match_limits *limits, struct err *err);
void match_scratch_free(struct match_scratch *s);

/* RET_START, if not NULL, gets the UTF-16 index at which the first match begins. */
enum match_answer match_run(const struct match_code *code, struct match_scratch *s,
			    const struct scan_text *text, size_t *ret_start);
/* Where one is that is known to be there, for people: undecided sooner. */
enum match_answer match_locate(const struct match_code *code, struct match_scratch *s,
			       const struct scan_text *text, size_t *ret_start);

/* Where a match may begin, in bytes of the form of the text that the expression reads; FROM is the
 * first byte of a character. What lies before FROM is still seen by lookbehinds. */
struct match_window {
	size_t from, to; /* begins at FROM at the earliest, at TO at the latest */
	size_t end;	 /* the text ends here for this question: only for who knows that no match
			  * and no lookahead reaches farther */
};

/* Does a match begin in the window? At each place PCRE2 may take so many of its own steps. STEPS_LEFT
 * goes down by the tolls (js_toll.h); when there are not enough, it is undecided. */
enum match_answer match_run_window(const struct match_code *code, struct match_scratch *s,
				   const struct scan_text *text, const struct match_window *window,
				   uint32_t place_steps, uint64_t *steps_left);

#endif
