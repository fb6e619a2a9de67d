/* SPDX-License-Identifier: MIT
 *
 * Tests the network rules: two servers listen on this host's loopback, and a rule names one. A
 * program in a box connects to both. The proof is which server got a connection, not what the
 * program reports.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"
#include "flow/doctor.h"
#include "live/enclose.h"

enum { TRY_MS = 10000, COME_MS = 100 };

/* Listens on a free port. */
static int open_server(unsigned *ret_port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t len = sizeof(at);
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) < 0 || listen(fd, 1) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &len) < 0)
		return -1;
	*ret_port = ntohs(at.sin_port);
	return scope_take_fd(&fd);
}

static bool was_reached(int server)
{
	struct pollfd fd = {.fd = server, .events = POLLIN};

	return poll(&fd, 1, COME_MS) > 0;
}

/* Runs this program in a box, with the option that makes it connect to both. */
static void run_both(enum tier tier, const unsigned port[2], struct result *ret)
{
	char self[PATH_MAX] = "", rule[32], text[2][8];
	const char *argv[] = {"doctor", "--try", text[0], "--try", text[1]};
	struct launch_sink quiet = {0};
	struct request req;

	(void)!readlink("/proc/self/exe", self, sizeof(self) - 1);
	snprintf(rule, sizeof(rule), "127.0.0.1:%u", port[0]);
	for (int i = 0; i < 2; i++)
		snprintf(text[i], sizeof(text[i]), "%u", port[i]);
	request_init(&req);
	req.lang = "binary";
	req.file = self;
	req.tier = tier;
	req.argc = ARRAY_SIZE(argv);
	req.argv = argv;
	req.netc = 1;
	req.net[0] = rule;
	req.limit[LIMIT_TIME] = TRY_MS;
	enclose_own(&req, &quiet, ret);
}

static bool has_attempt(const struct result *r, unsigned port, enum egress_verdict verdict)
{
	for (size_t i = 0; i < r->egressc; i++)
		if (r->egress[i].port == port && r->egress[i].verdict == verdict)
			return true;
	return false;
}

static int check_attempts(const struct result *r, const int server[2], const unsigned port[2],
			  struct err *err)
{
	if (was_reached(server[1]))
		return err_set(err, ERR_LAYER, "a host that no rule names was reached");
	if (r->err.code) {
		*err = r->err;
		return -1;
	}
	if (!was_reached(server[0]) || !has_attempt(r, port[0], EGRESS_CONNECTED))
		return err_set(err, ERR_LAYER, "a host that a rule names was not reached");
	if (!has_attempt(r, port[1], EGRESS_REFUSED))
		return err_set(err, ERR_LAYER, "the refused connection is not among the attempts");
	return 0;
}

int doctor_try_egress(enum tier tier, struct err *err)
{
	unsigned port[2] = {0, 0};
	AUTO_CLOSE int named = open_server(&port[0]);
	AUTO_CLOSE int other = open_server(&port[1]);
	AUTO_FREE struct result *r = calloc(1, sizeof(*r));

	if (!r)
		return err_memory(err);
	if (named < 0 || other < 0)
		return err_errno(err, ERR_SYSTEM, "listening on this host's loopback");
	run_both(tier, port, r);
	int result = check_attempts(r, (const int[]){named, other}, port, err);
	result_done(r);
	return result;
}
