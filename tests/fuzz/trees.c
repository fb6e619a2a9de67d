/* SPDX-License-Identifier: MIT
 *
 * The fuzz target of kept trees: any bytes as one tree. What is taken must keep every promise of
 * node.h, and be the same bytes again when it is written, but for numbers that were longer than
 * they need be. A broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "rule/rule.h"
#include "rule/trees.h"
#include "yaml/yaml.h"
#include "yaml/yaml_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_text(struct text t)
{
	must(t.s && t.len <= YAML_STRING_MAX && t.s[t.len] == '\0' &&
	     yaml_text_is_utf8(t.s, t.len));
}

/* Returns the number of nodes. */
static size_t check_node(const struct node *n, unsigned depth)
{
	size_t size = 1;

	must(n && n->kind < NODE_KINDS);
	must(depth + n->height <= YAML_DEPTH_MAX && n->size <= YAML_NODES_MAX);
	must((n->height > 0) == (n->kind == NODE_LIST || n->kind == NODE_MAP));
	if (n->kind == NODE_STRING)
		check_text(n->text);
	for (size_t i = 0; n->kind == NODE_LIST && i < n->list.count; i++)
		size += check_node(n->list.item[i], depth + 1);
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++) {
		must(n->map.count <= YAML_KEYS_MAX);
		check_text(n->map.pair[i].key);
		size += check_node(n->map.pair[i].value, depth + 1);
	}
	must(size == n->size);
	return size;
}

/* Written and read again it is written the same. */
static void check_again(const struct node *root, size_t len)
{
	size_t need = trees_encode(&root, 1, NULL, len);
	AUTO_FREE uint8_t *bytes = malloc(need), *again = malloc(need);
	const struct node *back = NULL;
	struct arena arena = {0};
	struct err err = {0};

	must(need && bytes && again && trees_encode(&root, 1, bytes, need) == need);
	must(trees_decode(bytes, need, 1, &arena, &back, &err) == 0 && back->size == root->size);
	must(trees_encode(&back, 1, again, need) == need && !memcmp(bytes, again, need));
	arena_done(&arena);
}

static void on_report(void *context, const struct rule_report *r)
{
	(void)context;
	must(r->words && *r->words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* Of its exact size, so that the sanitizer sees a read past the end. */
	AUTO_FREE uint8_t *copy = malloc(len ? len : 1);
	const struct node *root = NULL;
	struct arena arena = {0};
	struct rule rule;
	struct err err = {0};
	unsigned line;

	must(copy);
	if (len)
		memcpy(copy, data, len);
	if (trees_decode(copy, len, 1, &arena, &root, &err) < 0) {
		must(err.message[0]);
	} else {
		check_node(root, 0);
		check_again(root, len);
		if (rule_parse(root, "file", &arena, &rule, &line, &err) == 0)
			rule_check(&rule, on_report, NULL);
	}
	arena_done(&arena);
	return 0;
}
