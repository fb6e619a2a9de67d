/* SPDX-License-Identifier: MIT
 *
 * test TIER: the live box, with the real cordon-box beside this program. Prints TAP. LIVE_MANY=N: that many
 * starts in one box, and a tenth of it boxes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/tap.h"
#include "base/io.h"
#include "base/scope.h"
#include "box.h"

static enum tier tier;
static struct live_box box;
static struct live_outcome outcome;

static int status_of(const struct live_outcome *o)
{
	return WIFEXITED(o->how.wait_status) ? WEXITSTATUS(o->how.wait_status)
					     : 128 + WTERMSIG(o->how.wait_status);
}

static const struct live_outcome *run(const char *script)
{
	live_box_run(&box, script, &outcome);
	return &outcome;
}

static bool prints(const char *script, const char *expected)
{
	const struct live_outcome *o = run(script);

	if (o->exited && strcmp(o->out, expected) == 0)
		return true;
	printf("# status %d: %s\n", status_of(o), o->out);
	return false;
}

static void test_starts(void)
{
	ok(prints("echo one; echo two >&2", "one\ntwo\n"), "a start's output and error come back");
	ok(status_of(run("exit 7")) == 7, "a start's exit status comes back");
	ok(status_of(run("kill -TERM $$")) == 128 + SIGTERM, "the signal that ended it comes back");
	ok(prints("echo $PPID", "2\n") || strlen(outcome.out) < 8,
	   "a start has a parent of the box");
	ok(prints("cd /tmp; echo kept >file; cat file", "kept\n") &&
		   prints("cat /tmp/file", "kept\n"),
	   "a file of one start is there for the next one");
	ok(prints("env | sort | head -1", "LANG=C.UTF-8\n"),
	   "a start has its own environment only");
	ok(prints("ls /proc/self/fd | tr '\\n' ' '", "0 1 2 3 "),
	   "a start has its standard streams and nothing else");
}

static const struct {
	const char *program, *cwd, *says;
} bad_starts[] = {
	{"/usr/bin/nothing-here", "/tmp", "No such file"},
	{"nothing-here", "/tmp", "not in the box"},
	{"/etc/passwd", "/tmp", "Permission denied"},
	{"/bin/sh", "/nowhere", "entering /nowhere"},
};

static void test_refused_starts(void)
{
	const char *argv[] = {"name"}, *env[] = {"PATH=/usr/bin"};

	for (size_t i = 0; i < ARRAY_SIZE(bad_starts); i++) {
		const struct live_start s = {.program = bad_starts[i].program,
					     .cwd = bad_starts[i].cwd,
					     .argc = 1,
					     .argv = argv,
					     .envc = 1,
					     .env = env,
					     .limit = box.req.limit,
					     .stream = {0, 1, 2}};
		uint32_t id = 0;
		ok(live_start(&box.live, &s, &id, &box.err) == 0, "%s is asked for", s.program);
		live_box_await(&box, id, -1, true, &outcome);
		const struct err *e = &outcome.how.err;
		ok(outcome.exited && e->code == ERR_INPUT &&
			   (strstr(e->message, bad_starts[i].says) ||
			    strstr(e->cause, bad_starts[i].says)),
		   "%s is refused: %s; %s", s.program, e->message, e->cause);
	}
	ok(prints("echo on", "on\n"), "the box goes on after refused starts");
}

static void test_together(void)
{
	int out[3];
	uint32_t id[3];

	for (int i = 0; i < 3; i++)
		id[i] = live_box_start(&box, "exec sleep 600", &out[i]);
	run("while [ $(cat /proc/[0-9]*/comm 2>/dev/null | grep -c sleep) != 3 ]; do :; done");
	for (int i = 0; i < 3; i++) {
		live_signal(&box.live, id[i], SIGINT, &box.err);
		live_box_await(&box, id[i], out[i], true, &outcome);
		ok(outcome.closed, "start %d of three at once ends", i);
		close(out[i]);
	}
	uint32_t sleeper = live_box_start(&box, "exec sleep 600", &out[0]);
	ok(prints("until cat /proc/[0-9]*/comm 2>/dev/null | grep -q sleep; do :; done; "
		  "for p in /proc/[0-9]*; do "
		  "grep -qs sleep $p/comm && kill ${p#/proc/}; done; echo killed",
		  "killed\n"),
	   "one start can signal another");
	live_box_await(&box, sleeper, out[0], true, &outcome);
	ok(status_of(&outcome) == 128 + SIGTERM, "and that one ends by the signal");
	close(out[0]);
}

