/* SPDX-License-Identifier: MIT
 *
 * The first worker makes and ends boxes, opens files and lets typed text through, one call after the other.
 * A box that has ended is made again when the next call needs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "door/executor/door.h"

enum { TRIES_MAX = 2 };

static void call_free(struct call *c)
{
	json_decref(c->id);
	json_decref(c->job);
	free(c);
}

static void take_back(struct door *d, struct call *c)
{
	c->next = d->first;
	d->first = c;
	d->last = d->last ? d->last : c;
	d->callc++;
}

static struct call *make_call(enum call_kind kind, unsigned wish, json_t *job)
{
	struct call *c = calloc(1, sizeof(*c));

	if (!c || !job) {
		free(c);
		json_decref(job);
		return NULL;
	}
	c->kind = kind;
	c->wish = wish;
	c->job = job;
	return c;
}

/* Without hosts there is no difference, and a box fewer. */
static unsigned normal(const struct door *d, unsigned wish)
{
	const struct request *r = d->options->request;

	if (!request_connects(r))
		wish |= WISH_NO_NET;
	if (r->workspace_mode == WORKSPACE_RO && !r->rwc)
		wish |= WISH_NO_WRITE;
	return wish;
}

void door_call(struct door *d, enum call_kind kind, unsigned wish, json_t *job, const json_t *id,
	       const char *process)
{
	struct call *c = d->callc < DOOR_CALLS_MAX ? make_call(kind, normal(d, wish), job) : NULL;

	if (!c) {
		if (d->callc >= DOOR_CALLS_MAX)
			json_decref(job);
		if (id)
			door_error(d, id, RPC_INVALID, "more than %d calls wait", DOOR_CALLS_MAX);
		return;
	}
	c->id = json_incref((json_t *)id);
	if (process)
		snprintf(c->process, sizeof(c->process), "%s", process);
	if (d->last)
		d->last->next = c;
	else
		d->first = c;
	d->last = c;
	d->callc++;
	door_go_on(d);
}

void door_name_box(const struct door *d, json_t *job, unsigned wish)
{
	wish = normal(d, wish);
	json_object_set_new(job, "box", json_string(d->box_name[wish]));
	json_object_set_new(job, "wish", json_integer(wish));
	json_object_set_new(job, "proposes", json_boolean(d->proposes[wish]));
	if (*d->conversation)
		json_object_set_new(job, "conversation", json_string(d->conversation));
}

/* Another box of the conversation that has the directory, and that nothing runs in. It must end first, so
 * that its changes are saved. */
static void free_directory(struct door *d, unsigned wish)
{
	for (unsigned w = 0; w < WISHES; w++) {
		bool is_used = false;
		for (size_t i = 0; i < DOOR_PROCESSES_MAX; i++)
			is_used = is_used || (d->process[i].worker && d->process[i].wish == w);
		if (w == wish || (w | wish) & WISH_NO_WRITE || d->box[w] != BOX_LIVES || is_used)
			continue;
		struct call *stop = make_call(CALL_STOP, w, json_pack("{s:s}", "kind", "stop"));
		if (stop)
			take_back(d, stop);
	}
}

bool door_needs_box(struct door *d, unsigned wish)
{
	wish = normal(d, wish);
	if (d->box[wish] != BOX_NONE)
		return d->box[wish] == BOX_LIVES;
	struct call *c = make_call(CALL_CREATE, wish, json_pack("{s:s}", "kind", "create"));
	if (!c)
		return false;
	d->box[wish] = BOX_ASKED;
	d->proposes[wish] = false;
	snprintf(d->box_name[wish], sizeof(d->box_name[wish]), "codex-%.8s-%u", d->session,
		 ++d->boxes);
	take_back(d, c);
	free_directory(d, wish);
	door_go_on(d);
	return false;
}

bool door_proposes(const struct door *d, unsigned wish)
{
	return d->proposes[normal(d, wish)];
}

void door_lost_box(struct door *d, unsigned wish)
{
	wish = normal(d, wish);
	if (d->box[wish] == BOX_LIVES)
		d->box[wish] = BOX_NONE;
}

