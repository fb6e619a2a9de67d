/* SPDX-License-Identifier: MIT
 *
 * The unprivileged half of a run. cordon-box may be killed at any moment. Its socket then closes
 * without a result, which is an error, and a second cordon-box removes what the first one left.
 * Output is read until all writers are dead, so no process can keep a pipe open longer than the
 * box lives.
 */
#include "live/launch.h"

#include "live/telemetry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/pages.h"
#include "base/scope.h"
#include "base/self.h"
#include "base/spawn.h"
#include "live/payload.h"

enum { READ_SIZE = 65536, CHANNELS = 3 };

static int spawn_box(const char *name, const char *path, const int *sources, pid_t *ret)
{
	const struct spawn_fd fds[CHANNELS] = {
		{sources[0], STDOUT_FILENO}, {sources[1], STDERR_FILENO}, {sources[2], RESULT_FD}};
#ifdef CORDON_MUTANT
	char **env = environ; /* CORDON_WITHOUT, and the secrets that a mutant may leak */
#else
	static char *env[] = {NULL};
#endif
	return spawn_program(path, (char *)name, env, fds, CHANNELS, ret);
}

static int make_channels(int pipes[2][2], int pair[2], struct err *err)
{
	for (int i = 0; i < 2; i++)
		if (io_box_pipe(pipes[i]) < 0)
			return err_errno(err, ERR_SYSTEM, "making a pipe");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	return 0;
}

static int spawn(struct launch *l, const char *name, const char *path, struct err *err)
{
	int pipes[2][2] = {{-1, -1}, {-1, -1}}, pair[2] = {-1, -1}, lifted[CHANNELS] = {-1, -1, -1};
	int r = make_channels(pipes, pair, err);
	int sources[CHANNELS] = {pipes[0][1], pipes[1][1], pair[1]};

	for (int i = 0; r == 0 && i < CHANNELS; i++) {
		lifted[i] = fcntl(sources[i], F_DUPFD_CLOEXEC, SPAWN_HIGH_FD);
		if (lifted[i] < 0)
			r = err_errno(err, ERR_SYSTEM, "moving a descriptor");
	}
	if (r == 0 && spawn_box(name, path, lifted, &l->pid) < 0)
		r = spawn_explain(err, path);
	for (int i = 0; i < CHANNELS; i++) {
		scope_close(&lifted[i]);
		scope_close(&sources[i]);
	}
	l->out[0] = pipes[0][0];
	l->out[1] = pipes[1][0];
	l->socket = pair[0];
	return r;
}

struct launch launch_take(struct launch *l)
{
	struct launch taken = *l;

	*l = LAUNCH_NONE;
	return taken;
}

