/* SPDX-License-Identifier: MIT
 *
 * Makes a rule from a document. Requires only what the reference requires; every other key has a
 * value for "missing", so that a rule of a later schema still loads.
 */
#include "rule/rule.h"

#include <string.h>

#include "base/scope.h"
#include "rule/condition.h"

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static unsigned word(enum vocab vocab, const struct node *n)
{
	return vocab_find(vocab, node_string(n));
}

/* The reference allows blanks around this one word. */
static enum maturity maturity(const struct node *n)
{
	char name[32];
	const char *s = or_empty(node_string(n));

	s += strspn(s, " \t\r\n");
	size_t len = strcspn(s, " \t\r\n");
	if (len >= sizeof(name) || s[len + strspn(s + len, " \t\r\n")])
		return MATURITY_OTHER;
	memcpy(name, s, len);
	name[len] = '\0';
	return (enum maturity)vocab_find(VOCAB_MATURITY, name);
}

/* The three keys that every rule must have. */
static int need_keys(const struct node *root, struct rule *ret, unsigned *ret_line, struct err *err)
{
	const struct node *detection = node_get(root, "detection"), *id = node_get(root, "id");

	*ret_line = root->line;
	if (root->kind != NODE_MAP)
		return err_set(err, ERR_INPUT, "a rule is a map, this is %s",
			       node_kind_name(root->kind));
	ret->id = node_string(id);
	ret->title = node_string(node_get(root, "title"));
	if (!ret->id || !*ret->id)
		return err_set(err, ERR_INPUT, "there is no id");
	*ret_line = ret->line = id->line;
	if (strlen(ret->id) > RULE_ID_MAX) {
		ret->id = NULL;
		return err_set(err, ERR_LIMIT, "the id is longer than %d bytes", RULE_ID_MAX);
	}
	if (!ret->title || !*ret->title)
		return err_set(err, ERR_INPUT, "there is no title");
	if (!detection || detection->kind != NODE_MAP)
		return err_set(err, ERR_INPUT, "there is no detection block");
	*ret_line = detection->line;
	const struct node *conditions = node_get(detection, "conditions");
	if (!conditions || (conditions->kind != NODE_LIST && conditions->kind != NODE_MAP))
		return err_set(err, ERR_INPUT, "detection has no conditions");
	return 0;
}

static void read_labels(const struct node *root, struct rule *ret)
{
	const struct node *tags = node_get(root, "tags");
	const char *confirm = node_string(node_get(root, "confirm"));

	ret->status = (enum rule_status)word(VOCAB_STATUS, node_get(root, "status"));
	ret->maturity = maturity(node_get(root, "maturity"));
	ret->severity = (enum severity)word(VOCAB_SEVERITY, node_get(root, "severity"));
	ret->severity_name = or_empty(node_string(node_get(root, "severity")));
	ret->category = or_empty(node_string(node_get(tags, "category")));
	ret->subcategory = or_empty(node_string(node_get(tags, "subcategory")));
	ret->target = (enum scan_target)word(VOCAB_TARGET, node_get(tags, "scan_target"));
	ret->confidence = (enum confidence)word(VOCAB_CONFIDENCE, node_get(tags, "confidence"));
	ret->suppress_in_code_blocks = node_is_true(node_get(tags, "suppress_in_code_blocks"));
	ret->confirm_embedding = confirm && strcmp(confirm, "embedding") == 0;
	ret->source = (enum rule_source)word(VOCAB_SOURCE,
					     node_get(node_get(root, "agent_source"), "type"));
	ret->test_cases = node_get(root, "test_cases");
	ret->evasion_tests = node_get(root, "evasion_tests");
}

static void read_method(const struct node *detection, struct rule *ret)
{
	const struct node *method = node_get(detection, "method");
	const char *fallback =
		node_string(node_get(node_get(detection, "semantic"), "fallback_method"));

	ret->method = method && method->kind != NODE_NULL ? (enum method)word(VOCAB_METHOD, method)
							  : METHOD_PATTERN;
	ret->falls_back = fallback && strcmp(fallback, "pattern") == 0;
	ret->signature = node_get(detection, "signature");
	ret->trace = node_get(detection, "trace");
}

static void read_combine(const struct node *detection, struct rule *ret)
{
	const char *word = or_empty(node_string(node_get(detection, "condition")));

	ret->expression = word;
	if (node_get(detection, "conditions")->kind == NODE_MAP)
		ret->combine = COMBINE_EXPRESSION;
	else
		ret->combine = strcmp(word, "any") == 0 || strcmp(word, "or") == 0 ? COMBINE_ANY
										   : COMBINE_ALL;
}

static int read_actions(const struct node *root, struct arena *arena, struct rule *ret,
			unsigned *ret_line, struct err *err)
{
	const struct node *list = node_get(node_get(root, "response"), "actions");
	size_t most = list && list->kind == NODE_LIST ? list->list.count : 0;

	if (most > RULE_ACTIONS_MAX) {
		*ret_line = list->line;
		return err_set(err, ERR_LIMIT, "actions of one rule: at most %d", RULE_ACTIONS_MAX);
	}
	enum action *action = arena_alloc(arena, most * sizeof(*action));
	const char **name = arena_alloc(arena, most * sizeof(*name));
	if (arena->failed)
		return err_memory(err);
	for (size_t i = 0; i < most; i++) {
		const char *s = node_string(list->list.item[i]);
		if (!s)
			continue;
		action[ret->actionc] = (enum action)vocab_find(VOCAB_ACTION, s);
		name[ret->actionc++] = s;
	}
	ret->action = action;
	ret->action_name = name;
	return 0;
}

int rule_parse(const struct node *root, const char *file, struct arena *arena, struct rule *ret,
	       unsigned *ret_line, struct err *err)
{
	const struct node *detection = node_get(root, "detection");

	memset(ret, 0, sizeof(*ret));
	ret->root = root;
	ret->file = file;
	if (need_keys(root, ret, ret_line, err) < 0)
		return -1;
	read_labels(root, ret);
	read_method(detection, ret);
	read_combine(detection, ret);
	if (read_actions(root, arena, ret, ret_line, err) < 0)
		return -1;
	return conditions_parse(node_get(detection, "conditions"), arena, ret, ret_line, err);
}

bool rule_is_live(const struct rule *rule, enum lane lane)
{
	if (rule->status == RULE_STATUS_DRAFT || rule->status == RULE_STATUS_DEPRECATED)
		return false;
	return lane_admits(lane, rule->maturity) && (lane == LANE_HUNT || !rule->confirm_embedding);
}
