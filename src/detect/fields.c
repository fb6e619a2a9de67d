/* SPDX-License-Identifier: MIT
 *
 * The reference's order: a skill is its whole document; the event's own field if it is not empty;
 * the content where it stands for the field; what some types let their content stand for when the
 * field is absent (an empty one is not absent); metadata. A quirk that follows and is kept: an
 * empty tool_name of a tool_call is the content.
 */
#include "detect/fields.h"

#include <string.h>

#include "base/scope.h"

/* Types whose content also stands for a field that is absent. */
static const struct {
	enum field field;
	enum event_type type;
} stand_ins[] = {
	{FIELD_USER_INPUT, EVENT_TOOL_RESPONSE},
	{FIELD_AGENT_OUTPUT, EVENT_TOOL_RESPONSE},
	{FIELD_TOOL_ARGS, EVENT_TOOL_CALL},
};

#define F(name) (1U << FIELD_##name)
/* The rest are looked for in metadata last. */
static const unsigned never_in_metadata = F(CONTENT) | F(USER_INPUT) | F(AGENT_OUTPUT) |
					  F(TOOL_NAME) | F(TOOL_ARGS) | F(TOOL_RESPONSE) |
					  F(AGENT_MESSAGE);
/* What a plain text stands for: a tool's name is no text, nor is a measurement. */
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
