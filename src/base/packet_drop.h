/* SPDX-License-Identifier: MIT
 *
 * Makes a TCP socket drop all incoming packets, until it is allowed to connect: with a minimum TTL
 * that no ordinary host or router sends (the reverse of RFC 5082). A socket filter would be
 * simpler, but newer kernels allow it only for root.
 */
#ifndef CORDON_BASE_PACKET_DROP_H
#define CORDON_BASE_PACKET_DROP_H

#include <stdbool.h>

int packet_drop_set(int fd, bool drops);

#endif
