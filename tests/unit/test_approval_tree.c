/* SPDX-License-Identifier: MIT
 *
 * The hash of a tree: the same for the same tree, another after any change that a program could
 * see; what leads out of it is not followed, what is no file is not opened, and every maximum is
 * the last that is good.
 */
#include <fcntl.h>
#include <sched.h>
#include <sodium.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "../store/case.h"
#include "approval/tree_hash.h"
#include "base/scope.h"
#include "base/walk.h"

#define ROOT "tree"
static const struct tree_size plenty = {1000, 1 << 20};

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	scratch_must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), path);
	scratch_must(fchmod(fd, 0644) == 0, path);
	close(fd);
}

static void must(int r, const char *what)
{
	scratch_must(r == 0, what);
}

static struct tree_sum sum_of(const char *path)
{
	struct tree_sum sum = {0};
	struct err err = {0};

	scratch_must(tree_sum(path, &plenty, NULL, &sum, &err) == 0, err.message);
	return sum;
}

static void make(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = ROOT "/socket"};

	must(mkdir(ROOT, 0755), "mkdir");
	must(mkdir(ROOT "/sub", 0755), "mkdir");
	must(mkdir(ROOT "/empty", 0755), "mkdir");
	must(mkdir("outside", 0755), "mkdir");
	put("outside/secret", "one");
	put(ROOT "/helper.py", "x = 1\n");
	put(ROOT "/sub/b", "b");
	put(ROOT "/sub/a", "");
	must(symlink("../outside", ROOT "/out"), "symlink");
	must(symlink("helper.py", ROOT "/in"), "symlink");
	must(mkfifo(ROOT "/fifo", 0644), "mkfifo");
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(bind(fd, (struct sockaddr *)&at, sizeof(at)), "a socket");
	close(fd);
}

static void edit(void)
{
	put(ROOT "/helper.py", "x = 2\n");
}
static void edit_back(void)
{
	put(ROOT "/helper.py", "x = 1\n");
}
static void grow(void)
{
	put(ROOT "/helper.py", "x = 1\n\n");
}
static void more(void)
{
	put(ROOT "/sub/c", "");
}
static void less(void)
{
	must(unlink(ROOT "/sub/c"), "unlink");
}
static void deeper(void)
{
	put(ROOT "/sub/b", "c");
}
static void deeper_back(void)
{
	put(ROOT "/sub/b", "b");
}
static void mode(void)
{
	must(chmod(ROOT "/helper.py", 0755), "chmod");
}
static void mode_back(void)
{
	must(chmod(ROOT "/helper.py", 0644), "chmod");
}
static void dir_mode(void)
{
	must(chmod(ROOT "/empty", 0700), "chmod");
}
static void dir_mode_back(void)
{
	must(chmod(ROOT "/empty", 0755), "chmod");
}
static void name(void)
{
	must(rename(ROOT "/sub/a", ROOT "/sub/d"), "rename");
}
static void name_back(void)
{
	must(rename(ROOT "/sub/d", ROOT "/sub/a"), "rename");
}
static void move(void)
{
	must(rename(ROOT "/sub/a", ROOT "/a"), "rename");
}
static void move_back(void)
{
	must(rename(ROOT "/a", ROOT "/sub/a"), "rename");
}
static void no_dir(void)
{
	must(rmdir(ROOT "/empty"), "rmdir");
}
static void no_dir_back(void)
{
	must(mkdir(ROOT "/empty", 0755), "mkdir");
}
static void file_for_dir(void)
{
	no_dir();
	put(ROOT "/empty", "");
}
static void file_for_dir_back(void)
{
	must(unlink(ROOT "/empty"), "unlink");
	no_dir_back();
}
static void point(const char *to)
{
	must(unlink(ROOT "/in"), "unlink");
	must(symlink(to, ROOT "/in"), "symlink");
}
static void link_to(void)
{
	point("helper.pz");
}
static void link_back(void)
{
	point("helper.py");
}
static void fifo(void)
{
	must(unlink(ROOT "/fifo"), "unlink");
	put(ROOT "/fifo", "");
}
static void fifo_back(void)
{
	must(unlink(ROOT "/fifo"), "unlink");
	must(mkfifo(ROOT "/fifo", 0644), "mkfifo");
}

static const struct {
	const char *what;
	void (*change)(void), (*back)(void);
} changes[] = {
	{"a file's content", edit, edit_back},
	{"a file's length", grow, edit_back},
	{"a file more", more, less},
	{"a file in a directory", deeper, deeper_back},
	{"a mode", mode, mode_back},
	{"a directory's mode", dir_mode, dir_mode_back},
	{"a name", name, name_back},
	{"a file's directory", move, move_back},
	{"an empty directory", no_dir, no_dir_back},
	{"a file for a directory", file_for_dir, file_for_dir_back},
	{"where a link points", link_to, link_back},
	{"a file for a FIFO", fifo, fifo_back},
};

static void any_change_shows(void)
{
	struct tree_sum before = sum_of(ROOT);

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		changes[i].change();
		struct tree_sum changed = sum_of(ROOT);
		changes[i].back();
		struct tree_sum after = sum_of(ROOT);
		ok(memcmp(before.sha256, changed.sha256, TREE_SHA256) != 0, "%s changes it",
		   changes[i].what);
		ok(memcmp(before.sha256, after.sha256, TREE_SHA256) == 0, "%s, changed back",
		   changes[i].what);
	}
	/* sub, empty, helper.py, a, b, out, in, fifo, socket */
	ok(before.size.entries == 9 && before.size.bytes == 7, "9 entries, 7 bytes");
	put("outside/secret", "another");
	struct tree_sum after = sum_of(ROOT);
	ok(memcmp(before.sha256, after.sha256, TREE_SHA256) == 0, "nothing is followed out of it");
}

