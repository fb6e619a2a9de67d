/* SPDX-License-Identifier: MIT
 *
 * Appends whole lines and reads whole lines. It never changes or removes a line.
 */
#include "store/heads.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

enum {
	HEX = 2 * RECORD_HASH,
	LINE_MAX_BYTES = 3 * 21 + HEX,
	TAIL = 4 << 10,	     /* holds about 40 lines: the newest is among them */
	TAIL_MAX = 64 << 20, /* if the file's end is not text */
	PART = 1 << 20,	     /* of more than that */
};

static int check_file(int fd, enum heads_way way, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, HEADS_FILE);
	bool is_ours = st.st_uid == geteuid() && !(st.st_mode & 077) && st.st_nlink < 2;
	if (S_ISREG(st.st_mode) && (is_ours || way == HEADS_READ))
		return 0;
	err_set(err, ERR_REFUSED, "other users can access the file " HEADS_FILE);
	err_cause(err, "it has owner %u, mode %03o and %lu names", st.st_uid, st.st_mode & 0777,
		  (unsigned long)st.st_nlink);
	err_cure(err, "find out what changed it; then chmod 600, and remove its other names");
	return -1;
}

int heads_open(int dir, enum heads_way way, struct err *err)
{
	static const int flags[] = {[HEADS_READ] = O_RDONLY,
				    [HEADS_ADD] = O_RDWR | O_APPEND,
				    [HEADS_MAKE] = O_RDWR | O_APPEND | O_CREAT};
	AUTO_CLOSE int fd =
		openat(dir, HEADS_FILE, flags[way] | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

	if (fd < 0 && errno == ENOENT && way != HEADS_MAKE)
		return -2;
	if (fd < 0)
		return err_errno(err, ERR_SYSTEM, "opening the file " HEADS_FILE);
	return check_file(fd, way, err) < 0 ? -1 : scope_take_fd(&fd);
}

int heads_add(int fd, const struct head *head, struct err *err)
{
	char line[LINE_MAX_BYTES + 3], hash[HEX + 1];

	sodium_bin2hex(hash, sizeof(hash), head->last, RECORD_HASH);
	/* The line ends separate this line from torn ones before and after it. */
	int len = snprintf(line, sizeof(line), "\n%llu %llu %llu %s\n",
			   (unsigned long long)head->writes, (unsigned long long)head->tree.size,
			   (unsigned long long)time(NULL), hash);
	ssize_t n = write(fd, line, (size_t)len);
	if (n == len)
		return 0;
	if (n >= 0)
		errno = ENOSPC;
	err_errno(err, ERR_SYSTEM, "writing the file " HEADS_FILE);
	err_cause(err, "the transaction is in the log, but not in the file");
	err_cure(err, "free some disk space; nothing runs without a record");
	return -1;
}

int heads_settle(int dir, int fd, struct err *err)
{
	return fdatasync(fd) < 0 || fsync(dir) < 0
		       ? err_errno(err, ERR_SYSTEM, "syncing the file " HEADS_FILE)
		       : 0;
}

/* Reads digits without a sign or a leading zero, followed by STOP. */
static bool take_number(const char **at, char stop, uint64_t *ret)
{
	const char *p = *at;
	uint64_t n = 0;

	while (*p >= '0' && *p <= '9' && n < HEADS_NUMBER_MAX)
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (p == *at || **at == '0' || *p != stop || n > HEADS_NUMBER_MAX)
		return false;
	*ret = n;
	*at = p + 1;
	return true;
}

static bool parse(const char *text, struct heads_line *ret)
{
	struct heads_line line;
	size_t bytes = 0;

	if (!take_number(&text, ' ', &line.writes) || !take_number(&text, ' ', &line.size) ||
	    !take_number(&text, ' ', &line.time) || strlen(text) != HEX ||
	    strspn(text, "0123456789abcdef") != HEX ||
	    sodium_hex2bin(line.last, RECORD_HASH, text, HEX, NULL, &bytes, NULL) != 0)
		return false;
	*ret = line;
	return true;
}

bool heads_is_line(const char *text, size_t len)
{
	char word[LINE_MAX_BYTES + 1];

	if (len >= sizeof(word))
		return false;
	memcpy(word, text, len);
	word[len] = '\0';
	return strlen(word) == len && parse(word, &(struct heads_line){0});
}

int heads_reader_begin(struct heads_reader *r, int fd, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "reading heads");
	r->fd = fd;
	r->left = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : UINT64_MAX;
	r->at = r->len = 0;
	return 0;
}

