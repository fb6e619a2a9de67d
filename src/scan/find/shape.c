/* SPDX-License-Identifier: MIT
 *
 * One function for each kind of node; results are kept by node. The work for an expression is
 * bounded: beyond that, parts are no longer written out, and the expression is found by fewer
 * literals or by none.
 */
#include "scan/find/shape.h"

#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"
#include "scan/regex/char_set.h"

enum {
	ASCII_MAX = 0x7f,
	CLASS_MAX = 16, /* characters of a class that is written out */
	RARE_MAX = 40,	/* the same when none of them is a word character */
	POWER_MAX = 8,
	HEADS_MAX = 20000, /* characters of a class whose first bytes are written out */
	WORK_MAX = 400000,
};

int shapes_init(struct shapes *s, const struct js_ast *ast, enum js_form form,
		struct reach_sets *sets, struct arena *arena, struct err *err)
{
	size_t size = (ast->nodes + 1) * sizeof(*s->shape);

	*s = (struct shapes){.ast = ast, .form = form, .maker = {.arena = arena}, .sets = sets};
	s->shape = arena_alloc(arena, size);
	if (arena->failed)
		return err_memory(err);
	memset(s->shape, 0, size);
	return 0;
}

static void add_bytes(struct reach_set *set, uint32_t c)
{
	char out[UTF8_CHAR_MAX];
	size_t n = fold_char(c, out);

	for (size_t i = 0; i < n; i++)
		reach_set_add(set, (uint8_t)out[i]);
	set->newline |= fold_is_newline(c);
}

/* One character of COUNT. */
static void shape_chars(struct shapes *s, const uint32_t *c, size_t count, struct shape *ret)
{
	uint32_t min = UTF8_CHAR_MAX, max = 0;
	char out[UTF8_CHAR_MAX];

	ret->all = arena_alloc(s->maker.arena, sizeof(*ret->all));
	if (ret->all)
		((struct strs *)ret->all)->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (s->form == JS_ASCII && c[i] > ASCII_MAX)
			continue;
		uint32_t n = (uint32_t)fold_char(c[i], out);
		add_bytes(&ret->bytes, c[i]);
		ret->all = strs_either(&s->maker, ret->all, strs_one(&s->maker, out, n));
		max = n > max ? n : max;
		n = fold_is_space(c[i]) ? 0 : n;
		min = n < min ? n : min;
	}
	ret->dead = max == 0;
	ret->reach = reach_bytes(min, max);
}

static void shape_char(struct shapes *s, const struct js_node *n, struct shape *ret)
{
	uint32_t all[JS_CASE_MAX] = {n->value};
	size_t count = 1;

	if (s->ast->flags & JS_IGNORE_CASE)
		count = js_case_all(n->value, s->ast->flags & JS_UNICODE, all);
	shape_chars(s, all, count, ret);
}

static bool is_in(const struct js_range *r, size_t count, uint32_t c)
{
	for (size_t i = 0; i < count && r[i].low <= c; i++)
		if (c <= r[i].high)
			return true;
	return false;
}

/* Only these characters beyond ASCII fold to a byte of ASCII. */
static const uint16_t foldable[] = {
	0xa0,	0x17f,	0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007,
	0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x212a, 0x3000, 0xfeff,
};

/* A large class: only its bytes and lengths. */
static void shape_set(struct shapes *s, const struct js_range *r, size_t count, struct shape *ret)
{
	uint32_t top = r[count - 1].high;
	char out[UTF8_CHAR_MAX];

	if (s->form == JS_ASCII && top > ASCII_MAX)
		top = ASCII_MAX;
	for (uint32_t c = 0; c <= ASCII_MAX; c++)
		if (is_in(r, count, c))
			add_bytes(&ret->bytes, c);
	for (size_t i = 0; i < ARRAY_SIZE(foldable) && top > ASCII_MAX; i++)
		if (is_in(r, count, foldable[i]))
			add_bytes(&ret->bytes, foldable[i]);
	for (unsigned b = 0x80; top > ASCII_MAX && b < 0x100; b++)
		reach_set_add(&ret->bytes, (uint8_t)b);
	ret->reach = reach_bytes(reach_has(&ret->bytes, ' ') ? 0 : 1, utf8_put(out, top));
}

/* Neither a word character nor a space. */
static bool is_rare(const struct reach_set *set)
{
	for (unsigned c = 0; c <= ASCII_MAX; c++)
		if (reach_has(set, (uint8_t)c) &&
		    (c == ' ' || c == '_' || c - '0' < 10 || (c | 32) - 'a' < 26))
			return false;
	return true;
}

