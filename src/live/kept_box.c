/* SPDX-License-Identifier: MIT
 *
 * See kept_box.h. The keeper is started by the first command that needs it.
 */
#include "live/kept_box.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/self.h"
#include "base/spawn.h"

enum { CONNECT_TRIES = 50, TRY_MS = 20 };

static int lost_keeper(struct err *err)
{
	err_set(err, ERR_SYSTEM, "cordon-keeper has ended");
	err_cause(err, "it was killed, and every box that it held has ended with it");
	err_cure(err, "cordon box create makes another box");
	return -1;
}

/* One message with descriptors; its kind, or 0 at the end. */
static uint32_t receive(struct kept_box *b, void *m, size_t size, int *fds, size_t *count)
{
	size_t most = *count;
	ssize_t n = io_recv_fds(b->socket, m, size, fds, count);
	uint32_t kind = 0;

	if (n < 0 && errno == ECONNRESET) { /* it has left, perhaps with a last message */
		*count = most;
		n = io_recv_fds(b->socket, m, size, fds, count);
	}
	if (n >= (ssize_t)sizeof(kind))
		memcpy(&kind, m, sizeof(kind));
	return kind;
}

static int tell(struct kept_box *b, uint32_t kind, const char *name, struct err *err)
{
	struct keep_name m = {.kind = kind};

	if (strlen(name) >= sizeof(m.name))
		return err_set(err, ERR_INPUT, "the name of a box has at most %zu letters",
			       sizeof(m.name) - 1);
	memcpy(m.name, name, strlen(name));
	return io_send(b->socket, &m, sizeof(m), -1) < 0 ? lost_keeper(err) : 0;
}

static int await_done(struct kept_box *b, struct keep_done *ret, struct err *err)
{
	size_t count = 1;
	int overlay = -1;

	uint32_t kind = receive(b, ret, sizeof(*ret), &overlay, &count);
	if (kind && count) {
		scope_close(&b->fds[KEEP_FD_OVERLAY]);
		b->fds[KEEP_FD_OVERLAY] = overlay;
	}
	if (kind != KEEP_DONE)
		return lost_keeper(err);
	if (ret->err.code == ERR_NONE)
		return 0;
	*err = ret->err;
	err_sanitise(err);
	return -1;
}

static int spawn_keeper(int state, struct err *err)
{
	static char name[] = "cordon-keeper", *const env[] = {NULL};
	char path[PATH_MAX];
	struct err told;
	int pipe[2], status = 0;
	pid_t pid;

	if (self_find(name, path, err) < 0) {
		err_cure(err, "install all programs of Cordon together");
		return -1;
	}
	if (pipe2(pipe, O_CLOEXEC) < 0)
		return err_errno(err, ERR_SYSTEM, "making a pipe");
	AUTO_CLOSE int from = pipe[0], to = pipe[1];
	AUTO_CLOSE int high = fcntl(state, F_DUPFD_CLOEXEC, SPAWN_HIGH_FD);
	AUTO_CLOSE int out = fcntl(to, F_DUPFD_CLOEXEC, SPAWN_HIGH_FD);
	const struct spawn_fd fds[] = {{out, STDOUT_FILENO}, {high, KEEP_STATE_FD}};
	if (high < 0 || out < 0)
		return err_errno(err, ERR_SYSTEM, "moving a descriptor");
	if (spawn_program(path, name, env, fds, ARRAY_SIZE(fds), &pid) < 0)
		return spawn_explain(err, path);
	scope_close(&to);
	scope_close(&out);
	ssize_t n = io_read_full(from, &told, sizeof(told));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n != sizeof(told))
		return err_set(err, ERR_SYSTEM, "cordon-keeper did not start");
	if (told.code == ERR_NONE)
		return 0;
	*err = told;
	err_sanitise(err);
	return -1;
}

/* 1: no keeper answers. By descriptor: the path of the state directory may be longer than a socket's
 * address. */
