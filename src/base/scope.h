/* SPDX-License-Identifier: MIT
 *
 * A variable marked AUTO_* is released at the end of its scope; scope_take_* hands it over. It must
 * be initialised at its declaration (NULL, -1).
 */
#ifndef CORDON_BASE_SCOPE_H
#define CORDON_BASE_SCOPE_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The clean-up must not change errno. glibc's free keeps it since 2.33; others may not. */
static inline void scope_close(int *fd)
{
	if (*fd >= 0) {
		int saved = errno;
		close(*fd);
		errno = saved;
	}
	*fd = -1;
}

static inline void scope_free(void *p)
{
	int saved = errno;

	free(*(void **)p);
	errno = saved;
}

static inline void scope_closedir(DIR **d)
{
	int saved = errno;

	if (*d)
		closedir(*d);
	errno = saved;
}

static inline int scope_take_fd(int *fd)
{
	int taken = *fd;
	*fd = -1;
	return taken;
}

#define AUTO_CLOSE __attribute__((cleanup(scope_close)))
#define AUTO_FREE __attribute__((cleanup(scope_free)))
#define AUTO_CLOSEDIR __attribute__((cleanup(scope_closedir)))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
