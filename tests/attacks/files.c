/* SPDX-License-Identifier: MIT */
/*
 * Attacks on files: reading what lies outside the box, writing where the host would see it, and
 * using a descriptor or a variable that the caller forgot to close or clear.
 * The runner made every canary readable and writable for all users, so that only the box, and not
 * the file's mode, can be what holds.
 */
#include "probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char **environ;

static int secret_file(const struct args *args)
{
	return must_not_read(arg_text(args, "secret", "/"));
}

/* VAREK let "<allowed>/../../etc/shadow" through a prefix test (A7): try the ways round. */
static int secret_roundabout(const struct args *args)
{
	static const char *const prefixes[] = {
		"/proc/self/root",	  "/proc/self/cwd/../../../../../..",
		"../../../../../../..",	  "/proc/1/root",
		"/proc/thread-self/root", "/usr/../../../..",
		"/tmp/../../../..",	  "/dev/fd/../../root",
	};
	char path[4096];

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", prefixes[i], arg_text(args, "secret", "/"));
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			return show_stolen(path, fd);
	}
	return held("%zu ways, last: %s", sizeof(prefixes) / sizeof(prefixes[0]),
		    strerrorname_np(errno));
}

/* A link made inside is followed inside: it must not become a way to the host's file. */
static int secret_symlink(const struct args *args)
{
	if (symlink(arg_text(args, "secret", "/"), "planted-link") < 0)
		return held("symlink: %s", strerrorname_np(errno));
	return must_not_read("planted-link");
}

static int secret_hardlink(const struct args *args)
{
	return must_fail("link", link(arg_text(args, "secret", "/"), "planted-hard"));
}

static int read_path(const struct args *args)
{
	return must_not_read(arg_text(args, "path", "/"));
}

static int write_path(const struct args *args)
{
	return must_not_write(arg_text(args, "path", "/"));
}

static int create_in(const struct args *args)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.new", arg_text(args, "where", "/"),
		 arg_text(args, "marker", "marker"));
	return must_fail(path, open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

/* Writing in the box's own /tmp or /dev/shm is allowed: the runner looks whether it showed up
 * on the host's side. */
static int create_private(const struct args *args)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s.new", arg_text(args, "where", "/tmp"),
		 arg_text(args, "marker", "marker"));
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return held("%s: %s", path, fd < 0 ? strerrorname_np(errno) : "written, look outside");
}

static int create_outside(const struct args *args)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/planted", arg_text(args, "outside", "/"));
	return must_fail(path, open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

/* VAREK A1: one line at the end of ~/.profile is an escape at the next login. */
static int append_profile(const struct args *args)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/.profile", arg_text(args, "home", "/root"));
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd >= 0 && write(fd, "planted\n", 8) == 8)
		return escaped("wrote %s", path);
	return must_fail(path, fd);
}

/* Metadata alone is a change too: rename, remove, chmod and truncate need no open file. */
static int change_outside(const struct args *args)
{
	const char *secret = arg_text(args, "secret", "/");

	if (chmod(secret, 0777) == 0)
		return escaped("chmod %s", secret);
	if (truncate(secret, 0) == 0)
		return escaped("truncate %s", secret);
	if (rename(secret, "stolen") == 0)
		return escaped("rename %s", secret);
	return must_fail("unlink", unlink(secret));
}

/* A directory listing of a home tells names of keys and projects. */
static int list_directory(const struct args *args)
{
	const char *path = arg_text(args, "where", "/");
	DIR *dir = opendir(path);
	struct dirent *entry;
	int seen = 0;

	if (!dir)
		return held("%s: %s", path, strerrorname_np(errno));
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			seen++;
	closedir(dir);
	return seen ? escaped("%s shows %d names", path, seen) : held("%s is empty", path);
}

/* bubblewrap hands every descriptor of the caller to the program; so did runc's leaked
 * working directory (CVE-2024-21626). */
static int leaked_fds(const struct args *args)
{
	char link[64], target[256] = "";

	(void)args;
	if (fcntl(LEAKED_FILE_FD, F_GETFD) >= 0)
		return show_stolen("the caller's descriptor", LEAKED_FILE_FD);
	for (int fd = 3; fd < 4096; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		if (readlink(link, target, sizeof(target) - 1) < 0)
			target[0] = '\0';
		return escaped("descriptor %d is open: %s", fd, target);
	}
	return held("nothing but 0, 1 and 2");
}

