/* SPDX-License-Identifier: MIT
 *
 * What Node requires and imports. See gate_modules.c. A constant is looked for as Node would, and also
 * as a file of the workspace's top. What is computed, or handed on under another name, may be anything.
 */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "detect/json.h"
#include "flow/gate_modules_private.h"

enum {
	CALL_MAX = 4096, /* bytes of one that is looked into */
	NEAR_MAX = 256,	 /* before a member */
};

/* The first is the name as it is. */
static const char *const follow[] = {"", "/index.js", "/package.json", ".js", ".mjs", ".cjs", NULL};
static const char *const ends[] = {".js", ".mjs", ".cjs", NULL};

/* Node's own that run what they are given. */
static bool runs_text(struct text name)
{
	static const char *const own[] = {"vm", "module"};

	if (begins(name, "node:"))
		name = (struct text){name.s + strlen("node:"), name.len - strlen("node:")};
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (name.len == strlen(own[i]) && memcmp(name.s, own[i], name.len) == 0)
			return true;
	return false;
}

/* Data, if it is a file. If not, Node runs x.json.js, x.json/index.js, or what a link leads to. PACKAGE:
 * where else it would be, or NULL. */
static bool is_plain_json(struct reader *r, struct text path, const struct text *package)
{
	struct reader top = {.m = r->m, .base = ""};

	if (!modules_has_end(path, ".json"))
		return false;
	return package ? modules_is_plain(r, *package) || modules_is_plain(&top, *package)
		       : modules_is_plain(r, path);
}

/* A module's name, as it stands in require(...) or in a package's description. */
static int add_name(struct reader *r, struct text path, struct err *err)
{
	char below[MODULE_NAME_MAX + 16];
	int n = snprintf(below, sizeof(below), "node_modules/%.*s",
			 (int)(path.len < MODULE_NAME_MAX ? path.len : MODULE_NAME_MAX), path.s);
	bool is_own = path.len && (is_in("./", *path.s) || begins(path, "file:"));
	size_t found = r->m->found;

	if (runs_text(path))
		modules_take_computed(r->m);
	struct text package = {below, (size_t)n};
	bool is_data = is_plain_json(r, path, is_own ? NULL : &package);
	const char *const *to = follow + is_data;
	if (modules_has_end(path, ".node"))
		r->m->more = true; /* machine code */
	if (modules_add_path(r, path, to, err) < 0)
		return -1;
	if (!is_own)
		return modules_add_path(r, package, to, err);
	if (r->m->found == found && !is_data)
		modules_take_computed(r->m); /* it is made first */
	return 0;
}

/* The literals from AT on, as far as there are commas. Each may have such a word before it: so many, and
 * nobody knows. */
static int add_literals(struct reader *r, const char *at, struct err *err)
{
	const char *from = at;

	while (at < r->end && is_in("'\"`", *at)) {
		struct text path = {.s = at + 1};
		while (path.s + path.len < r->end && path.s[path.len] != *at)
			path.len++;
		if (add_name(r, path, err) < 0)
			return -1;
		if (path.s + path.len == r->end)
			return 0;
		at = modules_skip(r, path.s + path.len + 1);
		if (at == r->end || *at != ',')
			return 0;
		at = modules_skip(r, at + 1);
		if (at - from > CALL_MAX) {
			r->m->more = true;
			return 0;
		}
	}
	return 0;
}

/* The same in the brackets that follow. */
static int add_given(struct reader *r, struct err *err)
{
	const char *at = modules_skip(r, r->at), *from = at;

	while (at < r->end && is_in("?.(", *at) && at - from <= CALL_MAX)
		at = modules_skip(r, at + 1);
	if (at - from > CALL_MAX)
		modules_take_computed(r->m);
	return add_literals(r, at, err);
}

/* "require.main" is asked for by half of all programs, and loads nothing. */
static bool is_plain_member(struct text name)
{
	static const char *const plain[] = {"main", "meta"};

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (name.len == strlen(plain[i]) && memcmp(name.s, plain[i], name.len) == 0)
			return true;
	return false;
}

/* require.resolve("x"), require.call(...); a sentence may end with the word. */
static int read_member(struct reader *r, const char *at, struct err *err)
{
	struct reader member = *r;
	struct text name = {.s = at};

	while (at < r->end && modules_is_word(*at))
		at++;
	name.len = (size_t)(at - name.s);
	if (!name.len || is_plain_member(name))
		return 0;
	member.at = at;
	if (modules_call(&member) == GIVEN_CONSTANTS)
		return add_given(&member, err);
	modules_take_computed(r->m);
	r->m->any = true;
	return 0;
}

