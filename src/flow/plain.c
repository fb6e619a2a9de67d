/* SPDX-License-Identifier: MIT
 *
 * See plain.h. A fact is a line "LINE KIND HOW NAME"; a kind is a row of a table, and one that
 * nobody knows is not plain. Modules that are on no list at all are somebody else's answer
 * (flow/makes_code.h: unknown).
 */
#include "flow/plain.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "flow/makes_code.h"
#include "flow/plain_table.h"

enum { NAME_MOST = 512 };

struct use {
	unsigned line;
	char kind, how;
	const char *name; /* ends with a NUL when it is judged */
	size_t len;
};

struct reading {
	bool starts;	 /* it can start programs at all */
	bool has_tables; /* of pandas, whose methods take names of functions */
	bool has_charts; /* of matplotlib, which imports what draws them */
};

/* Those that judge say why it is not plain; NULL: it is. */
static const char unlisted[] = "is on no list of what is plain";
static const char is_unclear[] = "is not called with a program that is constant";
static const char is_computed[] = "is not called with constants first";
static const char is_no_function[] = "gets what may be a name that comes from data";

/* Is NAME one of the words, or does it begin as one that ends in a star says? */
static bool has(const char *words, const char *name, size_t len)
{
	for (size_t n; words && *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		bool is_star = n && words[n - 1] == '*';
		if (is_star ? len >= n - 1 && memcmp(words, name, n - 1) == 0
			    : len == n && memcmp(words, name, n) == 0)
			return true;
	}
	return false;
}

static const struct plain_row *find_row(const char *name, size_t len)
{
	for (size_t i = 0; i < plain_rowc; i++)
		if (has(plain_rows[i].modules, name, len))
			return &plain_rows[i];
	for (size_t i = 0; i < plain_packagec; i++)
		if (has(plain_packages[i].modules, name, len))
			return &plain_packages[i];
	return NULL;
}

bool plain_has_module(const char *name, size_t len)
{
	return find_row(name, len) != NULL;
}

/* Python's own names with underscores lead everywhere; those that a program gives itself do not. */
static bool is_special(const struct use *u, const char *name, size_t len)
{
	bool ends = len > 4 && memcmp(name + len - 2, "__", 2) == 0;

	return name[0] == '_' && (u->kind != 'o' || ends);
}

static bool is_first(char how)
{
	return strchr("cbaA", how) != NULL;
}

/* Whatever the program itself calls so: nobody knows whose attribute it is. */
static const char *judge_name(const struct use *u, const char *name, size_t len, char how)
{
	if (is_special(u, name, len))
		return has(plain_special, name, len) ? NULL : unlisted;
	if (has(plain_first_attribute, name, len))
		return is_first(how) ? NULL : is_computed;
	return has(plain_not_attribute, name, len) ? unlisted : NULL;
}

static const char *judge_attribute(struct reading *r, const struct use *u)
{
	if (r->has_tables && has(plain_function_attribute, u->name, u->len) && u->how != 't' &&
	    !is_first(u->how))
		return is_no_function;
	return judge_name(u, u->name, u->len, u->how);
}

/* The first name below a module. */
static const char *judge_member(const struct plain_row *row, const char *name, size_t len, char how)
{
	bool is_taken = how == 'f' || how == 'i';

	if (has(row->called, name, len))
		return is_taken || strchr("acl", how) ? NULL : is_unclear;
	if (has(row->first, name, len))
		return is_taken || is_first(how) ? NULL : is_computed;
	if (row->kind == PLAIN_DATA && has(plain_constant, name, len))
		return is_taken || how == 'a' || how == 'A' ? NULL : is_computed;
	if (row->kind == PLAIN_DATA && has(plain_type, name, len))
		return is_taken || how == 'v' ? NULL : "is made of raw memory";
	return has(row->names, name, len) ? NULL : unlisted;
}

/* A name below that. */
static const char *judge_part(const struct plain_row *row, const struct use *u, const char *name,
			      size_t len, char how)
{
	if (row->kind == PLAIN_DATA && has(plain_function_attribute, name, len))
		return is_no_function; /* df.agg is Table.agg(df, ...) */
	if (row->kind == PLAIN_DATA && has(plain_not_module, name, len))
		return unlisted;
	return judge_name(u, name, len, how);
}

/* What it starts is told so too. */
static const char *judge_object(const struct plain_row *row, const struct use *u, const char *rest)
{
	char pair[NAME_MOST];

	if (u->how == 'e')
		return "gets what is computed";
	if (!*rest)
		return strchr("fig", u->how) ? NULL : "is handed on";
	if (u->how != 's')
		return judge_member(row, rest, strcspn(rest, "."), u->how);
	snprintf(pair, sizeof(pair), "%s=", rest);
	return makes_code_by_variable(pair) ? "says where code comes from" : NULL;
}

