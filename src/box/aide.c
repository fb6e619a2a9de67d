/* SPDX-License-Identifier: MIT
 *
 * The aide: a child of init that does the two slow things beside it, on another core. It makes the
 * network namespace (half a millisecond, more than all others together) while init builds the
 * root, and it unmounts the old root (which waits for an RCU grace period) while the program gets
 * its last layers. It shares init's descriptors, so that a number is enough to hand one over. The
 * program is not started before the aide has said that both are done.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/io.h"
#include "box/box.h"

/* Descriptor number, 0 for done, or minus errno. */
static int make_network(void)
{
	if (unshare(CLONE_NEWNET) < 0)
		return -errno;
	int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* pivot_root has moved our root to the new one, with the old one stacked upon it. */
static int unmount_old_root(void)
{
	if (chdir("/") < 0 || umount2(".", MNT_DETACH) < 0)
		return -errno;
	return 0;
}

static void __attribute__((noreturn)) aide_main(int sock, bool network)
{
	int word = network ? make_network() : 0;

	if (io_send(sock, &word, sizeof(word), -1) < 0)
		_exit(1);
	int fd = -1;
	if (io_recv(sock, &word, sizeof(word), &fd) != sizeof(word))
		_exit(0);
	word = unmount_old_root();
	io_send(sock, &word, sizeof(word), -1);
	_exit(0);
}

int aide_begin(struct box *b, bool network, struct err *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	/* No stack and no flag beyond fork's, so the order of the arguments does not matter. */
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		aide_main(pair[1], network);
	if (pid < 0)
		return err_errno(err, ERR_SYSTEM, "starting a helper process");
	b->aide = pair[0];
	return 0;
}

static int hear(const struct box *b, int *ret)
{
	int fd = -1;

	return io_recv(b->aide, ret, sizeof(*ret), &fd) == sizeof(*ret) ? 0 : -1;
}

int aide_join_network(struct box *b, bool network, struct err *err)
{
	int word = -EPIPE;

	if (hear(b, &word) == 0 && word >= 0 && (!network || setns(word, CLONE_NEWNET) == 0)) {
		if (network) {
			close(word);
			box_mark(b, LAYER_NETNS);
		}
		return 0;
	}
	errno = word < 0 ? -word : errno;
	err_errno(err, ERR_LAYER, "making the network namespace");
	err_blame(err, layer_row(LAYER_NETNS)->name);
	why_layer(err, LAYER_NETNS);
	return -1;
}

int aide_unmount(const struct box *b)
{
	int word = 0;

	return io_send(b->aide, &word, sizeof(word), -1);
}

int aide_wait(const struct box *b, struct err *err)
{
	int word = -EPIPE;

	if (b->aide < 0)
		return 0;
	if (hear(b, &word) == 0 && word == 0)
		return 0;
	errno = -word;
	err_errno(err, ERR_LAYER, "unmounting the host's root");
	err_blame(err, layer_row(LAYER_NEWROOT)->name);
	return -1;
}
