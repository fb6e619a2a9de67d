/* SPDX-License-Identifier: MIT
 *
 * The file heads: every transaction is in it; what a crash or a full disk leaves of it is mended by the next
 * that opens the log; and a database that lacks what the file knows is refused until a person accepts that.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "case.h"
#include "store/accept.h"

enum { WRITERS = 6, EACH = 40 };

static void sql(const char *both)
{
	char postgres[512];

	snprintf(postgres, sizeof(postgres), "SET search_path = cordon; %s;", both);
	case_sql("s", both, postgres);
}

static bool opens(int dir, const char *wanted)
{
	struct store_options o = {.dir = dir, .url = case_url()};
	struct store *s = NULL;
	struct err err = {0};
	int r = store_open(&o, &s, &err);
	bool good =
		wanted ? r < 0 && err.code == ERR_REFUSED && strstr(err.message, wanted) : r == 0;

	if (!good)
		printf("# %d: %s\n", r, err.message);
	store_close(s);
	return good;
}

static struct verify_report look(int dir, const int *copy)
{
	struct store_options o = {.dir = dir, .url = case_url(), .read_only = true};
	struct verify_options v = {.dir = dir, .heads = copy};
	struct verify_report report = {0};
	struct store *s = NULL;
	struct err err = {0};

	scratch_must(store_open(&o, &s, &err) == 0, err.message);
	if (verify_log(s, &v, &report, &err) < 0)
		printf("# could not be verified: %s\n", err.message);
	else if (report.problem)
		printf("# %s: %s\n", verify_problem_name(report.problem), report.words);
	store_close(s);
	return report;
}

static bool accepts(int dir)
{
	struct store_options o = {.dir = dir, .url = case_url(), .accepts = true};
	struct verify_options v = {.dir = dir};
	struct verify_report report;
	AUTO_TX struct store_tx tx = {0};
	struct store *s = NULL;
	struct err err = {0};
	int r = store_open(&o, &s, &err);

	if (r == 0)
		r = verify_log(s, &v, &report, &err);
	if (r == 0)
		r = store_accept(s, &tx, &report.lost, "anna", &err);
	if (r < 0)
		printf("# %s\n", err.message);
	store_close(s);
	return r == 0;
}

static size_t count_lines(void)
{
	AUTO_CLOSE int fd = open("s/" HEADS_FILE, O_RDONLY);
	struct heads_reader r;
	struct heads_line line;
	struct err err;
	size_t n = 0;

	scratch_must(fd >= 0 && heads_reader_begin(&r, fd, &err) == 0, "the file");
	while (heads_read(&r, &line, &err) > 0)
		n++;
	return n;
}

static off_t size_of_file(void)
{
	struct stat st;

	scratch_must(stat("s/" HEADS_FILE, &st) == 0, "the file");
	return st.st_size;
}

static void command(const char *words)
{
	scratch_must(system(words) == 0, words);
}

static void test_every_transaction(void)
{
	int dir = case_fresh("s");
	struct store *s = case_open(dir);
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};
	struct stat st;

	case_fill(s, 30, 3);
	store_put(&tx, STORE_SETTING, "a", "a", 1, STORE_NEW);
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
	store_close(s);
	struct verify_report r = look(dir, NULL);
	ok(count_lines() == 12 && r.problem == VERIFY_GOOD && r.heads == 12 && !r.headless,
	   "the beginning, ten transactions with records and one without");
	ok(stat("s/" HEADS_FILE, &st) == 0 && (st.st_mode & 07777) == 0600, "mode 0600");
	store_close(case_open(dir));
	ok(count_lines() == 12, "to open it adds nothing");
	close(dir);
}

/* Whatever is left of the last lines, the next that opens the log says nothing and goes on. */
static void test_torn(void)
{
	int dir = case_fresh("s"), bad = 0;
	struct store *s = case_open(dir);

	case_fill(s, 4, 1);
	off_t before = size_of_file();
	case_fill(s, 1, 1);
	store_close(s);
	off_t after = size_of_file();
	command("cp s/" HEADS_FILE " whole");
	for (off_t at = before; at <= after; at++) {
		command("cp whole s/" HEADS_FILE);
		scratch_must(truncate("s/" HEADS_FILE, at) == 0, "cutting");
		bad += !opens(dir, NULL) || count_lines() != 6;
	}
	ok(!bad, "a line that was cut anywhere is there again");
	/* A file system may keep the length and lose what was written. */
	scratch_must(truncate("s/" HEADS_FILE, before) == 0 &&
			     truncate("s/" HEADS_FILE, before + 70000) == 0,
		     "zeros");
	ok(opens(dir, NULL) && count_lines() == 6 && look(dir, NULL).problem == VERIFY_GOOD,
	   "zeros at its end are passed over");
	close(dir);
}

