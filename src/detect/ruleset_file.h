/* SPDX-License-Identifier: MIT
 *
 * A ruleset as bytes that are valid at any address. Making a ruleset needs every rule of the pack,
 * and a start has not read any. Every number in the bytes is checked, so no bytes can make a scan
 * leave an array. A rule that is read later is checked against them.
 */
#ifndef CORDON_DETECT_RULESET_FILE_H
#define CORDON_DETECT_RULESET_FILE_H

#include "detect/ruleset.h"

enum { RULESET_FILE_ALIGN = 8 };

/* *RET is to be freed. */
int ruleset_save(const struct ruleset *set, uint8_t **ret, size_t *ret_len, struct err *err);
/* For PACK and a database of PATTERNS patterns. BYTES are aligned and stay; the rest is in
 * ARENA. */
int ruleset_load(const uint8_t *bytes, size_t len, const struct pack *pack, size_t patterns,
		 struct arena *arena, struct ruleset *ret, struct err *err);
/* Do the numbers of a rule that was read later stay within SET's arrays? */
bool ruleset_fits(const struct ruleset *set, const struct rule *rule);

#endif
