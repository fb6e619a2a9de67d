/* SPDX-License-Identifier: MIT
 *
 * What the files of the SQLite backend share.
 */
#ifndef CORDON_STORE_SQLITE_H
#define CORDON_STORE_SQLITE_H

#include <sqlite3.h>

#include "store/backend.h"

enum lite_sql {
	SQL_BEGIN,
	SQL_COMMIT,
	SQL_TIP,
	SQL_APPEND,
	SQL_REF,
	SQL_PUT,
	SQL_PUT_NEW,
	SQL_PUT_IF,
	SQL_DELETE,
	SQL_DELETE_IF,
	SQL_EXPECT,
	SQL_GET,
	SQL_LIST,
	SQL_READ,
	SQL_FIND,
	SQL_REFS,
	SQL_STRIP,
	SQL_UNREF,
	SQL_CLEAR,
	SQL_COUNT,
};

/* The VFS of one connection; it must outlive the connection. */
struct lite_vfs {
	sqlite3_vfs vfs; /* first: SQLite gives this back */
	sqlite3_vfs *system;
	bool has_frames; /* the write-ahead log, when it was opened */
	char name[32];
};

struct lite {
	struct lite_vfs vfs;
	sqlite3 *db;
	sqlite3_stmt *stmt[SQL_COUNT];
	int wait_ms;
	/* The present wait, in nanoseconds: its begin, its end unless other processes write
	 * meanwhile, the time of their last write, the time of our last check. */
	uint64_t wait_begun, wait_until, written, looked;
	int frames; /* in the write-ahead log after our last write */
};

#define LITE_FILE "log.db"
enum {
	LITE_APPLICATION = 0x43524441,
	LITE_LOOK_US = 2000, /* between two checks of a wait, for the first ones */
	LITE_LOOKS_SOON = 50,
	LITE_LOOK_LATER_US = 20000,
	LITE_PAUSE_MS = 50,	/* longest time between two checks that counts as waiting */
	LITE_WAITS_MAX = 12,	/* maximum of a wait while others write, in units of wait_ms */
	LITE_FRAMES_TIDY = 128, /* at a close */
	LITE_FRAMES_MAX = 1024, /* at a commit */
};

int lite_number(struct lite *l, const char *sql, int *ret, struct err *err);
int lite_open(const struct store_options *options, void **ret, struct err *err);
void lite_tidy(struct lite *l);
/* Closes the connection too. */
void lite_free(struct lite *l);
int lite_vfs_init(struct lite_vfs *v);
void lite_vfs_done(struct lite_vfs *v);
/* Explains the database's last error; -1. */
int lite_fail(struct lite *l, const char *doing, struct err *err);

#endif
