/* SPDX-License-Identifier: MIT
 *
 * One pass over the characters; tables say which language a character indicates. One Arabic
 * character outweighs everything else, then Japanese syllables, then Chinese characters, then
 * letters that Spanish has and English has not.
 */
#include "detect/language.h"

#include <stdint.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"

enum sign { SIGN_ARABIC, SIGN_KANA, SIGN_HAN, SIGN_SPANISH, SIGN_SIMPLE, SIGN_TRADITIONAL, SIGNS };

static const struct {
	uint32_t low, high;
	enum sign sign;
} ranges[] = {
	{0x4e00, 0x9fff, SIGN_HAN},	{0x3040, 0x30ff, SIGN_KANA},
	{0x0600, 0x06ff, SIGN_ARABIC},	{0x0750, 0x077f, SIGN_ARABIC},
	{0xfb50, 0xfdff, SIGN_ARABIC},	{0xfe70, 0xfeff, SIGN_ARABIC},
	{0x00f1, 0x00f1, SIGN_SPANISH}, {0x00d1, 0x00d1, SIGN_SPANISH},
	{0x00bf, 0x00bf, SIGN_SPANISH}, {0x00a1, 0x00a1, SIGN_SPANISH},
	{0x00e1, 0x00e1, SIGN_SPANISH}, {0x00e9, 0x00e9, SIGN_SPANISH},
	{0x00ed, 0x00ed, SIGN_SPANISH}, {0x00f3, 0x00f3, SIGN_SPANISH},
	{0x00fa, 0x00fa, SIGN_SPANISH}, {0x00fc, 0x00fc, SIGN_SPANISH},
	{0x00c1, 0x00c1, SIGN_SPANISH}, {0x00c9, 0x00c9, SIGN_SPANISH},
	{0x00cd, 0x00cd, SIGN_SPANISH}, {0x00d3, 0x00d3, SIGN_SPANISH},
	{0x00da, 0x00da, SIGN_SPANISH}, {0x00dc, 0x00dc, SIGN_SPANISH},
};

/* Frequent characters that only one of the two scripts has. */
static const uint16_t simple[] = {0x56fd, 0x5b66, 0x65f6, 0x8fd9, 0x4eec, 0x8bf4, 0x8ba9, 0x8bf7,
				  0x8fd0, 0x52a8, 0x6765, 0x4e2a, 0x4e07, 0x53d1, 0x5173, 0x73b0,
				  0x5b9e, 0x89c1, 0x4e49, 0x9f99, 0x4e1c, 0x8f66, 0x4e66};
static const uint16_t traditional[] = {0x570b, 0x5b78, 0x6642, 0x9019, 0x5011, 0x8aaa,
				       0x8b93, 0x8acb, 0x904b, 0x52d5, 0x4f86, 0x500b,
				       0x842c, 0x767c, 0x95dc, 0x73fe, 0x5be6, 0x898b,
				       0x7fa9, 0x9f8d, 0x6771, 0x8eca, 0x66f8};

static bool is_one_of(const uint16_t *list, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == c)
			return true;
	return false;
}

static void note_char(uint32_t c, bool *seen)
{
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (c >= ranges[i].low && c <= ranges[i].high)
			seen[ranges[i].sign] = true;
	seen[SIGN_SIMPLE] |= is_one_of(simple, ARRAY_SIZE(simple), c);
	seen[SIGN_TRADITIONAL] |= is_one_of(traditional, ARRAY_SIZE(traditional), c);
}

const char *language_of(const char *data, size_t len)
{
	bool seen[SIGNS] = {false};

	for (size_t at = 0; at < len;) {
		struct utf8_char c = utf8_next(data, len, at);
		if (c.value >= 0x80)
			note_char(c.value, seen);
		at += c.len;
	}
	if (seen[SIGN_ARABIC])
		return "ar";
	if (seen[SIGN_KANA])
		return "ja";
	if (seen[SIGN_HAN])
		return seen[SIGN_SIMPLE] && !seen[SIGN_TRADITIONAL] ? "zh-Hans" : "zh-Hant";
	return seen[SIGN_SPANISH] ? "es" : "en";
}

bool language_fits(const char *wanted, const char *found)
{
	if (!strcmp(wanted, found))
		return true;
	return (!strcmp(wanted, "zh-Hant") && !strcmp(found, "zh-Hans")) ||
	       (!strcmp(wanted, "zh-Hans") && !strcmp(found, "zh-Hant"));
}