/* Starts the program NAME from the directory of this one. */
static int begin(struct launch *l, const char *name, struct err *err)
{
	char path[PATH_MAX];

	*l = LAUNCH_NONE;
	/* If cordon-box is killed, its children become ours and not those of the host's init: see
	 * sweep. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (self_find(name, path, err) < 0) {
		err_cure(err, "install all programs of Cordon together");
		return -1;
	}
	return spawn(l, name, path, err);
}

int launch_begin(struct launch *l, struct err *err)
{
	return begin(l, "cordon-box", err);
}

/* EPIPE is no error here: cordon-box has ended, and has sent its own error or is explained by
 * launch_explain_end. */
static int send_spec(struct launch *l, const struct blueprint *p, struct err *err)
{
	AUTO_FREE uint8_t *data = NULL;
	AUTO_CLOSE int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	uint32_t kind = WIRE_SPEC;
	size_t len;

	if (spec_encode(&p->spec, &data, &len, err) < 0)
		return -1;
	AUTO_CLOSE int spec = io_sealed_memfd("cordon-spec", data, len);
	if (spec < 0 || null < 0)
		return err_errno(err, ERR_SYSTEM, "sealing the spec");
	int fds[WIRE_FDS] = {[WIRE_FD_INPUT] = p->input >= 0 ? p->input : null,
			     [WIRE_FD_SPEC] = spec,
			     [WIRE_FD_PAYLOAD] = p->payload.fd >= 0 ? p->payload.fd : null,
			     [WIRE_FD_WORKSPACE] = p->workspace >= 0 ? p->workspace : null,
			     [WIRE_FD_CHANNEL] = p->channel_in >= 0 ? p->channel_in : null,
			     [WIRE_FD_PARTS] = p->parts >= 0 ? p->parts : null,
			     [WIRE_FD_EGRESS] = p->egress.box >= 0 ? p->egress.box : null,
			     [WIRE_FD_SAVED] = p->saved >= 0 ? p->saved : null};
	if (io_send_fds(l->socket, &kind, sizeof(kind), fds, WIRE_FDS) < 0 && errno != EPIPE)
		return err_errno(err, ERR_SYSTEM, "talking to cordon-box");
	return 0;
}

/* A repeated denial comes with its new count. */
static void take_denial(struct launch *job, const struct wire_denial *d)
{
	struct result *r = job->result;

	for (size_t i = 0; i < r->denialc; i++) {
		struct wire_denial *old = &r->denials[i];
		if (strncmp(old->call, d->call, sizeof(d->call)) == 0 &&
		    strncmp(old->target, d->target, sizeof(d->target)) == 0) {
			old->count = d->count;
			return;
		}
	}
	if (r->denialc == CORDON_DENIALS_MAX)
		return;
	r->denials[r->denialc++] = *d;
	telemetry_join(job->telemetry, d);
	if (job->sink->denial)
		job->sink->denial(job->sink->ctx, d);
}

void launch_take_message(struct launch *job, union launch_message *m, size_t len, int *fd)
{
	struct result *r = job->result;

	if (m->kind == WIRE_RESULT && len == sizeof(m->result)) {
		r->wire = m->result;
		r->changes_cut = r->changes_cut || m->result.changes_cut;
		r->wire.cgroup[sizeof(r->wire.cgroup) - 1] = '\0';
		job->has_result = true;
		if (m->result.no_memory)
			memory_note();
	} else if (m->kind == WIRE_GONE) {
		job->is_gone = true;
	} else if (m->kind == WIRE_ERROR && len == sizeof(m->error)) {
		r->err = m->error.err;
		err_sanitise(&r->err);
		if (r->err.sys_errno == ENOMEM) /* the run failed for lack of memory */
			memory_note();
	} else if (m->kind == KEEP_ROW && len == sizeof(m->row)) {
		r->egress_cut |= m->row.cut;
		if (m->row.row.kind == EGRESS_ROW)
			r->egress_cut |= !result_add_egress(r, &m->row.row);
	} else if (m->kind == KEEP_DONE && len == sizeof(m->kept)) {
		job->has_result = job->is_gone = m->kept.err.code == ERR_NONE;
		r->err = m->kept.err;
		err_sanitise(&r->err);
	} else if (m->kind == WIRE_DENIAL && len == sizeof(m->denial)) {
		take_denial(job, &m->denial);
	} else if (m->kind == WIRE_CHANGE && len >= offsetof(struct wire_change, path) &&
		   m->change.path_len <= len - offsetof(struct wire_change, path)) {
		if (result_add_change(r, &m->change) < 0)
			r->changes_cut = true;
	} else if (m->kind == WIRE_UPPER) {
		scope_close(&r->upper);
		r->upper = scope_take_fd(fd);
	} else if (m->kind == WIRE_PROBE && len == sizeof(m->probe) && job->sink->probe) {
		job->sink->probe(job->sink->ctx, &m->probe);
	}
}

static void read_socket(struct launch *job)
{
	union launch_message m;
	int fd = -1;
	ssize_t n = io_recv(job->socket, &m, sizeof(m), &fd);
	AUTO_CLOSE int passed = n > 0 ? fd : -1;

	if (n < (ssize_t)sizeof(m.kind))
		scope_close(&job->socket);
	else
		launch_take_message(job, &m, (size_t)n, &passed);
}

static void read_output(struct launch *job, int stream)
{
	char data[READ_SIZE];
	ssize_t n = read(job->out[stream], data, sizeof(data));

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		scope_close(&job->out[stream]);
		return;
	}
	capture_add(&job->result->out[stream], data, (size_t)n);
	if (job->sink->output)
		job->sink->output(job->sink->ctx, stream, data, (size_t)n);
}

