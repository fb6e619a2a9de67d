/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for rules: any bytes into the YAML reader, and what is a document into the rule
 * reader and the check. What is refused must be refused with a reason and a line that exists; what
 * is taken must keep every promise of node.h and rule.h. A broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "rule/rule.h"
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
	must(t.s && t.len <= YAML_STRING_MAX && t.s[t.len] == '\0');
}

/* Returns the number of nodes. Whoever walks a tree like this must come to an end. */
static size_t check_node(const struct node *n, unsigned lines, unsigned depth)
{
	size_t size = 1;

	must(n && n->kind < NODE_KINDS && n->line >= 1 && n->line <= lines);
	must(depth + n->height <= YAML_DEPTH_MAX && n->size <= YAML_NODES_MAX);
	must((n->height > 0) == (n->kind == NODE_LIST || n->kind == NODE_MAP));
	if (n->kind == NODE_STRING)
		check_text(n->text);
	for (size_t i = 0; n->kind == NODE_LIST && i < n->list.count; i++)
		size += check_node(n->list.item[i], lines, depth + 1);
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++) {
		const struct node_pair *p = &n->map.pair[i];
		must(n->map.count <= YAML_KEYS_MAX);
		check_text(p->key);
		must(memchr(p->key.s, '\0', p->key.len) || node_get(n, p->key.s) == p->value);
		size += check_node(p->value, lines, depth + 1);
	}
	must(size == n->size);
	return size;
}

static void count_errors(void *context, const struct rule_report *r)
{
	must(r->file && r->id && *r->id && r->words && *r->words && r->line >= 1);
	*(size_t *)context += r->level == RULE_ERROR;
}

static void check_condition(const struct rule_condition *c)
{
	check_text(c->name);
	must(c->patternc <= RULE_PATTERNS_MAX && c->stepc <= RULE_PATTERNS_MAX && c->node);
	for (size_t i = 0; i < c->patternc; i++)
		must(c->pattern[i].len <= RULE_PATTERN_BYTES_MAX);
	must(c->kind != CONDITION_TEXT || (c->field_name && c->op < OPERATOR_OTHER));
	must(c->kind != CONDITION_METRIC || (c->metric && c->compare < COMPARE_OTHER));
	must(c->kind != CONDITION_SEQUENCE || c->stepc);
}

static void check_rule(const struct node *root, struct arena *arena, unsigned lines)
{
	struct rule rule;
	struct err err = {0};
	unsigned line = 0;
	size_t errors = 0;

	if (rule_parse(root, "file", arena, &rule, &line, &err) < 0) {
		must((err.code == ERR_INPUT || err.code == ERR_LIMIT) && err.message[0]);
		must(line >= 1 && line <= lines);
		return;
	}
	must(*rule.id && strlen(rule.id) <= RULE_ID_MAX && *rule.title);
	must(rule.conditionc <= RULE_CONDITIONS_MAX && rule.actionc <= RULE_ACTIONS_MAX);
	for (size_t i = 0; i < rule.conditionc; i++)
		check_condition(&rule.condition[i]);
	must(rule_check(&rule, count_errors, &errors) == errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* Of its exact size, so that the sanitizer sees a read past the end. */
	AUTO_FREE char *copy = malloc(len ? len : 1);
	struct arena arena = {0};
	const struct node *root = NULL;
	unsigned line = 0;
	struct err err = {0};

	must(copy);
	if (len)
		memcpy(copy, data, len);
	unsigned lines =
		yaml_text_line(copy, len, len) + 1; /* the end of a file is a line of its own */
	if (yaml_read(copy, len, &arena, &root, &line, &err) < 0) {
		must((err.code == ERR_INPUT || err.code == ERR_LIMIT) && err.message[0]);
		must(line >= 1 && line <= lines);
	} else {
		check_node(root, lines, 0);
		check_rule(root, &arena, lines);
	}
	arena_done(&arena);
	return 0;
}
