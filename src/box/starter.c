/* SPDX-License-Identifier: MIT
 *
 * The starter of a live box. Every layer binds it once; then it forks a subreaper for each start, before the
 * start is needed. The subreaper forks the program, waits for it and for the processes that it leaves behind,
 * and reports to the supervisor. All of them are in one Landlock domain, so programs of one box can signal
 * and trace each other.
 *
 * The starter and the subreapers are not dumpable: no program can trace them or read their memory. A program
 * can kill them. If the starter is killed, the box ends; if a subreaper is, only the status of its start is
 * lost. They must never hold a descriptor of another start, nor init's socket to the supervisor.
 */
#include "box/starter.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/pages.h"
#include "base/scope.h"
#include "box/box.h"

/* From the waiting subreaper to the starter. */
enum { TAKEN = 'T', SUPERVISOR_GONE = 'G' };

union message {
	uint32_t kind;
	struct wire_start start;
	struct wire_open open;
};

/* One start, as its subreaper sees it. */
struct start {
	struct wire_start asked;
	int fds[START_FDS]; /* the spec and the standard streams */
	int supervisor;	    /* the socket of this start */
	struct spec *spec;
	pid_t leader;
	struct wire_exited exited;
};

static void give_up(struct start *s)
{
	s->exited.wait_status = SIGKILL;
}

static int read_spec(struct start *s, struct err *err)
{
	struct stat st;
	int fd = s->fds[START_FD_SPEC];

	if (fstat(fd, &st) < 0 || !io_is_sealed(fd) || st.st_size <= 0 ||
	    (size_t)st.st_size > SPEC_BYTES_MAX)
		return err_set(err, ERR_INPUT, "the start's spec is not a sealed memory file");
	const uint8_t *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	s->spec = pages_new(sizeof(*s->spec)); /* never freed, nor unmapped */
	if (data == MAP_FAILED || !s->spec)
		return err_memory(err);
	if (spec_decode(data, (size_t)st.st_size, s->spec, err) < 0)
		return -1;
	if (s->spec->job != JOB_START)
		return err_set(err, ERR_INPUT, "the start's spec is for another job");
	return 0;
}

/* The terminal is one of the box's own devpts. Sends its master end with the message. */
static int open_terminal(struct start *s, int *ret_master, struct err *err)
{
	struct winsize size = {.ws_row = (unsigned short)s->asked.rows,
			       .ws_col = (unsigned short)s->asked.cols};
	int unlocked = 0;
	AUTO_CLOSE int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (master < 0 || ioctl(master, TIOCSPTLCK, &unlocked) < 0)
		return err_errno(err, ERR_SYSTEM, "opening a terminal");
	int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0 || ioctl(slave, TIOCSWINSZ, &size) < 0)
		return err_errno(err, ERR_SYSTEM, "opening a terminal");
	for (int i = START_FD_INPUT; i <= START_FD_ERROR; i++) {
		s->fds[i] = i == START_FD_INPUT ? slave : fcntl(slave, F_DUPFD_CLOEXEC, 3);
		if (s->fds[i] < 0)
			return err_errno(err, ERR_SYSTEM, "opening a terminal");
	}
	*ret_master = scope_take_fd(&master);
	return 0;
}

static int set_limits(struct box *b, const struct spec *s, struct err *err)
{
	const uint64_t *limit = s->limit;

	if (creds_lower_limits(limit) < 0 ||
	    (limit[LIMIT_CPU_TIME] &&
	     creds_lower_limit(RLIMIT_CPU, limit[LIMIT_CPU_TIME] / 1000 + 1) < 0))
		return err_errno(err, ERR_SYSTEM, "limiting the start");
	if (creds_limit_last(b, err) < 0)
		return -1;
	if (creds_lower_limit(RLIMIT_NOFILE, limit[LIMIT_FILES]) < 0)
		return err_errno(err, ERR_SYSTEM, "limiting the start");
	return 0;
}

