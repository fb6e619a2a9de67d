/* SPDX-License-Identifier: MIT
 *
 * The keys of the configuration, one row each, and the values, one row each. A value can have several keys
 * (notify.url and notify.secret_file) and is taken whole from one place. The limits are rows of the model.
 */
#include <ctype.h>
#include <string.h>

#include "base/scope.h"
#include "conf/config_private.h"
#include "conf/name_list.h"
#include "conf/units.h"

static int wrong(struct config_reader *r, const struct config_row *row, const struct node *n)
{
	return config_complain(r, n->line, "%s takes %s, not %s", row->name, row->takes,
			       node_kind_name(n->kind));
}

/* A string without NUL; NULL: an error was reported. A number is refused, because 08 would become 8. */
static const char *string(struct config_reader *r, const struct config_row *row,
			  const struct node *n)
{
	const char *text = node_string(n);

	if (n->kind != NODE_STRING)
		wrong(r, row, n);
	else if (!text)
		config_complain(r, n->line, "%s holds a NUL", row->name);
	else if (!*text || strlen(text) > CONFIG_TEXT_MAX)
		config_complain(r, n->line, "%s: 1 to %d bytes", row->name, CONFIG_TEXT_MAX);
	else
		return text;
	return NULL;
}

/* An absolute path without ".", ".." and control characters. */
static const char *path_of(struct config_reader *r, const struct config_row *row,
			   const struct node *n)
{
	const char *text = string(r, row, n);

	if (!text || spec_path_is_clean(text))
		return text;
	config_complain(r, n->line, "%s: \"%.64s\" is not an absolute path", row->name, text);
	err_cure(r->err, "write it like /etc/cordon/policy.yaml: from the root, without . and ..");
	return NULL;
}

static int read_version(struct config_reader *r, const struct config_row *row, const struct node *n,
			struct config_values *to)
{
	(void)to;
	return n->kind == NODE_INT && n->integer == CONFIG_VERSION
		       ? 0
		       : config_complain(r, n->line, "%s: only %d is known", row->name,
					 CONFIG_VERSION);
}

static int read_tier(struct config_reader *r, const struct config_row *row, const struct node *n,
		     struct config_values *to)
{
	const char *text = string(r, row, n);
	char names[NAMES_MAX];

	if (!text)
		return -1;
	to->tier = tier_find(text);
	if (to->tier < TIER_COUNT)
		return 0;
	to->tier = TIER_FULL;
	return config_complain(r, n->line, "%s: there is no \"%.32s\" (%s)", row->name, text,
			       names_of_tiers(names, sizeof(names)));
}

static int read_path(struct config_reader *r, const struct config_row *row, const struct node *n,
		     struct config_values *to)
{
	const char *text = path_of(r, row, n);

	memcpy((char *)to + row->at, &text, sizeof(text));
	return text ? 0 : -1;
}

static int read_paths(struct config_reader *r, const struct config_row *row, const struct node *n,
		      struct config_values *to)
{
	struct config_list *list = (struct config_list *)((char *)to + row->at);

	list->count = 0;
	if (n->kind != NODE_LIST)
		return wrong(r, row, n);
	if (node_count(n) == 0 || node_count(n) > ARRAY_SIZE(list->text))
		return config_complain(r, n->line, "%s: 1 to %zu directories", row->name,
				       ARRAY_SIZE(list->text));
	for (size_t i = 0; i < node_count(n); i++) {
		const char *text = path_of(r, row, node_item(n, i));
		if (!text)
			return -1;
		list->text[list->count++] = text;
	}
	return 0;
}

static int read_toolchains(struct config_reader *r, const struct config_row *row,
			   const struct node *n, struct config_values *to)
{
	if (n->kind == NODE_LIST && node_count(n) > REQUEST_TOOLCHAINS_MAX)
		return config_complain(r, n->line, "%s: 1 to %d directories", row->name,
				       REQUEST_TOOLCHAINS_MAX);
	return read_paths(r, row, n, to);
}

