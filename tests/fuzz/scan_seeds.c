/* SPDX-License-Identifier: MIT
 *
 * Expressions with every part of the grammar, each with a related text. The byte before an
 * expression has its flags (scan/regex/ast.h).
 */
#include "seeds.h"

#include "base/scope.h"

const int seed_rounds = 1500;

static const struct seed seeds[] = {
	SEED("\1ignore\\s+(?:all\\s+)?previous\\b[\\s\\S]{0,40}rules\0Ignore\n all previous  "
	     "rules"),
	SEED("\1(?<!\\b(?:user|users)\\s)(say|repeat)\\s+[\"'][^\"\\n]{3,}\0users say \"hello\""),
	SEED("\1(?<=\\bfetch(?:_url)?\\b[\\s\\S]{0,30}?)x{2,5}?|^$\0fetch_url  xxx"),
	SEED("\1([\"'])a(?!b)\\1\\2\\10\\x41\\u0041\\cA\\0[\\b\\-\\]a-z]\0\"a\"A"),
	SEED("\3\\u{1f600}[\\u{1f000}-\\u{1ffff}\\p{Lu}]+\\k\0\xf0\x9f\x98\x80\xf0\x9f\x98\x81"),
	SEED("\3(?<n>\xe2\x84\xaa|s)\\k<n>\\b[^\\W]\0\xe2\x84\xaakss\xc5\xbf"),
	SEED("\1\\udb40[\\udc00-\\udc7f]{3,}|[\xd0\xb0-\xd1\x8f]\0\xf3\xa0\x81\x81\xd0\x96"),
	SEED("\5^a{,2}{]}[^][]|[]b$\0\xe2\x80\xa8"
	     "a{,2}\nb"),
	SEED("\11.*?(?:(?!x)[\\s\\S]){0,400}}\0aaaa}"),
	SEED("\1a\0e\xcc\x81\xcc\xa3\xea\xb0\x80\xe1\x86\xa8\xef\xbd\x81\xd0\xb5\xe2\x80\x8b\xff"
	     "\xc0"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