static int take_streams(const struct start *s, struct err *err)
{
	for (int i = START_FD_INPUT; i <= START_FD_ERROR; i++)
		if (dup2(s->fds[i], i - START_FD_INPUT) < 0)
			return err_errno(err, ERR_SYSTEM, "giving the program its streams");
	if (s->asked.flags & START_TTY && ioctl(STDIN_FILENO, TIOCSCTTY, 0) < 0)
		return err_errno(err, ERR_SYSTEM, "giving the program its terminal");
	return 0;
}

static const char *find_env(const struct spec *s, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < s->envc; i++)
		if (strncmp(s->env[i], name, len) == 0 && s->env[i][len] == '=')
			return s->env[i] + len + 1;
	return "";
}

/* A name without a slash is searched for in PATH, as a shell does it. */
static void execute(const struct spec *s)
{
	const char *dir = find_env(s, "PATH");
	char path[4096];
	bool refused = false;

	if (strchr(s->program, '/')) {
		execve(s->program, (char **)s->argv, (char **)s->env);
		return;
	}
	for (; *dir; dir += strspn(dir, ":")) {
		size_t len = strcspn(dir, ":");
		int n = snprintf(path, sizeof(path), "%.*s/%s", (int)len, dir, s->program);
		dir += len;
		if (n < 0 || (size_t)n >= sizeof(path))
			continue;
		execve(path, (char **)s->argv, (char **)s->env);
		refused = refused || errno == EACCES;
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			return;
	}
	errno = refused ? EACCES : ENOENT;
}

/* In the child, which shares the subreaper's memory until the exec: *ERR is the subreaper's. */
static void become_program(struct box *b, const struct start *s, struct err *err)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (setsid() < 0) {
		err_errno(err, ERR_SYSTEM, "making a session");
		return;
	}
	if (take_streams(s, err) < 0 || set_limits(b, s->spec, err) < 0)
		return;
	if (chdir(s->spec->cwd) < 0) {
		err_errno(err, ERR_INPUT, "entering %s", s->spec->cwd);
		return;
	}
	execute(s->spec);
	err_errno(err, ERR_INPUT, "starting %s", s->spec->program);
	if (errno == ENOENT)
		err_cause(err, "the program, or the interpreter it names, is not in the box");
}

static int start_program(struct box *b, struct start *s, struct err *err)
{
	pid_t pid = vfork();

	if (pid == 0) {
		become_program(b, s, err);
		_exit(127);
	}
	for (int i = 0; i < START_FDS; i++)
		scope_close(&s->fds[i]);
	if (pid < 0)
		return err_errno(err, ERR_SYSTEM, "starting a process");
	s->leader = pid;
	return err->code == ERR_NONE ? 0 : -1;
}

static uint64_t milliseconds(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000U + (uint64_t)t.tv_usec / 1000U;
}

static void report_exit(struct start *s)
{
	struct rusage ru;

	getrusage(RUSAGE_CHILDREN, &ru);
	s->exited.cpu_ms = milliseconds(ru.ru_utime) + milliseconds(ru.ru_stime);
	s->exited.memory_peak = (uint64_t)ru.ru_maxrss * 1024;
	io_send(s->supervisor, &s->exited, sizeof(s->exited), -1);
}

/* False: no child is left. */
static bool reap(struct start *s, int flags)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, flags)) > 0) {
		/* A program that asks to be traced by its parent is only stopped. */
		if (pid == s->leader && !WIFSTOPPED(status)) {
			s->exited.wait_status = status;
			report_exit(s);
			s->leader = 0;
		}
		if (!flags)
			return true;
	}
	return pid == 0;
}

/* The kernel lists the children of a thread in a file; a process whose parent dies becomes a child of this
 * one. So this loop ends when none is left. The supervisor limits its time. */
