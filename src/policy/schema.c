/* SPDX-License-Identifier: MIT
 *
 * Reads maps and words by rows.
 */
#include "policy/schema.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/scope.h"
#include "conf/name_list.h"

_Static_assert(sizeof(enum verdict) == sizeof(unsigned) && sizeof(enum tier) == sizeof(unsigned),
	       "schema_word writes enumerations");

int schema_complain(struct schema *s, unsigned line, const char *fmt, ...)
{
	char words[sizeof(s->err->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(words, sizeof(words), fmt, ap);
	va_end(ap);
	s->line = line;
	return err_set(s->err, ERR_INPUT, "%s", words);
}

int schema_too_many(struct schema *s, unsigned line, const char *what, size_t most)
{
	s->line = line;
	return err_set(s->err, ERR_LIMIT, "%s: at most %zu", what, most);
}

static int wrong_kind(struct schema *s, const struct schema_key *k, const struct node *n)
{
	return schema_complain(s, n->line, "%s takes %s, not %s", k->key.name, k->key.takes,
			       node_kind_name(n->kind));
}

static const struct schema_key *find(const struct schema *s, const char *map, struct text name)
{
	for (unsigned i = 0; s->key_at(i); i++) {
		const struct schema_key *k = s->key_at(i);
		if (strcmp(k->key.map, map) == 0 && strlen(k->key.name) == name.len &&
		    memcmp(k->key.name, name.s, name.len) == 0)
			return k;
	}
	return NULL;
}

static int no_such_key(struct schema *s, const char *map, const struct node_pair *p)
{
	char names[NAMES_MAX] = "";
	size_t len = 0;
	struct nearest near = nearest_begin(p->key.s, p->key.len);

	for (unsigned i = 0; s->key_at(i) && len < sizeof(names); i++)
		if (strcmp(s->key_at(i)->key.map, map) == 0) {
			len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
						len ? ", " : "", s->key_at(i)->key.name);
			nearest_try(&near, s->key_at(i)->key.name);
		}
	schema_complain(s, p->line, "there is no key \"%.64s\" in %s (there are: %s)", p->key.s,
			*map ? map : "a policy", names);
	nearest_say(s->err, "", near.name);
	return -1;
}

static int check_required(struct schema *s, const char *map, const struct node *n)
{
	for (unsigned i = 0; s->key_at(i); i++) {
		const struct schema_key *k = s->key_at(i);
		if (k->required && strcmp(k->key.map, map) == 0 && !node_get(n, k->key.name))
			return schema_complain(s, n->line, "%s: %s is missing",
					       *map ? map : "policy", k->key.name);
	}
	return 0;
}

int schema_read(struct schema *s, const char *map, const struct node *n, void *to)
{
	if (n->kind != NODE_MAP)
		return schema_complain(s, n->line, "%s is a map, not %s", *map ? map : "a policy",
				       node_kind_name(n->kind));
	for (size_t i = 0; i < n->map.count; i++) {
		const struct node_pair *p = &n->map.pair[i];
		const struct schema_key *k = find(s, map, p->key);
		if (!k)
			return no_such_key(s, map, p);
		if (k->read(s, k, p->value, (char *)to + k->at) < 0)
			return -1;
	}
	return check_required(s, map, n);
}

int schema_map(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	return schema_read(s, k->inner, n, to);
}

/* The number of the word, or -1. */
static int word(struct schema *s, const struct schema_key *k, const struct node *n)
{
	const char *text = node_string(n);
	char names[NAMES_MAX];

	if (n->kind != NODE_STRING)
		return wrong_kind(s, k, n);
	for (unsigned i = 0; text && k->words(i); i++)
		if (strcmp(k->words(i), text) == 0)
			return (int)i;
	schema_complain(s, n->line, "%s: there is no \"%.64s\" (%s)", k->key.name, n->text.s,
			names_join(k->words, names, sizeof(names)));
	nearest_say(s->err, "", nearest(n->text.s, n->text.len, k->words));
	return -1;
}

int schema_word(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	int found = word(s, k, n);
	unsigned value = (unsigned)found;

	if (found < 0)
		return -1;
	memcpy(to, &value, sizeof(value));
	return 0;
}

const char *schema_string(struct schema *s, const struct schema_key *k, const struct node *n,
			  size_t most)
{
	const char *text = node_string(n);

	if (n->kind == NODE_INT)
		return arena_printf(s->arena, "%" PRId64, n->integer);
	if (n->kind == NODE_STRING && text && *text && n->text.len <= most)
		return text;
	if (n->kind == NODE_STRING && n->text.len > most)
		schema_too_many(s, n->line, k->key.name, most);
	else if (n->kind == NODE_STRING)
		schema_complain(s, n->line, "%s: %s", k->key.name,
				text ? "it is empty" : "it holds a NUL");
	else
		wrong_kind(s, k, n);
	return NULL;
}
