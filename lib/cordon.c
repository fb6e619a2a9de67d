/* SPDX-License-Identifier: MIT
 *
 * The objects of the library: a request and a result. Nothing here starts a program.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "private.h"

int fail(struct cordon *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->error, sizeof(c->error), format, args);
	va_end(args);
	return -1;
}

static void list_clear(struct list *l)
{
	while (l->count)
		free(l->word[--l->count]);
}

/* Takes ownership of WORD. */
static int list_add(struct cordon *c, struct list *l, char *word)
{
	if (!word)
		return fail(c, "out of memory");
	if (l->count == WORDS_MAX) {
		free(word);
		return fail(c, "more than %d options or arguments", WORDS_MAX);
	}
	l->word[l->count++] = word;
	return 0;
}

struct cordon *cordon_new(void)
{
	return calloc(1, sizeof(struct cordon));
}

void cordon_free(struct cordon *c)
{
	if (!c)
		return;
	list_clear(&c->options);
	list_clear(&c->arguments);
	free(c->program);
	free(c->input);
	free(c);
}

const char *cordon_error(const struct cordon *c)
{
	return c->error;
}

int cordon_set_program(struct cordon *c, const char *path)
{
	if (path[0] != '/')
		return fail(c, "\"%.60s\": the path of the program must be absolute", path);
	char *copy = strdup(path);
	if (!copy)
		return fail(c, "out of memory");
	free(c->program);
	c->program = copy;
	return 0;
}

int cordon_set(struct cordon *c, const char *option, const char *value)
{
	char *word = NULL;

	if (!*option || strspn(option, "abcdefghijklmnopqrstuvwxyz-") != strlen(option))
		return fail(c, "\"%.60s\" is not the name of an option", option);
	if (strcmp(option, "events") == 0 || strcmp(option, "json") == 0)
		return fail(c, "--%s is reserved", option);
	if (asprintf(&word, "--%s%s%s", option, value ? "=" : "", value ? value : "") < 0)
		word = NULL;
	if (list_add(c, &c->options, word) < 0)
		return -1;
	c->has_lang = c->has_lang || strcmp(option, "lang") == 0;
	return 0;
}

int cordon_add_argument(struct cordon *c, const char *word)
{
	return list_add(c, &c->arguments, strdup(word));
}

int cordon_set_input(struct cordon *c, const void *data, size_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		return fail(c, "out of memory");
	memcpy(copy, data, len);
	free(c->input);
	c->input = copy;
	c->input_len = len;
	return 0;
}

int cordon_on_output(struct cordon *c,
		     int (*output)(void *ctx, int stream, const char *data, size_t len), void *ctx)
{
	c->output = output;
	c->ctx = ctx;
	return 0;
}

void cordon_result_free(struct cordon_result *r)
{
	if (!r)
		return;
	for (int i = 0; i < 2; i++)
		free(r->out[i].data);
	json_decref(r->object);
	free(r->json);
	free(r->reason);
	free(r);
}

const char *cordon_status(const struct cordon_result *r)
{
	const char *status = json_string_value(json_object_get(r->object, "status"));

	return status ? status : "error";
}

int cordon_exit_code(const struct cordon_result *r)
{
	const json_t *code = json_object_get(r->object, "exit_code");

	return json_is_integer(code) ? (int)json_integer_value(code) : -1;
}

static const char *text_of(const struct text *t, size_t *ret_len)
{
	if (ret_len)
		*ret_len = t->len;
	return t->data ? t->data : "";
}

const char *cordon_stdout(const struct cordon_result *r, size_t *ret_len)
{
	return text_of(&r->out[0], ret_len);
}

const char *cordon_stderr(const struct cordon_result *r, size_t *ret_len)
{
	return text_of(&r->out[1], ret_len);
}

const char *cordon_reason(const struct cordon_result *r)
{
	return r->reason ? r->reason : "";
}

const char *cordon_json(const struct cordon_result *r)
{
	return r->json ? r->json : "{}";
}
