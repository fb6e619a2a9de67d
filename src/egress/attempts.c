/* SPDX-License-Identifier: MIT
 *
 * What was attempted, and what became of it. Beyond EGRESS_ROWS_MAX attempts are counted and not
 * told, and look-ups and refusals leave room for connections; connections count against the
 * limits either way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Kept, or if there are too many, forgotten. */
static void keep(struct egress *e, struct attempt *a)
{
	bool fits = e->rowc < EGRESS_ROWS_MAX && (a->live || e->endedc < EGRESS_ENDED_MAX);

	if (fits) {
		a->kept = true;
		a->row.number = (uint32_t)e->rowc;
		e->endedc += !a->live;
		e->rows[e->rowc++] = a;
		control_row(e, a);
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
		control_row(e, a);
	else
		free(a);
}