int launch_next_signal(const struct launch_sink *sink)
{
	unsigned char number;

	return read(sink->signals, &number, 1) == 1 ? number : 0;
}

static void pass_signals(const struct launch *job)
{
	struct wire_signal m = {.kind = WIRE_SIGNAL};
	int sig;

	while ((sig = launch_next_signal(job->sink)) > 0) {
		m.signal = (uint32_t)sig;
		(void)io_send(job->socket, &m, sizeof(m), -1);
	}
}

static bool is_open(const struct launch *job)
{
	return job->out[0] >= 0 || job->out[1] >= 0;
}

/* Waits for one or more descriptors and reads from each that is ready. */
static int listen_once(struct launch *job, struct pump *input)
{
	struct pollfd fds[] = {
		{.fd = job->socket, .events = POLLIN},
		{.fd = job->out[0], .events = POLLIN},
		{.fd = job->out[1], .events = POLLIN},
		{.fd = -1},
		{.fd = telemetry_fd(job->telemetry), .events = POLLIN},
		{.fd = job->egress ? job->egress->control : -1, .events = POLLIN},
		{.fd = job->sink->signals > 0 ? job->sink->signals : -1, .events = POLLIN}};

	if (input)
		fds[3] = pump_wants(input);
	if (poll(fds, ARRAY_SIZE(fds), -1) < 0)
		return errno == EINTR ? 0 : -1;
	if (fds[3].revents)
		pump_move(input);
	if (fds[4].revents)
		telemetry_read(job->telemetry);
	if (fds[1].revents)
		read_output(job, 0);
	if (fds[2].revents)
		read_output(job, 1);
	if (fds[5].revents)
		egress_process_read(job->egress, job->result);
	if (fds[6].revents)
		pass_signals(job);
	if (fds[0].revents)
		read_socket(job);
	return 0;
}

/* cordon-box sends the result when all writers are dead, so the pipes then come to their end.
 * Without a result writers may still live, and this function does not wait for them. */
static void collect(struct launch *job, struct pump *input)
{
	while (job->socket >= 0 && !(job->has_result && !is_open(job)))
		if (listen_once(job, input) < 0)
			return;
}

static int wait_box(struct launch *l)
{
	int status = 0;

	while (l->pid > 0 && waitpid(l->pid, &status, 0) < 0 && errno == EINTR)
		;
	l->pid = 0;
	return status;
}

/* cordon-box ends when its socket is closed. */
static void end_box(struct launch *l)
{
	scope_close(&l->socket);
	scope_close(&l->out[0]);
	scope_close(&l->out[1]);
	wait_box(l);
}

/* Runs a job that has no payload. */
static int do_job(enum spec_job job, const struct launch_sink *sink, struct result *r,
		  struct err *err)
{
	AUTO_PAGES struct blueprint *p = pages_new(sizeof(*p));
	struct launch l;

	if (!p)
		return err_memory(err);
	blueprint_init(p);
	p->spec.job = job;
	p->spec.cwd = p->spec.program = "/";
	p->spec.argv[p->spec.argc++] = "job";
	for (int i = 0; i < LIMIT_COUNT; i++)
		p->spec.limit[i] = limit_row((enum limit_id)i)->fallback;
	int done = begin(&l, job == JOB_PROBE ? "cordon-probe" : "cordon-box", err);
	l.sink = sink;
	l.result = r;
	if (done == 0)
		done = send_spec(&l, p, err);
	if (done == 0)
		collect(&l, NULL);
	end_box(&l);
	blueprint_done(p);
	return done;
}

