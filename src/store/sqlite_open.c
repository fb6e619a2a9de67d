/* SPDX-License-Identifier: MIT
 *
 * Opening the file, making it the first time, and saying in words what is wrong with it. A file
 * that is no database, or one of another program or version, is refused and never touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "store/chain.h"
#include "store/sqlite.h"

#define LOG                                                                                        \
	"(seq INTEGER PRIMARY KEY, hash BLOB NOT NULL, record BLOB NOT NULL) "                     \
	"STRICT"
#define REF                                                                                        \
	"(name TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (name, seq))"                      \
	" STRICT, WITHOUT ROWID"
#define ITEM                                                                                       \
	"(kind TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL,"                        \
	" value BLOB NOT NULL, PRIMARY KEY (kind, key)) STRICT"

static const char schema[] = "BEGIN EXCLUSIVE;"
			     "CREATE TABLE log " LOG ";"
			     "CREATE TABLE ref " REF ";"
			     "CREATE TABLE item " ITEM ";"
			     "PRAGMA application_id = 0x43524441;"
			     "PRAGMA user_version = 2;"
			     "COMMIT;";

/* Both files get their first megabyte at once. A commit into blocks that are there already is one
 * wait for the disk; one that makes a file longer is two. */
static const char room[] = "INSERT INTO item (kind, key, version, value) VALUES ('head', 'room', "
			   "1, zeroblob(1048576));"
			   "DELETE FROM item WHERE key = 'room';";

static const struct {
	int code; /* the primary one */
	enum err_code err;
	const char *words, *cure;
} rows[] = {
	{SQLITE_FULL, ERR_SYSTEM, "the disk is full", "make room; nothing runs without a record"},
	{SQLITE_READONLY, ERR_SYSTEM, "it may not be written",
	 "look at the rights of the state directory and at how its file system is mounted"},
	{SQLITE_CORRUPT, ERR_INPUT, "it is damaged",
	 "keep a copy, then look at it with cordon audit verify"},
	{SQLITE_NOTADB, ERR_INPUT, "it is no database",
	 "move the file away and look at who wrote it"},
	{SQLITE_CANTOPEN, ERR_SYSTEM, "it cannot be opened", "look at its rights and its links"},
	{SQLITE_IOERR, ERR_SYSTEM, "the disk does not obey", "look at the kernel's messages"},
	{SQLITE_CONSTRAINT, ERR_INPUT, "a record of that number is there already",
	 "look at it with cordon audit verify"},
	{SQLITE_NOMEM, ERR_SYSTEM, "out of memory", ""},
};

int lite_fail(struct lite *l, const char *doing, struct err *err)
{
	int code = sqlite3_extended_errcode(l->db), primary = code & 0xff;
	int system = sqlite3_system_errno(l->db);

	if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED)
		return store_busy(l->wait_ms, err);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].code != primary)
			continue;
		err_set(err, rows[i].err, "%s " LITE_FILE ": %s", doing, rows[i].words);
		err_cause(err, "SQLite says: %s (%d)%s%s", sqlite3_errmsg(l->db), code,
			  system ? ", " : "", system ? strerror(system) : "");
		err_cure(err, "%s", rows[i].cure);
		return -1;
	}
	return err_set(err, ERR_SYSTEM, "%s " LITE_FILE ": %s (%d)", doing, sqlite3_errmsg(l->db),
		       code);
}

/* By its name and not by a descriptor: closing one would take away the locks that another store of
 * this process holds on the file (POSIX). Nobody else can enter the directory. */
static int check_file(int dir, bool read_only, struct err *err)
{
	struct stat st;

	if (fstatat(dir, LITE_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return err_errno(err, ERR_SYSTEM, LITE_FILE);
		if (read_only)
			return chain_none(dir, err);
		AUTO_CLOSE int fd =
			openat(dir, LITE_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return err_errno(err, ERR_SYSTEM, "making " LITE_FILE);
		return 0;
	}
	if (!S_ISREG(st.st_mode) || (!read_only && (st.st_uid != geteuid() || st.st_mode & 077))) {
		err_set(err, ERR_REFUSED, LITE_FILE ": not a file that only you may use");
		err_cure(err, "if nobody else can have changed it: chmod 600");
		return -1;
	}
	return 0;
}

/* The directory's own name, without links: SQLite then refuses any that comes later. */
static int full_path(int dir, char *ret, size_t size, struct err *err)
{
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	ssize_t n = readlink(link, ret, size);
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "the state directory");
	if ((size_t)n + sizeof("/" LITE_FILE) > size)
		return err_set(err, ERR_INPUT, "the state directory's name is too long");
	memcpy(ret + n, "/" LITE_FILE, sizeof("/" LITE_FILE));
	return 0;
}

static int number(struct lite *l, const char *sql, int *ret, struct err *err)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(l->db, sql, -1, &s, NULL) != SQLITE_OK ||
	    sqlite3_step(s) != SQLITE_ROW) {
		lite_fail(l, "opening", err);
		sqlite3_finalize(s);
		return -1;
	}
	*ret = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	return 0;
}