static void shape_class(struct shapes *s, const struct js_node *n, struct shape *ret)
{
	const struct js_range *r = n->count ? s->ast->range + n->first : NULL;
	uint32_t chars[2 * RARE_MAX];
	size_t count = 0;

	for (uint32_t i = 0; i < n->count; i++)
		for (uint32_t c = r[i].low; c <= r[i].high; c++) {
			if (s->form == JS_ASCII && c > ASCII_MAX)
				break;
			if (count < ARRAY_SIZE(chars))
				chars[count] = c;
			if (count++ == ARRAY_SIZE(chars))
				goto large;
		}
	shape_chars(s, chars, count, ret);
	if (ret->all && ret->all->count > (is_rare(&ret->bytes) ? RARE_MAX : CLASS_MAX))
		ret->all = NULL;
	return;
large:
	shape_set(s, r, n->count, ret);
}

static void shape_nothing(struct shapes *s, struct shape *ret)
{
	ret->all = strs_one(&s->maker, "", 0);
	ret->reach = reach_bytes(0, 0);
}

static void shape_seq(struct shapes *s, const struct js_node *n, struct shape *ret)
{
	shape_nothing(s, ret);
	for (uint32_t i = 0; i < n->count; i++) {
		const struct shape *kid = shape_of(s, js_kid(s->ast, n, i));
		ret->dead |= kid->dead;
		ret->all = strs_join(&s->maker, ret->all, kid->all);
		ret->reach = reach_join(&ret->reach, &kid->reach);
		reach_set_join(&ret->bytes, &kid->bytes);
	}
}

static void shape_alt(struct shapes *s, const struct js_node *n, struct shape *ret)
{
	bool first = true;

	ret->dead = true;
	for (uint32_t i = 0; i < n->count; i++) {
		const struct shape *kid = shape_of(s, js_kid(s->ast, n, i));
		if (kid->dead)
			continue;
		reach_set_join(&ret->bytes, &kid->bytes);
		ret->all = first ? kid->all : strs_either(&s->maker, ret->all, kid->all);
		ret->reach = first ? kid->reach : reach_either(s->sets, &ret->reach, &kid->reach);
		first = ret->dead = false;
	}
}

static bool is_space(const struct strs *all)
{
	return all && all->count == 1 && all->str[0].len == 1 && all->str[0].byte[0] == ' ';
}

static const struct strs *powers(struct shapes *s, const struct strs *one, uint32_t min,
				 uint32_t max)
{
	const struct strs *power = strs_one(&s->maker, "", 0), *all = NULL;

	for (uint32_t i = 0; i <= max && power; i++) {
		if (i == min)
			all = power;
		else if (i > min)
			all = strs_either(&s->maker, all, power);
		if (i >= min && !all)
			return NULL;
		power = i < max ? strs_join(&s->maker, power, one) : power;
	}
	return power ? all : NULL;
}

uint16_t shape_run_set(const struct shapes *s, const struct reach_set *bytes)
{
	struct reach_set all = *bytes;

	for (int c = '\t'; c <= '\r'; c++)
		reach_set_add(&all, (uint8_t)c);
	for (int c = 'A'; c <= 'Z'; c++)
		reach_set_add(&all, (uint8_t)c);
	if (s->form == JS_ASCII)
		all.bits[2] = all.bits[3] = UINT64_MAX;
	return reach_set_find(s->sets, &all);
}

static struct reach times(struct shapes *s, const struct shape *kid, const struct js_node *n)
{
	uint64_t max = reach_max(&kid->reach), min = (uint64_t)kid->reach.min * n->min;
	struct reach nothing = reach_bytes(0, 0), once = kid->reach;

	min = min < REACH_FAR ? min : REACH_FAR;
	if (n->max == 1)
		return n->min ? once : reach_either(s->sets, &nothing, &once);
	if (n->max == JS_UNBOUNDED || max == UINT64_MAX)
		return reach_run((uint32_t)min, shape_run_set(s, &kid->bytes));
	return reach_bytes((uint32_t)min, max * n->max);
}

static void shape_repeat(struct shapes *s, const struct js_node *n, struct shape *ret)
{
	const struct shape *kid = shape_of(s, js_kid(s->ast, n, 0));

	if (n->max == 0 || (kid->dead && !n->min)) {
		shape_nothing(s, ret);
		return;
	}
	ret->dead = kid->dead;
	ret->bytes = kid->bytes;
	if (is_space(kid->all)) {
		ret->all = powers(s, kid->all, n->min ? 1 : 0, 1);
		ret->reach = reach_bytes(0, 1);
		return;
	}
	if (kid->all && n->max <= POWER_MAX && s->maker.work < WORK_MAX)
		ret->all = powers(s, kid->all, n->min, n->max);
	ret->reach = times(s, kid, n);
}