static const char *judge_rest(const struct plain_row *row, const struct use *u, const char *rest)
{
	const char *why = NULL;

	for (bool is_first = true; *rest && !why; is_first = false) {
		size_t len = strcspn(rest, ".");
		char how = rest[len] ? 'v' : u->how;
		why = is_first ? judge_member(row, rest, len, how)
			       : judge_part(row, u, rest, len, how);
		rest += len + (rest[len] == '.');
	}
	return why;
}

/* The longest part of the name that is a module; *RET_REST is behind it and its dot. */
static const struct plain_row *find_longest(const struct use *u, const char **ret_rest)
{
	for (size_t len = u->len; len; len--) {
		bool ends = len == u->len || u->name[len] == '.';
		const struct plain_row *row = ends ? find_row(u->name, len) : NULL;
		*ret_rest = u->name + len + (len < u->len);
		if (row)
			return row;
	}
	return NULL;
}

/* A chain of names that begins with a module, and what is asked of that. */
static const char *judge_chain(struct reading *r, const struct use *u)
{
	const char *rest;
	const struct plain_row *row = find_longest(u, &rest);

	(void)r;
	if (!row)
		return NULL;
	if (row->kind == PLAIN_OBJECT)
		return judge_object(row, u, rest);
	if (!*rest)
		return u->how == 'f' || u->how == 'i' ? NULL : "is a module, handed on";
	return judge_rest(row, u, rest);
}

static const char *judge_import(struct reading *r, const struct use *u)
{
	struct use as = *u;

	as.how = u->kind;
	return judge_chain(r, &as);
}

static const char *judge_star(struct reading *r, const struct use *u)
{
	(void)r;
	(void)u;
	return "gives names that nobody reads";
}

/* One that nobody has bound is Python's own. */
static const char *judge_bare(struct reading *r, const struct use *u)
{
	(void)r;
	return has(plain_builtins, u->name, u->len) || isupper((unsigned char)u->name[0])
		       ? NULL
		       : unlisted;
}

static const char *judge_keyword(struct reading *r, const struct use *u)
{
	bool is_any = u->len == 2 && memcmp(u->name, "**", 2) == 0;

	if ((r->has_tables || r->has_charts) && is_any)
		return "are keywords whose names may come from data, or more than anybody counts";
	if (r->has_tables && u->how != 't' && has(plain_function_keyword, u->name, u->len))
		return is_no_function;
	if (r->has_charts && u->how != 't' && has(plain_charts_keyword, u->name, u->len))
		return is_no_function;
	return has(plain_not_keyword, u->name, u->len) ? "is no plain keyword" : NULL;
}

/* Of a list of words that a call begins with: it is a program if the call starts one. */
static const char *judge_program(struct reading *r, const struct use *u)
{
	const char *slash = memrchr(u->name, '/', u->len);
	const char *name = slash ? slash + 1 : u->name;
	size_t len = u->len - (size_t)(name - u->name);

	if (!r->starts || !has(plain_starters, name, len))
		return NULL;
	return "may start what it is given";
}

static const char *judge_words(struct reading *r, const struct use *u)
{
	(void)r;
	(void)u;
	return "is not plain";
}

static const struct {
	char kind;
	const char *(*judge)(struct reading *r, const struct use *u);
} kinds[] = {
	{'i', judge_import},	{'f', judge_import},	{'*', judge_star}, {'m', judge_chain},
	{'a', judge_attribute}, {'o', judge_attribute}, {'n', judge_bare}, {'w', judge_keyword},
	{'x', judge_words},	{'p', judge_program},
};

static const char *judge(struct reading *r, const struct use *u)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == u->kind)
			return kinds[i].judge(r, u);
	return "is nothing that anybody knows";
}

/* "LINE KINDHOW NAME\n"; *AT is behind it. */
static bool read_use(const char **at, struct use *ret)
{
	char *end;
	unsigned long line = strtoul(*at, &end, 10);

	if (end == *at || end[0] != ' ' || !end[1] || !end[2] || end[3] != ' ')
		return false;
	*ret = (struct use){(unsigned)line, end[1], end[2], end + 4, strcspn(end + 4, "\n")};
	*at = ret->name + ret->len + (ret->name[ret->len] == '\n');
	return ret->len && ret->len < NAME_MOST;
}

bool plain_python(const char *uses, char *why, size_t len)
{
	struct reading r = {.starts = uses && strstr(uses, " iv subprocess\n"),
			    .has_tables = uses && strstr(uses, " iv pandas"),
			    .has_charts = uses && strstr(uses, " iv matplotlib")};
	struct use u;

	if (!uses) {
		snprintf(why, len, "nobody could read which names it uses");
		return false;
	}
	while (*uses) {
		char name[NAME_MOST];
		if (!read_use(&uses, &u)) {
			snprintf(why, len, "nobody could read which names it uses");
			return false;
		}
		snprintf(name, sizeof(name), "%.*s", (int)u.len, u.name);
		u.name = name;
		const char *wrong = judge(&r, &u);
		if (wrong) {
			snprintf(why, len, "line %u: %.60s %s", u.line, name, wrong);
			return false;
		}
	}
	return true;
}