/* The leader ends, and what it left behind goes on until it is killed. */
static void test_background(void)
{
	int out;
	uint32_t id = live_box_start(
		&box, "setsid sleep 600 & setsid setsid sleep 601 & echo begun", &out);

	live_box_await(&box, id, out, false, &outcome);
	ok(outcome.exited && !outcome.closed && status_of(&outcome) == 0,
	   "a start ends while its background programs go on");
	ok(prints("until [ $(cat /proc/[0-9]*/comm 2>/dev/null | grep -c sleep) = 2 ]; do :; "
		  "done; echo both",
		  "both\n"),
	   "they are there for the next one");
	live_kill(&box.live, id, &box.err);
	live_box_await(&box, id, out, true, &outcome);
	ok(outcome.closed, "killing the start kills them");
	ok(prints("cat /proc/[0-9]*/comm 2>/dev/null | grep -c sleep", "0\n"),
	   "none of them is left");
	close(out);
}

static void test_limits(void)
{
	uint64_t limit[LIMIT_COUNT];
	int out;

	memcpy(limit, box.req.limit, sizeof(limit));
	limit[LIMIT_TIME] = 300;
	uint32_t id = live_box_start_limited(
		&box, "trap '' TERM INT; sleep 600 & while :; do sleep 1; done", limit, &out);
	live_box_await(&box, id, out, true, &outcome);
	ok(outcome.how.timed_out && outcome.how.limit == LIMIT_TIME &&
		   status_of(&outcome) == 128 + SIGKILL,
	   "a start is killed at its own time limit, with its tree");
	close(out);
	memcpy(limit, box.req.limit, sizeof(limit));
	limit[LIMIT_FILES] = 20;
	id = live_box_start_limited(&box, "ulimit -n; ulimit -Hn", limit, &out);
	live_box_await(&box, id, out, true, &outcome);
	ok(strcmp(outcome.out, "20\n20\n") == 0, "a start can have fewer files than the box");
	close(out);
	limit[LIMIT_FILES] = limit_row(LIMIT_FILES)->max;
	id = live_box_start_limited(&box, "ulimit -Hn", limit, &out);
	live_box_await(&box, id, out, true, &outcome);
	ok(strtoull(outcome.out, NULL, 10) <= box.req.limit[LIMIT_FILES], "and never more");
	close(out);
	ok(prints("echo on", "on\n"), "the box goes on after a limit of a start");
}

static void test_memory(void)
{
	int out;

	if (tier != TIER_FULL) /* the watcher ends the whole box */
		return;
	uint32_t other = live_box_start(&box, "exec sleep 600", &out);
	run("head -c 3000M /dev/zero | tail");
	ok(outcome.exited && status_of(&outcome) != 0, "a start that takes all memory is ended");
	ok(prints("echo on", "on\n"), "the box goes on after that");
	live_kill(&box.live, other, &box.err);
	live_box_await(&box, other, out, true, &outcome);
	ok(outcome.closed, "and so does another start");
	close(out);
}

