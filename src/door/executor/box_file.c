/* SPDX-License-Identifier: MIT
 *
 * See box_file.h. A descriptor that comes out of the box is only read, listed or looked at; no path is ever
 * followed from it.
 */
#include "door/executor/box_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

enum { WAIT_MS = 10000 };

int box_files_use(struct box_files *f, int state, const char *name, struct err *err)
{
	static const struct launch_sink quiet = {0};

	if (*f->name && strcmp(f->name, name) == 0)
		return 0;
	box_files_close(f);
	f->result = f->result ? f->result : calloc(1, sizeof(*f->result));
	if (!f->result)
		return err_memory(err);
	int r = kept_box_connect(&f->box, state, false, err);
	if (r == 0 && kept_box_use(&f->box, name, err) < 0)
		r = 1;
	if (r != 0)
		return r;
	kept_box_begin(&f->box, &quiet, f->result);
	snprintf(f->name, sizeof(f->name), "%s", name);
	return 0;
}

void box_files_close(struct box_files *f)
{
	if (*f->name)
		kept_box_close(&f->box);
	f->box = KEPT_BOX_NONE;
	f->name[0] = '\0';
}

int box_file_open(struct box_files *f, const char *path, int flags)
{
	struct live_event e = {.kind = LIVE_NOTHING, .fd = -1};
	uint64_t until = io_now_ns() + WAIT_MS * 1000000ULL;
	struct err err;
	uint32_t id;

	if (live_open(&f->box.live, path, flags, 0, &id, &err) < 0) {
		errno = strlen(path) > CORDON_CHANGE_PATH_MAX ? ENAMETOOLONG : EPIPE;
		return -1;
	}
	while (e.kind != LIVE_OPENED || e.id != id) {
		scope_close(&e.fd);
		if (io_now_ns() > until || live_next(&f->box.live, WAIT_MS, &e, &err) < 0 ||
		    e.kind == LIVE_BOX_ENDED) {
			scope_close(&e.fd);
			box_files_close(f);
			errno = EPIPE;
			return -1;
		}
	}
	errno = e.error ? e.error : EIO;
	return e.fd;
}

int box_file_stat(struct box_files *f, const char *path, bool follows, struct stat *ret)
{
	AUTO_CLOSE int fd = box_file_open(f, path, O_PATH | (follows ? 0 : O_NOFOLLOW));

	return fd < 0 ? -1 : fstat(fd, ret);
}

/* The kernel names it as the box's own mounts do. */
char *box_file_real(struct box_files *f, const char *path)
{
	AUTO_CLOSE int fd = box_file_open(f, path, O_PATH);
	char link[64], real[PATH_MAX];

	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, real, sizeof(real) - 1);
	if (n <= 0 || real[0] != '/') {
		errno = ENOENT;
		return NULL;
	}
	real[n] = '\0';
	return strdup(real);
}

void box_entries_free(struct box_entry *e, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(e[i].name);
	free(e);
}

static int compare(const void *a, const void *b)
{
	const struct box_entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Names and types of the directory itself. */
static int read_names(DIR *dir, size_t most, struct box_entry **ret, size_t *ret_count,
		      bool *ret_cut)
{
	size_t count = 0, size = 0;
	struct box_entry *all = NULL;
	struct dirent *d;

	while ((d = io_readdir(dir))) {
		struct stat st;
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0)
			continue;
		if (count == most) {
			*ret_cut = true;
			break;
		}
		if (count == size) {
			size = size ? size * 2 : 64;
			struct box_entry *grown = realloc(all, size * sizeof(*all));
			if (!grown)
				break;
			all = grown;
		}
		all[count].name = strdup(d->d_name);
		if (!all[count].name)
			break;
		all[count].is_dir = S_ISDIR(st.st_mode);
		all[count].is_file = S_ISREG(st.st_mode);
		all[count++].is_link = S_ISLNK(st.st_mode);
	}
	if (d && !*ret_cut) {
		box_entries_free(all, count);
		errno = ENOMEM;
		return -1;
	}
	*ret = all;
	*ret_count = count;
	return 0;
}

/* False: it leads nowhere. */
static bool follow_link(struct box_files *f, const char *path, struct box_entry *e)
{
	char at[PATH_MAX];
	struct stat st;

	if (snprintf(at, sizeof(at), "%s/%s", path, e->name) >= (int)sizeof(at) ||
	    box_file_stat(f, at, true, &st) < 0)
		return false;
	e->is_dir = S_ISDIR(st.st_mode);
	e->is_file = S_ISREG(st.st_mode);
	return true;
}

int box_file_list(struct box_files *f, const char *path, size_t most, struct box_entry **ret,
		  size_t *ret_count, bool *ret_cut)
{
	int fd = box_file_open(f, path, O_RDONLY | O_DIRECTORY);
	AUTO_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	size_t kept = 0;

	if (!dir) {
		scope_close(&fd);
		return -1;
	}
	if (read_names(dir, most, ret, ret_count, ret_cut) < 0)
		return -1;
	for (size_t i = 0; i < *ret_count; i++) {
		struct box_entry e = (*ret)[i];
		if (e.is_link && !follow_link(f, path, &e))
			free(e.name);
		else
			(*ret)[kept++] = e;
	}
	*ret_count = kept;
	if (kept)
		qsort(*ret, kept, sizeof(**ret), compare);
	return 0;
}
