/* SPDX-License-Identifier: MIT
 *
 * The reference's decoding of base64 in a SKILL.md: its first few blocks, and no other encoding.
 * Only reference mode uses it; strict mode decodes every layer it knows.
 */
#ifndef CORDON_DETECT_SKILL_H
#define CORDON_DETECT_SKILL_H

#include "base/arena.h"
#include "base/err.h"
#include "yaml/node.h"

enum { SKILL_BLOCKS_MAX = 5, SKILL_BLOCK_MIN = 32 };

/* Decoded blocks, in ARENA. */
int skill_blocks(struct text content, struct arena *arena, struct text *ret, size_t *ret_count,
		 struct err *err);

#endif
