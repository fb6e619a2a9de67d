/* SPDX-License-Identifier: MIT
 *
 * A buffer that grows up to a maximum, and a walk through a tree, which is at most EVENT_DEPTH_MAX
 * high. Once the buffer failed it stays so, and its text must not be used.
 *
 * Calls: a document has a command and its arguments as separate values, and a program joins them.
 * Formats differ, so any map with both is a call. If a key occurs twice, programs differ in which one
 * they use, so each command is joined with each list of arguments. The words of one call must never
 * become a part of the next.
 */
#include "detect/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"

static const char *const command_keys[] = {"command", "cmd", "program", "path", "executable"};
static const char *const args_keys[] = {"args", "arguments", "argv"};

void gather_put(struct gather *g, const char *s, size_t len)
{
	if (g->len + len + 1 > g->room) {
		size_t room = (g->len + len + 1) * 2;
		g->too_long = g->too_long || room / 2 > GATHER_MAX;
		char *more = g->failed || g->too_long ? NULL : realloc(g->s, room);
		if (!more) {
			g->failed = true;
			return;
		}
		g->s = more;
		g->room = room;
	}
	memcpy(g->s + g->len, s, len);
	g->len += len;
	g->s[g->len] = '\0';
}

static bool is_key(struct text key, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (key.len == strlen(names[i]) && strncasecmp(key.s, names[i], key.len) == 0)
			return true;
	return false;
}

static bool is_command_key(struct text key)
{
	return is_key(key, command_keys, ARRAY_SIZE(command_keys));
}

static bool is_args_key(struct text key)
{
	return is_key(key, args_keys, ARRAY_SIZE(args_keys));
}

static bool is_list(const struct node *n)
{
	return n->kind == NODE_LIST && n->list.count;
}

/* A command with a list of arguments, or a command that is a list. */
static bool is_call(const struct node *map)
{
	bool command = false, args = false;

	for (size_t i = 0; map->kind == NODE_MAP && i < map->map.count; i++) {
		const struct node_pair *p = &map->map.pair[i];
		if (is_command_key(p->key) && is_list(p->value))
			return true;
		command |= is_command_key(p->key) && p->value->kind == NODE_STRING;
		args |= is_args_key(p->key) && is_list(p->value);
	}
	return command && args;
}

bool gather_has_calls(const struct node *n)
{
	if (is_call(n))
		return true;
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++)
		if (gather_has_calls(n->map.pair[i].value))
			return true;
	for (size_t i = 0; n->kind == NODE_LIST && i < n->list.count; i++)
		if (gather_has_calls(n->list.item[i]))
			return true;
	return false;
}

/* Are these arguments complete on the line that put_call makes? */
static bool has_words(const struct node_pair *p)
{
	if (!is_args_key(p->key) || p->value->kind != NODE_LIST)
		return false;
	for (size_t i = 0; i < p->value->list.count; i++)
		if (p->value->list.item[i]->kind != NODE_STRING)
			return false;
	return true;
}

struct values {
	size_t count; /* of all */
	const struct node *value[GATHER_CALLS_MAX];
};

static void add_value(struct values *v, const struct node *n)
{
	if (v->count < GATHER_CALLS_MAX)
		v->value[v->count] = n;
	v->count++;
}

/* Returns at least one command and one list; they may be NULL. -1: too many. */
static int find_values(const struct node *map, struct values *commands, struct values *args)
{
	for (size_t i = 0; i < map->map.count; i++) {
		const struct node_pair *p = &map->map.pair[i];
		if (is_command_key(p->key))
			add_value(commands, p->value);
		else if (is_args_key(p->key))
			add_value(args, p->value);
	}
	commands->count += !commands->count;
	args->count += !args->count;
	return commands->count > GATHER_CALLS_MAX || args->count > GATHER_CALLS_MAX ||
			       commands->count * args->count > GATHER_CALLS_MAX
		       ? -1
		       : 0;
}

typedef void put_fn(struct gather *g, const char *s, size_t len);

/* Quotes a word for a shell. */
static void put_quoted(struct gather *g, const char *s, size_t len)
{
	gather_put(g, "'", 1);
	for (size_t i = 0; i < len; i++)
		gather_put(g, s[i] == '\'' ? "'\\''" : &s[i], s[i] == '\'' ? 4 : 1);
	gather_put(g, "'", 1);
}

static void put_word(struct gather *g, const struct node *n, put_fn *put)
{
	char number[32];

	if (n->kind == NODE_STRING) {
		put(g, n->text.s, n->text.len);
	} else if (n->kind == NODE_FLOAT) {
		snprintf(number, sizeof(number), "%.15g", n->number);
		put(g, number, strlen(number));
	} else {
		return;
	}
	gather_put(g, " ", 1);
}

/* Only the strings of N itself; deeper ones are added on their own. */
static void put_words(struct gather *g, const struct node *n, put_fn *put)
{
	if (n && n->kind != NODE_LIST)
		put_word(g, n, put);
	for (size_t i = 0; n && n->kind == NODE_LIST && i < n->list.count; i++)
		put_word(g, n->list.item[i], put);
}

