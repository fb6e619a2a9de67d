/* SPDX-License-Identifier: MIT
 *
 * A text of an event in all forms that rules need. Each form is made once, when it is first
 * needed; the reference makes them for every condition.
 */
#ifndef CORDON_DETECT_PREPARED_H
#define CORDON_DETECT_PREPARED_H

#include "detect/fence.h"
#include "scan/text/normal.h"
#include "yaml/node.h"

struct prepared {
	struct text source;
	struct scan_text raw, normal;
	bool differs; /* normal is not raw */
	bool fenced;
	struct fences fences; /* of normal */
	char *lower;	      /* lower case of normal, or NULL if not made yet */
	size_t lower_len;
	const char *language; /* of raw, or NULL if not made yet */
};

/* SOURCE must stay. */
int prepared_init(struct prepared *p, struct text source, struct err *err);
void prepared_done(struct prepared *p);
/* 0, or -1 when memory is out. */
int prepared_lower(struct prepared *p, struct err *err);
/* UNCLOSED as in fence.h; it must be the same at every call. */
int prepared_fences(struct prepared *p, bool unclosed, struct err *err);
const char *prepared_language(struct prepared *p);

#endif
