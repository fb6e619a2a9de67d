/* SPDX-License-Identifier: MIT
 *
 * The files of a cgroup directory: numbers in them, and the names of the controllers. Both versions use it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/cgroup_backend.h"

static const struct {
	enum controller id;
	const char *name;
} controllers[] = {
	{CTL_MEMORY, "memory"}, {CTL_PIDS, "pids"}, {CTL_CPU, "cpu"}, {CTL_CPUACCT, "cpuacct"}};

const char *cgroup_controller_name(enum controller c)
{
	for (size_t i = 0; i < ARRAY_SIZE(controllers); i++)
		if (controllers[i].id == c)
			return controllers[i].name;
	return "?";
}

int cgroup_write_u64(int dir, const char *file, uint64_t value, struct err *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	if (io_write_text(dir, file, text) < 0)
		return err_errno(err, ERR_LAYER, "writing %s to %s", text, file);
	return 0;
}

uint64_t cgroup_read_u64(int dir, const char *file)
{
	char text[32];

	if (io_read_text(dir, file, text, sizeof(text)) < 0)
		return 0;
	return strtoull(text, NULL, 10);
}

uint64_t cgroup_read_key(int dir, const char *file, const char *key)
{
	char text[2048], *save = NULL;
	size_t len = strlen(key);

	if (io_read_text(dir, file, text, sizeof(text)) < 0)
		return 0;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (strncmp(line, key, len) == 0 && line[len] == ' ')
			return strtoull(line + len + 1, NULL, 10);
	return 0;
}
