/* SPDX-License-Identifier: MIT
 *
 * Opens the file, creates it the first time, waits for other processes, and explains SQLite's
 * errors. A file that is not a database, or belongs to another program or version, is refused and
 * never changed.
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
#include "store/heads.h"
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
			     "PRAGMA user_version = 3;"
			     "COMMIT;";

/* Gives both files their first megabyte at once. A commit into existing blocks waits once for the
 * disk; one that makes a file longer waits twice. */
static const char room[] = "INSERT INTO item (kind, key, version, value) VALUES ('head', 'room', "
			   "1, zeroblob(1048576));"
			   "DELETE FROM item WHERE key = 'room';";

static const struct {
	int code; /* primary result code */
	enum err_code err;
	const char *words, *cure;
} rows[] = {
	{SQLITE_FULL, ERR_SYSTEM, "the disk is full",
	 "free some disk space; nothing runs without a record"},
	{SQLITE_READONLY, ERR_SYSTEM, "it cannot be written",
	 "check the permissions of the state directory and the mount options of its file system"},
	{SQLITE_CORRUPT, ERR_INPUT, "it is damaged", "keep a copy, then run cordon audit verify"},
	{SQLITE_NOTADB, ERR_INPUT, "it is not a database",
	 "move the file away and find out what wrote it"},
	{SQLITE_CANTOPEN, ERR_SYSTEM, "it cannot be opened", "check its permissions and links"},
	{SQLITE_IOERR, ERR_SYSTEM, "input/output error", "check the kernel's messages"},
	{SQLITE_CONSTRAINT, ERR_INPUT, "it already has a record with that number",
	 "run cordon audit verify"},
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

/* Checks the file by name, not by descriptor: closing a descriptor releases the POSIX locks that
 * another store of this process holds on the file. The directory is private, so the name cannot
 * change. */
static int check_file(int dir, bool read_only, struct err *err)
{
	struct stat st;

	if (fstatat(dir, LITE_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return err_errno(err, ERR_SYSTEM, LITE_FILE);
		if (read_only)
			return heads_no_log(dir, err);
		AUTO_CLOSE int fd =
			openat(dir, LITE_FILE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			return err_errno(err, ERR_SYSTEM, "making " LITE_FILE);
		return 0;
	}
	if (!S_ISREG(st.st_mode) || (!read_only && (st.st_uid != geteuid() || st.st_mode & 077))) {
		err_set(err, ERR_REFUSED, LITE_FILE ": other users can access this file");
		err_cure(err, "if no other user can have changed it: chmod 600");
		return -1;
	}
	return 0;
}

/* The path without symbolic links: then SQLite can refuse all links. */
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

int lite_number(struct lite *l, const char *sql, int *ret, struct err *err)
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

/* 1: the database is empty. */
static int check_version(struct lite *l, struct err *err)
{
	int application = 0, version = 0, tables = 0;

	if (lite_number(l, "PRAGMA application_id", &application, err) < 0 ||
	    lite_number(l, "PRAGMA user_version", &version, err) < 0)
		return -1;
	if (application == LITE_APPLICATION && version >= STORE_FORMAT_OLDEST &&
	    version <= STORE_FORMAT)
		return 0;
	if (lite_number(l, "SELECT count(*) FROM sqlite_schema", &tables, err) < 0)
		return -1;
	if (application == 0 && version == 0 && tables == 0)
		return 1;
	if (application != LITE_APPLICATION)
		return err_set(err, ERR_INPUT, LITE_FILE ": this is a database of another program");
	return store_no_format(LITE_FILE, (uint64_t)version, err);
}

/* A table with another definition could, for example, replace the last record by each new one
 * without an error. */
static int check_tables(struct lite *l, struct err *err)
{
	static const char ask[] =
		"SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
		" AND substr(sql, instr(sql, '(')) <> CASE name WHEN 'log' THEN '" LOG "'"
		" WHEN 'ref' THEN '" REF "' WHEN 'item' THEN '" ITEM "' END";
	int others = 0;

	if (lite_number(l, ask, &others, err) < 0)
		return -1;
	if (!others)
		return 0;
	err_set(err, ERR_REFUSED, LITE_FILE ": its tables are not those that cordon creates");
	err_cause(err, "such tables may not keep what is written");
	err_cure(err, "keep a copy, run cordon audit verify, and find out what changed the tables");
	return -1;
}

/* One process creates the database at a time: SQLite does not wait for a change of the journal mode. */
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
	/* Locks a descriptor of its own: the caller's may be shared. */
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

/* A process that writes for long without closing must limit the write-ahead log on the way. */
static int count_frames(void *context, sqlite3 *db, const char *name, int frames)
{
	struct lite *l = context;

	l->frames = frames;
	if (frames >= LITE_FRAMES_MAX)
		sqlite3_wal_checkpoint_v2(db, name, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return SQLITE_OK;
}

/* Copies the write-ahead log's frames into the database, then writes one frame, which restarts the
 * log in the same blocks. Without the second step the next open would not know that the frames were
 * copied: it would read the whole log, and the log would grow. If this fails, the next close does
 * it. */
void lite_tidy(struct lite *l)
{
	if (l->frames < LITE_FRAMES_TIDY)
		return;
	char words[64];
	struct err none;
	int format = 0;

	if (sqlite3_wal_checkpoint_v2(l->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL) !=
		    SQLITE_OK ||
	    sqlite3_exec(l->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
		return;
	/* Writes the number that is there: another process may just have upgraded it. */
	if (lite_number(l, "PRAGMA user_version", &format, &none) == 0) {
		snprintf(words, sizeof(words), "PRAGMA user_version = %d", format);
		sqlite3_exec(l->db, words, NULL, NULL, NULL);
	}
	if (sqlite3_exec(l->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		sqlite3_exec(l->db, "ROLLBACK", NULL, NULL, NULL);
}

/* When the write-ahead log was last written; 0: unknown. */
static uint64_t last_written(const struct lite *l)
{
	const char *path = sqlite3_filename_wal(sqlite3_db_filename(l->db, "main"));
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * 1000000000U + (uint64_t)st.st_mtim.tv_nsec;
}

/* Does not count time in which this process did not run: the process with the lock may have been
 * stopped too (SIGSTOP, a frozen cgroup, a suspended machine). */
static void leave_out_pause(struct lite *l, uint64_t now)
{
	const uint64_t most = LITE_PAUSE_MS * UINT64_C(1000000);
	uint64_t since = now - l->looked, paused = since > most ? since - most : 0;

	l->wait_begun += paused;
	l->wait_until += paused;
	l->looked = now;
}

/* The limit is for a process that does not release the lock. While the write-ahead log changes,
 * others make progress, so the wait starts again, up to a maximum. */
static void look_around(struct lite *l, uint64_t now)
{
	uint64_t wait = (uint64_t)l->wait_ms * 1000000U, written = last_written(l);

	leave_out_pause(l, now);
	uint64_t most = l->wait_begun + wait * LITE_WAITS_MAX;
	if (written != l->written)
		l->wait_until = now + wait < most ? now + wait : most;
	l->written = written;
}

/* SQLite's own handler checks ever less often, up to every 100 ms: where many write, the process
 * that waits longest would get the lock last. This one checks at two intervals: a short one, and
 * after a while one that leaves the processor to the process with the lock where hundreds wait. */
static int wait_busy(void *ctx, int count)
{
	static const struct timespec soon = {.tv_nsec = LITE_LOOK_US * 1000L},
				     later = {.tv_nsec = LITE_LOOK_LATER_US * 1000L};
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
	nanosleep(count < LITE_LOOKS_SOON ? &soon : &later, NULL);
	return 1;
}

static int configure(struct lite *l, struct err *err)
{
	sqlite3_busy_handler(l->db, wait_busy, l);
	sqlite3_db_config(l->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(l->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	/* Cordon uses no triggers and views; a foreign one could change or drop data unseen. */
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
	/* SQLite silently opens a file for reading that it cannot open for writing. */
	if (!o->read_only && sqlite3_db_readonly(l->db, "main") == 1) {
		err_set(err, ERR_SYSTEM, "opening " LITE_FILE ": it cannot be written");
		err_cure(err, "check its permissions and the mount options of its file system");
		return -1;
	}
	if (configure(l, err) < 0)
		return -1;
	int r = check_version(l, err);
	if (r == 1 && o->read_only)
		return heads_no_log(o->dir, err);
	if (r == 0 && !o->read_only && check_tables(l, err) < 0)
		return -1;
	/* Another process may be creating it at the same time: make() checks again under a lock. */
	if (r == 1 || (r < 0 && !o->read_only))
		r = make(l, o->dir, err);
	/* SQLite syncs the directory too (sqlite_vfs.c), but ignores errors. */
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