static void test_open(void)
{
	char text[16] = "";
	struct stat st;
	int fd;

	run("cd /tmp; echo old >plain; ln -s /etc/passwd link; ln -s /proc/self/root/etc/passwd "
	    "magic; mkfifo pipe; mkdir dir");
	fd = live_box_open(&box, "/tmp/plain", O_RDONLY, 0);
	ok(fd >= 0 && read(fd, text, sizeof(text) - 1) == 4 && strcmp(text, "old\n") == 0,
	   "a file is read");
	ok(fd >= 0 && (fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK)) == O_RDONLY,
	   "its descriptor is for reading");
	close(fd);
	fd = live_box_open(&box, "/tmp/new", O_WRONLY | O_CREAT | O_EXCL, 0640);
	ok(fd >= 0 && write(fd, "new\n", 4) == 4 && fstat(fd, &st) == 0 &&
		   (st.st_mode & 0777) == 0640,
	   "a file is made and written");
	close(fd);
	ok(prints("cat /tmp/new", "new\n"), "and a program sees it");
	ok(live_box_open(&box, "/tmp/new", O_WRONLY | O_CREAT | O_EXCL, 0640) < 0 &&
		   errno == EEXIST,
	   "not twice");
	fd = live_box_open(&box, "/tmp/new", O_WRONLY | O_TRUNC, 0);
	close(fd);
	ok(prints("wc -c </tmp/new", "0\n"), "a file is emptied");
	fd = live_box_open(&box, "/tmp/link", O_RDONLY, 0);
	ok(fd >= 0 && fstat(fd, &st) == 0 && st.st_size < 200,
	   "a link leads to the box's own /etc/passwd");
	close(fd);
	static const struct {
		const char *path;
		int flags, error;
	} rows[] = {
		{"/tmp/magic", O_RDONLY, ELOOP},       {"/tmp/pipe", O_RDONLY, EINVAL},
		{"/tmp/pipe", O_WRONLY, ENXIO},	       {"/tmp/dir", O_RDONLY, EISDIR},
		{"/dev/null", O_RDONLY, EINVAL},       {"/etc/shadow", O_RDONLY, ENOENT},
		{"/etc/passwd", O_WRONLY, EROFS},      {"/usr/bin/new", O_WRONLY | O_CREAT, EROFS},
		{"relative", O_RDONLY, EINVAL},	       {"/tmp/../etc/shadow", O_RDONLY, ENOENT},
		{"/proc/1/environ", O_RDONLY, ENOENT},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		fd = live_box_open(&box, rows[i].path, rows[i].flags, 0644);
		int error = errno;
		ok(fd < 0 && error == rows[i].error, "%s is not opened with %o: %s", rows[i].path,
		   (unsigned)rows[i].flags, strerror(error));
		if (fd >= 0)
			close(fd);
	}
}

/* To look at, and to list. */
static void test_look(void)
{
	char text[4] = "", link[64], real[PATH_MAX] = "";
	struct stat st;
	int fd = live_box_open(&box, "/tmp/link", O_PATH | O_NOFOLLOW, 0);

	ok(fd >= 0 && fstat(fd, &st) == 0 && S_ISLNK(st.st_mode), "a link is looked at");
	close(fd);
	fd = live_box_open(&box, "/tmp/../tmp/link", O_PATH, 0);
	ok(fd >= 0 && read(fd, text, 1) < 0 && errno == EBADF, "what is looked at is not read");
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ok(readlink(link, real, sizeof(real) - 1) > 0 && strcmp(real, "/etc/passwd") == 0,
	   "and has the box's path: %s", real);
	close(fd);
	fd = live_box_open(&box, "/tmp/pipe", O_PATH, 0);
	ok(fd >= 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode), "a pipe is not waited for");
	close(fd);
	ok(live_box_open(&box, "/tmp/magic", O_PATH, 0) < 0 && errno == ELOOP, "no link leads out");
	fd = live_box_open(&box, "/tmp/dir", O_RDONLY | O_DIRECTORY, 0);
	ok(fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode), "a directory is listed");
	close(fd);
	ok(live_box_open(&box, "/tmp/plain", O_RDONLY | O_DIRECTORY, 0) < 0 && errno == ENOTDIR,
	   "a file is no directory");
	ok(live_box_open(&box, "/tmp/link", O_RDONLY | O_NOFOLLOW, 0) < 0 && errno == ELOOP,
	   "a link is not followed");
	ok(live_box_open(&box, "/tmp/made", O_PATH | O_CREAT, 0600) < 0 && errno == ENOENT &&
		   live_box_open(&box, "/tmp/made", O_DIRECTORY | O_CREAT, 0600) < 0,
	   "nothing is made");
}

