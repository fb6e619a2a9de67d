/* SPDX-License-Identifier: MIT
 *
 * ssh-keygen reads its input from sealed memory files: no other process can change them, and no file is
 * left in a directory. It runs as the caller. Only when it signs does it get the variables that an agent or
 * a PIN prompt needs.
 */
#include "trust/ssh_keygen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "store/buf.h"

enum {
	OUTPUT_MAX = 16 << 10,
	VERIFY_MS = SSH_VERIFY_MS,
	SIGN_MS = 5 * 60 * 1000, /* a person may have to fetch a hardware key */
	COLUMNS = 70,
	FIRST_FD = 3, /* the number of its first file */
	FILES_MAX = 2,
};

void ssh_armour(const char *signature, struct buf *out)
{
	size_t len = strlen(signature);

	buf_str(out, SSH_BEGIN);
	for (size_t at = 0; at < len; at += COLUMNS) {
		buf_add(out, signature + at, len - at < COLUMNS ? len - at : COLUMNS);
		buf_str(out, "\n");
	}
	buf_str(out, SSH_END);
}

/* Armouring the result again must give the same bytes. */
int ssh_unarmour(const char *text, size_t len, struct arena *a, const char **ret, struct err *err)
{
	size_t begin = sizeof(SSH_BEGIN) - 1, end = sizeof(SSH_END) - 1, count = 0;
	AUTO_BUF struct buf again = {.most = (size_t)2 * SSH_SIGNATURE_MAX};

	if (len <= begin + end || len > (size_t)2 * SSH_SIGNATURE_MAX ||
	    memcmp(text, SSH_BEGIN, begin) != 0)
		return err_set(err, ERR_INPUT, "not an SSH signature");
	char *base64 = arena_alloc(a, len + 1);
	if (!base64)
		return err_memory(err);
	for (size_t i = begin; i < len - end; i++)
		if (text[i] != '\n')
			base64[count++] = text[i];
	base64[count] = '\0';
	if (count <= SSH_SIGNATURE_MAX)
		ssh_armour(base64, &again);
	if (again.failed || again.len != len || memcmp(again.data, text, len) != 0)
		return err_set(err, ERR_INPUT,
			       "the SSH signature is not in the form that ssh-keygen writes");
	*ret = base64;
	return 0;
}

struct keygen {
	const char *const *argv;
	bool signs; /* it may talk to the caller and to their agent */
	int in, file[FILES_MAX];
	size_t filec;
	char output[OUTPUT_MAX + 1];
	size_t len;
	int status;
};

/* The variables that an agent, a PIN prompt and a hardware key need. */
static const char *const passed[] = {
	"HOME=",    "SSH_AUTH_SOCK=",		"SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=",
	"DISPLAY=", "WAYLAND_DISPLAY=",		"XAUTHORITY=",	"XDG_RUNTIME_DIR=",
	"TERM=",    "DBUS_SESSION_BUS_ADDRESS="};
enum { ENV_MAX = sizeof(passed) / sizeof(passed[0]) + 2 };

static void fill_environment(const struct keygen *k, char *ret[ENV_MAX])
{
	size_t count = 0;

	for (size_t i = 0; k->signs && i < ARRAY_SIZE(passed); i++)
		for (char **e = environ; *e; e++)
			if (strncmp(*e, passed[i], strlen(passed[i])) == 0) {
				ret[count++] = *e;
				break;
			}
	ret[count++] = "PATH=/usr/bin:/bin";
	ret[count] = NULL;
}

static int cannot_run(int number, struct err *err)
{
	errno = number;
	err_errno(err, ERR_SYSTEM, "running " SSH_KEYGEN);
	if (number == ENOENT) {
		err_cause(err, "the OpenSSH client is not installed");
		err_cure(err, "install the package openssh-client");
	}
	return -1;
}

static int start(const struct keygen *k, int out, pid_t *ret, struct err *err)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t how;
	char *env[ENV_MAX];
	sigset_t none, usual;

	if (posix_spawn_file_actions_init(&actions))
		return err_memory(err);
	if (posix_spawnattr_init(&how)) {
		posix_spawn_file_actions_destroy(&actions);
		return err_memory(err);
	}
	sigemptyset(&none);
	sigfillset(&usual);
	fill_environment(k, env);
	int r = posix_spawnattr_setsigmask(&how, &none);
	r = r ? r : posix_spawnattr_setsigdefault(&how, &usual);
	r = r ? r : posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	r = r ? r : posix_spawn_file_actions_adddup2(&actions, k->in, STDIN_FILENO);
	r = r ? r : posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!k->signs)
		r = r ? r : posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
	for (size_t i = 0; i < k->filec; i++)
		r = r ? r
		      : posix_spawn_file_actions_adddup2(&actions, k->file[i], FIRST_FD + (int)i);
	r = r ? r : posix_spawn(ret, SSH_KEYGEN, &actions, &how, (char *const *)k->argv, env);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&actions);
	return r ? cannot_run(r, err) : 0;
}

