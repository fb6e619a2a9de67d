/* SPDX-License-Identifier: MIT
 *
 * Reads the pack in the order of the patterns' walk and records, for each pattern, the conditions
 * that use it. Rules that can never match are left out here, so a scan does not see them.
 */
#include "detect/ruleset.h"

#include <string.h>

#include "base/scope.h"
#include "detect/slow_regex.h"
#include "rule/expression.h"

struct maker {
	struct ruleset *set;
	struct arena *arena;
	const struct engine_options *options;
	struct pattern_list list;
	size_t place, conditionc, step_patternc, countedc;
	const char **counted; /* patterns that sessions count */
	struct err *err;
};

static const char calls[] = "call_frequency:", patterns[] = "pattern_frequency:",
		  events[] = "event_count";

static void *take(struct maker *m, size_t count, size_t size)
{
	void *p = arena_alloc(m->arena, (count + 1) * size);

	if (!m->arena->failed)
		memset(p, 0, (count + 1) * size);
	return p;
}

static const char *after(const char *s, const char *start)
{
	return strncmp(s, start, strlen(start)) == 0 ? s + strlen(start) : NULL;
}

static uint32_t name_number(const char **list, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp(list[i], name))
			return (uint32_t)i;
	list[*count] = name;
	return (uint32_t)(*count)++;
}

/* The sizes of all arrays. */
static void count_rule(struct maker *m, const struct rule *rule, size_t *metricc)
{
	m->conditionc += rule->conditionc;
	for (size_t i = 0; i < rule->conditionc; i++) {
		const struct rule_condition *c = &rule->condition[i];
		*metricc += c->kind == CONDITION_METRIC;
		if (c->kind == CONDITION_TEXT)
			m->set->usec += c->patternc;
		for (size_t k = 0; c->kind == CONDITION_SEQUENCE && k < c->stepc; k++) {
			m->set->stepc++;
			m->step_patternc += c->step[k].patternc;
		}
	}
}

static int make_tables(struct maker *m)
{
	struct ruleset *p = m->set;
	size_t metricc = 0;

	for (size_t r = 0; r < p->pack->rulec; r++)
		count_rule(m, &p->pack->rule[r], &metricc);
	if (p->stepc + metricc > RULESET_MARKS_MAX)
		return err_set(m->err, ERR_LIMIT, "pack: more than %d steps and measurements",
			       RULESET_MARKS_MAX);
	p->field = take(m, RULESET_FIELDS_MAX, sizeof(*p->field));
	p->rule = take(m, p->pack->rulec, sizeof(*p->rule));
	p->condition = take(m, m->conditionc, sizeof(*p->condition));
	p->use = take(m, p->usec, sizeof(*p->use));
	p->step = take(m, p->stepc, sizeof(*p->step));
	p->step_pattern = take(m, m->step_patternc, sizeof(*p->step_pattern));
	p->tool = take(m, metricc, sizeof(const char *));
	m->counted = take(m, metricc, sizeof(const char *));
	p->trace = take(m, p->pack->rulec, sizeof(*p->trace));
	p->regex = take(m, m->list.placec, sizeof(*p->regex));
	for (int c = 0; c < CLASS_COUNT; c++)
		p->always[c] = take(m, p->pack->rulec, sizeof(*p->always[c]));
	m->conditionc = m->step_patternc = p->usec = p->stepc = 0;
	return m->arena->failed ? err_memory(m->err) : 0;
}

static int field_number(struct maker *m, const struct rule_condition *c, uint32_t *ret)
{
	struct ruleset *p = m->set;
	size_t i = 0;

	while (i < p->fieldc && strcmp(p->field[i].name, c->field_name) != 0)
		i++;
	if (i == RULESET_FIELDS_MAX)
		return err_set(m->err, ERR_LIMIT, "pack: rules name more than %d fields",
			       RULESET_FIELDS_MAX);
	if (i == p->fieldc)
		p->field[p->fieldc++] = (struct ruleset_field){c->field, c->field_name};
	*ret = (uint32_t)i;
	return 0;
}