static void test_terminal(void)
{
	static const char script[] = "test -t 0 && test -t 1 && stty size; read x; "
				     "trap 'echo cut; exit 3' INT; echo got $x; "
				     "while :; do sleep 0.05; done";
	const char *argv[] = {"sh", "-c", script};
	const char *env[] = {"PATH=/usr/bin:/bin"};
	const struct live_start s = {.program = "/bin/sh",
				     .cwd = "/tmp",
				     .argc = 3,
				     .argv = argv,
				     .envc = 1,
				     .env = env,
				     .limit = box.req.limit,
				     .tty = true,
				     .rows = 33,
				     .cols = 77};
	struct live_event e = {0};
	uint32_t id = 0;
	char text[512] = "";
	size_t len = 0;

	live_start(&box.live, &s, &id, &box.err);
	while (e.kind != LIVE_STARTED && live_box_next(&box, 5000, &e) == 0 && e.kind)
		;
	AUTO_CLOSE int master = e.kind == LIVE_STARTED ? e.fd : -1;
	ok(master >= 0, "a start gets a terminal");
	static const char *const words[] = {"77", "got line", "cut"}, *const typed[] = {"line\n",
											"\003", ""};
	for (int i = 0; i < 3 && master >= 0; i++) {
		for (int tries = 0; tries < 200 && !strstr(text, words[i]); tries++) {
			struct pollfd p = {.fd = master, .events = POLLIN};
			if (poll(&p, 1, 100) > 0 && p.revents & POLLIN) {
				ssize_t n = read(master, text + len, sizeof(text) - 1 - len);
				len += n > 0 ? (size_t)n : 0;
			}
		}
		ok(strstr(text, words[i]), "the terminal shows %s", words[i]);
		ok(write(master, typed[i], strlen(typed[i])) >= 0, "it takes what is typed");
	}
	live_box_await(&box, id, -1, true, &outcome);
	ok(status_of(&outcome) == 3, "the key for an interrupt reaches the program");
	struct winsize size = {10, 20, 0, 0};
	ok(master < 0 || ioctl(master, TIOCSWINSZ, &size) == 0 || errno == EIO,
	   "the caller may resize it");
}

static void test_many(void)
{
	const char *value = getenv("LIVE_MANY");
	int count = value ? atoi(value) : 50, bad = 0;

	for (int i = 0; i < count; i++)
		bad += status_of(run(":")) != 0;
	ok(bad == 0, "%d starts in one box", count);
	ok(prints("ls -d /proc/[0-9]* | wc -l", "4\n") || atoi(outcome.out) <= 5,
	   "they leave no process behind");
}

/* A program can kill all that its ids allow. */
static void test_kill_all(void)
{
	live_box_run(&box, "kill -9 -1", &outcome);
	struct live_event e = {0};
	for (int i = 0; i < 20 && !outcome.box_ended && e.kind != LIVE_BOX_ENDED; i++)
		if (live_box_next(&box, 1000, &e) < 0)
			break;
	ok(outcome.box_ended || e.kind == LIVE_BOX_ENDED,
	   "a program that kills all of the box ends it");
}

static int count_files(const char *dir)
{
	AUTO_CLOSEDIR DIR *d = opendir(dir);
	int n = 0;

	while (d && readdir(d))
		n++;
	return n;
}

