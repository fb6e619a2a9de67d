/* SPDX-License-Identifier: MIT
 *
 * A byte buffer that grows up to a maximum. A lack of memory or room sets a flag that the owner
 * checks once at the end.
 */
#ifndef CORDON_STORE_BUF_H
#define CORDON_STORE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *data;
	size_t len, room, most; /* MOST: the maximum; 0: nothing can be added */
	bool failed;
};

/* Makes room for LEN more bytes behind DATA + LEN. */
bool buf_reserve(struct buf *b, size_t len);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_str(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_hex(struct buf *b, const uint8_t *data, size_t len);
void buf_done(struct buf *b);

#define AUTO_BUF __attribute__((cleanup(buf_done)))

#endif
