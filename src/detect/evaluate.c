/* SPDX-License-Identifier: MIT
 *
 * One rule on one event, after the patterns have been matched: the conditions in their order, how
 * they combine, and the confidence. An undecided answer has no effect where another answer decides
 * without it. A rule of indicators compares each with one field, hashes in any case.
 */
#include <string.h>

#include "base/scope.h"
#include "detect/language.h"
#include "detect/thread.h"
#include "scan/text/lower.h"

static bool is_hash(const struct node *type)
{
	static const char *const hashes[] = {"sha256", "sha512", "blake2b-256"};
	const char *name = node_string(type);

	for (size_t i = 0; name && i < ARRAY_SIZE(hashes); i++)
		if (!strcmp(name, hashes[i]))
			return true;
	return false;
}

static int small(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

static bool is_equal(struct text a, struct text b, bool any_case)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++)
		if (any_case ? small((unsigned char)a.s[i]) != small((unsigned char)b.s[i])
			     : a.s[i] != b.s[i])
			return false;
	return true;
}

static bool is_met(const struct event *event, const struct node *indicator)
{
	const char *target = node_string(node_get(indicator, "target_field"));
	const struct node *value = node_get(indicator, "value");
	const struct node *actual = target ? node_get(event->fields, target) : NULL;

	if (!value || value->kind != NODE_STRING || !actual || actual->kind != NODE_STRING)
		return false;
	return is_equal(actual->text, value->text, is_hash(node_get(indicator, "type")));
}

static void evaluate_signature(const struct event *event, const struct rule *rule,
			       struct outcome *ret)
{
	const struct node *list = node_get(rule->signature, "indicators");
	const char *logic = node_string(node_get(rule->signature, "match_logic"));
	size_t met = 0;

	for (size_t i = 0; i < node_count(list); i++) {
		if (!is_met(event, node_item(list, i)))
			continue;
		if (met < RULE_CONDITIONS_MAX)
			ret->matched[met] = (uint32_t)i;
		met++;
	}
	if (!met || (logic && !strcmp(logic, "all") && met < node_count(list)))
		return;
	ret->answer = ANSWER_YES;
	ret->confidence = 1;
	ret->matchedc = met < RULE_CONDITIONS_MAX ? met : RULE_CONDITIONS_MAX;
}

enum { GAPS_MAX = 64 }; /* the maximum of quotations between which a match is searched */

struct asking {
	struct engine_thread *t;
	const struct event *event;
	const struct rule *rule;
	const struct ruleset_rule *set;
	const struct rule_condition *c;
	const struct ruleset_condition *pc;
	/* Marks of matched patterns; they are recorded only if the rule matches. */
	size_t markc;
	uint32_t mark[RULE_CONDITIONS_MAX];
	struct err *err;
	bool failed;
};

static struct prepared *text_of(const struct asking *a)
{
	const struct thread_field *f = &a->t->field[a->pc->field];

	return f->value.s ? &a->t->text[f->text] : NULL;
}

/* As in the reference, the place of the first match decides. A match in the raw text alone is
 * never in quoted code. */
static bool is_first_quoted(struct asking *a, const struct prepared *p, uint32_t pattern)
{
	size_t start;

	return db_match(a->t->engine->db, a->t->scratch, pattern, &p->normal, &start) ==
		       MATCH_YES &&
	       fences_contain(&p->fences, start);
}

/* Does no match begin outside quoted code? In strict mode a quoted attack must not hide the same
 * attack after it. */
static bool is_all_quoted(struct asking *a, const struct prepared *p, uint32_t pattern)
{
	size_t unit = 0;

	if (!is_first_quoted(a, p, pattern))
		return false;
	for (int gaps = 0; gaps < GAPS_MAX; gaps++) {
		struct db_range gap = {.from = fences_leave(&p->fences, unit)};
		gap.to = unit = fences_enter(&p->fences, gap.from);
		if (gap.from < p->normal.utf16 && db_match_in(a->t->engine->db, a->t->scratch,
							      pattern, &p->normal, gap) != MATCH_NO)
			return false;
		if (unit == SIZE_MAX)
			return true;
	}
	return false;
}

/* Is the match of this pattern in quoted code? */
static bool is_quoted(struct asking *a, const struct ruleset_use *u)
{
	bool skill = a->event->skill, strict = a->t->engine->options.mode == DETECT_STRICT;
	struct prepared *p = text_of(a);

	if (!(skill ? a->set->suppress_in_skill : a->set->suppress) ||
	    (strict && a->event->program))
		return false;
	if (prepared_fences(p, !strict, a->err) < 0)
		a->failed = true;
	if (!p->fences.count || a->failed)
		return false;
	return strict ? is_all_quoted(a, p, u->pattern) : is_first_quoted(a, p, u->pattern);
}

/* Clears matches in quoted code: in a layer of the text their place would be unknown. */
static enum answer ask_patterns(struct asking *a)
{
	enum answer best = ANSWER_NO;

	for (size_t i = 0; i < a->c->patternc; i++) {
		size_t n = a->pc->first_use + i;
		const struct ruleset_use *u = &a->t->engine->set.use[n];
		struct thread_mark *m = &a->t->use[n];
		if (m->epoch != a->t->field[u->field].epoch || m->answer == ANSWER_NO ||
		    u->pattern == PATTERN_NONE)
			continue;
		if (is_quoted(a, u)) {
			m->answer = ANSWER_NO;
			continue;
		}
		if (m->answer == ANSWER_YES) {
			if (u->mark != PATTERN_NONE)
				a->mark[a->markc++] = u->mark;
			return ANSWER_YES;
		}
		best = ANSWER_UNDECIDED;
	}
	return best;
}

