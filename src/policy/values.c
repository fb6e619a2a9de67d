/* SPDX-License-Identifier: MIT
 *
 * Readers for the values of a policy that are neither words nor maps: numbers, durations, names, hosts.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/subpath.h"
#include "conf/units.h"
#include "policy/schema.h"

int schema_version(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	(void)to;
	if (n->kind == NODE_INT && n->integer == 2)
		return 0;
	schema_complain(s, n->line, "%s: only 2 is known", k->key.name);
	err_cure(s->err, "cordon man lists the keys of version 2");
	return -1;
}

static int by_text(const void *left, const void *right)
{
	char a[POLICY_NET_TEXT_MAX], b[POLICY_NET_TEXT_MAX];

	return strcmp(policy_net_format(left, a, sizeof(a)),
		      policy_net_format(right, b, sizeof(b)));
}

int schema_net(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	struct policy_netlist *list = to;
	size_t count = node_count(n);

	if (n->kind != NODE_LIST)
		return schema_complain(s, n->line, "%s takes %s", k->key.name, k->key.takes);
	if (count > POLICY_NET_MAX)
		return schema_too_many(s, n->line, k->key.name, POLICY_NET_MAX);
	list->list = arena_alloc(s->arena, (count + 1) * sizeof(*list->list));
	for (size_t i = 0; i < count && !s->arena->failed; i++) {
		const struct node *item = node_item(n, i);
		const char *text = schema_string(s, k, item, POLICY_NET_TEXT_MAX);
		s->line = item->line;
		if (!text || policy_net_parse(text, strcmp(k->key.name, "deny") != 0, s->arena,
					      &list->list[i], s->err) < 0)
			return -1;
		list->count = i + 1;
	}
	qsort(list->list, list->count, sizeof(*list->list), by_text);
	for (size_t i = 1; i < list->count; i++)
		if (by_text(&list->list[i - 1], &list->list[i]) == 0)
			return schema_complain(s, n->line, "%s: an entry is there twice",
					       k->key.name);
	return 0;
}

static const char *limit_name(unsigned i)
{
	return i < LIMIT_COUNT ? limit_row((enum limit_id)i)->name : NULL;
}

static int read_limit(struct schema *s, const struct schema_key *k, const struct node_pair *p,
		      uint64_t *limits)
{
	enum limit_id id = limit_find(p->key.s);
	const char *text;
	uint64_t value;

	if (id >= LIMIT_COUNT) {
		schema_complain(s, p->line, "there is no limit \"%.64s\"", p->key.s);
		nearest_say(s->err, "", nearest(p->key.s, p->key.len, limit_name));
		return -1;
	}
	text = schema_string(s, k, p->value, 32);
	if (!text)
		return -1;
	const struct limit_row *row = limit_row(id);
	if (!units_parse(row->unit, text, &value) || value < row->min || value > row->max)
		return schema_complain(s, p->value->line,
				       "%s: \"%s\" is not a value (write it like %s)", row->name,
				       text, units_example(row->unit));
	limits[id] = value;
	return 0;
}

int schema_limits(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	if (n->kind != NODE_MAP)
		return schema_complain(s, n->line, "%s takes %s", k->key.name, k->key.takes);
	for (size_t i = 0; i < n->map.count; i++)
		if (read_limit(s, k, &n->map.pair[i], to) < 0)
			return -1;
	return 0;
}

int schema_ttl(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	const char *text = schema_string(s, k, n, 32);
	uint64_t *ms = to;

	if (!text)
		return -1;
	if (units_parse(UNIT_DURATION_MS, text, ms) && *ms >= POLICY_TTL_MIN_MS &&
	    *ms <= POLICY_TTL_MAX_MS)
		return 0;
	return schema_complain(s, n->line, "%s: \"%s\" is not between 1s and 24h", k->key.name,
			       text);
}

int schema_yes(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	if (n->kind != NODE_BOOL)
		return schema_complain(s, n->line, "%s: true or false", k->key.name);
	*(bool *)to = n->truth;
	return 0;
}

int schema_approvers(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	if (n->kind != NODE_INT || n->integer < 1 || n->integer > POLICY_APPROVERS_MAX)
		return schema_complain(s, n->line, "%s: a number from 1 to %d", k->key.name,
				       POLICY_APPROVERS_MAX);
	*(unsigned *)to = (unsigned)n->integer;
	return 0;
}

int schema_text(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	const char *text = schema_string(s, k, n, POLICY_TEXT_MAX);

	if (text)
		*(const char **)to = text;
	return text ? 0 : -1;
}

static int texts(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	struct policy_list *list = to;

	if (n->kind != NODE_LIST)
		return schema_complain(s, n->line, "%s takes %s", k->key.name, k->key.takes);
	if (node_count(n) > POLICY_LIST_MAX)
		return schema_too_many(s, n->line, k->key.name, POLICY_LIST_MAX);
	for (size_t i = 0; i < node_count(n); i++)
		if (schema_text(s, k, node_item(n, i), &list->text[list->count++]) < 0)
			return -1;
	return 0;
}

/* ./src/ is src. */
const char *policy_path(const char *text, struct arena *arena, struct err *err)
{
	const char *from = strncmp(text, "./", 2) == 0 ? text + 2 : text;
	size_t len = strlen(from);

	if (strcmp(text, ".") == 0 || (from > text && !len))
		return ".";
	len -= len && from[len - 1] == '/';
	char *path = arena_printf(arena, "%.*s", (int)len, from);
	if (arena->failed) {
		err_memory(err);
		return NULL;
	}
	if (len && path[len - 1] != '/' && subpath_is_clean(path, len))
		return path;
	err_set(err, ERR_INPUT, "\"%.64s\" is not a path below the directory", text);
	err_cure(err, "write it like src/main.c; . is all of the directory");
	return NULL;
}