/* The next byte; -1 at the end, -2 on an error. */
static int next_byte(struct heads_reader *r)
{
	if (r->at == r->len) {
		size_t most = r->left < sizeof(r->buf) ? (size_t)r->left : sizeof(r->buf);
		ssize_t n = io_read_full(r->fd, r->buf, most);
		if (n <= 0)
			return n < 0 ? -2 : -1;
		r->left -= (uint64_t)n;
		r->len = (size_t)n;
		r->at = 0;
	}
	return (unsigned char)r->buf[r->at++];
}

int heads_read(struct heads_reader *r, struct heads_line *ret, struct err *err)
{
	char word[LINE_MAX_BYTES + 1];
	size_t len = 0;
	int c;

	do {
		c = next_byte(r);
		if (c == -2)
			return err_errno(err, ERR_SYSTEM, "reading heads");
		if (c > 0 && c != '\n' && c != '"') {
			if (len < sizeof(word))
				word[len++] = (char)c;
			continue;
		}
		bool may_be = len < sizeof(word);
		word[may_be ? len : 0] = '\0';
		if (may_be && parse(word, ret))
			return 1;
		len = 0;
	} while (c >= 0);
	return 0;
}

/* The newest of the lines that begin within TEXT. Processes that write at the same time may append
 * out of order. */
static bool newest_of(char *text, size_t len, struct heads_line *ret)
{
	struct heads_line line;
	bool found = false;

	text[len] = '\0';
	for (char *at = memchr(text, '\n', len), *end; at; at = end) {
		at++;
		end = memchr(at, '\n', len - (size_t)(at - text));
		if (end)
			*end = '\0';
		bool is_line = parse(at, &line);
		if (end)
			*end = '\n';
		if (!is_line || (found && line.writes <= ret->writes))
			continue;
		*ret = line;
		found = true;
	}
	return found;
}

/* The newest line in LEN bytes from FROM on. 1: they have no line. */
static int newest_in(int fd, off_t from, size_t len, struct heads_line *ret, struct err *err)
{
	char small[TAIL + 1];
	AUTO_FREE char *large = len > TAIL ? malloc(len + 1) : NULL;
	char *text = len > TAIL ? large : small;

	if (!text)
		return err_memory(err);
	ssize_t n = pread(fd, text, len, from);
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "reading the file " HEADS_FILE);
	return newest_of(text, (size_t)n, ret) ? 0 : 1;
}

int heads_newest(int fd, struct heads_line *ret, uint64_t *ret_from, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, HEADS_FILE);
	for (off_t most = TAIL;; most *= 128) {
		off_t from = st.st_size > most ? st.st_size - most : 0;
		int none = newest_in(fd, from, (size_t)(st.st_size - from), ret, err);
		*ret_from = (uint64_t)from;
		if (none <= 0 || from == 0 || most >= TAIL_MAX)
			return none;
	}
}

int heads_newest_between(int fd, uint64_t from, uint64_t to, struct heads_line *ret,
			 struct err *err)
{
	/* A line may begin before a part and end in it. */
	for (uint64_t at = from; at < to; at += PART) {
		uint64_t end = at + PART < to ? at + PART : to;
		struct heads_line line = {0};
		int none =
			newest_in(fd, (off_t)at, (size_t)(end - at) + LINE_MAX_BYTES, &line, err);
		if (none < 0)
			return -1;
		if (!none && line.writes > ret->writes)
			*ret = line;
	}
	return 0;
}

int heads_length(int fd, uint64_t *ret, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, HEADS_FILE);
	*ret = (uint64_t)st.st_size;
	return 0;
}

/* A state directory without a log may be new, or its creation was interrupted: then nothing was
 * recorded. The file is made after the first record, so a directory with a line in the file had a
 * log. */
int heads_no_log(int dir, struct err *err)
{
	struct heads_line newest = {0};
	AUTO_CLOSE int fd = heads_open(dir, HEADS_READ, err);

	if (fd == -1)
		return -1;
	uint64_t from;
	int none = fd < 0 ? 1 : heads_newest(fd, &newest, &from, err);
	if (none < 0)
		return -1;
	if (none) {
		err_set(err, ERR_INPUT, "there is no log yet");
		err_cure(err,
			 "nothing was recorded here; for a log in another directory: --state DIR");
		return -1;
	}
	err_set(err, ERR_REFUSED,
		"the log is gone; the file " HEADS_FILE " knows %llu records of it",
		(unsigned long long)newest.size);
	err_cure(err, "put the log back; or begin a new log in its place: cordon audit accept");
	return -1;
}
