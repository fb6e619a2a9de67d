/* SPDX-License-Identifier: MIT
 *
 * Notes one after another, two line ends before each. A note that a crash cut short therefore ends
 * where the next begins and spoils no other.
 */
#include "store/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

#define GAP "\n\n"
#define SIGNATURE "\xe2\x80\x94 "
enum { TAIL = 2 * NOTE_MAX };

int checkpoint_add(int dir, const char *text, size_t len, struct err *err)
{
	AUTO_CLOSE int fd =
		openat(dir, CHECKPOINT_FILE,
		       O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	char whole[sizeof(GAP) + NOTE_MAX] = GAP;

	if (len > NOTE_MAX)
		return err_set(err, ERR_LIMIT, "a checkpoint is over %d bytes", NOTE_MAX);
	memcpy(whole + sizeof(GAP) - 1, text, len);
	if (fd < 0 || io_write_all(fd, whole, sizeof(GAP) - 1 + len) < 0 || fdatasync(fd) < 0) {
		err_errno(err, ERR_SYSTEM, "writing " CHECKPOINT_FILE);
		err_cause(err, "the record is kept, its checkpoint is not");
		return -1;
	}
	return 0;
}

/* -1 with errno when it is no plain file. */
static int open_file(int dir, off_t *ret_len)
{
	AUTO_CLOSE int fd =
		openat(dir, CHECKPOINT_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	*ret_len = st.st_size;
	return scope_take_fd(&fd);
}

int checkpoint_read(int dir, char **ret, size_t *ret_len, struct err *err)
{
	off_t len = 0;
	AUTO_CLOSE int fd = open_file(dir, &len);

	if (fd < 0 && errno == ENOENT)
		len = 0;
	else if (fd < 0)
		return err_errno(err, ERR_SYSTEM, "reading " CHECKPOINT_FILE);
	if ((uint64_t)len > CHECKPOINT_FILE_MAX)
		return err_set(err, ERR_LIMIT, CHECKPOINT_FILE " is over %zu bytes",
			       CHECKPOINT_FILE_MAX);
	AUTO_FREE char *file = malloc((size_t)len + 1);
	if (!file)
		return err_memory(err);
	ssize_t n = fd < 0 ? 0 : io_read_full(fd, file, (size_t)len);
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "reading " CHECKPOINT_FILE);
	*ret = file;
	*ret_len = (size_t)n;
	file = NULL;
	return 0;
}

/* A block of lines up to an empty one or the end. */
static bool next_block(const char *file, size_t len, size_t *at, struct checkpoint_text *ret)
{
	while (*at < len && file[*at] == '\n')
		++*at;
	if (*at == len)
		return false;
	const char *end = memmem(file + *at, len - *at, GAP, sizeof(GAP) - 1);
	size_t to = end ? (size_t)(end - file) + 1 : len;
	*ret = (struct checkpoint_text){file + *at, to - *at};
	*at = to;
	return true;
}

static bool is_signatures(struct checkpoint_text block)
{
	return block.len >= sizeof(SIGNATURE) - 1 &&
	       memcmp(block.data, SIGNATURE, sizeof(SIGNATURE) - 1) == 0;
}

/* A note is two blocks: its text, and its signatures right behind it. */
bool checkpoint_next(const char *file, size_t len, size_t *at, struct checkpoint_text *ret,
		     struct note *note)
{
	struct checkpoint_text text = {0}, block;
	struct err err;

	while (next_block(file, len, at, &block)) {
		if (text.len && is_signatures(block)) {
			struct checkpoint_text whole = {
				text.data, (size_t)(block.data + block.len - text.data)};
			if (note_parse(whole.data, whole.len, note, &err) == 0 &&
			    note_is_whole(whole.data, whole.len, note)) {
				*ret = whole;
				return true;
			}
		}
		text = block;
	}
	return false;
}

int checkpoint_last(int dir, struct note *ret, struct err *err)
{
	off_t len = 0;
	AUTO_CLOSE int fd = open_file(dir, &len);
	struct checkpoint_text text;
	struct note note;
	char tail[TAIL];
	size_t at = 0;
	bool found = false;

	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0)
		return err_errno(err, ERR_SYSTEM, "reading " CHECKPOINT_FILE);
	ssize_t n = pread(fd, tail, sizeof(tail), len > TAIL ? len - TAIL : 0);
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "reading " CHECKPOINT_FILE);
	while (checkpoint_next(tail, (size_t)n, &at, &text, &note)) {
		if (!found || note.size > ret->size)
			*ret = note;
		found = true;
	}
	return found ? 0 : 1;
}
