/* SPDX-License-Identifier: MIT
 *
 * See session.h. A call that starts a program holds the lock shared; a call that makes or ends the box holds
 * it alone. The lock is one of POSIX, which belongs to the process and ends with it.
 */
#include "door/mcp/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "trust/conversation.h"

#define IDLE_MS (10ULL * 60 * 1000)
#define LIFE_MS (24ULL * 60 * 60 * 1000)

enum { TRIES = 3, ENDING_TRIES = 50 };

/* Nothing tells the server what the model has read from others. */
#define UNSEEN "a client of cordon mcp, whose other sources are not seen"

static int open_conversation(struct mcp_session *s, const char *client, struct err *err)
{
	const struct gate_state_options options = {.path = s->command.state};
	AUTO_STATE struct gate_state state = STATE_CLOSED;
	char title[CONVERSATION_TITLE_MAX + 1];
	struct conversation c;

	if (gate_state_open(&state, &options, err) < 0)
		return -1;
	if (s->command.conversation) {
		if (conversation_find(&state.keeper, s->command.conversation, &c, err) < 0)
			return -1;
	} else {
		s->is_own = true;
		snprintf(title, sizeof(title), "mcp %.64s", client);
		conversation_init(&c, state.principal, title, state.keeper.now_us());
		conversation_expose(&c, UNSEEN, c.begun_us);
		if (conversation_begin(&state.keeper, &c, err) < 0)
			return -1;
	}
	id_hex(&c.id, s->conversation);
	return 0;
}

int session_begin(struct mcp_session *s, const char *client, struct err *err)
{
	if (s->lock >= 0)
		return 0;
	if (open_conversation(s, client, err) < 0)
		return -1;
	s->lock = memfd_create("cordon-mcp-lock", MFD_CLOEXEC);
	if (s->lock < 0)
		return err_errno(err, ERR_SYSTEM, "making a lock");
	s->command.conversation = s->snippet.conversation = s->conversation;
	snprintf(s->box, sizeof(s->box), "mcp-%.12s", s->conversation);
	return 0;
}

static int lock(const struct mcp_session *s, short type, struct err *err)
{
	struct flock l = {.l_type = type, .l_whence = SEEK_SET};
	int r;

	while ((r = fcntl(s->lock, F_SETLKW, &l)) < 0 && errno == EINTR)
		;
	return r < 0 ? err_errno(err, ERR_SYSTEM, "waiting for the other calls") : 0;
}

static int connect(const struct mcp_session *s, struct kept_box *k, bool starts, struct err *err)
{
	const struct gate_state_options options = {.path = s->command.state, .only_dir = true};
	AUTO_STATE struct gate_state state = STATE_CLOSED;

	if (gate_state_open(&state, &options, err) < 0)
		return -1;
	return kept_box_connect(k, state.dir, starts, err);
}

/* 1: there is no box. -1: the box died, and the client must learn that its changes are lost; the next call
 * gets a new one. */
static int use(const struct mcp_session *s, struct kept_box *k, struct err *err)
{
	struct keep_done done;

	for (int i = 0; i < ENDING_TRIES; i++) {
		kept_box_close(k);
		*k = KEPT_BOX_NONE;
		int r = connect(s, k, false, err);
		if (r)
			return r;
		if (kept_box_use(k, s->box, err) == 0)
			return 0;
		if (err->code == ERR_INPUT)
			return 1;
		if (err->code != ERR_CONFLICT)
			break;
		gate_pause(i); /* it is ending */
	}
	(void)kept_box_tell(k, KEEP_DROP, s->box, &done, &(struct err){0});
	err_cure(err, "call the tool again: it gets a new box");
	return -1;
}

/* So that `cordon box` can use this box: what made it, as if it had been typed. */
static int store_options(const struct mcp_session *s, int *ret, struct err *err)
{
	char cwd[PATH_MAX];
	AUTO_FREE char *data = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&data, &len);

	if (!to)
		return err_memory(err);
	fputs(getcwd(cwd, sizeof(cwd)) ? cwd : "/", to);
	fprintf(to, "%ccordon%cbox%ccreate%c%s%c", 0, 0, 0, 0, s->box, 0);
	fwrite(s->words, 1, s->words_len, to);
	if (s->is_own)
		fprintf(to, "--conversation=%s%c", s->conversation, 0);
	int bad = ferror(to);
	if (fclose(to) != 0 || bad)
		return err_memory(err);
	if (len > KEEP_OPTIONS_MAX)
		return err_set(err, ERR_LIMIT, "the options of a box have at most %d bytes",
			       KEEP_OPTIONS_MAX);
	*ret = io_sealed_memfd("cordon-box-options", data, len);
	return *ret < 0 ? err_errno(err, ERR_SYSTEM, "storing the options") : 0;
}

