/* SPDX-License-Identifier: MIT
 *
 * A cordon-box that does not read: cordon-egress does not wait for it, and all answers arrive in order.
 */
#include <signal.h>

#include "egress_parts.h"
#include "tap.h"

enum { MANY = 20000 };

static void on_alarm(int sig)
{
	static const char text[] = "not ok 1 - it waits\n1..1\n";

	(void)sig;
	(void)!write(STDOUT_FILENO, text, sizeof(text) - 1);
	_exit(1);
}

static bool is_next(const struct parts *p, uint64_t i, bool over)
{
	union egress_word w = {.answer = {0}};
	ssize_t n = recv(p->box, &w, sizeof(w), 0);

	if (n != sizeof(w))
		return false;
	return over ? w.over.kind == EGRESS_OVER && w.over.limit == LIMIT_NET_OUT && w.over.ended
		    : w.answer.kind == EGRESS_ANSWER && w.answer.id == i;
}

int main(void)
{
	struct parts p;
	bool good = true;

	signal(SIGALRM, on_alarm);
	alarm(20);
	parts_open(&p);
	for (uint64_t i = 0; i < MANY; i++)
		answers_send(p.e, i, 0);
	answers_over(p.e, LIMIT_NET_OUT, true);
	answers_send(p.e, MANY, 0);
	ok(p.e->answerc > 2 && !p.e->over, "what does not fit is kept");
	for (uint64_t i = 0; good && i <= MANY + 1; i++) {
		good = is_next(&p, i < MANY ? i : MANY, i == MANY);
		parts_turn(&p, 0);
	}
	ok(good && p.e->answerc == 0, "a limit comes after the answers before it");
	for (size_t i = 0; i <= 2 * EGRESS_ANSWERS_MAX && p.e->answerc < EGRESS_ANSWERS_MAX; i++)
		answers_send(p.e, i, 0);
	ok(p.e->answerc == EGRESS_ANSWERS_MAX && !p.e->over, "as many as are kept");
	answers_over(p.e, LIMIT_NET_OUT, true);
	ok(p.e->over, "and with one more it is over");
	parts_close(&p);
	return tap_done();
}
