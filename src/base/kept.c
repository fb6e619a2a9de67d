/* SPDX-License-Identifier: MIT
 *
 * A file is only ever replaced as a whole, so those who map it keep the one they have. It is not
 * waited for on its way to the disk; what a crash leaves of it is found by the sum, which is made to
 * cost nothing: four words at a time, each in a lane of its own.
 */
#include "base/kept.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

enum { LANES = 4, NAME_MAX_BYTES = 4096 };

static int open_stamped(const char *path, size_t least, size_t most, struct stamp *ret,
			struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "%s", path);
	if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0) ||
	    st.st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, ERR_REFUSED,
			       "%s: not a file of yours or root's that nobody else may write",
			       path);
	if ((uint64_t)st.st_size < least || (uint64_t)st.st_size > most)
		return err_set(err, ERR_INPUT, "%s: %lld bytes", path, (long long)st.st_size);
	*ret = stamp_of(&st);
	return scope_take_fd(&fd);
}

int kept_open(const char *path, size_t least, size_t most, size_t *ret_len, struct err *err)
{
	struct stamp stamp = {0};
	int fd = open_stamped(path, least, most, &stamp, err);

	if (fd >= 0)
		*ret_len = (size_t)stamp.size;
	return fd;
}

int kept_map(const char *path, size_t least, size_t most, struct kept_map *ret, struct err *err)
{
	struct kept_map map = {0};
	AUTO_CLOSE int fd = open_stamped(path, least, most, &map.stamp, err);

	if (fd < 0)
		return -1;
	map.len = (size_t)map.stamp.size;
	void *p = mmap(NULL, map.len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return err_errno(err, ERR_SYSTEM, "%s", path);
	map.bytes = p;
	*ret = map;
	return 0;
}

void kept_unmap(struct kept_map *map)
{
	if (map->bytes)
		munmap((void *)map->bytes, map->len);
	*map = (struct kept_map){0};
}

int kept_write(const char *path, const void *data, size_t len, struct err *err)
{
	char temp[NAME_MAX_BYTES];

	if ((size_t)snprintf(temp, sizeof(temp), "%s.XXXXXX", path) >= sizeof(temp))
		return err_set(err, ERR_INPUT, "%s: the name is too long", path);
	AUTO_CLOSE int fd = mkostemp(temp, O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, ERR_SYSTEM, "%s", temp);
	if (io_write_all(fd, data, len) == 0 && fchmod(fd, 0644) == 0 && rename(temp, path) == 0)
		return 0;
	err_errno(err, ERR_SYSTEM, "%s", temp);
	unlink(temp);
	return -1;
}

/* For one of the two, every other value gives another result: a change is never lost. */
static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
	return sum << 29 | sum >> 35;
}

uint64_t kept_sum(const void *data, size_t len)
{
	const char *p = data;
	uint64_t lane[LANES] = {1, 2, 3, 4}, word[LANES] = {0}, sum = len;
	size_t left = len;

	for (; left >= sizeof(word); p += sizeof(word), left -= sizeof(word)) {
		memcpy(word, p, sizeof(word));
		for (int i = 0; i < LANES; i++)
			lane[i] = mix(lane[i], word[i]);
	}
	memset(word, 0, sizeof(word));
	if (left)
		memcpy(word, p, left);
	for (int i = 0; i < LANES; i++)
		sum = mix(sum, mix(lane[i], word[i]));
	return mix(sum, sum >> 32);
}
