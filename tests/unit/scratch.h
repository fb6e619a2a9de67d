/* SPDX-License-Identifier: MIT
 *
 * A directory of the test's own, small files in it, and its removal with the shell's rm: what is
 * tested must not be what cleans up. A helper that fails ends the test program: there is nothing
 * to be learned after that.
 */
#ifndef CORDON_UNIT_SCRATCH_H
#define CORDON_UNIT_SCRATCH_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline void scratch_must(bool done, const char *what)
{
	if (done)
		return;
	printf("Bail out! %s: %m\n", what);
	exit(1);
}

/* Makes it and enters it. */
static inline const char *scratch_enter(void)
{
	/* Memory if there is some: ten thousand directories take a disk a minute. */
	static char shm[] = "/dev/shm/unit-test.XXXXXX", tmp[] = "/tmp/unit-test.XXXXXX";
	char *dir = access("/dev/shm", W_OK) == 0 ? shm : tmp;

	scratch_must(mkdtemp(dir) && chdir(dir) == 0, "making a scratch directory");
	return dir;
}

static inline void scratch_leave(const char *dir)
{
	char command[128];

	snprintf(command, sizeof(command), "chmod -R u+rwx %s; rm -rf --one-file-system %s", dir,
		 dir);
	scratch_must(chdir("/") == 0, "leaving the scratch directory");
	if (system(command) != 0)
		printf("# %s stays\n", dir);
}

static inline void scratch_file(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	scratch_must(f && fputs(text, f) >= 0 && fclose(f) == 0 && chmod(path, mode) == 0, path);
}

static inline void scratch_dir(const char *path)
{
	scratch_must(mkdir(path, 0755) == 0, path);
}

static inline bool scratch_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* The whole of a small file, or "" when it is not there. */
static inline const char *scratch_text(const char *path)
{
	static char text[4096];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
	return text;
}

#endif
