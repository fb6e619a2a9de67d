/* SPDX-License-Identifier: MIT
 *
 * Canaries for the system call filter and for the gate behind it. The gate that answers them is
 * the one that answers programs.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/probe.h"

static char *const no_words[] = {NULL};

/* Refusals until the gate closes, in a canary that cannot wait for all of them. */
enum { FEW = 32 };

static int enter_filter(struct probe *p, struct err *err)
{
	int listener = -1;

	if (creds_drop(&p->box, err) < 0 || seccomp_load(&p->box, &listener, err) < 0 ||
	    probe_hand_over(p, listener, err) < 0)
		return -1;
	return seccomp_self_test(p->spec.flags & SPEC_EXEC, err);
}

/* ---- seccomp ---- */

/* The self-test had one call refused by the kernel alone and one by the gate; here is a third that
 * the gate must also write down. */
static int in_seccomp(struct probe *p, struct err *err)
{
	if (enter_filter(p, err) < 0)
		return -1;
	if (socket(AF_NETLINK, SOCK_RAW, 0) >= 0 || errno != EPERM)
		return probe_leak(err, "it made a netlink socket");
	return probe_ready(p, err);
}

static int look_at_denials(struct probe *p, struct err *err)
{
	if (p->gate.count != 1 || strcmp(p->gate.denials[0].call, "socket") != 0)
		return err_set(err, ERR_LAYER, "the gate did not see a refused call");
	return 0;
}

int probe_seccomp(struct probe *p, struct err *err)
{
	struct probe_part part = {.inside = in_seccomp, .ready = look_at_denials};

	p->spec.flags = SPEC_EXEC; /* the gate waits for no first program */
	return probe_child(p, probe_usual_spaces(p), &part, err);
}

/* ---- execgate ---- */

/* The one grant is used up on a program that is not there. Then the gate refuses; when it has
 * refused often enough it is closed, and the kernel refuses alone. */
static int in_execgate(struct probe *p, struct err *err)
{
	if (enter_filter(p, err) < 0)
		return -1;
	if (execve("/proc/self/no-such-program", no_words, no_words) == 0 || errno != ENOENT)
		return probe_untried(err, "the first program's start");
	for (int i = 0; i < FEW; i++) {
		if (execve("/proc/self/exe", no_words, no_words) == 0 ||
		    (errno != EPERM && errno != ENOSYS))
			return probe_leak(err, "it may start a second program");
		if (syscall(SYS_execveat, AT_FDCWD, "/proc/self/exe", no_words, no_words, 0) == 0 ||
		    (errno != EPERM && errno != ENOSYS))
			return probe_leak(err, "it may start a program by descriptor");
	}
	return errno == ENOSYS ? 0 : probe_leak(err, "the gate never closed");
}

static int look_at_silence(struct probe *p, struct err *err)
{
	(void)p;
	return probe_leak(err, "it became another program, or died");
}

int probe_execgate(struct probe *p, struct err *err)
{
	struct probe_part part = {
		.inside = in_execgate, .ended = look_at_silence, .events = CORDON_EVENTS_MAX - FEW};

	return probe_child(p, probe_usual_spaces(p), &part, err);
}
