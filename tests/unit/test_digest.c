/* SPDX-License-Identifier: MIT
 *
 * SHA-256: the standard's own examples, and another library's answer for every length around a
 * block, however it is cut.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "tap.h"

enum { LEN_MAX = 300, MILLION = 1000000 };

static bool is_hex(const uint8_t *digest, const char *hex)
{
	char made[2 * DIGEST_BYTES + 1];

	sodium_bin2hex(made, sizeof(made), digest, DIGEST_BYTES);
	return strcmp(made, hex) == 0;
}

static void test_examples(void)
{
	static const char many[] =
		"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
	static char text[MILLION];
	uint8_t got[DIGEST_BYTES];

	digest_of(got, NULL, 0);
	ok(is_hex(got, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
	   "of nothing");
	digest_of(got, "abc", 3);
	ok(is_hex(got, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
	   "of abc");
	memset(text, 'a', sizeof(text));
	digest_of(got, text, sizeof(text));
	ok(is_hex(got, many), "of a million letters");
}

/* In two pieces, the second by a copy of the first's state as well. */
static bool is_same(const uint8_t *data, size_t len, size_t cut)
{
	uint8_t expected[DIGEST_BYTES], got[DIGEST_BYTES], copied[DIGEST_BYTES];
	struct digest d, copy;

	crypto_hash_sha256(expected, data, len);
	digest_init(&d);
	digest_add(&d, data, cut);
	copy = d;
	digest_add(&d, data + cut, len - cut);
	digest_end(&d, got);
	digest_add(&copy, data + cut, len - cut);
	digest_end(&copy, copied);
	return memcmp(got, expected, sizeof(got)) == 0 &&
	       memcmp(copied, expected, sizeof(got)) == 0;
}

static void test_lengths(void)
{
	uint8_t data[LEN_MAX];
	size_t wrong = 0;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * 131 + 7);
	for (size_t len = 0; len <= LEN_MAX; len++)
		for (size_t cut = 0; cut <= len; cut += 1 + len / 64)
			wrong += !is_same(data, len, cut);
	ok(wrong == 0, "as another library says, of every length and in pieces");
}

int main(void)
{
	test_examples();
	test_lengths();
	return tap_done();
}
