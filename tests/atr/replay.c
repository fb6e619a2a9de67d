/* SPDX-License-Identifier: MIT
 *
 * replay [EXCEPTIONS]: compares our matcher with Node.js. Standard input is the output of
 * pairs.mjs, one JSON object a line: an expression {id, source, flags}, or a text {text, normal,
 * utf16, only, hits}. ONLY lists the expressions that were tried (all, if absent), HITS pairs of
 * an expression and the place of its match. Exceptions are lines "ID reason" (those that begin
 * with "verdict" are for verdicts.c). Prints TAP. Failures are a difference without an exception,
 * an undecided match, and an exception that does not occur.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/linear_kit.h"
#include "../unit/tap.h"
#include "scan/regex/char_set.h"
#include "scan/regex/match.h"

enum { EXPRESSIONS_MAX = 20000, SHOWN_MAX = 12, EXCEPTIONS_MAX = 64 };

struct expression {
	char *id;
	struct match_code *code;
	struct linear *linear, *back; /* NULL: there is no such form */
	bool start_moved;
	int exception; /* row, or -1 */
};

static struct {
	struct expression e[EXPRESSIONS_MAX];
	size_t count, compiled, native, ascii_never;
	size_t texts, pairs, hits, shown;
	struct linear_pool *pool;
	size_t linear, linearly, missed, extra, moved, undecided, misnormalised, excused;
	size_t tries, taken, wrongly_taken, wrongly_refused, unsupported, cased, miscased;
	char exception[EXCEPTIONS_MAX][32];
	size_t used[EXCEPTIONS_MAX], exceptions;
	struct match_scratch *scratch;
} all;

static void show(const char *what, const char *id, const char *text, size_t len)
{
	if (all.shown++ >= SHOWN_MAX)
		return;
	printf("# %s %s: ", what, id);
	for (size_t i = 0; i < len && i < 120; i++)
		printf(text[i] >= ' ' && text[i] < 127 ? "%c" : "\\x%02x", (unsigned char)text[i]);
	printf("\n");
}

static unsigned flags_of(const char *s)
{
	unsigned flags = 0;

	for (; *s; s++)
		flags |= *s == 'i'   ? JS_IGNORE_CASE
			 : *s == 'u' ? JS_UNICODE
			 : *s == 'm' ? JS_MULTILINE
				     : JS_DOT_ALL;
	return flags;
}

static int exception_of(const char *id)
{
	for (size_t i = 0; i < all.exceptions; i++)
		if (!strcmp(all.exception[i], id))
			return (int)i;
	return -1;
}

static void take_expression(json_t *o)
{
	json_t *source = json_object_get(o, "source");
	struct expression *e = &all.e[all.count];
	struct regex regex;
	struct err err;

	if (all.count++ == EXPRESSIONS_MAX)
		exit(2);
	e->id = strdup(json_string_value(json_object_get(o, "id")));
	e->exception = exception_of(e->id);
	if (regex_translate(json_string_value(source), json_string_length(source),
			    flags_of(json_string_value(json_object_get(o, "flags"))), &regex,
			    &err) == 0) {
		e->code = match_compile(&regex, &err);
		e->linear = linear_new(&regex.ast, &err);
		e->back = linear_new_back(&regex.ast, &err);
		all.linear += e->linear != NULL;
		e->start_moved = regex.ast.start_moved;
		all.ascii_never += regex.form[JS_ASCII].never;
		regex_done(&regex);
	}
	if (!e->code) {
		show("not compiled", e->id, err.message, strlen(err.message));
		return;
	}
	all.compiled++;
	all.native += match_is_native(e->code);
}

static void differ(size_t *count, const char *what, const struct expression *e,
		   const struct scan_text *t)
{
	if (e->exception >= 0) {
		all.used[e->exception]++;
		all.excused++;
		return;
	}
	++*count;
	show(what, e->id, t->data, t->len);
}

/* A linear form finds only whether there is a match. */
static void compare_linear(const struct expression *e, const struct scan_text *t, bool matches)
{
	bool unicode = match_is_unicode(e->code);
	const char *data = unicode ? t->data : t->unit;
	size_t len = unicode ? t->len : t->unit_len;
	struct match_window w = {.to = len, .end = len};
	uint64_t steps = UINT64_MAX, back_steps = UINT64_MAX;
	int answer = matches ? MATCH_YES : MATCH_NO;

	if (!e->linear && !e->back)
		return;
	if (!e->linear || !e->back ||
	    linear_run_all(e->linear, all.pool, data, &w, &steps) != answer ||
	    linear_run_all(e->back, all.pool, data, &w, &back_steps) != answer)
		differ(&all.linearly, "otherwise in linear form", e, t);
}