/* Names and contents cannot run into each other. */
static void is_one_way_to_write_it(void)
{
	must(mkdir("t1", 0755), "mkdir");
	must(mkdir("t2", 0755), "mkdir");
	put("t1/a", "f 0644 0 0.000000000 1 b\n");
	put("t2/a", "");
	put("t2/b", "");
	struct tree_sum one = sum_of("t1"), two = sum_of("t2");
	ok(memcmp(one.sha256, two.sha256, TREE_SHA256) != 0, "a content is no entry");
	must(symlink("t2", "t3"), "symlink");
	struct tree_sum three = sum_of("t3");
	ok(memcmp(two.sha256, three.sha256, TREE_SHA256) == 0, "the root may be a link");
	one = sum_of("t1/a");
	ok(one.size.entries == 0 && one.size.bytes == 25, "a file alone");
}

/* What Python keeps counts for a file of a certain time. */
static void times(void)
{
	struct timespec then[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	struct tree_sum before = sum_of("t2");
	must(utimensat(AT_FDCWD, "t2/a", then, 0), "utimensat");
	struct tree_sum after = sum_of("t2");
	ok(memcmp(before.sha256, after.sha256, TREE_SHA256) == 0, "times do not count");
	must(mkdir("t2/__pycache__", 0755), "mkdir");
	before = sum_of("t2");
	then[1].tv_nsec = 1;
	must(utimensat(AT_FDCWD, "t2/a", then, 0), "utimensat");
	after = sum_of("t2");
	ok(memcmp(before.sha256, after.sha256, TREE_SHA256) != 0, "but beside __pycache__ they do");
}

static void bounded(const char *path, struct tree_size most, bool good, const char *words)
{
	struct tree_sum sum;
	struct err err = {0};
	int r = tree_sum(path, &most, NULL, &sum, &err);

	if (good)
		ok(r == 0, "%s: %llu entries, %llu bytes are enough", path,
		   (unsigned long long)most.entries, (unsigned long long)most.bytes);
	else
		ok(r < 0 && strstr(err.message, words), "%s: %s", path, err.message);
}

static void maxima(void)
{
	char path[4 * WALK_DEPTH_MAX] = "deep";

	bounded(ROOT, (struct tree_size){9, 7}, true, NULL);
	bounded(ROOT, (struct tree_size){8, 7}, false, "more than 8 files");
	bounded(ROOT, (struct tree_size){9, 6}, false, "more than 6 bytes");
	bounded("nothing", plenty, false, "cannot be read");
	must(mkdir(path, 0755), "mkdir");
	for (int i = 1; i < WALK_DEPTH_MAX; i++) {
		strcat(path, "/d");
		must(mkdir(path, 0755), "mkdir");
	}
	bounded("deep", plenty, true, NULL);
	strcat(path, "/d");
	must(mkdir(path, 0755), "mkdir");
	bounded("deep", plenty, false, "64 directories deep");
	if (geteuid() != 0) {
		must(chmod(ROOT "/helper.py", 0), "chmod");
		bounded(ROOT, plenty, false, "helper.py in it cannot be read");
	}
}

/* A name of N letters. */
static const char *letters(size_t n)
{
	static char name[256];

	memset(name, 'n', n);
	name[n] = '\0';
	return name;
}

/* Sixteen directories, then a file: its name with theirs has LAST + 3941 bytes. */
enum { LONG_DIRS = 16, LONG_BYTES = 15 * 256 + 101 };

static int long_dir(int dir, int i)
{
	const char *name = letters(i < LONG_DIRS - 1 ? 255 : 100);

	scratch_must(mkdirat(dir, name, 0755) == 0, "mkdirat");
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void long_names(void)
{
	int dir[LONG_DIRS + 1];

	must(mkdir("long", 0755), "mkdir");
	dir[0] = open("long", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < LONG_DIRS; i++)
		dir[i + 1] = long_dir(dir[i], i);
	for (size_t more = 0; more < 2; more++) {
		const char *name = letters(WALK_PATH_MAX - LONG_BYTES + more);
		close(openat(dir[LONG_DIRS], name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
		bounded("long", plenty, !more, "more than 4096 bytes");
		must(unlinkat(dir[LONG_DIRS], name, 0), "unlinkat");
	}
	/* A path to them is too long for the program that removes them. */
	for (int i = LONG_DIRS; i > 0; i--) {
		close(dir[i]);
		must(unlinkat(dir[i - 1], letters(i < LONG_DIRS ? 255 : 100), AT_REMOVEDIR),
		     "rmdir");
	}
	close(dir[0]);
}

/* The box could see what is below a mount, and what is mounted is another's. Needs root. */
static void mounts(void)
{
	if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0)
		return;
	must(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "private mounts");
	must(mount("none", ROOT "/empty", "tmpfs", 0, NULL), "a mount");
	bounded(ROOT, plenty, false, "a file system is mounted at empty");
	must(umount2(ROOT "/empty", MNT_DETACH), "umount");
}

int main(void)
{
	const char *scratch = scratch_enter();

	scratch_must(sodium_init() >= 0, "libsodium");
	make();
	any_change_shows();
	is_one_way_to_write_it();
	times();
	maxima();
	long_names();
	mounts();
	scratch_leave(scratch);
	return tap_done();
}
