/* SPDX-License-Identifier: MIT
 *
 * First the counts, then the arrays in the order of the table below, then the names. The counts
 * determine all lengths, so a file has one layout. Arrays are used in place; only names, which are
 * pointers in memory, are rebuilt.
 */
#include "detect/ruleset_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"

enum {
	COUNT_MAX = 1 << 24, /* items of one array */
	SECTIONS = 11 + CLASS_COUNT,
};

/* Only integers of one size, so there is no padding. */
struct counts {
	uint64_t patterns, fields, rules, conditions, uses, words, traces, regexes, steps;
	uint64_t step_patterns, marks, tools, sessions, names;
	uint64_t always[CLASS_COUNT];
};

/* A name: its field, and the place of its letters. */
struct name {
	uint32_t number, at;
};

/* An array; its pointer is MEMBER bytes into the ruleset. */
struct section {
	size_t member, size, count;
};

static struct counts counts_of(const struct ruleset *p)
{
	struct counts n = {
		.patterns = p->patternc,
		.fields = p->fieldc,
		.rules = p->pack->rulec,
		.conditions = p->conditionc,
		.uses = p->usec,
		.words = p->words,
		.traces = p->tracec,
		.regexes = p->regexc,
		.steps = p->stepc,
		.step_patterns = p->step_patternc,
		.marks = p->markc,
		.tools = p->toolc,
		.sessions = p->sessions,
	};

	for (int i = 0; i < CLASS_COUNT; i++)
		n.always[i] = p->alwaysc[i];
	return n;
}

/* Every array of plain numbers. */
static void list_sections(const struct counts *n, struct section *ret)
{
#define SECTION(m, items)                                                                          \
	{                                                                                          \
		offsetof(struct ruleset, m), sizeof(*((struct ruleset *)NULL)->m), items           \
	}
	const struct section fixed[] = {
		SECTION(wanted, CLASS_COUNT * n->fields * n->words),
		SECTION(wanted_steps, n->words),
		SECTION(rule, n->rules),
		SECTION(condition, n->conditions),
		SECTION(use, n->uses),
		SECTION(use_at, n->patterns + 1),
		SECTION(use_of, n->uses),
		SECTION(trace, n->traces),
		SECTION(regex, n->regexes),
		SECTION(step, n->steps),
		SECTION(step_pattern, n->step_patterns),
	};
	_Static_assert(ARRAY_SIZE(fixed) + CLASS_COUNT == SECTIONS, "all of them");

	memcpy(ret, fixed, sizeof(fixed));
#undef SECTION
	for (size_t i = 0; i < CLASS_COUNT; i++)
		ret[ARRAY_SIZE(fixed) + i] =
			(struct section){offsetof(struct ruleset, always) + i * sizeof(uint32_t *),
					 sizeof(uint32_t), n->always[i]};
}

static size_t aligned(size_t len)
{
	return (len + RULESET_FILE_ALIGN - 1) & ~(size_t)(RULESET_FILE_ALIGN - 1);
}

/* Where the letters begin. */
static size_t letters_at(const struct counts *n, const struct section *s)
{
	size_t at = sizeof(*n);

	for (int i = 0; i < SECTIONS; i++)
		at += aligned(s[i].count * s[i].size);
	return at + (n->fields + n->tools) * sizeof(struct name);
}

static size_t put_name(char *letters, size_t *at, const char *name, uint32_t number,
		       struct name *ret)
{
	size_t len = strlen(name) + 1;

	if (ret) {
		memcpy(letters + *at, name, len);
		*ret = (struct name){number, (uint32_t)*at};
	}
	*at += len;
	return *at;
}

/* The length of the letters; TO is NULL to only measure. */
static size_t put_names(const struct ruleset *p, char *letters, struct name *to)
{
	size_t at = 0;

	for (size_t i = 0; i < p->fieldc; i++)
		put_name(letters, &at, p->field[i].name, p->field[i].field, to ? to++ : NULL);
	for (size_t i = 0; i < p->toolc; i++)
		put_name(letters, &at, p->tool[i], 0, to ? to++ : NULL);
	return at;
}

