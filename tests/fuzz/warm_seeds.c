/* SPDX-License-Identifier: MIT
 *
 * The bytes of a whole warm file, in each mode.
 */
#include "seeds.h"

#include "warm_fixed.h"

const int seed_rounds = 3000;

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	enum detect_mode mode = i ? DETECT_REFERENCE : DETECT_STRICT;
	struct warm_fixed w = {0};

	if (i > 1)
		return NULL;
	warm_make(&w, mode);
	*ret_len = warm_write(&w, mode, NULL);
	uint8_t *data = malloc(*ret_len);
	warm_must(data != NULL);
	warm_write(&w, mode, data);
	engine_free(w.engine);
	db_free(w.db);
	arena_done(&w.arena);
	pack_done(&w.pack);
	return data;
}
