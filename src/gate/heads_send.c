/* SPDX-License-Identifier: MIT
 *
 * See heads_send.h. The file heads.sent holds how many bytes of the file heads were delivered, and
 * the last failure. One process delivers; it holds the lock on byte 0. One more waits for it, with
 * the lock on byte 1, and then delivers what others have written meanwhile, so they start no
 * process. If the sender is killed before it writes heads.sent, a head is delivered twice.
 */
#include "gate/heads_send.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owned_dir.h"
#include "base/scope.h"
#include "gate/deliver.h"
#include "gate/gate_state.h"
#include "store/heads.h"
#include "store/jcs.h"
#include "store/state.h"

enum { CHUNK = 64 << 10, NUMBER = 20, SENT_MAX = 1024, HIGH = 64 };
#define EVENT "log.heads"
#define RECORDED '!' /* prefix of a failure that is in the log already */

struct sent {
	uint64_t at;
	char failure[SENT_MAX]; /* empty if the last delivery succeeded */
};

static bool lock(int fd, int command, short type, off_t byte)
{
	struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

	return fcntl(fd, command, &lock) == 0;
}

static void read_sent(int fd, struct sent *ret)
{
	char text[SENT_MAX + 1];
	ssize_t n = pread(fd, text, SENT_MAX, 0);
	char *end = text;

	*ret = (struct sent){0};
	text[n > 0 ? n : 0] = '\0';
	uint64_t at = strtoull(text, &end, 10);
	if (end != text + NUMBER || *end != '\n')
		return;
	ret->at = at;
	snprintf(ret->failure, sizeof(ret->failure), "%s", end + 1);
}

/* One pwrite, so that the file is never half written. */
static bool write_sent(int fd, const struct sent *s)
{
	char text[2 * SENT_MAX];
	int len = snprintf(text, sizeof(text), "%0*llu\n%s", NUMBER, (unsigned long long)s->at,
			   s->failure);

	return pwrite(fd, text, (size_t)len, 0) == len && ftruncate(fd, len) == 0;
}

/* Makes {"event":"log.heads","heads":["81 120 1763496000 ...",...]}. Skips lines that are not
 * heads; a crash can leave such a line. Returns how many bytes of TEXT are finished. The text
 * behind the last newline may be part of a line and counts only if it is a head. */
static size_t make_body(struct buf *body, const char *text, size_t len, size_t *ret_count)
{
	size_t used = 0;

	*ret_count = 0;
	buf_str(body, "{\"event\":\"" EVENT "\",\"heads\":[");
	for (size_t at = 0; at < len;) {
		const char *stop = memchr(text + at, '\n', len - at);
		size_t to = stop ? (size_t)(stop - text) : len;
		bool is_head = heads_is_line(text + at, to - at);
		if (is_head) {
			buf_str(body, (*ret_count)++ ? ",\"" : "\"");
			buf_add(body, text + at, to - at);
			buf_add(body, "\"", 1);
		}
		if (stop || is_head)
			used = stop ? to + 1 : to;
		at = to + 1;
	}
	buf_str(body, "]}");
	return used;
}

/* 1: there may be more, and SENT has advanced. 0: everything is delivered. -1: failed. */
static int send_part(const struct config_target *to, int heads, struct sent *sent, struct err *err)
{
	AUTO_BUF struct buf body = {.most = DELIVER_BODY_MAX};
	AUTO_FREE char *text = malloc(CHUNK);
	struct stat st;
	size_t count = 0;

	if (!text || fstat(heads, &st) < 0)
		return text ? err_errno(err, ERR_SYSTEM, HEADS_FILE) : err_memory(err);
	if (sent->at > (uint64_t)st.st_size) /* the file was replaced */
		sent->at = 0;
	ssize_t n = pread(heads, text, CHUNK, (off_t)sent->at);
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "reading the file " HEADS_FILE);
	size_t used = make_body(&body, text, (size_t)n, &count);
	if (used == 0 && n == CHUNK) /* longer than any line can be */
		used = CHUNK;
	if (used == 0)
		return 0;
	if (body.failed)
		return err_memory(err);
	if (count && deliver(to, EVENT, (const char *)body.data, body.len, err) < 0)
		return -1;
	sent->at += used;
	return 1;
}

/* Runs in the child process. */
static void send_all(const struct config_target *to, int dir, int fd)
{
	AUTO_CLOSE int heads = heads_open(dir, HEADS_READ, &(struct err){0});
	struct err err = {0};
	struct sent sent;
	int more = 1;

	if (heads < 0 || !lock(fd, F_OFD_SETLKW, F_WRLCK, 0) || !lock(fd, F_OFD_SETLK, F_UNLCK, 1))
		return;
	/* Stop if heads.sent cannot be written: on a full disk the loop would send the same part
	 * for ever. */
	for (bool is_kept = true; more > 0 && is_kept;) {
		read_sent(fd, &sent);
		more = send_part(to, heads, &sent, &err);
		bool is_known = sent.failure[0] == RECORDED && more < 0;
		if (more >= 0)
			sent.failure[0] = '\0';
		else
			snprintf(sent.failure, sizeof(sent.failure), "%s%s%s%s",
				 is_known ? "!" : "", err.message, err.cause[0] ? ": " : "",
				 err.cause);
		is_kept = write_sent(fd, &sent);
	}
}

