/* SPDX-License-Identifier: MIT
 *
 * The process at the other end of a local socket.
 */
#ifndef CORDON_BASE_PEER_H
#define CORDON_BASE_PEER_H

#include <stdbool.h>

/* A process of this account, outside every box. */
bool peer_is_friend(int socket);

#endif
