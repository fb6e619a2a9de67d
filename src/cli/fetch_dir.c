/* SPDX-License-Identifier: MIT
 *
 * Making a directory and locking it are two steps, and somebody else's sweep may come between them.
 * So whoever made one looks, with the lock, whether it still has its name, and makes another if not.
 * Where there are no locks on directories (some network file systems) nothing is swept.
 */
#include "cli/fetch_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/io.h"
#include "base/scope.h"

#define PREFIX ".fetch-"
#define RANDOM "XXXXXX"

enum { TRIES = 8, DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

static bool is_ours(const char *name)
{
	return strncmp(name, PREFIX, sizeof(PREFIX) - 1) == 0 &&
	       strlen(name) == sizeof(PREFIX RANDOM) - 1;
}

/* The lock is held until all is gone. */
static bool remove_left(int data, const char *name)
{
	AUTO_CLOSE int dir = openat(data, name, DIRECTORY);

	return dir >= 0 && flock(dir, LOCK_EX | LOCK_NB) == 0 && files_remove_tree(data, name) == 0;
}

static void sweep(const char *path)
{
	AUTO_CLOSEDIR DIR *data = opendir(path);
	const struct dirent *entry;
	size_t removed = 0;

	while (data && removed < FETCH_LEFTOVERS_MAX && (entry = io_readdir(data)))
		if (is_ours(entry->d_name))
			removed += remove_left(dirfd(data), entry->d_name);
}

/* False: somebody is sweeping it, or has. */
static bool hold(const char *path, int dir)
{
	struct stat named, held;

	if (flock(dir, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return false;
	return lstat(path, &named) == 0 && fstat(dir, &held) == 0 && named.st_ino == held.st_ino &&
	       named.st_dev == held.st_dev;
}

/* 1, 0 when it was taken away, -1. */
static int make(struct fetch_dir *d, const char *data, struct err *err)
{
	size_t len = (size_t)snprintf(d->path, sizeof(d->path), "%s/" PREFIX RANDOM, data);

	if (len >= sizeof(d->path) || !mkdtemp(d->path)) {
		errno = len >= sizeof(d->path) ? ENAMETOOLONG : errno;
		return err_errno(err, ERR_SYSTEM, "%.256s cannot be written to", data);
	}
	AUTO_CLOSE int dir = open(d->path, DIRECTORY);
	if (dir >= 0 && hold(d->path, dir)) {
		d->lock = scope_take_fd(&dir);
		return 1;
	}
	rmdir(d->path); /* if nobody has */
	return 0;
}

int fetch_dir_open(struct fetch_dir *d, const char *data, struct err *err)
{
	int made = 0;

	sweep(data);
	for (int i = 0; i < TRIES && !made; i++)
		made = make(d, data, err);
	if (made == 0)
		err_set(err, ERR_SYSTEM, "%.256s: somebody removes what is made there", data);
	if (made <= 0)
		d->path[0] = '\0';
	return made > 0 ? 0 : -1;
}

void fetch_dir_close(struct fetch_dir *d)
{
	char *slash = strrchr(d->path, '/');

	if (!slash)
		return;
	*slash = '\0';
	AUTO_CLOSE int data = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (data >= 0)
		files_remove_tree(data, slash + 1);
	close(d->lock);
	d->path[0] = '\0';
}
