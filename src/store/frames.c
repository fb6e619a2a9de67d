/* SPDX-License-Identifier: MIT
 *
 * Writes and reads frames. Memory grows with the bytes that are read, not with the length that a
 * frame claims.
 */
#include "store/frames.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"

enum { HEAD = 5, LENGTH = 4, PART = 64 << 10 };

static int no_write(struct err *err)
{
	return err_errno(err, ERR_SYSTEM, "writing the file");
}

static FILE *open_own(int fd, const char *mode)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *file = own < 0 ? NULL : fdopen(own, mode);

	if (!file)
		scope_close(&own);
	return file;
}

static int put(struct frames_out *o, const void *data, size_t len, struct err *err)
{
	digest_add(&o->sum, data, len);
	return fwrite(data, 1, len, o->file) == len ? 0 : no_write(err);
}

int frames_create(struct frames_out *o, int fd, const char *magic, struct err *err)
{
	*o = (struct frames_out){.file = open_own(fd, "wb")};
	digest_init(&o->sum);
	return o->file ? put(o, magic, strlen(magic), err) : no_write(err);
}

struct buf *frames_begin(struct frames_out *o)
{
	o->frame.len = 0;
	o->frame.failed = false;
	o->frame.most = FRAMES_MAX;
	return &o->frame;
}

static void write_number(uint8_t *p, uint64_t n, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(n >> (8 * (bytes - 1 - i)));
}

static uint64_t read_number(const uint8_t *p, int bytes)
{
	uint64_t n = 0;

	for (int i = 0; i < bytes; i++)
		n = n << 8 | p[i];
	return n;
}

uint64_t frames_number(const uint8_t *p)
{
	return read_number(p, FRAMES_NUMBER);
}

void frames_add_number(struct buf *b, uint64_t n)
{
	uint8_t raw[FRAMES_NUMBER];

	write_number(raw, n, FRAMES_NUMBER);
	buf_add(b, raw, sizeof(raw));
}

int frames_put(struct frames_out *o, char kind, struct err *err)
{
	uint8_t head[HEAD] = {(uint8_t)kind};

	if (o->frame.failed)
		return err_set(err, ERR_LIMIT,
			       "an entry is too large for the file, or memory is exhausted");
	write_number(head + 1, o->frame.len, LENGTH);
	return put(o, head, sizeof(head), err) < 0 ? -1 : put(o, o->frame.data, o->frame.len, err);
}

int frames_finish(struct frames_out *o, struct err *err)
{
	struct digest sum = o->sum;

	digest_end(&sum, o->sha256);
	buf_add(frames_begin(o), o->sha256, sizeof(o->sha256));
	if (frames_put(o, 'E', err) < 0)
		return -1;
	return fflush(o->file) == 0 && fsync(fileno(o->file)) == 0 ? 0 : no_write(err);
}

void frames_out_done(struct frames_out *o)
{
	if (o->file)
		fclose(o->file);
	if (o->frame.data)
		sodium_memzero(o->frame.data, o->frame.len);
	buf_done(&o->frame);
}

/* The directory that NAME is in. */
static int sync_parent(int dir, const char *name)
{
	AUTO_FREE char *path = strdup(name);
	char *end = path ? strrchr(path, '/') : NULL;

	if (end)
		*end = '\0';
	AUTO_CLOSE int parent = openat(dir,
				       !end    ? "."
				       : *path ? path
					       : "/",
				       O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return parent < 0 ? -1 : fsync(parent);
}

int frames_write_file(int dir, const char *name, frames_fn *write, void *context, struct err *err)
{
	AUTO_FREE char *temp = NULL;

	if (asprintf(&temp, "%s.%08x", name, randombytes_random()) < 0)
		return err_memory(err);
	AUTO_CLOSE int fd =
		openat(dir, temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return err_errno(err, ERR_SYSTEM, "%s", name);
	int r = write(context, fd, err);
	/* Must not replace a file. Some file systems do not support RENAME_NOREPLACE. */
	if (r == 0 && renameat2(dir, temp, dir, name, RENAME_NOREPLACE) < 0 &&
	    (errno != EINVAL || linkat(dir, temp, dir, name, 0) < 0)) {
		r = err_errno(err, ERR_SYSTEM, "%s", name);
		if (err->sys_errno == EEXIST)
			err_cure(err, "choose another file name");
	}
	if (r == 0 && sync_parent(dir, name) < 0)
		r = err_errno(err, ERR_SYSTEM, "%s", name);
	unlinkat(dir, temp, 0);
	return r;
}

int frames_damaged(struct err *err)
{
	err_set(err, ERR_INPUT, "this is not a backup or archive of cordon, or it is damaged");
	err_cause(err, "part of the file is missing or was changed");
	err_cure(err, "use another copy of the file");
	return -1;
}

int frames_open(struct frames_in *in, int fd, const char *magic, struct err *err)
{
	char line[32];
	size_t len = strlen(magic);

	*in = (struct frames_in){.file = open_own(fd, "rb")};
	if (!in->file || len > sizeof(line))
		return err_errno(err, ERR_SYSTEM, "reading the file");
	rewind(in->file);
	digest_init(&in->sum);
	if (fread(line, 1, len, in->file) != len || memcmp(line, magic, len) != 0)
		return frames_damaged(err);
	digest_add(&in->sum, line, len);
	return 0;
}

int frames_next(struct frames_in *in, struct err *err)
{
	struct digest before = in->sum;
	uint8_t head[HEAD], part[PART];

	if (fread(head, 1, sizeof(head), in->file) != sizeof(head))
		return frames_damaged(err);
	size_t len = (size_t)read_number(head + 1, LENGTH);
	in->kind = (char)head[0];
	in->frame.len = 0;
	in->frame.most = FRAMES_MAX;
	if (len > FRAMES_MAX)
		return frames_damaged(err);
	for (size_t left = len; left > 0;) {
		size_t n = fread(part, 1, left < sizeof(part) ? left : sizeof(part), in->file);
		if (n == 0)
			return frames_damaged(err);
		buf_add(&in->frame, part, n);
		left -= n;
	}
	if (in->frame.failed)
		return err_memory(err);
	digest_add(&in->sum, head, sizeof(head));
	digest_add(&in->sum, in->frame.data, in->frame.len);
	if (in->kind != 'E')
		return 0;
	digest_end(&before, in->sha256);
	in->has_end = true;
	return len == sizeof(in->sha256) && memcmp(in->frame.data, in->sha256, len) == 0 &&
			       fgetc(in->file) == EOF
		       ? 0
		       : frames_damaged(err);
}

void frames_in_done(struct frames_in *in)
{
	if (in->file)
		fclose(in->file);
	if (in->frame.data)
		sodium_memzero(in->frame.data, in->frame.len);
	buf_done(&in->frame);
}
