/* SPDX-License-Identifier: MIT
 *
 * A file that is broken, of another program or version, closed to us, a link, or on a full disk: a
 * clear error each time, the file as it was, and no record that was acknowledged lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/scope.h"
#include "case.h"

static bool fails(int dir, bool read_only, enum err_code code, const char *words)
{
	struct store_options o = {.dir = dir, .read_only = read_only};
	struct store *s = NULL;
	struct err err = {0};
	int r = store_open(&o, &s, &err);
	bool is_said = r < 0 && err.code == (uint32_t)code && strstr(err.message, words);

	if (!is_said)
		printf("# %d: %s: %s\n", (int)err.code, err.message, err.cause);
	store_close(s);
	return is_said;
}

static void sql(const char *words)
{
	case_sql("s", words, "");
}

static void put_back(int dir)
{
	struct store *s = case_open(dir);

	ok(case_is_good(s, dir), "put back, it is good");
	store_close(s);
}

static void test_versions(int dir)
{
	sql("PRAGMA user_version = 1");
	ok(fails(dir, false, ERR_REFUSED, "has format 1") &&
		   fails(dir, true, ERR_REFUSED, "has format 1"),
	   "another version is refused");
	sql("PRAGMA user_version = 3; PRAGMA application_id = 7");
	ok(fails(dir, false, ERR_INPUT, "another program"),
	   "another program's database is refused");
	sql("PRAGMA application_id = 0x43524441");
	put_back(dir);
	sql("ALTER TABLE log RENAME TO gol");
	ok(fails(dir, false, ERR_SYSTEM, "no such table"), "a table that is gone is told");
	sql("ALTER TABLE gol RENAME TO log");
}

/* Each record takes the place of the one before, and every insert succeeds. */
static void test_replacing(int dir)
{
	sql("ALTER TABLE log RENAME TO gol;"
	    "CREATE TABLE log (seq INTEGER PRIMARY KEY, hash BLOB NOT NULL, record BLOB NOT NULL,"
	    " one INTEGER DEFAULT 1 UNIQUE ON CONFLICT REPLACE) STRICT;"
	    "INSERT INTO log (seq, hash, record) SELECT seq, hash, record FROM gol ORDER BY seq");
	ok(fails(dir, false, ERR_REFUSED, "not those that cordon creates"),
	   "a table that forgets is refused");
	sql("DROP TABLE log; ALTER TABLE gol RENAME TO log");
	put_back(dir);
}

static void test_rights(int dir)
{
	scratch_must(chmod("s/log.db", 0640) == 0, "a mode");
	ok(fails(dir, false, ERR_REFUSED, "other users can access"),
	   "a file that others may read is refused");
	scratch_must(chmod("s/log.db", 0600) == 0 && rename("s/log.db", "s/db") == 0 &&
			     symlink("db", "s/log.db") == 0,
		     "a link");
	ok(fails(dir, false, ERR_REFUSED, "other users can access") &&
		   fails(dir, true, ERR_REFUSED, "other users can access"),
	   "a link is refused");
	scratch_must(unlink("s/log.db") == 0 && rename("s/db", "s/log.db") == 0, "back");
	if (geteuid() == 0) {
		scratch_must(chown("s/log.db", 4711, 4711) == 0, "an owner");
		ok(fails(dir, false, ERR_REFUSED, "other users can access"),
		   "a database of another account is refused");
		scratch_must(chown("s/log.db", 0, 0) == 0, "an owner");
	} else {
		scratch_must(chmod("s/log.db", 0400) == 0, "a mode");
		ok(fails(dir, false, ERR_SYSTEM, "cannot be written"),
		   "one that may not be written is told");
		scratch_must(chmod("s/log.db", 0600) == 0, "a mode");
	}
	int empty = case_fresh("e");
	ok(fails(empty, true, ERR_INPUT, "there is no log yet") && !scratch_exists("e/log.db"),
	   "a reader makes nothing");
	close(empty);
}

static void test_keys(int dir)
{
	scratch_must(rename("s/log.key", "key") == 0, "the key");
	ok(fails(dir, false, ERR_INPUT, "no key") && !scratch_exists("s/log.key"),
	   "without its key a log is not written, and no other is made");
	scratch_file(
		"s/log.key",
		"cordon-key-1 9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60\n",
		0600);
	ok(fails(dir, false, ERR_REFUSED, "not the key of this log"), "nor with another");
	scratch_must(rename("key", "s/log.key") == 0, "back");
}

