/* SPDX-License-Identifier: MIT
 *
 * The calls socket, connect and listen of a box with a network. The supervisor makes the
 * program's TCP sockets outside the box's network namespace. A socket is inert, which means that
 * it accepts no packets, until cordon-egress has connected it. So the program's own descriptor
 * gets connected, and its copies and epoll sets work as usual. connect and listen never continue
 * in the kernel: the decision is made on a copy of the address and carried out on the socket
 * itself.
 */
#ifndef CORDON_BOX_NET_CALLS_H
#define CORDON_BOX_NET_CALLS_H

#include <linux/seccomp.h>

#include "box/box.h"
#include "box/worker.h"

/* Answers a socket call that came in on LISTENER, in a box with SPEC_NET. False: refuse it. */
bool net_call_socket(const struct box *b, int listener, const struct seccomp_notif *req);
/* In a worker: connect and listen. */
worker_fn net_call_connect, net_call_listen;
/* Receives a message of cordon-egress. -1: cordon-egress is dead, or the message is invalid. 1:
 * *RET_LIMIT was reached; *RET_ENDED: it ends the run. */
int net_calls_receive(int listener, enum limit_id *ret_limit, bool *ret_ended);

#endif
