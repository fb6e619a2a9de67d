/* SPDX-License-Identifier: MIT
 *
 * write_seeds DIR: writes the fuzzer's first corpus.
 */
#include <stdio.h>
#include <stdlib.h>

#include "seeds.h"

int main(int argc, char **argv)
{
	size_t len;

	if (argc != 2)
		return 2;
	for (unsigned i = 0;; i++) {
		uint8_t *data = seed_make(i, &len);
		char path[4096];
		if (!data)
			return i ? 0 : 1;
		snprintf(path, sizeof(path), "%s/seed-%u", argv[1], i);
		FILE *f = fopen(path, "w");
		if (!f || fwrite(data, 1, len, f) != len || fclose(f) != 0) {
			perror(path);
			return 1;
		}
		free(data);
	}
}
