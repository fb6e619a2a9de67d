/* SPDX-License-Identifier: MIT
 *
 * Between cordon-box and us: calls that wait, and their answers. Neither may ever wait for the other
 * to read, so what does not fit into the socket is kept here.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/io.h"
#include "base/scope.h"
#include "egress/egress.h"

static bool try_send(const union egress_word *w)
{
	return send(EGRESS_BOX_FD, w, sizeof(*w), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
	       (errno != EAGAIN && errno != ENOBUFS); /* a box that is gone wants no answer */
}

static void send_kept(struct egress *e)
{
	while (e->answer_at < e->answerc && try_send(&e->answers[e->answer_at]))
		e->answer_at++;
	if (e->answer_at == e->answerc) {
		e->answer_at = e->answerc = 0;
		loop_change(e, &e->box, EPOLLIN);
	}
}

static void send_or_keep(struct egress *e, const union egress_word *w)
{
	if (e->answerc == 0 && try_send(w))
		return;
	if (e->answerc == EGRESS_ANSWERS_MAX) { /* more than there can be callers */
		e->over = true;
		return;
	}
	e->answers[e->answerc++] = *w;
	loop_change(e, &e->box, EPOLLIN | EPOLLOUT);
}

void answers_send(struct egress *e, uint64_t id, int error)
{
	send_or_keep(e, &(union egress_word){.answer = {EGRESS_ANSWER, error, id}});
}

void answers_over(struct egress *e, enum limit_id limit, bool ended)
{
	send_or_keep(e, &(union egress_word){.over = {EGRESS_OVER, limit, ended, 0}});
}

static void on_box(struct egress *e, struct watch *w, uint32_t events)
{
	union {
		uint32_t kind;
		struct egress_dial dial;
	} m = {0};
	AUTO_CLOSE int fd = -1;
	struct err err;

	if (events & EPOLLOUT)
		send_kept(e);
	if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR)))
		return;
	ssize_t n = io_recv(w->fd, &m, sizeof(m), &fd);
	if (n < 0 && errno == EMSGSIZE) { /* no descriptor was left for it */
		if (m.kind == EGRESS_DIAL)
			answers_send(e, m.dial.id, ENFILE);
	} else if (n <= 0) {
		loop_remove(e, w); /* cordon will say when it is over */
	} else if (m.kind == EGRESS_RESOLVE && n == sizeof(m.kind)) {
		if (fd >= 0 && e->resolver.fd < 0)
			resolver_take(e, scope_take_fd(&fd), &err);
	} else if (m.kind == EGRESS_DIAL && n == sizeof(m.dial) && fd >= 0) {
		dial(e, &m.dial, scope_take_fd(&fd));
	}
}

void answers_read_rest(struct egress *e)
{
	char byte;

	while (recv(e->box.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
		on_box(e, &e->box, EPOLLIN);
}

int answers_open(struct egress *e, struct err *err)
{
	e->answers = calloc(EGRESS_ANSWERS_MAX, sizeof(*e->answers));
	if (!e->answers)
		return err_memory(err);
	e->box = (struct watch){EGRESS_BOX_FD, on_box};
	return loop_add(e, &e->box, EPOLLIN, err);
}