int ruleset_save(const struct ruleset *set, uint8_t **ret, size_t *ret_len, struct err *err)
{
	struct counts n = counts_of(set);
	struct section section[SECTIONS];
	size_t at = sizeof(n);

	list_sections(&n, section);
	n.names = put_names(set, NULL, NULL);
	size_t letters = letters_at(&n, section);
	uint8_t *bytes = calloc(1, letters + n.names + 1);
	if (!bytes)
		return err_memory(err);
	memcpy(bytes, &n, sizeof(n));
	for (int i = 0; i < SECTIONS; i++) {
		size_t size = section[i].count * section[i].size;
		const void *from;
		memcpy(&from, (const char *)set + section[i].member, sizeof(from));
		if (size)
			memcpy(bytes + at, from, size);
		at += aligned(size);
	}
	put_names(set, (char *)bytes + letters, (struct name *)(void *)(bytes + at));
	*ret = bytes;
	*ret_len = letters + n.names;
	return 0;
}

static bool are_counts_sound(const struct counts *n, const struct pack *pack, size_t patterns)
{
	const uint64_t *number = (const uint64_t *)n;

	for (size_t i = 0; i < sizeof(*n) / sizeof(*number); i++)
		if (number[i] > COUNT_MAX)
			return false;
	return n->patterns == patterns && n->rules == pack->rulec &&
	       n->words == (patterns + 63) / 64 && n->fields <= RULESET_FIELDS_MAX &&
	       n->sessions <= 1 && n->marks <= 2UL * RULESET_MARKS_MAX &&
	       n->steps + n->tools <= n->marks; /* sessions mark both */
}

static bool is_number(uint32_t number, uint64_t count)
{
	return number < count || number == PATTERN_NONE;
}

static bool are_below(const uint32_t *number, size_t count, uint64_t end)
{
	for (size_t i = 0; i < count; i++)
		if (number[i] >= end)
			return false;
	return true;
}

/* Booleans from a file are checked as bytes. */
static bool are_rules_sound(const struct ruleset *p, const struct counts *n)
{
	for (size_t i = 0; i < n->rules; i++) {
		const struct ruleset_rule *r = &p->rule[i];
		uint8_t truth[3];
		memcpy(&truth[0], &r->always, 1);
		memcpy(&truth[1], &r->suppress_in_skill, 1);
		memcpy(&truth[2], &r->suppress, 1);
		if ((unsigned)r->kind > RULESET_TRACE || truth[0] > 1 || truth[1] > 1 ||
		    truth[2] > 1 || r->first_condition > n->conditions ||
		    r->first_regex > n->regexes)
			return false;
	}
	return true;
}

static bool are_conditions_sound(const struct ruleset *p, const struct counts *n)
{
	for (size_t i = 0; i < n->conditions; i++) {
		const struct ruleset_condition *c = &p->condition[i];
		if ((c->field >= n->fields && c->field) || c->first_use > n->uses ||
		    c->first_step > n->steps || (unsigned)c->metric > METRIC_EVENTS ||
		    !is_number(c->mark, n->marks + 1))
			return false;
	}
	return true;
}

static bool are_uses_sound(const struct ruleset *p, const struct counts *n)
{
	for (size_t i = 0; i < n->uses; i++) {
		const struct ruleset_use *u = &p->use[i];
		if (u->rule >= n->rules || u->field >= n->fields ||
		    !is_number(u->pattern, n->patterns) || !is_number(u->mark, n->marks))
			return false;
	}
	for (size_t i = 0; i < n->patterns; i++)
		if (p->use_at[i] > p->use_at[i + 1])
			return false;
	return p->use_at[n->patterns] <= n->uses && are_below(p->use_of, n->uses, n->uses);
}

static bool are_steps_sound(const struct ruleset *p, const struct counts *n)
{
	for (size_t i = 0; i < n->steps; i++)
		if (p->step[i].first > n->step_patterns ||
		    p->step[i].patternc > n->step_patterns - p->step[i].first)
			return false;
	return are_below(p->step_pattern, n->step_patterns, n->patterns);
}