static int create(const struct mcp_session *s, struct err *err)
{
	AUTO_KEPT_BOX struct kept_box k = KEPT_BOX_NONE;
	AUTO_PAGES struct request *r = pages_new(sizeof(*r));
	AUTO_PAGES struct result *made = pages_new(sizeof(*made));
	struct launch_sink quiet = {0};

	if (!r || !made)
		return err_memory(err);
	if (connect(s, &k, true, err) < 0 || store_options(s, &k.fds[KEEP_FD_OPTIONS], err) < 0)
		return -1;
	k.about.idle_ms = IDLE_MS;
	k.about.life_ms = LIFE_MS;
	memcpy(k.about.name, s->box, sizeof(k.about.name));
	*r = s->command;
	r->creates_box = true;
	r->lang = "bash";
	r->file = s->box;
	flow_run_live(r, &k, NULL, &quiet, made);
	bool is_made = made->status == STATUS_EXITED;
	if (!is_made)
		*err = made->err;
	if (!is_made && err->code == ERR_NONE)
		err_set(err, ERR_REFUSED, "the box waits for a person: cordon approvals list");
	result_done(made);
	return is_made ? 0 : -1;
}

/* K uses the box, and this process holds the lock shared. */
static int use_or_create(const struct mcp_session *s, struct kept_box *k, struct err *err)
{
	if (lock(s, F_RDLCK, err) < 0)
		return -1;
	int r = use(s, k, err);
	if (r <= 0)
		return r;
	if (lock(s, F_UNLCK, err) < 0 || lock(s, F_WRLCK, err) < 0)
		return -1;
	r = use(s, k, err);
	if (r == 1 && (r = create(s, err)) == 0)
		r = use(s, k, err);
	if (r == 1)
		r = err_set(err, ERR_SYSTEM, "the box ended as soon as it was made");
	return r < 0 ? -1 : lock(s, F_RDLCK, err);
}

/* Waits until no program runs in the box, saves its changes and ends it. */
static int stop(const struct mcp_session *s, struct err *err)
{
	AUTO_KEPT_BOX struct kept_box k = KEPT_BOX_NONE;
	struct keep_done done = {0};

	if (lock(s, F_UNLCK, err) < 0 || lock(s, F_WRLCK, err) < 0)
		return -1;
	int r = use(s, &k, err);
	if (r == 0)
		r = kept_box_tell(&k, KEEP_STOP, s->box, &done, err);
	return r < 0 ? -1 : 0;
}

static void fail(struct result *r, const struct err *err)
{
	result_init(r);
	r->err = *err;
	r->status = err->code == ERR_REFUSED ? STATUS_REFUSED : STATUS_ERROR;
}

void session_start(struct mcp_session *s, const struct request *req, const struct launch_sink *sink,
		   struct result *ret)
{
	struct err err = {0};

	for (int i = 0; i < TRIES; i++) {
		AUTO_KEPT_BOX struct kept_box k = KEPT_BOX_NONE;
		if (use_or_create(s, &k, &err) < 0) {
			fail(ret, &err);
			return;
		}
		flow_run_live(req, &k, NULL, sink, ret);
		enum report_instead instead = ret->report ? ret->report->instead : INSTEAD_NONE;
		if (instead == INSTEAD_NONE || ret->ran != RAN_NOT || i + 1 == TRIES)
			return;
		result_done(ret);
		kept_box_close(&k);
		if (instead == INSTEAD_OWN_BOX) {
			session_run(s, req, sink, ret);
			return;
		}
		if (stop(s, &err) < 0) {
			fail(ret, &err);
			return;
		}
	}
}

void session_run(struct mcp_session *s, const struct request *req, const struct launch_sink *sink,
		 struct result *ret)
{
	struct launch none = LAUNCH_NONE;
	struct err err;

	if (stop(s, &err) < 0)
		fail(ret, &err);
	else
		flow_run(req, &none, sink, ret);
}

int session_end(struct mcp_session *s, struct err *err)
{
	if (s->lock < 0)
		return 0;
	int r = stop(s, err);
	scope_close(&s->lock);
	return r;
}
