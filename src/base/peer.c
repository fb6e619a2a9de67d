/* SPDX-License-Identifier: MIT
 *
 * See peer.h. A program of a box without a user namespace of its own has the account's ids, but then the box
 * does not show Cordon's sockets. One with a namespace is recognised by it.
 */
#include "base/peer.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

bool peer_is_friend(int socket)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);
	char path[64];
	struct stat own, theirs;

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0 || peer.uid != geteuid())
		return false;
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)peer.pid);
	return stat("/proc/self/ns/user", &own) == 0 && stat(path, &theirs) == 0 &&
	       own.st_ino == theirs.st_ino && own.st_dev == theirs.st_dev;
}
