/* SPDX-License-Identifier: MIT
 *
 * The schema as tables: required keys and allowed words. It is an error if a rule or one of its
 * conditions can never match, because its silence would look like the absence of attacks. Changes
 * nothing in a rule.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/scope.h"
#include "rule/expression.h"

struct check {
	const struct rule *rule;
	rule_report_fn *report;
	void *context;
	size_t errors;
	char meant[64];
};

__attribute__((format(printf, 4, 5))) static void say(struct check *c, enum rule_level level,
						      unsigned line, const char *fmt, ...)
{
	char words[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	c->errors += level == RULE_ERROR;
	c->report(c->context,
		  &(struct rule_report){level, c->rule->file, line, c->rule->id, words});
}

/* The end of the message about an unknown WORD: "" or "; did you mean ...?". */
static const char *meant(struct check *c, enum vocab vocab, const char *word)
{
	struct nearest n = nearest_begin(word, word ? strlen(word) : 0);

	for (unsigned i = 0; vocab_at(vocab, i); i++)
		nearest_try(&n, vocab_at(vocab, i)->name);
	c->meant[0] = '\0';
	if (n.name)
		snprintf(c->meant, sizeof(c->meant), "; did you mean %s?", n.name);
	return c->meant;
}

#define KIND(k) (1U << NODE_##k)

/* Keys that the schema requires. A missing one is an error if the reference fails without it. */
static const struct {
	const char *parent, *key; /* parent "": the rule itself */
	unsigned kinds;
	enum rule_level missing;
} keys[] = {
	{"", "schema_version", KIND(STRING), RULE_WARNING},
	{"", "status", KIND(STRING), RULE_WARNING},
	{"", "description", KIND(STRING), RULE_WARNING},
	{"", "author", KIND(STRING), RULE_WARNING},
	{"", "date", KIND(STRING), RULE_WARNING},
	{"", "severity", KIND(STRING), RULE_ERROR},
	{"", "maturity", KIND(STRING), RULE_WARNING},
	{"", "tags", KIND(MAP), RULE_ERROR},
	{"tags", "category", KIND(STRING), RULE_WARNING},
	{"", "agent_source", KIND(MAP), RULE_ERROR},
	{"agent_source", "type", KIND(STRING), RULE_ERROR},
	{"detection", "condition", KIND(STRING), RULE_WARNING},
	{"", "response", KIND(MAP), RULE_WARNING},
	{"response", "actions", KIND(LIST), RULE_WARNING},
	{"test_cases", "true_positives", KIND(LIST), RULE_WARNING},
	{"test_cases", "true_negatives", KIND(LIST), RULE_WARNING},
};

/* Keys whose value is a word. */
static const struct {
	const char *parent, *key;
	enum vocab vocab;
	enum rule_level level;
	const char *effect;
} words[] = {
	{"", "status", VOCAB_STATUS, RULE_WARNING, "the rule is live"},
	{"", "maturity", VOCAB_MATURITY, RULE_WARNING, "counts as experimental"},
	{"", "severity", VOCAB_SEVERITY, RULE_ERROR, "nothing is ever denied for it"},
	{"tags", "category", VOCAB_CATEGORY, RULE_WARNING, "is shown as it is"},
	{"tags", "confidence", VOCAB_CONFIDENCE, RULE_WARNING, "counts as low"},
	{"tags", "scan_target", VOCAB_TARGET, RULE_WARNING, "counts as mcp"},
	{"agent_source", "type", VOCAB_SOURCE, RULE_WARNING, "only untyped events are tested"},
	{"detection", "method", VOCAB_METHOD, RULE_WARNING, "counts as pattern"},
};

static const struct node *parent_of(const struct rule *rule, const char *name)
{
	return *name ? node_get(rule->root, name) : rule->root;
}

static bool is_known(const struct node_pair *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strlen(keys[i].key) == p->key.len &&
		    memcmp(keys[i].key, p->key.s, p->key.len) == 0)
			return true;
	return false;
}

/* The line of an unknown key of PARENT that resembles NAME, or 0. */
static unsigned mistyped_line(const struct node *parent, const char *name)
{
	for (size_t i = 0; parent->kind == NODE_MAP && i < parent->map.count; i++) {
		const struct node_pair *p = &parent->map.pair[i];
		struct nearest n = nearest_begin(p->key.s, p->key.len);
		if (is_known(p))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			nearest_try(&n, keys[k].key);
		if (n.name && n.distance && strcmp(n.name, name) == 0)
			return p->line;
	}
	return 0;
}

