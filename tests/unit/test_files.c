/* SPDX-License-Identifier: MIT
 *
 * files_remove_tree against what hostile code leaves: trees deeper than any path, directories
 * closed to their owner, names that look like our own, links out of the tree. What lies beside
 * and behind must stay.
 */
#include "base/files.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/scope.h"
#include "mount_space.h"
#include "scratch.h"
#include "tap.h"

enum { DEPTH = 10000, MANY = 5000 };

static void removed(const char *name, const char *what)
{
	int r = files_remove_tree(AT_FDCWD, name);

	if (!ok(r == 0 && !scratch_exists(name), "%s", what))
		printf("# returned %d, errno %s\n", r, strerror(errno));
}

static void make_deep(const char *name, int depth)
{
	int here = open(".", O_RDONLY | O_DIRECTORY);

	scratch_dir(name);
	scratch_must(chdir(name) == 0, name);
	for (int i = 0; i < depth; i++)
		scratch_must(mkdir("d", 0755) == 0 && chdir("d") == 0, "a deep directory");
	scratch_file("file", "x", 0644);
	scratch_must(fchdir(here) == 0, "going back");
	close(here);
}

static void test_plain(void)
{
	scratch_file("file", "x", 0444);
	removed("file", "a file");
	removed("nothing", "what is not there is removed already");
	scratch_dir("empty");
	removed("empty", "an empty directory");
	make_deep("deep", DEPTH);
	removed("deep", "a tree ten thousand deep");
}

static void test_closed(void)
{
	scratch_dir("closed");
	scratch_dir("closed/a");
	scratch_dir("closed/a/b");
	scratch_file("closed/a/b/file", "x", 0);
	scratch_dir("closed/empty");
	scratch_must(chmod("closed/empty", 0) == 0, "empty");
	scratch_must(chmod("closed/a/b", 0) == 0 && chmod("closed/a", 0) == 0, "a");
	scratch_must(chmod("closed", 0) == 0, "closed");
	removed("closed", "directories of mode 000");
	scratch_dir("stuck");
	scratch_dir("stuck/in");
	scratch_file("stuck/in/file", "x", 0644);
	scratch_must(chmod("stuck/in", 0555) == 0 && chmod("stuck", 0500) == 0, "stuck");
	removed("stuck", "directories that may not be written");
	scratch_dir("write");
	scratch_dir("write/in");
	scratch_dir("write/in/in");
	scratch_must(chmod("write/in", 0300) == 0, "write");
	removed("write", "directories that may not be read");
}

/* A tree whose names are those our own removal would use, at every level. */
static void test_names(void)
{
	char name[64];

	scratch_dir("names");
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "names/.cordon-%d", i);
		scratch_dir(name);
		for (int j = 0; j < 20; j++) {
			snprintf(name, sizeof(name), "names/.cordon-%d/.cordon-%d", i, j);
			scratch_dir(name);
			snprintf(name, sizeof(name), "names/.cordon-%d/.cordon-%d/.cordon-0", i, j);
			scratch_dir(name);
		}
		snprintf(name, sizeof(name), "names/.cordon-%d/x", 19 - i);
		if (i > 10)
			scratch_file(name, "x", 0644);
	}
	removed("names", "names like our own");
	scratch_dir("odd");
	scratch_dir("odd/.cordon-00");
	scratch_dir("odd/.cordon-4294967295");
	scratch_dir("odd/.cordon-4294967296");
	scratch_dir("odd/.cordon--1");
	scratch_dir("odd/.cordon-0 ");
	scratch_dir("odd/.cordon-0 /.cordon-1");
	scratch_dir("odd/.cordon-00/in");
	scratch_dir("odd/\n");
	scratch_dir("odd/\xff\xfe");
	scratch_file("odd/.cordon-0", "a file where we would move a directory to", 0644);
	scratch_file("odd/.cordon-1", "x", 0644);
	scratch_dir("odd/ ");
	scratch_dir("odd/ /full");
	scratch_file("odd/ /full/x", "x", 0644);
	removed("odd", "names almost like our own");
}