static void box_failed(struct door *d, unsigned wish, const char *words)
{
	d->box[wish] = BOX_NONE;
	for (size_t i = 0; i < DOOR_PROCESSES_MAX; i++) {
		struct process *p = &d->process[i];
		if (!p->id[0] || !p->job || normal(d, p->wish) != wish)
			continue;
		process_tell(d, p, words, strlen(words));
		process_end(d, p, 125);
	}
	/* A file without a box does not exist, and has a reason. */
	struct call **at = &d->first;
	d->last = NULL;
	while (*at) {
		struct call *c = *at;
		if (c->kind != CALL_FILE || c->wish != wish) {
			d->last = c;
			at = &c->next;
			continue;
		}
		*at = c->next;
		d->callc--;
		door_error(d, c->id, RPC_INVALID, "%.900s", words);
		call_free(c);
	}
}

static void after_create(struct door *d, const struct call *c, const json_t *answer)
{
	const char *words = json_string_value(json_object_get(answer, "words")),
		   *conversation = json_string_value(json_object_get(answer, "conversation"));

	if (conversation && *conversation)
		snprintf(d->conversation, sizeof(d->conversation), "%s", conversation);
	d->proposes[c->wish] = json_is_true(json_object_get(answer, "proposes"));
	if (words || !conversation)
		box_failed(d, c->wish, words ? words : "cordon: the box was not created\n");
	else
		d->box[c->wish] = BOX_LIVES;
}

static void after_input(struct door *d, const struct call *c, const json_t *answer)
{
	const char *words = json_string_value(json_object_get(answer, "words"));
	const json_t *text = json_object_get(c->job, "text");
	struct process *p = process_find(d, c->process);
	size_t len;

	if (!p || p->has_exited)
		return;
	if (words) {
		process_tell(d, p, words, strlen(words));
		return;
	}
	AUTO_FREE char *data = rpc_bytes(json_string_value(text), json_string_length(text), &len);
	if (data)
		process_type(p, data, len);
}

/* NOW has its answer. */
static void finish(struct door *d, const json_t *answer)
{
	struct call *c = d->now;

	d->now = NULL;
	d->worker[0].is_busy = false;
	if (json_is_true(json_object_get(answer, "noBox")) && c->kind != CALL_CREATE &&
	    c->tries++ < TRIES_MAX) {
		d->box[c->wish] = BOX_NONE;
		take_back(d, c);
		return;
	}
	switch (c->kind) {
	case CALL_FILE:
		if (json_object_get(answer, "result") || json_object_get(answer, "error"))
			door_answer(d, c->id, answer);
		else
			door_error(d, c->id, RPC_FAILED,
				   "cordon: the box of this conversation ended");
		break;
	case CALL_CREATE:
		after_create(d, c, answer);
		break;
	case CALL_STOP:
		d->box[c->wish] = BOX_NONE;
		break;
	case CALL_INPUT:
		after_input(d, c, answer);
		break;
	}
	call_free(c);
}

void door_clerk_frame(struct door *d, const struct frame *f, const char *data)
{
	if (f && f->kind != FRAME_ANSWER)
		return;
	json_t *answer = f ? json_loadb(data, f->len, 0, NULL) : NULL;
	if (!f)
		job_worker_end(&d->worker[0]);
	if (!answer)
		answer = json_pack("{s:{s:i, s:s}, s:s}", "error", "code", RPC_FAILED, "message",
				   "cordon: a worker has died", "words",
				   "cordon: a worker has died\n");
	if (d->now)
		finish(d, answer);
	json_decref(answer);
	door_go_on(d);
}

void door_go_on(struct door *d)
{
	struct call *c = d->first;
	struct err err;

	if (d->now || !c)
		return;
	/* Files need no network, and any box of the same directory has them. */
	if (c->kind == CALL_FILE && d->box[c->wish] == BOX_NONE &&
	    d->box[c->wish ^ WISH_NO_NET] == BOX_LIVES)
		c->wish ^= WISH_NO_NET;
	if ((c->kind == CALL_FILE || c->kind == CALL_INPUT) && d->box[c->wish] != BOX_LIVES) {
		if (d->box[c->wish] == BOX_NONE)
			door_needs_box(d, c->wish);
		return;
	}
	d->first = c->next;
	d->last = d->first ? d->last : NULL;
	d->callc--;
	d->now = c;
	door_name_box(d, c->job, c->wish);
	if ((!d->worker[0].pid && job_worker_begin(&d->worker[0], d->options, &err) < 0) ||
	    job_worker_give(&d->worker[0], c->job, -1, &err) < 0)
		door_clerk_frame(d, NULL, NULL);
}

void door_drop_calls(struct door *d)
{
	while (d->first) {
		struct call *c = d->first;
		d->first = c->next;
		call_free(c);
	}
	d->last = NULL;
	d->callc = 0;
}
