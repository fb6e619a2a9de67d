/* SPDX-License-Identifier: MIT
 *
 * view-parts START PARTS: writes the reader of code that is embedded in cordon to two files.
 */
#include <stdio.h>

#include "view_program.h"

static int write_file(const char *path, const char *data, size_t len)
{
	FILE *out = fopen(path, "w");

	if (!out)
		return -1;
	size_t done = fwrite(data, 1, len, out);
	return fclose(out) == 0 && done == len ? 0 : -1;
}

int main(int argc, char **argv)
{
	if (argc != 3 || write_file(argv[1], view_start, sizeof(view_start) - 1) < 0 ||
	    write_file(argv[2], view_parts, sizeof(view_parts) - 1) < 0) {
		perror("view-parts");
		return 1;
	}
	return 0;
}
