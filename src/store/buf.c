/* SPDX-License-Identifier: MIT
 *
 * The room doubles each time, up to the owner's maximum. An addition that does not fit is left out
 * whole: a part must not pass for the whole.
 */
#include "store/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

enum { FIRST = 256, PRINTED_MAX = 512 };

bool buf_reserve(struct buf *b, size_t len)
{
	size_t room = b->room ? b->room : FIRST;

	if (b->failed || len > b->most - b->len)
		return false;
	while (room < b->len + len)
		room *= 2;
	if (room == b->room)
		return true;
	uint8_t *grown = realloc(b->data, room);
	if (!grown)
		return false;
	b->data = grown;
	b->room = room;
	return true;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	if (!buf_reserve(b, len)) {
		b->failed = true;
		return;
	}
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
}

void buf_str(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	char few[PRINTED_MAX];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(few, sizeof(few), fmt, ap);
	va_end(ap);
	size_t len = n < 0 ? 0 : (size_t)n;
	AUTO_FREE char *many = len < sizeof(few) ? NULL : malloc(len + 1);
	if (many) {
		va_start(ap, fmt);
		vsnprintf(many, len + 1, fmt, ap);
		va_end(ap);
	}
	if (n < 0 || (len >= sizeof(few) && !many))
		b->failed = true;
	else
		buf_add(b, many ? many : few, len);
}

void buf_hex(struct buf *b, const uint8_t *data, size_t len)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		char two[2] = {digit[data[i] >> 4], digit[data[i] & 15]};
		buf_add(b, two, 2);
	}
}

void buf_done(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}
