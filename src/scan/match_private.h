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

/* Behind a pointer, so that a match_code that is const can have it. */
struct machine {
	pthread_mutex_t lock;
	atomic_uchar state[JS_FORMS];
};

struct match_code {
	pcre2_code *form[JS_FORMS]; /* NULL: never matches */
	struct machine *machine;
	bool unicode;
};

struct match_code *match_new(bool unicode, struct err *err);

#endif