/* Nothing that stands in a call says which it is. */
static bool has_literal(const struct reader *r, const char *at)
{
	size_t len = (size_t)(r->end - at) < CALL_MAX ? (size_t)(r->end - at) : CALL_MAX;
	const char *end = memchr(at, ')', len);

	len = end ? (size_t)(end - at) : len;
	return memchr(at, '\'', len) || memchr(at, '"', len) || memchr(at, '`', len);
}

/* require(x), import(x), import "x". */
static int read_require(struct reader *r, struct err *err)
{
	const char *at = modules_skip(r, r->at);
	enum call_given given = modules_call(r);

	if (at < r->end && *at == '.')
		return read_member(r, at + 1, err);
	if (given == GIVEN_COMPUTED) {
		modules_take_computed(r->m);
		r->m->any |= !has_literal(r, at);
	}
	return given == GIVEN_CONSTANTS || (at < r->end && is_in("'\"`", *at)) ? add_given(r, err)
									       : 0;
}

/* export x from "x". Most others are Buffer.from(x). */
static int read_from(struct reader *r, struct err *err)
{
	return add_literals(r, modules_skip(r, r->at), err);
}

/* new Worker("x"), fork(x) */
static int read_start(struct reader *r, struct err *err)
{
	return add_given(r, err) < 0 ? -1 : modules_read_taker(r, err);
}

/* What a function was made by makes others: f.constructor("..."). A class has one of its own. */
static int read_constructor(struct reader *r, struct err *err)
{
	const char *name = r->at - strlen("constructor"), *at = modules_skip(r, r->at);
	bool is_member = name > r->begin && is_in(".'\"`", name[-1]);
	bool is_taken = at < r->end && is_in(":}", *at); /* {constructor: F} = f */

	if (is_taken)
		modules_take_computed(r->m);
	return is_member ? modules_read_taker(r, err) : 0;
}

/* module.load("x"), Object.create(module).load("x"). */
static int read_load(struct reader *r, struct err *err)
{
	static const char module[] = "odule.";
	const char *name = r->at - strlen("load");
	size_t before = (size_t)(name - r->begin), len = strlen(module);
	bool is_module = before > len && memcmp(name - len, module, len) == 0;
	size_t near = before < NEAR_MAX ? before : NEAR_MAX;
	bool is_made = before > 1 && memcmp(name - 2, ").", 2) == 0 &&
		       memmem(name - near, near, "module", strlen("module"));

	return is_module || is_made ? modules_read_loader(r, err) : 0;
}

static const struct module_word words[] = {{"require", read_require},
					   {"load", read_load},
					   {"import", read_require},
					   {"from", read_from},
					   {"getBuiltinModule", read_require},
					   {"fork", read_start},
					   {"Worker", read_start},
					   {"eval", modules_read_taker},
					   {"Function", modules_read_taker},
					   {"constructor", read_constructor},
					   {"_load", modules_read_loader},
					   {"_compile", modules_read_loader},
					   {"createRequire", modules_read_loader},
					   {"runInContext", modules_read_loader},
					   {"runInNewContext", modules_read_loader},
					   {"runInThisContext", modules_read_loader},
					   {"compileFunction", modules_read_loader},
					   {"NODE_OPTIONS", modules_read_loader},
					   {"NODE_PATH", modules_read_loader}};

/* Every text below, whatever it is there for: "exports" has names in maps and lists. */
static int add_texts(struct reader *r, const struct node *n, struct err *err)
{
	if (n->kind == NODE_STRING)
		return add_name(r, n->text, err);
	for (size_t i = 0; n->kind == NODE_LIST && i < n->list.count; i++)
		if (add_texts(r, n->list.item[i], err) < 0)
			return -1;
	for (size_t i = 0; n->kind == NODE_MAP && i < n->map.count; i++)
		if (add_texts(r, n->map.pair[i].value, err) < 0)
			return -1;
	return 0;
}

/* package.json: where its code begins. */
static int read_package(struct modules *m, const char *base, struct text text, struct err *err)
{
	static const char *const keys[] = {"main", "exports", "imports"};
	struct reader r = {.m = m, .base = base};
	const struct node *root = NULL;
	struct err why;

	if (json_read_loose(text.s, text.len, 1, &m->g->arena, &root, &why) < 0) {
		m->more = true;
		return 0;
	}
	for (size_t i = 0; root->kind == NODE_MAP && i < root->map.count; i++) {
		const struct node_pair *p = &root->map.pair[i];
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			if (p->key.len == strlen(keys[k]) &&
			    memcmp(p->key.s, keys[k], p->key.len) == 0 &&
			    add_texts(&r, p->value, err) < 0)
				return -1;
	}
	return 0;
}

const struct module_language module_node = {.name = "node",
					    .words = words,
					    .wordc = ARRAY_SIZE(words),
					    .ends = ends,
					    .follow = follow,
					    .quotes = "",
					    .foreign = "node_modules",
					    .package = "package.json",
					    .read_package = read_package};
