/* SPDX-License-Identifier: MIT
 *
 * Maps each character alone, with two exceptions that Unicode has in every language: capital I
 * with a dot becomes two characters, and sigma at a word's end has a form of its own.
 */
#include "scan/text/lower.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>
#include <wchar.h>

#include "base/utf8.h"

enum { DOTTED_I = 0x130, DOT_ABOVE = 0x307, SIGMA = 0x3a3, FINAL_SIGMA = 0x3c2, GROWTH = 3 };

static bool is_ignorable(uint32_t c)
{
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);

	return k == UTF8PROC_CATEGORY_MN || k == UTF8PROC_CATEGORY_ME ||
	       k == UTF8PROC_CATEGORY_CF || k == UTF8PROC_CATEGORY_LM ||
	       k == UTF8PROC_CATEGORY_SK ||
	       (c < 0x10000 && c &&
		wcschr(L"'.:^`\u00b7\u2018\u2019\u2024\u2027\uff07\uff0e\uff1a", (wchar_t)c));
}

static bool is_cased(uint32_t c)
{
	utf8proc_category_t k = utf8proc_category((utf8proc_int32_t)c);

	return k == UTF8PROC_CATEGORY_LU || k == UTF8PROC_CATEGORY_LL || k == UTF8PROC_CATEGORY_LT;
}

/* Is the first character at or after AT that is not ignored a letter with case? */
static bool letter_follows(const char *data, size_t len, size_t at)
{
	while (at < len) {
		struct utf8_char c = utf8_next(data, len, at);
		if (!is_ignorable(c.value))
			return is_cased(c.value);
		at += c.len;
	}
	return false;
}

char *lower_text(const char *data, size_t len, size_t *ret_len)
{
	char *out = malloc(GROWTH * len + 1);
	bool after_letter = false;
	size_t n = 0;

	for (size_t at = 0; out && at < len;) {
		struct utf8_char c = utf8_next(data, len, at);
		uint32_t small = (uint32_t)utf8proc_tolower((utf8proc_int32_t)c.value);
		at += c.len;
		if (c.value == SIGMA && after_letter && !letter_follows(data, len, at))
			small = FINAL_SIGMA;
		n += utf8_put(out + n, c.value == DOTTED_I ? 'i' : small);
		if (c.value == DOTTED_I)
			n += utf8_put(out + n, DOT_ABOVE);
		if (!is_ignorable(c.value))
			after_letter = is_cased(c.value);
	}
	if (out)
		out[n] = '\0';
	*ret_len = n;
	return out;
}
