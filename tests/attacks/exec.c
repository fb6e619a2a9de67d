/* SPDX-License-Identifier: MIT */
/*
 * Every way to start another program. By default the box grants one exec, its own; with --exec it
 * grants the listed files and nothing else. The program that is started is this one under the
 * name "ran", or a program of the system. What counts is that it ran, not what the call said.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *const ran_argv[] = {"probes", "ran", NULL};
static char *const no_env[] = {NULL};

static int ran(const struct args *args)
{
	(void)args;
	return escaped("another program was executed");
}

static int verdict(const char *what, int error)
{
	return error ? held("%s: %s", what, strerrorname_np(error)) : escaped("%s ran", what);
}

static void by_execve(const void *what)
{
	execve(what, ran_argv, no_env);
}

/* Any file, by path=. Also /proc/self/exe, /proc/self/fd and setuid programs. */
static int exec_path(const struct args *args)
{
	const char *path = arg_text(args, "path", "/bin/sh");

	return verdict(path, try_exec(by_execve, path));
}

/* The other side: a listed program must run, or the whole table would be worth nothing. */
static int exec_listed(const struct args *args)
{
	const char *path = arg_text(args, "path", "/usr/bin/true");
	int error = try_exec(by_execve, path);

	return error ? escaped("%s does not run: %s", path, strerrorname_np(error))
		     : held("%s runs, as asked", path);
}

/* VAREK case 3: a renamed copy is the same program. */
static int exec_copy(const struct args *args)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/harmless.txt", arg_text(args, "where", "/tmp"));
	if (copy_self(path) < 0)
		return held("copy: %s", strerrorname_np(errno));
	return verdict(path, try_exec(by_execve, path));
}

static int exec_symlink(const struct args *args)
{
	if (symlink(arg_text(args, "path", "/bin/sh"), "link-to-program") < 0)
		return held("symlink: %s", strerrorname_np(errno));
	return verdict("a link", try_exec(by_execve, "link-to-program"));
}

static int exec_hardlink(const struct args *args)
{
	if (link(arg_text(args, "path", "/bin/sh"), "hard-program") < 0)
		return held("link: %s", strerrorname_np(errno));
	return verdict("a hard link", try_exec(by_execve, "hard-program"));
}

static int exec_shebang(const struct args *args)
{
	static const char text[] = "#!/bin/sh\necho ran\n";
	int fd = open("script", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	(void)args;
	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0)
		return held("script: %s", strerrorname_np(errno));
	close(fd);
	return verdict("a script", try_exec(by_execve, "./script"));
}

static int exec_spawn(const struct args *args)
{
	pid_t pid = 0;
	const char *path = arg_text(args, "path", "/bin/true");
	int error = posix_spawn(&pid, path, NULL, NULL, ran_argv, environ);

	return verdict("posix_spawn", error);
}

struct at {
	int fd;
	const char *path;
	int flags;
};

static void by_execveat(const void *what)
{
	const struct at *at = what;

	syscall(SYS_execveat, at->fd, at->path, ran_argv, no_env, at->flags);
}

static int exec_at(const struct args *args)
{
	struct at at = {AT_FDCWD, arg_text(args, "path", "/bin/true"), 0};

	return verdict("execveat", try_exec(by_execveat, &at));
}

static int exec_at_fd(const struct args *args)
{
	const char *path = arg_text(args, "path", "/proc/self/exe");
	struct at at = {open(path, O_PATH | O_CLOEXEC), "", AT_EMPTY_PATH};

	if (at.fd < 0)
		return held("open: %s", strerrorname_np(errno));
	return verdict("execveat of a descriptor", try_exec(by_execveat, &at));
}

/* A rule "only execveat of descriptor N with AT_EMPTY_PATH" is no rule: with an absolute path the
 * kernel ignores the descriptor, and a filter cannot see the string. Every N is tried. */
static int exec_at_absolute(const struct args *args)
{
	struct at at = {0, arg_text(args, "path", "/proc/self/exe"), AT_EMPTY_PATH};
	static const int high[] = {1023, 1024, 4095, 4096, 65535, 65536, 1048576, 0x7fffffff, -1};

	for (at.fd = 0; at.fd < 64; at.fd++)
		if (!try_exec(by_execveat, &at))
			return escaped("descriptor %d with an absolute path", at.fd);
	for (size_t i = 0; i < sizeof(high) / sizeof(high[0]); i++) {
		at.fd = high[i];
		if (!try_exec(by_execveat, &at))
			return escaped("descriptor %d with an absolute path", at.fd);
	}
	return held("no descriptor opens it");
}

/* A program that never was a file. Landlock does not see it: its mount is internal. */
static int exec_memfd(const struct args *args)
{
	unsigned int flags = (unsigned int)arg_number(args, "flags", 0);
	int fd = (int)syscall(SYS_memfd_create, "x", flags);
	char path[64];

	if (fd < 0)
		return held("memfd_create: %s", strerrorname_np(errno));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (copy_self(path) < 0)
		return held("copy: %s", strerrorname_np(errno));
	fchmod(fd, 0755);
	struct at at = {fd, "", AT_EMPTY_PATH};

	if (!try_exec(by_execveat, &at))
		return escaped("execveat of a memfd ran");
	return verdict("a memfd by path", try_exec(by_execve, path));
}

static void by_loader(const void *what)
{
	char *const argv[] = {"ld.so", (char *)what, NULL};

	execve("/lib64/ld-linux-x86-64.so.2", argv, no_env);
	execve("/lib/ld-linux-aarch64.so.1", argv, no_env);
}

