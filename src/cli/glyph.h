/* SPDX-License-Identifier: MIT
 *
 * What a character does to the reader of a line: most are seen, some are obeyed, some are neither.
 */
#ifndef CORDON_CLI_GLYPH_H
#define CORDON_CLI_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GLYPH_MAX = 4, GLYPH_SHOWN_MAX = 12 };

/* How many bytes a character has that begins with this one: 1 for what begins none. */
unsigned glyph_length(unsigned char lead);
/* The character in LEN bytes; one that is no UTF-8 is GLYPH_BROKEN plus its first byte. */
#define GLYPH_BROKEN 0x80000000U
uint32_t glyph_decode(const unsigned char *bytes, unsigned len);

/* A terminal or its bidirectional algorithm does something about it. */
bool glyph_is_obeyed(uint32_t c);
/* It takes no room, or looks like a blank and is none. */
bool glyph_is_unseen(uint32_t c);
/* It says how the text around it is to be shown, or where a line ends, and shows nothing itself. */
bool glyph_is_format(uint32_t c);
/* Written so that it is seen: ^A, \x9b, \u202e. BUF has GLYPH_SHOWN_MAX bytes. */
size_t glyph_show(uint32_t c, char *buf);

#endif