static void test_changes(const char *workspace)
{
	char path[4096];
	int out;

	if (live_box_create(&box, tier, workspace, WORKSPACE_OVERLAY, 0) < 0) {
		ok(false, "a box with an overlay: %s; %s", box.err.message, box.err.cause);
		return;
	}
	uint32_t id = live_box_start(&box, "while :; do echo x >>busy; done", &out);
	run("until [ -e busy ]; do sleep 0.01; done; echo new >made; rm old; mkdir dir; echo y "
	    ">dir/file");
	ok(status_of(&outcome) == 0, "a start writes to the workspace: %s", outcome.out);
	struct live_event e = {0};
	ok(live_list(&box.live, &box.err) == 0, "the changes are asked for while a program runs");
	while (e.kind != LIVE_LISTED && live_box_next(&box, 20000, &e) == 0 && e.kind)
		;
	ok(e.kind == LIVE_LISTED && e.fd >= 0, "they come with the upper directory");
	unsigned seen = 0;
	for (size_t i = 0; i < box.result.changec; i++) {
		static const char *const names[] = {"made", "old", "dir", "dir/file", "busy"};
		for (unsigned n = 0; n < ARRAY_SIZE(names); n++)
			seen |= (unsigned)(strcmp(box.result.changes[i].path, names[n]) == 0) << n;
	}
	ok(seen == 31, "each change is listed (%x)", seen);
	if (e.fd >= 0)
		close(e.fd);
	poll(NULL, 0, 100);
	struct live_event none = {0};
	ok(live_box_next(&box, 100, &none) == 0 && none.kind == LIVE_NOTHING,
	   "the program stands still");
	ok(live_go_on(&box.live, &box.err) == 0, "it is told to go on");
	ok(prints("a=$(stat -c %s busy); sleep 0.2; b=$(stat -c %s busy); [ $b -gt $a ] && echo on",
		  "on\n"),
	   "and goes on");
	snprintf(path, sizeof(path), "%s/made", workspace);
	ok(access(path, F_OK) < 0, "the directory outside is unchanged");
	live_kill(&box.live, id, &box.err);
	live_box_await(&box, id, out, true, &outcome);
	ok(outcome.closed, "it is killed");
	close(out);
	ok(live_end(&box.live, &box.err) == 0, "the box is told to end");
	while (live_box_next(&box, 20000, &e) == 0 && e.kind)
		;
	ok(e.kind == LIVE_BOX_ENDED && box.live.box.has_result, "and sends its result");
	live_box_close(&box);
}

/* Between two boxes there is nothing. */
static void test_isolation(void)
{
	static struct live_box other;
	int out;

	if (live_box_create(&other, tier, NULL, WORKSPACE_NONE, 0) < 0) {
		ok(false, "a second box: %s", other.err.message);
		return;
	}
	uint32_t id = live_box_start(&other, "echo secret >/tmp/theirs; exec sleep 604", &out);
	live_box_run(
		&box,
		"cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c 'sleep 60[4]'; ls /tmp/theirs",
		&outcome);
	ok(strncmp(outcome.out, "0\n", 2) == 0 && strstr(outcome.out, "No such file"),
	   "a box sees no process and no file of another: %s", outcome.out);
	live_kill(&other.live, id, &other.err);
	live_box_await(&other, id, out, true, &outcome);
	close(out);
	live_box_close(&other);
}

/* More answers than the socket has room for. */
static void test_late_reader(void)
{
	enum { COUNT = 2 * CORDON_STARTS_MAX };
	struct live_event e = {0};
	uint32_t id, asked = 0, opened = 0, refused = 0;

	for (int i = 0; i < COUNT; i++)
		asked += live_open(&box.live, "/etc/passwd", O_RDONLY, 0, &id, &box.err) == 0;
	poll(NULL, 0, 300);
	while (live_box_next(&box, 3000, &e) == 0 && e.kind) {
		opened += e.kind == LIVE_OPENED && e.error == 0;
		refused += e.kind == LIVE_OPENED && e.error == EAGAIN;
		if (e.fd >= 0)
			close(e.fd);
	}
	ok(opened > COUNT / 4 && opened + refused == asked,
	   "a caller that reads late gets each answer (%u: %u files, %u to be asked for again)",
	   asked, opened, refused);
}

static void test_most(void)
{
	enum { COUNT = 2 * CORDON_STARTS_MAX };
	static int out[COUNT];
	struct live_event e = {0};
	unsigned refused = 0;

	for (int i = 0; i < COUNT; i++)
		live_box_start(&box, "exec sleep 600", &out[i]);
	while (live_box_next(&box, 3000, &e) == 0 && e.kind)
		refused += e.kind == LIVE_EXITED && e.exited.err.code != ERR_NONE;
	ok(refused >= COUNT - CORDON_STARTS_MAX && e.kind != LIVE_BOX_ENDED,
	   "more starts than there may be are refused (%u)", refused);
	live_kill(&box.live, 0, &box.err);
	unsigned closed = 0;
	while (live_box_next(&box, 5000, &e) == 0 && e.kind)
		closed += e.kind == LIVE_CLOSED;
	ok(closed + refused >= COUNT, "all of them are killed at once (%u)", closed);
	for (int i = 0; i < COUNT; i++)
		close(out[i]);
	ok(prints("echo on", "on\n"), "the box goes on after that");
}

