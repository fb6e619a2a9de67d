/* SPDX-License-Identifier: MIT
 *
 * Canaries for the namespaces. They attack objects that cordon-probe made on the host for this purpose: a
 * process, a listening socket, a memory segment; and they try to change the host's name and mounts. Before
 * each, probe_child has checked that the child is in a new namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "probe/probe.h"

#define CANARY_NAME "cordon-canary"

/* ---- userns ---- */

/* Files of root that every host has. Opening them for writing changes nothing. */
static const char *const root_files[] = {"/etc/passwd", "/proc/sys/kernel/panic"};

static int in_userns(struct probe *p, struct err *err)
{
	char name[HOST_NAME_MAX + 1] = "";

	if (probe_become(p, err) < 0)
		return -1;
	if (setresuid(0, 0, 0) == 0)
		return probe_leak(err, "it became root");
	for (size_t i = 0; i < ARRAY_SIZE(root_files); i++)
		if (open(root_files[i], O_WRONLY | O_CLOEXEC) >= 0)
			return probe_leak(err, "it can write to %s", root_files[i]);
	/* It has all capabilities, but only over its own namespace: the first call must fail, the second
	 * must succeed. */
	gethostname(name, sizeof(name) - 1);
	if (sethostname(name, strlen(name)) == 0)
		return probe_leak(err, "it has a capability over the host");
	if (unshare(CLONE_NEWUTS) < 0)
		return probe_untried(err, "using a capability inside");
	return 0;
}

/* In a rootless container only a few ids are mapped, and the box's may not be one of them. */
static void explain_map(struct probe *p, struct err *err)
{
	char map[16384]; /* 340 lines at most */
	unsigned long inside = 0, outside = 0, count = 0;

	if (!p->box.privileged || err->sys_errno == 0 ||
	    strncmp(err->message, "writing ", 8) != 0 ||
	    io_read_text(AT_FDCWD, "/proc/self/uid_map", map, sizeof(map)) < 0 ||
	    sscanf(map, "%lu %lu %lu", &inside, &outside, &count) != 3 || count == UINT_MAX)
		return;
	err_cause(err,
		  "this is the root of a user namespace (a rootless container) that maps only "
		  "%lu ids; the id of the box, %u, is not one of them",
		  count, (unsigned)p->box.outer_uid);
	err_cure(err, "run Cordon as an ordinary user there");
}

int probe_userns(struct probe *p, struct err *err)
{
	int r = probe_child(p, LAYER_BIT(LAYER_USERNS), &(struct probe_part){.inside = in_userns},
			    err);

	if (r < 0)
		explain_map(p, err);
	return r;
}

/* ---- mountns ---- */

static bool same_proc(const struct probe *p)
{
	struct stat st;

	return stat("/proc", &st) == 0 && (int)minor(st.st_dev) == p->bait;
}

static int in_mountns(struct probe *p, struct err *err)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", "/proc", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k") < 0)
		return probe_untried(err, "mounting inside");
	if (same_proc(p))
		return err_set(err, ERR_LAYER, "its own mount does not show");
	return probe_ready(p, err);
}

static int check_proc(struct probe *p, struct err *err)
{
	return same_proc(p) ? 0 : probe_leak(err, "its mount shows on the host");
}

int probe_mountns(struct probe *p, struct err *err)
{
	struct probe_part part = {.inside = in_mountns, .ready = check_proc};
	struct stat st;

	if (stat("/proc", &st) < 0)
		return probe_untried(err, "looking at /proc");
	p->bait = (int)minor(st.st_dev);
	return probe_child(p, LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_MOUNTNS), &part, err);
}

/* ---- pidns ---- */

static int in_pidns(struct probe *p, struct err *err)
{
	if (kill(p->parent, 0) == 0 || errno != ESRCH)
		return probe_leak(err, "it can signal a process of the host");
	if (getpid() != 1)
		return probe_leak(err, "it is not pid 1");
	pid_t orphan = fork();
	if (orphan < 0)
		return probe_untried(err, "starting a process inside");
	if (orphan > 0)
		return 0;
	for (;;) /* holds the bait open until it is killed */
		pause();
}

/* Pid 1 is dead, so its descendants must be too: a survivor would still hold the pipe open. */
int probe_pidns(struct probe *p, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return probe_untried(err, "making a pipe");
	AUTO_CLOSE int mine = ends[0], theirs = ends[1];
	int r = probe_child(p, LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_PIDNS),
			    &(struct probe_part){.inside = in_pidns}, err);
	scope_close(&theirs);
	struct pollfd end = {.fd = mine};
	if (r == 0 && (poll(&end, 1, 500) <= 0 || !(end.revents & POLLHUP)))
		return probe_leak(err, "a process outlived the first of its namespace");
	return r;
}

/* ---- netns ---- */

#define DISCARD_PORT 9
#define HIDDEN_LEN ((socklen_t)offsetof(struct sockaddr_un, sun_path) + 6)

static int dial(int family, const void *address, socklen_t len)
{
	AUTO_CLOSE int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -1 : connect(fd, address, len);
}