static int read_words(struct config_reader *r, const struct config_row *row, const struct node *n,
		      struct config_values *to)
{
	struct config_target *t = (struct config_target *)((char *)to + row->at);

	t->is_operators = r->is_operator;

	t->commandc = 0;
	if (n->kind != NODE_LIST)
		return wrong(r, row, n);
	if (node_count(n) == 0 || node_count(n) > CONFIG_WORDS_MAX)
		return config_complain(r, n->line, "%s: 1 to %d words", row->name,
				       CONFIG_WORDS_MAX);
	for (size_t i = 0; i < node_count(n); i++) {
		const char *text = string(r, row, node_item(n, i));
		if (!text)
			return -1;
		t->command[t->commandc++] = text;
	}
	return 0;
}

static int read_url(struct config_reader *r, const struct config_row *row, const struct node *n,
		    struct config_values *to)
{
	const char *text = string(r, row, n);
	bool is_clean = text != NULL;

	for (const char *p = text; p && *p; p++)
		is_clean = is_clean && isgraph((unsigned char)*p);
	memcpy((char *)to + row->at, &text, sizeof(text));
	if (!text)
		return -1;
	if (is_clean && (strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0))
		return 0;
	return config_complain(r, n->line, "%s: \"%.64s\" is not a URL like https://...", row->name,
			       text);
}

static int read_time(struct config_reader *r, const struct config_row *row, const struct node *n,
		     struct config_values *to)
{
	const char *text = string(r, row, n);
	uint64_t *ms = (uint64_t *)(void *)((char *)to + row->at);

	if (!text)
		return -1;
	if (units_parse(UNIT_DURATION_MS, text, ms) && *ms >= 1000)
		return 0;
	return config_complain(r, n->line,
			       "%s: \"%.32s\" is not a duration of at least 1s, like 90d",
			       row->name, text);
}

static int read_limit(struct config_reader *r, const struct config_row *row, const struct node *n,
		      struct config_values *to)
{
	const struct limit_row *limit = limit_row((enum limit_id)row->limit);
	char number[32], low[32], high[32];
	const char *text = number;
	uint64_t value;

	if (n->kind == NODE_INT && n->integer >= 0)
		snprintf(number, sizeof(number), "%lld", (long long)n->integer);
	else
		text = string(r, row, n);
	if (!text)
		return -1;
	if (!units_parse(limit->unit, text, &value))
		return config_complain(r, n->line,
				       "%s: \"%.32s\" is not a value (write it like %s)", row->name,
				       text, units_example(limit->unit));
	if (value < limit->min || value > limit->max)
		return config_complain(r, n->line, "%s: %.32s is out of range (%s to %s)",
				       row->name, text,
				       units_format(limit->unit, limit->min, low, sizeof(low)),
				       units_format(limit->unit, limit->max, high, sizeof(high)));
	to->limit[row->limit] = value;
	return 0;
}

#define AT(field) offsetof(struct config_values, field)

static const struct config_row rows[] = {
	{"version", "1", "of this format", CONFIG_COUNT, read_version, 0, 0},
	{"tier", "full, no-cgroup or no-userns", "the box of a run", CONFIG_TIER, read_tier, 0, 0},
	{"policy", "a path", "the policy file", CONFIG_POLICY, read_path, AT(policy), 0},
	{"state", "a path", "the state directory: log, keys, conversations", CONFIG_STATE,
	 read_path, AT(state), 0},
	{"rules", "a list of paths", "directories of rules", CONFIG_RULES, read_paths, AT(rules),
	 0},
	{"notify.command", "a list of words", "gets each waiting request on its standard input",
	 CONFIG_NOTIFY, read_words, AT(notify), 0},
	{"notify.url", "https://...", "gets each waiting request as a signed POST", CONFIG_NOTIFY,
	 read_url, AT(notify.url), 0},
	{"notify.secret_file", "a path", "the secret that signs it", CONFIG_NOTIFY, read_path,
	 AT(notify.secret_file), 0},
	{"heads.command", "a list of words", "gets the head of each transaction of the log",
	 CONFIG_HEADS, read_words, AT(heads), 0},
	{"heads.url", "https://...", "gets the head of each transaction as a signed POST",
	 CONFIG_HEADS, read_url, AT(heads.url), 0},
	{"heads.secret_file", "a path", "the secret that signs it", CONFIG_HEADS, read_path,
	 AT(heads.secret_file), 0},
	{"log.keep", "a time", "how long the log keeps records", CONFIG_LOG_KEEP, read_time,
	 AT(keep_ms), 0},
	{"toolchains", "a list of paths", "directories of programs for the profile dev, read-only",
	 CONFIG_TOOLCHAINS, read_toolchains, AT(toolchains), 0},
};

