/* SPDX-License-Identifier: MIT
 *
 * A file that was found by pid is used only while the caller still waits: with a real listener
 * and a process that waits in it, and with the request of a process that is dead.
 */
#include "box/caller.h"

#include <errno.h>
#include <linux/filter.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/sys.h"
#include "tap.h"

/* Asks to set its personality, and waits for the answer. */
static void ask(int to)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	int fd = sys_seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
	if (fd < 0 || io_send(to, "x", 1, fd) < 0)
		_exit(1);
	close(fd);
	syscall(SYS_personality, 0xffffffff);
	_exit(0);
}

static int connect_as(int listener, const struct seccomp_notif *req, const struct sockaddr_un *to)
{
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return caller_connect_unix(listener, req, fd, (const uint8_t *)to, sizeof(*to));
}

int main(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct seccomp_notif req = {0};
	char word;
	int pair[2], listener = -1;
	AUTO_CLOSE int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/cordon-reach.%d", (int)getpid());
	if (bind(server, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(server, 5) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return 1;
	pid_t pid = fork();
	if (pid == 0)
		ask(pair[1]);
	ok(io_recv(pair[0], &word, 1, &listener) == 1 && listener >= 0, "a listener");
	ok(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &req) == 0, "and a call comes in");
	ok(caller_waits(listener, &req) && connect_as(listener, &req, &at) == 0,
	   "is connected in its own root");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* As if another process, with the host's root, had got its pid at once. */
	req.pid = (uint32_t)getpid();
	ok(!caller_waits(listener, &req), "gone");
	ok(connect_as(listener, &req, &at) == ESRCH,
	   "and the process that has its pid now is not used");
	unlink(at.sun_path);
	close(listener);
	return tap_done();
}
