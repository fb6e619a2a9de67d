/* SPDX-License-Identifier: MIT
 *
 * See deliver.h. Commands come from the configuration, never from a caller. An operator's command
 * gets no variable of the caller's environment. A user's own command gets those that lead to their
 * desktop. URLs are posted by cordon-notify, see notify/notify.h.
 */
#include "gate/deliver.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/self.h"
#include "base/spawn.h"
#include "notify/notify.h"

enum { SECRET_MAX = 256, EVENT_MAX = 64, ID_BYTES = 16, MESSAGE_MAX = 300 };

/* A program to start. Its file descriptors are above every number that they are moved to. */
struct program {
	const char *path;
	char *const *argv, *const *env;
	int body, words; /* WORDS is -1 if the program gets no words */
};

static int lift(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, SPAWN_HIGH_FD);

	scope_close(&fd);
	return high;
}

static int make_actions(posix_spawn_file_actions_t *actions, const struct program *p, int errors)
{
	if (posix_spawn_file_actions_adddup2(actions, p->body, STDIN_FILENO) ||
	    posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) ||
	    posix_spawn_file_actions_adddup2(actions, errors, STDERR_FILENO) ||
	    (p->words >= 0 && posix_spawn_file_actions_adddup2(actions, p->words, NOTIFY_WORDS_FD)))
		return -1;
	return 0;
}

/* Gives the program a process group of its own, so that all of it can be killed at once. */
static int make_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	return posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF) ||
			       posix_spawnattr_setpgroup(attr, 0) ||
			       posix_spawnattr_setsigmask(attr, &none) ||
			       posix_spawnattr_setsigdefault(attr, &all)
		       ? -1
		       : 0;
}

static int start(const struct program *p, int errors, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;

	if (posix_spawn_file_actions_init(&actions) != 0 || posix_spawnattr_init(&attr) != 0) {
		errno = ENOMEM; /* neither object owns anything when its init fails */
		return -1;
	}
	int r = make_actions(&actions, p, errors) < 0 || make_attributes(&attr) < 0 ? ENOMEM : 0;
	if (r == 0)
		r = posix_spawn(ret, p->path, &actions, &attr, p->argv, p->env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	errno = r;
	return r == 0 ? 0 : -1;
}

/* Waits until the program has ended. Keeps the first part of its standard error in MESSAGE and
 * drops the rest. 1: it has ended. 0: the timeout is reached. -1: its end cannot be observed. */
static int watch(pid_t pid, int errors, char message[MESSAGE_MAX + 1])
{
	AUTO_CLOSE int process = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd p[] = {{process, POLLIN, 0}, {errors, POLLIN, 0}};
	uint64_t end = io_now_ns() + DELIVER_MS * UINT64_C(1000000), now;
	char dropped[512];
	size_t len = 0;

	if (process < 0)
		return -1;
	while ((now = io_now_ns()) < end) {
		int n = poll(p, ARRAY_SIZE(p), (int)((end - now) / 1000000) + 1);
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0 && p[1].revents) {
			bool full = len == MESSAGE_MAX;
			ssize_t got = read(errors, full ? dropped : message + len,
					   full ? sizeof(dropped) : MESSAGE_MAX - len);
			len += got > 0 && !full ? (size_t)got : 0;
			p[1].fd = got > 0 ? errors : -1;
		}
		/* Do not wait for the end of the stream: a child may keep it open. */
		if (n > 0 && p[0].revents)
			return 1;
	}
	return 0;
}

