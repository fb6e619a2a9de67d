/* SPDX-License-Identifier: MIT
 *
 * Messages of cordon: rules and secrets, then the start. When it closes its end of the socket, the run has
 * ended.
 */
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "egress/egress.h"

union message {
	uint32_t kind;
	struct egress_rule rule;
	struct egress_start start;
	struct egress_secret secret;
	struct egress_flush flush;
};

static int on_rule(struct egress *e, union message *w, struct err *err)
{
	w->rule.text[sizeof(w->rule.text) - 1] = '\0';
	return rules_add(&e->rules, (enum egress_list)w->rule.list, w->rule.text, err);
}

static int on_secret(struct egress *e, union message *w, struct err *err)
{
	if (e->secretc == EGRESS_SECRETS_MAX || w->secret.usec > EGRESS_USES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d secrets", EGRESS_SECRETS_MAX);
	e->secret[e->secretc++] = w->secret;
	explicit_bzero(&w->secret, sizeof(w->secret));
	return 0;
}

static int on_start(struct egress *e, union message *w, struct err *err)
{
	uint32_t ready = EGRESS_START;

	memcpy(e->limit, w->start.limit, sizeof(e->limit));
	e->sni = w->start.sni;
	e->started = true;
	if (send(EGRESS_CONTROL_FD, &ready, sizeof(ready), MSG_NOSIGNAL) < 0)
		return err_errno(err, ERR_SYSTEM, "answering cordon");
	return 0;
}

static int on_flush(struct egress *e, union message *w, struct err *err)
{
	counter_look(e);
	for (struct attempt *a = e->live; a; a = a->next)
		attempt_changed(e, a);
	w->flush.cut = attempts_forget(e);
	if (send(EGRESS_CONTROL_FD, &w->flush, sizeof(w->flush), MSG_NOSIGNAL) < 0)
		return err_errno(err, ERR_SYSTEM, "answering cordon");
	return 0;
}

static const struct {
	uint32_t kind;
	bool is_later; /* after the start, not before it */
	size_t size;
	int (*take)(struct egress *e, union message *w, struct err *err);
} rows[] = {
	{EGRESS_RULE, false, sizeof(struct egress_rule), on_rule},
	{EGRESS_SECRET, false, sizeof(struct egress_secret), on_secret},
	{EGRESS_START, false, sizeof(struct egress_start), on_start},
	{EGRESS_FLUSH, true, sizeof(struct egress_flush), on_flush},
};

static int take_message(struct egress *e, union message *w, size_t len, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].kind == w->kind && rows[i].size == len &&
		    rows[i].is_later == e->started)
			return rows[i].take(e, w, err);
	return err_set(err, ERR_INPUT, "an unexpected message from cordon");
}

static void on_control(struct egress *e, struct watch *w, uint32_t events)
{
	union message m;
	AUTO_CLOSE int fd = -1;
	ssize_t n = io_recv(w->fd, &m, sizeof(m), &fd);
	struct err err;

	(void)events;
	if (n >= (ssize_t)sizeof(m.kind) && take_message(e, &m, (size_t)n, &err) == 0)
		return;
	e->over = true;
	dial_read_rest(e);
}

int control_open(struct egress *e, struct err *err)
{
	e->control = (struct watch){EGRESS_CONTROL_FD, on_control};
	return loop_add(e, &e->control, EPOLLIN, err);
}
