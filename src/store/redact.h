/* SPDX-License-Identifier: MIT
 *
 * Redacts text from outside before it is stored for good. Known harmless parts stay: plain words,
 * names of files, scheme and host of a URL. The rest is replaced by hashes, and so is every value:
 * name=value, "name": value, --flag value, the rest of a header's line, and after "name: " anything
 * but a plain word, a path or a URL. This needs no list of the formats of secrets. A secret that is
 * a plain word stays.
 */
#ifndef CORDON_STORE_REDACT_H
#define CORDON_STORE_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/buf.h"

enum {
	REDACT_OUT_MAX = 64 << 20,
	REDACT_KEY = 32,
	REDACT_OPEN_MAX = 6 + 64 + 1, /* length of an open mark */
};

/* Appends TEXT to OUT with marks "[hash:HEX]" in the place of everything not known to be harmless.
 * Existing marks stay. A new mark is open: its hash has no key yet, and it must be sealed before it
 * is stored. */
void redact(struct buf *out, const char *text, size_t len);
bool redact_is_open(const void *text, size_t len);
/* Seals the open marks: keys their hashes, so that short secrets cannot be guessed without KEY.
 * Equal texts have equal hashes. */
void redact_seal(struct buf *out, const void *text, size_t len, const uint8_t key[REDACT_KEY]);

#endif
