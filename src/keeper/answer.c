/* SPDX-License-Identifier: MIT
 *
 * What the keeper sends to its clients. It never waits for one.
 */
#include "base/io.h"
#include "keeper/boxes.h"

void client_send(struct client *c, const void *data, size_t len, const int *fds, size_t count)
{
	if (c->socket >= 0 && !c->is_gone && io_send_fds(c->socket, data, len, fds, count) < 0)
		c->is_gone = true;
}

void client_answer(struct client *c, const struct keep_done *done)
{
	client_send(c, done, sizeof(*done), NULL, 0);
}
