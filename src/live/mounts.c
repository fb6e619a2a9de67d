/* SPDX-License-Identifier: MIT
 *
 * See mounts.h. It reads /proc/self/mountinfo, and for a descriptor statx(2) and /proc/self/fd.
 */
#include "live/mounts.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/scope.h"

/* mountinfo writes a space as \040. Works in place. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; to++) {
		unsigned code;
		if (p[0] == '\\' && sscanf(p + 1, "%3o", &code) == 1) {
			*to = (char)code;
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

/* One line: ID PARENT DEVICE ROOT POINT ... - TYPE ... */
static struct mount *parse_mount(char *line, struct arena *arena)
{
	struct mount *m = arena_alloc(arena, sizeof(*m));
	char *type = strstr(line, " - "), *field[5], *save = NULL;

	if (!m || !type)
		return NULL;
	type[3 + strcspn(type + 3, " \n")] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(field); i++) {
		field[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!field[i])
			return NULL;
		unescape(field[i]);
	}
	*m = (struct mount){.id = strtoull(field[0], NULL, 10),
			    .point = arena_dup(arena, field[4]),
			    .type = arena_dup(arena, type + 3),
			    .shows = {arena_dup(arena, field[2]), arena_dup(arena, field[3])}};
	return m;
}

struct mount *mounts_read(struct arena *arena, struct err *err)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	struct mount *first = NULL, **next = &first;
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	bool is_complete = f;

	while (is_complete && getline(&line, &size, f) > 0) {
		*next = parse_mount(line, arena);
		is_complete = *next && !arena->failed;
		next = is_complete ? &(*next)->next : next;
	}
	is_complete = is_complete && first && feof(f);
	if (!is_complete)
		err_errno(err, ERR_SYSTEM, "reading /proc/self/mountinfo");
	if (f)
		fclose(f);
	return is_complete ? first : NULL;
}

const struct mount *mounts_find(const struct mount *all, int fd)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_MNT_ID, &st) < 0 ||
	    !(st.stx_mask & STATX_MNT_ID))
		return NULL;
	while (all && all->id != st.stx_mnt_id)
		all = all->next;
	return all;
}

const char *path_below(const char *path, const char *above)
{
	size_t len = strcmp(above, "/") == 0 ? 0 : strlen(above);

	if (strncmp(path, above, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path + len + strspn(path + len, "/");
}

const char *path_join(struct arena *arena, const char *above, const char *rest)
{
	return !*rest ? above
		      : arena_printf(arena, "%s/%s", strcmp(above, "/") == 0 ? "" : above, rest);
}

const char *place_below(const struct place *place, const struct place *above)
{
	return strcmp(place->dev, above->dev) == 0 ? path_below(place->path, above->path) : NULL;
}

int mounts_path(int fd, char ret[PATH_MAX], struct err *err)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, ret, PATH_MAX - 1);
	if (n <= 0)
		return err_errno(err, ERR_SYSTEM, "reading /proc/self/fd");
	ret[n] = '\0';
	return 0;
}

int mounts_place(const struct mount *all, int fd, struct arena *arena, struct place *ret,
		 struct err *err)
{
	const struct mount *m = mounts_find(all, fd);
	struct mount root = {.point = "/", .shows.path = "/"};
	char path[PATH_MAX];
	struct stat st;

	if (mounts_path(fd, path, err) < 0)
		return -1;
	if (!m && fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "%.200s", path);
	if (!m) {
		root.shows.dev = arena_printf(arena, "%u:%u", major(st.st_dev), minor(st.st_dev));
		m = &root;
	}
	const char *rest = path_below(path, m->point);
	if (!rest)
		return err_set(err, ERR_SYSTEM, "%.200s is not below its mount %.200s", path,
			       m->point);
	*ret = (struct place){m->shows.dev, path_join(arena, m->shows.path, rest)};
	return 0;
}
