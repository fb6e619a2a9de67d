/* SPDX-License-Identifier: MIT
 *
 * Did a file reach its limit? The kernel tells only the writer: by a signal, or by an error that
 * many programs do not show. After the end of all untrusted code init looks for a file of exactly
 * that size. It looks only if the box's files are that large together, so an ordinary run pays for
 * one call.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"

enum { DEPTH_MAX = 64, ENTRIES_MAX = 100000 };

struct search {
	uint64_t size;
	unsigned entries;
};

/* Closes DIR. */
static bool has_full(struct search *s, int dir, unsigned depth)
{
	AUTO_CLOSEDIR DIR *d = dir < 0 ? NULL : fdopendir(dir);
	struct dirent *e;
	struct stat st;
	bool found = false;

	if (!d && dir >= 0)
		close(dir);
	while (d && !found && s->entries < ENTRIES_MAX && (e = io_readdir(d))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		s->entries++;
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISREG(st.st_mode))
			found = (uint64_t)st.st_size == s->size;
		else if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			found = has_full(s,
					 openat(dirfd(d), e->d_name,
						O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
					 depth + 1);
	}
	return found;
}

static bool is_signal(int status)
{
	return (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ) ||
	       (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGXFSZ); /* as shells say it */
}

bool full_file(const struct box *b, int status)
{
	static const char *const places[] = {"/tmp", "/dev/shm", "/home"};
	struct search s = {.size = b->spec->limit[LIMIT_FILE_SIZE]};
	struct statvfs fs;

	if (is_signal(status))
		return true;
	if (!(b->layers & LAYER_BIT(LAYER_NEWROOT)) || statvfs("/tmp", &fs) < 0 ||
	    (fs.f_blocks - fs.f_bfree) * fs.f_frsize < s.size)
		return false;
	if (b->upper >= 0 &&
	    has_full(&s, openat(b->upper, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (has_full(&s, open(places[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0))
			return true;
	return false;
}