static void end_line(struct gather *g, size_t begin)
{
	if (g->failed || g->len == begin)
		return;
	g->s[g->len - 1] = '\n';
}

/* Adds a line for each command with each list of arguments. -1: there are too many; adds none. */
static int put_call(struct gather *g, const struct node *map)
{
	struct values commands = {0}, args = {0};

	if (find_values(map, &commands, &args) < 0)
		return -1;
	for (size_t i = 0; i < commands.count * args.count; i++) {
		size_t begin = g->len;
		put_words(g, commands.value[i % commands.count], gather_put);
		put_words(g, args.value[i / commands.count], gather_put);
		end_line(g, begin);
		gather_put(g, "\n", 1);
	}
	return 0;
}

static bool is_skipped(const struct gather *g, const struct node *n)
{
	for (size_t i = 0; i < g->skipc; i++)
		if (g->skip[i] == n)
			return true;
	return false;
}

void gather_pair(struct gather *g, const struct node_pair *p)
{
	if (is_skipped(g, p->value))
		return;
	gather_put(g, p->key.s, p->key.len);
	gather_put(g, p->value->kind == NODE_STRING ? "=" : "\n", 1);
	gather_node(g, p->value);
}

static void gather_pairs(struct gather *g, const struct node *map, bool without_words)
{
	for (size_t i = 0; i < map->map.count; i++)
		if (!without_words || !has_words(&map->map.pair[i]))
			gather_pair(g, &map->map.pair[i]);
}

void gather_call(struct gather *g, const struct node *map)
{
	bool known = map->kind == NODE_MAP && put_call(g, map) == 0;

	g->too_many |= map->kind == NODE_MAP && !known;
	if (map->kind == NODE_MAP)
		gather_pairs(g, map, known);
	else
		gather_node(g, map);
}

static void gather_list(struct gather *g, const struct node *n)
{
	for (size_t i = 0; i < n->list.count; i++) {
		gather_node(g, n->list.item[i]);
		if (n->list.item[i]->kind == NODE_STRING && i + 1 < n->list.count && !g->failed)
			g->s[g->len - 1] = ' ';
	}
}

void gather_node(struct gather *g, const struct node *n)
{
	if (n->kind == NODE_STRING) {
		gather_put(g, n->text.s, n->text.len);
		gather_put(g, "\n", 1);
	} else if (n->kind == NODE_LIST) {
		gather_list(g, n);
	} else if (n->kind == NODE_MAP && is_call(n)) {
		gather_call(g, n);
	} else if (n->kind == NODE_MAP) {
		gather_pairs(g, n, false);
	}
}

/* A word without these characters is not code in any language, as in most calls. */
static bool is_code(const struct node *n)
{
	bool code = n && n->kind == NODE_STRING && strpbrk(n->text.s, " \t\n'\"`$;|&<>(){}\\");

	for (size_t i = 0; !code && n && n->kind == NODE_LIST && i < n->list.count; i++)
		code = n->list.item[i]->kind == NODE_STRING && is_code(n->list.item[i]);
	return code;
}

/* A command of several words is a shell command line. */
static bool is_line(const struct node *n)
{
	return n && n->kind == NODE_STRING && strpbrk(n->text.s, " \t\n");
}

static void put_line(struct gather *g, const struct node *command, const struct node *args)
{
	struct gather line = {0};
	size_t begin = g->len;

	if (!is_code(command) && !is_code(args))
		return;
	put_words(g, command, put_quoted);
	put_words(g, args, put_quoted);
	end_line(g, begin);
	if (!is_line(command))
		return;
	put_words(&line, command, gather_put);
	put_words(&line, args, gather_put);
	g->failed |= line.failed;
	g->too_long |= line.too_long;
	if (line.failed)
		return;
	gather_put(g, "sh -c ", 6);
	put_quoted(g, line.s, line.len);
	gather_put(g, "\n", 1);
	gather_done(&line);
}

static void put_script(struct gather *g, const struct node *map)
{
	struct values commands = {0}, args = {0};

	if (find_values(map, &commands, &args) < 0) {
		g->too_many = true;
		return;
	}
	for (size_t i = 0; i < commands.count * args.count; i++)
		put_line(g, commands.value[i % commands.count], args.value[i / commands.count]);
}

void gather_script(struct gather *g, const struct node *n)
{
	if (is_call(n))
		put_script(g, n);
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++)
		gather_script(g, n->map.pair[i].value);
	for (size_t i = 0; n->kind == NODE_LIST && i < n->list.count; i++)
		gather_script(g, n->list.item[i]);
}

void gather_error(const struct gather *g, struct err *ret)
{
	if (g->too_long)
		err_set(ret, ERR_LIMIT, "its strings are longer than %zu MiB", GATHER_MAX >> 20);
	else if (!g->failed)
		err_set(ret, ERR_LIMIT, "commands and arguments of a call: at most %d",
			GATHER_CALLS_MAX);
	else
		err_memory(ret);
}

void gather_done(struct gather *g)
{
	free(g->s);
	*g = (struct gather){0};
}
