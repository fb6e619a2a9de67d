/* SPDX-License-Identifier: MIT
 *
 * Merges files and variables into one configuration, by the rows of config_keys.c. A key without a
 * row is an error: a misspelt protection must not be ignored.
 */
#include "conf/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/root_file.h"
#include "base/scope.h"
#include "conf/config_private.h"
#include "yaml/yaml.h"

static const char *const from_names[CONFIG_FROMS] = {
	[CONFIG_DEFAULT] = "default",	[CONFIG_OPERATOR] = "operator", [CONFIG_USER] = "user",
	[CONFIG_VARIABLE] = "variable", [CONFIG_FLAG] = "option",
};

const char *config_from_name(unsigned i)
{
	return i < CONFIG_FROMS ? from_names[i] : NULL;
}

static int no_such_key(struct config_reader *r, const char *prefix, const struct node_pair *p,
		       const struct config_values *to)
{
	size_t skip = strlen(prefix);
	struct nearest near = nearest_begin(p->key.s, p->key.len);
	struct config_row limit;
	const struct config_row *row;

	for (unsigned i = 0; (row = config_row_at(i, &limit, r->arena)); i++) {
		const char *rest = strncmp(row->name, prefix, skip) == 0 ? row->name + skip : NULL;
		if (rest)
			nearest_try(&near,
				    arena_printf(r->arena, "%.*s", (int)strcspn(rest, "."), rest));
	}
	if (!*prefix && r->is_operator && to != r->enforced)
		nearest_try(&near, "enforced");
	config_complain(r, p->line, "there is no key \"%s%.64s\"", prefix, p->key.s);
	if (near.name)
		err_cure(r->err, "did you mean \"%s%s\"?", prefix, near.name);
	else
		err_cure(r->err, "cordon config show lists the keys");
	return -1;
}

/* Do rows have names that begin with FULL and a dot? */
static bool is_map(struct config_reader *r, const char *full)
{
	struct config_row limit;
	const struct config_row *row;
	size_t len = strlen(full);

	for (unsigned i = 0; (row = config_row_at(i, &limit, r->arena)); i++)
		if (strncmp(row->name, full, len) == 0 && row->name[len] == '.')
			return true;
	return false;
}

static const struct config_row *find(struct config_reader *r, const char *full,
				     struct config_row *ret_limit)
{
	const struct config_row *row;

	for (unsigned i = 0; (row = config_row_at(i, ret_limit, r->arena)); i++)
		if (strcmp(row->name, full) == 0)
			return row;
	return NULL;
}

static int read_map(struct config_reader *r, const char *prefix, const struct node *n,
		    struct config_values *to);

static int read_enforced(struct config_reader *r, const struct node_pair *p)
{
	if (!r->is_operator)
		return config_complain(r, p->line, "enforced can only be in " CONFIG_FILE);
	return read_map(r, "", p->value, r->enforced);
}

static int read_pair(struct config_reader *r, const char *prefix, const struct node_pair *p,
		     struct config_values *to)
{
	struct config_row limit;
	/* A key with NUL matches no row, because its length differs. */
	const char *full = arena_printf(r->arena, "%s%s", prefix, p->key.s);
	const struct config_row *row = NULL;

	if (strlen(p->key.s) == p->key.len && !strchr(p->key.s, '.')) {
		row = find(r, full, &limit);
		if (to != r->enforced && strcmp(full, "enforced") == 0)
			return read_enforced(r, p);
		if (!row && is_map(r, full))
			return read_map(r, arena_printf(r->arena, "%s.", full), p->value, to);
	}
	if (!row || (to == r->enforced && row->id == CONFIG_COUNT))
		return no_such_key(r, prefix, p, to);
	if (row->read(r, row, p->value, to) < 0)
		return -1;
	if (row->id < CONFIG_COUNT && !to->where[row->id])
		to->where[row->id] = config_place(r, p->line);
	return 0;
}

static int read_map(struct config_reader *r, const char *prefix, const struct node *n,
		    struct config_values *to)
{
	int len = (int)strlen(prefix);

	if (n->kind != NODE_MAP)
		return config_complain(r, n->line, "%.*s is a map, not %s", len ? len - 1 : 15,
				       len ? prefix : "a configuration", node_kind_name(n->kind));
	for (size_t i = 0; i < n->map.count; i++)
		if (read_pair(r, prefix, &n->map.pair[i], to) < 0 && config_report(r) < 0)
			return -1;
	return 0;
}