/* As on a full disk, in a child, because the limit holds for the process. A committed
 * transaction is no error. */
static void test_no_room(void)
{
	int dir = case_fresh("s"), status = -1;
	struct store *s = case_open(dir);

	case_fill(s, 3, 1);
	store_close(s);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		AUTO_TX struct store_tx tx = {0};
		struct err err = {0};
		s = case_open(dir);
		/* The database has its room already; the file has 20 bytes. */
		command("truncate -s 3000000 s/" HEADS_FILE);
		struct rlimit limit = {3000020, 3000020};
		signal(SIGXFSZ, SIG_IGN);
		scratch_must(setrlimit(RLIMIT_FSIZE, &limit) == 0, "a limit");
		case_add(&tx, RECORD_REQUEST, "run:a", 9);
		int r = store_commit(s, &tx, &err);
		_exit(r == 0 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	ok(status == 0, "a transaction is committed though its head has no room");
	ok(opens(dir, NULL) && look(dir, NULL).problem == VERIFY_GOOD,
	   "with room again its head is added, and the log is intact");
	close(dir);
}

static void test_others(void)
{
	int dir = case_fresh("s");
	struct verify_report r;

	fflush(stdout);
	for (int i = 0; i < WRITERS; i++)
		if (fork() == 0) {
			for (int n = 0; n < EACH; n++) {
				struct store *s = case_open(dir);
				case_fill(s, 1, 1);
				store_close(s);
			}
			_exit(0);
		}
	int status, bad = 0;
	while (wait(&status) > 0)
		bad += status != 0;
	r = look(dir, NULL);
	ok(!bad && r.problem == VERIFY_GOOD && !r.headless && r.heads >= WRITERS * EACH + 1,
	   "many who open it and write at once: none is refused, and every head is there");
	close(dir);
}

static void test_put_back(void)
{
	int dir = case_fresh("s");
	struct store *s = case_open(dir);
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};

	case_fill(s, 5, 1);
	sql(CASE_SAVE);
	store_put(&tx, STORE_SETTING, "used", "up", 2, STORE_NEW);
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
	store_close(s);
	sql(CASE_RESTORE);
	ok(opens(dir, "not the one that was last written") &&
		   look(dir, NULL).problem == VERIFY_TRUNCATED,
	   "an old copy that lacks no record, only an item");
	sql("DELETE FROM log; DELETE FROM item; DELETE FROM ref;"
	    "INSERT INTO log SELECT * FROM saved_log; INSERT INTO item SELECT * FROM saved_item;"
	    "INSERT INTO ref SELECT * FROM saved_ref");
	ok(accepts(dir) && opens(dir, NULL), "is accepted, and the log is open again");
	s = case_open(dir);
	case_fill(s, 3, 1);
	store_close(s);
	sql(CASE_RESTORE);
	struct verify_report r = look(dir, NULL);
	ok(opens(dir, "last written") && r.problem == VERIFY_TRUNCATED && r.first_bad == 7 &&
		   r.last_bad == 11 && r.lost.to == 11,
	   "put back once more, also before that: %s", r.words);
	/* As if the process had been killed between the commit and the head. */
	command("cp s/" HEADS_FILE " before");
	ok(accepts(dir), "accepted once more");
	command("cp before s/" HEADS_FILE);
	ok(opens(dir, "last written") && look(dir, NULL).problem != VERIFY_GOOD,
	   "a loss is not accepted without the head of its record");
	ok(accepts(dir) && opens(dir, NULL) && look(dir, NULL).problem == VERIFY_GOOD,
	   "it can be accepted again");
	ok(look(dir, NULL).accepted == 1, "one loss is accepted");
	close(dir);
}

/* The database was restored, and another cordon wrote on, or one without the file. */
static void test_fork(void)
{
	int dir = case_fresh("s");
	struct store *s = case_open(dir);

	case_fill(s, 5, 1);
	sql(CASE_SAVE);
	command("cp s/" HEADS_FILE " young");
	case_fill(s, 5, 1);
	store_close(s);
	command("mv s/" HEADS_FILE " all && mv young s/" HEADS_FILE);
	sql(CASE_RESTORE);
	s = case_open(dir);
	case_fill(s, 4, 2);
	case_fill(s, 20, 2);
	store_close(s);
	command("mv s/" HEADS_FILE " theirs && cp all s/" HEADS_FILE);
	struct verify_report r = look(dir, NULL);
	ok(opens(dir, "last written") && r.problem == VERIFY_FORKED && r.first_bad == 7 &&
		   r.last_bad == 7,
	   "another record at the same number: %s", r.words);
	ok(accepts(dir) && opens(dir, NULL) && look(dir, NULL).problem == VERIFY_GOOD,
	   "accepted, it is written on");
	close(dir);
}