/* The first child of PID, or 0. */
static pid_t first_child(pid_t pid)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	return io_read_text(AT_FDCWD, path, text, sizeof(text)) < 0 ? 0 : (pid_t)atoi(text);
}

/* Is a process of the host called like this? WORD is in the command line of no other process. */
static bool runs_on_host(const char *word)
{
	AUTO_CLOSEDIR DIR *d = opendir("/proc");
	char path[300], text[4096];
	size_t len = strlen(word);

	for (struct dirent *e; d && (e = readdir(d));) {
		snprintf(path, sizeof(path), "/proc/%s/cmdline", e->d_name);
		AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));
		if (n > 0 && memmem(text, (size_t)n, word, len))
			return true;
	}
	return false;
}

static const struct {
	const char *name;
	unsigned depth; /* below cordon-box */
	bool box_goes_on;
} victims[] = {{"cordon-box", 0, false},
	       {"init", 1, false},
	       {"the starter", 2, false},
	       {"a subreaper", 3, true}};

/* Whichever process is killed: the caller is told, and no process of the box is left. */
static void test_killed(void)
{
	char script[64];
	int out;

	for (size_t i = 0; i < ARRAY_SIZE(victims); i++) {
		if (live_box_create(&box, tier, NULL, WORKSPACE_NONE, 0) < 0) {
			ok(false, "a box: %s", box.err.message);
			return;
		}
		snprintf(script, sizeof(script), "setsid sleep 6.%d%zu & exec sleep 7.%d%zu",
			 getpid(), i, getpid(), i);
		uint32_t id = live_box_start(&box, script, &out);
		snprintf(script, sizeof(script), "7.%d%zu", getpid(), i);
		while (!runs_on_host(script))
			;
		pid_t victim = box.live.box.pid;
		for (unsigned d = 0; d < victims[i].depth && victim; d++)
			victim = first_child(victim);
		ok(victim > 0 && kill(victim, SIGKILL) == 0, "%s is killed", victims[i].name);
		live_box_await(&box, id, out, true, &outcome);
		struct live_event e;
		while (!victims[i].box_goes_on && live_box_next(&box, 10000, &e) == 0 && e.kind)
			;
		if (victims[i].box_goes_on)
			ok(outcome.closed && outcome.how.lost && prints("echo on", "on\n"),
			   "the caller is told that a start is lost, and the box goes on");
		else
			ok(box.has_ended, "the caller is told that the box has ended");
		live_box_close(&box);
		close(out);
		bool left = true;
		for (int tries = 0; tries < 300 && left; tries++) {
			left = runs_on_host(script);
			script[0] = left ? '7' : '6';
			left = left || runs_on_host(script);
			script[0] = '7';
			if (left)
				poll(NULL, 0, 10);
		}
		ok(!left, "no process of the box is left");
	}
}

int main(int argc, char **argv)
{
	char workspace[] = "/tmp/live-test.XXXXXX", path[64];

	tier = argc > 1 ? tier_find(argv[1]) : TIER_FULL;
	if (tier == TIER_COUNT || !mkdtemp(workspace))
		return 2;
	int open_before = count_files("/proc/self/fd");
	snprintf(path, sizeof(path), "%s/old", workspace);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
	if (live_box_create(&box, tier, NULL, WORKSPACE_NONE, 0) < 0) {
		ok(false, "a box is created: %s; %s; %s", box.err.message, box.err.cause,
		   box.err.cure);
		return tap_done();
	}
	test_starts();
	test_refused_starts();
	test_together();
	test_background();
	test_limits();
	test_memory();
	test_open();
	test_look();
	test_terminal();
	test_many();
	test_isolation();
	test_kill_all();
	live_box_close(&box);
	test_changes(workspace);
	if (live_box_create(&box, tier, NULL, WORKSPACE_NONE, 3 * CORDON_STARTS_MAX) == 0) {
		test_late_reader();
		test_most();
		live_box_close(&box);
	}
	test_killed();
	ok(count_files("/proc/self/fd") == open_before, "no descriptor is left open");
	unlink(path);
	rmdir(workspace);
	return tap_done();
}
