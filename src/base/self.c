/* SPDX-License-Identifier: MIT
 *
 * Finds the program's own file. The path given to execve is used if it leads to this program
 * without a link. Otherwise /proc/self/exe is read, which costs 0.1 ms, mostly when the process
 * ends and the kernel frees its proc entries.
 */
#include "base/self.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

enum { PROC_ROOT_INO = 1, HEAD_SIZE = 1024 }; /* the file's headers and build id */

/* The linker's symbol for the begin of the loaded file.
 * NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's name */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* For a script with this program as its interpreter, execve's path is the script's. */
static bool is_us(int fd)
{
	unsigned char head[HEAD_SIZE];

	return pread(fd, head, sizeof(head), 0) == sizeof(head) &&
	       memcmp(head, &__ehdr_start, sizeof(head)) == 0;
}

static bool find_by_name(char ret[PATH_MAX])
{
	const char *name = (const char *)(uintptr_t)getauxval(AT_EXECFN);
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
			       .resolve = RESOLVE_NO_SYMLINKS};

	if (!name || name[0] != '/' || strlen(name) >= PATH_MAX)
		return false;
	AUTO_CLOSE int fd = (int)syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof(how));
	if (fd < 0 || !is_us(fd))
		return false;
	memcpy(ret, name, strlen(name) + 1);
	return true;
}

static void find_by_kernel(char ret[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", ret, PATH_MAX - 1);

	ret[n > 0 ? n : 0] = '\0';
}

void self_directory(char ret[PATH_MAX])
{
	if (!find_by_name(ret))
		find_by_kernel(ret);
	char *slash = strrchr(ret, '/');
	if (slash)
		slash[slash == ret] = '\0'; /* in the root's own directory it is "/" */
	else
		ret[0] = '\0';
}

int self_find(const char *name, char ret[PATH_MAX], struct err *err)
{
	static const struct {
		bool is_ours; /* relative to the program's directory */
		const char *path;
	} places[] = {{true, ""}, {true, "/../libexec/cordon"}, {false, CORDON_LIBEXEC}};
	char self[PATH_MAX];

	self_directory(self);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (places[i].is_ours && !*self)
			continue;
		if (snprintf(ret, PATH_MAX, "%s%s/%s", places[i].is_ours ? self : "",
			     places[i].path, name) < PATH_MAX &&
		    access(ret, X_OK) == 0)
			return 0;
	}
	err_set(err, ERR_SYSTEM, "%s is missing", name);
	err_cause(err, "it is neither beside cordon, nor in ../libexec/cordon, nor "
		       "in " CORDON_LIBEXEC);
	return -1;
}

int self_open(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

int self_offset(const void *bytes, size_t len, size_t *ret)
{
	uintptr_t base = (uintptr_t)&__ehdr_start, at = (uintptr_t)bytes - base;
	const ElfW(Phdr) *row = (const ElfW(Phdr) *)(base + __ehdr_start.e_phoff);

	for (int i = 0; i < __ehdr_start.e_phnum; i++, row++) {
		if (row->p_type != PT_LOAD || (row->p_flags & PF_W) || at < row->p_vaddr ||
		    at - row->p_vaddr > row->p_filesz || len > row->p_filesz - (at - row->p_vaddr))
			continue;
		*ret = row->p_offset + (at - row->p_vaddr);
		return 0;
	}
	return -1;
}

/* In a mount namespace a user can mount a file over one of the kernel's: the path begins in a whole
 * procfs and must not cross a mount. */
int self_read(const char *name, char *buf, size_t size)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC,
			       .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS};
	AUTO_CLOSE int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char path[64];
	struct statfs fs;
	struct stat st;

	buf[0] = '\0';
	if (proc < 0 || fstatfs(proc, &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC ||
	    fstat(proc, &st) < 0 || st.st_ino != PROC_ROOT_INO) {
		errno = ENODEV;
		return -1;
	}
	snprintf(path, sizeof(path), "self/%s", name);
	AUTO_CLOSE int fd = (int)syscall(SYS_openat2, proc, path, &how, sizeof(how));
	return fd < 0 ? -1 : io_take_text(fd, buf, size);
}