static void test_missing(void)
{
	int dir = case_fresh("s");
	struct store *s = case_open(dir);

	store_close(s);
	command("rm s/" HEADS_FILE);
	ok(opens(dir, NULL) && count_lines() == 1, "a log that was only begun gets its file");
	s = case_open(dir);
	case_fill(s, 5, 1);
	store_close(s);
	command("mv s/" HEADS_FILE " away");
	struct verify_report r = look(dir, NULL);
	ok(opens(dir, "is missing") && r.problem == VERIFY_UNKEPT && r.headless == 6,
	   "it is gone: %s", r.words);
	command(": >s/" HEADS_FILE "; chmod 600 s/" HEADS_FILE);
	ok(opens(dir, "is missing") && look(dir, NULL).problem == VERIFY_UNKEPT, "or empty");
	ok(accepts(dir) && opens(dir, NULL), "accepted, the log is open again");
	r = look(dir, NULL);
	ok(r.problem == VERIFY_GOOD && r.headless == 6, "and what the file lacks is told");
	command("cat s/" HEADS_FILE " >>away && chmod 600 away && mv away s/" HEADS_FILE);
	r = look(dir, NULL);
	ok(opens(dir, NULL) && r.problem == VERIFY_GOOD && !r.headless, "put back it is whole");
	command("cp s/" HEADS_FILE " away; grep . away | head -n 3 >s/" HEADS_FILE);
	r = look(dir, NULL);
	ok(r.problem == VERIFY_GOOD && r.headless == 4, "that it was cut is told");
	command("cp away s/" HEADS_FILE);
	sql("DELETE FROM log; DELETE FROM item; DELETE FROM ref");
	ok(opens(dir, "the log is gone"), "all of the log is gone");
	ok(accepts(dir) && opens(dir, NULL) && look(dir, NULL).problem == VERIFY_GOOD,
	   "accepted, another begins");
	close(dir);
}

static void test_safely(void)
{
	static const struct {
		const char *what, *make;
	} rows[] = {
		{"a link", "mv s/heads h; ln -s ../h s/heads"},
		{"a second name", "mv s/heads h; ln h s/heads"},
		{"one that others may read", "cp s/heads h; chmod 644 s/heads"},
		{"a pipe", "mv s/heads h; mkfifo -m 600 s/heads"},
		{"a directory", "mv s/heads h; mkdir -m 700 s/heads"},
	};
	int dir = case_fresh("s");

	store_close(case_open(dir));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct store_options o = {.dir = dir, .url = case_url()};
		struct store *s = NULL;
		struct err err = {0};
		command(rows[i].make);
		ok(store_open(&o, &s, &err) < 0, "%s in its place: %s", rows[i].what, err.message);
		command("rm -rf s/heads && mv h s/heads && chmod 600 s/heads");
	}
	ok(opens(dir, NULL), "put back it is good");
	close(dir);
}

/* An attacker with the machine and the key made all of it anew. The copy is JSON, as it was delivered. */
static void test_elsewhere(void)
{
	int dir = case_fresh("s");
	struct store *s = case_open(dir);

	case_fill(s, 20, 2);
	store_close(s);
	command("grep . s/" HEADS_FILE " >lines;"
		"{ sed -n 2,5p lines | sed 's/.*/{\"heads\":[\"&\"]}/'; tail -n 1 lines; echo;"
		" sed -n 6,11p lines; } >copy");
	AUTO_CLOSE int copy = open("copy", O_RDONLY);
	struct verify_report r = look(dir, &copy);
	ok(r.problem == VERIFY_GOOD && r.heads_kept == 11, "a copy in any order and form is met");
	command("cp -p s/log.key key");
	close(dir);
	dir = case_fresh("s");
	command("cp -p key s/log.key");
	s = case_open(dir);
	case_fill(s, 40, 2);
	store_close(s);
	scratch_must(lseek(copy, 0, SEEK_SET) == 0, "again");
	r = look(dir, &copy);
	ok(look(dir, NULL).problem == VERIFY_GOOD && r.problem == VERIFY_FORKED && !r.first_bad,
	   "another log in all its places, with the same key: %s", r.words);
	AUTO_CLOSE int none = open("key", O_RDONLY);
	r = look(dir, &none);
	ok(!r.records, "what has no head in it is told, not passed over");
	close(dir);
}

int main(void)
{
	const char *scratch = scratch_enter();

	test_every_transaction();
	test_torn();
	test_no_room();
	test_others();
	test_put_back();
	test_fork();
	test_missing();
	test_safely();
	test_elsewhere();
	scratch_leave(scratch);
	return tap_done();
}
