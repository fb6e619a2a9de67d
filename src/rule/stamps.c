/* SPDX-License-Identifier: MIT
 *
 * The files of one directory are stored together, because a stat by name in an open directory takes
 * half a microsecond, and one by the whole path twice that.
 */
#include "rule/stamps.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "rule/pack_files.h"

/* Files are added in the order of the walk, each with its directory; then group() sorts them. */
struct taking {
	struct stamps *s;
	int64_t now;
	size_t before; /* directories of earlier calls */
	uint32_t *parent;
	struct err *err;
};

static int add_name(struct stamps *s, const char *name, uint32_t *ret, struct err *err)
{
	size_t len = strlen(name) + 1;

	if (len > STAMPS_NAMES_MAX - s->names_len)
		return err_set(err, ERR_LIMIT, "names: more than %d bytes", STAMPS_NAMES_MAX);
	memcpy(s->names + s->names_len, name, len);
	*ret = (uint32_t)s->names_len;
	s->names_len += len;
	return 0;
}

static int add_dir(struct taking *t, const struct pack_place *place)
{
	struct stamps *s = t->s;

	if (s->dirs == STAMPS_DIRS_MAX)
		return err_set(t->err, ERR_LIMIT, "more than %d directories", STAMPS_DIRS_MAX);
	struct stamps_dir *dir = &s->dir[s->dirs++];
	*dir = (struct stamps_dir){.stamp = place->stamp};
	return add_name(s, place->name, &dir->path, t->err);
}

static int add_file(struct taking *t, const struct pack_place *place)
{
	struct stamps *s = t->s;

	if (s->files == STAMPS_FILES_MAX)
		return err_set(t->err, ERR_LIMIT, "more than %d files", STAMPS_FILES_MAX);
	t->parent[s->files] = (uint32_t)(t->before + (size_t)place->parent);
	s->dir[t->parent[s->files]].count++;
	struct stamps_file *file = &s->file[s->files++];
	*file = (struct stamps_file){.stamp = place->stamp};
	return add_name(s, place->name, &file->name, t->err);
}

static int take_place(void *context, const struct pack_place *place)
{
	struct taking *t = context;

	if (!stamp_is_settled(&place->stamp, t->now))
		return err_set(t->err, ERR_INPUT, "%.256s: was changed just now", place->name);
	return place->directory < 0 ? add_file(t, place) : add_dir(t, place);
}

static int reserve(struct stamps *s, struct err *err)
{
	if (!s->dir)
		s->dir = calloc(STAMPS_DIRS_MAX, sizeof(*s->dir));
	if (!s->file)
		s->file = calloc(STAMPS_FILES_MAX, sizeof(*s->file));
	if (!s->names)
		s->names = malloc(STAMPS_NAMES_MAX);
	return s->dir && s->file && s->names ? 0 : err_memory(err);
}

/* Sorts the files from FIRST on by their directories. */
static int group(struct taking *t, size_t first)
{
	struct stamps *s = t->s;
	size_t count = s->files - first;
	AUTO_FREE struct stamps_file *copy = calloc(count + 1, sizeof(*copy));
	uint32_t at = (uint32_t)first;

	if (!copy)
		return err_memory(t->err);
	memcpy(copy, s->file + first, count * sizeof(*copy));
	for (size_t i = t->before; i < s->dirs; i++) {
		s->dir[i].first = at;
		at += s->dir[i].count;
		s->dir[i].count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct stamps_dir *dir = &s->dir[t->parent[first + i]];
		s->file[dir->first + dir->count++] = copy[i];
	}
	return 0;
}

int stamps_take(const char *path, int64_t now, struct stamps *ret, struct err *err)
{
	AUTO_FREE uint32_t *parent = calloc(STAMPS_FILES_MAX, sizeof(*parent));
	struct taking t = {.s = ret, .now = now, .before = ret->dirs, .parent = parent, .err = err};
	size_t first = ret->files;

	if (!parent || reserve(ret, err) < 0)
		return err_memory(err);
	if (pack_files_list(path, take_place, &t, err) < 0)
		return -1;
	return group(&t, first);
}

void stamps_done(struct stamps *s)
{
	free(s->dir);
	free(s->file);
	free(s->names);
	*s = (struct stamps){0};
}

bool stamps_are_sound(const struct stamps *s)
{
	if (!s->names_len || s->names[s->names_len - 1])
		return false;
	for (size_t i = 0; i < s->dirs; i++)
		if (s->dir[i].path >= s->names_len || s->dir[i].first > s->files ||
		    s->dir[i].count > s->files - s->dir[i].first)
			return false;
	for (size_t i = 0; i < s->files; i++)
		if (s->file[i].name >= s->names_len)
			return false;
	return true;
}

static bool is_as_it_was(int dir, const char *name, int flags, const struct stamp *was)
{
	struct stat st;

	if (fstatat(dir, name, &st, flags) < 0)
		return false;
	struct stamp is = stamp_of(&st);
	return stamp_is_same(&is, was);
}

static bool is_dir_current(const struct stamps *s, const struct stamps_dir *dir)
{
	AUTO_CLOSE int fd = open(s->names + dir->path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || !is_as_it_was(fd, "", AT_EMPTY_PATH, &dir->stamp))
		return false;
	for (size_t i = dir->first; i < dir->first + dir->count; i++)
		if (!is_as_it_was(fd, s->names + s->file[i].name, 0, &s->file[i].stamp))
			return false;
	return true;
}

bool stamps_are_current(const struct stamps *s)
{
	for (size_t i = 0; i < s->dirs; i++)
		if (!is_dir_current(s, &s->dir[i]))
			return false;
	return true;
}
