/* SPDX-License-Identifier: MIT
 *
 * cordon-egress: see egress.h. cordon starts it for a run that may connect, with its ends of two sockets and
 * nothing else. It ends with the run, and with cordon.
 */
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "egress/egress.h"

/* Thousands of connections may be in progress at once. */
static void raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

/* Limits the memory. A sanitizer needs an unknown amount more. */
static int bound_memory(struct err *err)
{
#ifndef __SANITIZE_ADDRESS__
	struct rlimit data = {EGRESS_MEMORY_MAX, EGRESS_MEMORY_MAX};

	if (setrlimit(RLIMIT_DATA, &data) < 0)
		return err_errno(err, ERR_SYSTEM, "bounding the memory");
#else
	(void)err;
#endif
	return 0;
}

static int serve(struct egress *e, struct err *err)
{
	if (close_range(EGRESS_BOX_FD + 1, ~0U, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "closing inherited descriptors");
	if (loop_open(e, err) < 0 || counter_listen(e, err) < 0 || privileges_drop(err) < 0 ||
	    privileges_end_with_parent(err) < 0)
		return -1;
	e->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (e->epoll < 0)
		return err_errno(err, ERR_SYSTEM, "making an epoll");
	e->resolver.fd = e->loopback.fd = -1;
	raise_files();
	if (bound_memory(err) < 0 || routes_open(e, err) < 0 || control_open(e, err) < 0 ||
	    answers_open(e, err) < 0 || dial_open(e, err) < 0 || lookup_open(e, err) < 0 ||
	    connect_call_open(e, err) < 0 || clock_open(e, err) < 0 || counter_open(e, err) < 0)
		return -1;
	return loop_run(e, err);
}

int main(void)
{
	struct egress *e = calloc(1, sizeof(*e));
	struct stat st;
	struct err err;

	if (!e || fstat(EGRESS_CONTROL_FD, &st) < 0 || !S_ISSOCK(st.st_mode)) {
		fputs("cordon-egress is started by cordon; see cordon(1)\n", stderr);
		return 125;
	}
	signal(SIGPIPE, SIG_IGN);
	int r = serve(e, &err);
	if (r < 0) {
		fprintf(stderr, "cordon-egress: %s%s%s\n", err.message, err.cause[0] ? ": " : "",
			err.cause);
		return 125;
	}
	counter_finish(e);
	_exit(0); /* the resolver's threads may still run */
}
