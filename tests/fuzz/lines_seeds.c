/* SPDX-License-Identifier: MIT
 *
 * Messages of the doors: requests, answers, notifications, halves.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 20000;

static const struct seed seeds[] = {
	SEED("{\"id\":1,\"method\":\"initialize\",\"params\":{\"clientName\":\"c\"}}\n"
	     "{\"method\":\"initialized\",\"params\":{}}\n"),
	SEED("{\"id\":\"a\",\"result\":{\"chunks\":[{\"seq\":1,\"chunk\":\"aGkK\"}]}}\r\n\n{"
	     "\"half"),
	SEED("{\"a\":[[[{\"b\":null}]],-1.5e3,true,\"\\ud83d\\ude00 \\\"\"]}\n"),
	SEED("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32600,\"message\":\"\xc3\xa4\"}}"
	     "\n"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
