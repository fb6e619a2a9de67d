/* SPDX-License-Identifier: MIT
 *
 * As the XDG base directories say: a variable that holds no absolute path is as good as not set.
 */
#include "flow/places.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"

static const char *below(struct arena *arena, const char *variable, const char *at_home,
			 const char *name)
{
	const char *dir = getenv(variable), *home = getenv("HOME");

	if (dir && dir[0] == '/')
		return arena_printf(arena, "%s/%s", dir, name);
	return home && home[0] == '/' ? arena_printf(arena, "%s/%s/%s", home, at_home, name) : "";
}

static const char *own_directory(struct arena *arena)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *slash = NULL;

	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
	return arena_dup(arena, path);
}

struct places places_of_user(struct arena *arena)
{
	return (struct places){
		.self = own_directory(arena),
		.rules = below(arena, "XDG_DATA_HOME", ".local/share", "cordon/rules"),
		.cache = below(arena, "XDG_CACHE_HOME", ".cache", "cordon"),
	};
}

int places_make(const char *path, mode_t mode, struct err *err)
{
	AUTO_FREE char *copy = strdup(path);

	for (char *p = copy ? strchr(copy + 1, '/') : NULL; p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			return err_errno(err, ERR_SYSTEM, "%.256s could not be made", copy);
		*p = '/';
	}
	if (!copy || (mkdir(copy, mode) < 0 && errno != EEXIST))
		return err_errno(err, ERR_SYSTEM, "%.256s could not be made", path);
	return 0;
}