/* 1: it is new. */
static int check_version(struct lite *l, struct err *err)
{
	int application = 0, version = 0, tables = 0;

	if (number(l, "PRAGMA application_id", &application, err) < 0 ||
	    number(l, "PRAGMA user_version", &version, err) < 0)
		return -1;
	if (application == LITE_APPLICATION && version == LITE_VERSION)
		return 0;
	if (number(l, "SELECT count(*) FROM sqlite_schema", &tables, err) < 0)
		return -1;
	if (application == 0 && version == 0 && tables == 0)
		return 1;
	if (application != LITE_APPLICATION)
		return err_set(err, ERR_INPUT, LITE_FILE ": it is a database of another program");
	err_set(err, ERR_INPUT,
		LITE_FILE ": it was made by another version of cordon (format %d, not %d)", version,
		LITE_VERSION);
	err_cure(err, "keep it with the cordon that made it, and begin anew: --state DIR, or move "
		      "it away");
	return -1;
}

/* A table of somebody else's making may replace the last record with each new one: nothing fails, and
 * nothing stays. */
static int check_tables(struct lite *l, struct err *err)
{
	static const char ask[] =
		"SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
		" AND substr(sql, instr(sql, '(')) <> CASE name WHEN 'log' THEN '" LOG "'"
		" WHEN 'ref' THEN '" REF "' WHEN 'item' THEN '" ITEM "' END";
	int others = 0;

	if (number(l, ask, &others, err) < 0)
		return -1;
	if (!others)
		return 0;
	err_set(err, ERR_REFUSED, LITE_FILE ": its tables are not as Cordon makes them");
	err_cause(err, "such a table may not keep what is written");
	err_cure(err, "keep a copy, look at it with cordon audit verify, and ask who did that");
	return -1;
}