int launch_probe(const struct launch_sink *sink, struct err *err)
{
	AUTO_FREE struct result *r = calloc(1, sizeof(*r));

	if (!r)
		return err_memory(err);
	result_init(r);
	int done = do_job(JOB_PROBE, sink, r, err);
	if (done == 0 && r->err.code) {
		*err = r->err;
		done = -1;
	}
	result_done(r);
	return done;
}

/* A killed cordon-box leaves an empty cgroup directory. Without namespaces, if init was killed
 * too, it also leaves the program, whose processes are then our children (PR_SET_CHILD_SUBREAPER).
 * Nothing else would end or remove them. */
static void sweep(void)
{
	AUTO_FREE struct result *r = calloc(1, sizeof(*r));
	struct launch_sink quiet = {0};
	struct err ignored;

	if (!r)
		return;
	result_init(r);
	do_job(JOB_SWEEP, &quiet, r, &ignored);
	result_done(r);
}

/* A cordon-box that was killed after its result, but before WIRE_GONE, has left its cgroup. */
static void await_gone(struct launch *l)
{
	while (l->socket >= 0 && !l->is_gone)
		read_socket(l);
	if (!l->is_gone)
		sweep();
}

void launch_abandon(struct launch *l)
{
	telemetry_free(l->telemetry);
	l->telemetry = NULL;
	if (l->has_result)
		await_gone(l);
	end_box(l);
}

void launch_leave(struct launch *l)
{
	l->pid = 0;
	launch_abandon(l);
}

/* No result came: *ERR is the error that cordon-box sent, or says how it died. */
int launch_explain_end(struct launch *l, struct err *err)
{
	const struct result *r = l->result;
	int status = wait_box(l);

	if (r->err.code == ERR_NONE && !l->is_kept)
		sweep();
	while (is_open(l) && listen_once(l, NULL) == 0)
		;
	if (r->err.code != ERR_NONE) {
		*err = r->err;
		return -1;
	}
	if (l->is_kept) {
		err_set(err, ERR_SYSTEM, "cordon-keeper has ended");
		err_cause(err, "it was killed, and every box that it held has ended with it");
		err_cure(err, "cordon box create makes another box");
		return -1;
	}
	err_set(err, ERR_SYSTEM, "cordon-box died without a result (%s %d)",
		WIFSIGNALED(status) ? "signal" : "status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	err_cause(err, "%s",
		  WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
			  ? "it was killed: by a user, or by the kernel because memory ran out"
			  : "this is a bug in Cordon, or a fault of the machine");
	err_cure(err,
		 "read the kernel's log (dmesg) for the time of this run, and run cordon doctor");
	return -1;
}

int launch_start(struct launch *l, struct blueprint *p, const struct launch_sink *sink,
		 struct result *ret, struct err *err)
{
	l->sink = sink;
	l->result = ret;
	for (int i = 0; i < 2; i++) {
		capture_init(&ret->out[i], (size_t)p->spec.limit[LIMIT_OUTPUT]);
		if (!l->is_own)
			capture_hash(&ret->out[i]);
	}
	l->egress = p->egress.control >= 0 ? &p->egress : NULL;
	int sent = send_spec(l, p, err);
	scope_close(&p->channel_in);
	scope_close(&p->egress.box);
	return sent;
}

bool launch_is_waiting(struct launch *l)
{
	struct pollfd fds[] = {{.fd = l->socket, .events = POLLIN},
			       {.fd = l->out[0], .events = POLLIN},
			       {.fd = l->out[1], .events = POLLIN}};

	return poll(fds, ARRAY_SIZE(fds), 0) == 0;
}

int launch_finish(struct launch *l, struct blueprint *p, struct err *err)
{
	if (p->has_telemetry && (l->telemetry = telemetry_new(p->channel, l->sink, l->result)))
		p->channel = -1;
	collect(l, &p->pump);
	telemetry_read(l->telemetry);
	egress_process_finish(&p->egress, l->result);
	return l->has_result ? 0 : launch_explain_end(l, err);
}
