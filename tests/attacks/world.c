/* SPDX-License-Identifier: MIT */
/*
 * Plants the canaries around one attack and takes them away again: a secret file with a fresh
 * token, listeners, a victim process, a terminal, shared memory, a home and a workspace.
 * All files are open to all users, so that the box and not a file mode stops an attack. Nothing is
 * planted outside a directory of our own, except names in /dev/shm and the SysV key table.
 */
#include "run.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <netinet/in.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The ids that a box started by root may run under: a victim of the same uid is the sharp test. */
enum { BOX_UID = 64000 };

static void random_name(char *ret_text, size_t size, const char *prefix)
{
	unsigned char bytes[12] = {0};
	size_t used = (size_t)snprintf(ret_text, size, "%s", prefix);

	if (getrandom(bytes, sizeof(bytes), 0) < 0)
		abort();
	for (size_t i = 0; i < sizeof(bytes); i++)
		used += (size_t)snprintf(ret_text + used, size - used, "%02x", bytes[i]);
}

static int put_file(const char *dir, const char *name, const char *text, mode_t mode)
{
	char path[2 * MAX_PATH];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0 || fchmod(fd, mode) < 0 || write(fd, text, strlen(text)) < 0)
		return -1;
	return close(fd);
}

static int put_directory(char *ret_path, const char *base, const char *name, mode_t mode)
{
	snprintf(ret_path, MAX_PATH, "%.200s/%.40s", base, name);
	return mkdir(ret_path, mode) < 0 || chmod(ret_path, mode) < 0 ? -1 : 0;
}

static int plant_files(struct world *world)
{
	char tree[MAX_PATH];

	snprintf(world->base, sizeof(world->base), "/tmp/cordon-attack-XXXXXX");
	if (!mkdtemp(world->base) || chmod(world->base, 0755) < 0)
		return -1;
	snprintf(world->secret, sizeof(world->secret), "%.200s/secret", world->base);
	if (put_file(world->base, "secret", world->token, 0666) < 0 ||
	    put_directory(world->outside, world->base, "outside", 0777) < 0 ||
	    put_directory(world->home, world->base, "home", 0777) < 0 ||
	    put_directory(world->workspace, world->base, "workspace", 0777) < 0 ||
	    put_directory(tree, world->workspace, "tree", 0777) < 0)
		return -1;
	if (put_file(world->home, ".profile", "# mine\n", 0666) < 0 ||
	    put_file(world->workspace, "kept", "original", 0666) < 0 ||
	    put_file(tree, "leaf", "leaf", 0666) < 0)
		return -1;
	/* A box started by root works with the id of the workspace's owner. */
	if (geteuid() == 0 &&
	    (chown(world->workspace, BOX_UID, BOX_UID) < 0 || chown(tree, BOX_UID, BOX_UID) < 0))
		return -1;
	world->leaked = open(world->secret, O_RDONLY | O_CLOEXEC);
	world->leaked_dir = open(world->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return world->leaked < 0 || world->leaked_dir < 0 ? -1 : 0;
}

static int listen_inet(int type, int *ret_port)
{
	struct sockaddr_in at = {.sin_family = AF_INET};
	socklen_t length = sizeof(at);
	int fast = 16;
	int fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    getsockname(fd, (struct sockaddr *)&at, &length) < 0)
		return -1;
	*ret_port = ntohs(at.sin_port);
	if (type == SOCK_STREAM) {
		setsockopt(fd, IPPROTO_TCP, 23 /* TCP_FASTOPEN */, &fast, sizeof(fast));
		listen(fd, 8);
	}
	return fd;
}

static int listen_unix(const char *name, int is_abstract)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name) + 1);

	snprintf(at.sun_path + is_abstract, sizeof(at.sun_path) - 1, "%s", name);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, length) < 0 || listen(fd, 8) < 0)
		return -1;
	if (!is_abstract)
		chmod(name, 0777);
	return fd;
}

static int plant_listeners(struct world *world)
{
	char near[MAX_PATH];

	snprintf(world->unix_path, sizeof(world->unix_path), "%.200s/socket", world->base);
	snprintf(near, sizeof(near), "%.200s/host.sock", world->workspace);
	world->tcp = listen_inet(SOCK_STREAM, &world->tcp_port);
	world->udp = listen_inet(SOCK_DGRAM, &world->udp_port);
	world->unix_socket = listen_unix(world->unix_path, 0);
	world->unix_near = listen_unix(near, 0);
	world->abstract = listen_unix(world->marker, 1);
	if (world->tcp < 0 || world->udp < 0)
		return -1;
	return world->unix_socket < 0 || world->unix_near < 0 || world->abstract < 0 ? -1 : 0;
}