static void check_keys(struct check *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct node *parent = parent_of(c->rule, keys[i].parent);
		const struct node *n = node_get(parent, keys[i].key);
		const char *dot = *keys[i].parent ? "." : "";
		if (!parent) /* reported by itself, or optional */
			continue;
		unsigned mistyped = n ? 0 : mistyped_line(parent, keys[i].key);
		if (mistyped)
			say(c, keys[i].missing, mistyped,
			    "%s%s%s is missing; did you mean it here?", keys[i].parent, dot,
			    keys[i].key);
		else if (!n || !node_is_truthy(n))
			say(c, keys[i].missing, n ? n->line : parent->line, "%s%s%s is missing",
			    keys[i].parent, dot, keys[i].key);
		else if (!(keys[i].kinds & (1U << n->kind)))
			say(c, keys[i].missing, n->line, "%s%s%s is %s", keys[i].parent, dot,
			    keys[i].key, node_kind_name(n->kind));
	}
}

static void check_words(struct check *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct node *n = node_get(parent_of(c->rule, words[i].parent), words[i].key);
		const char *word = node_string(n);
		if (word && *word &&
		    vocab_find(words[i].vocab, word) == vocab_count(words[i].vocab))
			say(c, words[i].level, n->line, "%s \"%.64s\" is not in the schema: %s%s",
			    words[i].key, word, words[i].effect, meant(c, words[i].vocab, word));
	}
	if (c->rule->target != TARGET_OTHER && !target_is_in_schema(c->rule->target))
		say(c, RULE_WARNING, node_get(node_get(c->rule->root, "tags"), "scan_target")->line,
		    "scan_target \"%s\" is not in the schema: counts as mcp",
		    vocab_at(VOCAB_TARGET, c->rule->target)->name);
}

static bool has_shape(const char *id, const char *shape)
{
	bool fits = strlen(id) == strlen(shape);

	for (size_t i = 0; fits && shape[i]; i++)
		fits = shape[i] == '9' ? isdigit((unsigned char)id[i]) : id[i] == shape[i];
	return fits;
}

/* The form of ids in the format, and in the rules that come with Cordon. */
static void check_id(struct check *c)
{
	static const char *const shapes[] = {"ATR-9999-99999", "CORDON-9999-9999"};

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++)
		if (has_shape(c->rule->id, shapes[i]))
			return;
	say(c, RULE_WARNING, c->rule->line, "the id is not of the form ATR-YYYY-NNNNN");
}

static void check_actions(struct check *c)
{
	const struct node *list = node_get(node_get(c->rule->root, "response"), "actions");

	if (list && list->kind == NODE_LIST && !c->rule->actionc)
		say(c, RULE_WARNING, list->line, "response.actions is empty");
	for (size_t i = 0; list && i < c->rule->actionc; i++)
		if (c->rule->action[i] == ACTION_OTHER)
			say(c, RULE_WARNING, list->line, "there is no action \"%.64s\"%s",
			    c->rule->action_name[i],
			    meant(c, VOCAB_ACTION, c->rule->action_name[i]));
}

/* The reason why the condition can never be true. */
static const char *dead_reason(const struct rule_condition *k, bool named)
{
	if (k->node->kind != NODE_MAP)
		return "it is no map";
	if (node_get(k->node, "steps"))
		return "its steps are no list, or empty";
	if (node_get(k->node, "metric"))
		return "it needs a metric, an operator the format has, and a number as threshold";
	if (!k->field_name || !*k->field_name)
		return named ? "it needs a field and a list of patterns"
			     : "it needs a field, an operator and a string as value";
	return "the format has no such operator";
}

/* Flags at the front of a pattern, which the engine removes and does not apply. */
static bool has_lost_flags(struct text t)
{
	if (strncmp(t.s, "(?", 2) != 0)
		return false;
	size_t len = strspn(t.s + 2, "imsx");
	return len && t.s[2 + len] == ')' && strspn(t.s + 2, "i") != len;
}

static void check_text(struct check *c, const struct rule_condition *k)
{
	if (k->field == FIELD_OTHER && strncmp(k->field_name, "trace.", 6) != 0 &&
	    strncmp(k->field_name, "behavioral.", 11) != 0)
		say(c, RULE_WARNING, k->line, "no event has a field \"%.64s\" of itself%s",
		    k->field_name, meant(c, VOCAB_FIELD, k->field_name));
	if (!k->patternc)
		say(c, RULE_ERROR, k->line, "condition %.64s has no patterns", k->name.s);
	for (size_t i = 0; k->op == OPERATOR_REGEX && i < k->patternc; i++)
		if (has_lost_flags(k->pattern[i]))
			say(c, RULE_WARNING, k->line,
			    "condition %.64s: of the flags in front only i has an effect",
			    k->name.s);
}

static void check_steps(struct check *c, const struct rule_condition *k)
{
	for (size_t i = 0; i < k->stepc; i++)
		if (!k->step[i].patternc)
			say(c, RULE_ERROR, k->line, "condition %.64s: step %zu has no patterns",
			    k->name.s, i + 1);
}

