/* SPDX-License-Identifier: MIT
 *
 * Classifies characters: visible ones, ones that a terminal obeys, and invisible ones.
 */
#ifndef CORDON_SHOW_GLYPH_H
#define CORDON_SHOW_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GLYPH_MAX = 4, GLYPH_SHOWN_MAX = 12 };

/* The length of the UTF-8 character that begins with LEAD; 1 if LEAD begins none. */
unsigned glyph_length(unsigned char lead);
/* Decodes LEN bytes. Invalid UTF-8 becomes GLYPH_BROKEN plus its first byte. */
#define GLYPH_BROKEN 0x80000000U
uint32_t glyph_decode(const unsigned char *bytes, unsigned len);

/* A terminal, or its bidirectional algorithm, acts on it. */
bool glyph_is_obeyed(uint32_t c);
/* It has no width, or looks like a blank and is not one. */
bool glyph_is_unseen(uint32_t c);
/* It controls the display of the text around it, or ends a line, and is itself invisible. */
bool glyph_is_format(uint32_t c);
/* Writes a visible form: ^A, \x9b, \u202e. BUF has GLYPH_SHOWN_MAX bytes. Returns the length. */
size_t glyph_show(uint32_t c, char *buf);

#endif