/* Exactly one of command and url is allowed; messages to a url are signed. */
static int check_target(struct config_reader *r, const struct config_values *v, enum config_id id,
			const struct config_target *t)
{
	const char *name = config_name(id, r->arena);

	if (!v->where[id] || (t->commandc && !t->url && !t->secret_file) ||
	    (!t->commandc && t->url && t->secret_file))
		return 0;
	err_set(r->err, ERR_INPUT, "%s: %s must be a command, or a url with a secret_file",
		v->where[id], name);
	err_cure(r->err, "%s: {command: [...]} or %s: {url: https://..., secret_file: /path}", name,
		 name);
	return config_report(r);
}

/* A caller that can change the file could change what is enforced. */
static int check_rooted(struct config_reader *r, enum config_id id, const char *path)
{
	if (!path)
		return 0;
	AUTO_CLOSE int fd = root_file_open(path, O_PATH, r->err);
	if (fd >= 0)
		return 0;
	err_context(r->err, "%s: enforced.%s", r->enforced->where[id], config_name(id, r->arena));
	return config_report(r);
}

bool config_word_is_path(const char *word)
{
	static const char *const streams[] = {"/dev/null", "/dev/stdin", "/dev/stdout",
					      "/dev/stderr"};

	for (size_t i = 0; i < ARRAY_SIZE(streams); i++)
		if (strcmp(word, streams[i]) == 0)
			return false;
	return word[0] == '/';
}

/* Checks the command and each file that its words name, for example a script. Only root can create a
 * missing file, because each directory on the way was checked. */
static int check_command(struct config_reader *r, enum config_id id, const struct config_target *t)
{
	for (size_t i = 0; i < t->commandc; i++) {
		AUTO_CLOSE int fd = -1;
		if (i > 0 && !config_word_is_path(t->command[i]))
			continue;
		fd = root_file_open(t->command[i], O_PATH, r->err);
		if (fd >= 0 || (i > 0 && r->err->sys_errno == ENOENT))
			continue;
		err_context(r->err, "%s: enforced.%s", r->enforced->where[id],
			    config_name(id, r->arena));
		if (config_report(r) < 0)
			return -1;
	}
	return 0;
}

/* Not the state, which belongs to the account that uses it. */
static int check_enforced(struct config_reader *r)
{
	const struct config_values *v = r->enforced;

	if (check_rooted(r, CONFIG_POLICY, v->policy) < 0 ||
	    check_rooted(r, CONFIG_NOTIFY, v->notify.secret_file) < 0 ||
	    check_rooted(r, CONFIG_HEADS, v->heads.secret_file) < 0 ||
	    check_command(r, CONFIG_NOTIFY, &v->notify) < 0 ||
	    check_command(r, CONFIG_HEADS, &v->heads) < 0)
		return -1;
	for (size_t i = 0; i < v->rules.count; i++)
		if (check_rooted(r, CONFIG_RULES, v->rules.text[i]) < 0)
			return -1;
	return 0;
}

static int read_file(struct config_reader *r, const char *data, size_t len)
{
	const struct node *root;
	unsigned line = 1;

	if (len > CONFIG_BYTES_MAX) {
		err_set(r->err, ERR_LIMIT, "%.200s: a configuration file has at most %lu bytes",
			r->place, CONFIG_BYTES_MAX);
		return config_report(r);
	}
	if (yaml_read_plain(data, len, r->arena, &root, &line, r->err) < 0) {
		err_context(r->err, "%.200s:%u", r->place, line);
		return config_report(r);
	}
	if (read_map(r, "", root, r->to) < 0)
		return config_report(r);
	if (root->kind == NODE_MAP && !node_get(root, "version")) {
		config_complain(r, 1, "version is missing");
		err_cure(r->err, "add the line: version: %d", CONFIG_VERSION);
		if (config_report(r) < 0)
			return -1;
	}
	if (check_target(r, r->to, CONFIG_NOTIFY, &r->to->notify) < 0 ||
	    check_target(r, r->to, CONFIG_HEADS, &r->to->heads) < 0)
		return -1;
	if (!r->is_operator)
		return 0;
	return check_target(r, r->enforced, CONFIG_NOTIFY, &r->enforced->notify) < 0 ||
			       check_target(r, r->enforced, CONFIG_HEADS, &r->enforced->heads) < 0
		       ? -1
		       : check_enforced(r);
}

