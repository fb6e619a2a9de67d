/* SPDX-License-Identifier: MIT
 *
 * cordon mcp: an MCP server for one client on standard input and output. One thread waits for the client and
 * for the processes of its calls, and never blocks on either; a client that does not read stops being read.
 */
#include "door/mcp/server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "door/mcp/calls.h"
#include "door/mcp/protocol.h"

/* After the end of the input: for calls that are about to end. A client that has died does not read. */
#define LAST_NS 30000000000U

enum { AT_SIGNAL, AT_OUT, AT_IN, AT_CALLS, FDS_MAX = AT_CALLS + SERVER_CALLS_MAX };

static void take_lines(struct mcp_server *s)
{
	struct lines_text line;
	struct err err;

	if (lines_read(&s->in, &err) < 0) {
		protocol_refuse(s, err.message);
		s->in.fd = -1;
		return;
	}
	for (;;)
		switch (lines_next(&s->in, &line)) {
		case LINES_LINE:
			protocol_take(s, line);
			break;
		case LINES_TOO_LONG:
			protocol_refuse(s, "a message has at most 16 MB; the line was dropped");
			break;
		case LINES_HALF:
			protocol_refuse(s, "the input ended within a message");
			return;
		default:
			return;
		}
}

/* The descriptors to poll: one with a full queue behind it is left out. */
static void want(const struct mcp_server *s, int signals, struct pollfd *fds)
{
	bool is_full = lines_waiting(&s->out) > SERVER_WAITING_MAX;

	fds[AT_SIGNAL] = (struct pollfd){.fd = signals, .events = POLLIN};
	fds[AT_OUT] =
		(struct pollfd){.fd = s->out.fd, .events = lines_waiting(&s->out) ? POLLOUT : 0};
	fds[AT_IN] = (struct pollfd){.fd = is_full ? -1 : s->in.fd, .events = POLLIN};
	for (size_t i = 0; i < SERVER_CALLS_MAX; i++)
		fds[AT_CALLS + i] =
			(struct pollfd){.fd = s->call[i].id && !is_full ? s->call[i].from.fd : -1,
					.events = POLLIN};
}

static bool is_done(struct mcp_server *s, uint64_t ended_ns)
{
	if (s->out.fd < 0)
		return true;
	if (s->in.fd >= 0)
		return false;
	return (!calls_are_open(s) && !lines_waiting(&s->out)) || io_now_ns() - ended_ns > LAST_NS;
}

static int serve(struct mcp_server *s, int signals, struct err *err)
{
	struct pollfd fds[FDS_MAX];
	uint64_t ended_ns = 0;

	while (!is_done(s, ended_ns)) {
		want(s, signals, fds);
		if (poll(fds, FDS_MAX, s->in.fd < 0 ? 100 : -1) < 0 && errno != EINTR)
			return err_errno(err, ERR_SYSTEM, "waiting for the client");
		if (fds[AT_SIGNAL].revents || fds[AT_OUT].revents & (POLLERR | POLLHUP | POLLNVAL))
			return 0;
		if (fds[AT_OUT].revents)
			lines_flush(&s->out);
		for (size_t i = 0; i < SERVER_CALLS_MAX; i++)
			if (fds[AT_CALLS + i].revents)
				call_read(s, &s->call[i]);
		if (fds[AT_IN].revents)
			take_lines(s);
		if (s->in.fd < 0 && !ended_ns)
			ended_ns = io_now_ns();
	}
	return 0;
}

int mcp_serve(const struct mcp_tool *const *tools, const char *instructions,
	      struct mcp_session *session, struct err *err)
{
	AUTO_PAGES struct mcp_server *s = pages_new(sizeof(*s));
	sigset_t ends;

	if (!s)
		return err_memory(err);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	signal(SIGPIPE, SIG_IGN);
	AUTO_CLOSE int signals = signalfd(-1, &ends, SFD_CLOEXEC);
	if (signals < 0)
		return err_errno(err, ERR_SYSTEM, "waiting for signals");
	s->tools = tools;
	s->instructions = instructions;
	s->session = session;
	s->in = (struct lines_in){.fd = STDIN_FILENO, .max = MESSAGE_BYTES_MAX};
	s->out = (struct lines_out){.fd = STDOUT_FILENO};
	memcpy(s->client, "client", sizeof("client"));
	for (size_t i = 0; i < SERVER_CALLS_MAX; i++)
		s->call[i].from.fd = -1;
	int r = serve(s, signals, err);
	calls_end(s);
	lines_in_done(&s->in);
	lines_out_done(&s->out);
	return r;
}