static int in_netns(struct probe *p, struct err *err)
{
	struct sockaddr_in tcp = {.sin_family = AF_INET,
				  .sin_port = htons((uint16_t)p->bait),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	if (dial(AF_UNIX, p->text, HIDDEN_LEN) == 0)
		return probe_leak(err, "it reached an abstract socket of the host");
	if (dial(AF_INET, &tcp, sizeof(tcp)) == 0 || errno == EINPROGRESS)
		return probe_leak(err, "it reached a TCP port of the host");
	tcp.sin_addr.s_addr =
		htonl(0xc0000201); /* 192.0.2.1, reserved: this only looks for a route */
	if (dial(AF_INET, &tcp, sizeof(tcp)) == 0 || errno == EINPROGRESS)
		return probe_leak(err, "it has a route out");
	return 0;
}

static int listen_tcp(uint16_t *ret_port)
{
	struct sockaddr_in tcp = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(tcp);
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&tcp, len) < 0 || listen(fd, 1) < 0 ||
	    getsockname(fd, (struct sockaddr *)&tcp, &len) < 0)
		return -1;
	*ret_port = ntohs(tcp.sin_port);
	return scope_take_fd(&fd);
}

/* The kernel chooses a free name: a zero byte and five digits. */
static int listen_hidden(struct sockaddr_un *ret)
{
	socklen_t len = sizeof(*ret);
	AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (fd < 0 || bind(fd, (struct sockaddr *)ret, sizeof(sa_family_t)) < 0 ||
	    listen(fd, 4) < 0 || getsockname(fd, (struct sockaddr *)ret, &len) < 0 ||
	    len != HIDDEN_LEN || dial(AF_UNIX, ret, len) < 0)
		return -1;
	return scope_take_fd(&fd);
}

/* The loopback of a bare namespace is down, so the abstract socket is the bait that must work. */
int probe_netns(struct probe *p, struct err *err)
{
	struct sockaddr_un hidden;
	uint16_t port = 0;

	AUTO_CLOSE int tcp = listen_tcp(&port);
	AUTO_CLOSE int fd = listen_hidden(&hidden);
	if (fd < 0)
		return probe_untried(err, "connecting to a socket on the host");
	memcpy(p->text, &hidden, sizeof(hidden));
	p->bait = tcp < 0 ? DISCARD_PORT : port;
	return probe_child(p, LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_NETNS),
			   &(struct probe_part){.inside = in_netns}, err);
}

/* ---- ipcns ---- */

static int in_ipcns(struct probe *p, struct err *err)
{
	struct shmid_ds ds;

	if (shmctl(p->bait, IPC_STAT, &ds) == 0)
		return probe_leak(err, "it sees shared memory of the host");
	return 0;
}

/* Marked for removal at once: it stays only while it is attached. */
int probe_ipcns(struct probe *p, struct err *err)
{
	struct shmid_ds ds;

	p->bait = shmget(IPC_PRIVATE, 4096, 0600);
	if (p->bait < 0)
		return probe_untried(err, "making shared memory");
	void *memory = shmat(p->bait, NULL, 0);
	shmctl(p->bait, IPC_RMID, NULL);
	if (memory == (void *)-1 || shmctl(p->bait, IPC_STAT, &ds) < 0)
		return probe_untried(err, "attaching shared memory");
	int r = probe_child(p, LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_IPCNS),
			    &(struct probe_part){.inside = in_ipcns}, err);
	shmdt(memory);
	return r;
}

/* ---- utsns ---- */

static int in_utsns(struct probe *p, struct err *err)
{
	if (sethostname(CANARY_NAME, sizeof(CANARY_NAME) - 1) < 0)
		return probe_untried(err, "naming the host inside");
	return probe_ready(p, err);
}

static int check_name(struct probe *p, struct err *err)
{
	char now[PROBE_TEXT_MAX] = "";

	gethostname(now, sizeof(now) - 1);
	return strcmp(now, p->text) == 0 ? 0 : probe_leak(err, "it changed the host's name");
}

int probe_utsns(struct probe *p, struct err *err)
{
	struct probe_part part = {.inside = in_utsns, .ready = check_name};

	if (gethostname(p->text, sizeof(p->text) - 1) < 0)
		return probe_untried(err, "reading the host's name");
	return probe_child(p, LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_UTSNS), &part, err);
}

/* ---- cgroupns ---- */

/* Each line ends with the path; seen from its own namespace that is "/". */
static int in_cgroupns(struct probe *p, struct err *err)
{
	char text[8192], *save = NULL;

	(void)p;
	if (io_read_text(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text)) < 0)
		return probe_untried(err, "reading /proc/self/cgroup");
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *path = strchr(line, '/');
		if (path && strcmp(path, "/") != 0)
			return probe_leak(err, "it sees the host's cgroup %.64s", path);
	}
	return 0;
}

int probe_cgroupns(struct probe *p, struct err *err)
{
	return probe_child(p, LAYER_BIT(LAYER_USERNS) | LAYER_BIT(LAYER_CGROUPNS),
			   &(struct probe_part){.inside = in_cgroupns}, err);
}
