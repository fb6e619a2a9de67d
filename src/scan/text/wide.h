/* SPDX-License-Identifier: MIT
 *
 * Converts UTF-16 and UTF-32 to UTF-8. Some editors and shells write them, so such a text must not
 * count as binary. The encoding of a file can only be guessed. A guess may add a reading of a file
 * and must never remove one.
 */
#ifndef CORDON_SCAN_WIDE_H
#define CORDON_SCAN_WIDE_H

#include <stdbool.h>
#include <stddef.h>

enum wide { WIDE_32_LITTLE, WIDE_32_BIG, WIDE_16_LITTLE, WIDE_16_BIG, WIDE_COUNT };

/* A bit (1 << WIDE) for each encoding that is possible, by a byte order mark or by the places of
 * NUL bytes. */
unsigned wide_guess(const char *data, size_t len);
/* Does it contain text when read as bytes? */
bool wide_has_bytes(const char *data, size_t len);
/* The length in UTF-8, without a byte order mark. */
size_t wide_size(const char *data, size_t len, enum wide wide);
/* Writes that many bytes. An invalid character, or an incomplete unit at the end, becomes
 * U+FFFD. */
void wide_read(const char *data, size_t len, enum wide wide, char *out);

#endif
