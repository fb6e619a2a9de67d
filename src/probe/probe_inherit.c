/* SPDX-License-Identifier: MIT
 *
 * Canaries for what a program must not inherit: terminal, descriptors, environment. They plant
 * bait and then run the real last steps of a run, up to a real exec: of cordon-probe itself,
 * which without its socket prints one line and exits. It prints to a full pipe, so it blocks
 * there while its parent examines it.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "probe/probe.h"

#define SELF "/proc/self/exe"
#define VARIABLE "CORDON_VARIABLE=1"
#define BAIT_NAME "CORDON_BAIT"

/* Both ends stay open here. The pipe is full, so the program's write blocks. */
static int full_pipe(int *ret_read)
{
	char block[4096] = {0};
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	while (write(ends[1], block, sizeof(block)) > 0)
		;
	fcntl(ends[1], F_SETFL, 0);
	*ret_read = ends[0];
	return ends[1];
}

/* The libraries are for builds that are not static. */
static const struct spec_bind binds[] = {
	{SELF, SELF, BIND_PROGRAM | BIND_CODE, {0}},
	{"/lib", "/lib", BIND_PROGRAM | BIND_CODE | BIND_OPTIONAL, {0}},
	{"/lib64", "/lib64", BIND_PROGRAM | BIND_CODE | BIND_OPTIONAL, {0}},
	{"/usr/lib", "/usr/lib", BIND_PROGRAM | BIND_CODE | BIND_OPTIONAL, {0}},
};

/* In the child. The bait is the write end of the pipe, which becomes the program's standard error. */
static int become_program(struct probe *p, struct err *err)
{
	if (dup2(p->bait, STDERR_FILENO) < 0)
		return probe_untried(err, "blocking standard error");
	p->box.ctl = p->ctl;
	program_exec(&p->box, -1);
}

static int start_program(struct probe *p, probe_fn *inside, probe_fn *look, struct err *err)
{
	struct probe_part part = {.inside = inside, .ended = look};
	AUTO_CLOSE int reader = -1;
	AUTO_CLOSE int writer = full_pipe(&reader);

	if (writer < 0)
		return probe_untried(err, "making a pipe");
	p->bait = writer;
	p->spec.program = SELF;
	p->spec.argv[p->spec.argc++] = SELF;
	p->spec.env[p->spec.envc++] = VARIABLE;
	for (size_t i = 0; i < ARRAY_SIZE(binds); i++)
		p->spec.bind[p->spec.bindc++] = binds[i];
	return probe_child(p, probe_usual_spaces(p), &part, err);
}

static int read_proc(pid_t pid, const char *file, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : io_read_full(fd, buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
	return (int)n;
}

/* The socket has ended, so the exec is complete or the child is dead. */
static int is_started(pid_t pid, struct err *err)
{
	char name[32];

	errno = 0;
	if (read_proc(pid, "comm", name, sizeof(name)) < 0 || strcmp(name, "exe\n") != 0)
		return probe_untried(err, "starting a program");
	return 0;
}

/* ---- session ---- */

/* A new terminal is the bait. Without one, the canary checks only the session. */
static void take_terminal(void)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), unlock = 0;

	if (terminal < 0 || ioctl(terminal, TIOCSPTLCK, &unlock) < 0)
		return;
	int end = ioctl(terminal, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (end >= 0)
		ioctl(end, TIOCSCTTY, 0);
}

static int in_session(struct probe *p, struct err *err)
{
	if (setsid() < 0)
		return probe_untried(err, "making a session");
	take_terminal();
	pid_t program = fork();
	if (program < 0)
		return probe_untried(err, "starting a process");
	if (program == 0)
		return probe_ready(p, err) < 0 ? -1 : become_program(p, err);
	close(p->ctl);
	while (waitpid(program, NULL, 0) < 0 && errno == EINTR)
		;
	_exit(0);
}