static void kill_tree(struct start *s)
{
	char list[4096];

	do {
		AUTO_CLOSE int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : io_read_full(fd, list, sizeof(list) - 1);
		if (n <= 0)
			break; /* the supervisor will end the box */
		list[n] = '\0';
		/* A list that is cut may end within a number. */
		if (n == (ssize_t)sizeof(list) - 1)
			*strrchr(list, ' ') = '\0';
		for (char *at = list, *end; *at; at = end + strspn(end, " ")) {
			long pid = strtol(at, &end, 10);
			if (end == at)
				break;
			if (pid > 1)
				kill((pid_t)pid, SIGKILL);
		}
	} while (reap(s, 0));
}

static void on_message(struct start *s)
{
	struct wire_signal m;
	int fd = -1;

	if (io_recv(s->supervisor, &m, sizeof(m), &fd) != sizeof(m) || m.kind != WIRE_SIGNAL)
		_exit(0);
	scope_close(&fd);
	if (m.tree)
		kill_tree(s);
	else if (s->leader) /* its process group, as a terminal does it */
		kill(-s->leader, (int)m.signal);
}

static void watch_start(struct start *s, int signals)
{
	struct wire_closed closed = {WIRE_CLOSED, s->asked.id};
	struct pollfd fds[] = {{.fd = s->supervisor, .events = POLLIN},
			       {.fd = signals, .events = POLLIN}};
	struct signalfd_siginfo info;

	while (reap(s, WNOHANG)) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[1].revents)
			(void)!read(signals, &info, sizeof(info));
		if (fds[0].revents)
			on_message(s);
	}
	io_send(s->supervisor, &closed, sizeof(closed), -1);
	_exit(0);
}

