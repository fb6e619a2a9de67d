/* SPDX-License-Identifier: MIT
 *
 * Matches one expression on one text, with PCRE2's just-in-time compiler. A match that stops at a
 * limit has an answer of its own and must never look like "no match".
 */
#ifndef CORDON_SCAN_MATCH_H
#define CORDON_SCAN_MATCH_H

#include <stdint.h>

#include "scan/regex/regex.h"
#include "scan/text/normal.h"

enum match_answer {
	MATCH_UNDECIDED = 0, /* a limit was reached, or PCRE2 failed */
	MATCH_YES,
	MATCH_NO,
};

/* How far one match may go. Zero: the default. All are counts; none is a time. */
struct match_limits {
	uint32_t steps; /* PCRE2's match limit, for each place at which a match may begin */
	uint32_t depth; /* when interpreting: the depth of backtracking */
	uint32_t heap_kb;
	uint64_t
		/* for all expressions on one text, after PCRE2 reached a limit; see
		 * bounded_match.h */
		text_steps;
};

enum {
	MATCH_STEPS = 10000000, /* at one place */
	MATCH_STEPS_MIN = 1000,
	/* for all places of a text together, but at least MATCH_STEPS_MIN for each */
	MATCH_TEXT_STEPS = 500000000,
	MATCH_PLACE_STEPS = 1000000, /* to locate a match that is known to exist */
	MATCH_DEPTH = 1000000,
	MATCH_HEAP_KB = 65536,
	MATCH_STACK_MAX = 8 << 20, /* of the machine's code */
};

struct match_code;    /* a compiled expression */
struct match_scratch; /* memory for one matching thread */

/* NULL and a reason when PCRE2 refuses it. The machine code is made only when it is worth it: a
 * pack's expressions are mostly asked never or once. Threads may share the result. */
struct match_code *match_compile(const struct regex *regex, struct err *err);
void match_free(struct match_code *code);
/* Can machine code be made for every form that exists? */
bool match_is_native(const struct match_code *code);

/* Compiled forms as bytes. PCRE2 trusts them, so they must be bytes that the caller wrote, with
 * the same PCRE2 on the same kind of machine (match_library() names both). All begin with the same
 * HEAD. */
struct match_bytes {
	const uint8_t *head;
	size_t head_len;
	const uint8_t *own[JS_FORMS];
	size_t len[JS_FORMS]; /* 0: the form does not exist */
};
/* The bytes of one form. The caller frees *RET; HEAD_LEN of the LEN bytes are the head. */
int match_save(const struct match_code *code, enum js_form form, uint8_t **ret, size_t *ret_len,
	       size_t *ret_head_len, struct err *err);
/* An expression that is made of BYTES, which must stay, when it is first asked. */
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
/* Finds the place of a match that is known to exist, to show it; gives up sooner. */
enum match_answer match_locate(const struct match_code *code, struct match_scratch *s,
			       const struct scan_text *text, size_t *ret_start);

/* Where a match may begin, in bytes of the form of the text that the expression reads. FROM is the
 * first byte of a character. Lookbehinds still see the text before FROM. */
struct match_window {
	size_t from, to; /* the match begins at FROM or later, at TO or earlier */
	/* the text ends here for this question; no match and no lookahead may reach farther */
	size_t end;
};

/* Does a match begin in the window? PCRE2 may take PLACE_STEPS of its own steps at each place.
 * STEPS_LEFT is reduced by the tolls (toll.h); when it is used up, the answer is undecided. */
enum match_answer match_run_window(const struct match_code *code, struct match_scratch *s,
				   const struct scan_text *text, const struct match_window *window,
				   uint32_t place_steps, uint64_t *steps_left);

#endif