/* SQLite does not wait while the kind of journal is changed: one maker at a time. */
static int lock_dir(int dir, int wait_ms, struct err *err)
{
	struct timespec nap = {.tv_nsec = 5000000};

	for (uint64_t end = io_now_ns() + (uint64_t)wait_ms * 1000000; io_now_ns() < end;) {
		if (flock(dir, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_errno(err, ERR_SYSTEM, "locking the state directory");
		nanosleep(&nap, NULL);
	}
	return store_busy(wait_ms, err);
}

static int make(struct lite *l, int shared_dir, struct err *err)
{
	/* A lock of this call's own: the caller's descriptor may be used by others. */
	AUTO_CLOSE int dir = openat(shared_dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return err_errno(err, ERR_SYSTEM, "the state directory");
	if (lock_dir(dir, l->wait_ms, err) < 0)
		return -1;
	int r = check_version(l, err);
	if (r <= 0)
		return r;
	if (sqlite3_exec(l->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_exec(l->db, schema, NULL, NULL, NULL) != SQLITE_OK ||
	    sqlite3_exec(l->db, room, NULL, NULL, NULL) != SQLITE_OK)
		return lite_fail(l, "making", err);
	lite_tidy(l);
	return 0;
}

/* Who writes for long without closing tidies up on the way. */
static int count_frames(void *context, sqlite3 *db, const char *name, int frames)
{
	struct lite *l = context;

	l->frames = frames;
	if (frames >= LITE_FRAMES_MAX)
		sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK;
}

/* Brings the write-ahead log's frames home and begins it anew, in the same blocks. Both in one go:
 * that the frames are home is known to those who have the file open, and to nobody afterwards; it
 * would be read whole by every later open, and grow. What fails here is done by the next. */
void lite_tidy(struct lite *l)
{
	if (l->frames < LITE_FRAMES_TIDY)
		return;
	if (sqlite3_wal_checkpoint_v2(l->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) ==
	    SQLITE_OK)
		sqlite3_exec(l->db, "PRAGMA user_version = 2", NULL, NULL, NULL);
}

/* When the write-ahead log was last written; 0: not known. */
static uint64_t last_written(const struct lite *l)
{
	const char *path = sqlite3_filename_wal(sqlite3_db_filename(l->db, "main"));
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * 1000000000U + (uint64_t)st.st_mtim.tv_nsec;
}

/* Who was stopped, or frozen with all others, has not waited meanwhile: whoever has the log could not
 * let go. */
static void leave_out_pause(struct lite *l, uint64_t now)
{
	const uint64_t most = LITE_PAUSE_MS * UINT64_C(1000000);
	uint64_t since = now - l->looked, paused = since > most ? since - most : 0;

	l->wait_begun += paused;
	l->wait_until += paused;
	l->looked = now;
}

/* The wait is for one who does not let go. Where many write, and slowly, each gets its turn: while the log
 * moves, others are at work and the wait begins anew, up to its maximum. */
static void look_around(struct lite *l, uint64_t now)
{
	uint64_t wait = (uint64_t)l->wait_ms * 1000000U, written = last_written(l);

	leave_out_pause(l, now);
	uint64_t most = l->wait_begun + wait * LITE_WAITS_MAX;
	if (written != l->written)
		l->wait_until = now + wait < most ? now + wait : most;
	l->written = written;
}

/* SQLite's own looks ever more seldom, up to every 100 ms: where many write, who waits longest then gets it
 * last. This one looks as often as whoever has just come. */
static int wait_busy(void *ctx, int count)
{
	static const struct timespec pause = {.tv_nsec = LITE_LOOK_US * 1000L};
	uint64_t now = io_now_ns();
	struct lite *l = ctx;

	if (count == 0) {
		l->wait_begun = l->looked = now;
		l->wait_until = now + (uint64_t)l->wait_ms * 1000000U;
		l->written = last_written(l);
	}
	look_around(l, now);
	if (now >= l->wait_until)
		return 0;
	nanosleep(&pause, NULL);
	return 1;
}

/* What is written is synced at each commit, and a run does not pay for tidying up. */
static int configure(struct lite *l, struct err *err)
{
	sqlite3_busy_handler(l->db, wait_busy, l);
	sqlite3_db_config(l->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(l->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	/* We have neither: one that is there would change or drop what is written, unseen. */
	sqlite3_db_config(l->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(l->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(l->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_wal_hook(l->db, count_frames, l);
	if (sqlite3_exec(l->db, "PRAGMA synchronous = FULL", NULL, NULL, NULL) != SQLITE_OK)
		return lite_fail(l, "opening", err);
	return 0;
}

static int open_db(struct lite *l, const struct store_options *o, struct err *err)
{
	int flags = (o->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
		    SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
	char path[PATH_MAX];

	if (check_file(o->dir, o->read_only, err) < 0 ||
	    full_path(o->dir, path, sizeof(path), err) < 0)
		return -1;
	if (lite_vfs_init(&l->vfs) < 0)
		return err_set(err, ERR_SYSTEM, "SQLite cannot be used");
	if (sqlite3_open_v2(path, &l->db, flags, l->vfs.name) != SQLITE_OK)
		return l->db ? lite_fail(l, "opening", err) : err_memory(err);
	/* SQLite opens for reading what it cannot open for writing, and says so at the first write. */
	if (!o->read_only && sqlite3_db_readonly(l->db, "main") == 1) {
		err_set(err, ERR_SYSTEM, "opening " LITE_FILE ": it may not be written");
		err_cure(err, "look at its rights and at how its file system is mounted");
		return -1;
	}
	if (configure(l, err) < 0)
		return -1;
	int r = check_version(l, err);
	if (r == 1 && o->read_only)
		return chain_none(o->dir, err);
	if (r == 0 && !o->read_only && check_tables(l, err) < 0)
		return -1;
	if (r == 1)
		r = make(l, o->dir, err);
	/* SQLite does it too (sqlite_vfs.c), and does not say when it fails. */
	if (r == 0 && !o->read_only && !l->vfs.has_frames && fsync(o->dir) < 0)
		return err_errno(err, ERR_SYSTEM, "syncing the state directory");
	return r;
}

void lite_free(struct lite *l)
{
	sqlite3_close(l->db);
	lite_vfs_done(&l->vfs);
	free(l);
}

int lite_open(const struct store_options *options, void **ret, struct err *err)
{
	struct lite *l = calloc(1, sizeof(*l));

	if (!l)
		return err_memory(err);
	l->wait_ms = store_wait(options);
	if (open_db(l, options, err) < 0) {
		lite_free(l);
		return -1;
	}
	*ret = l;
	return 0;
}
