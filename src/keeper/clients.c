/* SPDX-License-Identifier: MIT
 *
 * The clients of the keeper: processes of the same account, outside every box.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/io.h"
#include "base/peer.h"
#include "base/scope.h"
#include "keeper/boxes.h"

void client_accept(struct boxes *k)
{
	AUTO_CLOSE int socket = -1;
	struct client *c = NULL;
	struct keep_done full = {.kind = KEEP_DONE};

	for (size_t i = 0; i < KEEP_CLIENTS_MAX && !c; i++)
		if (k->client[i].socket < 0)
			c = &k->client[i];
	socket = accept4(k->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (socket < 0 || !peer_is_friend(socket))
		return;
	if (!c) {
		err_set(&full.err, ERR_LIMIT, "the keeper of live boxes has %d clients",
			KEEP_CLIENTS_MAX);
		err_cure(&full.err, "try again when some of them have ended");
		send(socket, &full, sizeof(full), MSG_DONTWAIT | MSG_NOSIGNAL);
		return;
	}
	*c = (struct client){.socket = scope_take_fd(&socket), .egress = -1};
}

void client_close(struct boxes *k, struct client *c)
{
	struct kept *b = c->box;

	if (c->socket < 0)
		return;
	scope_close(&c->socket);
	scope_close(&c->egress);
	c->box = NULL;
	for (size_t i = 0; i < KEEP_BOXES_MAX; i++)
		if (k->box[i].waiter == c)
			k->box[i].waiter = NULL;
	if (b)
		kept_leave(b, c);
}

static void refuse(struct client *c, const struct err *why)
{
	struct keep_done done = {.kind = KEEP_DONE, .err = *why};

	client_answer(c, &done);
}

static void no_such_box(struct client *c, const char *name)
{
	struct err err;

	err_set(&err, ERR_INPUT, "there is no box %s", name);
	err_cure(&err, "cordon box list shows them; cordon box create makes one");
	refuse(c, &err);
}

static void is_ending(struct client *c, const char *name)
{
	struct err err;

	err_set(&err, ERR_CONFLICT, "the box %s is ending", name);
	err_cure(&err, "cordon box create makes another one when it has ended");
	refuse(c, &err);
}

static void send_box(struct client *c, const struct kept *b)
{
	struct keep_box about;
	int fds[KEEP_FDS];
	size_t count;

	kept_about(b, &about, fds, &count);
	client_send(c, &about, sizeof(about), fds, count);
}

static void open_egress(struct client *c)
{
	const uint32_t kind = KEEP_EGRESS;
	AUTO_CLOSE int box = -1;
	struct err err;

	scope_close(&c->egress);
	if (start_egress(&c->egress, &box, &err) < 0)
		refuse(c, &err);
	else
		client_send(c, &kind, sizeof(kind), (const int[]){c->egress, box}, 2);
}

static void list(struct boxes *k, struct client *c)
{
	struct keep_done done = {.kind = KEEP_DONE};

	for (size_t i = 0; i < KEEP_BOXES_MAX; i++)
		if (k->box[i].state >= KEPT_LIVES)
			send_box(c, &k->box[i]);
	client_answer(c, &done);
}

static void on_name(struct boxes *k, struct client *c, const struct keep_name *m)
{
	struct kept *b = kept_find(k, m->name);

	if (!b || b->state < KEPT_LIVES) {
		no_such_box(c, m->name);
	} else if (b->state != KEPT_DEAD && m->kind != KEEP_USE && c->box != b) {
		c->is_gone = true;
	} else if (b->state == KEPT_DEAD) {
		refuse(c, &b->about.err);
		if (m->kind != KEEP_USE)
			kept_free(b);
	} else if (m->kind == KEEP_USE && b->state == KEPT_ENDS) {
		is_ending(c, m->name);
	} else if (m->kind == KEEP_USE) {
		c->box = b;
		send_box(c, b);
	} else {
		kept_save(b, c, m->kind);
	}
}

static bool is_named(char name[KEEP_NAME_MAX])
{
	return memchr(name, '\0', KEEP_NAME_MAX) != NULL;
}

/* A client uses one box at a time, and orders something of the box that it uses. One that has died has no
 * clients. */
static bool is_order(uint32_t kind, bool uses)
{
	return kind == KEEP_USE ? !uses
				: kind == KEEP_SAVE || kind == KEEP_STOP || kind == KEEP_DROP;
}

static void receive(struct boxes *k, struct client *c, union keeper_message *m, size_t len,
		    int *fds, size_t count)
{
	struct err err;

	if (m->kind == KEEP_CREATE && len == sizeof(m->box) && !c->box && is_named(m->box.name)) {
		if (kept_add(k, c, &m->box, fds, count, &err) < 0)
			refuse(c, &err);
	} else if (m->kind == WIRE_SPEC && c->creates && c->box) {
		c->creates = false;
		if (kept_begin(c->box, fds, count, &err) < 0) {
			struct kept *b = c->box;
			refuse(c, &err);
			c->box = NULL;
			kept_free(b);
		}
	} else if (m->kind == KEEP_LIST) {
		list(k, c);
	} else if (m->kind == KEEP_EGRESS) {
		open_egress(c);
	} else if (m->kind == KEEP_HELLO) {
		client_answer(c, &(struct keep_done){.kind = KEEP_DONE});
	} else if (is_order(m->kind, c->box != NULL) && len == sizeof(m->name) &&
		   is_named(m->name.name)) {
		on_name(k, c, &m->name);
	} else if (m->kind < KEEP_CREATE && c->box) {
		kept_order(c->box, c, m, len, fds, count);
	} else {
		client_close(k, c);
	}
}

void client_receive(struct boxes *k, struct client *c)
{
	union keeper_message m = {0};
	int fds[IO_FDS_MAX];
	size_t count = IO_FDS_MAX;
	ssize_t n = io_recv_fds(c->socket, &m, sizeof(m), fds, &count);

	if (n < (ssize_t)sizeof(m.kind)) {
		if (n >= 0 || errno != EAGAIN)
			client_close(k, c);
		return;
	}
	receive(k, c, &m, (size_t)n, fds, count);
	for (size_t i = 0; i < count; i++)
		scope_close(&fds[i]);
}