/* Closes everything that is inherited: a program that waits for the end of cordon's output must
 * get it. */
static void detach(int *dir, int *fd)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	signal(SIGPIPE, SIG_IGN);
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (dup2(null, i) < 0)
			_exit(1);
	/* The lock belongs to the open file description, so another number keeps it. */
	*dir = fcntl(*dir, F_DUPFD_CLOEXEC, HIGH);
	*fd = fcntl(*fd, F_DUPFD_CLOEXEC, HIGH);
	int low = *dir < *fd ? *dir : *fd, high = *dir < *fd ? *fd : *dir;
	close_range(STDERR_FILENO + 1, (unsigned)low - 1, 0);
	close_range((unsigned)low + 1, (unsigned)high - 1, 0);
	close_range((unsigned)high + 1, ~0U, 0);
	if (low < HIGH || chdir("/") < 0)
		_exit(1);
}

/* Records the first failure of a series. */
static int record(const char *state, int fd, struct sent *sent, struct err *err)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	AUTO_JCS struct jcs body = {0};
	AUTO_TX struct store_tx tx = {0};

	jcs_init(&body, RECORD_BODY_MAX);
	jcs_str(&body, "cause", sent->failure);
	jcs_word(&body, "what", "heads");
	if (gate_state_open(&s, &(struct gate_state_options){.path = state}, err) < 0 ||
	    jcs_finish(&body, err) < 0)
		return -1;
	store_append(&tx, RECORD_UNDELIVERED, NULL, 0, &body);
	if (store_commit(s.store, &tx, err) < 0)
		return -1;
	memmove(sent->failure + 1, sent->failure, strnlen(sent->failure, SENT_MAX - 2) + 1);
	sent->failure[0] = RECORDED;
	sent->failure[SENT_MAX - 1] = '\0';
	return write_sent(fd, sent) ? 0 : err_errno(err, ERR_SYSTEM, "the file " HEADS_SENT_FILE);
}

static int set_failure(const struct sent *sent, uint64_t waiting, struct err *err)
{
	err_set(err, ERR_SYSTEM, "the log's heads were not delivered: %s",
		sent->failure + (sent->failure[0] == RECORDED));
	err_cause(err, "%llu bytes of the file " HEADS_FILE " wait; no run was delayed",
		  (unsigned long long)waiting);
	err_cure(err, "repair the target of heads: in the configuration; each command tries "
		      "again");
	return -1;
}

int heads_waiting(int dir, uint64_t *ret, struct err *err)
{
	AUTO_CLOSE int fd =
		openat(dir, HEADS_SENT_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct sent sent = {0};
	struct stat st;

	*ret = 0;
	if (fstatat(dir, HEADS_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	if (fd >= 0)
		read_sent(fd, &sent);
	if (sent.at > (uint64_t)st.st_size) /* the file was replaced */
		sent.at = 0;
	*ret = (uint64_t)st.st_size - sent.at;
	return sent.failure[0] ? set_failure(&sent, *ret, err) : 0;
}

int heads_send(const struct config_target *to, const char *state, struct err *err)
{
	char path[PATH_MAX];
	struct sent sent;
	struct stat st;
	int r = 0;

	if (!to->commandc && !to->url)
		return 0;
	if (!state && state_path(path, err) < 0)
		return -1;
	AUTO_CLOSE int dir = owned_dir_open(state ? state : path, 077, &(struct err){0});
	if (dir < 0 || fstatat(dir, HEADS_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0; /* the log is empty */
	AUTO_CLOSE int fd = openat(dir, HEADS_SENT_FILE,
				   O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0)
		return err_errno(err, ERR_SYSTEM, "opening the file " HEADS_SENT_FILE);
	read_sent(fd, &sent);
	if (sent.at == (uint64_t)st.st_size)
		return 0;
	if (sent.at > (uint64_t)st.st_size) /* the file was replaced */
		sent.at = 0;
	if (sent.failure[0]) {
		r = set_failure(&sent, (uint64_t)st.st_size - sent.at, err);
		/* If this fails, the next command tries again. */
		if (sent.failure[0] != RECORDED)
			(void)record(state, fd, &sent, &(struct err){0});
	}
	if (!lock(fd, F_OFD_SETLK, F_WRLCK, 1))
		return r;
	pid_t pid = fork();
	if (pid < 0)
		return err_errno(err, ERR_SYSTEM, "delivering the log's heads");
	if (pid == 0) {
		int own_dir = dir, own_fd = fd;
		detach(&own_dir, &own_fd);
		send_all(to, own_dir, own_fd);
		_exit(0);
	}
	return r;
}
