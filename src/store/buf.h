/* SPDX-License-Identifier: MIT
 *
 * Bytes that grow up to a maximum. Running out of memory or room sets a flag that the owner checks
 * once at the end, so that writing a record reads as a list.
 */
#ifndef CORDON_STORE_BUF_H
#define CORDON_STORE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *data;
	size_t len, room, most; /* most 0: nothing may be added */
	bool failed;
};

/* Room for LEN more bytes: DATA is then good for them. */
bool buf_reserve(struct buf *b, size_t len);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_str(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void buf_hex(struct buf *b, const uint8_t *data, size_t len);
void buf_done(struct buf *b);

#define AUTO_BUF __attribute__((cleanup(buf_done)))

#endif