static int refuse(struct config *c, const struct config_values *v, enum config_id id,
		  struct err *err)
{
	struct config_value value = config_value(id, &c->arena);
	const char *asked = config_text(v, id, &c->arena);
	const char *held = config_text(&c->enforced, id, &c->arena);

	err_set(err, ERR_REFUSED, "%.200s: %s is %s on this machine", v->where[id], value.name,
		value.is_bound ? "limited" : "fixed");
	err_cause(err, "%.120s enforces %s: %.100s; this says %.100s", c->enforced.where[id],
		  value.name, held ? held : "nothing", asked ? asked : "nothing");
	err_cure(err, "leave it out, or ask the administrator of this machine (root) to change it");
	return -1;
}

/* Lets V override earlier values. */
static int add(struct config *c, const struct config_values *v, enum config_from from,
	       struct config_reader *r)
{
	for (int i = 0; i < CONFIG_COUNT; i++) {
		struct config_value value = config_value((enum config_id)i, &c->arena);
		const char *said = (const char *)v + value.at;
		if (!v->where[i])
			continue;
		if (from > CONFIG_OPERATOR && c->enforced.where[i] &&
		    value.breaks(said, (const char *)&c->enforced + value.at)) {
			refuse(c, v, (enum config_id)i, r->err);
			if (config_report(r) < 0)
				return -1;
			continue;
		}
		/* Nothing of the caller reaches a command of the operator's file: an equal value of the
		 * caller does not replace it. */
		if (from > CONFIG_OPERATOR && c->enforced.where[i] && !value.is_bound)
			continue;
		memcpy((char *)&c->now + value.at, said, value.size);
		c->now.where[i] = v->where[i];
		c->from[i] = from;
	}
	return 0;
}

/* A bound changes only values beyond it. A different default in the same file is reported with the other
 * problems; it weakens nothing. */
static void enforce(struct config *c, struct config_reader *r)
{
	for (int i = 0; i < CONFIG_COUNT; i++) {
		struct config_value value = config_value((enum config_id)i, &c->arena);
		char *now = (char *)&c->now + value.at;
		const char *held = (const char *)&c->enforced + value.at;
		if (!c->enforced.where[i] || (value.is_bound && !value.breaks(now, held)))
			continue;
		if (r->sink && c->now.where[i] && value.breaks(now, held)) {
			err_set(r->err, ERR_INPUT, "%.200s: %s is never used", c->now.where[i],
				value.name);
			err_cause(r->err, "%.200s enforces another value", c->enforced.where[i]);
			err_cure(r->err, "remove it");
			r->sink->problem(r->sink->ctx, r->err);
		}
		memcpy(now, held, value.size);
		c->now.where[i] = c->enforced.where[i];
		c->from[i] = CONFIG_OPERATOR;
	}
}

static void begin(struct config *c)
{
	*c = (struct config){0};
	for (int i = 0; i < LIMIT_COUNT; i++)
		c->now.limit[i] = limit_row((enum limit_id)i)->fallback;
}

static int add_file(struct config *c, struct config_reader *r, const char *data, size_t len)
{
	struct config_values said = {0};

	r->to = &said;
	int result = read_file(r, data, len);
	r->to = NULL;
	if (result < 0 || add(c, &said, r->is_operator ? CONFIG_OPERATOR : CONFIG_USER, r) < 0)
		return -1;
	if (r->is_operator)
		enforce(c, r);
	return 0;
}

typedef int open_fn(const char *path, char **ret, size_t *ret_len, struct err *err);

static int open_operator(const char *path, char **ret, size_t *ret_len, struct err *err)
{
	(void)path;
	return config_file_operator(ret, ret_len, err);
}

static int load_file(struct config *c, struct config_reader *r, open_fn *open_it)
{
	AUTO_FREE char *data = NULL;
	size_t len = 0;

	if (open_it(r->place, &data, &len, r->err) < 0)
		return config_report(r);
	return data ? add_file(c, r, data, len) : 0;
}

