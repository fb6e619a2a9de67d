/* SPDX-License-Identifier: MIT
 *
 * The rows of a box's connections, which cordon-egress sends. Each client with a running program gets
 * them. If no client has one, they are kept for the next client (client_send_late).
 */
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/scope.h"
#include "keeper/boxes.h"

/* The last state of each attempt. */
static void keep_row(struct kept *b, const struct egress_row *row)
{
	size_t i = 0;

	if (!b->late)
		b->late = calloc(KEEP_ROWS_MAX, sizeof(*b->late));
	while (b->late && i < b->latec && b->late[i].number != row->number)
		i++;
	if (!b->late || i == KEEP_ROWS_MAX) {
		b->late_cut = true;
		return;
	}
	b->late[i] = *row;
	b->latec += i == b->latec;
}

static void pass_ends(struct kept *b)
{
	for (size_t i = 0; i < KEEPER_ROWS_MAX; i++)
		if (b->row[i].id && b->row[i].end)
			kept_pass_end(b, &b->row[i], true);
}

void kept_egress(struct boxes *k, struct kept *b)
{
	struct keep_row m = {.kind = KEEP_ROW};
	int fd = -1;
	ssize_t n = io_recv(b->egress, &m.row, sizeof(m.row), &fd);

	scope_close(&fd);
	if (n <= 0) { /* cordon-box ends the box */
		scope_close(&b->egress);
		pass_ends(b);
	} else if (n == sizeof(m.row) && m.row.kind == EGRESS_ROW) {
		if (!kept_pass_to_all(k, b, &m, NULL, 0) && m.row.number >= b->told)
			keep_row(b, &m.row);
		else if (m.row.number >= b->told)
			b->told = m.row.number + 1;
	} else if (n == sizeof(struct egress_flush) && m.row.kind == EGRESS_FLUSH) {
		const struct egress_flush *flush = (const void *)&m.row;
		struct kept_row *row = flush->id ? kept_find_row(b, flush->id) : NULL;
		if (row && row->end)
			kept_pass_end(b, row, flush->cut != 0);
	}
}