static int leaked_directory(const struct args *args)
{
	int fd;

	(void)args;
	fd = openat(LEAKED_DIRECTORY_FD, "secret", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? must_fail("openat", fd) : show_stolen("the caller's directory", fd);
}

static int leaked_env(const struct args *args)
{
	char block[65536];
	long got = slurp("/proc/self/environ", block, sizeof(block));

	(void)args;
	if (getenv("SECRET_TOKEN"))
		return escaped("SECRET_TOKEN=%s", getenv("SECRET_TOKEN"));
	if (got > 0 && memmem(block, (size_t)got, "SECRET", 6))
		return escaped("a secret lies in /proc/self/environ");
	for (char **var = environ; *var; var++)
		dprintf(STDOUT_FILENO, "%s\n", *var);
	return held("%ld bytes of environment", got);
}

/* The stack above argv once held the caller's environment in some launchers. */
static int leaked_auxiliary(const struct args *args)
{
	char line[512], *end = NULL;
	unsigned long from = 0, to = 0;
	FILE *maps = fopen("/proc/self/maps", "re");

	(void)args;
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[stack]"))
			from = strtoul(line, &end, 16), to = strtoul(end + 1, NULL, 16);
	if (maps)
		fclose(maps);
	if (!to)
		return held("no stack in maps");
	char *at = (char *)(line + sizeof(line));

	(void)from;
	for (; at + 13 < (char *)to; at++)
		if (memcmp(at, "SECRET_TOKEN=", 13) == 0)
			return escaped("%s", at);
	return held("the stack is clean");
}

static int make_device(const struct args *args)
{
	mode_t kind = arg_text(args, "kind", "b")[0] == 'b' ? S_IFBLK : S_IFCHR;

	return must_fail("mknod", mknod("device", kind | 0666, makedev(1, 1)));
}

/* RENAME_WHITEOUT leaves a character device behind without privilege since 5.8. */
static int whiteout_device(const struct args *args)
{
	int fd = open("before", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	(void)args;
	close(fd);
	return must_fail("renameat2",
			 renameat2(AT_FDCWD, "before", AT_FDCWD, "after", RENAME_WHITEOUT));
}

/* An overlay reads user.overlay.* as its own book-keeping: it must not be writable. */
static int overlay_xattr(const struct args *args)
{
	(void)args;
	if (mkdir("opaque", 0755) < 0)
		return held("mkdir: %s", strerrorname_np(errno));
	return must_fail("setxattr", setxattr("opaque", "user.overlay.opaque", "y", 1, 0));
}

/* A watch needs only the right to read: it would tell what the host does with its own files. */
static int watch_path(const struct args *args)
{
	int fd = inotify_init1(IN_CLOEXEC);

	if (fd < 0)
		return held("inotify_init1: %s", strerrorname_np(errno));
	return must_fail("inotify_add_watch",
			 inotify_add_watch(fd, arg_text(args, "path", "/"), IN_ALL_EVENTS));
}

/* The kernel charges each instance to the caller's account too, which may have 128. */
static int watch_quota(const struct args *args)
{
	int count = 0;

	(void)args;
	while (count < 8 && inotify_init1(IN_CLOEXEC) >= 0)
		count++;
	return count ? escaped("%d instances of the caller's", count)
		     : held("inotify_init1: %s", strerrorname_np(errno));
}

/* All users may write to this device, and so set its times: that changes the host's file. */
static int touch_device(const struct args *args)
{
	return must_fail("utimensat",
			 utimensat(AT_FDCWD, arg_text(args, "path", "/dev/null"), NULL, 0));
}

/* The passwd file of a box has no account of the host. */
static int host_accounts(const struct args *args)
{
	char text[65536];
	long got = slurp("/etc/passwd", text, sizeof(text));
	int lines = 0;

	(void)args;
	for (char *at = text; got > 0 && (at = strchr(at, '\n')); at++)
		lines++;
	return lines > 4 ? escaped("%d accounts", lines) : held("%d accounts", lines);
}

static int host_name(const struct args *args)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1) < 0)
		return held("gethostname: %s", strerrorname_np(errno));
	if (strcmp(name, arg_text(args, "hostname", "")) == 0 && strcmp(name, "cordon") != 0)
		return escaped("the host is called %s", name);
	return held("called %s", name);
}

static int control(const struct args *args)
{
	(void)args;
	return held("an ordinary program runs and is heard");
}

/* A lease (F_SETLEASE, 1024) delays processes that open the file for writing; a notification
 * (F_NOTIFY, 1026) tells what others do in a directory. Both need only the right to read. */
static int file_command(const struct args *args)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return must_be_shut("fcntl", fcntl(fd, (int)arg_number(args, "command", 1024), 0));
}

/* The right to read a file is enough to lock all others out by flock. */
static int lock_out(const struct args *args)
{
	int fd = open(arg_text(args, "path", "."), O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return escaped("the attack is void: %s", strerrorname_np(errno));
	return must_fail("flock", flock(fd, LOCK_EX | LOCK_NB));
}

const struct probe files_probes[] = {
	{"control", control, "nothing at all: shows that a harmless program is not stopped"},
	{"secret-file", secret_file, "read a file outside the workspace"},
	{"secret-roundabout", secret_roundabout, "the same through .., /proc/self/root, cwd"},
	{"secret-symlink", secret_symlink, "the same through a link made inside"},
	{"secret-hardlink", secret_hardlink, "link the file into the box"},
	{"read-path", read_path, "read path="},
	{"write-path", write_path, "open path= for writing"},
	{"create-in", create_in, "create a file in where="},
	{"create-private", create_private, "create a file that only the box may see"},
	{"create-outside", create_outside, "create a file in a world-writable host directory"},
	{"append-profile", append_profile, "append a line to the user's .profile"},
	{"change-outside", change_outside, "chmod, truncate, rename or remove a host file"},
	{"list-directory", list_directory, "list where="},
	{"leaked-fds", leaked_fds, "use a descriptor the caller left open"},
	{"leaked-directory", leaked_directory, "openat below a leaked directory"},
	{"leaked-env", leaked_env, "read the caller's environment"},
	{"leaked-stack", leaked_auxiliary, "find the caller's environment on the stack"},
	{"make-device", make_device, "mknod of a device"},
	{"whiteout-device", whiteout_device, "rename that leaves a device behind"},
	{"overlay-xattr", overlay_xattr, "write the overlay's own attributes"},
	{"watch-path", watch_path, "inotify on path="},
	{"watch-quota", watch_quota, "use up the caller's inotify instances"},
	{"touch-device", touch_device, "set the times of the host's path="},
	{"host-accounts", host_accounts, "read the host's account names"},
	{"host-name", host_name, "learn the host's name"},
	{"file-command", file_command, "fcntl with command= on the workspace"},
	{"lock-out", lock_out, "lock path= against the host"},
	{NULL, NULL, NULL},
};