/* Reads until the program closes its output. False: it took too long or printed too much. */
static bool read_output(struct keygen *k, int fd, uint64_t end_ns)
{
	for (;;) {
		uint64_t now = io_now_ns();
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (now >= end_ns)
			return false;
		int n = poll(&p, 1, (int)((end_ns - now) / 1000000U) + 1);
		if (n < 0 && errno == EINTR)
			continue;
		ssize_t got = n > 0 ? read(fd, k->output + k->len, OUTPUT_MAX - k->len) : -1;
		if (got < 0 && n > 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0 && k->len < OUTPUT_MAX;
		k->len += (size_t)got;
	}
}

/* Waits until the program ends; kills it at once if KILLS is set, otherwise at END_NS. */
static bool wait_for(pid_t pid, bool kills, uint64_t end_ns, int *ret_status)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	if (kills)
		kill(pid, SIGKILL);
	for (;;) {
		pid_t got = waitpid(pid, ret_status, kills ? 0 : WNOHANG);
		if (got == pid || (got < 0 && errno != EINTR))
			return got == pid && !kills;
		if (!kills && io_now_ns() >= end_ns) {
			kill(pid, SIGKILL);
			kills = true;
			continue;
		}
		if (!kills)
			nanosleep(&pause, NULL);
	}
}

static int run(struct keygen *k, struct err *err)
{
	int ms = k->signs ? SIGN_MS : VERIFY_MS, ends[2];
	uint64_t end_ns = io_now_ns() + (uint64_t)ms * 1000000U;
	pid_t pid = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(err, ERR_SYSTEM, "creating a pipe");
	AUTO_CLOSE int in = ends[0];
	AUTO_CLOSE int low = ends[1];
	AUTO_CLOSE int out = fcntl(low, F_DUPFD_CLOEXEC, SPAWN_HIGH_FD);
	scope_close(&low);
	if (out < 0)
		return err_errno(err, ERR_SYSTEM, "creating a pipe");
	if (start(k, out, &pid, err) < 0)
		return -1;
	scope_close(&out);
	bool is_whole = read_output(k, in, end_ns);
	k->output[k->len] = '\0';
	bool ended = wait_for(pid, !is_whole, end_ns, &k->status);
	if (ended && WIFEXITED(k->status))
		return 0;
	err_set(err, ERR_SYSTEM, SSH_KEYGEN " failed");
	err_cure(err, "run it by hand: ssh-keygen -Y sign");
	if (k->len == OUTPUT_MAX)
		err_cause(err, "it printed more than %d bytes", OUTPUT_MAX);
	else if (!ended)
		err_cause(err, "it took longer than %d seconds", ms / 1000);
	else
		err_cause(err, "it was killed by signal %d", WTERMSIG(k->status));
	return -1;
}

/* The descriptor's number is above those that the child will use. */
static int sealed(const void *data, size_t len, struct err *err)
{
	AUTO_CLOSE int low = io_sealed_memfd("cordon-approval", data, len);
	int fd = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, SPAWN_HIGH_FD);

	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return err_errno(err, ERR_SYSTEM, "creating a memory file");
	return fd;
}

static void first_line(char *text)
{
	text[strcspn(text, "\r\n")] = '\0';
	for (char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

int ssh_sign(const char *key_file, const void *text, size_t len, struct arena *a, const char **ret,
	     struct err *err)
{
	const char *const argv[] = {"ssh-keygen", "-q", "-Y",	       "sign", "-f",
				    key_file,	  "-n", SSH_NAMESPACE, NULL};
	AUTO_CLOSE int in = sealed(text, len, err);
	AUTO_FREE struct keygen *k = calloc(1, sizeof(*k));

	if (in < 0)
		return -1;
	if (!k)
		return err_memory(err);
	*k = (struct keygen){.argv = argv, .signs = true, .in = in};
	if (run(k, err) < 0)
		return -1;
	if (WEXITSTATUS(k->status) == 0 && ssh_unarmour(k->output, k->len, a, ret, err) == 0)
		return 0;
	if (WEXITSTATUS(k->status) == 0)
		return -1;
	err_set(err, ERR_INPUT, "signing with the key %.200s failed", key_file);
	if (access(key_file, R_OK) < 0)
		err_cause(err, "%s", strerror(errno));
	err_cure(err, "name a private key, or the .pub file of a key in the agent "
		      "(ssh-add -l); make one with ssh-keygen -t ed25519");
	return -1;
}

int ssh_verify(const struct ssh_signer *signer, const void *text, size_t len, const char *signature,
	       struct err *why, struct err *err)
{
	const char *const argv[] = {"ssh-keygen",      "-Y", "verify",		"-f",
				    "/proc/self/fd/3", "-I", signer->name,	"-n",
				    SSH_NAMESPACE,     "-s", "/proc/self/fd/4", NULL};
	AUTO_BUF struct buf line = {.most = (size_t)2 * SSH_KEY_MAX};
	AUTO_BUF struct buf armour = {.most = (size_t)2 * SSH_SIGNATURE_MAX};
	AUTO_FREE struct keygen *k = calloc(1, sizeof(*k));

	buf_printf(&line, "%s %s%s\n", signer->name, signer->options, signer->key);
	ssh_armour(signature, &armour);
	if (!k || line.failed || armour.failed)
		return err_memory(err);
	AUTO_CLOSE int in = sealed(text, len, err);
	AUTO_CLOSE int keys = in < 0 ? -1 : sealed(line.data, line.len, err);
	AUTO_CLOSE int sig = keys < 0 ? -1 : sealed(armour.data, armour.len, err);
	if (sig < 0)
		return -1;
	*k = (struct keygen){.argv = argv, .in = in, .file = {keys, sig}, .filec = 2};
	if (run(k, err) < 0)
		return -1;
	if (WEXITSTATUS(k->status) == 0)
		return 1;
	first_line(k->output);
	err_set(why, ERR_REFUSED, "the signature does not match this answer and key");
	err_cause(why, SSH_KEYGEN " says: %.200s", k->output);
	if (strncmp(k->output, "No user exists", 14) == 0)
		err_cure(why, "add a line for this account to /etc/passwd: ssh-keygen needs one");
	return 0;
}