/* The elements of a list in a variable are separated by colons, as in PATH. */
static const struct node *node_of(struct config_reader *r, enum config_id id, const char *text)
{
	struct node *n = arena_alloc(r->arena, sizeof(*n));
	size_t count = 1;

	for (const char *p = text; *p; p++)
		count += *p == ':';
	struct node *part = arena_alloc(r->arena, count * sizeof(*part));
	const struct node **item = arena_alloc(r->arena, count * sizeof(const struct node *));
	if (!n || !part || !item)
		return NULL;
	*n = (struct node){.kind = NODE_STRING, .text = {text, strlen(text)}};
	if (id != CONFIG_RULES)
		return n;
	for (size_t i = 0; i < count; i++) {
		size_t len = strcspn(text, ":");
		part[i] = (struct node){
			.kind = NODE_STRING,
			.text = {arena_printf(r->arena, "%.*s", (int)len, text), len}};
		item[i] = &part[i];
		text += len + (text[len] == ':');
	}
	*n = (struct node){.kind = NODE_LIST, .list = {count, item}};
	return n;
}

static int read_variable(struct config_reader *r, const struct config_row *row)
{
	const char *name = config_variable(row->id, r->arena), *text = name ? getenv(name) : NULL;

	if (!text || !*text)
		return 0;
	const struct node *n = node_of(r, row->id, text);
	if (!n)
		return err_memory(r->err);
	r->place = name;
	if (row->read(r, row, n, r->to) < 0)
		return config_report(r);
	r->to->where[row->id] = name;
	return 0;
}

/* The variable would move the log to another database. */
static int check_store(struct config *c, struct config_reader *r)
{
	const char *url = getenv(CONFIG_STORE_URL), *where = c->enforced.where[CONFIG_STATE];

	if (!where || !url || !*url)
		return 0;
	err_set(r->err, ERR_REFUSED,
		CONFIG_STORE_URL ": the place of the log is fixed on this machine");
	err_cause(r->err, "%.200s enforces the state", where);
	err_cure(r->err, "unset " CONFIG_STORE_URL "; or ask the administrator of this machine");
	return config_report(r);
}

static int load_variables(struct config *c, struct config_reader *r)
{
	struct config_values said = {0};
	struct config_row limit;
	const struct config_row *row;
	int result = 0;

	r->to = &said;
	r->is_variable = true;
	for (unsigned i = 0; result == 0 && (row = config_row_at(i, &limit, r->arena)); i++)
		if (row->id < CONFIG_COUNT)
			result = read_variable(r, row);
	r->to = NULL;
	return result < 0 || check_store(c, r) < 0 ? -1 : add(c, &said, CONFIG_VARIABLE, r);
}

const char *config_user_file(struct arena *arena)
{
	const char *dir = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (dir && dir[0] == '/')
		return arena_printf(arena, "%s/cordon/config.yaml", dir);
	return home && home[0] == '/' ? arena_printf(arena, "%s/.config/cordon/config.yaml", home)
				      : "";
}

static int finish(struct config *c, const struct config_reader *r)
{
	if (c->arena.failed)
		return err_memory(r->err);
	return r->failed ? -1 : 0;
}

int config_load(struct config *ret, const struct config_sink *sink, struct err *err)
{
	struct config_reader r = {.arena = &ret->arena,
				  .place = CONFIG_FILE,
				  .is_operator = true,
				  .enforced = &ret->enforced,
				  .sink = sink,
				  .err = err};

	begin(ret);
	if (load_file(ret, &r, open_operator) < 0)
		return -1;
	r.is_operator = false;
	r.place = config_user_file(&ret->arena);
	if ((*r.place && load_file(ret, &r, config_file_user) < 0) || load_variables(ret, &r) < 0)
		return -1;
	return finish(ret, &r);
}

int config_load_draft(struct config *ret, const char *file, const struct config_sink *sink,
		      struct err *err)
{
	struct config_reader r = {.arena = &ret->arena,
				  .place = file,
				  .is_operator = true,
				  .enforced = &ret->enforced,
				  .sink = sink,
				  .err = err};

	begin(ret);
	return load_file(ret, &r, config_file_draft) < 0 ? -1 : finish(ret, &r);
}

int config_parse(struct config *ret, const char *name, const char *data, size_t len,
		 bool is_operator, struct err *err)
{
	struct config_reader r = {.arena = &ret->arena,
				  .place = name,
				  .is_operator = is_operator,
				  .enforced = &ret->enforced,
				  .err = err};

	begin(ret);
	return add_file(ret, &r, data, len) < 0 ? -1 : finish(ret, &r);
}

int config_add_flags(struct config *c, const struct config_values *flags, struct err *err)
{
	struct config_reader r = {.arena = &c->arena, .err = err};

	return add(c, flags, CONFIG_FLAG, &r);
}

void config_done(struct config *c)
{
	arena_done(&c->arena);
	*c = (struct config){0};
}
