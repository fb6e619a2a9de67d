/* SPDX-License-Identifier: MIT
 *
 * A domain's handle: the text that a client carries. It holds a random id and a code that only
 * Cordon can make, for one principal: nobody makes one up, and nobody uses another's.
 */
#ifndef CORDON_ORIGIN_HANDLE_H
#define CORDON_ORIGIN_HANDLE_H

#include "origin/keeper.h"

enum { HANDLE_MAX = 48 /* with the NUL */ };

/* RET has room for HANDLE_MAX. */
void handle_write(const struct keeper *k, const char *principal, const struct id *id, char *ret);
bool handle_read(const struct keeper *k, const char *principal, const char *handle, struct id *ret);

#endif
