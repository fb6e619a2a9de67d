/* SPDX-License-Identifier: MIT
 *
 * See talk.h.
 */
#include "flow/talk.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "policy/policy.h"

void talk_close(struct blueprint *p)
{
	scope_close(&p->talk);
	scope_close(&p->talk_in);
	scope_close(&p->parts);
}

bool talk_can(const struct blueprint *p, const struct request *req)
{
	return strcmp(p->profile->name, "python") == 0 && !p->payload.is_program &&
	       p->input_is_fixed && p->payload.len <= VIEW_CODE_MAX && !req->isolated &&
	       !req->venv && !req->envc && !req->execc && req->tier != TIER_NO_USERNS &&
	       !policy_caps_of(req);
}

bool talk_can_tell(const struct blueprint *p, const struct request *req)
{
	return req->telemetry && strcmp(p->profile->name, "python") == 0 &&
	       !p->payload.is_program && !req->isolated && req->tier != TIER_NO_USERNS;
}

int talk_open(struct blueprint *p, struct view_boot *ret, struct err *err)
{
	int pair[2];

	ret->code = p->spec.payload_target;
	if (view_boot(ret, &p->arena, err) < 0)
		return -1;
	p->parts = ret->parts;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	p->talk = pair[0];
	p->talk_in = pair[1];
	p->spec.flags |= SPEC_TALK;
	return 0;
}

enum { ANSWER_MAX = 2 * VIEW_TEXT_MAX, ANSWER_CHUNK = 65536 };

/* One look at the box, and at what the interpreter says, until UNTIL_NS. 1: it says something; -1: there
 * will be no answer. Nobody in there prints anything yet: who does is none of us. */
static int hear_once(struct launch *l, struct blueprint *p, uint64_t until_ns)
{
	uint64_t now = io_now_ns();
	int wait_ms = now < until_ns ? (int)((until_ns - now) / 1000000U) + 1 : 0;
	struct pollfd fds[] = {{.fd = p->talk, .events = POLLIN},
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

/* The last byte is none of any text. */
int talk_hear(struct launch *l, struct blueprint *p, char **ret, size_t *ret_len)
{
	uint64_t until_ns = io_now_ns() + VIEW_WALL_MS * 1000000ULL;
	size_t room = ANSWER_CHUNK, len = 0;
	AUTO_FREE char *data = malloc(room);

	while (data && len <= ANSWER_MAX) {
		int heard = hear_once(l, p, until_ns);
		ssize_t n = heard > 0 ? read(p->talk, data + len, room - len) : heard;
		if (heard < 0 || (heard > 0 && n <= 0))
			return -1;
		len += (size_t)n;
		if (len && (unsigned char)data[len - 1] == TALK_END) {
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

/* Who is gone already will be heard of. */
void talk_let(struct blueprint *p)
{
	const char word = TALK_GO;

	(void)!send(p->talk, &word, 1, MSG_NOSIGNAL);
	if (!p->tells)
		scope_close(&p->talk);
}
