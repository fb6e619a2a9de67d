/* SPDX-License-Identifier: MIT
 *
 * JSON lines. Several documents on one line count separately. If one of the lines is an event, each
 * line is scanned by itself; the lines that are not known events are also scanned together as one
 * text, because two lines may together say what neither says alone. Without an event the lines are
 * documents, such as a log: their text, strings and calls are scanned together, as for one document.
 * No line may hide the content of another.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "detect/scan_private.h"

static const char blanks[] = " \t\r";

struct lines {
	struct scanner *s;
	struct scan_file *file;
	bool events;	       /* a line is an event; else the lines are documents */
	bool documents;	       /* the first line is JSON */
	int64_t event;	       /* number of the next event */
	size_t rest;	       /* lines that are in TEXT and STRINGS */
	struct gather text;    /* the lines, with an empty line for each event */
	bool otherwise;	       /* the strings of some line differ from its text */
	struct gather strings; /* the strings without escapes */
	struct gather script;  /* the calls in all lines */
	struct scan_seen seen;
	struct scan_calls calls;
};

static void keep_line(struct lines *l, struct text line, const struct node *root)
{
	l->rest++;
	gather_put(&l->text, line.s, line.len);
	if (l->s->options.mode == DETECT_REFERENCE)
		return;
	l->otherwise |= scan_reads_otherwise(l->s, line, root);
	if (root)
		gather_node(&l->strings, root);
	else
		gather_put(&l->strings, line.s, line.len);
	gather_put(&l->strings, "\n", 1);
}

/* Scans a line of a file with events. True: the line is an event and nothing else. */
static bool scan_line(struct lines *l, struct scan_unit *unit, struct text line,
		      const struct node *root, bool loose)
{
	struct scan_seen here = {0};

	unit->known = &here;
	unit->number = l->event;
	l->s->seen = l->s->options.mode == DETECT_REFERENCE ? NULL : &here;
	if (root && scan_is_event(root))
		scan_event(l->s, l->file, root, l->event, &l->calls);
	else
		scan_note(l->s, l->file->name, unit->line, "is no event: scanned as text");
	bool alone = root && scan_is_known_event(root) && !loose;
	l->s->seen = alone ? NULL : &l->seen;
	if (!alone || !scan_is_surely_event(l->s, root))
		scan_strings(l->s, unit, line, root);
	l->s->seen = NULL;
	unit->known = NULL;
	l->event++;
	return alone;
}

static void read_line(struct lines *l, struct text line, size_t number)
{
	struct scan_unit unit = {.file = l->file, .number = -1, .line = number};
	struct arena arena = {0};
	const struct node *root = NULL;
	struct err err;
	bool loose;

	if (scan_read_json(line, number, &arena, &root, &loose, &err) < 0) {
		root = NULL;
		unit.limit = err.code == ERR_LIMIT ? err.message : NULL;
	}
	if (!l->events && unit.limit)
		l->file->limit = err;
	if (!l->events || !scan_line(l, &unit, line, root, loose))
		keep_line(l, line, root);
	if (root && scan_has_views(l->s) && !scan_is_surely_event(l->s, root))
		gather_script(&l->script, root);
	arena_done(&arena);
}

/* Scans the lines together, and in one box the programs in them. */
static void scan_rest(struct lines *l)
{
	struct scan_unit unit = {.file = l->file, .number = -1, .line = 1, .is_file = true};
	struct gather *parts[] = {&l->text, &l->strings, &l->script};
	bool failed = false;

	l->script.too_many = false; /* already reported for the text */
	l->strings.too_many &= !l->events;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		failed = failed || scan_gather_failed(l->s, l->file, parts[i]);
	unit.known = &l->seen;
	unit.limit = l->file->limit.code ? l->file->limit.message : NULL;
	unit.event = scan_plain(l->s, (struct text){l->text.s, l->text.len});
	if (l->otherwise)
		unit.other = (struct text){l->strings.s, l->strings.len};
	if (l->script.len)
		unit.script = (struct scan_program){scan_kind_language(KIND_SHELL),
						    {l->script.s, l->script.len}};
	if (!failed && (l->rest > 1 || !l->events || unit.limit || l->script.len))
		scan_unit(l->s, &unit);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		gather_done(parts[i]);
	scan_calls_end(l->s, l->file, &l->calls);
}

static bool is_open(char c)
{
	return c == '{' || c == '[';
}

/* The length of the string or comment at the beginning of LINE, of any kind that is read; or 0. */
static size_t skip_length(struct text line)
{
	char quote = line.s[0];
	size_t i = 1;

	if (quote == '/' && line.len > 1 && line.s[1] == '/')
		return line.len;
	if (quote == '/' && line.len > 1 && line.s[1] == '*') {
		char *end = line.len > 2 ? memmem(line.s + 2, line.len - 2, "*/", 2) : NULL;
		return end ? (size_t)(end - line.s) + 2 : line.len;
	}
	if (quote != '"' && quote != '\'')
		return 0;
	while (i < line.len && line.s[i] != quote)
		i += line.s[i] == '\\' ? 2 : 1;
	return i < line.len ? i + 1 : line.len;
}

