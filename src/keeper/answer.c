/* SPDX-License-Identifier: MIT
 *
 * What the keeper sends to its clients. It never waits for one. Rows of connections may fill half of a
 * socket, so that the end of a program always has room; a client that does not read loses rows, and is
 * told so with the next one.
 */
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/io.h"
#include "keeper/boxes.h"

static bool has_room(int socket)
{
	int used = 0, size = 0;
	socklen_t len = sizeof(size);

	return ioctl(socket, SIOCOUTQ, &used) == 0 &&
	       getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, &len) == 0 && used < size / 2;
}

void client_send(struct client *c, const void *data, size_t len, const int *fds, size_t count)
{
	if (c->socket >= 0 && !c->is_gone && io_send_fds(c->socket, data, len, fds, count) < 0)
		c->is_gone = true;
}

void client_send_row(struct client *c, struct keep_row row)
{
	if (c->socket < 0 || !has_room(c->socket)) {
		c->has_lost_rows = true;
		return;
	}
	row.cut |= c->has_lost_rows;
	c->has_lost_rows = false;
	client_send(c, &row, sizeof(row), NULL, 0);
}

void client_send_cut(struct client *c)
{
	const struct keep_row cut = {.kind = KEEP_ROW, .cut = 1};

	c->has_lost_rows = false;
	client_send(c, &cut, sizeof(cut), NULL, 0);
}

void client_send_late(struct client *c, struct kept *b)
{
	struct keep_row m = {.kind = KEEP_ROW, .cut = b->late_cut};

	for (size_t i = 0; i < b->latec; i++) {
		m.row = b->late[i];
		client_send_row(c, m);
		b->told = m.row.number >= b->told ? m.row.number + 1 : b->told;
	}
	b->latec = 0;
	b->late_cut = false;
}

void client_answer(struct client *c, const struct keep_done *done)
{
	client_send(c, done, sizeof(*done), NULL, 0);
}
