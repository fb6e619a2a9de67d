/* SPDX-License-Identifier: MIT
 *
 * The DNS resolver of the box. A name that no rule allows does not exist, and no server is asked about it,
 * because a question can carry data out. For an allowed name the program gets addresses that stand for it
 * (names.h), as many as it really has.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/scope.h"
#include "egress/egress.h"

/* A connection. It is freed when it is closed and no question on it is open. */
struct stream {
	struct watch watch;
	size_t len, asked;
	uint8_t data[2 + DNS_MAX];
};

/* An open question: from a datagram, or on STREAM. */
struct question {
	struct stream *stream;
	struct sockaddr_storage from;
	socklen_t from_len;
	struct dns_question q;
	uint8_t query[DNS_MAX];
};

static void stream_close(struct egress *e, struct stream *s)
{
	if (s->watch.fd >= 0) {
		loop_remove(e, &s->watch);
		scope_close(&s->watch.fd);
	}
	if (s->asked == 0) {
		e->streams--;
		free(s);
	}
}

static void send_answer(struct egress *e, struct question *q, enum dns_code code,
			const struct address *list, size_t count)
{
	uint8_t out[2 + DNS_MAX];
	size_t len = dns_answer(q->query, &q->q, code, list, count, out + 2);
	struct stream *s = q->stream;

	out[0] = (uint8_t)(len >> 8);
	out[1] = (uint8_t)len;
	if (!s) {
		sendto(e->resolver.fd, out + 2, len, MSG_DONTWAIT | MSG_NOSIGNAL,
		       (struct sockaddr *)&q->from, q->from_len);
	} else {
		if (s->watch.fd >= 0)
			send(s->watch.fd, out, len + 2, MSG_DONTWAIT | MSG_NOSIGNAL);
		s->asked--;
		if (s->watch.fd < 0)
			stream_close(e, s);
	}
	e->questions--;
	free(q);
}

static void on_known(struct egress *e, void *ctx, const struct address *list, size_t count)
{
	struct question *q = ctx;
	struct address stand_ins[DNS_ANSWERS_MAX];
	size_t n = 0;

	while (n < count && names_give(&e->names, q->q.name, &list[n], &stand_ins[n]))
		n++;
	enum dns_code code = count == 0 ? DNS_NO_NAME : n < count ? DNS_FAILED : DNS_OK;
	send_answer(e, q, code, stand_ins, n);
}

static bool was_refused(const struct egress *e, const char *name)
{
	for (size_t i = 0; i < e->rowc; i++)
		if (e->rows[i]->row.port == 0 && strcmp(e->rows[i]->row.name, name) == 0)
			return true;
	return false;
}

static void answer(struct egress *e, struct question *q)
{
	char rule[EGRESS_RULE_MAX];
	struct address none = {0};

	if (rules_allow_name(&e->rules, q->q.name, rule)) {
		lookup_name(e, q->q.name, on_known, q);
		return;
	}
	if (!was_refused(e, q->q.name))
		attempt_end(e, attempt_new(e, q->q.name, &none, 0), EGRESS_REFUSED, ENOENT, rule);
	send_answer(e, q, DNS_NO_NAME, NULL, 0);
}

static struct question *question_new(struct egress *e, const uint8_t *data, size_t len)
{
	bool fits = len <= DNS_MAX && e->questions < EGRESS_WAITING_MAX;
	struct question *q = fits ? calloc(1, sizeof(*q)) : NULL;

	if (!q || dns_parse(data, len, &q->q) < 0) {
		free(q);
		return NULL;
	}
	memcpy(q->query, data, len);
	e->questions++;
	return q;
}

static void on_datagram(struct egress *e, struct watch *w, uint32_t events)
{
	uint8_t data[DNS_MAX + 1];
	struct sockaddr_storage from;
	socklen_t from_len = sizeof(from);
	ssize_t n = recvfrom(w->fd, data, sizeof(data), MSG_DONTWAIT, (struct sockaddr *)&from,
			     &from_len);
	struct question *q = n > 0 ? question_new(e, data, (size_t)n) : NULL;

	(void)events;
	if (!q)
		return;
	q->from = from;
	q->from_len = from_len;
	answer(e, q);
}

int resolver_take(struct egress *e, int fd, struct err *err)
{
	e->resolver = (struct watch){fd, on_datagram};
	return loop_add(e, &e->resolver, EPOLLIN, err);
}

/* Messages, each after its length. False: one is malformed. */
static bool take_questions(struct egress *e, struct stream *s)
{
	while (s->len >= 2) {
		size_t want = (size_t)s->data[0] << 8 | s->data[1];
		if (want > DNS_MAX)
			return false;
		if (s->len < want + 2)
			return true;
		struct question *q = question_new(e, s->data + 2, want);
		if (!q)
			return false;
		s->len -= want + 2;
		memmove(s->data, s->data + want + 2, s->len);
		q->stream = s;
		s->asked++;
		answer(e, q);
	}
	return true;
}

static void on_stream(struct egress *e, struct watch *w, uint32_t events)
{
	struct stream *s = (struct stream *)w;
	ssize_t n = recv(w->fd, s->data + s->len, sizeof(s->data) - s->len, MSG_DONTWAIT);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	s->len += n > 0 ? (size_t)n : 0;
	s->asked++; /* so that it is not freed meanwhile */
	bool good = n > 0 && take_questions(e, s);
	s->asked--;
	if (!good)
		stream_close(e, s);
}

void resolver_stream(struct egress *e, int fd)
{
	struct stream *s = e->streams < EGRESS_STREAMS_MAX ? calloc(1, sizeof(*s)) : NULL;
	struct err err;

	if (s) {
		s->watch = (struct watch){fd, on_stream};
		if (loop_add(e, &s->watch, EPOLLIN, &err) == 0) {
			e->streams++;
			return;
		}
	}
	close(fd);
	free(s);
}
