/* SPDX-License-Identifier: MIT
 *
 * Lists of entries, in memory and in a file. A file has a magic, a token, a count, the entries sorted
 * by path, and a hash over these. A damaged file is an error, and none of it is used.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "base/subpath.h"
#include "overlay/overlay_private.h"

#define MARK "CORDON\001\n"
enum {
	MARK_BYTES = 8,
	HEAD_BYTES = MARK_BYTES + 8 + 4,
	STATE_BYTES = 1 + 2 + 8 + DIGEST_BYTES,
	ENTRY_BYTES = 2 * STATE_BYTES + 2, /* without the path */
	FILE_MAX = 64 << 20,
};

void overlay_diff_done(struct overlay_diff *d)
{
	for (size_t i = 0; i < d->count; i++)
		free(d->entry[i].path);
	free(d->entry);
	*d = (struct overlay_diff){0};
}

struct overlay_entry *overlay_list_add(struct overlay_diff *list, const char *path, struct err *err)
{
	if (list->count == OVERLAY_ENTRIES_MAX) {
		err_set(err, ERR_LIMIT, "more than %u paths are changed", OVERLAY_ENTRIES_MAX);
		return NULL;
	}
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		struct overlay_entry *more = reallocarray(list->entry, room, sizeof(*more));
		if (!more) {
			err_memory(err);
			return NULL;
		}
		list->entry = more;
		list->room = room;
	}
	struct overlay_entry *e = &list->entry[list->count];
	*e = (struct overlay_entry){.path = strdup(path)};
	if (!e->path) {
		err_memory(err);
		return NULL;
	}
	list->count++;
	return e;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct overlay_entry *)a)->path,
		      ((const struct overlay_entry *)b)->path);
}

void overlay_list_sort(struct overlay_diff *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->entry, list->count, sizeof(*list->entry), by_path);
	for (size_t i = 0; i < list->count; i++) {
		if (kept && by_path(&list->entry[kept - 1], &list->entry[i]) == 0)
			free(list->entry[i].path);
		else
			list->entry[kept++] = list->entry[i];
	}
	list->count = kept;
}

/* The first entry that sorts at or after PATH. */
static size_t find_place(const struct overlay_diff *list, const char *path)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (strcmp(list->entry[mid].path, path) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct overlay_entry *overlay_list_find(const struct overlay_diff *list, const char *path)
{
	size_t at = find_place(list, path);

	return at < list->count && strcmp(list->entry[at].path, path) == 0 ? &list->entry[at]
									   : NULL;
}

/* "a.b" sorts between "a" and "a/b". */
bool overlay_list_reaches(const struct overlay_diff *list, const char *path)
{
	size_t len = strlen(path);

	for (size_t i = find_place(list, path); i < list->count; i++) {
		const char *at = list->entry[i].path;
		if (strncmp(at, path, len) != 0)
			return false;
		if (at[len] == '\0' || at[len] == '/')
			return true;
	}
	return false;
}

static uint8_t *put_number(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*to++ = (uint8_t)(value >> (8 * i));
	return to;
}

static uint64_t take_number(const uint8_t **from, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t) * (*from)++ << (8 * i);
	return value;
}

static uint8_t *put_state(uint8_t *to, const struct overlay_state *s)
{
	to = put_number(to, s->type, 1);
	to = put_number(to, s->mode, 2);
	to = put_number(to, s->size, 8);
	memcpy(to, s->sha256, DIGEST_BYTES);
	return to + DIGEST_BYTES;
}

static bool take_state(const uint8_t **from, struct overlay_state *ret)
{
	uint64_t type = take_number(from, 1);

	ret->type = (enum overlay_type)type;
	ret->mode = (unsigned)take_number(from, 2);
	ret->size = take_number(from, 8);
	memcpy(ret->sha256, *from, DIGEST_BYTES);
	*from += DIGEST_BYTES;
	return type < OVERLAY_TYPES && ret->mode <= 0777;
}

/* malloc'd, with the hash at the end. */
static uint8_t *encode(const struct overlay_diff *list, uint64_t token, size_t *ret_len,
		       struct err *err)
{
	size_t len = HEAD_BYTES + DIGEST_BYTES;

	for (size_t i = 0; i < list->count; i++)
		len += ENTRY_BYTES + strlen(list->entry[i].path);
	if (len > FILE_MAX) {
		err_set(err, ERR_LIMIT, "the list of changed paths is longer than %d bytes",
			FILE_MAX);
		return NULL;
	}
	uint8_t *data = malloc(len);
	if (!data) {
		err_memory(err);
		return NULL;
	}
	memcpy(data, MARK, MARK_BYTES);
	uint8_t *to = put_number(data + MARK_BYTES, token, 8);
	to = put_number(to, list->count, 4);
	for (size_t i = 0; i < list->count; i++) {
		const struct overlay_entry *e = &list->entry[i];
		size_t path_len = strlen(e->path);
		to = put_state(put_state(to, &e->before), &e->after);
		to = put_number(to, path_len, 2);
		memcpy(to, e->path, path_len);
		to += path_len;
	}
	digest_of(to, data, len - DIGEST_BYTES);
	*ret_len = len;
	return data;
}

