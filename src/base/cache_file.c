/* SPDX-License-Identifier: MIT
 *
 * A file is only replaced as a whole, so a process that has mapped it keeps the old one. Writes are
 * not synced: after a crash a damaged file has no valid MAC.
 */
#include "base/cache_file.h"

#include <fcntl.h>
#include <nettle/gcm.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/memory.h"
#include "base/scope.h"

enum { NAME_MAX_BYTES = 4096 };

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
			       "%s: not a regular file, or other users can write to it", path);
	if ((uint64_t)st.st_size < least || (uint64_t)st.st_size > most)
		return err_set(err, ERR_INPUT, "%s: %lld bytes", path, (long long)st.st_size);
	*ret = stamp_of(&st);
	return scope_take_fd(&fd);
}

int cache_file_map(const char *path, size_t least, size_t most, struct cache_file_map *ret,
		   struct err *err)
{
	struct cache_file_map map = {0};
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

void cache_file_unmap(struct cache_file_map *map)
{
	if (map->bytes)
		munmap((void *)map->bytes, map->len);
	*map = (struct cache_file_map){0};
}

int cache_file_write(const char *path, const void *data, size_t len, struct err *err)
{
	char temp[NAME_MAX_BYTES];

	if (memory_is_out()) /* the data may be incomplete, and would stay so */
		return err_memory(err);
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

static void make_tag(const uint8_t key[CACHE_FILE_KEY], enum cache_file_kind kind, const void *data,
		     size_t len, const struct cache_file_mac *code, uint8_t ret[sizeof(code->tag)])
{
	const uint8_t head[GCM_BLOCK_SIZE] = {(uint8_t)kind};
	struct gcm_aes256_ctx ctx;

	_Static_assert((int)CACHE_FILE_KEY == AES256_KEY_SIZE && sizeof(code->nonce) == GCM_IV_SIZE,
		       "sizes of keys and MACs");
	gcm_aes256_set_key(&ctx, key);
	gcm_aes256_set_iv(&ctx, sizeof(code->nonce), code->nonce);
	gcm_aes256_update(&ctx, sizeof(head), head);
	gcm_aes256_update(&ctx, len, data);
	gcm_aes256_digest(&ctx, sizeof(code->tag), ret);
}

int cache_file_seal(const uint8_t key[CACHE_FILE_KEY], enum cache_file_kind kind, const void *data,
		    size_t len, struct cache_file_mac *ret, struct err *err)
{
	if (getrandom(ret->nonce, sizeof(ret->nonce), 0) != sizeof(ret->nonce))
		return err_errno(err, ERR_SYSTEM, "asking for random numbers");
	make_tag(key, kind, data, len, ret, ret->tag);
	return 0;
}

bool cache_file_verify(const uint8_t key[CACHE_FILE_KEY], enum cache_file_kind kind,
		       const void *data, size_t len, const struct cache_file_mac *code)
{
	uint8_t tag[sizeof(code->tag)];

	make_tag(key, kind, data, len, code, tag);
	return memeql_sec(tag, code->tag, sizeof(tag));
}
