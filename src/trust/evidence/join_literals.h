/* SPDX-License-Identifier: MIT
 *
 * Joins the string literals of a program that are concatenated ("htt" + "ps://"), for languages
 * without a reader. A mistake only misses a tie: the unchanged text is compared too.
 */
#ifndef CORDON_TRUST_EVIDENCE_JOIN_LITERALS_H
#define CORDON_TRUST_EVIDENCE_JOIN_LITERALS_H

#include <stddef.h>

/* RET has room for LEN bytes. Returns the length of the result; 0: there is nothing to join. */
size_t join_literals(const char *text, size_t len, char *ret);

#endif
