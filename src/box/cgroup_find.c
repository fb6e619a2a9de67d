/* SPDX-License-Identifier: MIT
 *
 * Finds the directory of this process's cgroup in each hierarchy, from /proc. It parses the lines in
 * place: copying them cost pages of stack, and a page fault for each, at every start.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/cgroup_backend.h"

enum { TABLE_MAX = 16 << 20 };

struct part {
	const char *at;
	size_t len;
};

int cgroup_tables_read(const struct cgroup_host *host, struct cgroup_tables *ret)
{
	ret->host = host;
	ret->mountinfo = NULL;
	return io_read_text(AT_FDCWD, host->self, ret->self, sizeof(ret->self));
}

/* Read once, and only if needed: the kernel makes it anew, mount by mount, for every reader. */
static const char *read_mountinfo(struct cgroup_tables *t)
{
	AUTO_CLOSE int fd = open(t->host->mountinfo, O_RDONLY | O_CLOEXEC);
	size_t len = 0, size = 16384;

	if (t->mountinfo || fd < 0)
		return t->mountinfo ? t->mountinfo : "";
	t->mountinfo = malloc(size);
	for (ssize_t n;
	     t->mountinfo && (n = io_read_full(fd, t->mountinfo + len, size - len - 1)) > 0;) {
		len += (size_t)n;
		if (len + 1 < size)
			continue;
		char *grown = size < TABLE_MAX ? realloc(t->mountinfo, size *= 2) : NULL;
		if (!grown)
			break;
		t->mountinfo = grown;
	}
	if (!t->mountinfo)
		return "";
	t->mountinfo[len] = '\0';
	return t->mountinfo;
}

void cgroup_tables_done(struct cgroup_tables *t)
{
	free(t->mountinfo);
	t->mountinfo = NULL;
}

/* The part up to the next END, and *REST moves behind it; false when nothing is left. */
static bool next_part(struct part *rest, char end, struct part *ret)
{
	if (!rest->at)
		return false;
	const char *stop = memchr(rest->at, end, rest->len);
	*ret = (struct part){rest->at, stop ? (size_t)(stop - rest->at) : rest->len};
	*rest = stop ? (struct part){stop + 1, rest->len - ret->len - 1} : (struct part){0};
	return true;
}

static bool is_word(struct part p, const char *word)
{
	return p.len == strlen(word) && memcmp(p.at, word, p.len) == 0;
}

static bool has_word(struct part list, const char *word)
{
	for (struct part p; next_part(&list, ',', &p);)
		if (is_word(p, word))
			return true;
	return false;
}

/* "9:memory:/a/b" or "0::/a/b"; CONTROLLER NULL means v2. */
static bool own_path(const char *self, const char *controller, struct part *ret)
{
	struct part lines = {self, strlen(self)}, line, number, list;

	while (next_part(&lines, '\n', &line))
		if (next_part(&line, ':', &number) && next_part(&line, ':', &list) && line.at &&
		    (controller ? has_word(list, controller) : list.len == 0)) {
			*ret = line;
			return line.len < CGROUP_PATH_MAX;
		}
	return false;
}

/* One mountinfo line: ID PARENT DEV ROOT POINT OPTS ... - TYPE SOURCE SUPEROPTS */
static bool mount_line_fits(struct part line, const char *controller, struct part *ret_root,
			    struct part *ret_point)
{
	static const char mark[] = " - cgroup";
	const char *tail = memmem(line.at, line.len, mark, sizeof(mark) - 1);
	struct part skipped, type;

	if (!tail)
		return false;
	struct part head = {line.at, (size_t)(tail - line.at)};
	struct part rest = {tail + 3, line.len - head.len - 3};
	for (int i = 0; i < 3; i++)
		next_part(&head, ' ', &skipped);
	if (!next_part(&head, ' ', ret_root) || !next_part(&head, ' ', ret_point) ||
	    !next_part(&rest, ' ', &type) || !next_part(&rest, ' ', &skipped))
		return false;
	return controller ? is_word(type, "cgroup") && has_word(rest, controller)
			  : is_word(type, "cgroup2");
}

/* The usual place, if it is a v1 hierarchy and our own cgroup is there under its whole name. */
static bool is_at_usual_place(const struct cgroup_host *host, const char *controller,
			      struct part own, struct cgroup_mount *ret)
{
	struct statfs fs;

	if (!host->usual || !controller)
		return false;
	ret->is_root = is_word(own, "/");
	int n = snprintf(ret->path, sizeof(ret->path), "%s/%s%.*s", host->usual, controller,
			 ret->is_root ? 0 : (int)own.len, own.at);
	return n < (int)sizeof(ret->path) && statfs(ret->path, &fs) == 0 &&
	       fs.f_type == CGROUP_SUPER_MAGIC;
}

/* In a container the mount's root is a part of the hierarchy: cut it off. */
static int join_path(struct part own, struct part root, struct part point, struct cgroup_mount *ret)
{
	if (!is_word(root, "/") && own.len >= root.len && memcmp(own.at, root.at, root.len) == 0)
		own = (struct part){own.at + root.len, own.len - root.len};
	ret->is_root = own.len == 0 || is_word(own, "/");
	int n = snprintf(ret->path, sizeof(ret->path), "%.*s%.*s", (int)point.len, point.at,
			 ret->is_root ? 0 : (int)own.len, own.at);
	return n < (int)sizeof(ret->path) ? 0 : -1;
}

bool cgroup_is_listed(const struct cgroup_tables *t, const char *controller)
{
	struct part own;

	return own_path(t->self, controller, &own);
}

int cgroup_find_mount(struct cgroup_tables *t, const char *controller, struct cgroup_mount *ret)
{
	struct part own, line, root, point;

	if (!own_path(t->self, controller, &own))
		return -1;
	if (is_at_usual_place(t->host, controller, own, ret))
		return 0;
	struct part lines = {read_mountinfo(t), 0};
	lines.len = strlen(lines.at);
	while (next_part(&lines, '\n', &line))
		if (mount_line_fits(line, controller, &root, &point))
			return join_path(own, root, point, ret);
	return -1;
}
