/* SPDX-License-Identifier: MIT
 *
 * How much a program can make cordon-egress keep: each bound at its maximum and one beyond, and what
 * happens when there are no descriptors left.
 */
#include <sys/resource.h>

#include "base/io.h"
#include "egress_parts.h"
#include "tap.h"

/* No rule allows the address: a call that is looked at is refused. */
static void calls(struct parts *p)
{
	struct egress_dial d = {.kind = EGRESS_DIAL, .type = SOCK_STREAM};
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(80), .sin_addr = {htonl(0xcb007102)}};

	memcpy(d.address, &at, sizeof(at));
	d.address_len = sizeof(at);
	p->e->waiting = EGRESS_WAITING_MAX - 1;
	d.id = 1;
	dial(p->e, &d, socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	ok(parts_answer(p, 1) == EACCES, "the last call is looked at");
	p->e->waiting = EGRESS_WAITING_MAX;
	d.id = 2;
	dial(p->e, &d, socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
	ok(parts_answer(p, 2) == ENOBUFS, "one more is not");
	p->e->waiting = 0;
}

static void streams(struct parts *p)
{
	int pair[2], end[EGRESS_STREAMS_MAX + 1];
	char byte;

	for (int i = 0; i <= EGRESS_STREAMS_MAX; i++) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
			abort();
		end[i] = pair[0];
		resolver_stream(p->e, pair[1]);
	}
	ok(p->e->streams == EGRESS_STREAMS_MAX &&
		   recv(end[EGRESS_STREAMS_MAX - 1], &byte, 1, MSG_DONTWAIT) < 0,
	   "as many connections to the resolver");
	ok(recv(end[EGRESS_STREAMS_MAX], &byte, 1, MSG_DONTWAIT) == 0, "one more is closed");
	for (int i = 0; i <= EGRESS_STREAMS_MAX; i++)
		close(end[i]);
	while (parts_turn(p, 0))
		;
	ok(p->e->streams == 0, "and nothing is left of them");
}

static void questions(struct parts *p)
{
	static const uint8_t q[] = "\0\7\1\0\0\1\0\0\0\0\0\0\3two\4test\0\0\1\0";
	int pair[2];
	uint8_t got[DNS_MAX];
	struct err err;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) < 0)
		abort();
	resolver_take(p->e, pair[1], &err);
	p->e->questions = EGRESS_WAITING_MAX - 1;
	send(pair[0], q, sizeof(q), 0);
	parts_turn(p, 100);
	ok(recv(pair[0], got, sizeof(got), MSG_DONTWAIT) > 0 && p->e->rowc > 0 &&
		   p->e->rows[p->e->rowc - 1]->row.port == 0 &&
		   p->e->questions == EGRESS_WAITING_MAX - 1,
	   "the last question is answered");
	size_t before = p->e->rowc;
	p->e->questions = EGRESS_WAITING_MAX;
	uint8_t other[sizeof(q)];
	memcpy(other, q, sizeof(q));
	other[13] = 'x';
	send(pair[0], other, sizeof(other), 0);
	parts_turn(p, 100);
	ok(p->e->rowc == before && recv(pair[0], got, sizeof(got), MSG_DONTWAIT) < 0,
	   "one more is not looked at");
	p->e->questions = 0;
	loop_remove(p->e, &p->e->resolver);
}

/* No call waits forever, and the loop does not spin on one event. */
static void descriptors(struct parts *p)
{
	struct egress_dial d = {.kind = EGRESS_DIAL, .type = SOCK_STREAM, .id = 7};
	struct rlimit was, none;
	int program = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	io_send(p->box, &d, sizeof(d), program);
	getrlimit(RLIMIT_NOFILE, &was);
	none = (struct rlimit){3, was.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	ok(parts_until(p, 7, 10) == ENFILE, "a call without a descriptor is answered");
	setrlimit(RLIMIT_NOFILE, &was);
	inet_pton(AF_INET, EGRESS_RESOLVER, (char *)d.address + 4);
	d.address[0] = AF_INET;
	d.address[3] = EGRESS_RESOLVER_PORT;
	d.address_len = sizeof(struct sockaddr_in);
	dial(p->e, &d, program);
	setrlimit(RLIMIT_NOFILE, &none);
	int turns = 0;
	while (turns < 1000 && !p->e->loopback_paused && parts_turn(p, 100))
		turns++;
	ok(p->e->loopback_paused && turns < 20, "accepting is paused");
	setrlimit(RLIMIT_NOFILE, &was);
	for (int i = 0; i < 20 && p->e->streams == 0; i++)
		parts_turn(p, 100);
	ok(!p->e->loopback_paused && p->e->streams == 1 && p->e->waiting == 0, "and goes on again");
}

/* Look-ups and refusals leave room for connections; all that are told are told at once. */
static void rows(struct parts *p)
{
	struct address to = parts_loopback();
	struct egress_row row;
	size_t told = 0;

	while (recv(p->control, &row, sizeof(row), MSG_DONTWAIT) > 0)
		;
	while (p->e->endedc < EGRESS_ENDED_MAX) {
		size_t number = p->e->rowc;
		attempt_end(p->e, attempt_new(p->e, "x", &to, 0), EGRESS_REFUSED, EACCES, "no");
		attempts_flush(p->e);
		told += recv(p->control, &row, sizeof(row), MSG_DONTWAIT) == sizeof(row) &&
			row.number == number && row.kind == EGRESS_ROW;
	}
	ok(!p->e->cut && told > 0, "refused attempts are reported up to the maximum");
	attempt_end(p->e, attempt_new(p->e, "x", &to, 0), EGRESS_REFUSED, EACCES, "no");
	ok(p->e->cut && p->e->endedc == EGRESS_ENDED_MAX, "one more is not kept");
	size_t before = p->e->rowc;
	struct attempt *a = attempt_new(p->e, "x", &to, 80);
	attempt_live(p->e, a);
	attempts_flush(p->e);
	ok(p->e->rowc == before + 1 &&
		   recv(p->control, &row, sizeof(row), MSG_DONTWAIT) == sizeof(row) &&
		   row.number == before && row.port == 80,
	   "a connection is, and is told when it is made");
	attempt_die(p->e, a, 5, 6);
	attempts_flush(p->e);
	ok(recv(p->control, &row, sizeof(row), MSG_DONTWAIT) == sizeof(row) &&
		   row.number == before && row.bytes_out == 5,
	   "and when it ends");
}

int main(void)
{
	struct parts p;

	alarm(60);
	parts_open(&p);
	calls(&p);
	streams(&p);
	questions(&p);
	descriptors(&p);
	rows(&p);
	int rc = tap_done();
	fflush(stdout);
	_exit(rc);
}
