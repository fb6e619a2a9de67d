/* SPDX-License-Identifier: MIT
 *
 * What a program prints to a terminal of its own, for the user's terminal: colours, cursor movements and
 * modes pass. Strings (the title, the clipboard, pictures, key definitions) and the requests by which a
 * terminal types its identity are dropped.
 */
#ifndef CORDON_SHOW_SCREEN_FILTER_H
#define CORDON_SHOW_SCREEN_FILTER_H

#include <stddef.h>

struct screen_filter {
	enum { SCREEN_TEXT, SCREEN_ESCAPE, SCREEN_STRING, SCREEN_STRING_ESCAPE } state;
	unsigned char lead; /* the first byte of a character that may be a control; or 0 */
};

/* Filters LEN bytes to RET, which has room for LEN + 2. Returns how many there are. */
size_t screen_filter(struct screen_filter *f, const char *data, size_t len, char *ret);
/* Undoes the modes in which a terminal types by itself, and colours. */
#define SCREEN_RESET                                                                               \
	"\033[0m\033[?25h\033[?1000l\033[?1002l\033[?1003l\033[?1004l\033[?1005l\033[?1006l\033["  \
	"?1015l\033[?2004l"

#endif