static bool contains(struct text text, struct text value)
{
	return memmem(text.s, text.len, value.s, value.len) != NULL;
}

static bool starts(struct text text, struct text value)
{
	return text.len >= value.len && !memcmp(text.s, value.s, value.len);
}

static bool equals(struct text text, struct text value)
{
	return text.len == value.len && starts(text, value);
}

/* How a list compares; case counts only where the row says so. */
static const struct {
	bool (*compare)(struct text text, struct text value);
	bool cased;
} comparisons[] = {
	[OPERATOR_CONTAINS] = {contains, false},
	[OPERATOR_EXACT] = {equals, true},
	[OPERATOR_STARTS_WITH] = {starts, false},
};

static enum answer ask_string(struct asking *a, struct prepared *p)
{
	struct text text = {p->normal.data, p->normal.len}, value = a->c->pattern[0];
	AUTO_FREE char *small = NULL;

	if (!comparisons[a->c->op].cased) {
		if (prepared_lower(p, a->err) == 0)
			small = lower_text(value.s, value.len, &value.len);
		a->failed |= !small;
		if (!small)
			return ANSWER_NO;
		text = (struct text){p->lower, p->lower_len};
		value.s = small;
	}
	if (!comparisons[a->c->op].compare(text, value))
		return ANSWER_NO;
	uint32_t mark = a->t->engine->set.use[a->pc->first_use].mark;
	if (mark != PATTERN_NONE)
		a->mark[a->markc++] = mark;
	return ANSWER_YES;
}

static enum answer ask_text(struct asking *a)
{
	struct prepared *p = text_of(a);
	const struct node *language = node_get(a->c->node, "language");

	if (!p)
		return ANSWER_NO;
	if (a->rule->combine == COMBINE_EXPRESSION)
		return ask_patterns(a);
	if (language && (!a->c->language || !language_fits(a->c->language, prepared_language(p))))
		return ANSWER_NO;
	return a->c->op == OPERATOR_REGEX ? ask_patterns(a) : ask_string(a, p);
}

static enum answer ask_never(struct asking *a)
{
	(void)a;
	return ANSWER_NO;
}

static enum answer ask_measurement(struct asking *a)
{
	return ask_metric(a->t, a->event, a->c, a->pc);
}

static enum answer ask_steps(struct asking *a)
{
	return ask_sequence(a->t, a->event, a->c, a->pc);
}

static enum answer (*const ask[])(struct asking *a) = {
	[CONDITION_NEVER] = ask_never,
	[CONDITION_TEXT] = ask_text,
	[CONDITION_METRIC] = ask_measurement,
	[CONDITION_SEQUENCE] = ask_steps,
};

/* Combines the conditions. "any" stops at the first that holds. */
static enum answer combine(struct asking *a, enum answer *answer)
{
	enum answer any = ANSWER_NO, all = ANSWER_YES;

	for (size_t i = 0; i < a->rule->conditionc; i++) {
		a->c = &a->rule->condition[i];
		a->pc = &a->t->engine->set.condition[a->set->first_condition + i];
		answer[i] = ask[a->c->kind](a);
		any = answer[i] > any ? answer[i] : any;
		all = answer[i] < all ? answer[i] : all;
		if (a->rule->combine == COMBINE_ANY && any == ANSWER_YES)
			break;
	}
	if (a->rule->combine == COMBINE_EXPRESSION)
		return expression_ask(a->rule, answer);
	return a->rule->combine == COMBINE_ANY ? any : all;
}

/* In two steps, because a compiler may fuse one expression and round differently from
 * JavaScript. */
static double confidence(const struct rule *rule, size_t matched)
{
	double ratio = (double)matched / (double)(rule->conditionc ? rule->conditionc : 1);
	double more = ratio * 0.1;
	double sum = confidence_base(rule->confidence) + more;

	return sum < 1 ? sum : 1;
}

static int ask_rule(struct engine_thread *t, const struct event *event, uint32_t number,
		    struct outcome *ret, struct err *err)
{
	const struct rule *rule = pack_rule(t->engine->set.pack, number);
	enum answer answer[RULE_CONDITIONS_MAX];
	struct asking a = {.t = t, .event = event, .rule = rule, .err = err};

	a.set = &t->engine->set.rule[number];
	memset(answer, 0, rule->conditionc * sizeof(*answer)); /* ANSWER_NO */
	ret->answer = combine(&a, answer);
	if (a.failed)
		return err_set(err, ERR_SYSTEM, "rule %s: out of memory", rule->id);
	if (ret->answer == ANSWER_NO)
		return 0;
	for (size_t i = 0; i < rule->conditionc; i++)
		if (answer[i] != ANSWER_NO && answer[i] >= ret->answer)
			ret->matched[ret->matchedc++] = (uint32_t)i;
	if (rule->combine == COMBINE_ANY && ret->matchedc > 1)
		ret->matchedc = 1;
	ret->confidence = confidence(rule, ret->matchedc);
	for (size_t i = 0; i < a.markc; i++)
		thread_mark(t, a.mark[i]);
	return 0;
}

int evaluate_rule(struct engine_thread *t, const struct event *event, uint32_t number,
		  struct outcome *ret, struct err *err)
{
	const struct rule *rule = pack_rule(t->engine->set.pack, number);

	ret->answer = ANSWER_NO;
	ret->matchedc = 0;
	switch (t->engine->set.rule[number].kind) {
	case RULESET_OFF:
		return 0;
	case RULESET_CONDITIONS:
		return ask_rule(t, event, number, ret, err);
	case RULESET_SIGNATURE:
		evaluate_signature(event, rule, ret);
		return 0;
	case RULESET_TRACE:
		return evaluate_trace(t, event, number, ret, err);
	}
	return 0;
}
