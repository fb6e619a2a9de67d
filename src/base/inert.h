/* SPDX-License-Identifier: MIT
 *
 * Makes a TCP socket drop all incoming packets, until it is allowed to connect: with a minimum TTL
 * that no ordinary host or router sends (the reverse of RFC 5082). A socket filter would be
 * simpler, but newer kernels allow it only for root.
 */
#ifndef CORDON_BASE_INERT_H
#define CORDON_BASE_INERT_H

#include <stdbool.h>

int inert_set(int fd, bool inert);

#endif
