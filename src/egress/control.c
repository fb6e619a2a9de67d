/* SPDX-License-Identifier: MIT
 *
 * Between cordon and us: its rules before, its knowledge of who said a name meanwhile, and what
 * became of each attempt afterwards. When its end of the socket says no more, the run is over.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "egress/egress.h"

struct listener {
	said_fn *done;
	void *ctx;
	struct listener *next;
};

/* A name that was asked about, and who said it. */
struct said {
	char name[EGRESS_NAME_MAX];
	char source[sizeof(((struct egress_ask *)0)->source)];
	bool known;
	struct listener *listeners;
};

static struct said *find(struct egress *e, const char *name, bool *ret_new)
{
	*ret_new = false;
	for (size_t i = 0; i < e->saidc; i++)
		if (strcmp(e->said[i].name, name) == 0)
			return &e->said[i];
	if (e->saidc == EGRESS_KNOWN_MAX)
		return NULL;
	*ret_new = true;
	struct said *s = &e->said[e->saidc++];
	snprintf(s->name, sizeof(s->name), "%s", name);
	return s;
}

void control_ask(struct egress *e, const char *name, said_fn *done, void *ctx)
{
	bool is_new;
	struct said *s = find(e, name, &is_new);
	struct listener *l = s && !s->known ? calloc(1, sizeof(*l)) : NULL;
	struct egress_ask ask = {.kind = EGRESS_ASK};

	if (s && s->known) {
		done(e, ctx, s->source);
		return;
	}
	if (!l) { /* nobody can say: then it is not said to be good */
		done(e, ctx, "more names than are kept");
		return;
	}
	*l = (struct listener){done, ctx, s->listeners};
	s->listeners = l;
	if (!is_new)
		return;
	snprintf(ask.name, sizeof(ask.name), "%s", name);
	if (send(EGRESS_CONTROL_FD, &ask, sizeof(ask), MSG_NOSIGNAL) < 0)
		e->over = true;
}

static void tell_listeners(struct egress *e, const struct egress_ask *told)
{
	bool is_new;
	struct said *s = find(e, told->name, &is_new);

	if (!s || is_new || s->known)
		return;
	s->known = true;
	memcpy(s->source, told->source, sizeof(s->source));
	for (struct listener *l = s->listeners, *next; l; l = next) {
		next = l->next;
		l->done(e, l->ctx, s->source);
		free(l);
	}
	s->listeners = NULL;
}

union word {
	uint32_t kind;
	struct egress_rule rule;
	struct egress_start start;
	struct egress_secret secret;
	struct egress_ask told;
};

static int on_rule(struct egress *e, union word *w, struct err *err)
{
	w->rule.text[sizeof(w->rule.text) - 1] = '\0';
	return rules_add(&e->rules, (enum egress_list)w->rule.list, w->rule.text, err);
}

static int on_secret(struct egress *e, union word *w, struct err *err)
{
	if (e->secretc == EGRESS_SECRETS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d secrets", EGRESS_SECRETS_MAX);
	e->secret[e->secretc++] = w->secret;
	explicit_bzero(&w->secret, sizeof(w->secret));
	return 0;
}

static int on_start(struct egress *e, union word *w, struct err *err)
{
	uint32_t ready = EGRESS_START;

	memcpy(e->limit, w->start.limit, sizeof(e->limit));
	e->asks = w->start.asks;
	e->sni = w->start.sni;
	e->started = true;
	if (send(EGRESS_CONTROL_FD, &ready, sizeof(ready), MSG_NOSIGNAL) < 0)
		return err_errno(err, ERR_SYSTEM, "answering cordon");
	return 0;
}

static int on_told(struct egress *e, union word *w, struct err *err)
{
	(void)err;
	w->told.name[sizeof(w->told.name) - 1] = '\0';
	w->told.source[sizeof(w->told.source) - 1] = '\0';
	tell_listeners(e, &w->told);
	return 0;
}

static const struct {
	uint32_t kind;
	size_t size;
	bool late; /* after EGRESS_START too */
	int (*take)(struct egress *e, union word *w, struct err *err);
} words[] = {
	{EGRESS_RULE, sizeof(struct egress_rule), false, on_rule},
	{EGRESS_SECRET, sizeof(struct egress_secret), false, on_secret},
	{EGRESS_START, sizeof(struct egress_start), false, on_start},
	{EGRESS_TOLD, sizeof(struct egress_ask), true, on_told},
};

static int take_word(struct egress *e, union word *w, size_t len, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].kind == w->kind && words[i].size == len &&
		    (words[i].late || !e->started))
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
	e->said = calloc(EGRESS_KNOWN_MAX, sizeof(*e->said));
	if (!e->said)
		return err_memory(err);
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