static bool are_lists_sound(const struct ruleset *p, const struct counts *n)
{
	bool sound = are_below(p->trace, n->traces, n->rules) &&
		     are_below(p->regex, n->regexes, n->patterns);

	for (int i = 0; i < CLASS_COUNT; i++)
		sound = sound && are_below(p->always[i], n->always[i], n->rules);
	return sound;
}

/* The letters end with a NUL, so every name does. */
static int take_names(const struct name *name, const char *letters, const struct counts *n,
		      struct arena *arena, struct ruleset *ret)
{
	ret->field = arena_alloc(arena, (n->fields + 1) * sizeof(*ret->field));
	ret->tool = arena_alloc(arena, (n->tools + 1) * sizeof(*ret->tool));
	if (arena->failed || (n->names && letters[n->names - 1]))
		return -1;
	for (size_t i = 0; i < n->fields + n->tools; i++)
		if (name[i].at >= n->names || name[i].number > FIELD_NONE)
			return -1;
	for (size_t i = 0; i < n->fields; i++)
		ret->field[i] =
			(struct ruleset_field){(enum field)name[i].number, letters + name[i].at};
	for (size_t i = 0; i < n->tools; i++)
		ret->tool[i] = letters + name[n->fields + i].at;
	return 0;
}

static void take_counts(const struct counts *n, struct ruleset *ret)
{
	ret->patternc = n->patterns;
	ret->fieldc = n->fields;
	ret->conditionc = n->conditions;
	ret->usec = n->uses;
	ret->words = n->words;
	ret->tracec = n->traces;
	ret->regexc = n->regexes;
	ret->stepc = n->steps;
	ret->step_patternc = n->step_patterns;
	ret->markc = n->marks;
	ret->toolc = n->tools;
	ret->sessions = n->sessions;
	for (int i = 0; i < CLASS_COUNT; i++)
		ret->alwaysc[i] = n->always[i];
}

int ruleset_load(const uint8_t *bytes, size_t len, const struct pack *pack, size_t patterns,
		 struct arena *arena, struct ruleset *ret, struct err *err)
{
	struct ruleset set = {.pack = pack};
	struct section section[SECTIONS];
	struct counts n;
	size_t at = sizeof(n);

	if (len >= sizeof(n))
		memcpy(&n, bytes, sizeof(n));
	if (len < sizeof(n) || !are_counts_sound(&n, pack, patterns))
		return err_set(err, ERR_INPUT, "the ruleset was made for other rules");
	list_sections(&n, section);
	size_t letters = letters_at(&n, section);
	if (letters > len || len - letters != n.names)
		return err_set(err, ERR_INPUT, "the ruleset has a wrong length");
	for (int i = 0; i < SECTIONS; i++) {
		const void *to = bytes + at;
		memcpy((char *)&set + section[i].member, &to, sizeof(to));
		at += aligned(section[i].count * section[i].size);
	}
	take_counts(&n, &set);
	if (take_names((const struct name *)(const void *)(bytes + at),
		       (const char *)bytes + letters, &n, arena, &set) < 0 ||
	    !are_rules_sound(&set, &n) || !are_conditions_sound(&set, &n) ||
	    !are_uses_sound(&set, &n) || !are_steps_sound(&set, &n) || !are_lists_sound(&set, &n))
		return err_set(err, ERR_INPUT, "the ruleset is inconsistent");
	*ret = set;
	return 0;
}

bool ruleset_fits(const struct ruleset *set, const struct rule *rule)
{
	size_t first = set->rule[rule->order].first_condition;

	if (rule->conditionc > set->conditionc - first)
		return false;
	for (size_t i = 0; i < rule->conditionc; i++) {
		const struct rule_condition *c = &rule->condition[i];
		const struct ruleset_condition *to = &set->condition[first + i];
		if ((c->kind == CONDITION_TEXT &&
		     (c->patternc > set->usec - to->first_use || to->field >= set->fieldc)) ||
		    (c->kind == CONDITION_SEQUENCE && c->stepc > set->stepc - to->first_step))
			return false;
	}
	return true;
}
