/* SPDX-License-Identifier: MIT
 *
 * What cordon-egress has given up before it reads anything: ids, capabilities, files, programs. And
 * that it does not live on without cordon.
 */
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "egress_parts.h"
#include "tap.h"

static bool has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 1;
}

static bool opens(const char *path, int flags)
{
	AUTO_CLOSE int fd = open(path, flags | O_CLOEXEC, 0600);

	return fd >= 0;
}

static bool has_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct all[2];

	if (syscall(SYS_capget, &head, all) < 0)
		return true;
	return all[0].permitted || all[0].effective || all[0].inheritable || all[1].permitted;
}

/* In a child: bits of what is wrong. */
static int wrongs(bool root)
{
	struct err err;
	char *const argv[] = {(char[]){"false"}, NULL};

	if (privileges_drop(&err) < 0)
		return 1;
	int wrong = 0;
	if (root && (getuid() == 0 || getegid() == 0 || prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN) != 0))
		wrong |= 2;
	if (has_capabilities() || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		wrong |= 4;
	if (!opens("/etc/nsswitch.conf", O_RDONLY) && !opens("/etc/passwd", O_RDONLY))
		wrong |= 8;
	if (has_landlock() && (opens("/tmp/egress-drop.made", O_WRONLY | O_CREAT) ||
			       opens("/dev/null", O_RDONLY) || opens("/proc/self/mem", O_RDONLY)))
		wrong |= 16;
	if (has_landlock()) {
		execv("/bin/false", argv); /* which ends with 1 */
		wrong |= errno == EACCES ? 0 : 32;
	}
	return wrong;
}

/* In a child, whose kernel has no Landlock as far as it can see. */
static int drop_without_landlock(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {ARRAY_SIZE(code), code};
	struct err err;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) < 0)
		return 2;
	return privileges_drop(&err) < 0 && strstr(err.cause, "Landlock") ? 0 : 1;
}

/* -1: it did not start; else how a child of a cordon that is there, or not, ends. */
static int orphan(bool gone)
{
	int end[2], code = -1;
	char byte = 0;

	if (pipe2(end, O_CLOEXEC) < 0)
		abort();
	pid_t cordon = fork();
	if (cordon == 0) {
		parts_pair(EGRESS_CONTROL_FD);
		pid_t own = getpid();
		if (fork() == 0) {
			struct err err;
			while (gone && getppid() == own)
				usleep(1000);
			byte = privileges_end_with_parent(&err) == 0 ? 'y' : 'n';
			_exit(write(end[1], &byte, 1) != 1);
		}
		if (!gone)
			wait(NULL);
		_exit(0);
	}
	waitpid(cordon, NULL, 0);
	if (read(end[0], &byte, 1) == 1)
		code = byte == 'y';
	close(end[0]);
	close(end[1]);
	return code;
}

int main(void)
{
	bool root = geteuid() == 0;
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(wrongs(root));
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "wrong: %d", status >> 8);
	pid = fork();
	if (pid == 0)
		_exit(drop_without_landlock());
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "without Landlock it does not start");
	ok(orphan(false) == 1, "it starts for a cordon that is there");
	ok(orphan(true) == 0, "and for none that is gone");
	return tap_done();
}
