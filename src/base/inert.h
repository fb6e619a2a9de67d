/* SPDX-License-Identifier: MIT
 *
 * A TCP socket of a program that must not be reached by anybody yet: it drops whatever comes in that
 * has passed a router, a loopback or any ordinary host, by the number of hops that is left in it
 * (RFC 5082 turned round). A filter would be plainer, but newer kernels let only root have one.
 */
#ifndef CORDON_BASE_INERT_H
#define CORDON_BASE_INERT_H

#include <stdbool.h>

int inert_set(int fd, bool inert);

#endif
