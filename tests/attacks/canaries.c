/* SPDX-License-Identifier: MIT */
/*
 * Looks whether the effect happened: each canary is one row, checked after every attack whatever
 * the box reported. Processes that were left behind are named and then ended, by pid and only
 * where their command line carries this attack's random marker.
 */
#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct look {
	const struct world *world;
	const struct outcome *outcome;
	const struct attack *attack;
	char *why;
};

static int fail(const struct look *look, const char *text)
{
	snprintf(look->why, MAX_WHY, "%s", text);
	return -1;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static unsigned long long mix(unsigned long long hash, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211ULL;
	return hash;
}

/* Names, kinds, modes and contents of everything below path. */
unsigned long long tree_hash(const char *path)
{
	char *const roots[] = {(char *)path, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	unsigned long long hash = 14695981039346656037ULL;
	FTSENT *entry;
	char block[4096];

	while (walk && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_DP)
			continue;
		hash = mix(hash, entry->fts_path, strlen(entry->fts_path));
		hash = mix(hash, &entry->fts_statp->st_mode, sizeof(mode_t));
		int fd =
			entry->fts_info == FTS_F ? open(entry->fts_path, O_RDONLY | O_CLOEXEC) : -1;
		long got;

		while (fd >= 0 && (got = read(fd, block, sizeof(block))) > 0)
			hash = mix(hash, block, (size_t)got);
		if (fd >= 0)
			close(fd);
	}
	if (walk)
		fts_close(walk);
	return hash;
}

/* A box holds a lock on its directories for as long as it lives; other boxes may be running. */
static int is_abandoned(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int free = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0;

	if (fd >= 0)
		close(fd);
	return free;
}

/* Directories of boxes of this account, in any hierarchy, whose owner is dead. */
int cgroup_count(void)
{
	char *const roots[] = {"/sys/fs/cgroup", NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;
	int count = 0;

	while (walk && (entry = fts_read(walk)))
		if (entry->fts_info == FTS_D && strncmp(entry->fts_name, "cordon-", 7) == 0 &&
		    entry->fts_statp->st_uid == geteuid())
			count += is_abandoned(entry->fts_path);
	if (walk)
		fts_close(walk);
	return count;
}

/* Wall clock minus monotonic clock: changes only if the time is set. */
long clock_skew(void)
{
	struct timespec wall, steady;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &steady);
	return wall.tv_sec - steady.tv_sec;
}

static int token_hidden(const struct look *look)
{
	const struct outcome *outcome = look->outcome;
	const char *token = look->world->token;
	size_t length = strlen(token);

	if (memmem(outcome->out.bytes, outcome->out.length, token, length) ||
	    memmem(outcome->err.bytes, outcome->err.length, token, length) ||
	    memmem(outcome->tty.bytes, outcome->tty.length, token, length) ||
	    (outcome->text && memmem(outcome->text, outcome->text_length, token, length)))
		return fail(look, "the secret token came out");
	return 0;
}

static int secret_untouched(const struct look *look)
{
	char text[128] = "";
	struct stat info;
	int fd = open(look->world->secret, O_RDONLY | O_CLOEXEC);
	int same = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && fstat(fd, &info) == 0 &&
		   strcmp(text, look->world->token) == 0 && (info.st_mode & 07777) == 0666;

	if (fd >= 0)
		close(fd);
	return same ? 0 : fail(look, "the secret file was changed");
}

/* It stops, or it is dead: one that was killed may not have got a processor yet. */
static int victim_alive(const struct look *look)
{
	pid_t victim = look->world->victim;
	int status = 0;

	if (kill(victim, SIGSTOP) < 0 || waitpid(victim, &status, WUNTRACED) != victim ||
	    !WIFSTOPPED(status) || kill(victim, SIGCONT) < 0)
		return fail(look, "the victim process is dead");
	return 0;
}

static int nobody_called(const struct look *look)
{
	const struct world *world = look->world;
	char bytes[64];

	if (accept(world->tcp, NULL, NULL) >= 0)
		return fail(look, "a TCP connection reached the host");
	if (recv(world->udp, bytes, sizeof(bytes), 0) >= 0)
		return fail(look, "a UDP datagram reached the host");
	if (accept(world->unix_socket, NULL, NULL) >= 0)
		return fail(look, "a unix connection reached the host");
	if (accept(world->unix_near, NULL, NULL) >= 0)
		return fail(look, "a unix connection reached the socket in the workspace");
	if (accept(world->abstract, NULL, NULL) >= 0)
		return fail(look, "an abstract unix connection reached the host");
	return 0;
}

static int nothing_appeared(const struct look *look)
{
	static const char *const places[] = {"/tmp",  "/var/tmp", "/run", "/usr", "/etc",
					     "/root", "/dev/shm", "/dev", ""};
	char path[2 * MAX_PATH];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s.new", places[i], look->world->marker);
		if (access(path, F_OK) == 0) {
			unlink(path);
			snprintf(look->why, MAX_WHY, "%.400s appeared on the host", path);
			return -1;
		}
	}
	/* The canary directory holds nothing but its two dots. */
	if (rmdir(look->world->outside) < 0)
		return fail(look, "something appeared in the canary directory");
	return mkdir(look->world->outside, 0777) | chmod(look->world->outside, 0777);
}

