/* SPDX-License-Identifier: MIT
 *
 * The files of a cgroup directory: numbers in them. Both versions use it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "box/cgroup_backend.h"

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
