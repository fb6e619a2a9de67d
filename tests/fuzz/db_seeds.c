/* SPDX-License-Identifier: MIT
 *
 * Expressions for each way to find literals, several in one seed, each with a related text. The
 * byte before them has their flags (scan/regex/ast.h).
 */
#include "seeds.h"

#include "base/scope.h"

const int seed_rounds = 700;

static const struct seed seeds[] = {
	SEED("\1ignore\\s+(?:all\\s+)?previous\nsystem.{0,20}prompt\n\\bact\\b\0please ignore "
	     "all previous  acts of the system and its prompt"),
	SEED("\1curl[^\\n]*evil\n\\w+@example\n(?:aaaa.{0,40}|b)target\0curl x | evil me@example "
	     "btarget aaaa 12 target"),
	SEED("\1(?:[.-]+\\s+){3,}x\n(?:ab\\d){2,}\n=[0-9a-f]{2}(?:=[0-9a-f]{2})+\0. - .. x ab1ab2 "
	     "=4f=3d"),
	SEED("\1(\\w{3})\\s+\\1\\s+\\1\\s+\\1\n[\\x00-\\x08\\x0b]{2}\n`\0foo foo Foo foo \1\2 `x`"),
	SEED("\1[\xd0\xb0-\xd1\x8f]{2}x\nf\xc3\xa9\\b\n\\ud83d[^a]\0\xd0\x90\xd0\xb1x F\xc3\x89 "
	     "\xf0\x9f\x98\x80 \xc5\xbf\xe2\x84\xaa"),
	SEED("\3\\u{1f600}+ k\ns\\b\n[\\u{e0000}-\\u{e007f}]{2}\0\xf0\x9f\x98\x80 "
	     "\xe2\x84\xaa \xc5\xbf \xf3\xa0\x81\x81\xf3\xa0\x81\x82"),
	SEED("\1foo(?=.*bar)x\n(?<!not )allowed\nfoo(?!.{3,40}bar)\nkey.{0,5}$\0foox bar not "
	     "allowed is allowed foo1bar key 12"),
	SEED("\1alpha\\d|beta.*gamma|delta\n[\\s\\S]{0,9}[\\s\\S]{0,9}end\n^.*first\0first alpha1 "
	     "beta\ngamma delta the end"),
	/* asked what stands before the text's end, which has no byte to begin with */
	SEED("\1foo(?=.*bar)x\n(?<!)allowed\nl0,5}$\0fx y"),
	/* no literal here has a guard (a NULL table of guards was a bug) */
	SEED("\1`\0`x` `y` `z` `x` `y` `z` `x` `y` `z` `x` `y` `z` `x` `y` `z` `x` `y` `z`"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
