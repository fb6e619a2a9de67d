/* SPDX-License-Identifier: MIT
 *
 * Programs that try to make cordon-box or cordon-egress wait, or work, for them. A box runs them.
 *
 *     linger IP DEAF          the last close of a socket that lingers is the supervisor's
 *     outrun IP DEAF READER   the same with cordon-egress; then it sends as fast as it can
 *     fill IP LATE COUNT      COUNT connections; then each is sent what its buffer takes
 *     pend COUNT              COUNT local connections that are never accepted
 *     page CALL FILE          the address of connect, or the program of execve, lies in FILE
 *     erase FILE              a child's execve of FILE is refused while the child is killed
 *     locks IP DEAF READER FILE   a thread sleeps in FILE's page with a socket locked; another one sends
 *     local SECONDS           local connections, as many as it can
 *     output                  more of it than is read
 *
 * DEAF is a port that accepts and never reads. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 900, JITTER_NS = 60000, SECOND = 1000000000 };

static char block[65536];

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static struct sockaddr_in at(const char *ip, const char *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};

	inet_pton(AF_INET, ip, &a.sin_addr);
	return a;
}

static int reach(const struct sockaddr_in *to, int size)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (size)
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	if (fd < 0 || connect(fd, (const struct sockaddr *)to, sizeof(*to)) < 0) {
		perror("connect");
		pause();
	}
	return fd;
}

/* With more in it than the other side takes, and a wish to wait for that. */
static int reach_full(const struct sockaddr_in *to)
{
	int fd = reach(to, 4608);
	struct linger l = {1, 100};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (write(fd, block, sizeof(block)) > 0)
		;
	return fd;
}

static volatile int closing = -1, closer_id;
static volatile long closing_at;

static void do_nothing(int sig)
{
	(void)sig;
}

static void pin(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(core, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *closer(void *unused)
{
	pin(1);
	closer_id = gettid();
	for (;;) {
		if (closing < 0 || now() < closing_at)
			continue;
		close(closing);
		closing = -1;
	}
	return unused;
}

static int linger(char **argv)
{
	struct sockaddr_in deaf = at(argv[0], argv[1]);
	struct sigaction act = {.sa_handler = do_nothing};
	pthread_t t;

	sigaction(SIGUSR1, &act, NULL);
	pthread_create(&t, NULL, closer, NULL);
	pin(0);
	for (int i = 0; i < TRIES; i++) {
		int fd = reach_full(&deaf);
		closing_at = now() + rand() % JITTER_NS;
		closing = fd;
		listen(fd, 1);					 /* cordon-box fetches it */
		for (long late = now() + 2000000; closing >= 0;) /* ours may have been the last */
			if (now() > late) {
				syscall(SYS_tgkill, getpid(), closer_id, SIGUSR1);
				usleep(50);
			}
	}
	pause();
	return 0;
}

static void send_all(int fd)
{
	fcntl(fd, F_SETFL, 0);
	while (write(fd, block, sizeof(block)) > 0)
		;
}

/* A child calls connect once more on its full socket, and is killed meanwhile, until it gets no answer. */
static int outrun(char **argv)
{
	struct sockaddr_in deaf = at(argv[0], argv[1]), reader = at(argv[0], argv[2]);
	int fd = reach(&reader, 0), ready[2] = {-1, -1};
	bool answers = true;

	for (int i = 0; i < TRIES && answers; i++) {
		if (pipe(ready) < 0)
			return 1;
		pid_t pid = fork();
		if (pid == 0) {
			close(fd);
			int own = reach_full(&deaf);
			(void)!write(ready[1], "x", 1);
			connect(own, (struct sockaddr *)&deaf, sizeof(deaf));
			pause();
		}
		close(ready[1]);
		struct pollfd word = {.fd = ready[0], .events = POLLIN};
		answers = poll(&word, 1, 1000) > 0;
		close(ready[0]);
		for (long end = now() + rand() % JITTER_NS; now() < end;)
			;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	send_all(fd);
	return 0;
}

static int fill(char **argv)
{
	struct sockaddr_in late = at(argv[0], argv[1]);
	int count = atoi(argv[2]), *fd = calloc((size_t)count, sizeof(*fd)), size = 4 << 20;

	for (int i = 0; i < count; i++) {
		fd[i] = reach(&late, size);
		setsockopt(fd[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		fcntl(fd[i], F_SETFL, O_NONBLOCK);
	}
	for (;;)
		for (int i = 0; i < count; i++)
			(void)!write(fd[i], block, sizeof(block));
}

static int pend(char **argv)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int made = 0, error = 0, server = -1;

	for (; made < atoi(argv[0]) && !error; made++) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (made % 4096 == 0) {
			snprintf(to.sun_path + 1, sizeof(to.sun_path) - 1, "%d", made);
			server = socket(AF_UNIX, SOCK_STREAM, 0);
			bind(server, (struct sockaddr *)&to, sizeof(to));
			listen(server, 4096);
		}
		if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
			error = errno;
		close(fd);
	}
	printf("%d %s\n", made, strerror(error));
	return 0;
}

static void *map(const char *file)
{
	int fd = open(file, O_RDONLY);
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	if (fd < 0 || page == MAP_FAILED) {
		perror(file);
		exit(1);
	}
	return page;
}

static int page(char **argv)
{
	void *slow = map(argv[1]);

	puts("begins");
	fflush(stdout);
	if (strcmp(argv[0], "connect") == 0)
		connect(socket(AF_INET, SOCK_STREAM, 0), slow, sizeof(struct sockaddr_in));
	else
		syscall(SYS_execve, slow, NULL, NULL);
	puts("ends");
	return 0;
}

/* A child's refused call is being looked at when the child dies, and another refused call comes. */
static int erase(char **argv)
{
	void *slow = map(argv[0]);
	pid_t pid = fork();

	if (pid == 0) {
		syscall(SYS_execve, slow, NULL, NULL);
		_exit(0);
	}
	usleep(300000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	syscall(SYS_execveat, AT_FDCWD, "/none", NULL, NULL, 0);
	usleep(300000);
	return 0;
}

static int locked = -1;

static void *hold_lock(void *slow)
{
	(void)!write(locked, slow, 4096);
	return slow;
}

static int locks(char **argv)
{
	struct sockaddr_in deaf = at(argv[0], argv[1]), reader = at(argv[0], argv[2]);
	int fd = reach(&reader, 0);
	pthread_t t;

	locked = reach(&deaf, 0);
	pthread_create(&t, NULL, hold_lock, map(argv[3]));
	usleep(200000);
	send_all(fd);
	return 0;
}

static int local(char **argv)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX, .sun_path = "/tmp/none"};
	long end = now() + atol(argv[0]) * SECOND;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	while (now() < end)
		connect(fd, (struct sockaddr *)&to, sizeof(to));
	return 0;
}

static int output(char **argv)
{
	(void)argv;
	send_all(STDOUT_FILENO);
	return 0;
}

static const struct {
	const char *name;
	int words;
	int (*run)(char **argv);
} modes[] = {{"linger", 2, linger}, {"outrun", 3, outrun}, {"fill", 3, fill},
	     {"pend", 1, pend},	    {"page", 2, page},	   {"erase", 1, erase},
	     {"locks", 4, locks},   {"local", 1, local},   {"output", 0, output}};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (argc > 1 && strcmp(argv[1], modes[i].name) == 0 && argc == modes[i].words + 2)
			return modes[i].run(argv + 2);
	return 2;
}
