/* SPDX-License-Identifier: MIT
 *
 * The boxes of the keeper. Each start has one number for its client and another one for cordon-box.
 * However a box ends, its clients are told; if cordon-box said how, the changes of the workspace are
 * saved to the overlay of the conversation.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "keeper/boxes.h"
#include "overlay/overlay.h"

enum {
	SEND_S = 5, /* cordon-box reads its messages at once, or it is broken */
	CHECK_MS = 10000,
};

struct kept *kept_find(struct boxes *k, const char *name)
{
	for (size_t i = 0; i < KEEP_BOXES_MAX; i++)
		if (k->box[i].state && strcmp(k->box[i].about.name, name) == 0)
			return &k->box[i];
	return NULL;
}

static void close_fds(struct kept *b)
{
	for (size_t i = 0; i < KEEP_FDS; i++)
		scope_close(&b->fds[i]);
	scope_close(&b->socket);
	scope_close(&b->egress);
	scope_close(&b->upper);
	free(b->late);
	b->late = NULL;
	for (size_t i = 0; i < KEEPER_ROWS_MAX; i++) {
		free(b->row[i].end);
		b->row[i].end = NULL;
	}
}

void kept_free(struct kept *b)
{
	if (b->state)
		close_fds(b);
	memset(b, 0, sizeof(*b));
}

static uint64_t wall_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static struct kept *find_free(struct boxes *k)
{
	for (int dead = 0; dead < 2; dead++)
		for (size_t i = 0; i < KEEP_BOXES_MAX; i++)
			if (k->box[i].state == (dead ? KEPT_DEAD : KEPT_FREE))
				return &k->box[i];
	return NULL;
}

int kept_add(struct boxes *k, struct client *c, const struct keep_box *about, int *fds,
	     size_t count, struct err *err)
{
	struct kept *old = kept_find(k, about->name), *b;
	size_t at = 0;

	if (old && old->state != KEPT_DEAD) {
		err_set(err, ERR_CONFLICT, "there is a box %s already", about->name);
		err_cure(err, "choose another name, or cordon box stop %s", about->name);
		return -1;
	}
	b = old ? old : find_free(k);
	if (!b) {
		err_set(err, ERR_LIMIT, "there are %d live boxes", KEEP_BOXES_MAX);
		err_cure(err, "end one of them: cordon box stop NAME; cordon box list shows them");
		return -1;
	}
	kept_free(b);
	b->state = KEPT_ASKED;
	b->about = *about;
	b->socket = b->upper = -1;
	b->egress = scope_take_fd(&c->egress);
	b->creator = c;
	for (size_t i = 0; i < KEEP_FDS; i++)
		b->fds[i] = about->fds & 1U << i && at < count ? scope_take_fd(&fds[at++]) : -1;
	c->box = b;
	c->creates = true;
	return 0;
}