/* The end of the list or map at the beginning of LINE, or the end of LINE. */
static size_t value_end(struct text line)
{
	size_t depth = 0, i = 0;

	while (i < line.len) {
		size_t skipped = skip_length((struct text){line.s + i, line.len - i});
		char c = line.s[i];
		i += skipped ? skipped : 1;
		if (skipped)
			continue;
		depth += is_open(c);
		if ((c == '}' || c == ']') && --depth == 0)
			return i;
	}
	return line.len;
}

/* The length of the first document of LINE: all of it, unless another document follows. */
static size_t document_length(struct text line)
{
	size_t begin = strspn(line.s, blanks), end;

	if (begin >= line.len || !is_open(line.s[begin]))
		return line.len;
	end = begin + value_end((struct text){line.s + begin, line.len - begin});
	end += end < line.len ? strspn(line.s + end, blanks) : 0;
	return end < line.len && is_open(line.s[end]) ? end : line.len;
}

/* The end of a document is a guess, so a line that parses as a whole is not split. */
static bool has_several(struct text line, size_t number)
{
	struct arena arena = {0};
	const struct node *root = NULL;
	struct err err;
	bool loose;

	if (document_length(line) == line.len)
		return false;
	int read = scan_read_json(line, number, &arena, &root, &loose, &err);
	arena_done(&arena);
	return read < 0;
}

/* LAST: PART is at the end of the line. */
typedef bool visit_fn(struct lines *l, struct text part, size_t number, bool last);

/* A text must have a NUL after its end, so one is set during the call. */
static bool visit_part(struct lines *l, struct text data, size_t len, size_t number, bool last,
		       visit_fn *visit)
{
	char *end = (char *)data.s + len, behind = *end;

	*end = '\0';
	bool more = visit(l, (struct text){data.s, len}, number, last);
	*end = behind;
	return more;
}

/* For the reference a line is one document. */
static bool visit_line(struct lines *l, struct text line, size_t number, visit_fn *visit)
{
	bool apart = l->s->options.mode != DETECT_REFERENCE && has_several(line, number);
	bool more = true;

	do {
		size_t len = apart ? document_length(line) : line.len;
		more = visit_part(l, line, len, number, len == line.len, visit);
		line = (struct text){line.s + len, line.len - len};
	} while (more && line.len);
	return more;
}

static void each_line(struct lines *l, struct text data, visit_fn *visit)
{
	bool more = true;

	for (size_t number = 1; more && data.len; number++) {
		char *end = memchr(data.s, '\n', data.len);
		size_t len = end ? (size_t)(end - data.s) : data.len;
		if (end)
			*end = '\0';
		more = visit_line(l, (struct text){data.s, len}, number, visit);
		if (end)
			*end = '\n';
		len += end ? 1 : 0;
		data = (struct text){data.s + len, data.len - len};
	}
}

static bool is_blank(struct text line)
{
	return strspn(line.s, blanks) == line.len;
}

/* One event makes it a file with events; no other line can hide that. */
static bool look_at_line(struct lines *l, struct text line, size_t number, bool last)
{
	struct arena arena = {0};
	const struct node *root;
	struct err err;
	bool loose;

	(void)last;
	if (is_blank(line))
		return true;
	bool good = scan_read_json(line, number, &arena, &root, &loose, &err) == 0;
	l->events = good && !l->s->options.no_events && scan_is_event(root);
	l->documents |= good && !l->rest;
	l->rest++;
	arena_done(&arena);
	return !l->events && !(l->documents && l->s->options.no_events);
}

static bool on_line(struct lines *l, struct text line, size_t number, bool last)
{
	if (!is_blank(line))
		read_line(l, line, number);
	gather_put(&l->text, "\n", last);
	return true;
}

bool scan_lines(struct scanner *s, struct scan_file *file)
{
	AUTO_FREE char *copy = malloc(file->data.len + 1);
	struct text data = {copy, file->data.len};
	struct lines l = {.s = s, .file = file};

	if (!copy) {
		l.text.failed = true;
		scan_gather_failed(s, file, &l.text);
		return true;
	}
	memcpy(copy, file->data.s, file->data.len + 1);
	each_line(&l, data, look_at_line);
	/* The reference does not scan documents. */
	l.documents &= s->options.mode != DETECT_REFERENCE;
	if (!l.events && !l.documents)
		return false;
	file->kind = l.events ? KIND_EVENTS : KIND_JSON;
	l.rest = 0;
	each_line(&l, data, on_line);
	scan_rest(&l);
	return true;
}
