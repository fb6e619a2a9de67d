/* SPDX-License-Identifier: MIT
 *
 * The keys of an event are rows: each has one type and one place in the struct. The reference throws
 * an exception on a value of another type; here it is an error that names the key. Unknown keys are
 * ignored.
 *
 * The text of a field, in the reference's order: a skill is its whole document; then the event's own
 * field if it is not empty; then the content where it stands for the field; then, for some types,
 * what their content stands for when the field is absent (an empty field is not absent); then
 * metadata. One quirk follows and is kept: the empty tool_name of a tool_call is its content.
 */
#include "detect/event.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/scope.h"

static int wrong(struct err *err, const char *key, const struct node *n, const char *wanted)
{
	return err_set(err, ERR_INPUT, "event: %s is %s, not %s", key, node_kind_name(n->kind),
		       wanted);
}

/* A name for programs: no NUL in it. */
static int read_word(const char *key, const struct node *n, const char **ret, struct err *err)
{
	if (n->kind != NODE_STRING)
		return wrong(err, key, n, "a string");
	*ret = node_string(n);
	return *ret ? 0 : err_set(err, ERR_INPUT, "event: %s contains a NUL", key);
}

static int read_type(const char *key, const struct node *n, struct event *e, struct err *err)
{
	const char *name = NULL;

	if (read_word(key, n, &name, err) < 0 || !name)
		return -1;
	e->type = (enum event_type)vocab_find(VOCAB_EVENT, name);
	return 0;
}

static int read_context(const char *key, const struct node *n, struct event *e, struct err *err)
{
	const char *name = NULL;

	if (read_word(key, n, &name, err) < 0 || !name)
		return -1;
	e->skill = strcmp(name, "skill") == 0;
	return 0;
}

static int read_session(const char *key, const struct node *n, struct event *e, struct err *err)
{
	return read_word(key, n, &e->session, err);
}

static int read_agent(const char *key, const struct node *n, struct event *e, struct err *err)
{
	return read_word(key, n, &e->agent, err);
}

static int read_content(const char *key, const struct node *n, struct event *e, struct err *err)
{
	if (n->kind != NODE_STRING)
		return wrong(err, key, n, "a string");
	e->content = n->text;
	return 0;
}

/* Every value of MAP is of KIND, or null, which counts as absent. */
static int check_map(const char *key, const struct node *map, enum node_kind kind, struct err *err)
{
	char name[128];

	if (map->kind != NODE_MAP)
		return wrong(err, key, map, "a map");
	for (size_t i = 0; kind != NODE_NULL && i < map->map.count; i++) {
		const struct node_pair *p = &map->map.pair[i];
		double number;
		bool good = p->value->kind == kind || p->value->kind == NODE_NULL ||
			    (kind == NODE_FLOAT && node_number(p->value, &number) == 0);
		if (good)
			continue;
		snprintf(name, sizeof(name), "%s.%.*s", key,
			 (int)(p->key.len < 64 ? p->key.len : 64), p->key.s);
		return wrong(err, name, p->value, kind == NODE_STRING ? "a string" : "a number");
	}
	return 0;
}

static int read_fields(const char *key, const struct node *n, struct event *e, struct err *err)
{
	e->fields = n;
	return check_map(key, n, NODE_STRING, err);
}

static int read_metadata(const char *key, const struct node *n, struct event *e, struct err *err)
{
	e->metadata = n;
	return check_map(key, n, NODE_NULL, err);
}

static int read_metrics(const char *key, const struct node *n, struct event *e, struct err *err)
{
	e->metrics = n;
	return check_map(key, n, NODE_FLOAT, err);
}

static int read_trace(const char *key, const struct node *n, struct event *e, struct err *err)
{
	const struct node *spans = node_get(n, "spans");

	if (check_map(key, n, NODE_NULL, err) < 0)
		return -1;
	if (!spans || spans->kind != NODE_LIST)
		return err_set(err, ERR_INPUT, "event: %s has no list of spans", key);
	if (spans->list.count > EVENT_SPANS_MAX)
		return err_set(err, ERR_LIMIT, "event: %s: at most %d spans", key, EVENT_SPANS_MAX);
	for (size_t i = 0; i < spans->list.count; i++) {
		const struct node *span = spans->list.item[i], *of = node_get(span, "attributes");
		if (span->kind != NODE_MAP)
			return wrong(err, "a span of the trace", span, "a map");
		if (of && of->kind != NODE_MAP && of->kind != NODE_NULL)
			return wrong(err, "a span's attributes", of, "a map");
	}
	e->trace = n;
	return 0;
}

/* Reads COUNT digits at *S and moves *S past them. */
static bool read_digits(const char **s, int count, int64_t *ret)
{
	*ret = 0;
	for (; count > 0; count--, ++*s) {
		if (!isdigit((unsigned char)**s))
			return false;
		*ret = *ret * 10 + (**s - '0');
	}
	return true;
}

static bool skip(const char **s, char c)
{
	if (**s != c)
		return false;
	++*s;
	return true;
}

static int64_t days_since_1970(int64_t year, int64_t month, int64_t day)
{
	struct tm tm = {.tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day};

	return (int64_t)timegm(&tm) / 86400;
}

/* "03:04", optionally with ":05" and ".678", in milliseconds. */
static bool read_clock(const char **s, int64_t *ret)
{
	int64_t hours, minutes, seconds = 0, ms = 0;

	if (!read_digits(s, 2, &hours) || !skip(s, ':') || !read_digits(s, 2, &minutes))
		return false;
	if (skip(s, ':') && !read_digits(s, 2, &seconds))
		return false;
	if (skip(s, '.'))
		for (int64_t scale = 100; isdigit((unsigned char)**s); scale /= 10, ++*s)
			ms += (**s - '0') * scale;
	*ret = ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms;
	return true;
}

