/* SPDX-License-Identifier: MIT
 *
 * UTF-16 and UTF-32 as UTF-8: editors and shells of one system write them, and their readers
 * understand them, so a text in them must not pass for binary. Which of them a file is can only be
 * guessed; a guess may add a reading of a file, and must never take one away.
 */
#ifndef CORDON_SCAN_WIDE_H
#define CORDON_SCAN_WIDE_H

#include <stdbool.h>
#include <stddef.h>

enum wide { WIDE_32_LITTLE, WIDE_32_BIG, WIDE_16_LITTLE, WIDE_16_BIG, WIDE_COUNT };

/* A bit (1 << WIDE) for each that it may be, by a byte order mark or by where its NUL bytes are. */
unsigned wide_guess(const char *data, size_t len);
/* Is there text in it for one who reads it as bytes? */
bool wide_has_bytes(const char *data, size_t len);
/* How long it is in UTF-8, without a byte order mark. */
size_t wide_size(const char *data, size_t len, enum wide wide);
/* Writes that many bytes. What is no character, and a part of a unit at the end, is U+FFFD. */
void wide_read(const char *data, size_t len, enum wide wide, char *out);

#endif
