/* SPDX-License-Identifier: MIT
 *
 * Small arrays: with at most STRS_MAX strings, comparing each with each is fine.
 */
#include "scan/find/strs.h"

#include <string.h>

static struct strs *make(struct strs_maker *m, size_t count)
{
	struct strs *s;

	m->work += count + 1;
	s = arena_alloc(m->arena, sizeof(*s) + count * sizeof(s->str[0]));
	if (m->arena->failed)
		return NULL;
	s->count = 0;
	return s;
}

static bool is_same(const struct str *a, const struct str *b)
{
	return a->len == b->len && !memcmp(a->byte, b->byte, a->len);
}

/* Adds it unless it is present; false when there is no room. */
static bool add(struct strs *s, const struct str *str)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (is_same(&s->str[i], str)) {
			s->str[i].edge &= str->edge;
			return true;
		}
	if (s->count == STRS_MAX)
		return false;
	s->str[s->count++] = *str;
	return true;
}

const struct strs *strs_one(struct strs_maker *m, const char *byte, size_t len)
{
	struct strs *s = make(m, 1);

	if (!s || len > STR_MAX)
		return NULL;
	s->count = 1;
	s->str[0] = (struct str){.len = (uint8_t)len};
	if (len)
		memcpy(s->str[0].byte, byte, len);
	return s;
}

/* False when the result would be too long. */
static bool join(const struct str *a, const struct str *b, struct str *ret)
{
	size_t skip = a->len && b->len && a->byte[a->len - 1] == ' ' && b->byte[0] == ' ';
	size_t len = a->len + b->len - skip;

	if (len > STR_MAX)
		return false;
	*ret = *a;
	ret->len = (uint8_t)len;
	memcpy(ret->byte + a->len, b->byte + skip, b->len - skip);
	return true;
}

const struct strs *strs_join(struct strs_maker *m, const struct strs *a, const struct strs *b)
{
	struct strs *s = a && b ? make(m, (size_t)a->count * b->count < STRS_MAX
						  ? (size_t)a->count * b->count
						  : STRS_MAX)
				: NULL;
	struct str str;

	if (!s)
		return NULL;
	for (uint32_t i = 0; i < a->count; i++) {
		for (uint32_t k = 0; k < b->count; k++)
			if (!join(&a->str[i], &b->str[k], &str) || !add(s, &str))
				return NULL;
	}
	return s;
}

const struct strs *strs_either(struct strs_maker *m, const struct strs *a, const struct strs *b)
{
	size_t count = a && b ? (size_t)a->count + b->count : 0;
	struct strs *s = a && b ? make(m, count < STRS_MAX ? count : STRS_MAX) : NULL;

	if (!s)
		return NULL;
	for (uint32_t i = 0; i < a->count; i++)
		if (!add(s, &a->str[i]))
			return NULL;
	for (uint32_t i = 0; i < b->count; i++)
		if (!add(s, &b->str[i]))
			return NULL;
	return s;
}

/* Does another string of S match wherever this one does? */
static bool is_implied(const struct strs *s, uint32_t at)
{
	const struct str *x = &s->str[at];

	for (uint32_t i = 0; i < s->count; i++) {
		const struct str *y = &s->str[i];
		if (i != at && y->len < x->len && !memcmp(x->byte, y->byte, y->len) &&
		    !(y->edge & STR_EDGE_BEHIND) && !(y->edge & ~x->edge))
			return true;
	}
	return false;
}

const struct strs *strs_reduce(struct strs_maker *m, const struct strs *a, size_t len)
{
	struct strs *cut = make(m, a->count), *s = make(m, a->count);

	if (!cut || !s)
		return NULL;
	for (uint32_t i = 0; i < a->count; i++) {
		struct str str = a->str[i];
		if (str.len > len) {
			str.len = (uint8_t)len;
			str.edge &= STR_EDGE_BEFORE;
		}
		add(cut, &str);
	}
	for (uint32_t i = 0; i < cut->count; i++)
		if (!is_implied(cut, i))
			s->str[s->count++] = cut->str[i];
	return s;
}

bool strs_has_empty(const struct strs *a)
{
	return strs_shortest(a) == 0;
}

size_t strs_shortest(const struct strs *a)
{
	size_t len = SIZE_MAX;

	for (uint32_t i = 0; i < a->count; i++)
		len = a->str[i].len < len ? a->str[i].len : len;
	return len;
}