/* Makes the program's message the cause of the error, as one line. */
static void explain(struct err *err, char *message)
{
	size_t len = strlen(message);

	while (len && isspace((unsigned char)message[len - 1]))
		message[--len] = '\0';
	for (char *p = message; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = ' ';
	if (len)
		err_cause(err, "%s", message);
}

static int run(const struct program *p, const char *name, struct err *err)
{
	char message[MESSAGE_MAX + 1] = "";
	int pair[2] = {-1, -1}, status = 0;
	pid_t pid, reaped;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return err_errno(err, ERR_SYSTEM, "starting %s", name);
	AUTO_CLOSE int ours = pair[0];
	AUTO_CLOSE int theirs = lift(pair[1]);
	if (theirs < 0 || start(p, theirs, &pid) < 0)
		return spawn_explain(err, name);
	scope_close(&theirs);
	int ended = watch(pid, ours, message), why = errno;
	if (ended <= 0)
		kill(-pid, SIGKILL);
	do
		reaped = waitpid(pid, &status, 0);
	while (reaped < 0 && errno == EINTR);
	errno = why;
	if (ended < 0)
		return err_errno(err, ERR_SYSTEM, "waiting for %s", name);
	if (ended == 0)
		return err_set(err, ERR_LIMIT, "%s did not end within %d seconds", name,
			       DELIVER_MS / 1000);
	if (reaped == pid && status == 0)
		return 0;
	if (WIFSIGNALED(status))
		err_set(err, ERR_SYSTEM, "%s was ended by signal %d", name, WTERMSIG(status));
	else
		err_set(err, ERR_SYSTEM, "%s failed with status %d", name, WEXITSTATUS(status));
	explain(err, message);
	return -1;
}

static int find_command(const char *name, char ret[PATH_MAX], struct err *err)
{
	static const char *const places[] = {"/usr/local/bin", "/usr/bin", "/bin"};

	if (name[0] == '/' && strlen(name) < PATH_MAX) {
		memcpy(ret, name, strlen(name) + 1);
		return 0;
	}
	for (size_t i = 0; name[0] && !strchr(name, '/') && i < ARRAY_SIZE(places); i++)
		if (snprintf(ret, PATH_MAX, "%s/%s", places[i], name) < PATH_MAX &&
		    access(ret, X_OK) == 0)
			return 0;
	err_set(err, ERR_INPUT, "there is no command %.200s", name);
	err_cure(err, "give its absolute path, or install it in /usr/local/bin");
	return -1;
}

/* The variables of the caller's environment that a user's own command gets. It needs these to find
 * the user's files and desktop. A variable of the dynamic loader would run code in the command. */
static const char *const kept_variables[] = {"HOME",
					     "USER",
					     "LOGNAME",
					     "LANG",
					     "TZ",
					     "DISPLAY",
					     "WAYLAND_DISPLAY",
					     "XAUTHORITY",
					     "XDG_RUNTIME_DIR",
					     "DBUS_SESSION_BUS_ADDRESS",
					     "TMUX"};

static bool is_kept(const char *variable)
{
	for (size_t i = 0; i < ARRAY_SIZE(kept_variables); i++) {
		size_t len = strlen(kept_variables[i]);
		if (strncmp(variable, kept_variables[i], len) == 0 && variable[len] == '=')
			return true;
	}
	return false;
}

static int to_command(const struct config_target *to, const char *event, int body, struct err *err)
{
	char *argv[CONFIG_WORDS_MAX + 1] = {NULL};
	char path[PATH_MAX], variable[EVENT_MAX + 16];
	char *env[ARRAY_SIZE(kept_variables) + 3] = {(char[]){"PATH=/usr/local/bin:/usr/bin:/bin"},
						     variable};
	size_t count = 2;

	if (find_command(to->command[0], path, err) < 0)
		return -1;
	for (size_t i = 0; i < to->commandc; i++)
		argv[i] = (char *)to->command[i];
	for (char **v = environ; !to->is_operators && v && *v; v++)
		if (count < ARRAY_SIZE(env) - 1 && is_kept(*v))
			env[count++] = *v;
	snprintf(variable, sizeof(variable), "CORDON_EVENT=%s", event);
	const struct program p = {path, argv, env, body, -1};
	return run(&p, path, err);
}

static int refuse_secret(const char *path, const char *why, struct err *err)
{
	err_set(err, ERR_INPUT, "the secret %.200s cannot be used", path);
	err_cause(err, "%s", why);
	err_cure(err, "umask 077; echo whsec_$(head -c 32 /dev/urandom | base64) >FILE; give it "
		      "to the server too");
	return -1;
}

/* A group may read root's secret: the accounts that run cordon are in it. */
static mode_t modes_of_others(const struct stat *st)
{
	return st->st_uid == 0 ? S_IWGRP | S_IXGRP | S_IRWXO : S_IRWXG | S_IRWXO;
}

static int refuse_closed(const char *path, struct err *err)
{
	refuse_secret(path, strerror(EACCES), err);
	err_cure(err,
		 "as root: chgrp GROUP %.100s; chmod 640 %.100s, for a group of the accounts that "
		 "run cordon",
		 path, path);
	return -1;
}

/* Reads a secret of one line. Only its owner may have access to it; a group may read root's. */
static int read_secret(const char *path, char ret[SECRET_MAX], struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 && errno == EACCES)
		return refuse_closed(path, err);
	if (fd < 0 || fstat(fd, &st) < 0)
		return refuse_secret(path, strerror(errno), err);
	if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0))
		return refuse_secret(path, "it is not a regular file owned by you or root", err);
	if (st.st_mode & modes_of_others(&st)) {
		refuse_secret(path, "other users can read or write it", err);
		err_cure(err, "chmod %s %.200s", st.st_uid == 0 ? "640" : "600", path);
		return -1;
	}
	if (io_take_text(fd, ret, SECRET_MAX) < 0 ||
	    strncmp(ret, NOTIFY_SECRET_PREFIX, strlen(NOTIFY_SECRET_PREFIX)) != 0 ||
	    strchr(ret, '\n'))
		return refuse_secret(path, "it is not one line " NOTIFY_SECRET_PREFIX "BASE64",
				     err);
	return 0;
}

