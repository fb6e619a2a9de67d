/* SPDX-License-Identifier: MIT
 *
 * See live_run.h. A start gets the effects of its box, so they are decided again for each start. It must
 * never run in a box that was given other files or effects than this start would be given.
 */
#include "flow/live_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

enum { READ_SIZE = 65536, OUTPUTS = 2, LAST_READS = 64 };

int live_run_create(struct sentence *s, struct err *err)
{
	struct kept_box *k = s->kept;
	struct launch box;

	gate_box_hash(&s->gate, k->about.inputs);
	memcpy(k->about.conversation, s->gate.report->conversation, sizeof(k->about.conversation));
	k->about.began_s = s->bp.began.tv_sec;
	k->about.began_ns = s->bp.began.tv_nsec;
	k->fds[KEEP_FD_OVERLAY] =
		s->overlay.dir < 0 ? -1 : fcntl(s->overlay.dir, F_DUPFD_CLOEXEC, 0);
	if (s->overlay.dir >= 0 && overlay_lend(&s->overlay, k->about.name, err) < 0)
		return -1;
	if (kept_box_ask(k, &box, err) < 0 ||
	    live_create(&k->live, &box, &s->bp, s->sink, s->result, err) < 0)
		return -1;
	s->result->wire.layers = spec_layers(&s->bp.spec);
	s->result->wire.limit = LIMIT_NONE;
	s->result->ran = RAN_ENDED;
	result_conclude(s->result);
	return 0;
}

static int check_limits(const struct sentence *s, struct err *err)
{
	const uint64_t *wanted = s->gate.decision.confined.limit, *has = s->bp.spec.limit;

	for (int id = 0; id < LIMIT_COUNT; id++) {
		const struct limit_row *row = limit_row((enum limit_id)id);
		if (!row->of_box || !wanted[id] || (has[id] && has[id] <= wanted[id]))
			continue;
		err_set(err, ERR_REFUSED,
			"the box %s has a higher limit %s than this program may have",
			s->kept->about.name, row->name);
		err_cause(err,
			  "the option --%s or the policy lowers it, and it is one limit for all "
			  "programs of the box",
			  row->name);
		err_cure(err, "leave the option out; or create a box with that limit");
		return -1;
	}
	return 0;
}

/* Exposed programs may have changed the files of the box, and code that the user typed may run
 * them: decide again. */
static int check_changes(struct sentence *s, struct err *err)
{
	struct gate *g = &s->gate;

	if (!g->facts.conversation.exposed_us || g->facts.has_changes ||
	    (g->facts.exposed && !g->req->plan))
		return 0;
	return gate_add_changes(g, "the conversation may have changed the box", err);
}

/* For direct writes: what is moved to the pending changes afterwards. The facts are those of the box:
 * they have its hash. */
static int open_direct(struct sentence *s, struct err *err)
{
	const struct request *r = &s->gate.decision.confined;
	const struct gate_facts *f = &s->gate.facts;
	struct blueprint *bp = &s->bp;

	direct_close(&bp->direct);
	if (bp->spec.workspace == WORKSPACE_RW &&
	    direct_open(&bp->direct, bp->spec.workspace_path, &f->workspace, DIRECT_WORKSPACE,
			err) < 0)
		return -1;
	for (size_t i = 0; i < r->rwc; i++)
		if (request_writes(r, i) &&
		    direct_open(&bp->direct, f->rw_at[i]->path, &f->rw[i], (int)i, err) < 0)
			return -1;
	return 0;
}

int live_run_check(struct sentence *s, struct err *err)
{
	uint8_t now[KEEP_INPUTS];
	struct blueprint *bp = &s->bp;
	const char *name = s->kept->about.name;

	if (check_changes(s, err) < 0)
		return -1;
	gate_box_hash(&s->gate, now);
	if (strncmp(s->kept->about.conversation, s->gate.report->conversation,
		    sizeof(s->kept->about.conversation)) != 0)
		return err_set(err, ERR_REFUSED, "the box %s belongs to another conversation",
			       name);
	if (memcmp(now, s->kept->about.inputs, sizeof(now)) != 0) {
		err_set(err, ERR_REFUSED, "the box %s is not the one that would be created now",
			name);
		err_cause(err, "since then its conversation was exposed, a directory was replaced, "
			       "or what the policy and the grants allow has changed");
		err_cure(err,
			 "a grant for what it needs (cordon grant); or cordon box reset %s, which "
			 "drops its changes and creates it again",
			 name);
		s->result->report->instead = INSTEAD_NEW_BOX;
		return -1;
	}
	if (bp->spec.cwd)
		return check_limits(s, err);
	if (kept_box_spec(s->kept, &bp->spec, err) < 0 || check_limits(s, err) < 0)
		return -1;
	clock_gettime(CLOCK_REALTIME_COARSE, &bp->began);
	return open_direct(s, err);
}

