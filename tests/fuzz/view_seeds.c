/* SPDX-License-Identifier: MIT
 *
 * Answers of the code view's reader: each state, each key, every kind of effect.
 */
#include "base/scope.h"
#include "seeds.h"

const int seed_rounds = 20000;

static const struct seed seeds[] = {
	SEED("status 5\nwhole\ntext 25\nimport os\nos.system('id')\n\neffect 11\nimport 1 os\n"
	     "effect 12\nprogram 2 id\nend 0\n\n"),
	SEED("status 4\npart\nline 1\n3\nreason 16\nit took too long\ntext 2\nx\n\nend 0\n\n"),
	SEED("status 4\nnone\nline 2\n12\nreason 14\ninvalid syntax\ntext 0\n\nend 0\n\n"),
	SEED("status 5\nwhole\ntext 4\n\xc3\xa4\xc3\xbc\neffect 17\nhost 1 \xc3\xa4.example\n"
	     "effect 8\nread 9 a\neffect 9\nwrite 9 b\neffect 8\npath 7 c\neffect 7\nenv 6 D\n"
	     "effect 14\ndynamic 5 eval\neffect 14\nnetwork 4 curl\nend 0\n\n"),
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	return seed_copy(seeds, ARRAY_SIZE(seeds), i, ret_len);
}
