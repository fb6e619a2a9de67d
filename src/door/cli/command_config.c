/* SPDX-License-Identifier: MIT
 *
 * cordon config: shows each value of the configuration with its origin, and checks the files. It
 * runs with a broken configuration too.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/scope.h"
#include "door/cli/cli.h"
#include "gate/deliver.h"
#include "policy/policy.h"
#include "show/jsonval.h"
#include "show/terminal.h"

enum { NAME_WIDTH = 19, VALUE_WIDTH = 24 };

struct value_view {
	const struct config *config;
	enum config_id id;
	struct arena *arena;
};

static json_t *target_json(const struct config_target *t)
{
	json_t *words = t->commandc ? json_array() : json_null();

	for (size_t i = 0; i < t->commandc; i++)
		json_array_append_new(words, jsonval_readable(t->command[i]));
	return json_pack("{s:o, s:o, s:o}", "command", words, "url",
			 t->url ? jsonval_readable(t->url) : json_null(), "secret_file",
			 t->secret_file ? jsonval_readable(t->secret_file) : json_null());
}

static json_t *list_json(const struct config_list *l)
{
	json_t *all = json_array();

	for (size_t i = 0; i < l->count; i++)
		json_array_append_new(all, jsonval_readable(l->text[i]));
	return all;
}

static json_t *text_json(const char *text)
{
	return text ? jsonval_readable(text) : json_null();
}

static json_t *value_json(const struct value_view *v)
{
	const struct config_values *now = &v->config->now;

	if (!config_text(now, v->id, v->arena))
		return json_null();
	if (v->id == CONFIG_RULES)
		return list_json(&now->rules);
	if (v->id == CONFIG_NOTIFY || v->id == CONFIG_HEADS)
		return target_json(v->id == CONFIG_NOTIFY ? &now->notify : &now->heads);
	return jsonval_readable(config_text(now, v->id, v->arena));
}

FIELD(value_name, struct value_view, json_string(config_name(v->id, v->arena)))
FIELD(value_value, struct value_view, value_json(v))
FIELD(value_from, struct value_view, json_string(config_from_name(v->config->from[v->id])))
FIELD(value_where, struct value_view, text_json(v->config->now.where[v->id]))
FIELD(value_enforced, struct value_view, text_json(v->config->enforced.where[v->id]))

static const struct json_field value_fields[] = {
	{"name", "the key, like limits.time", value_name},
	{"value", "the value as text, or null; rules is a list, notify and heads are maps",
	 value_value},
	{"from", "default, operator, user, variable or option", value_from},
	{"where", "file and line, or the variable; null for a default", value_where},
	{"enforced", "file and line of the configuration that enforces it, or null",
	 value_enforced},
	{0}};

FIELD(problem_message, struct err, jsonval_readable(v->message))
FIELD(problem_cause, struct err, jsonval_readable(v->cause))
FIELD(problem_cure, struct err, jsonval_readable(v->cure))

static const struct json_field problem_fields[] = {
	{"message", "file, line and what is wrong", problem_message},
	{"cause", "the cause, or empty", problem_cause},
	{"cure", "what to do, or empty", problem_cure},
	{0}};

/* Problems: printed at once, or kept for JSON. */
struct problems {
	json_t *list; /* NULL: they are printed */
	size_t count;
};

static void on_problem(void *ctx, const struct err *err)
{
	struct problems *p = ctx;

	p->count++;
	if (p->list)
		json_array_append_new(p->list, jsonval_object(problem_fields, err));
	else
		terminal_print_error(err);
}

static void show_values(const struct config *c, struct arena *arena)
{
	for (int i = 0; i < CONFIG_COUNT; i++) {
		enum config_id id = (enum config_id)i;
		const char *text = config_text(&c->now, id, arena);
		struct config_key key;
		unsigned row = 0;

		while (!text && config_key_at(row++, arena, &key))
			if (key.fallback && strncmp(key.name, config_name(id, arena),
						    strlen(config_name(id, arena))) == 0)
				text = key.fallback;
		printf("%-*s ", NAME_WIDTH, config_name(id, arena));
		terminal_print_text(stdout, text ? text : "none");
		printf("%*s ",
		       (int)strlen(text ? text : "none") < VALUE_WIDTH
			       ? VALUE_WIDTH - (int)strlen(text ? text : "none")
			       : 0,
		       "");
		terminal_print_text(stdout, c->now.where[i] ? c->now.where[i] : "default");
		if (c->enforced.where[i]) {
			fputs(", enforced by ", stdout);
			terminal_print_text(stdout, c->enforced.where[i]);
		}
		putchar('\n');
	}
}

static void print_problems(struct problems *p)
{
	if (p->list)
		jsonval_print(json_pack("{s:O}", "problems", p->list));
	else if (!p->count)
		puts("no errors");
}

static int show(struct cli_call *call)
{
	struct arena arena = {0};
	struct problems found = {.list = call->json ? jsonval_array() : NULL};
	struct config_sink sink = {on_problem, &found};
	struct err err = {0};
	int result = config_load(&call->config, &sink, &err);

	if (result < 0 && !found.count)
		on_problem(&found, &err);
	if (result < 0) {
		if (call->json)
			print_problems(&found);
	} else if (call->json) {
		json_t *all = json_array();
		for (int i = 0; i < CONFIG_COUNT; i++) {
			struct value_view v = {&call->config, (enum config_id)i, &arena};
			json_array_append_new(all, jsonval_object(value_fields, &v));
		}
		jsonval_print(json_pack("{s:o, s:O}", "values", all, "problems", found.list));
	} else {
		show_values(&call->config, &arena);
	}
	json_decref(found.list);
	arena_done(&arena);
	return result < 0 ? CLI_STATUS_BAD : 0;
}