/* A process like any other of the user: same uid, traceable, the token in its memory. */
static int plant_victim(struct world *world)
{
	static char memory[64];

	snprintf(memory, sizeof(memory), "%s", world->token);
	world->victim_address = (unsigned long)memory;
	world->victim = fork();
	if (world->victim == 0) {
		setpgid(0, 0);
		if (geteuid() == 0 && (setgid(BOX_UID) < 0 || setuid(BOX_UID) < 0))
			_exit(1);
		/* A change of ids takes both away. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_DUMPABLE, 1);
		for (;;)
			pause();
	}
	memset(memory, 0, sizeof(memory));
	return world->victim < 0 ? -1 : 0;
}

static int plant_memory(struct world *world)
{
	char *at;

	world->shm_key = 0x43000000 | (getpid() & 0xffff);
	world->shm = shmget(world->shm_key, 4096, IPC_CREAT | 0666);
	at = world->shm < 0 ? (void *)-1 : shmat(world->shm, NULL, 0);
	if (at == (void *)-1)
		return errno == ENOSYS ? 0 : -1;
	snprintf(at, 64, "%s", world->token);
	shmdt(at);
	return access("/dev/shm", W_OK) < 0
		       ? 0
		       : put_file("/dev/shm", world->marker, world->token, 0644);
}

static int plant_terminal(struct world *world)
{
	if (openpty(&world->master, &world->slave, world->tty, NULL, NULL) < 0)
		return -1;
	fcntl(world->master, F_SETFD, FD_CLOEXEC);
	fcntl(world->slave, F_SETFD, FD_CLOEXEC);
	fcntl(world->master, F_SETFL, O_NONBLOCK);
	/* Raw, so that every single typed byte can be counted. */
	if (tcgetattr(world->slave, &world->settings) < 0)
		return -1;
	cfmakeraw(&world->settings);
	return tcsetattr(world->slave, TCSANOW, &world->settings);
}

int world_open(struct world *world, char *why)
{
	static int (*const steps[])(struct world *) = {plant_files, plant_listeners, plant_victim,
						       plant_memory, plant_terminal};

	*world = (struct world){.tcp = -1,
				.udp = -1,
				.unix_socket = -1,
				.unix_near = -1,
				.abstract = -1,
				.leaked = -1,
				.leaked_dir = -1,
				.master = -1,
				.slave = -1,
				.shm = -1,
				.release = -1};
	random_name(world->token, sizeof(world->token), "TOKEN-");
	random_name(world->marker, sizeof(world->marker), "cordon-marker-");
	gethostname(world->hostname, sizeof(world->hostname) - 1);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i](world) < 0) {
			snprintf(why, MAX_WHY, "cannot plant canaries (step %zu): %s", i,
				 strerror(errno));
			return -1;
		}
	world->tree = tree_hash(world->workspace);
	world->home_tree = tree_hash(world->home);
	world->clock_skew = clock_skew();
	world->cgroups = cgroup_count();
	return 0;
}

static void remove_tree(const char *path)
{
	char *const roots[] = {(char *)path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_XDEV, NULL);
	FTSENT *entry;

	while (walk && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_D || entry->fts_info == FTS_DNR)
			chmod(entry->fts_accpath, 0700);
		if (entry->fts_info != FTS_D)
			remove(entry->fts_accpath);
	}
	if (walk)
		fts_close(walk);
}

void world_close(struct world *world)
{
	int *const fds[] = {&world->tcp,	&world->udp,	  &world->unix_socket,
			    &world->unix_near,	&world->abstract, &world->leaked,
			    &world->leaked_dir, &world->release,  &world->master,
			    &world->slave};
	char path[MAX_PATH];

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (*fds[i] >= 0)
			close(*fds[i]);
	if (world->leader > 0)
		waitpid(world->leader, NULL, 0);
	if (world->victim > 0) {
		kill(world->victim, SIGKILL);
		waitpid(world->victim, NULL, 0);
	}
	if (world->shm >= 0)
		shmctl(world->shm, IPC_RMID, NULL);
	snprintf(path, sizeof(path), "/dev/shm/%s", world->marker);
	unlink(path);
	if (strncmp(world->base, "/tmp/cordon-attack-", 19) == 0)
		remove_tree(world->base);
}
