/* SPDX-License-Identifier: MIT
 *
 * See given.h. Nothing is read here.
 */
#include "flow/given.h"

#include <fcntl.h>
#include <string.h>

#include "base/scope.h"

const struct given *givens_find(const struct givens *g, const char *path)
{
	for (size_t i = 0; path && i < g->count; i++)
		if (strcmp(g->at[i].path, path) == 0)
			return &g->at[i];
	return NULL;
}

const struct given *givens_add(struct givens *g, const char *path, struct err *err)
{
	const struct given *there = givens_find(g, path);
	struct given *new = &g->at[g->count];

	if (there)
		return there;
	if (g->count == GIVEN_MAX) {
		err_set(err, ERR_LIMIT, "more than %d programs and directories", GIVEN_MAX);
		return NULL;
	}
	*new = (struct given){.path = path, .fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC)};
	if (new->fd < 0 || fstat(new->fd, &new->st) < 0) {
		err_errno(err, ERR_INPUT, "%s", path);
		scope_close(&new->fd);
		return NULL;
	}
	g->count++;
	return new;
}

void givens_close(struct givens *g)
{
	while (g->count)
		scope_close(&g->at[--g->count].fd);
}

const char *given_name(const struct given *g, struct arena *a)
{
	return arena_printf(a, "/proc/self/fd/%d", g->fd);
}

struct spec_meant given_meant(const struct given *g)
{
	struct spec_meant m = {.dev = g->st.st_dev, .ino = g->st.st_ino};

	if (S_ISREG(g->st.st_mode))
		m.changed_ns = (uint64_t)g->st.st_ctim.tv_sec * 1000000000U +
			       (uint64_t)g->st.st_ctim.tv_nsec;
	return m;
}
