/* SPDX-License-Identifier: MIT
 *
 * Reads the code into a sealed memory file and hashes it. No process can change it after that. A
 * program named by its path is not copied: the descriptor pins the file, and payload_hash hashes
 * it.
 */
#include "live/payload.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/stamp.h"

enum { CHUNK = 65536, TICK_NS = 4000000, TICKS_MAX = 500, AHEAD_NS = 1000000000 };

int payload_hash_file(int fd, uint8_t sha256[32], struct err *err)
{
	struct digest state;
	unsigned char chunk[CHUNK];
	off_t at = 0;
	ssize_t n;

	digest_init(&state);
	while ((n = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		digest_add(&state, chunk, (size_t)n);
		at += n;
	}
	if (n < 0)
		return err_errno(err, ERR_INPUT, "reading the program");
	digest_end(&state, sha256);
	return 0;
}

/* The clock of a file system advances in ticks, so a file that was written in this tick could be
 * written again with the same time stamp. payload_stamp then waits until that clock has advanced;
 * on a busy virtual machine a tick may take long. A time stamp far in the future cannot occur
 * again. */
static bool may_be_written_unseen(const struct stat *st)
{
	int64_t ahead = stamp_of(st).changed - stamp_now();

	return ahead >= 0 && ahead < AHEAD_NS;
}

int payload_stamp(int fd, struct stat *ret, struct err *err)
{
	const struct timespec tick = {.tv_nsec = TICK_NS};

	for (int waited = 0; waited <= TICKS_MAX; waited++) {
		if (fstat(fd, ret) < 0)
			return err_errno(err, ERR_INPUT, "reading the state of the program's file");
		if (!may_be_written_unseen(ret))
			return 0;
		nanosleep(&tick, NULL);
	}
	err_set(err, ERR_INPUT, "the program's file is still being written");
	err_cure(err, "run it when it is complete");
	return -1;
}

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* The change time is the time stamp that no program can set. */
bool payload_is_same(int fd, const struct stat *before)
{
	struct stat now;

	return fstat(fd, &now) == 0 && now.st_ino == before->st_ino &&
	       now.st_dev == before->st_dev && now.st_size == before->st_size &&
	       is_same_time(now.st_mtim, before->st_mtim) &&
	       is_same_time(now.st_ctim, before->st_ctim);
}

/* The writer of a pipe may never finish, so the time limit of the run bounds the wait. */
static int wait_for_more(int fd, const char *name, uint64_t deadline_ns, struct err *err)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int n = 0;

	for (uint64_t now = io_now_ns(); n == 0 && now < deadline_ns; now = io_now_ns()) {
		uint64_t left = (deadline_ns - now) / 1000000U + 1;
		n = poll(&p, 1, left > 60000 ? 60000 : (int)left);
		if (n < 0 && errno == EINTR)
			n = 0;
	}
	if (n < 0)
		return err_errno(err, ERR_INPUT, "reading %s", name);
	if (n > 0)
		return 0;
	err_set(err, ERR_INPUT, "%s did not come to its end in time", name);
	err_cause(err, "it is a pipe, and its writer must finish within --time");
	err_cure(err, "raise --time, or pass the code as a file");
	return -1;
}

/* As read(2): up to LEN bytes, 0 at the end. */
static ssize_t read_some(int fd, const char *name, char *data, size_t len, uint64_t deadline_ns,
			 struct err *err)
{
	for (;;) {
		if (deadline_ns && wait_for_more(fd, name, deadline_ns, err) < 0)
			return -1;
		ssize_t n = read(fd, data, len);
		if (n >= 0)
			return n;
		if (errno != EINTR && !(errno == EAGAIN && deadline_ns))
			return err_errno(err, ERR_INPUT, "reading %s", name);
	}
}

/* FD may be a pipe, or a file that grows. DEADLINE_NS 0: no deadline. */
static int read_all(int fd, const char *name, uint64_t deadline_ns, char **ret, size_t *ret_len,
		    struct err *err)
{
	size_t size = CHUNK, len = 0;
	AUTO_FREE char *data = malloc(size);

	for (;;) {
		if (!data)
			return err_memory(err);
		ssize_t n = read_some(fd, name, data + len, size - 1 - len, deadline_ns, err);
		if (n < 0)
			return -1;
		len += (size_t)n;
		if (n == 0)
			break;
		if (len + 1 < size)
			continue;
		if (size > CORDON_PAYLOAD_MAX)
			return err_set(err, ERR_LIMIT, "%s is larger than %lu MB", name,
				       CORDON_PAYLOAD_MAX >> 20);
		char *grown = realloc(data, size *= 2);
		if (!grown)
			return err_memory(err);
		data = grown;
	}
	if (len > CORDON_PAYLOAD_MAX)
		return err_set(err, ERR_LIMIT, "%s is larger than %lu MB", name,
			       CORDON_PAYLOAD_MAX >> 20);
	*ret = data;
	data = NULL;
	*ret_len = len;
	return 0;
}

