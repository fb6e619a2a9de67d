/* SPDX-License-Identifier: MIT
 *
 * Starts cordon-box, for a live box and to remove what a killed one has left, and cordon-egress.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "base/self.h"
#include "base/spawn.h"
#include "keeper/boxes.h"
#include "model/egress_message.h"
#include "model/spec.h"

int start_box(int *ret_socket, pid_t *ret_pid, struct err *err)
{
	static char name[] = "cordon-box", *const env[] = {NULL};
	char path[PATH_MAX];
	int pair[2];

	if (self_find(name, path, err) < 0) {
		err_cure(err, "install all programs of Cordon together");
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	AUTO_CLOSE int ours = pair[0], theirs = pair[1];
	AUTO_CLOSE int lifted = fcntl(theirs, F_DUPFD_CLOEXEC, SPAWN_HIGH_FD);
	const struct spawn_fd fds[] = {{lifted, RESULT_FD}};
	if (lifted < 0)
		return err_errno(err, ERR_SYSTEM, "moving a descriptor");
	if (spawn_program(path, name, env, fds, ARRAY_SIZE(fds), ret_pid) < 0)
		return spawn_explain(err, path);
	*ret_socket = scope_take_fd(&ours);
	return 0;
}

static int send_job(int socket, struct err *err)
{
	AUTO_PAGES struct spec *spec = pages_new(sizeof(*spec));
	AUTO_FREE uint8_t *data = NULL;
	AUTO_CLOSE int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	uint32_t kind = WIRE_SPEC;
	int fds[WIRE_FDS];
	size_t len;

	if (!spec)
		return err_memory(err);
	spec->job = JOB_SWEEP;
	spec->cwd = spec->program = "/";
	spec->argv[spec->argc++] = "job";
	for (int i = 0; i < LIMIT_COUNT; i++)
		spec->limit[i] = limit_row((enum limit_id)i)->fallback;
	if (spec_encode(spec, &data, &len, err) < 0)
		return -1;
	AUTO_CLOSE int sealed = io_sealed_memfd("cordon-spec", data, len);
	for (int i = 0; i < WIRE_FDS; i++)
		fds[i] = i == WIRE_FD_SPEC ? sealed : null;
	return sealed < 0 || null < 0 ? -1
				      : io_send_fds(socket, &kind, sizeof(kind), fds, WIRE_FDS);
}

void start_box_to_sweep(void)
{
	AUTO_CLOSE int socket = -1;
	union keeper_message m;
	struct err ignored;
	int fd = -1;
	pid_t pid;

	if (start_box(&socket, &pid, &ignored) < 0)
		return;
	if (send_job(socket, &ignored) == 0)
		while (io_recv(socket, &m, sizeof(m), &fd) > 0)
			scope_close(&fd);
	scope_close(&socket);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int make_pair(int *ours, int *lifted)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	*ours = pair[0];
	*lifted = fcntl(pair[1], F_DUPFD_CLOEXEC, SPAWN_HIGH_FD);
	close(pair[1]);
	return *lifted < 0 ? -1 : 0;
}

int start_egress(int *ret_control, int *ret_box, struct err *err)
{
	static char name[] = "cordon-egress", *const env[] = {NULL};
	AUTO_CLOSE int control = -1, box = -1, its_control = -1, its_box = -1;
	char path[PATH_MAX];
	pid_t pid;

	if (self_find(name, path, err) < 0) {
		err_cure(err, "install it in the directory of cordon, or leave out --net");
		return -1;
	}
	if (make_pair(&control, &its_control) < 0 || make_pair(&box, &its_box) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	const struct spawn_fd fds[] = {{its_control, EGRESS_CONTROL_FD}, {its_box, EGRESS_BOX_FD}};
	if (spawn_program(path, name, env, fds, ARRAY_SIZE(fds), &pid) < 0)
		return spawn_explain(err, path);
	*ret_control = scope_take_fd(&control);
	*ret_box = scope_take_fd(&box);
	return 0;
}
