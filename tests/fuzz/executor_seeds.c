/* SPDX-License-Identifier: MIT
 *
 * Paths, base64 and sandboxes, as Codex sends them.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 20000;

static const struct seed seeds[] = {
	SEED("file:///srv/a%20b/%c3%a4/../c/./d"),
	SEED("file://localhost/x"),
	SEED("aGVsbG8gd29ybGQhCg=="),
	SEED("{\"permissions\":{\"type\":\"managed\",\"file_system\":{\"type\":\"restricted\","
	     "\"entries\":["
	     "{\"path\":{\"type\":\"special\",\"value\":{\"kind\":\"root\"}},\"access\":\"read\"},"
	     "{\"path\":{\"type\":\"path\",\"path\":\"file:///srv\"},\"access\":\"write\"}]},"
	     "\"network\":\"restricted\"},\"cwd\":\"file:///srv/app\"}"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