static const char *keep_suffix(const struct profile *profile, const char *file)
{
	size_t len = strlen(file);

	for (const char *s = profile->suffixes; *s; s += strlen(s) + 1)
		if (len > strlen(s) && strcmp(file + len - strlen(s), s) == 0)
			return s;
	return profile->suffixes;
}

void payload_done(struct payload *p)
{
	free(p->data);
	p->data = NULL;
	scope_close(&p->fd);
}

/* Takes over DATA, which is malloc'd with room for one more byte. */
static int seal_code(struct payload *p, char *data, size_t len, struct err *err)
{
	data[len] = '\0';
	p->data = data;
	p->len = len;
	digest_of(p->sha256, data, len);
	p->fd = io_sealed_memfd("cordon-payload", data, len);
	return p->fd < 0 ? err_errno(err, ERR_SYSTEM, "sealing the code") : 0;
}

static int open_code(struct payload *p, int source, const char *name, uint64_t deadline_ns,
		     struct err *err)
{
	char *data = NULL;
	size_t len = 0;

	if (read_all(source, name, deadline_ns, &data, &len, err) < 0 || !data)
		return -1;
	return seal_code(p, data, len, err);
}

int payload_take(struct payload *p, const struct profile *profile, const char *data, size_t len,
		 struct err *err)
{
	char *copy = malloc(len + 1);

	memset(p, 0, sizeof(*p));
	p->fd = -1;
	p->suffix = profile->suffixes;
	if (!copy)
		return err_memory(err);
	memcpy(copy, data, len);
	return seal_code(p, copy, len, err);
}

int payload_copy(int fd, const char *name, struct err *err)
{
	AUTO_FREE char *data = NULL;
	size_t len = 0;

	if (read_all(fd, name, 0, &data, &len, err) < 0)
		return -1;
	return payload_input(name, data, len, err);
}

int payload_input(const char *name, const char *data, size_t len, struct err *err)
{
	AUTO_CLOSE int copy = io_sealed_memfd("cordon-input", data, len);
	if (copy < 0 || lseek(copy, 0, SEEK_SET) < 0)
		return err_errno(err, ERR_SYSTEM, "copying %s", name);
	return scope_take_fd(&copy);
}

int payload_hash(struct payload *p, struct err *err)
{
	if (!p->is_program || p->is_hashed)
		return 0;
	if (payload_stamp(p->fd, &p->from, err) < 0 || payload_hash_file(p->fd, p->sha256, err) < 0)
		return -1;
	p->is_hashed = true;
	return 0;
}

/* The file cannot be sealed: payload_is_same tells whether it has changed. */
static int open_program(struct payload *p, const char *file, struct own_paths *own, struct err *err)
{
	struct stat *st = &p->from;

	if (!realpath(file, p->path))
		return err_errno(err, ERR_INPUT, "%s", file);
	AUTO_CLOSE int fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, st) < 0)
		return err_errno(err, ERR_INPUT, "%s", file);
	if (!S_ISREG(st->st_mode) || !(st->st_mode & 0111))
		return err_set(err, ERR_INPUT, "%s is not an executable file", file);
	if (own_paths_refuse(own, fd, file, err) < 0)
		return -1;
	p->is_program = true;
	p->len = (size_t)st->st_size;
	p->fd = scope_take_fd(&fd);
	return 0;
}

/* Without O_NONBLOCK, open would wait for the writer of a pipe. */
static int open_file(struct payload *p, const char *file, uint64_t time_ms, struct own_paths *own,
		     struct err *err)
{
	AUTO_CLOSE int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "%s", file);
	p->from = st;
	if (own_paths_refuse(own, fd, file, err) < 0)
		return -1;
	if (S_ISREG(st.st_mode))
		return open_code(p, fd, file, 0, err);
	if (S_ISFIFO(st.st_mode))
		return open_code(p, fd, file, io_now_ns() + time_ms * 1000000U, err);
	err_set(err, ERR_INPUT, "%s is a %s", file, S_ISDIR(st.st_mode) ? "directory" : "device");
	err_cure(err, "name a file with code, or - for standard input");
	return -1;
}

int payload_open(struct payload *p, const struct profile *profile, const char *file,
		 uint64_t time_ms, struct own_paths *own, struct err *err)
{
	bool is_stdin = strcmp(file, "-") == 0;

	memset(p, 0, sizeof(*p));
	p->fd = -1;
	p->suffix = keep_suffix(profile, file);
	if (!profile->interpreter && is_stdin)
		return err_set(err, ERR_USAGE, "--lang binary needs the path of a program");
	if (!profile->interpreter)
		return open_program(p, file, own, err);
	/* Standard input has no deadline: the user types it or has started its writer. */
	if (is_stdin && fstat(STDIN_FILENO, &p->from) < 0)
		return err_errno(err, ERR_INPUT, "standard input");
	if (is_stdin && own_paths_refuse(own, STDIN_FILENO, "standard input", err) < 0)
		return -1;
	if (is_stdin)
		return open_code(p, STDIN_FILENO, "standard input", 0, err);
	return open_file(p, file, time_ms, own, err);
}