static int connect_once(struct kept_box *b, int state, struct err *err)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct keep_done done = {0};

	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/" KEEP_SOCKET, state);
	scope_close(&b->socket);
	b->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (b->socket < 0 || connect(b->socket, (struct sockaddr *)&at, sizeof(at)) < 0) {
		if (errno == ENOENT || errno == ECONNREFUSED)
			return 1;
		return err_errno(err, ERR_SYSTEM, "connecting to cordon-keeper");
	}
	/* One that is about to end accepts, but does not answer. One that has too many clients answers
	 * before it is asked. */
	(void)tell(b, KEEP_HELLO, "", err);
	if (await_done(b, &done, err) == 0)
		return 0;
	return done.err.code == ERR_NONE ? 1 : -1;
}

int kept_box_connect(struct kept_box *b, int state, bool starts, struct err *err)
{
	for (int i = 0; i < CONNECT_TRIES; i++) {
		int r = connect_once(b, state, err);
		if (r <= 0)
			return r;
		if (!starts) {
			scope_close(&b->socket);
			return 1;
		}
		if (spawn_keeper(state, err) < 0)
			return -1;
		if (i)
			poll(NULL, 0, TRY_MS);
	}
	return lost_keeper(err);
}

int kept_box_egress(struct kept_box *b, struct egress_process *ret, struct err *err)
{
	struct keep_done m;
	int fds[2];
	size_t count = 2;

	if (tell(b, KEEP_EGRESS, "", err) < 0)
		return -1;
	uint32_t kind = receive(b, &m, sizeof(m), fds, &count);
	if (kind == KEEP_DONE) {
		*err = m.err;
		err_sanitise(err);
		return -1;
	}
	if (kind != KEEP_EGRESS || count != 2)
		return lost_keeper(err);
	ret->control = fds[0];
	ret->box = fds[1];
	return 0;
}

int kept_box_ask(struct kept_box *b, struct launch *ret, struct err *err)
{
	int fds[KEEP_FDS];
	size_t count = 0;

	b->about.kind = KEEP_CREATE;
	b->about.fds = 0;
	for (unsigned i = 0; i < KEEP_FDS; i++)
		if (b->fds[i] >= 0) {
			b->about.fds |= 1U << i;
			fds[count++] = b->fds[i];
		}
	if (io_send_fds(b->socket, &b->about, sizeof(b->about), fds, count) < 0)
		return lost_keeper(err);
	*ret = LAUNCH_NONE;
	ret->socket = scope_take_fd(&b->socket);
	ret->is_kept = true;
	return 0;
}

static int map_spec(struct kept_box *b, struct err *err)
{
	int fd = b->fds[KEEP_FD_SPEC];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !io_is_sealed(fd) || st.st_size <= 0)
		return err_set(err, ERR_SYSTEM, "the keeper has no spec of the box");
	void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return err_memory(err);
	b->spec_bytes = data;
	b->spec_len = (size_t)st.st_size;
	return 0;
}

int kept_box_use(struct kept_box *b, const char *name, struct err *err)
{
	union {
		struct keep_box box;
		struct keep_done done;
	} m;
	int fds[KEEP_FDS];
	size_t count = KEEP_FDS, at = 0;

	if (tell(b, KEEP_USE, name, err) < 0)
		return -1;
	uint32_t kind = receive(b, &m, sizeof(m), fds, &count);
	if (kind == KEEP_DONE) {
		*err = m.done.err;
		err_sanitise(err);
		return -1;
	}
	if (kind != KEEP_BOX)
		return lost_keeper(err);
	b->about = m.box;
	for (unsigned i = 0; i < KEEP_FDS; i++)
		b->fds[i] = b->about.fds & 1U << i && at < count ? fds[at++] : -1;
	return map_spec(b, err);
}

