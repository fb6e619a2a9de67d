/* SPDX-License-Identifier: MIT
 *
 * See early_reader.h. Only Cordon's own code has run so far, but the interpreter parses hostile code
 * and may be taken over by it: every read is bounded in time and bytes.
 */
#include "live/early_reader.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "model/code_view.h"
#include "policy/policy.h"

bool early_reader_possible(const struct blueprint *p, const struct request *req)
{
	return p->profile->has_boot && !p->payload.is_program && p->input_is_fixed &&
	       p->payload.len <= VIEW_CODE_MAX && !req->isolated && !req->venv && !req->roc &&
	       !req->keep && !req->envc && !req->execc && req->tier != TIER_NO_USERNS &&
	       !policy_caps_of(req);
}

bool early_reader_can_report(const struct blueprint *p, const struct request *req)
{
	return req->telemetry && p->profile->has_boot && !p->payload.is_program && !req->isolated &&
	       req->tier != TIER_NO_USERNS;
}

int early_reader_open(struct blueprint *p, struct boot *ret, struct err *err)
{
	int pair[2];

	ret->code = p->spec.payload_target;
	if (boot_make(ret, &p->arena, err) < 0)
		return -1;
	p->parts = ret->parts;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	p->channel = pair[0];
	p->channel_in = pair[1];
	p->spec.flags |= SPEC_CHANNEL;
	return 0;
}

enum { ANSWER_MAX = 2 * VIEW_TEXT_MAX, ANSWER_CHUNK = 65536 };

/* Waits until UNTIL_NS. 1: the channel can be read; -1: there will be no answer. Cordon's own code
 * prints nothing, so any output or message of the box means that other code runs. */
static int wait_answer(struct launch *l, struct blueprint *p, uint64_t until_ns)
{
	uint64_t now = io_now_ns();
	int wait_ms = now < until_ns ? (int)((until_ns - now) / 1000000U) + 1 : 0;
	struct pollfd fds[] = {{.fd = p->channel, .events = POLLIN},
			       {.fd = l->socket, .events = POLLIN},
			       {.fd = l->out[0], .events = POLLIN},
			       {.fd = l->out[1], .events = POLLIN}};

	int n = poll(fds, ARRAY_SIZE(fds), wait_ms);
	if (n <= 0)
		return n < 0 && errno == EINTR ? 0 : -1;
	if (fds[1].revents || fds[2].revents || fds[3].revents)
		return -1;
	return fds[0].revents != 0;
}

int early_reader_answer(struct launch *l, struct blueprint *p, char **ret, size_t *ret_len)
{
	uint64_t until_ns = io_now_ns() + VIEW_WALL_MS * 1000000ULL;
	size_t room = ANSWER_CHUNK, len = 0;
	AUTO_FREE char *data = malloc(room);

	while (data && len <= ANSWER_MAX) {
		int ready = wait_answer(l, p, until_ns);
		ssize_t n = ready > 0 ? read(p->channel, data + len, room - len) : ready;
		if (ready < 0 || (ready > 0 && n <= 0))
			return -1;
		len += (size_t)n;
		if (len && (unsigned char)data[len - 1] == READER_END) {
			*ret_len = len - 1;
			*ret = data;
			data = NULL;
			return 0;
		}
		char *grown = len < room ? data : realloc(data, room *= 2);
		if (!grown)
			return -1;
		data = grown;
	}
	return -1;
}

/* The result of send is not needed: launch_finish reports a box that has died. */
void early_reader_release(struct blueprint *p)
{
	const char go = READER_GO;

	(void)!send(p->channel, &go, 1, MSG_NOSIGNAL);
	if (!p->has_telemetry)
		scope_close(&p->channel);
}