/* AT: the place of its match, or -1. */
static void compare(const struct expression *e, const struct scan_text *t, json_int_t at)
{
	size_t start = 0;

	all.pairs++;
	all.hits += at >= 0;
	if (!e->code)
		return;
	enum match_answer answer = match_run(e->code, all.scratch, t, &start);
	compare_linear(e, t, at >= 0);
	if (answer == MATCH_UNDECIDED)
		differ(&all.undecided, "undecided", e, t);
	else if (answer == MATCH_NO && at >= 0)
		differ(&all.missed, "missed", e, t);
	else if (answer == MATCH_YES && at < 0)
		differ(&all.extra, "extra", e, t);
	else if (answer == MATCH_YES && !e->start_moved && (json_int_t)start != at)
		differ(&all.moved, "another place", e, t);
}

static void check_normal(json_t *o, const struct scan_text *t)
{
	json_t *normal = json_object_get(o, "normal");
	struct scan_text folded;
	struct err err;

	if (t->utf16 != (size_t)json_integer_value(json_object_get(o, "utf16"))) {
		all.misnormalised++;
		show("another length", "", t->data, t->len);
	}
	if (!normal || normal_fold(t, &folded, &err) < 0)
		return;
	if (folded.len != json_string_length(normal) ||
	    memcmp(folded.data, json_string_value(normal), folded.len) != 0) {
		all.misnormalised++;
		show("normalised otherwise", "", t->data, t->len);
	}
	normal_done(&folded);
}

static void take_text(json_t *o)
{
	json_t *text = json_object_get(o, "text"), *only = json_object_get(o, "only"), *hit;
	static json_int_t at[EXPRESSIONS_MAX];
	struct scan_text t;
	struct err err;
	size_t i;

	if (normal_decode(json_string_value(text), json_string_length(text), &t, &err) < 0)
		exit(2);
	all.texts++;
	check_normal(o, &t);
	for (i = 0; i < all.count; i++)
		at[i] = -1;
	json_array_foreach (json_object_get(o, "hits"), i, hit)
		at[json_integer_value(json_array_get(hit, 0))] =
			json_integer_value(json_array_get(hit, 1));
	for (i = 0; i < (only ? json_array_size(only) : all.count); i++) {
		size_t n = only ? (size_t)json_integer_value(json_array_get(only, i)) : i;
		compare(&all.e[n], &t, at[n]);
	}
	normal_done(&t);
}

/* Expressions that JavaScript accepts and we may refuse. */
static bool is_unsupported(const char *why)
{
	static const char *const known[] = {"general categories", "65535", "several lengths",
					    "maximum length"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(why, known[i]))
			return true;
	return false;
}

/* A random expression with its texts. */
static void take_try(json_t *o)
{
	json_t *source = json_object_get(o, "source"), *pair;
	const char *text = json_string_value(source);
	bool valid = json_is_true(json_object_get(o, "valid"));
	struct expression e = {.id = (char *)json_string_value(json_object_get(o, "try")),
			       .exception = -1};
	struct regex regex;
	struct err err = {0};
	size_t i;

	all.tries++;
	if (regex_translate(text, json_string_length(source),
			    flags_of(json_string_value(json_object_get(o, "flags"))), &regex,
			    &err) == 0) {
		e.code = match_compile(&regex, &err);
		e.linear = linear_new(&regex.ast, &err);
		e.back = linear_new_back(&regex.ast, &err);
		all.linear += e.linear != NULL;
		e.start_moved = regex.ast.start_moved;
		all.taken += e.code != NULL;
		regex_done(&regex);
	}
	if (!valid && e.code) {
		all.wrongly_taken++;
		show("wrongly taken", e.id, text, json_string_length(source));
	}
	if (valid && !e.code && is_unsupported(err.message)) {
		all.unsupported++;
	} else if (valid && !e.code) {
		all.wrongly_refused++;
		show("wrongly refused", err.message, text, json_string_length(source));
	}
	json_array_foreach (json_object_get(o, "texts"), i, pair) {
		json_t *subject = json_array_get(pair, 0);
		struct scan_text t;
		size_t before = all.shown;
		if (normal_decode(json_string_value(subject), json_string_length(subject), &t,
				  &err) < 0)
			exit(2);
		compare(&e, &t, json_integer_value(json_array_get(pair, 1)));
		if (all.shown > before)
			show("  by", json_string_value(json_object_get(o, "flags")), text,
			     json_string_length(source));
		normal_done(&t);
	}
	match_free(e.code);
	linear_free(e.linear);
	linear_free(e.back);
}