static void copy(const char *from, const char *to)
{
	char command[128];

	snprintf(command, sizeof(command), "cp %s %s", from, to);
	scratch_must(system(command) == 0, command);
}

static void test_damage(int dir)
{
	sql("PRAGMA wal_checkpoint(TRUNCATE)");
	copy("s/log.db", "saved");
	scratch_file("s/log.db",
		     "This is no database at all, but it is long enough to be looked at as if it "
		     "were one, and so it has to be refused by what it says in the beginning.",
		     0600);
	ok(fails(dir, false, ERR_INPUT, "not a database"), "a file of text is refused");
	copy("saved", "s/log.db");
	scratch_must(truncate("s/log.db", 4096 * 2) == 0, "a cut");
	ok(fails(dir, false, ERR_INPUT, "damaged"), "half a database is told to be damaged");
	copy("saved", "s/log.db");
	scratch_must(truncate("s/log.db", 0) == 0, "a cut");
	ok(fails(dir, false, ERR_REFUSED, "is gone"),
	   "an empty file is not taken for a new log: the file heads knows the old one");
	copy("saved", "s/log.db");
	struct store *s = case_open(dir);
	ok(case_is_good(s, dir), "the copy is good");
	store_close(s);
}

/* As on a full disk: no file can grow. In a child, whose limit it is. */
static int fill_up(int dir)
{
	struct store *s = case_open(dir);
	struct rlimit limit = {3 << 19, 3 << 19};
	struct err err = {0};
	int n = 0;

	signal(SIGXFSZ, SIG_IGN);
	scratch_must(setrlimit(RLIMIT_FSIZE, &limit) == 0, "a limit");
	for (; n < 100 && !err.code; n++) {
		AUTO_TX struct store_tx tx = {0};
		char value[65536];
		memset(value, n, sizeof(value)); /* what is the same is not written again */
		case_add(&tx, RECORD_REQUEST, "run:full", n);
		store_put(&tx, STORE_SETTING, "full", value, sizeof(value), STORE_ANY);
		if (store_commit(s, &tx, &err) < 0)
			break;
	}
	printf("# after %d commits: %s: %s\n", n, err.message, err.cause);
	bool is_said = n > 0 && n < 100 && err.code == ERR_SYSTEM && err.cure[0];
	/* The store is still of use: what was written can be read. */
	uint64_t size = 0;
	is_said = is_said && store_size(s, &size, &err) == 0 && size > (uint64_t)n;
	store_close(s);
	fflush(stdout);
	return is_said ? n : 0;
}

static int count_row(void *context, const struct store_row *row, struct err *err)
{
	(void)row;
	(void)err;
	++*(int *)context;
	return 0;
}

static void test_full(int dir)
{
	int status = 0, found = 0;
	struct err err = {0};

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(fill_up(dir));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	int written = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
	ok(written > 0, "a full disk is told");
	AUTO_STORE struct store *s = case_open(dir);
	scratch_must(store_find(s, "run:full", 0, 0, count_row, &found, &err) == 0, "reading");
	ok(found == written, "what was acknowledged before, %d records, is there and nothing else",
	   found);
	ok(case_is_good(s, dir), "and the log verifies");
}

enum { WAIT_MS = 200, LONG_MS = 1000 };

/* Begins while another process has the log. A process of its own: SQLite must not be carried over a fork. */
static int wait_for_turn(int dir, int begin, int wait_ms)
{
	struct store_options o = {.dir = dir, .wait_ms = wait_ms};
	AUTO_STORE struct store *s = NULL;
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};
	char word;

	case_add(&tx, RECORD_REQUEST, "run:waits", 1);
	return read(begin, &word, 1) != 1 || store_open(&o, &s, &err) < 0 ||
	       store_commit(s, &tx, &err) < 0;
}

/* While another process has the log. */
typedef void meanwhile_fn(pid_t who_waits, int waits);