static int block_child_signal(void)
{
	sigset_t set;

	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* The supervisor gets a socket of this start's own: the shared one belongs to the next subreaper. */
static int report_started(struct start *s, int shared, int *master, struct err *err)
{
	struct wire_started started = {WIRE_STARTED, s->asked.id};
	int pair[2], opened = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	s->supervisor = pair[0];
	if (s->asked.flags & START_TTY)
		opened = open_terminal(s, master, err);
	int both[2] = {pair[1], *master};
	int sent = io_send_fds(shared, &started, sizeof(started), both, *master < 0 ? 1 : 2);
	scope_close(&pair[1]);
	scope_close(master);
	if (sent < 0)
		_exit(127); /* the supervisor is dead */
	return opened;
}

static void __attribute__((noreturn)) run_start(struct box *b, struct start *s, int shared)
{
	int signals = block_child_signal(), master = -1;
	struct err *err = &s->exited.err;

	s->exited.kind = WIRE_EXITED;
	s->exited.id = s->asked.id;
	s->exited.limit = LIMIT_NONE;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (report_started(s, shared, &master, err) < 0 || read_spec(s, err) < 0 ||
	    start_program(b, s, err) < 0 || signals < 0) {
		give_up(s);
		if (err->code == ERR_NONE)
			err_errno(err, ERR_SYSTEM, "waiting for signals");
		s->leader = 0;
		report_exit(s);
	}
	scope_close(&shared);
	watch_start(s, signals);
	_exit(0);
}

/* What a descriptor may be passed out for. Opening a device or a pipe can wait, act, or lead out. */
static bool is_passed(const struct stat *st, int flags)
{
	return flags & O_PATH	     ? true
	       : flags & O_DIRECTORY ? S_ISDIR(st->st_mode)
				     : S_ISREG(st->st_mode);
}

/* With the rights of the programs, because every layer binds this process too. */
static int open_file(const struct wire_open *m, const char *path, bool near)
{
	int asked = (int)m->flags, only = asked & (O_PATH | O_DIRECTORY | O_NOFOLLOW);
	int flags = asked & (O_ACCMODE | O_CREAT | O_EXCL | O_APPEND);

	/* A directory only to list it, and O_PATH only to look at it. */
	flags = (only & (O_PATH | O_DIRECTORY) ? only : flags | only | O_NOCTTY | O_NONBLOCK) |
		O_CLOEXEC;
	struct open_how how = {.flags = (uint64_t)(unsigned)flags,
			       .mode = flags & O_CREAT ? m->mode & 0777 : 0,
			       .resolve = RESOLVE_NO_MAGICLINKS};
	struct stat st;
	/* The filter refuses openat2 where the host's files are near. */
	AUTO_CLOSE int fd = near ? open(path, flags, m->mode & 0777)
				 : (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));

	if (fd < 0 || fstat(fd, &st) < 0)
		return -1;
	if (!is_passed(&st, flags)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return -1;
	}
	if (flags & (O_PATH | O_DIRECTORY))
		return scope_take_fd(&fd);
	if (asked & O_TRUNC && ftruncate(fd, 0) < 0)
		return -1;
	if (fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return -1;
	return scope_take_fd(&fd);
}

static void on_open(int shared, const struct wire_open *m, size_t len, bool near)
{
	struct wire_opened opened = {WIRE_OPENED, m->id, EINVAL};
	char path[CORDON_CHANGE_PATH_MAX + 1];
	size_t head = offsetof(struct wire_open, path);
	AUTO_CLOSE int fd = -1;

	if (len >= head && m->path_len == len - head && m->path_len < sizeof(path)) {
		memcpy(path, m->path, m->path_len);
		path[m->path_len] = '\0';
		fd = strlen(path) == m->path_len && path[0] == '/' ? open_file(m, path, near) : -1;
		opened.error = fd < 0 ? (uint32_t)(errno ? errno : EINVAL) : 0;
	}
	io_send(shared, &opened, sizeof(opened), fd);
}

/* Waits for the next start, and meanwhile opens files. SHARED: the socket that all waiting subreapers have
 * in turn. */
static void __attribute__((noreturn)) subreaper_main(struct box *b, int shared, int starter)
{
	char taken = TAKEN, gone = SUPERVISOR_GONE;
	struct start s = {.fds = {-1, -1, -1, -1}};
	union message m;

	for (;;) {
		size_t count = START_FDS;
		ssize_t n = io_recv_fds(shared, &m, sizeof(m), s.fds, &count);
		if (n < (ssize_t)sizeof(m.kind)) {
			(void)!write(starter, &gone, 1);
			_exit(0);
		}
		if (m.kind == WIRE_START && n == sizeof(m.start)) {
			s.asked = m.start;
			(void)!write(starter, &taken, 1);
			close(starter);
			run_start(b, &s, shared);
		}
		errno = 0;
		if (m.kind == WIRE_OPEN && count == 0)
			on_open(shared, &m.open, (size_t)n, b->spec->flags & SPEC_NEAR);
	}
}

static int open_null_streams(struct err *err)
{
	for (int i = 0; i < 3; i++)
		if (open("/dev/null", O_RDWR) != i)
			return err_errno(err, ERR_SYSTEM, "opening /dev/null");
	return 0;
}

/* Until the waiting subreaper has taken a start, or was killed by a program. */
static void await_taken(int from)
{
	char word = 0;

	if (io_read_full(from, &word, 1) == 1 && word == SUPERVISOR_GONE)
		_exit(0);
}

void starter_main(struct box *b)
{
	struct wire_ready ready = {WIRE_CREATED, b->layers};
	int keep[] = {b->starts};
	struct err err;

	signal(SIGCHLD, SIG_IGN); /* subreapers are reaped by the kernel */
	fds_close_all_but(keep, 1);
	b->ctl = -1;
	if (open_null_streams(&err) < 0 || io_send(b->starts, &ready, sizeof(ready), -1) < 0)
		_exit(127);
	for (;;) {
		int pipe[2];
		if (pipe2(pipe, O_CLOEXEC) < 0)
			_exit(127);
		pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (pid == 0) {
			close(pipe[0]);
			subreaper_main(b, b->starts, pipe[1]);
		}
		close(pipe[1]);
		if (pid < 0) { /* the box has too many processes: try again when one has ended */
			struct timespec pause = {.tv_nsec = 10000000};
			nanosleep(&pause, NULL);
		} else {
			await_taken(pipe[0]);
		}
		close(pipe[0]);
	}
}