static uint32_t next_pattern(struct maker *m, bool gated)
{
	uint32_t n = m->list.place[m->place++];

	if (n == PATTERN_NONE || !gated || m->options->mode != DETECT_REFERENCE)
		return n;
	const struct db_pattern *p = &m->list.pattern[n];
	return slow_is_refused((struct text){p->source, p->len}) ? PATTERN_NONE : n;
}

static int add_text(struct maker *m, const struct rule_condition *c, uint32_t rule,
		    struct ruleset_condition *to)
{
	struct ruleset *p = m->set;

	if (field_number(m, c, &to->field) < 0)
		return -1;
	to->first_use = (uint32_t)p->usec;
	for (size_t i = 0; i < c->patternc; i++)
		p->use[p->usec++] = (struct ruleset_use){.rule = rule,
							 .field = to->field,
							 .pattern = next_pattern(m, true),
							 .mark = PATTERN_NONE};
	return 0;
}

static int add_sequence(struct maker *m, const struct rule_condition *c, uint32_t rule,
			struct ruleset_condition *to)
{
	struct ruleset *p = m->set;

	(void)rule;
	p->sessions = true;
	to->first_step = (uint32_t)p->stepc;
	for (size_t i = 0; i < c->stepc; i++) {
		p->step[p->stepc++] = (struct ruleset_step){(uint32_t)m->step_patternc,
							    (uint32_t)c->step[i].patternc};
		for (size_t k = 0; k < c->step[i].patternc; k++)
			p->step_pattern[m->step_patternc++] = next_pattern(m, false);
	}
	return 0;
}

static int add_metric(struct maker *m, const struct rule_condition *c, uint32_t rule,
		      struct ruleset_condition *to)
{
	const char *tool = after(c->metric, calls), *pattern = after(c->metric, patterns);

	(void)rule;
	to->mark = PATTERN_NONE;
	if (tool) {
		to->metric = METRIC_CALLS;
		to->mark = name_number(m->set->tool, &m->set->toolc, tool);
	} else if (pattern) {
		to->metric = METRIC_PATTERNS;
		to->mark = name_number(m->counted, &m->countedc, pattern);
	} else if (!strcmp(c->metric, events)) {
		to->metric = METRIC_EVENTS;
	}
	m->set->sessions |= to->metric != METRIC_OF_EVENT;
	return 0;
}

static int add_condition(struct maker *m, const struct rule_condition *c, uint32_t rule)
{
	static int (*const add[])(struct maker * m, const struct rule_condition *c, uint32_t rule,
				  struct ruleset_condition *to) = {
		[CONDITION_TEXT] = add_text,
		[CONDITION_METRIC] = add_metric,
		[CONDITION_SEQUENCE] = add_sequence,
	};
	struct ruleset_condition *to = &m->set->condition[m->conditionc++];

	return add[c->kind] ? add[c->kind](m, c, rule, to) : 0;
}

static enum ruleset_kind kind_of(const struct rule *rule)
{
	static const enum ruleset_kind kinds[] = {
		[METHOD_PATTERN] = RULESET_CONDITIONS,	[METHOD_SEMANTIC] = RULESET_OFF,
		[METHOD_SIGNATURE] = RULESET_SIGNATURE, [METHOD_BEHAVIORAL] = RULESET_OFF,
		[METHOD_TRACE] = RULESET_TRACE,		[METHOD_OTHER] = RULESET_CONDITIONS,
	};

	if (rule->method == METHOD_SEMANTIC && rule->falls_back)
		return RULESET_CONDITIONS;
	return kinds[rule->method];
}

static bool is_live(const struct maker *m, const struct rule *rule)
{
	struct rule as_if = *rule;

	if (!m->options->inactive)
		return rule_is_live(rule, m->options->lane);
	as_if.status = RULE_STATUS_OTHER;
	if (as_if.maturity == MATURITY_DEPRECATED)
		as_if.maturity = MATURITY_OTHER;
	return rule_is_live(&as_if, m->options->lane);
}

