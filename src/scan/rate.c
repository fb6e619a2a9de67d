/* SPDX-License-Identifier: MIT
 *
 * Three letters in a row: the chance of the first two, then of each given the two before it.
 */
#include "scan/rate.h"

#include <string.h>

#include "scan/rate.def"

enum { GROUPS = 31, SPACE = 26, DIGIT, STOP, SIGN, OTHER };

static unsigned group(uint8_t c)
{
	if ((unsigned)c - 'a' < 26)
		return c - 'a';
	if ((unsigned)c - '0' < 10)
		return DIGIT;
	if (c == ' ')
		return SPACE;
	if (c && strchr(".,;:!?'\"", c))
		return STOP;
	return c && strchr("-_/\\@~=+*&|%$#^<>", c) ? SIGN : OTHER;
}

static unsigned half_bits(char c)
{
	return (unsigned)(c < 'a' ? c - 'A' : c - 'a' + 26);
}

/* 2 to the power of -BITS / 2. */
static double power(unsigned bits)
{
	double x = bits % 2 ? 0.70710678 : 1;

	for (bits /= 2; bits >= 16; bits -= 16)
		x /= 1 << 16;
	return x / (1u << bits);
}

/* The second letter's chance given the first: a pair's, summed over what follows. */
double rate_of(const struct str *str)
{
	unsigned bits = 0, a, b, c;

	if (!str->len)
		return 1;
	for (unsigned i = 0; i < str->len; i++)
		bits += half_bits(rate_byte[(uint8_t)str->byte[i]]);
	a = group((uint8_t)str->byte[0]);
	if (str->len == 1) {
		double sum = 0;
		for (b = 0; b < GROUPS; b++)
			sum += power(half_bits(rate_pair[a * GROUPS + b]));
		return sum * power(bits);
	}
	b = group((uint8_t)str->byte[1]);
	bits += half_bits(rate_pair[a * GROUPS + b]);
	for (unsigned i = 2; i < str->len; i++, a = b, b = c) {
		c = group((uint8_t)str->byte[i]);
		bits += half_bits(rate_triple[(a * GROUPS + b) * GROUPS + c]);
	}
	return power(bits);
}
