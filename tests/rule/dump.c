/* SPDX-License-Identifier: MIT
 *
 * dump FILE...: one line of JSON per file, what the YAML reader made of it, for comparison with
 * another reader. A file that is refused gives {"error": words, "line": n}. Keys keep their order.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/scope.h"
#include "show/node_json.h"
#include "yaml/yaml.h"

enum { ROOM = YAML_BYTES_MAX + 2 };

static void dump(const char *path)
{
	AUTO_FREE char *data = malloc(ROOM);
	struct arena arena = {0};
	const struct node *root;
	unsigned line;
	struct err err;
	FILE *f = fopen(path, "r");

	if (!data || !f) {
		perror(path);
		exit(1);
	}
	size_t len = fread(data, 1, ROOM, f);
	fclose(f);
	json_t *j = yaml_read(data, len, &arena, &root, &line, &err) == 0
			    ? tree_json(root)
			    : json_pack("{s:s, s:i}", "error", err.message, "line", (int)line);
	json_dumpf(j, stdout, JSON_COMPACT | JSON_ENCODE_ANY);
	putchar('\n');
	json_decref(j);
	arena_done(&arena);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		dump(argv[i]);
	return argc < 2;
}
