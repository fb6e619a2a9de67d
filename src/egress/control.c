/* SPDX-License-Identifier: MIT
 *
 * Between cordon and us: its rules before, and what became of each attempt afterwards. When its end of
 * the socket says no more, the run is over.
 */
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "egress/egress.h"

union word {
	uint32_t kind;
	struct egress_rule rule;
	struct egress_start start;
	struct egress_secret secret;
};

static int on_rule(struct egress *e, union word *w, struct err *err)
{
	w->rule.text[sizeof(w->rule.text) - 1] = '\0';
	return rules_add(&e->rules, (enum egress_list)w->rule.list, w->rule.text, err);
}

static int on_secret(struct egress *e, union word *w, struct err *err)
{
	if (e->secretc == EGRESS_SECRETS_MAX || w->secret.usec > EGRESS_USES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d secrets", EGRESS_SECRETS_MAX);
	e->secret[e->secretc++] = w->secret;
	explicit_bzero(&w->secret, sizeof(w->secret));
	return 0;
}

static int on_start(struct egress *e, union word *w, struct err *err)
{
	uint32_t ready = EGRESS_START;

	memcpy(e->limit, w->start.limit, sizeof(e->limit));
	e->sni = w->start.sni;
	e->started = true;
	if (send(EGRESS_CONTROL_FD, &ready, sizeof(ready), MSG_NOSIGNAL) < 0)
		return err_errno(err, ERR_SYSTEM, "answering cordon");
	return 0;
}

static const struct {
	uint32_t kind;
	size_t size;
	int (*take)(struct egress *e, union word *w, struct err *err);
} words[] = {
	{EGRESS_RULE, sizeof(struct egress_rule), on_rule},
	{EGRESS_SECRET, sizeof(struct egress_secret), on_secret},
	{EGRESS_START, sizeof(struct egress_start), on_start},
};

static int take_word(struct egress *e, union word *w, size_t len, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].kind == w->kind && words[i].size == len && !e->started)
			return words[i].take(e, w, err);
	return err_set(err, ERR_INPUT, "an unexpected word from cordon");
}

static void on_control(struct egress *e, struct watch *w, uint32_t events)
{
	union word word;
	AUTO_CLOSE int fd = -1;
	ssize_t n = io_recv(w->fd, &word, sizeof(word), &fd);
	struct err err;

	(void)events;
	if (n >= (ssize_t)sizeof(word.kind) && take_word(e, &word, (size_t)n, &err) == 0)
		return;
	e->over = true;
	answers_read_rest(e);
}

int control_open(struct egress *e, struct err *err)
{
	e->control = (struct watch){EGRESS_CONTROL_FD, on_control};
	return loop_add(e, &e->control, EPOLLIN, err);
}

void control_row(struct egress *e, struct attempt *a)
{
	if (!a->kept || a->untold)
		return;
	a->untold = true;
	a->next_untold = NULL;
	if (e->untold)
		e->last_untold->next_untold = a;
	else
		e->untold = a;
	e->last_untold = a;
	clock_need(e);
}

/* By the clock: cordon would wake for each. Nobody waits for it to read: at the end all of them are
 * told again. */
void control_flush(struct egress *e)
{
	for (struct attempt *a = e->untold; a; a = a->next_untold) {
		a->untold = false;
		send(EGRESS_CONTROL_FD, &a->row, sizeof(a->row), MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	e->untold = NULL;
}

void control_tell(struct egress *e)
{
	struct egress_done done = {EGRESS_DONE, e->cut, (uint32_t)e->rowc, 0};

	for (size_t i = 0; i < e->rowc; i++)
		send(EGRESS_CONTROL_FD, &e->rows[i]->row, sizeof(e->rows[i]->row), MSG_NOSIGNAL);
	send(EGRESS_CONTROL_FD, &done, sizeof(done), MSG_NOSIGNAL);
}
