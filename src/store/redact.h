/* SPDX-License-Identifier: MIT
 *
 * Takes what looks like a secret out of a text before it is hashed: what is in a log that cannot be
 * changed stays there. Too much is better than too little: the text of the code itself is kept
 * elsewhere, by its hash.
 */
#ifndef CORDON_STORE_REDACT_H
#define CORDON_STORE_REDACT_H

#include <stddef.h>

#include "store/buf.h"

enum { REDACT_OUT_MAX = 64 << 20 };

/* Appends TEXT to OUT with "[redacted:WHAT]" in each secret's place. Doing it twice changes
 * nothing more. */
void redact(struct buf *out, const char *text, size_t len);

#endif
