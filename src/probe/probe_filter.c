/* SPDX-License-Identifier: MIT
 *
 * Canaries for the system call filter and for the listener that answers it, with the same code as in a run.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/probe.h"

static char *const no_words[] = {NULL};

/* Refusals until the listener closes; a real run has many more. */
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

/* In the self-test the kernel alone refused one call, and the listener another. This is a third, which the
 * listener must also record. */
static int in_seccomp(struct probe *p, struct err *err)
{
	if (enter_filter(p, err) < 0)
		return -1;
	if (socket(AF_NETLINK, SOCK_RAW, 0) >= 0 || errno != EPERM)
		return probe_leak(err, "it made a netlink socket");
	return probe_ready(p, err);
}

static int check_denials(struct probe *p, struct err *err)
{
	if (p->listener.count != 1 || strcmp(p->listener.denials[0].call, "socket") != 0)
		return err_set(err, ERR_LAYER, "the supervisor did not see a refused call");
	return 0;
}

int probe_seccomp(struct probe *p, struct err *err)
{
	struct probe_part part = {.inside = in_seccomp, .ready = check_denials};

	p->spec.flags = SPEC_EXEC; /* the listener expects no exec first */
	return probe_child(p, probe_usual_spaces(p), &part, err);
}

/* ---- execgate ---- */

/* The one exec that is allowed is used up for a program that does not exist. Then the listener refuses. After
 * enough refusals it is closed, and the kernel refuses alone. */
static int in_execgate(struct probe *p, struct err *err)
{
	if (enter_filter(p, err) < 0)
		return -1;
	if (execve("/proc/self/no-such-program", no_words, no_words) == 0 || errno != ENOENT)
		return probe_untried(err, "the first exec");
	for (int i = 0; i < FEW; i++) {
		if (execve("/proc/self/exe", no_words, no_words) == 0 ||
		    (errno != EPERM && errno != ENOSYS))
			return probe_leak(err, "it can execute a second program");
		if (syscall(SYS_execveat, AT_FDCWD, "/proc/self/exe", no_words, no_words, 0) == 0 ||
		    (errno != EPERM && errno != ENOSYS))
			return probe_leak(err, "it can execute a program by descriptor");
	}
	return errno == ENOSYS ? 0 : probe_leak(err, "the listener never closed");
}

static int check_silence(struct probe *p, struct err *err)
{
	(void)p;
	return probe_leak(err, "it executed another program, or died");
}

int probe_execgate(struct probe *p, struct err *err)
{
	struct probe_part part = {
		.inside = in_execgate, .ended = check_silence, .events = CORDON_EVENTS_MAX - FEW};

	return probe_child(p, probe_usual_spaces(p), &part, err);
}