/* "2026-01-02T03:04:05.678Z", "...+01:00". Any other text has no time, as in JavaScript, and then
 * a window excludes nothing. */
static int64_t parse_time(const char *s)
{
	int64_t year, month, day, clock = 0, zone = 0;

	if (!read_digits(&s, 4, &year) || !skip(&s, '-') || !read_digits(&s, 2, &month) ||
	    !skip(&s, '-') || !read_digits(&s, 2, &day))
		return EVENT_TIME_NONE;
	if (skip(&s, 'T') && !read_clock(&s, &clock))
		return EVENT_TIME_NONE;
	char sign = *s;
	if (!skip(&s, 'Z') && (sign == '+' || sign == '-')) {
		s++;
		if (!read_clock(&s, &zone))
			return EVENT_TIME_NONE;
	}
	if (*s || month < 1 || month > 12 || day < 1 || day > 31)
		return EVENT_TIME_NONE;
	return days_since_1970(year, month, day) * 86400000 + clock + (sign == '-' ? zone : -zone);
}

static int read_time(const char *key, const struct node *n, struct event *e, struct err *err)
{
	const char *s = NULL;
	double number;

	if (node_number(n, &number) == 0) {
		bool far = !(number > -8.64e15 && number < 8.64e15);
		e->time_ms = far ? EVENT_TIME_NONE : (int64_t)number;
		return 0;
	}
	if (read_word(key, n, &s, err) < 0 || !s)
		return -1;
	e->time_ms = parse_time(s);
	return 0;
}

static const struct {
	const char *name;
	int (*read)(const char *key, const struct node *n, struct event *e, struct err *err);
} keys[] = {
	{"type", read_type},	       {"content", read_content}, {"fields", read_fields},
	{"metadata", read_metadata},   {"metrics", read_metrics}, {"trace", read_trace},
	{"sessionId", read_session},   {"agentId", read_agent},	  {"timestamp", read_time},
	{"scanContext", read_context},
};

bool event_has_key(struct text key)
{
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (key.len == strlen(keys[i].name) && !memcmp(key.s, keys[i].name, key.len))
			return true;
	return false;
}

int event_from_node(const struct node *object, struct event *ret, struct err *err)
{
	*ret = (struct event){.type = EVENT_OTHER, .time_ms = EVENT_TIME_NONE};
	if (object->kind != NODE_MAP)
		return wrong(err, "the value", object, "a map");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct node *n = node_get(object, keys[i].name);
		if (n && n->kind != NODE_NULL && keys[i].read(keys[i].name, n, ret, err) < 0)
			return -1;
	}
	return 0;
}

/* Event types whose content also stands for an absent field. */
static const struct {
	enum field field;
	enum event_type type;
} stand_ins[] = {
	{FIELD_USER_INPUT, EVENT_TOOL_RESPONSE},
	{FIELD_AGENT_OUTPUT, EVENT_TOOL_RESPONSE},
	{FIELD_TOOL_ARGS, EVENT_TOOL_CALL},
};

#define F(name) (1U << FIELD_##name)
/* Other fields are looked up in metadata last. */
static const unsigned never_in_metadata = F(CONTENT) | F(USER_INPUT) | F(AGENT_OUTPUT) |
					  F(TOOL_NAME) | F(TOOL_ARGS) | F(TOOL_RESPONSE) |
					  F(AGENT_MESSAGE);
/* The fields for which a plain text stands: not a tool's name, and not a measurement. */
static const unsigned plain = F(CONTENT) | F(USER_INPUT) | F(AGENT_OUTPUT) | F(TOOL_ARGS) |
			      F(TOOL_RESPONSE) | F(TOOL_DESCRIPTION) | F(TOOL_INPUT) |
			      F(AGENT_MESSAGE);

/* 1: there, 0: absent. */
static int get(const struct node *map, const char *where, const char *name, struct text *ret,
	       struct err *err)
{
	const struct node *n = node_get(map, name);

	if (!n || n->kind == NODE_NULL)
		return 0;
	if (n->kind != NODE_STRING)
		return err_set(err, ERR_INPUT, "event: %s.%s is %s, not a string", where, name,
			       node_kind_name(n->kind));
	*ret = n->text;
	return 1;
}

static bool is_content(const struct event *event, enum field field)
{
	if (event->skill && event->content.len)
		return true;
	return event->plain && (plain & 1U << field);
}

static bool stands_in(const struct event *event, enum field field)
{
	for (size_t i = 0; i < ARRAY_SIZE(stand_ins); i++)
		if (stand_ins[i].field == field && stand_ins[i].type == event->type)
			return true;
	return false;
}

int field_resolve(const struct event *event, enum field field, const char *name, struct text *ret,
		  struct err *err)
{
	struct text found = {NULL, 0};
	int there = 0;

	if (is_content(event, field))
		found = event->content;
	else if ((there = get(event->fields, "fields", name, &found, err)) < 0)
		return -1;
	if (!found.len && (field == FIELD_CONTENT || field == event_field(event->type) ||
			   (!there && stands_in(event, field))))
		found = event->content;
	else if (!found.len && !(never_in_metadata & 1U << field) &&
		 get(event->metadata, "metadata", name, &found, err) < 0)
		return -1;
	*ret = found.len ? found : (struct text){NULL, 0};
	return 0;
}