static void test_links(void)
{
	scratch_dir("outside");
	scratch_file("outside/keep", "x", 0600);
	scratch_must(chmod("outside", 0711) == 0, "outside");
	scratch_dir("links");
	scratch_dir("links/in");
	scratch_must(symlink("../outside", "links/out") == 0, "out");
	scratch_must(symlink("../../outside", "links/in/out") == 0, "out");
	scratch_must(symlink("/", "links/.cordon-0") == 0, "root");
	scratch_must(symlink(".", "links/self") == 0, "self");
	scratch_must(symlink("nowhere", "links/broken") == 0, "broken");
	scratch_must(link("outside/keep", "links/hard") == 0, "hard");
	scratch_must(mkfifo("links/fifo", 0600) == 0, "fifo");
	removed("links", "links, a fifo");
	scratch_must(symlink("outside", "top") == 0, "top");
	removed("top", "a link itself");
	struct stat st;
	ok(scratch_exists("outside/keep") && stat("outside", &st) == 0 &&
		   (st.st_mode & 0777) == 0711,
	   "what the links pointed to is untouched");
	ok(stat("outside/keep", &st) == 0 && (st.st_mode & 0777) == 0600,
	   "and so is the mode of a hard-linked file");
}

static void test_wide(void)
{
	char name[64];

	scratch_dir("wide");
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "wide/d%d", i);
		scratch_dir(name);
		snprintf(name, sizeof(name), "wide/d%d/f", i);
		scratch_file(name, "", 0644);
	}
	removed("wide", "five thousand directories with a file each");
}

/* It must not be one descriptor per level. */
static void test_few_descriptors(void)
{
	int fds[1024], n = 0;

	make_deep("few", 2000);
	while (n < 1024 && (fds[n] = open("/dev/null", O_RDONLY)) >= 0 && fds[n] < 1018)
		n++;
	removed("few", "with few descriptors left");
	while (n > 0)
		close(fds[--n]);
}

/* In mount namespaces of their own: what is mounted in a tree is not a part of it. */
static int refuse_mounts(const char *source, const char *type, unsigned long flags)
{
	struct stat st;
	bool right = true;

	scratch_dir("tree");
	scratch_dir("tree/in");
	scratch_dir("tree/in/point");
	if (mount(source, "tree/in/point", type, flags, NULL) < 0)
		return 2;
	scratch_file("tree/in/point/keep", "x", 0644);
	scratch_must(chmod("tree/in/point", 0751) == 0, "point");
	AUTO_CLOSE int in = open("tree/in", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* The mount itself by its name, by its path, and far below what is removed. */
	right = right && files_remove_tree(in, "point") == -1 && errno == EBUSY;
	right = right && files_remove_tree(AT_FDCWD, "tree/in/point") == -1 && errno == EBUSY;
	right = right && files_remove_tree(AT_FDCWD, "tree") == -1;
	right = right && fchdir(in) == 0 && stat("point", &st) == 0 && (st.st_mode & 0777) == 0751;
	return right && scratch_exists("point/keep") ? 0 : 1;
}

static void test_mount(const char *what, const char *source, const char *type, unsigned long flags)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(enter_mount_space() < 0 ? 2 : refuse_mounts(source, type, flags));
	scratch_must(pid > 0 && waitpid(pid, &status, 0) == pid, "a child");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		tap_skip(what, "no mount namespace here");
	else
		ok(status == 0, "%s", what);
	scratch_must(system("rm -rf --one-file-system tree other/keep") == 0, "clearing");
}

static void test_mounts(void)
{
	scratch_dir("other");
	test_mount("a mount is not emptied", "none", "tmpfs", 0);
	test_mount("a bind mount of the same file system is not emptied", "other", NULL, MS_BIND);
}

int main(void)
{
	const char *dir = scratch_enter();

	test_plain();
	test_closed();
	test_names();
	test_links();
	test_wide();
	test_few_descriptors();
	test_mounts();
	scratch_leave(dir);
	return tap_done();
}