/* Keeps its own descriptors of the spec and of the workspace. */
int kept_begin(struct kept *b, int *fds, size_t count, struct err *err)
{
	static const struct timeval wait = {.tv_sec = SEND_S};
	uint32_t kind = WIRE_SPEC;

	if (count != WIRE_FDS)
		return err_set(err, ERR_INPUT, "the spec of the box is not well-formed");
	if (start_box(&b->socket, &b->pid, err) < 0)
		return -1;
	setsockopt(b->socket, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
	if (io_send_fds(b->socket, &kind, sizeof(kind), fds, count) < 0)
		return err_errno(err, ERR_SYSTEM, "talking to cordon-box");
	b->fds[KEEP_FD_SPEC] = scope_take_fd(&fds[WIRE_FD_SPEC]);
	b->fds[KEEP_FD_WORKSPACE] = scope_take_fd(&fds[WIRE_FD_WORKSPACE]);
	if (b->egress >= 0)
		fcntl(b->egress, F_SETFL, O_NONBLOCK);
	b->state = KEPT_BEGINS;
	return 0;
}

void kept_about(const struct kept *b, struct keep_box *ret, int fds[KEEP_FDS], size_t *ret_count)
{
	*ret = b->about;
	ret->kind = KEEP_BOX;
	ret->fds = ret->running = 0;
	*ret_count = 0;
	for (unsigned i = 0; i < KEEP_FDS; i++)
		/* As long as a client had the overlay, it would stay locked. */
		if (b->fds[i] >= 0 && i != KEEP_FD_OVERLAY) {
			ret->fds |= 1U << i;
			fds[(*ret_count)++] = b->fds[i];
		}
	for (size_t i = 0; i < KEEPER_ROWS_MAX; i++)
		ret->running += b->row[i].id && !b->row[i].is_open;
}

/* ---- from a client to the box ---- */

struct kept_row *kept_find_row(struct kept *b, uint32_t id)
{
	for (size_t i = 0; i < KEEPER_ROWS_MAX; i++)
		if (b->row[i].id == id)
			return &b->row[i];
	return NULL;
}

static struct kept_row *find_theirs(struct kept *b, const struct client *c, uint32_t id)
{
	for (size_t i = 0; i < KEEPER_ROWS_MAX; i++)
		if (b->row[i].id && b->row[i].client == c && b->row[i].theirs == id)
			return &b->row[i];
	return NULL;
}

static uint32_t next_id(struct kept *b)
{
	do
		b->last_id++;
	while (!b->last_id || kept_find_row(b, b->last_id));
	return b->last_id;
}

static struct kept_row *add_row(struct kept *b, struct client *c, uint32_t theirs, bool is_open)
{
	struct kept_row *row = theirs && !find_theirs(b, c, theirs) ? kept_find_row(b, 0) : NULL;

	if (row)
		*row = (struct kept_row){
			.id = next_id(b), .theirs = theirs, .client = c, .is_open = is_open};
	return row;
}

static int tell_box(struct kept *b, const void *data, size_t len, const int *fds, size_t count)
{
	return b->socket < 0 ? -1 : io_send_fds(b->socket, data, len, fds, count);
}

static void end(struct kept *b)
{
	const uint32_t kind = WIRE_END;

	if (b->state == KEPT_BEGINS || b->state == KEPT_LIVES)
		b->state = KEPT_ENDS;
	tell_box(b, &kind, sizeof(kind), NULL, 0);
}

static void refuse_start(struct client *c, uint32_t id, const char *why)
{
	struct wire_exited exited = {
		.kind = WIRE_EXITED, .id = id, .wait_status = SIGKILL, .limit = LIMIT_NONE};
	struct wire_closed closed = {WIRE_CLOSED, id};

	err_set(&exited.err, ERR_LIMIT, "%s", why);
	client_send(c, &exited, sizeof(exited), NULL, 0);
	client_send(c, &closed, sizeof(closed), NULL, 0);
}

static void order_start(struct kept *b, struct client *c, struct wire_start *m, const int *fds,
			size_t count)
{
	uint32_t theirs = m->id;
	struct kept_row *row = b->state == KEPT_LIVES ? add_row(b, c, theirs, false) : NULL;

	m->id = row ? row->id : 0;
	if (row && tell_box(b, m, sizeof(*m), fds, count) == 0) {
		b->about.started++;
		client_send_late(c, b);
		return;
	}
	if (row)
		row->id = 0;
	refuse_start(c, theirs,
		     b->state == KEPT_LIVES ? "too much runs in this box already"
					    : "the box is ending");
}

static void order_open(struct kept *b, struct client *c, struct wire_open *m, size_t len)
{
	uint32_t theirs = m->id;
	struct kept_row *row = b->state == KEPT_LIVES ? add_row(b, c, theirs, true) : NULL;
	struct wire_opened refused = {WIRE_OPENED, theirs, EAGAIN};

	m->id = row ? row->id : 0;
	if (row && tell_box(b, m, len, NULL, 0) == 0)
		return;
	if (row)
		row->id = 0;
	client_send(c, &refused, sizeof(refused), NULL, 0);
}

void kept_order(struct kept *b, struct client *c, union keeper_message *m, size_t len,
		const int *fds, size_t count)
{
	if (m->kind == WIRE_START && len == sizeof(m->start)) {
		order_start(b, c, &m->start, fds, count);
	} else if (m->kind == WIRE_OPEN && len >= offsetof(struct wire_open, path)) {
		order_open(b, c, &m->open, len);
	} else if (m->kind == WIRE_SIGNAL && len == sizeof(m->signal)) {
		struct kept_row *row = find_theirs(b, c, m->signal.id);
		if (row && !row->is_open) {
			m->signal.id = row->id;
			tell_box(b, m, len, NULL, 0);
		}
	} else {
		c->is_gone = true;
	}
}

static void kill_row(struct kept *b, const struct kept_row *row)
{
	const struct wire_signal m = {.kind = WIRE_SIGNAL, .id = row->id, .tree = 1};

	tell_box(b, &m, sizeof(m), NULL, 0);
}

void kept_leave(struct kept *b, struct client *c)
{
	if (b->creator == c) {
		b->creator = NULL;
		b->drops = true;
		if (b->state == KEPT_ASKED)
			kept_free(b);
		else
			end(b);
		return;
	}
	for (size_t i = 0; i < KEEPER_ROWS_MAX; i++) {
		struct kept_row *row = &b->row[i];
		if (!row->id || row->client != c)
			continue;
		row->client = NULL;
		if (!row->is_open && !row->exited)
			kill_row(b, row);
	}
}

static void answer_waiter(struct kept *b, const struct keep_done *done)
{
	struct client *c = b->waiter;
	int overlay = b->fds[KEEP_FD_OVERLAY];

	b->waiter = NULL;
	if (c && !done->ended && done->err.code == ERR_NONE && overlay >= 0)
		client_send(c, done, sizeof(*done), &overlay, 1);
	else if (c)
		client_answer(c, done);
}

void kept_save(struct kept *b, struct client *c, uint32_t kind)
{
	const uint32_t diff = WIRE_DIFF;

	if (b->saves || b->state != KEPT_LIVES) { /* its end answers C too */
		if (c)
			c->asks = kind;
		return;
	}
	b->waiter = c;
	b->drops = kind == KEEP_DROP;
	if (b->fds[KEEP_FD_OVERLAY] >= 0 && kind != KEEP_DROP) {
		b->saves = kind;
		scope_close(&b->upper);
		tell_box(b, &diff, sizeof(diff), NULL, 0);
	} else if (kind != KEEP_SAVE) {
		end(b);
	} else {
		answer_waiter(b, &(struct keep_done){.kind = KEEP_DONE});
	}
}

/* Copies the changes to the overlay of the conversation (overlay/save_run.c). */
static int save(const struct kept *b, struct keep_done *done)
{
	struct overlay o = overlay_adopt(b->fds[KEEP_FD_OVERLAY]);
	struct timespec since = {.tv_sec = b->about.began_s, .tv_nsec = b->about.began_ns};
	struct overlay_losses losses = {0};

	if (o.dir < 0 || b->drops)
		return 0;
	if (b->upper < 0)
		return err_set(&done->err, ERR_SYSTEM, "the box did not hand over its changes");
	o.is_live = true;
	if (overlay_save(&o, b->upper, b->fds[KEEP_FD_WORKSPACE], since, &losses, &done->err) < 0)
		return -1;
	done->changes = losses.saved;
	done->left_out = losses.left_out;
	return 0;
}

static void ask_next(struct boxes *k, struct kept *b)
{
	for (size_t i = 0; i < KEEP_CLIENTS_MAX; i++) {
		struct client *c = &k->client[i];
		uint32_t kind = c->socket >= 0 && c->box == b ? c->asks : 0;
		if (!kind)
			continue;
		c->asks = 0;
		kept_save(b, c, kind);
		return;
	}
}

/* The programs stand still, and the upper directory has their changes. */
static void on_listed(struct boxes *k, struct kept *b)
{
	struct keep_done done = {.kind = KEEP_DONE};
	const uint32_t go_on = WIRE_GO_ON, kind = b->saves;

	if (!kind) /* of the end */
		return;
	b->saves = 0;
	bool is_saved = save(b, &done) == 0;
	scope_close(&b->upper);
	if (kind == KEEP_STOP && (is_saved || b->is_over)) {
		b->saved = done;
		b->drops = true;
		end(b);
		return;
	}
	tell_box(b, &go_on, sizeof(go_on), NULL, 0);
	if (kind == KEEP_STOP)
		err_context(&done.err, "the box %s goes on, because its changes cannot be saved",
			    b->about.name);
	answer_waiter(b, &done);
	ask_next(k, b);
}

/* ---- from the box ---- */

static void pass_closed(struct kept_row *row)
{
	struct wire_closed closed = {WIRE_CLOSED, row->theirs};

	if (row->client)
		client_send(row->client, &closed, sizeof(closed), NULL, 0);
	row->id = 0;
}

void kept_pass_end(struct kept *b, struct kept_row *row, bool cut)
{
	if (row->client && (cut || row->client->has_lost_rows))
		client_send_cut(row->client);
	if (row->client && b->state == KEPT_LIVES)
		client_send(row->client, row->end, sizeof(*row->end), NULL, 0);
	free(row->end);
	row->end = NULL;
	row->exited = true;
	if (row->is_closed)
		pass_closed(row);
}

/* A start has ended. Its client is told when it has had the rows of its connections; if the box ends,
 * it is told that, and not which signal ended its program. */
static void on_exited(struct kept *b, struct kept_row *row, const struct wire_exited *m)
{
	const struct egress_flush flush = {.kind = EGRESS_FLUSH, .id = row->id};

	row->end = row->end ? row->end : malloc(sizeof(*row->end));
	if (!row->end) {
		if (row->client)
			row->client->is_gone = true;
		return;
	}
	*row->end = *m;
	row->end->id = row->theirs;
	if (b->egress < 0 || io_send(b->egress, &flush, sizeof(flush), -1) < 0)
		kept_pass_end(b, row, b->egress >= 0);
}

static void pass_row(struct kept *b, union keeper_message *m, size_t len, int fd)
{
	struct kept_row *row = m->started.id ? kept_find_row(b, m->started.id) : NULL;

	if (!row)
		return;
	b->idle_since_ns = io_now_ns();
	if (m->kind == WIRE_EXITED && len == sizeof(m->exited)) {
		on_exited(b, row, &m->exited);
		return;
	}
	if (m->kind == WIRE_CLOSED) {
		row->is_closed = true;
		if (!row->end)
			pass_closed(row);
		return;
	}
	m->started.id = row->theirs;
	if (row->client)
		client_send(row->client, m, len, &fd, fd >= 0);
	if (m->kind == WIRE_OPENED)
		row->id = 0;
}

static bool runs_in(const struct kept *b, const struct client *c)
{
	for (size_t i = 0; i < KEEPER_ROWS_MAX && c->box == b; i++)
		if (b->row[i].id && b->row[i].client == c && !b->row[i].exited)
			return true;
	return c == b->creator;
}

bool kept_pass_to_all(struct boxes *k, struct kept *b, const struct keep_row *row, const void *data,
		      size_t len)
{
	bool any = false;

	for (size_t i = 0; i < KEEP_CLIENTS_MAX; i++)
		if (k->client[i].socket >= 0 && runs_in(b, &k->client[i])) {
			row ? client_send_row(&k->client[i], *row)
			    : client_send(&k->client[i], data, len, NULL, 0);
			any = true;
		}
	return any;
}

static void on_created(struct kept *b, const union keeper_message *m)
{
	struct client *c = b->creator;

	if (b->state != KEPT_BEGINS)
		return;
	b->state = KEPT_LIVES;
	b->created_ns = b->idle_since_ns = io_now_ns();
	b->about.created_ms = wall_ms();
	b->about.ends_ms = b->about.created_ms + b->about.life_ms;
	b->creator = NULL;
	if (c)
		client_send(c, &m->ready, sizeof(m->ready), NULL, 0);
}

/* Nothing of the box is left. */
static void on_end(struct boxes *k, struct kept *b)
{
	struct keep_done done = b->saved;
	bool was_asked = b->state == KEPT_ENDS;
	int status = 0;

	scope_close(&b->socket);
	while (waitpid(b->pid, &status, 0) < 0 && errno == EINTR)
		;
	b->pid = 0;
	if (!b->has_result)
		death_explain(b, status);
	else if (save(b, &done) < 0 || !was_asked || done.err.code != ERR_NONE)
		death_explain_end(b, &done);
	b->about.has_died = b->about.err.code != ERR_NONE;
	done.kind = KEEP_DONE;
	done.ended = 1;
	if (b->about.has_died)
		done.err = b->about.err;
	close_fds(b); /* the overlay is free when the clients are answered */
	answer_waiter(b, &done);
	for (size_t i = 0; i < KEEP_CLIENTS_MAX; i++) {
		struct client *c = &k->client[i];
		if (c->socket < 0 || c->box != b)
			continue;
		c->box = NULL;
		client_answer(c, &done);
		c->is_gone = true;
	}
	memset(b->row, 0, sizeof(b->row));
	if (b->about.has_died && !b->creator) /* else no other client knows the box */
		b->state = KEPT_DEAD;
	else
		kept_free(b);
}

void kept_receive(struct boxes *k, struct kept *b)
{
	union keeper_message m = {0};
	int fd = -1;
	ssize_t n = io_recv(b->socket, &m, sizeof(m), &fd);
	AUTO_CLOSE int passed = n > 0 ? fd : -1;

	if (n < (ssize_t)sizeof(m.kind)) {
		on_end(k, b);
	} else if (m.kind == WIRE_CREATED) {
		on_created(b, &m);
	} else if (m.kind == WIRE_STARTED || m.kind == WIRE_EXITED || m.kind == WIRE_CLOSED ||
		   m.kind == WIRE_OPENED) {
		pass_row(b, &m, (size_t)n, passed);
	} else if (m.kind == WIRE_DENIAL && n == sizeof(m.denial)) {
		kept_pass_to_all(k, b, NULL, &m.denial, sizeof(m.denial));
	} else if (m.kind == WIRE_UPPER) {
		scope_close(&b->upper);
		b->upper = scope_take_fd(&passed);
	} else if (m.kind == WIRE_DONE && n == sizeof(m.done)) {
		on_listed(k, b);
	} else if (m.kind == WIRE_ERROR && n == sizeof(m.error)) {
		b->about.err = m.error.err;
		err_sanitise(&b->about.err);
	} else if (m.kind == WIRE_RESULT && n == sizeof(m.result)) {
		b->has_result = true;
	}
}

/* The ms until B has lived or idled for too long. */
static uint64_t time_left(const struct kept *b, uint64_t now_ns)
{
	uint64_t life_ms = (now_ns - b->created_ns) / 1000000U, idle_ms = 0;
	bool runs = false;

	for (size_t i = 0; i < KEEPER_ROWS_MAX; i++)
		runs |= b->row[i].id != 0;
	if (!runs)
		idle_ms = (now_ns - b->idle_since_ns) / 1000000U;
	if (life_ms >= b->about.life_ms || idle_ms >= b->about.idle_ms)
		return 0;
	uint64_t life = b->about.life_ms - life_ms, idle = b->about.idle_ms - idle_ms;
	return idle < life ? idle : life;
}

int kept_deadline(struct boxes *k)
{
	uint64_t now = io_now_ns(), first = CHECK_MS;
	bool any = false;

	for (size_t i = 0; i < KEEP_BOXES_MAX; i++) {
		struct kept *b = &k->box[i];
		if (b->state != KEPT_LIVES)
			continue;
		uint64_t left = time_left(b, now);
		any = true;
		if (left < first)
			first = left;
		if (!left && !b->saves) {
			b->is_over = (now - b->created_ns) / 1000000U >= b->about.life_ms;
			b->idle_since_ns = now; /* if the changes cannot be saved */
			kept_save(b, NULL, KEEP_STOP);
		}
	}
	return !any ? -1 : first ? (int)first : 1;
}