int deliver_check_secret(const char *path, struct err *err)
{
	char secret[SECRET_MAX];
	int r = read_secret(path, secret, err);

	explicit_bzero(secret, sizeof(secret));
	return r;
}

static int make_message(const struct config_target *to, const char *event, struct err *err)
{
	char secret[SECRET_MAX], text[NOTIFY_WORDS_MAX], id[2 * ID_BYTES + 1];
	uint8_t random[ID_BYTES];

	if (!to->secret_file)
		return refuse_secret(
			"(none)", "a message to a URL is signed, and no secret_file is configured",
			err);
	if (read_secret(to->secret_file, secret, err) < 0)
		return -1;
	randombytes_buf(random, sizeof(random));
	sodium_bin2hex(id, sizeof(id), random, sizeof(random));
	int n = snprintf(text, sizeof(text), "%s\n%s\nmsg_%s\n%lld\n%s\n", to->url, event, id,
			 (long long)time(NULL), secret);
	explicit_bzero(secret, sizeof(secret));
	if (n >= NOTIFY_WORDS_MAX || strchr(to->url, '\n')) {
		explicit_bzero(text, sizeof(text));
		return err_set(err, ERR_INPUT, "the URL is too long, or has a newline in it");
	}
	int fd = lift(io_sealed_memfd("cordon-notify", text, (size_t)n));
	explicit_bzero(text, sizeof(text));
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		err_errno(err, ERR_SYSTEM, "making a message");
	return fd;
}

static int to_url(const struct config_target *to, const char *event, int body, struct err *err)
{
	static char name[] = NOTIFY_PROGRAM;
	char *const argv[] = {name, NULL}, *const env[] = {NULL};
	char path[PATH_MAX];

	if (self_find(NOTIFY_PROGRAM, path, err) < 0) {
		err_cure(err,
			 "build it (it needs libcurl4-openssl-dev) and install it with cordon");
		return -1;
	}
	AUTO_CLOSE int words = make_message(to, event, err);
	if (words < 0)
		return -1;
	const struct program p = {path, argv, env, body, words};
	return run(&p, NOTIFY_PROGRAM, err);
}

static bool is_word(const char *event)
{
	size_t len = strlen(event);

	return len && len < EVENT_MAX && strspn(event, "abcdefghijklmnopqrstuvwxyz.") == len;
}

int deliver(const struct config_target *to, const char *event, const char *body, size_t len,
	    struct err *err)
{
	if (!to->commandc && !to->url)
		return 0;
	if (!is_word(event))
		return err_set(err, ERR_USAGE, "invalid event name: %.64s", event);
	if (len > DELIVER_BODY_MAX)
		return err_set(err, ERR_LIMIT, "a message has at most %d bytes", DELIVER_BODY_MAX);
	AUTO_CLOSE int fd = lift(io_sealed_memfd("cordon-message", body, len));
	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return err_errno(err, ERR_SYSTEM, "making a message");
	return to->commandc ? to_command(to, event, fd, err) : to_url(to, event, fd, err);
}
