/* SPDX-License-Identifier: MIT
 *
 * A ruleset as bytes that mean the same wherever they are: making it anew needs every rule of the
 * pack, and a start has none of them yet. What comes out of bytes is checked number by number, so
 * no bytes can lead a scan out of its arrays; a rule that comes later is held against them.
 */
#ifndef CORDON_DETECT_RULESET_FILE_H
#define CORDON_DETECT_RULESET_FILE_H

#include "detect/ruleset.h"

enum { RULESET_FILE_ALIGN = 8 };

/* *RET is to be freed. */
int ruleset_save(const struct ruleset *set, uint8_t **ret, size_t *ret_len, struct err *err);
/* For PACK and a database of PATTERNS patterns. BYTES are aligned and stay; ARENA gets the rest. */
int ruleset_load(const uint8_t *bytes, size_t len, const struct pack *pack, size_t patterns,
		 struct arena *arena, struct ruleset *ret, struct err *err);
/* Do the numbers of a rule that was read later stay within SET's arrays? */
bool ruleset_fits(const struct ruleset *set, const struct rule *rule);

#endif