static uint8_t classes_of(const struct rule *rule, enum ruleset_kind kind)
{
	bool for_skills = rule->target == TARGET_SKILL || rule->target == TARGET_BOTH;
	unsigned classes = 1U << CLASS_ANY;

	for (unsigned type = 0; type < CLASS_ANY; type++)
		classes |= (unsigned)event_admits((enum event_type)type, rule->source) << type;
	/* In a skill other rules need two conditions that hold, and "any" stops at the first. */
	if (for_skills || kind != RULESET_CONDITIONS || rule->combine != COMBINE_ANY)
		classes |= 1U << CLASS_SKILL;
	return (uint8_t)classes;
}

/* May it match although none of its expressions does? */
static bool is_always(const struct rule *rule, enum ruleset_kind kind)
{
	static const enum answer none[RULE_CONDITIONS_MAX];

	if (kind == RULESET_SIGNATURE)
		return true;
	if (rule->combine == COMBINE_EXPRESSION && expression_ask(rule, none) != ANSWER_NO)
		return true;
	for (size_t i = 0; i < rule->conditionc; i++) {
		const struct rule_condition *c = &rule->condition[i];
		if (c->kind == CONDITION_METRIC || c->kind == CONDITION_SEQUENCE)
			return true;
		if (c->kind == CONDITION_TEXT && c->op != OPERATOR_REGEX &&
		    rule->combine != COMBINE_EXPRESSION)
			return true;
	}
	return rule->combine == COMBINE_ALL && !rule->conditionc;
}

/* In quoted code, named conditions of these categories do not count, and no condition of these
 * subcategories. */
static bool suppresses(const struct rule *rule)
{
	static const char *const categories[] = {"privilege-escalation", "context-exfiltration",
						 "skill-compromise"};
	static const char *const never[] = {"skill-instruction-injection", "dangerous-script",
					    "weaponized-skill", "skill-overreach",
					    "skill-squatting"};

	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		if (!strcmp(rule->subcategory, never[i]))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++)
		if (!strcmp(rule->category, categories[i]))
			return true;
	return false;
}

/* Only this condition's patterns: the next rule's may follow directly. */
static void add_regexes(struct maker *m, const struct rule *rule, struct ruleset_rule *to)
{
	to->first_regex = (uint32_t)m->set->regexc;
	for (size_t left = patterns_of_trace(rule->trace); left > 0; left--)
		m->set->regex[m->set->regexc++] = m->list.place[m->place++];
}

static int add_rule(struct maker *m, uint32_t r)
{
	const struct rule *rule = &m->set->pack->rule[r];
	struct ruleset_rule *to = &m->set->rule[r];
	bool named = rule->combine == COMBINE_EXPRESSION;

	to->first_condition = (uint32_t)m->conditionc;
	for (size_t c = 0; c < rule->conditionc; c++)
		if (add_condition(m, &rule->condition[c], r) < 0)
			return -1;
	add_regexes(m, rule, to);
	to->suppress = rule->suppress_in_code_blocks || (named && suppresses(rule));
	to->suppress_in_skill =
		rule->suppress_in_code_blocks || (named && rule->target != TARGET_SKILL);
	if (!is_live(m, rule))
		return 0;
	to->kind = kind_of(rule);
	if (to->kind == RULESET_TRACE)
		m->set->trace[m->set->tracec++] = r;
	if (to->kind != RULESET_CONDITIONS && to->kind != RULESET_SIGNATURE)
		return 0;
	to->classes = classes_of(rule, to->kind);
	to->always = is_always(rule, to->kind);
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		if (to->always && (to->classes & 1U << c))
			m->set->always[c][m->set->alwaysc[c]++] = r;
	return 0;
}