const struct shape *shape_of(struct shapes *s, uint32_t node)
{
	const struct js_node *n = js_node_at(s->ast, node);
	struct shape *ret = &s->shape[node];

	if (ret->known)
		return ret;
	if (n->kind == JS_CHAR) {
		shape_char(s, n, ret);
	} else if (n->kind == JS_CLASS) {
		shape_class(s, n, ret);
	} else if (n->kind == JS_SEQ) {
		shape_seq(s, n, ret);
	} else if (n->kind == JS_ALT) {
		shape_alt(s, n, ret);
	} else if (n->kind == JS_REPEAT) {
		shape_repeat(s, n, ret);
	} else if (n->kind == JS_GROUP) {
		*ret = *shape_of(s, js_kid(s->ast, n, 0));
	} else if (n->kind == JS_BACKREF) {
		ret->bytes = s->sets->set[0];
		ret->reach = reach_run(0, 0);
	} else {
		shape_nothing(s, ret);
	}
	if (s->maker.work >= WORK_MAX)
		ret->all = NULL;
	ret->known = true;
	return ret;
}

static const struct strs *heads_seq(struct shapes *s, const struct js_node *n)
{
	const struct strs *now = strs_one(&s->maker, "", 0);

	for (uint32_t i = 0; i < n->count && now; i++) {
		uint32_t kid = js_kid(s->ast, n, i);
		const struct strs *all = shape_of(s, kid)->all;
		const struct strs *next =
			strs_join(&s->maker, now, all ? all : shape_heads(s, kid));
		now = next ? next : now;
		if (!all || !next)
			break;
	}
	return now && !strs_has_empty(now) ? now : NULL;
}

static const struct strs *heads_alt(struct shapes *s, const struct js_node *n)
{
	const struct strs *now = NULL;

	for (uint32_t i = 0; i < n->count; i++) {
		uint32_t kid = js_kid(s->ast, n, i);
		if (shape_of(s, kid)->dead)
			continue;
		const struct strs *heads = shape_heads(s, kid);
		now = now ? strs_either(&s->maker, now, heads) : heads;
		if (!now)
			break;
	}
	return now;
}

/* All first bytes of C to HIGH in UTF-8: one byte of two, two of three, three of four. */
static const struct strs *heads_range(struct shapes *s, const struct strs *now, uint32_t c,
				      uint32_t high)
{
	char out[UTF8_CHAR_MAX], last[UTF8_CHAR_MAX];
	size_t last_len = 0;

	for (; c <= high && now; c++) {
		size_t n = fold_char(c, out);

		n = n > 1 ? n - 1 : n;
		if (n == last_len && !memcmp(out, last, n))
			continue;
		now = strs_either(&s->maker, now, strs_one(&s->maker, out, n));
		memcpy(last, out, n);
		last_len = n;
	}
	return now;
}

/* The heads of a class without ASCII. */
static const struct strs *heads_class(struct shapes *s, const struct js_node *n)
{
	const struct js_range *r = s->ast->range + n->first;
	struct strs *none = arena_alloc(s->maker.arena, sizeof(*none));
	const struct strs *now = none;
	uint64_t size = 0;

	if (!none)
		return NULL;
	none->count = 0;
	for (uint32_t i = 0; i < n->count; i++)
		size += r[i].high - r[i].low + 1;
	if (s->form == JS_ASCII || !n->count || r[0].low <= ASCII_MAX || size > HEADS_MAX)
		return NULL;
	for (uint32_t i = 0; i < n->count && now; i++)
		now = heads_range(s, now, r[i].low, r[i].high);
	return now && now->count ? now : NULL;
}

const struct strs *shape_heads(struct shapes *s, uint32_t node)
{
	const struct js_node *n = js_node_at(s->ast, node);
	const struct shape *shape = shape_of(s, node);

	if (s->maker.work >= WORK_MAX)
		return NULL;
	if (shape->all)
		return strs_has_empty(shape->all) ? NULL : shape->all;
	if (n->kind == JS_CLASS)
		return heads_class(s, n);
	if (n->kind == JS_SEQ)
		return heads_seq(s, n);
	if (n->kind == JS_ALT)
		return heads_alt(s, n);
	if (n->kind == JS_GROUP || (n->kind == JS_REPEAT && n->min))
		return shape_heads(s, js_kid(s->ast, n, 0));
	return NULL;
}