void kept_box_begin(struct kept_box *b, const struct launch_sink *sink, struct result *result)
{
	if (b->socket >= 0) { /* else it has begun before */
		b->live = LIVE_NONE;
		b->live.box.socket = scope_take_fd(&b->socket);
		b->live.box.is_kept = true;
	}
	b->live.box.sink = sink;
	b->live.box.result = result;
	b->live.result = result;
	b->live.is_created = true;
}

int kept_box_spec(const struct kept_box *b, struct spec *ret, struct err *err)
{
	return spec_decode(b->spec_bytes, b->spec_len, ret, err);
}

int kept_box_tell(struct kept_box *b, uint32_t kind, const char *name, struct keep_done *ret,
		  struct err *err)
{
	return tell(b, kind, name, err) < 0 ? -1 : await_done(b, ret, err);
}

/* FDS are those of BOX: finds the workspace among them. */
static void name_workspace(const struct keep_box *box, const int *fds, size_t count,
			   char ret[PATH_MAX])
{
	char link[32];
	size_t at = 0;

	ret[0] = '\0';
	for (unsigned i = 0; i < KEEP_FD_WORKSPACE; i++)
		at += box->fds >> i & 1;
	if (!(box->fds & 1U << KEEP_FD_WORKSPACE) || at >= count)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fds[at]);
	ssize_t n = readlink(link, ret, PATH_MAX - 1);
	ret[n > 0 ? n : 0] = '\0';
}

int kept_box_list(struct kept_box *b,
		  void (*each)(void *ctx, const struct keep_box *box, const char *workspace),
		  void *ctx, struct err *err)
{
	struct keep_box box;
	char workspace[PATH_MAX];

	if (tell(b, KEEP_LIST, "", err) < 0)
		return -1;
	for (;;) {
		int fds[KEEP_FDS];
		size_t count = KEEP_FDS;
		uint32_t kind = receive(b, &box, sizeof(box), fds, &count);
		if (kind == KEEP_BOX)
			name_workspace(&box, fds, count, workspace);
		for (size_t i = 0; kind && i < count; i++)
			scope_close(&fds[i]);
		if (kind == KEEP_DONE)
			return 0;
		if (kind != KEEP_BOX)
			return lost_keeper(err);
		box.name[sizeof(box.name) - 1] = '\0';
		box.conversation[sizeof(box.conversation) - 1] = '\0';
		each(ctx, &box, workspace);
	}
}

struct boxes_of {
	const char *conversation;
	size_t count;
	char name[KEEP_BOXES_MAX][KEEP_NAME_MAX];
};

static void note_box(void *ctx, const struct keep_box *box, const char *workspace)
{
	struct boxes_of *of = ctx;

	(void)workspace;
	if (strcmp(box->conversation, of->conversation) == 0 && of->count < KEEP_BOXES_MAX)
		memcpy(of->name[of->count++], box->name, KEEP_NAME_MAX);
}

int kept_box_stop_all(int state, const char *conversation, struct err *err)
{
	AUTO_KEPT_BOX struct kept_box list = KEPT_BOX_NONE;
	struct boxes_of of = {.conversation = conversation};
	struct keep_done done;
	int r = kept_box_connect(&list, state, false, err);

	if (r != 0)
		return r < 0 ? -1 : 0;
	r = kept_box_list(&list, note_box, &of, err);
	for (size_t i = 0; r == 0 && i < of.count; i++) {
		AUTO_KEPT_BOX struct kept_box b = KEPT_BOX_NONE;
		r = kept_box_connect(&b, state, false, err) != 0 ||
				    kept_box_use(&b, of.name[i], err) < 0 ||
				    kept_box_tell(&b, KEEP_STOP, of.name[i], &done, err) < 0
			    ? -1
			    : 0;
	}
	return r;
}

void kept_box_close(struct kept_box *b)
{
	live_close(&b->live);
	scope_close(&b->socket);
	for (size_t i = 0; i < KEEP_FDS; i++)
		scope_close(&b->fds[i]);
	if (b->spec_bytes)
		munmap((void *)b->spec_bytes, b->spec_len);
	b->spec_bytes = NULL;
}
