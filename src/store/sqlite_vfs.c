/* SPDX-License-Identifier: MIT
 *
 * SQLite syncs the directory at the first commit of every connection, because the write-ahead log
 * may be new. That is a second wait for the disk in every run. SQLite does so only for a file that
 * it opens with SQLITE_OPEN_CREATE. This VFS removes the flag for a write-ahead log that has
 * frames: the process that wrote its first frame had already synced the directory, together with
 * the header. A log without frames may be left from a killed process or a reader; then SQLite syncs
 * the directory as always. Each connection has a VFS of its own, under its own name, so that other
 * connections of the process are not affected.
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
	/* A newer version may have members that this copy lacks. */
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
