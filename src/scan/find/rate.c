/* SPDX-License-Identifier: MIT
 *
 * A literal is at most as frequent as its rarest four bytes. Every further word makes it rarer,
 * and so does a word's edge.
 */
#include "scan/find/rate.h"

#include "scan/find/rate.def"

static const double word_again = 0.25, edge = 0.5;

/* 2 to the power of -HALF / 2. */
static double power(unsigned half)
{
	double x = half % 2 ? 0.70710678 : 1;

	return x / (double)((uint64_t)1 << half / 2);
}

/* The same as in tools/rates. */
static double look_up(const char *table, unsigned bits, const char *byte, unsigned len)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < len; i++)
		value |= (uint32_t)(uint8_t)byte[i] << 8 * i;
	value *= 0x9e3779b1u;
	value = (value ^ value >> 15) * 0x85ebca77u;
	char c = table[value >> (32 - bits)];
	return power((unsigned)(c < 'a' ? c - 'A' : c - 'a' + 26));
}

static double rarest(const struct str *str)
{
	double rate = 1;

	if (str->len == 1)
		return look_up(rate_1, 8, str->byte, 1);
	if (str->len == 2)
		return look_up(rate_2, 11, str->byte, 2);
	if (str->len == 3)
		return look_up(rate_3, 13, str->byte, 3);
	for (unsigned i = 0; i + 4 <= str->len; i++) {
		double one = look_up(rate_4, 15, str->byte + i, 4);
		rate = one < rate ? one : rate;
	}
	return rate;
}

double rate_of(const struct str *str)
{
	double rate = str->len ? rarest(str) : 1;

	for (unsigned i = 1; i + 1 < str->len; i++)
		rate *= str->byte[i] == ' ' ? word_again : 1;
	rate *= str->edge & STR_EDGE_BEFORE ? edge : 1;
	return str->edge & STR_EDGE_BEHIND ? rate * edge : rate;
}

void rate_bytes(double ret[RATE_BYTES])
{
	for (unsigned c = 0; c < RATE_BYTES; c++) {
		char byte = (char)c;
		ret[c] = look_up(rate_1, 8, &byte, 1);
	}
}
