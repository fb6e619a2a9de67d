/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for configurations: any bytes as the operator's file and as the user's. What is refused
 * must be refused with a place and a reason. What is taken must have values that a command can use, each
 * with the place it came from; and what is enforced must hold. A broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "conf/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_path(const char *path)
{
	must(!path || (spec_path_is_clean(path) && strlen(path) <= CONFIG_TEXT_MAX));
}

static void check_target(const struct config_values *v, enum config_id id,
			 const struct config_target *t)
{
	must(t->commandc <= CONFIG_WORDS_MAX);
	must((t->commandc || t->url) == (v->where[id] != NULL));
	must(!t->commandc || (!t->url && !t->secret_file));
	must(!t->url == !t->secret_file);
	check_path(t->secret_file);
}

static void check_values(const struct config_values *v, struct arena *arena)
{
	must(v->tier < TIER_COUNT && v->rules.count <= REQUEST_LIST_MAX);
	check_path(v->policy);
	check_path(v->state);
	for (size_t i = 0; i < v->rules.count; i++)
		check_path(v->rules.text[i]);
	check_target(v, CONFIG_NOTIFY, &v->notify);
	check_target(v, CONFIG_HEADS, &v->heads);
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		must(!v->where[CONFIG_LIMIT + i] ||
		     (v->limit[i] >= row->min && v->limit[i] <= row->max));
	}
	for (int i = 0; i < CONFIG_COUNT; i++)
		must(!v->where[i] || (strncmp(v->where[i], "f:", 2) == 0 &&
				      config_text(v, (enum config_id)i, arena)));
}

static void check_config(struct config *c, bool is_operator)
{
	struct err err = {0};

	check_values(&c->now, &c->arena);
	check_values(&c->enforced, &c->arena);
	for (int i = 0; i < CONFIG_COUNT; i++) {
		must(is_operator || !c->enforced.where[i]);
		must((c->from[i] == CONFIG_DEFAULT) == (c->now.where[i] == NULL));
	}
	must(!c->enforced.where[CONFIG_TIER] || c->now.tier <= c->enforced.tier);
	for (int i = 0; i < LIMIT_COUNT; i++)
		must(!c->enforced.where[CONFIG_LIMIT + i] ||
		     (c->now.limit[i] && c->now.limit[i] <= c->enforced.limit[i]));
	must(!c->enforced.where[CONFIG_STATE] || c->now.state == c->enforced.state);
	/* What holds can be said again, and is no weaker than itself. */
	struct config_values same = c->now;
	must(config_add_flags(c, &same, &err) == 0);
	if (!c->enforced.where[CONFIG_STATE])
		return;
	same.state = "/somewhere/else/that/no/seed/has";
	must(config_add_flags(c, &same, &err) < 0 && err.code == ERR_REFUSED);
}

static void as_config(const char *data, size_t len, bool is_operator)
{
	struct config c;
	struct err err = {0};

	if (config_parse(&c, "f", data, len, is_operator, &err) == 0)
		check_config(&c, is_operator);
	else
		must(err.code && err.code < ERR_COUNT && strlen(err.message) > 4 &&
		     strncmp(err.message, "f:", 2) == 0);
	config_done(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* Of its exact size, so that the sanitizer sees a read past the end. */
	AUTO_FREE char *copy = malloc(len ? len : 1);

	must(copy);
	if (len)
		memcpy(copy, data, len);
	as_config(copy, len, true);
	as_config(copy, len, false);
	return 0;
}
