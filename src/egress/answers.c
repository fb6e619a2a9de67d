/* SPDX-License-Identifier: MIT
 *
 * Answers to cordon-box. Neither program may ever wait until the other reads, so answers that do not fit into
 * the socket are kept here.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "egress/egress.h"

static bool try_send(const union egress_word *w)
{
	return send(EGRESS_BOX_FD, w, sizeof(*w), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
	       (errno != EAGAIN && errno != ENOBUFS); /* a dead box needs no answer */
}

void answers_flush(struct egress *e)
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
	if (e->answerc == EGRESS_ANSWERS_MAX) { /* more than there can be calls */
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

int answers_open(struct egress *e, struct err *err)
{
	e->answers = calloc(EGRESS_ANSWERS_MAX, sizeof(*e->answers));
	if (!e->answers)
		return err_memory(err);
	return 0;
}
