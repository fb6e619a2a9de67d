/* SPDX-License-Identifier: MIT
 *
 * UTF-16 as UTF-8: editors and shells of one system write it, and their readers understand it, so
 * a text in it must not pass for binary. Which of both a file is can only be guessed; a guess may
 * add a reading of a file, and must never take one away.
 */
#ifndef CORDON_SCAN_UTF16_H
#define CORDON_SCAN_UTF16_H

#include <stdbool.h>
#include <stddef.h>

enum utf16_order { UTF16_NOT, UTF16_LITTLE, UTF16_BIG };

/* By its byte order mark, or by where its NUL bytes are. */
enum utf16_order utf16_guess(const char *data, size_t len);
/* Is there text in it for one who reads it as bytes? */
bool utf16_has_bytes(const char *data, size_t len);
/* How long it is in UTF-8, without a byte order mark. */
size_t utf16_size(const char *data, size_t len, enum utf16_order order);
/* Writes that many bytes. Lone surrogates and half a unit at the end are U+FFFD. */
void utf16_read(const char *data, size_t len, enum utf16_order order, char *out);

#endif
