/* SPDX-License-Identifier: MIT
 *
 * One text of an event in all the forms that rules ask for. Each form is made when it is first
 * asked for, and once: in the reference every condition makes its own.
 */
#ifndef CORDON_DETECT_TEXT_H
#define CORDON_DETECT_TEXT_H

#include "detect/fence.h"
#include "scan/normal.h"
#include "yaml/node.h"

struct prepared {
	struct text source;
	struct scan_text raw, normal;
	bool differs; /* normal is not raw */
	bool fenced;
	struct fences fences; /* of normal */
	char *lower;	      /* normal in small letters, or NULL so far */
	size_t lower_len;
	const char *language; /* of raw, or NULL so far */
};

/* SOURCE must stay. */
int prepared_init(struct prepared *p, struct text source, struct err *err);
void prepared_done(struct prepared *p);
/* 0, or -1 when memory is out. */
int prepared_lower(struct prepared *p, struct err *err);
/* UNCLOSED as in fence.h; the same at every call. */
int prepared_fences(struct prepared *p, bool unclosed, struct err *err);
const char *prepared_language(struct prepared *p);

#endif
