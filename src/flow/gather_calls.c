/* SPDX-License-Identifier: MIT
 *
 * Calls in a document: a command and its arguments stand apart there, and whoever uses it puts them
 * together. Where programs keep them is anybody's guess, so any map with both is one. A key may
 * stand there twice, and programs do not agree on which of both counts: so each command goes with
 * each list of arguments. The words of one call must never become a part of the next.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "flow/gather_private.h"

static const char *const command_keys[] = {"command", "cmd", "program", "path", "executable"};
static const char *const args_keys[] = {"args", "arguments", "argv"};

struct values {
	size_t count; /* of all */
	const struct node *value[GATHER_CALLS_MAX];
};

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

bool call_is(const struct node *map)
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
	if (call_is(n))
		return true;
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++)
		if (gather_has_calls(n->map.pair[i].value))
			return true;
	for (size_t i = 0; n->kind == NODE_LIST && i < n->list.count; i++)
		if (gather_has_calls(n->list.item[i]))
			return true;
	return false;
}

bool call_has_words(const struct node_pair *p)
{
	if (!is_args_key(p->key) || p->value->kind != NODE_LIST)
		return false;
	for (size_t i = 0; i < p->value->list.count; i++)
		if (p->value->list.item[i]->kind != NODE_STRING)
			return false;
	return true;
}

static void add_value(struct values *v, const struct node *n)
{
	if (v->count < GATHER_CALLS_MAX)
		v->value[v->count] = n;
	v->count++;
}

/* -1: too many. At least one of each, which may be NULL. */
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

/* As a shell has to be told a word, whatever is in it. */
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

/* Only its own words: what lies deeper has its own place. */
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

int call_put(struct gather *g, const struct node *map)
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

/* A word without any of these is only a word, to every language: most calls need nobody to read them. */
static bool is_code(const struct node *n)
{
	bool code = n && n->kind == NODE_STRING && strpbrk(n->text.s, " \t\n'\"`$;|&<>(){}\\");

	for (size_t i = 0; !code && n && n->kind == NODE_LIST && i < n->list.count; i++)
		code = n->list.item[i]->kind == NODE_STRING && is_code(n->list.item[i]);
	return code;
}

/* A command of several words is for a shell. */
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
	if (call_is(n))
		put_script(g, n);
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++)
		gather_script(g, n->map.pair[i].value);
	for (size_t i = 0; n->kind == NODE_LIST && i < n->list.count; i++)
		gather_script(g, n->list.item[i]);
}