/* Checks the file that a value names. */
static void check_file(const struct config *c, enum config_id id, const char *path,
		       struct problems *found)
{
	struct arena arena = {0};
	const char *where = c->now.where[id], *name = config_name(id, &arena);
	struct err err = {0};
	struct stat st;

	if (stat(path, &st) < 0) {
		err_errno(&err, ERR_INPUT, "%.150s: %s: %.200s", where, name, path);
		on_problem(found, &err);
	} else if (st.st_mode & 022) {
		err_set(&err, ERR_INPUT, "%.150s: %s: others can change %.200s", where, name, path);
		err_cure(&err, "chmod go-w %.200s", path);
		on_problem(found, &err);
	}
	arena_done(&arena);
}

static void check_target(const struct config *c, enum config_id id, const struct config_target *t,
			 struct problems *found)
{
	struct err err = {0};

	if (t->secret_file && deliver_check_secret(t->secret_file, &err) < 0) {
		err_context(&err, "%.150s: %s", c->now.where[id],
			    id == CONFIG_NOTIFY ? "notify" : "heads");
		on_problem(found, &err);
	}
	/* A name without a slash is searched for when it is started. */
	if (t->commandc && strchr(t->command[0], '/'))
		check_file(c, id, t->command[0], found);
}

/* Checks that the policy, the rules and the receivers in the configuration are usable. */
static void check_named(const struct config *c, struct problems *found)
{
	const struct config_values *v = &c->now;
	struct policy policy;
	struct err err = {0};

	if (v->policy) {
		if (policy_open(&policy, v->policy, &err) < 0) {
			err_context(&err, "%.150s: policy", v->where[CONFIG_POLICY]);
			on_problem(found, &err);
		}
		policy_done(&policy);
		if (err.code == 0)
			check_file(c, CONFIG_POLICY, v->policy, found);
	}
	check_target(c, CONFIG_NOTIFY, &v->notify, found);
	check_target(c, CONFIG_HEADS, &v->heads, found);
	for (size_t i = 0; i < v->rules.count; i++) {
		AUTO_CLOSE int dir =
			open(v->rules.text[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
		if (dir >= 0)
			continue;
		err = (struct err){0};
		err_errno(&err, ERR_INPUT, "%.150s: rules: %.200s", v->where[CONFIG_RULES],
			  v->rules.text[i]);
		on_problem(found, &err);
	}
}

/* Reports misspelt CORDON_ variables. */
static void check_variables(struct problems *found)
{
	static const char *const others[] = {CONFIG_STORE_URL, "CORDON_BINARY"};
	struct arena arena = {0};

	for (char **at = environ; at && *at; at++) {
		size_t len = strcspn(*at, "=");
		struct nearest near = nearest_begin(*at, len);
		struct config_key key;
		struct err err = {0};
		if (strncmp(*at, "CORDON_", 7) != 0)
			continue;
		for (unsigned i = 0; config_key_at(i, &arena, &key); i++)
			if (key.variable)
				nearest_try(&near, key.variable);
		for (size_t i = 0; i < ARRAY_SIZE(others); i++)
			nearest_try(&near, others[i]);
		if (!near.name || (strlen(near.name) == len && strncmp(near.name, *at, len) == 0))
			continue;
		err_set(&err, ERR_INPUT, "%.*s: there is no such variable",
			(int)(len < 100 ? len : 100), *at);
		err_cure(&err, "did you mean %s?", near.name);
		on_problem(found, &err);
	}
	arena_done(&arena);
}

static int check(struct cli_call *call)
{
	struct problems found = {.list = call->json ? jsonval_array() : NULL};
	struct config_sink sink = {on_problem, &found};
	struct err err = {0};
	const char *file = call->argc > 1 ? call->argv[1] : NULL;
	int result = file ? config_load_draft(&call->config, file, &sink, &err)
			  : config_load(&call->config, &sink, &err);

	if (result < 0 && !found.count)
		on_problem(&found, &err);
	check_named(&call->config, &found);
	if (!file)
		check_variables(&found);
	print_problems(&found);
	json_decref(found.list);
	return found.count ? CLI_STATUS_BAD : 0;
}

static const struct cli_option config_options[] = {CLI_JSON_ROW, {0}};

static const struct verb {
	struct cli_verb verb;
	int (*run)(struct cli_call *call);
} verbs[] = {{{"show", NULL, 0, 0}, show}, {{"check", NULL, 0, 1}, check}};

static int run_config(struct cli_call *call)
{
	struct err err;
	const struct verb *verb =
		cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]), &err);

	return verb ? verb->run(call) : cli_fail_with(call, CLI_STATUS_USAGE, &err);
}

static const struct json_doc config_docs[] = {
	{"config.values[]", value_fields}, {"config.problems[]", problem_fields}, {0}};

static const struct cli_exit config_exits[] = {{"0", "no errors"},
					       {"1", "a file or a variable is wrong"},
					       {"2", "wrong usage"},
					       {"125", "the result could not be printed"},
					       {"", ""}};

COMMAND(config) = {
	.name = "config",
	.order = 60,
	.synopsis = "show|check [FILE] [options]",
	.help = "show each value of the configuration and where it comes from; check the files",
	.example = "cordon config check",
	.options = config_options,
	.exits = config_exits,
	.docs = {config_docs},
	.usage_status = 2,
	.takes_operands = true,
	.runs_unconfigured = true,
	.run = run_config,
};