static void check_condition(struct check *c, const struct rule_condition *k)
{
	if (k->kind == CONDITION_NEVER)
		say(c, RULE_ERROR, k->line, "condition %.64s is never true: %s%s", k->name.s,
		    dead_reason(k, c->rule->combine == COMBINE_EXPRESSION),
		    meant(c, node_get(k->node, "metric") ? VOCAB_COMPARE : VOCAB_OPERATOR,
			  node_string(node_get(k->node, "operator"))));
	else if (k->kind == CONDITION_TEXT)
		check_text(c, k);
	else if (k->kind == CONDITION_SEQUENCE)
		check_steps(c, k);
}

struct names {
	unsigned line;
	bool used[RULE_CONDITIONS_MAX];
	bool dead;
};

/* Reads as the engine does, level by level. A part with an unknown name is always false. */
static void check_part(struct check *c, struct names *names, struct text source, int depth)
{
	struct expression e = expression_read(c->rule, source);
	struct text part;

	if (depth > EXPRESSION_DEPTH_MAX) {
		say(c, RULE_ERROR, names->line, "the expression is deeper than %d: undecided",
		    EXPRESSION_DEPTH_MAX);
		names->dead = true;
		return;
	}
	if (e.kind == EXPRESSION_CONDITION)
		names->used[e.condition] = true;
	if (e.kind == EXPRESSION_NEVER) {
		bool word = !memchr(source.s, ' ', source.len);
		say(c, RULE_ERROR, names->line,
		    word ? "there is no condition \"%.*s\""
			 : "\"%.*s\" joins nothing: it is never true",
		    (int)(source.len > 64 ? 64 : source.len), source.s);
		names->dead = true;
	}
	while (!names->dead && expression_next(&e, &part))
		check_part(c, names, part, depth + 1);
}

/* Each name in the expression must be a condition's, and each condition must be in it. */
static void check_expression(struct check *c, unsigned line)
{
	struct names names = {.line = line};
	struct text all = {c->rule->expression, strlen(c->rule->expression)};

	check_part(c, &names, all, 0);
	for (size_t i = 0; !names.dead && i < c->rule->conditionc; i++)
		if (!names.used[i])
			say(c, RULE_ERROR, c->rule->condition[i].line,
			    "condition %.64s is not in the expression: it is never used",
			    c->rule->condition[i].name.s);
}

/* Other methods have their own blocks, see check_method. */
static bool has_conditions(enum method method)
{
	return method != METHOD_SIGNATURE && method != METHOD_TRACE;
}

static void check_conditions(struct check *c)
{
	const struct node *detection = node_get(c->rule->root, "detection");
	const struct node *condition = node_get(detection, "condition");
	unsigned line = condition ? condition->line : detection->line;

	if (!c->rule->conditionc && has_conditions(c->rule->method))
		say(c, RULE_ERROR, detection->line, "there are no conditions: it %s matches",
		    c->rule->combine == COMBINE_ALL ? "always" : "never");
	for (size_t i = 0; i < c->rule->conditionc; i++)
		check_condition(c, &c->rule->condition[i]);
	if (c->rule->combine == COMBINE_EXPRESSION)
		check_expression(c, line);
	else if (c->rule->combine == COMBINE_ALL && strcmp(c->rule->expression, "all") != 0 &&
		 strcmp(c->rule->expression, "and") != 0)
		say(c, RULE_WARNING, line, "condition \"%.64s\" is read as \"all\"",
		    c->rule->expression);
}

static void check_method(struct check *c)
{
	const struct rule *r = c->rule;
	const struct node *detection = node_get(r->root, "detection");

	if (r->method == METHOD_SIGNATURE && !node_count(node_get(r->signature, "indicators")))
		say(c, RULE_ERROR, detection->line, "method signature needs signature.indicators");
	if (r->method == METHOD_TRACE && !node_count(r->trace))
		say(c, RULE_ERROR, detection->line, "method trace needs a trace block");
	if (r->method == METHOD_SEMANTIC && !r->falls_back)
		say(c, RULE_WARNING, detection->line,
		    "method semantic without fallback_method pattern is never evaluated");
	if (r->method == METHOD_BEHAVIORAL)
		say(c, RULE_WARNING, detection->line,
		    "method behavioral is never evaluated on single events");
}

size_t rule_check(const struct rule *rule, rule_report_fn *report, void *context)
{
	struct check c = {.rule = rule, .report = report, .context = context};

	check_keys(&c);
	check_words(&c);
	check_id(&c);
	check_method(&c);
	check_conditions(&c);
	check_actions(&c);
	return c.errors;
}
