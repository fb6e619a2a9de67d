/* SPDX-License-Identifier: MIT
 *
 * SQLite syncs the directory at the first commit of every connection, because the write-ahead log
 * might be new: a second wait for the disk in every run. It does so for a file that it may make. Here
 * one that has frames is opened as a file that is there. Whoever wrote the first of them had opened
 * it without any, so had synced the directory before: SQLite syncs the header, and the directory
 * with it, before it writes a frame. A file without frames may be somebody's who was killed, or a
 * reader's; then the directory is synced as always. Each connection has its own layer over SQLite's,
 * under a name of its own: other connections of this process must not notice.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "store/sqlite.h"

enum { WAL_HEADER = 32 }; /* bytes, in every version of the format */

static bool has_frames(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_size > WAL_HEADER;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
		     int *ret_flags)
{
	struct lite_vfs *v = (struct lite_vfs *)vfs;
	sqlite3_vfs *system = v->system;

	if (flags & SQLITE_OPEN_WAL) {
		v->has_frames = has_frames(name);
		flags &= v->has_frames ? ~SQLITE_OPEN_CREATE : ~0;
	}
	return system->xOpen(system, name, file, flags, ret_flags);
}

int lite_vfs_init(struct lite_vfs *v)
{
	sqlite3_vfs *system = sqlite3_vfs_find(NULL);

	if (!system)
		return -1;
	v->vfs = *system;
	v->system = system;
	snprintf(v->name, sizeof(v->name), "cordon-%p", (void *)v);
	/* Newer ones may have members that this copy has not. */
	v->vfs.iVersion = system->iVersion < 3 ? system->iVersion : 3;
	v->vfs.pNext = NULL;
	v->vfs.zName = v->name;
	v->vfs.xOpen = open_file;
	return sqlite3_vfs_register(&v->vfs, 0) == SQLITE_OK ? 0 : -1;
}

void lite_vfs_done(struct lite_vfs *v)
{
	if (v->system)
		sqlite3_vfs_unregister(&v->vfs);
	v->system = NULL;
}