/* Gives marks to the patterns that sessions count, and to the conditions that count them. */
static void number_marks(struct maker *m)
{
	struct ruleset *p = m->set;
	size_t at = 0;

	p->markc = p->stepc + p->toolc + m->countedc;
	for (size_t r = 0; r < p->pack->rulec; r++)
		for (size_t c = 0; c < p->pack->rule[r].conditionc; c++, at++) {
			const struct rule_condition *from = &p->pack->rule[r].condition[c];
			struct ruleset_condition *to = &p->condition[at];
			if (from->kind == CONDITION_METRIC && to->mark != PATTERN_NONE)
				to->mark +=
					(uint32_t)(p->stepc +
						   (to->metric == METRIC_PATTERNS ? p->toolc : 0));
			for (size_t i = 0; from->kind == CONDITION_TEXT && i < from->patternc; i++)
				for (size_t k = 0; k < m->countedc; k++)
					if (!strcmp(from->pattern[i].s, m->counted[k]))
						p->use[to->first_use + i].mark =
							(uint32_t)(p->stepc + p->toolc + k);
		}
}

static void set_bit(uint64_t *bits, uint32_t n)
{
	bits[n / 64] |= 1ULL << n % 64;
}

static void mark_wanted(struct ruleset *p, const struct ruleset_use *u)
{
	for (unsigned c = 0; c < CLASS_COUNT; c++)
		if (p->rule[u->rule].classes & 1U << c)
			set_bit((uint64_t *)ruleset_wanted(p, c, u->field), u->pattern);
}

/* Records the users of each pattern, and the patterns for each text. */
static int turn_round(struct maker *m)
{
	struct ruleset *p = m->set;

	p->words = (p->patternc + 63) / 64;
	p->wanted = take(m, CLASS_COUNT * p->fieldc * p->words, sizeof(*p->wanted));
	p->wanted_steps = take(m, p->words, sizeof(*p->wanted_steps));
	p->use_at = take(m, p->patternc + 1, sizeof(*p->use_at));
	p->use_of = take(m, p->usec, sizeof(*p->use_of));
	if (m->arena->failed)
		return err_memory(m->err);
	for (size_t i = 0; i < m->step_patternc; i++)
		set_bit(p->wanted_steps, p->step_pattern[i]);
	for (size_t i = 0; i < p->usec; i++)
		if (p->use[i].pattern != PATTERN_NONE) {
			p->use_at[p->use[i].pattern + 1]++;
			mark_wanted(p, &p->use[i]);
		}
	for (size_t i = 0; i < p->patternc; i++)
		p->use_at[i + 1] += p->use_at[i];
	uint32_t all = p->use_at[p->patternc];
	/* Filling from the end moves each one's end to its start. */
	for (size_t i = p->usec; i-- > 0;)
		if (p->use[i].pattern != PATTERN_NONE)
			p->use_of[--p->use_at[p->use[i].pattern + 1]] = (uint32_t)i;
	memmove(p->use_at, p->use_at + 1, p->patternc * sizeof(*p->use_at));
	p->use_at[p->patternc] = all;
	return 0;
}

static int make(struct maker *m)
{
	if (make_tables(m) < 0)
		return -1;
	for (size_t r = 0; r < m->set->pack->rulec; r++)
		if (add_rule(m, (uint32_t)r) < 0) {
			err_context(m->err, "rule %s", m->set->pack->rule[r].id);
			return -1;
		}
	number_marks(m);
	m->set->conditionc = m->conditionc;
	m->set->step_patternc = m->step_patternc;
	return turn_round(m);
}

int ruleset_make(const struct pack *pack, const struct pattern_list *list,
		 const struct engine_options *options, struct arena *arena, struct ruleset *ret,
		 struct err *err)
{
	struct maker m = {
		.set = ret, .list = *list, .arena = arena, .options = options, .err = err};

	*ret = (struct ruleset){.pack = pack, .patternc = list->count};
	return make(&m);
}