/* The loader is a program that runs any file it can read: the old way round an exec list. */
static int exec_loader(const struct args *args)
{
	const char *path = arg_text(args, "path", "/usr/bin/env");
	int status, pid;
	int error = try_exec(by_loader, path);

	if (error)
		return verdict("ld.so", error);
	/* The loader itself may run where it is listed; its target must not. */
	if ((pid = fork()) == 0) {
		by_loader(path);
		_exit(127);
	}
	status = child_status(pid);
	return status ? held("ld.so %s: %d", path, status) : escaped("ld.so %s ran", path);
}

/* The listed program's own bytes, copied and given to the loader: the name does not matter. */
static int exec_loader_copy(const struct args *args)
{
	static char block[1 << 20];
	long got = slurp("/usr/bin/true", block, sizeof(block));
	int pid, status, fd = open("copy", O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

	(void)args;
	if (got < 0 || fd < 0 || write(fd, block, (size_t)got) != got)
		return held("copy: %s", strerrorname_np(errno));
	if ((pid = fork()) == 0) {
		by_loader("./copy");
		_exit(127);
	}
	status = child_status(pid);
	return status ? held("ld.so ./copy: %d", status) : escaped("ld.so ran a written file");
}

/* Mapping a file as code is how the loader runs what execve would not. */
static int map_code(const struct args *args)
{
	char path[4096];
	int fd;
	void *at;

	snprintf(path, sizeof(path), "%s/code", arg_text(args, "where", "/tmp"));
	if (copy_self(path) < 0 || (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return held("copy: %s", strerrorname_np(errno));
	at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	return must_fail("mmap as code", at == MAP_FAILED ? -1 : 0);
}

static void *exec_loop(void *unused)
{
	(void)unused;
	for (int i = 0; i < 50; i++) {
		pid_t pid = vfork();

		if (pid == 0) {
			execve("/proc/self/exe", ran_argv, no_env);
			_exit(99);
		}
		int status = 0;

		if (pid > 0 && waitpid(pid, &status, 0) == pid &&
		    (!WIFEXITED(status) || WEXITSTATUS(status) != 99))
			return (void *)1;
	}
	return NULL;
}

/* A grant that is given once must be gone for every thread and every child. */
static int exec_threads(const struct args *args)
{
	pthread_t thread[8];
	int started = 0, through = 0;

	(void)args;
	for (; started < 8; started++)
		if (pthread_create(&thread[started], NULL, exec_loop, NULL))
			break;
	for (int i = 0; i < started; i++) {
		void *result = NULL;

		pthread_join(thread[i], &result);
		through += result != NULL;
	}
	return through ? escaped("%d of %d threads got through", through, started)
		       : held("%d threads, 50 tries each", started);
}

/* Behind the path stands how often it was rewritten. */
enum { FLIPS_AT = 64 };

static int flip_path(void *shared)
{
	volatile char *path = shared;
	volatile unsigned *flips = (volatile unsigned *)(void *)((char *)shared + FLIPS_AT);

	for (;; ++*flips) {
		memcpy((char *)path, "/proc/self/exe", 15);
		memcpy((char *)path, "/bin/truest", 12);
	}
	return 0;
}

/* In a file: shared memory without one is refused where no cgroup counts it. */
static char *shared_page(void)
{
	int fd = open("shared", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, 4096) < 0)
		return MAP_FAILED;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* VAREK A9: every new pid got one grant, decided on a path that a sibling was rewriting. */
static int exec_race(const struct args *args)
{
	char *path = shared_page();
	int flipper, through = 0;

	(void)args;
	if (path == MAP_FAILED)
		return escaped("no memory to race in: %s", strerrorname_np(errno));
	flipper = fork();
	if (flipper == 0)
		flip_path(path);
	volatile unsigned *flips = (volatile unsigned *)(void *)(path + FLIPS_AT);
	for (int i = 0; i < 55 && flipper > 0; i++) {
		/* Where it has no time there is no race. */
		for (unsigned seen = *flips; *flips == seen;)
			sched_yield();
		through += try_exec(by_execve, path) == 0;
	}
	kill(flipper, SIGKILL);
	return through ? escaped("%d of 55", through) : held("0 of 55");
}

const struct probe exec_probes[] = {
	{"ran", ran, "what the other probes try to start"},
	{"exec-path", exec_path, "execve of path="},
	{"exec-listed", exec_listed, "execve of a listed program, which must work"},
	{"exec-copy", exec_copy, "copy a program to where= and run it"},
	{"exec-symlink", exec_symlink, "run it through a link"},
	{"exec-hardlink", exec_hardlink, "run it through a hard link"},
	{"exec-shebang", exec_shebang, "run a script"},
	{"exec-spawn", exec_spawn, "posix_spawn"},
	{"exec-at", exec_at, "execveat with a path"},
	{"exec-at-fd", exec_at_fd, "execveat with a descriptor"},
	{"exec-at-absolute", exec_at_absolute, "execveat with any descriptor, absolute path"},
	{"exec-memfd", exec_memfd, "run a program out of a memfd"},
	{"exec-loader", exec_loader, "run path= through ld.so"},
	{"exec-loader-copy", exec_loader_copy, "run a written file through ld.so"},
	{"map-code", map_code, "map a written file as code"},
	{"exec-threads", exec_threads, "8 threads x 50 vfork and execve"},
	{"exec-race", exec_race, "rewrite the path during the call"},
	{NULL, NULL, NULL},
};