/* One program that runs. */
struct running {
	struct live *live;
	struct pump *input;
	struct result *result;
	const struct launch_sink *sink;
	uint32_t id;
	int out[OUTPUTS];
	bool exited;
};

static void read_output(struct running *r, int stream)
{
	char data[READ_SIZE];
	ssize_t n = read(r->out[stream], data, sizeof(data));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) { /* EIO: no process has the terminal any more */
		scope_close(&r->out[stream]);
		return;
	}
	capture_add(&r->result->out[stream], data, (size_t)n);
	if (r->sink->output)
		r->sink->output(r->sink->ctx, stream, data, (size_t)n);
}

static int take_exit(struct running *r, const struct wire_exited *m, struct err *err)
{
	struct wire_result *w = &r->result->wire;

	r->exited = true;
	if (m->err.code != ERR_NONE) {
		*err = m->err;
		return -1;
	}
	w->wait_status = m->wait_status;
	w->timed_out = m->timed_out;
	w->limit = m->limit;
	w->limit_ended = m->limit != LIMIT_NONE;
	w->killed_by_rule = m->killed_by_rule;
	w->cpu_ms = m->cpu_ms;
	w->memory_peak = m->memory_peak;
	w->wall_ms = m->wall_ms;
	return 0;
}

/* With a terminal, FD is its master. */
static int take_terminal(struct running *r, int fd, struct err *err)
{
	if (fd < 0)
		return 0;
	r->out[0] = fd;
	scope_close(&r->input->to);
	r->input->to = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (r->input->to < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return err_errno(err, ERR_SYSTEM, "opening the terminal of the box");
	if (r->sink->terminal)
		r->sink->terminal(r->sink->ctx, fd);
	return 0;
}

static int take_event(struct running *r, struct err *err)
{
	struct live_event e;

	if (live_next(r->live, 0, &e, err) < 0)
		return -1;
	AUTO_CLOSE int fd = e.fd;
	if (e.kind == LIVE_BOX_ENDED) {
		err_set(err, ERR_SYSTEM, "the box has ended, and the program with it");
		err_cause(err, "a command ended it, or its time was over");
		return -1;
	}
	if (e.id != r->id)
		return 0;
	if (e.kind == LIVE_STARTED)
		return take_terminal(r, scope_take_fd(&fd), err);
	return e.kind == LIVE_EXITED ? take_exit(r, &e.exited, err) : 0;
}

/* SIGKILL is for each process of the start. */
static int pass_signals(struct running *r, struct err *err)
{
	int sig, sent = 0;

	while (sent == 0 && (sig = launch_next_signal(r->sink)) > 0)
		if (!r->exited)
			sent = sig == SIGKILL ? live_kill(r->live, r->id, err)
					      : live_signal(r->live, r->id, sig, err);
	return sent;
}

/* Returns the number of streams that can be read now. */
static int listen(struct running *r, int wait_ms, struct err *err)
{
	struct pollfd fds[] = {
		{.fd = live_fd(r->live), .events = POLLIN},
		{.fd = r->out[0], .events = POLLIN},
		{.fd = r->out[1], .events = POLLIN},
		pump_wants(r->input),
		{.fd = r->sink->signals > 0 ? r->sink->signals : -1, .events = POLLIN}};
	int ready = 0;

	if (poll(fds, ARRAY_SIZE(fds), wait_ms) < 0)
		return errno == EINTR ? 0 : err_errno(err, ERR_SYSTEM, "waiting for the box");
	if (fds[3].revents)
		pump_move(r->input);
	if (fds[4].revents && pass_signals(r, err) < 0)
		return -1;
	for (int i = 0; i < OUTPUTS; i++)
		if (fds[1 + i].revents) {
			read_output(r, i);
			ready++;
		}
	return fds[0].revents && take_event(r, err) < 0 ? -1 : ready;
}

/* What the program printed before its end is in the pipes when its end is reported. */
static int follow(struct running *r, struct err *err)
{
	int ready = 0;

	while (ready >= 0 && !r->exited)
		ready = listen(r, -1, err);
	if (ready < 0)
		return -1;
	/* A program that was left behind may print without end. */
	for (int i = 0; i < LAST_READS && (ready = listen(r, 0, err)) > 0; i++)
		;
	return ready < 0 ? -1 : 0;
}

/* The environment of the box, and the variables of this start over it. */
static size_t add_environment(const struct sentence *s, const char **env)
{
	const struct spec *box = &s->bp.spec;
	size_t count = 0;

	for (size_t i = 0; i < s->req->envc && count < SPEC_ENV_MAX; i++)
		env[count++] = s->req->env[i];
	for (size_t i = 0; i < box->envc && count < SPEC_ENV_MAX; i++) {
		size_t name = strcspn(box->env[i], "=") + 1, k = 0;
		while (k < s->req->envc && strncmp(env[k], box->env[i], name) != 0)
			k++;
		if (k == s->req->envc)
			env[count++] = box->env[i];
	}
	return count;
}

static int open_pipes(struct running *r, int *to, struct err *err)
{
	for (int i = 0; i < OUTPUTS; i++) {
		int pipe[2];
		if (io_box_pipe(pipe) < 0)
			return err_errno(err, ERR_SYSTEM, "making a pipe");
		r->out[i] = pipe[0];
		to[i] = pipe[1];
	}
	return 0;
}

/* Runs the program in L and waits for it. */
static int start(struct sentence *s, struct live *l, struct err *err)
{
	struct blueprint *bp = &s->bp;
	const struct spec *box = &bp->spec;
	const uint64_t *limit = s->gate.decision.confined.limit;
	const char *argv[] = {s->req->arg0 ? s->req->arg0 : "bash", s->req->is_login ? "-lc" : "-c",
			      bp->payload.data};
	const char *env[SPEC_ENV_MAX];
	struct running r = {.live = l,
			    .input = &bp->pump,
			    .result = s->result,
			    .sink = s->sink,
			    .out = {-1, -1}};
	int to[OUTPUTS] = {-1, -1};
	struct live_start start = {.program = box->program,
				   .cwd = s->req->cwd ? s->req->cwd : box->cwd,
				   .argc = ARRAY_SIZE(argv),
				   .argv = argv,
				   .envc = add_environment(s, env),
				   .env = env,
				   .limit = limit,
				   .tty = s->req->rows > 0,
				   .rows = s->req->rows,
				   .cols = s->req->cols};

	for (int i = 0; i < OUTPUTS; i++) {
		capture_init(&s->result->out[i], (size_t)limit[LIMIT_OUTPUT]);
		capture_hash(&s->result->out[i]);
	}
	/* What is typed before there is a terminal waits. */
	if (start.tty)
		scope_close(&bp->pump.to);
	int done = start.tty ? 0 : open_pipes(&r, to, err);
	memcpy(start.stream, (const int[]){bp->input, to[0], to[1]}, sizeof(start.stream));
	if (done == 0)
		done = live_start(l, &start, &r.id, err);
	for (int i = 0; i < OUTPUTS; i++)
		scope_close(&to[i]);
	scope_close(&bp->input);
	if (done == 0)
		done = follow(&r, err);
	for (int i = 0; i < OUTPUTS; i++)
		scope_close(&r.out[i]);
	return done;
}

static void conclude(struct sentence *s)
{
	s->result->wire.layers = spec_layers(&s->bp.spec);
	memcpy(s->result->sha256, s->bp.payload.sha256, sizeof(s->result->sha256));
	s->result->has_sha256 = true;
	s->result->ran = RAN_ENDED;
	result_conclude(s->result);
}

int live_run_start(struct sentence *s, struct err *err)
{
	kept_box_begin(s->kept, s->sink, s->result);
	if (!s->req->typed && start(s, &s->kept->live, err) < 0)
		return -1;
	conclude(s);
	return 0;
}

int live_run_stop_ended(const struct gate_state *state, const struct conversation *c,
			struct err *err)
{
	char hex[ID_HEX];

	return c->ended_us ? kept_box_stop_all(state->dir, id_hex(&c->id, hex), err) : 0;
}

/* The result of the box follows: its changes, and what all of its processes used. */
static int end(struct sentence *s, struct live *l, struct err *err)
{
	const struct wire_result program = s->result->wire;
	struct wire_result *w = &s->result->wire;
	struct live_event e = {.kind = LIVE_NOTHING, .fd = -1};

	if (live_end(l, err) < 0)
		return -1;
	while (e.kind != LIVE_BOX_ENDED) {
		if (live_next(l, -1, &e, err) < 0)
			return -1;
		scope_close(&e.fd);
	}
	w->wait_status = program.wait_status;
	w->timed_out = program.timed_out;
	w->wall_ms = program.wall_ms;
	if (program.limit != LIMIT_NONE) {
		w->limit = program.limit;
		w->limit_ended = program.limit_ended;
	}
	return 0;
}

int live_run_alone(struct sentence *s, struct err *err)
{
	struct live l = LIVE_NONE;
	int done = live_create(&l, &s->box, &s->bp, s->sink, s->result, err);

	if (done == 0)
		done = start(s, &l, err);
	if (done == 0)
		done = end(s, &l, err);
	if (done == 0)
		egress_process_finish(&s->bp.egress, s->result);
	live_close(&l);
	if (done == 0)
		conclude(s);
	return done;
}
