/* SPDX-License-Identifier: MIT
 *
 * What the two halves of the SQLite backend share.
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
	SQL_COUNT,
};

/* SQLite's files as one connection sees them; it must live longer than that. */
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
	/* Of the wait that goes on, in nanoseconds: when it began, when it ends unless the log moves,
	 * when that was last written, and when we last looked. */
	uint64_t wait_begun, wait_until, written, looked;
	int frames; /* of the write-ahead log, when we last wrote */
};

#define LITE_FILE "log.db"
enum {
	LITE_APPLICATION = 0x43524441,
	LITE_VERSION = 2,
	LITE_LOOK_US = 2000,	/* how often who waits for others looks */
	LITE_PAUSE_MS = 50,	/* what counts, at most, between two looks */
	LITE_WAITS_MAX = 12,	/* a wait is so many times as long, at most, while others get on */
	LITE_FRAMES_TIDY = 128, /* at a close */
	LITE_FRAMES_MAX = 1024, /* at a commit */
};

int lite_open(const struct store_options *options, void **ret, struct err *err);
void lite_tidy(struct lite *l);
/* Ends the connection too. */
void lite_free(struct lite *l);
int lite_vfs_init(struct lite_vfs *v);
void lite_vfs_done(struct lite_vfs *v);
/* Says what the database's last error means; -1. */
int lite_fail(struct lite *l, const char *doing, struct err *err);

#endif