static int read_session(pid_t pid, int *ret_session, int *ret_terminal)
{
	char text[1024];

	if (read_proc(pid, "stat", text, sizeof(text)) <= 0 || !strrchr(text, ')'))
		return -1;
	return sscanf(strrchr(text, ')') + 1, " %*c %*d %*d %d %d", ret_session, ret_terminal) == 2
		       ? 0
		       : -1;
}

static int judge_session(struct probe *p, struct err *err)
{
	int session = 0, terminal = 0;

	if (is_started(p->program, err) < 0)
		return -1;
	if (read_session(p->program, &session, &terminal) < 0)
		return probe_untried(err, "reading its state");
	if (session != p->program)
		return probe_leak(err, "it is in the caller's session");
	if (terminal != 0)
		return probe_leak(err, "it has the caller's terminal");
	return 0;
}

/* Killing the program here lets its parent exit, so no orphan must be found later. */
static int check_session(struct probe *p, struct err *err)
{
	int r = judge_session(p, err);

	if (p->program > 1)
		kill(p->program, SIGKILL);
	return r;
}

int probe_session(struct probe *p, struct err *err)
{
	return start_program(p, in_session, check_session, err);
}

/* ---- fds ---- */

/* Not close-on-exec, like a descriptor that the caller forgot. */
static int in_fds(struct probe *p, struct err *err)
{
	if (dup(p->bait) < 0 || fcntl(p->bait, F_DUPFD, 32) < 0)
		return probe_untried(err, "planting descriptors");
	return become_program(p, err);
}

/* In builds that are not static the loader is already running, and opens and closes libraries. A descriptor
 * that was closed since it was listed is the loader's too: a leaked one would stay open. */
static bool is_from_loader(int dir, const char *name)
{
	static const char *const places[] = {"/lib", "/usr/lib", "/etc/ld.so"};
	char target[PATH_MAX] = "";

	if (readlinkat(dir, name, target, sizeof(target) - 1) < 0)
		return errno == ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (strncmp(target, places[i], strlen(places[i])) == 0)
			return true;
	return false;
}

static int check_fds(struct probe *p, struct err *err)
{
	char path[64];

	if (is_started(p->child, err) < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/fd", p->child);
	AUTO_CLOSEDIR DIR *d = opendir(path);
	if (!d)
		return probe_untried(err, "listing its descriptors");
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		if (isdigit((unsigned char)e->d_name[0]) && atoi(e->d_name) > STDERR_FILENO &&
		    !is_from_loader(dirfd(d), e->d_name))
			return probe_leak(err, "it has descriptor %.8s", e->d_name);
	/* A process that has ended has no descriptors and proves nothing. */
	if (faccessat(dirfd(d), "2", F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return probe_untried(err, "listing its descriptors");
	return 0;
}

int probe_fds(struct probe *p, struct err *err)
{
	return start_program(p, in_fds, check_fds, err);
}

/* ---- env ---- */

static int in_env(struct probe *p, struct err *err)
{
	if (setenv(BAIT_NAME, "1", 1) < 0)
		return probe_untried(err, "planting a variable");
	return become_program(p, err);
}

/* The variable of the spec must be there, or this is the wrong process. */
static int check_env(struct probe *p, struct err *err)
{
	char env[8192];

	if (is_started(p->child, err) < 0)
		return -1;
	int n = read_proc(p->child, "environ", env, sizeof(env));
	for (int at = 0; at < n; at += (int)strlen(env + at) + 1)
		if (strncmp(env + at, BAIT_NAME, sizeof(BAIT_NAME) - 1) == 0)
			return probe_leak(err, "it has a variable of the caller");
	if (n != (int)sizeof(VARIABLE) || strcmp(env, VARIABLE) != 0)
		return err_set(err, ERR_LAYER, "its environment is not the one of the spec");
	return 0;
}

int probe_env(struct probe *p, struct err *err)
{
	return start_program(p, in_env, check_env, err);
}