static void nap(int ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static void log_moves(pid_t who_waits, int waits)
{
	(void)who_waits;
	for (int i = 0; i < waits * 20; i++) {
		utimensat(AT_FDCWD, "s/log.db-wal", NULL, 0);
		nap(WAIT_MS / 20);
	}
}

static void is_stopped(pid_t who_waits, int waits)
{
	nap(LONG_MS / 10);
	kill(who_waits, SIGSTOP);
	nap(waits * LONG_MS);
	kill(who_waits, SIGCONT);
	nap(LONG_MS / 10);
}

/* Somebody has the log for so many of the other's waits. */
static bool gets_it(int dir, int wait_ms, meanwhile_fn *meanwhile, int waits)
{
	int begin[2], status = -1;
	struct store_tip tip;
	struct err err = {0};

	scratch_must(pipe(begin) == 0, "a pipe");
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(wait_for_turn(dir, begin[0], wait_ms));
	AUTO_STORE struct store *s = case_open(dir);
	scratch_must(s->backend->lock(s->self, &tip, &err) == 0, "the lock");
	scratch_must(write(begin[1], "", 1) == 1, "the word");
	meanwhile(pid, waits);
	s->backend->unlock(s->self);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	close(begin[0]);
	close(begin[1]);
	return status == 0;
}

static void test_turns(int dir)
{
	ok(gets_it(dir, WAIT_MS, log_moves, 4),
	   "who waits while others get on gets its turn, however long that is");
	ok(!gets_it(dir, WAIT_MS, log_moves, 14), "and not for ever");
	ok(gets_it(dir, LONG_MS, is_stopped, 2), "who was stopped has not waited");
}

/* One process after another, as runs are: the files do not grow with their number. */
static void test_short(int dir)
{
	struct stat before, after;

	for (int i = 0; i < 60; i++) {
		struct store *s = case_open(dir);
		case_fill(s, 1, 1);
		store_close(s);
	}
	scratch_must(stat("s/log.db-wal", &before) == 0, "the write-ahead log");
	for (int i = 0; i < 60; i++) {
		struct store *s = case_open(dir);
		case_fill(s, 1, 1);
		store_close(s);
	}
	ok(stat("s/log.db-wal", &after) == 0 && after.st_size == before.st_size,
	   "the write-ahead log stays as long as it is: %lld bytes", (long long)after.st_size);
}

/* How often SQLite has opened a directory, which it does to sync it. */
static int synced;

static int count_sync(const char *path, int *ret)
{
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s", path);
	*strrchr(dir, '/') = '\0';
	*ret = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	synced++;
	return *ret < 0 ? SQLITE_CANTOPEN : SQLITE_OK;
}

/* Writes one record, in a connection of its own. */
static int syncs_of_one(int dir)
{
	struct store *s = case_open(dir);

	synced = 0;
	case_fill(s, 1, 1);
	store_close(s);
	return synced;
}

static void test_names_are_durable(int dir)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	struct store_options o = {.dir = dir, .read_only = true};
	struct store *reader = NULL;
	struct err err = {0};

	scratch_must(vfs->xSetSystemCall(vfs, "openDirectory", (sqlite3_syscall_ptr)count_sync) ==
			     SQLITE_OK,
		     "counting");
	syncs_of_one(dir);
	ok(syncs_of_one(dir) == 0, "a write-ahead log that is in use: no directory is synced");
	sql("SELECT 1 FROM log"); /* closes as the last: the file is gone */
	scratch_must(!scratch_exists("s/log.db-wal"), "the write-ahead log");
	scratch_must(store_open(&o, &reader, &err) == 0 && scratch_exists("s/log.db-wal"),
		     "a reader");
	ok(syncs_of_one(dir) > 0, "one that somebody else has made just now: it is synced");
	store_close(reader);
	/* With the record that it has, whose head must go too. */
	scratch_must(truncate("s/log.db-wal", 32) == 0 && system("sed -i '$d' s/" HEADS_FILE) == 0,
		     "a writer that was killed");
	ok(syncs_of_one(dir) > 0, "and also when it has a header only");
	ok(vfs == sqlite3_vfs_find(NULL) &&
		   vfs->xGetSystemCall(vfs, "openDirectory") == (sqlite3_syscall_ptr)count_sync,
	   "SQLite is for others what it was");
	vfs->xSetSystemCall(vfs, "openDirectory", NULL);
	int found = 0;
	for (; vfs; vfs = vfs->pNext)
		found += strncmp(vfs->zName, "cordon", 6) == 0;
	ok(found == 0, "and nothing of ours is left");
}

int main(void)
{
	const char *scratch = scratch_enter();
	int dir = case_fresh("s");
	struct store *s = case_open(dir);

	case_fill(s, 50, 10);
	store_close(s);
	test_versions(dir);
	test_replacing(dir);
	test_rights(dir);
	test_keys(dir);
	test_damage(dir);
	test_full(dir);
	test_short(dir);
	test_turns(dir);
	test_names_are_durable(dir);
	close(dir);
	scratch_leave(scratch);
	return tap_done();
}
