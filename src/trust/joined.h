/* SPDX-License-Identifier: MIT
 *
 * A program's text with the literals that it puts together ("htt" + "ps://") as one, for languages of
 * which nobody here reads the grammar. What it takes for a literal that is none costs nothing but a
 * tie that is not seen: the text as it came is looked at too.
 */
#ifndef CORDON_TRUST_JOINED_H
#define CORDON_TRUST_JOINED_H

#include <stddef.h>

/* RET has room for LEN bytes. How many it has; 0: there is nothing to join. */
size_t joined_literals(const char *text, size_t len, char *ret);

#endif