const struct config_row *config_row_at(unsigned i, struct config_row *ret_limit,
				       struct arena *arena)
{
	if (i < ARRAY_SIZE(rows))
		return &rows[i];
	i -= ARRAY_SIZE(rows);
	if (i >= LIMIT_COUNT)
		return NULL;
	const struct limit_row *limit = limit_row((enum limit_id)i);
	*ret_limit = (struct config_row){arena_printf(arena, "limits.%s", limit->name),
					 units_example(limit->unit),
					 limit->help,
					 (enum config_id)(CONFIG_LIMIT + i),
					 read_limit,
					 0,
					 i};
	return ret_limit;
}

static bool is_weaker(const void *a, const void *b)
{
	return *(const enum tier *)a > *(const enum tier *)b;
}

static bool is_more(const void *a, const void *b)
{
	uint64_t limit = *(const uint64_t *)a, most = *(const uint64_t *)b;

	return limit == 0 || limit > most;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool other_text(const void *a, const void *b)
{
	return !same_text(*(const char *const *)a, *(const char *const *)b);
}

static bool other_time(const void *a, const void *b)
{
	return *(const uint64_t *)a != *(const uint64_t *)b;
}

static bool other_list(const void *a, const void *b)
{
	const struct config_list *one = a, *two = b;
	bool same = one->count == two->count;

	for (size_t i = 0; same && i < one->count; i++)
		same = same_text(one->text[i], two->text[i]);
	return !same;
}

static bool other_target(const void *a, const void *b)
{
	const struct config_target *one = a, *two = b;
	bool same = one->commandc == two->commandc && same_text(one->url, two->url) &&
		    same_text(one->secret_file, two->secret_file);

	for (size_t i = 0; same && i < one->commandc; i++)
		same = same_text(one->command[i], two->command[i]);
	return !same;
}

static const char *tier_text(const void *v, struct arena *arena)
{
	(void)arena;
	return tier_row(*(const enum tier *)v)->name;
}

static const char *plain_text(const void *v, struct arena *arena)
{
	(void)arena;
	return *(const char *const *)v;
}

static const char *list_text(const void *v, struct arena *arena)
{
	const struct config_list *list = v;
	const char *all = NULL;

	for (size_t i = 0; i < list->count; i++)
		all = arena_printf(arena, "%s%s%s", all ? all : "", all ? ":" : "", list->text[i]);
	return all;
}

static const char *target_text(const void *v, struct arena *arena)
{
	const struct config_target *t = v;
	const char *all = t->url;

	for (size_t i = 0; i < t->commandc; i++)
		all = arena_printf(arena, "%s%s%s", all ? all : "", all ? " " : "",
				   arena_quote(arena, t->command[i]));
	return all;
}

static const char *time_text(const void *v, struct arena *arena)
{
	uint64_t ms = *(const uint64_t *)v;
	char text[32];

	return ms ? arena_dup(arena, units_format(UNIT_DURATION_MS, ms, text, sizeof(text))) : NULL;
}

#define FIELD(field) AT(field), sizeof(((struct config_values *)0)->field)

static const struct config_value values[CONFIG_LIMIT] = {
	[CONFIG_TIER] = {"tier", "tier", "full", true, true, FIELD(tier), is_weaker, tier_text},
	[CONFIG_POLICY] = {"policy", "policy", "the profile balanced", true, false, FIELD(policy),
			   other_text, plain_text},
	[CONFIG_STATE] = {"state", "state", "$XDG_STATE_HOME/cordon", true, false, FIELD(state),
			  other_text, plain_text},
	[CONFIG_RULES] = {"rules", "rules", "the fetched and the built-in rules", true, false,
			  FIELD(rules), other_list, list_text},
	[CONFIG_NOTIFY] = {"notify", NULL, "none", false, false, FIELD(notify), other_target,
			   target_text},
	[CONFIG_HEADS] = {"heads", NULL, "none", false, false, FIELD(heads), other_target,
			  target_text},
	[CONFIG_LOG_KEEP] = {"log.keep", "keep", "for ever", true, false, FIELD(keep_ms),
			     other_time, time_text},
	[CONFIG_TOOLCHAINS] = {"toolchains", NULL, "those of the home directory", false, false,
			       FIELD(toolchains), other_list, list_text},
};

struct config_value config_value(enum config_id id, struct arena *arena)
{
	if (id < CONFIG_LIMIT)
		return values[id];
	const struct limit_row *limit = limit_row((enum limit_id)(id - CONFIG_LIMIT));
	char text[32], command[32];
	const char *usual = limit->fallback
				    ? units_format(limit->unit, limit->fallback, text, sizeof(text))
				    : "none";
	if (limit->command)
		usual = arena_printf(
			arena, "%s, of cordon exec and cordon box %s", usual,
			units_format(limit->unit, limit->command, command, sizeof(command)));
	return (struct config_value){.name = arena_printf(arena, "limits.%s", limit->name),
				     .flag = limit->name,
				     .fallback = arena_dup(arena, usual ? usual : ""),
				     .has_variable = true,
				     .is_bound = true,
				     .at = AT(limit) + (id - CONFIG_LIMIT) * sizeof(uint64_t),
				     .size = sizeof(uint64_t),
				     .breaks = is_more};
}

const char *config_name(enum config_id id, struct arena *arena)
{
	return config_value(id, arena).name;
}

const char *config_text(const struct config_values *v, enum config_id id, struct arena *arena)
{
	char text[32];

	if (id < CONFIG_LIMIT)
		return values[id].text((const char *)v + values[id].at, arena);
	enum limit_id limit = (enum limit_id)(id - CONFIG_LIMIT);
	return v->limit[limit] ? arena_dup(arena, units_format(limit_row(limit)->unit,
							       v->limit[limit], text, sizeof(text)))
			       : NULL;
}

/* CORDON_LIMITS_CPU_TIME. */
const char *config_variable(enum config_id id, struct arena *arena)
{
	struct config_value v = config_value(id, arena);
	char *name = v.has_variable ? arena_printf(arena, "CORDON_%s", v.name) : NULL;

	for (char *p = name; p && *p; p++)
		*p = (char)(*p == '.' || *p == '-' ? '_' : toupper((unsigned char)*p));
	return name;
}

bool config_key_at(unsigned i, struct arena *arena, struct config_key *ret)
{
	struct config_row limit;
	const struct config_row *row = config_row_at(i, &limit, arena);

	if (!row)
		return false;
	*ret = (struct config_key){.name = row->name, .takes = row->takes, .help = row->help};
	if (row->id >= CONFIG_COUNT)
		return true;
	struct config_value v = config_value(row->id, arena);
	ret->fallback = v.fallback;
	ret->variable = config_variable(row->id, arena);
	ret->flag = v.flag;
	ret->enforced =
		v.is_bound ? (row->id == CONFIG_TIER ? "the weakest" : "the most") : "exact";
	return true;
}
