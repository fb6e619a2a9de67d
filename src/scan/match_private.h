/* SPDX-License-Identifier: MIT
 *
 * What compiling and matching (match.c) and keeping compiled expressions (match_file.c) share.
 */
#ifndef CORDON_SCAN_MATCH_PRIVATE_H
#define CORDON_SCAN_MATCH_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "scan/match.h"

/* What became of a form so far. Only goes on, under the lock; the form may be read once it is past
 * ENCODED. */
enum form_state {
	FORM_NEVER,   /* it matches nothing */
	FORM_ENCODED, /* only its bytes are there */
	FORM_FRESH,   /* PCRE2 interprets it: the machine's code takes longer than a few matches */
	FORM_NATIVE,  /* the machine's code is there */
	FORM_INTERPRETED, /* it cannot be made */
	FORM_BROKEN,	  /* PCRE2 does not take the bytes, or there was no memory */
};

/* Behind a pointer, so that a match_code that is const can have it. */
struct machine {
	pthread_mutex_t lock;
	pcre2_code *form[JS_FORMS];
	atomic_uchar state[JS_FORMS]; /* enum form_state */
	atomic_uchar uses[JS_FORMS];  /* while it is fresh */
};

struct match_code {
	struct machine *machine;
	struct match_bytes bytes;
	bool unicode;
};

struct match_code *match_new(bool unicode, struct err *err);
/* From a form's bytes; NULL when that is not possible. */
pcre2_code *match_decode(const struct match_bytes *bytes, enum js_form form);

static inline enum form_state match_state(const struct match_code *code, enum js_form form)
{
	return (enum form_state)atomic_load_explicit(&code->machine->state[form],
						     memory_order_acquire);
}

#endif