static int shm_untouched(const struct look *look)
{
	char path[MAX_PATH], text[128] = "";
	int fd;

	snprintf(path, sizeof(path), "/dev/shm/%s", look->world->marker);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return access("/dev/shm", W_OK) < 0 ? 0 : fail(look, "our /dev/shm file is gone");
	if (read(fd, text, sizeof(text) - 1) < 0 || strcmp(text, look->world->token) != 0)
		text[0] = '\0';
	close(fd);
	return text[0] ? 0 : fail(look, "our /dev/shm file was changed");
}

static int directories_untouched(const struct look *look)
{
	if (tree_hash(look->world->home) != look->world->home_tree)
		return fail(look, "the home directory was changed");
	if (strstr(look->attack->flags, ":rw") || strstr(look->attack->flags, "--apply"))
		return 0;
	if (tree_hash(look->world->workspace) != look->world->tree)
		return fail(look, "the workspace was changed");
	return 0;
}

static int terminal_untouched(const struct look *look)
{
	const struct world *world = look->world;
	struct termios now;
	int queued = 0;

	if (ioctl(world->slave, FIONREAD, &queued) < 0 || queued > 0)
		return fail(look, "a process typed into the terminal");
	if (tcgetattr(world->slave, &now) < 0 || now.c_lflag != world->settings.c_lflag ||
	    now.c_iflag != world->settings.c_iflag || now.c_oflag != world->settings.c_oflag)
		return fail(look, "the terminal's settings were changed");
	if (tcgetpgrp(world->master) != world->leader)
		return fail(look, "the terminal has another foreground group");
	if (!look->attack->on_tty && look->outcome->tty.length)
		return fail(look, "a process wrote to the terminal");
	return 0;
}

static int process_has(int pid, const char *marker)
{
	char path[64], text[16384];
	long got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd < 0 ? -1 : read(fd, text, sizeof(text));
	if (fd >= 0)
		close(fd);
	return got > 0 && memmem(text, (size_t)got, marker, strlen(marker)) != NULL;
}

static int kill_marked(const char *marker)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int found = 0;

	while (dir && (entry = readdir(dir))) {
		int pid = atoi(entry->d_name);

		if (pid > 1 && process_has(pid, marker)) {
			found++;
			kill(pid, SIGKILL);
		}
	}
	if (dir)
		closedir(dir);
	return found;
}

static int nobody_left(const struct look *look)
{
	int left = kill_marked(look->world->marker);

	if (left) {
		/* A bomb makes new ones while it is being ended. */
		for (int i = 0; i < 200 && kill_marked(look->world->marker); i++)
			usleep(10000);
		snprintf(look->why, MAX_WHY, "%d processes were left behind", left);
		return -1;
	}
	return look->outcome->still_open
		       ? fail(look, "a process held the output open after the end")
		       : 0;
}

/* Other boxes come and go and are unlocked for a moment: only what stays abandoned counts. */
static int cgroups_gone(const struct look *look)
{
	for (int i = 0; i < 40; i++) {
		if (cgroup_count() <= look->world->cgroups)
			return 0;
		usleep(50000);
	}
	return fail(look, "a cgroup directory was left behind");
}

static int host_unchanged(const struct look *look)
{
	char name[MAX_PATH] = "";
	long moved = clock_skew() - look->world->clock_skew;

	gethostname(name, sizeof(name) - 1);
	if (strcmp(name, look->world->hostname) != 0)
		return fail(look, "the host was renamed");
	if (moved > 2 || moved < -2)
		return fail(look, "the host's clock was set");
	return 0;
}

int canaries_check(const struct world *world, const struct outcome *outcome,
		   const struct attack *attack, char *why)
{
	static int (*const looks[])(const struct look *) = {
		nobody_left,	    token_hidden,     secret_untouched, victim_alive,
		nobody_called,	    nothing_appeared, shm_untouched,	directories_untouched,
		terminal_untouched, cgroups_gone,     host_unchanged,
	};
	struct look look = {world, outcome, attack, why};
	int rc = 0;

	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]) && rc == 0; i++)
		rc = looks[i](&look);
	return rc;
}