int schema_paths(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	struct policy_list *list = to;

	if (texts(s, k, n, to) < 0)
		return -1;
	for (size_t i = 0; i < list->count; i++) {
		s->line = node_item(n, i)->line;
		list->text[i] = policy_path(list->text[i], s->arena, s->err);
		if (!list->text[i])
			return -1;
	}
	return 0;
}

/* Hosts of exposed code are exact names, never wildcards or ranges. */
int schema_hosts(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	struct policy_list *list = to;
	char text[POLICY_NET_TEXT_MAX];

	if (texts(s, k, n, to) < 0)
		return -1;
	for (size_t i = 0; i < list->count; i++) {
		struct policy_net net;
		s->line = n->line;
		if (policy_net_parse(list->text[i], true, s->arena, &net, s->err) < 0)
			return -1;
		if (policy_net_many(&net))
			return schema_complain(s, n->line,
					       "%s: \"%.64s\" is not one host and one port: "
					       "it is %s",
					       k->key.name, list->text[i], policy_net_many(&net));
		list->text[i] = arena_dup(s->arena, policy_net_format(&net, text, sizeof(text)));
	}
	return 0;
}

int schema_uses(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	struct policy_list *list = to;
	struct policy_use use;

	if (texts(s, k, n, to) < 0)
		return -1;
	s->line = n->line;
	for (size_t i = 0; i < list->count; i++) {
		if (policy_use_parse(list->text[i], &use, s->err) < 0)
			return -1;
		list->text[i] = policy_use_format(&use, s->arena);
	}
	return 0;
}

/* "GET,POST"; check_secret checks it. */
int schema_methods(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	struct policy_list list = {0};
	const char *all = "";

	if (texts(s, k, n, &list) < 0)
		return -1;
	for (size_t i = 0; i < list.count; i++)
		all = arena_printf(s->arena, "%s%s%s", all, i ? "," : "", list.text[i]);
	if (!*all)
		return schema_complain(s, n->line, "%s: it is empty", k->key.name);
	*(const char **)to = all;
	return 0;
}

/* Of a variable or a header. */
int schema_token(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	const char *text = schema_string(s, k, n, POLICY_ID_MAX - 1);

	if (!text)
		return -1;
	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '-')
			return schema_complain(
				s, n->line, "%s: \"%.64s\" has more than letters, digits, _ and -",
				k->key.name, text);
	*(const char **)to = text;
	return 0;
}

int schema_host(struct schema *s, const struct schema_key *k, const struct node *n, void *to)
{
	const char *text = schema_string(s, k, n, POLICY_NET_TEXT_MAX);
	struct policy_secret *secret =
		(struct policy_secret *)(void *)((char *)to - offsetof(struct policy_secret, host));
	struct policy_net net;
	struct err err;

	if (!text)
		return -1;
	if (policy_net_parse(text, true, s->arena, &net, &err) < 0)
		return schema_complain(s, n->line, "%s: %s", k->key.name, err.message);
	if (net.kind != NET_NAME || net.port_from != net.port_to)
		return schema_complain(s, n->line, "%s: \"%.64s\" is not one host and one port",
				       k->key.name, text);
	secret->host = net.name;
	secret->port = net.port_from;
	return 0;
}
