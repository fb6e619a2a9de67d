/* SPDX-License-Identifier: MIT
 *
 * Trees of small documents, written as they are kept.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "rule/trees.h"
#include "seeds.h"
#include "yaml/yaml.h"

const int seed_rounds = 20000;

static const char *const documents[] = {
	"id: A\ntitle: T\nseverity: high\ndetection:\n  condition: any\n  conditions:\n"
	"    - {field: content, operator: regex, value: '(?i)x+'}\n"
	"response: {actions: [alert, block_input]}\n",
	"id: B\ntitle: T\ndetection:\n  condition: a and not b\n  conditions:\n"
	"    a: {field: content, patterns: [u, v], match_type: regex}\n"
	"    b: {metric: m, operator: gt, threshold: 1.5, window: 30s}\n"
	"    c: {ordered: true, steps: [{patterns: [a, b]}, {patterns: [c]}]}\n",
	"[1, -2, 3.5, .nan, true, false, ~, '', \"\\0\\u00e9\\U0001F600\", [], {}]\n",
	"[[[[[[[[[[{a: {b: {c: [d, {e: f}]}}}]]]]]]]]]]\n",
};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	struct arena arena = {0};
	const struct node *root = NULL;
	uint8_t *bytes = NULL;
	struct err err;
	unsigned line;

	if (i < ARRAY_SIZE(documents) &&
	    yaml_read(documents[i], strlen(documents[i]), &arena, &root, &line, &err) == 0) {
		*ret_len = trees_encode(&root, 1, NULL, SIZE_MAX);
		bytes = malloc(*ret_len);
		if (bytes)
			trees_encode(&root, 1, bytes, *ret_len);
	}
	arena_done(&arena);
	return bytes;
}
