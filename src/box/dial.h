/* SPDX-License-Identifier: MIT
 *
 * Sockets of a box with a network. The program's TCP sockets are made here, outside its network
 * namespace, and are inert: nothing that comes in is let through until cordon-egress has connected
 * one. So the descriptor that the program has from the start is the one that gets connected, and
 * copies of it and whoever waits for it (epoll) need not be told. connect and listen are never let
 * continue: what is decided on is a copy of the address, and what is acted on is the socket itself.
 */
#ifndef CORDON_BOX_DIAL_H
#define CORDON_BOX_DIAL_H

#include <linux/seccomp.h>

#include "box/box.h"
#include "box/local.h"

/* A call of socket in a box with SPEC_NET, that came in on LISTENER. False: it is to be refused. */
bool dial_socket(const struct box *b, int listener, const struct seccomp_notif *req);
/* In a process of its own: connect and listen. */
local_fn dial_connect, dial_listen;
/* A word of cordon-egress. -1: it is gone, or makes no sense. 1: *RET_LIMIT was reached, and ends the
 * run or not. */
int dial_hear(int listener, enum limit_id *ret_limit, bool *ret_ended);

#endif
