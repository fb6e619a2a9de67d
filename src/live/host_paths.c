/* SPDX-License-Identifier: MIT
 *
 * See host_paths.h. It opens files with O_PATH and reads none of them.
 */
#include "live/host_paths.h"

#include <fcntl.h>
#include <string.h>

#include "base/scope.h"

const struct host_path *host_paths_find(const struct host_paths *g, const char *path)
{
	for (size_t i = 0; path && i < g->count; i++)
		if (strcmp(g->at[i].path, path) == 0)
			return &g->at[i];
	return NULL;
}

const struct host_path *host_paths_add(struct host_paths *g, const char *path, struct err *err)
{
	const struct host_path *old = host_paths_find(g, path);
	struct host_path *new = &g->at[g->count];

	if (old)
		return old;
	if (g->count == HOST_PATHS_MAX) {
		err_set(err, ERR_LIMIT, "more than %d programs and directories of the host",
			HOST_PATHS_MAX);
		return NULL;
	}
	*new = (struct host_path){.path = path, .fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC)};
	if (new->fd < 0 || fstat(new->fd, &new->st) < 0) {
		err_errno(err, ERR_INPUT, "%s", path);
		scope_close(&new->fd);
		return NULL;
	}
	g->count++;
	return new;
}

void host_paths_close(struct host_paths *g)
{
	while (g->count)
		scope_close(&g->at[--g->count].fd);
}

const char *host_path_proc(const struct host_path *g, struct arena *a)
{
	return arena_printf(a, "/proc/self/fd/%d", g->fd);
}

struct spec_identity host_path_identity(const struct host_path *g)
{
	struct spec_identity m = {.dev = g->st.st_dev, .ino = g->st.st_ino};

	if (S_ISREG(g->st.st_mode))
		m.changed_ns = (uint64_t)g->st.st_ctim.tv_sec * 1000000000U +
			       (uint64_t)g->st.st_ctim.tv_nsec;
	return m;
}
