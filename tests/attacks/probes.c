/* SPDX-License-Identifier: MIT */
/*
 * The multi-call program of the attack corpus: "probes NAME key=value...", one static binary, so
 * that it runs in any root directory and in tiny virtual machines. "probes --list" prints the
 * table. Static also because a probe must not depend on what the box chose to mount.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct probe *const groups[] = {
	files_probes,	  proc_probes,	procs_probes,	  kernel_probes, exec_probes,
	net_probes,	  tty_probes,	limits_probes,	  floods_probes, memory_probes,
	workspace_probes, creds_probes, kernelmem_probes,
};

const char *arg_text(const struct args *args, const char *key, const char *fallback)
{
	size_t length = strlen(key);

	for (int i = 0; i < args->argc; i++) {
		const char *word = args->argv[i];

		if (strncmp(word, key, length) == 0 && word[length] == '=')
			return word + length + 1;
	}
	return fallback;
}

long arg_number(const struct args *args, const char *key, long fallback)
{
	const char *text = arg_text(args, key, NULL);

	return text ? strtol(text, NULL, 0) : fallback;
}

__attribute__((format(printf, 2, 0))) static void say(const char *verdict, const char *format,
						      va_list list)
{
	char detail[512];

	vsnprintf(detail, sizeof(detail), format, list);
	dprintf(STDOUT_FILENO, "\n%s %s\n", verdict, detail);
}

int held(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say("HELD", format, list);
	va_end(list);
	return 0;
}

int escaped(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say("ESCAPED", format, list);
	va_end(list);
	return 1;
}

int must_fail(const char *what, long rc)
{
	if (rc < 0)
		return held("%s: %s", what, strerrorname_np(errno));
	return escaped("%s gave %ld", what, rc);
}

int errno_is_shut(int error)
{
	return error == EPERM || error == ENOSYS || error == EACCES || error == EOPNOTSUPP ||
	       error == EAFNOSUPPORT;
}

int must_be_shut(const char *what, long rc)
{
	if (rc < 0 && errno_is_shut(errno))
		return held("%s: %s", what, strerrorname_np(errno));
	if (rc < 0)
		return escaped("%s was reached: %s", what, strerrorname_np(errno));
	return escaped("%s gave %ld", what, rc);
}

long slurp(const char *path, char *buffer, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long got = -1;

	if (fd >= 0) {
		got = read(fd, buffer, size - 1);
		close(fd);
	}
	buffer[got > 0 ? got : 0] = '\0';
	return got;
}

int show_stolen(const char *what, int fd)
{
	char buffer[256] = "";
	long got = pread(fd, buffer, sizeof(buffer) - 1, 0);

	if (got < 0)
		got = read(fd, buffer, sizeof(buffer) - 1);
	if (got < 0)
		return held("%s: opened, unreadable: %s", what, strerrorname_np(errno));
	return escaped("%s: %s", what, buffer);
}

int must_not_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? must_fail(path, fd) : show_stolen(path, fd);
}

int must_not_write(const char *path)
{
	return must_fail(path, open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC));
}

int copy_self(const char *path)
{
	char block[65536];
	long got = 0;
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	while (in >= 0 && out >= 0 && (got = read(in, block, sizeof(block))) > 0)
		if (write(out, block, (size_t)got) != got)
			got = -1;
	if (in < 0 || out < 0)
		got = -1;
	close(in);
	close(out);
	return got == 0 ? 0 : -1;
}

int child_status(int pid)
{
	int status = 0;

	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int try_exec(void (*attempt)(const void *what), const void *what)
{
	int error = 0;
	int report[2];
	int pid;

	if (pipe2(report, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		return errno;
	if (pid == 0) {
		attempt(what);
		error = errno;
		if (write(report[1], &error, sizeof(error)) < 0)
			_exit(3);
		_exit(2);
	}
	close(report[1]);
	/* The close-on-exec pipe ends without a word only when another program took over: a child
	 * that was killed before its exec would too, so the status is looked at as well. */
	if (read(report[0], &error, sizeof(error)) != sizeof(error))
		error = 0;
	close(report[0]);
	if (child_status(pid) == 128 + 31 && error == 0)
		error = ENOSYS;
	return error;
}

static const struct probe *find(const char *name)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (const struct probe *probe = groups[i]; probe->name; probe++)
			if (strcmp(probe->name, name) == 0)
				return probe;
	return NULL;
}

static int list_all(void)
{
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		for (const struct probe *probe = groups[i]; probe->name; probe++)
			printf("%-24s %s\n", probe->name, probe->tries);
	return 0;
}

int main(int argc, char **argv)
{
	struct args args = {.argc = argc, .argv = argv};
	const struct probe *probe;

	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list_all();
	if (argc < 2 || !(probe = find(argv[1]))) {
		fprintf(stderr, "probes: no such probe: %s\n", argc < 2 ? "" : argv[1]);
		return 3;
	}
	return probe->fn(&args);
}
