/* SPDX-License-Identifier: MIT
 *
 * See screen_filter.h.
 */
#include "show/screen_filter.h"

#include <string.h>

enum { ENQ = 5, BEL = 7, CAN = 0x18, SUB = 0x1a, ESC = 0x1b, DEL = 0x7f, C1_LEAD = 0xc2 };

/* After ESC: "[" and others pass with what follows them, which needs no state. */
static int begins_string(unsigned char c)
{
	return strchr("]P^_X", c) != NULL && c;
}

static void take(struct screen_filter *f, unsigned char c, char *ret, size_t *n)
{
	switch (f->state) {
	case SCREEN_TEXT:
		if (c == ESC)
			f->state = SCREEN_ESCAPE;
		else if (c != ENQ)
			ret[(*n)++] = (char)c;
		break;
	case SCREEN_ESCAPE:
		/* A terminal obeys a control character there, and the sequence goes on. */
		if ((c < ' ' && c != ESC && c != CAN && c != SUB) || c == DEL) {
			if (c != ENQ)
				ret[(*n)++] = (char)c;
			break;
		}
		f->state = begins_string(c) ? SCREEN_STRING : SCREEN_TEXT;
		if (c == ESC) {
			f->state = SCREEN_ESCAPE;
		} else if (f->state == SCREEN_TEXT && c != 'Z') {
			ret[(*n)++] = ESC;
			ret[(*n)++] = (char)c;
		}
		break;
	case SCREEN_STRING:
		if (c == BEL || c == CAN || c == SUB)
			f->state = SCREEN_TEXT;
		else if (c == ESC)
			f->state = SCREEN_STRING_ESCAPE;
		break;
	case SCREEN_STRING_ESCAPE: /* any sequence ends a string; "\" is only its end */
		f->state = SCREEN_ESCAPE;
		if (c == '\\')
			f->state = SCREEN_TEXT;
		else
			take(f, c, ret, n);
		break;
	}
}

/* The characters U+0080 to U+009F mean what ESC and a letter mean: they are dropped. */
size_t screen_filter(struct screen_filter *f, const char *data, size_t len, char *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)data[i];
		if (f->lead) {
			f->lead = 0;
			if (c >= 0x80 && c <= 0x9f)
				continue;
			take(f, C1_LEAD, ret, &n);
		}
		if (c == C1_LEAD)
			f->lead = c;
		else
			take(f, c, ret, &n);
	}
	return n;
}
