/* SPDX-License-Identifier: MIT
 *
 * System calls and constants that glibc 2.36 does not wrap or name, in one place.
 */
#ifndef CORDON_BOX_SYS_H
#define CORDON_BOX_SYS_H

#include <linux/landlock.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline pid_t sys_clone3(struct clone_args *args)
{
	return (pid_t)syscall(SYS_clone3, args, sizeof(*args));
}

static inline int sys_pivot_root(const char *new_root, const char *put_old)
{
	return (int)syscall(SYS_pivot_root, new_root, put_old);
}

static inline int sys_seccomp(unsigned op, unsigned flags, void *arg)
{
	return (int)syscall(SYS_seccomp, op, flags, arg);
}

static inline int sys_pidfd_send_signal(int pidfd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0);
}

static inline int sys_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static inline int sys_landlock_create(const void *attr, size_t size, unsigned flags)
{
	return (int)syscall(SYS_landlock_create_ruleset, attr, size, flags);
}

static inline int sys_landlock_add(int ruleset, unsigned type, const void *attr)
{
	return (int)syscall(SYS_landlock_add_rule, ruleset, type, attr, 0);
}

static inline int sys_landlock_restrict(int ruleset)
{
	return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

#ifndef PIDFD_GET_USER_NAMESPACE
#define PIDFD_GET_USER_NAMESPACE _IO(0xFF, 9) /* 6.11 */
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

#endif