int overlay_diff_id(const struct overlay_diff *d, uint8_t ret[DIGEST_BYTES], struct err *err)
{
	size_t len;
	AUTO_FREE uint8_t *data = encode(d, 0, &len, err);

	if (!data)
		return -1;
	memcpy(ret, data + len - DIGEST_BYTES, DIGEST_BYTES);
	return 0;
}

int overlay_list_write(int dir, const char *name, const struct overlay_diff *list, uint64_t token,
		       struct err *err)
{
	size_t len;
	AUTO_FREE uint8_t *data = encode(list, token, &len, err);
	char temporary[32];

	if (!data)
		return -1;
	snprintf(temporary, sizeof(temporary), "%s.new", name);
	AUTO_CLOSE int fd =
		openat(dir, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || io_write_all(fd, data, len) < 0 || fsync(fd) < 0 ||
	    renameat(dir, temporary, dir, name) < 0 || fsync(dir) < 0)
		return err_errno(err, ERR_SYSTEM, "writing the overlay's %s", name);
	return 0;
}

static bool decode_entry(const uint8_t **from, const uint8_t *end, struct overlay_diff *list,
			 struct err *err)
{
	char path[CORDON_CHANGE_PATH_MAX + 1];
	struct overlay_state before, after;

	if (end - *from < ENTRY_BYTES || !take_state(from, &before) || !take_state(from, &after))
		return false;
	size_t len = take_number(from, 2);
	if (len == 0 || len > CORDON_CHANGE_PATH_MAX || len > (size_t)(end - *from))
		return false;
	memcpy(path, *from, len);
	path[len] = '\0';
	*from += len;
	if (!subpath_is_clean(path, len) ||
	    (list->count && strcmp(list->entry[list->count - 1].path, path) >= 0))
		return false;
	struct overlay_entry *e = overlay_list_add(list, path, err);
	if (!e)
		return false;
	e->before = before;
	e->after = after;
	return true;
}

static bool decode(const uint8_t *data, size_t len, struct overlay_diff *ret, uint64_t *ret_token,
		   struct err *err)
{
	uint8_t hash[DIGEST_BYTES];

	if (len < HEAD_BYTES + DIGEST_BYTES || memcmp(data, MARK, MARK_BYTES) != 0)
		return false;
	const uint8_t *from = data + MARK_BYTES, *end = data + len - DIGEST_BYTES;
	digest_of(hash, data, len - DIGEST_BYTES);
	if (memcmp(hash, end, DIGEST_BYTES) != 0)
		return false;
	*ret_token = take_number(&from, 8);
	for (uint64_t count = take_number(&from, 4); count; count--)
		if (!decode_entry(&from, end, ret, err))
			return false;
	return from == end;
}

int overlay_list_read(int dir, const char *name, struct overlay_diff *ret, uint64_t *ret_token,
		      bool *ret_found, struct err *err)
{
	AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	*ret_found = fd >= 0;
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "reading the overlay's %s", name);
	size_t len = S_ISREG(st.st_mode) && st.st_size <= FILE_MAX ? (size_t)st.st_size : 0;
	AUTO_FREE uint8_t *data = malloc(len + 1);
	if (!data)
		return err_memory(err);
	if (io_read_full(fd, data, len) != (ssize_t)len)
		return err_errno(err, ERR_SYSTEM, "reading the overlay's %s", name);
	err->code = ERR_NONE;
	if (decode(data, len, ret, ret_token, err))
		return 0;
	if (err->code != ERR_NONE)
		return -1;
	err_set(err, ERR_SYSTEM, "the overlay's %s is damaged", name);
	err_cause(err, "its hash does not match");
	err_cure(err, "drop the pending changes with cordon reset");
	return -1;
}

/* Is PATH in the tree, or hidden by something that is? */
static int is_covered(int tree, const char *path, bool *ret, struct err *err)
{
	AUTO_FREE char *part = strdup(path);
	enum overlay_kind kind;

	if (!part)
		return err_memory(err);
	for (char *slash = strchr(part, '/');; slash = strchr(slash + 1, '/')) {
		if (slash)
			*slash = '\0';
		if (overlay_kind(tree, part, &kind, err) < 0)
			return -1;
		*ret = kind != KIND_NONE;
		if (!slash || kind != KIND_DIR)
			return 0;
		*slash = '/';
	}
}

int overlay_base(const struct overlay *o, int tree, struct overlay_diff *ret, struct err *err)
{
	uint64_t token;
	size_t kept = 0;
	bool is_there, covered = false;

	if (tree < 0)
		return 0;
	if (overlay_list_read(o->dir, OVERLAY_BASE, ret, &token, &is_there, err) < 0)
		return -1;
	for (size_t i = 0; i < ret->count; i++) {
		if (is_covered(tree, ret->entry[i].path, &covered, err) < 0)
			return -1;
		struct overlay_entry e = ret->entry[i];
		ret->entry[i] = ret->entry[kept];
		ret->entry[kept] = e;
		kept += covered;
	}
	while (ret->count > kept)
		free(ret->entry[--ret->count].path);
	return 0;
}