/* A set of characters that differ only in case. */
static void check_case(json_t *set, bool unicode, unsigned char *seen)
{
	uint32_t got[JS_CASE_MAX];
	json_t *one, *other;
	size_t i, k;

	json_array_foreach (set, i, one) {
		uint32_t c = (uint32_t)json_integer_value(one);
		size_t n = js_case_all(c, unicode, got), found = 0;
		seen[c] = 1;
		json_array_foreach (set, k, other)
			for (size_t g = 0; g < n; g++)
				found += got[g] == json_integer_value(other);
		all.cased++;
		all.miscased += n != json_array_size(set) || found != n;
	}
}

static void take_case(json_t *o)
{
	bool unicode = json_is_true(json_object_get(o, "unicode"));
	unsigned char *seen = calloc(JS_POINT_MAX + 1, 1);
	uint32_t got[JS_CASE_MAX], max = unicode ? JS_POINT_MAX : JS_UNIT_MAX;
	json_t *set;
	size_t i;

	if (!seen)
		exit(2);
	json_array_foreach (json_object_get(o, "case"), i, set)
		check_case(set, unicode, seen);
	for (uint32_t c = 0; c <= max; c++)
		all.miscased += !seen[c] && js_case_all(c, unicode, got) != 1;
	free(seen);
}

static void read_exceptions(const char *path)
{
	char line[512];
	FILE *f = fopen(path, "r");

	if (!f)
		exit(2);
	while (fgets(line, sizeof(line), f) && all.exceptions < EXCEPTIONS_MAX)
		if (line[0] != '#' && strncmp(line, "verdict ", 8) != 0 &&
		    sscanf(line, "%31s", all.exception[all.exceptions]) == 1)
			all.exceptions++;
	fclose(f);
}

static void judge_expressions(void)
{
	ok(all.compiled == all.count, "%zu of %zu expressions compile", all.compiled, all.count);
	ok(all.native == all.count, "%zu of them to machine code, %zu never match ASCII",
	   all.native, all.ascii_never);
}

static void judge_tries(void)
{
	ok(!all.wrongly_taken, "%zu of %zu made-up expressions taken, %zu wrongly", all.taken,
	   all.tries, all.wrongly_taken);
	ok(!all.wrongly_refused, "%zu refused wrongly, %zu as not supported", all.wrongly_refused,
	   all.unsupported);
	ok(all.cased && !all.miscased, "%zu characters with case, %zu wrong", all.cased,
	   all.miscased);
}

static void judge(void)
{
	if (all.count)
		judge_expressions();
	if (all.tries)
		judge_tries();
	ok(all.texts && all.pairs && all.hits, "%zu texts, %zu pairs, %zu matches, %zu excused",
	   all.texts, all.pairs, all.hits, all.excused);
	ok(all.linear && !all.linearly, "%zu have a linear form, %zu answers of it are wrong",
	   all.linear, all.linearly);
	ok(!all.missed, "%zu matches missed", all.missed);
	ok(!all.extra, "%zu matches too many", all.extra);
	ok(!all.moved, "%zu matches in another place", all.moved);
	ok(!all.undecided, "%zu undecided", all.undecided);
	ok(!all.misnormalised, "%zu texts normalised otherwise", all.misnormalised);
	for (size_t i = 0; i < all.exceptions; i++)
		ok(all.used[i] > 0, "the exception %s occurs", all.exception[i]);
}

int main(int argc, char **argv)
{
	struct err err;
	char *line = NULL;
	size_t room = 0;

	if (argc > 1)
		read_exceptions(argv[1]);
	all.scratch = match_scratch_new(NULL, &err);
	all.pool = linear_pool_new();
	for (ssize_t len; (len = getline(&line, &room, stdin)) > 0;) {
		json_error_t why;
		json_t *o = json_loadb(line, (size_t)len, JSON_ALLOW_NUL, &why);
		if (!o) {
			printf("Bail out! line not understood: %s\n", why.text);
			return 1;
		}
		if (json_object_get(o, "try"))
			take_try(o);
		else if (json_object_get(o, "case"))
			take_case(o);
		else if (json_object_get(o, "source"))
			take_expression(o);
		else
			take_text(o);
		json_decref(o);
	}
	free(line);
	judge();
	for (size_t i = 0; i < all.count; i++) {
		match_free(all.e[i].code);
		free(all.e[i].id);
	}
	match_scratch_free(all.scratch);
	return tap_done();
}
