/* SPDX-License-Identifier: MIT
 *
 * The list of attempts and their outcomes, which is sent to cordon. After EGRESS_ROWS_MAX, attempts are only
 * counted. Lookups and refusals leave room in the list for connections. Connections count against the limits
 * even if they are not in the list.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/io.h"
#include "egress/egress.h"

struct attempt *attempt_new(struct egress *e, const char *name, const struct address *a,
			    uint16_t port)
{
	struct attempt *new = loop_alloc(e, sizeof(*new));

	new->row.kind = EGRESS_ROW;
	new->row.port = port;
	snprintf(new->row.name, sizeof(new->row.name), "%s", name);
	address_format(a, new->row.address, sizeof(new->row.address));
	new->began_ns = io_now_ns();
	return new;
}

void attempt_changed(struct egress *e, struct attempt *a)
{
	if (!a->kept || a->unsent)
		return;
	a->unsent = true;
	a->next_unsent = NULL;
	if (e->unsent)
		e->last_unsent->next_unsent = a;
	else
		e->unsent = a;
	e->last_unsent = a;
	loop_need_clock(e);
}

/* Adds A to the list, or drops it if the list is full. */
static void keep(struct egress *e, struct attempt *a)
{
	bool fits = e->rowc < EGRESS_ROWS_MAX && (a->live || e->endedc < EGRESS_ENDED_MAX);

	if (fits) {
		a->kept = true;
		a->row.number = e->numbers++;
		e->endedc += !a->live;
		e->rows[e->rowc++] = a;
		attempt_changed(e, a);
		return;
	}
	e->cut = true;
	if (!a->live)
		free(a);
}

static void stop_clock(struct attempt *a)
{
	a->row.wall_ms = (io_now_ns() - a->began_ns) / 1000000U;
}

void attempt_end(struct egress *e, struct attempt *a, enum egress_verdict verdict, int error,
		 const char *rule)
{
	a->row.verdict = verdict;
	a->row.error = error;
	snprintf(a->row.rule, sizeof(a->row.rule), "%s", rule);
	stop_clock(a);
	keep(e, a);
}

void attempt_live(struct egress *e, struct attempt *a)
{
	a->live = true;
	a->next = e->live;
	e->live = a;
	e->livec++;
	keep(e, a);
}

void attempt_die(struct egress *e, struct attempt *a, uint64_t bytes_out, uint64_t bytes_in)
{
	for (struct attempt **p = &e->live; *p; p = &(*p)->next)
		if (*p == a) {
			*p = a->next;
			e->livec--;
			break;
		}
	a->live = false;
	a->row.bytes_out = bytes_out;
	a->row.bytes_in = bytes_in;
	e->bytes_out += bytes_out;
	e->bytes_in += bytes_in;
	stop_clock(a);
	if (a->kept)
		attempt_changed(e, a);
	else
		free(a);
}

static void send_changed(struct egress *e, int flags)
{
	while (e->unsent) {
		struct attempt *a = e->unsent;
		if (send(EGRESS_CONTROL_FD, &a->row, sizeof(a->row), flags | MSG_NOSIGNAL) < 0 &&
		    errno == EAGAIN)
			return;
		e->unsent = a->next_unsent;
		a->unsent = false;
	}
}

/* A tick sends many at once, so that cordon does not wake for each. */
void attempts_flush(struct egress *e)
{
	send_changed(e, MSG_DONTWAIT);
	if (e->unsent)
		loop_need_clock(e);
}

bool attempts_forget(struct egress *e)
{
	bool cut = e->cut;
	size_t kept = 0;

	send_changed(e, 0);
	for (size_t i = 0; i < e->rowc; i++)
		if (e->rows[i]->live)
			e->rows[kept++] = e->rows[i];
		else
			free(e->rows[i]);
	e->rowc = kept;
	e->endedc = 0;
	e->cut = false;
	return cut;
}

void attempts_tell(struct egress *e)
{
	struct egress_done done = {EGRESS_DONE, e->cut, (uint32_t)e->rowc, 0};

	for (size_t i = 0; i < e->rowc; i++)
		send(EGRESS_CONTROL_FD, &e->rows[i]->row, sizeof(e->rows[i]->row), MSG_NOSIGNAL);
	send(EGRESS_CONTROL_FD, &done, sizeof(done), MSG_NOSIGNAL);
}
