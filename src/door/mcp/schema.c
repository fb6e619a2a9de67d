/* SPDX-License-Identifier: MIT
 *
 * See schema.h.
 */
#include "door/mcp/schema.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/scope.h"

enum { NAME_MAX_BYTES = 64 };

static const char *shown(const char *name)
{
	return *name ? name : "arguments";
}

static bool is_of_type(const json_t *value, const char *type)
{
	static const struct {
		const char *name;
		json_type type;
	} rows[] = {{"object", JSON_OBJECT},   {"array", JSON_ARRAY},  {"string", JSON_STRING},
		    {"integer", JSON_INTEGER}, {"boolean", JSON_TRUE}, {"null", JSON_NULL}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strcmp(type, rows[i].name) == 0)
			return json_typeof(value) == rows[i].type ||
			       (rows[i].type == JSON_TRUE && json_is_boolean(value));
	return strcmp(type, "number") == 0 && json_is_number(value);
}

static int check_type(const json_t *schema, const json_t *value, const char *name, struct err *err)
{
	const json_t *type = json_object_get(schema, "type"), *one;
	char words[128] = "";
	size_t i;

	if (json_is_string(type)) {
		snprintf(words, sizeof(words), "%s", json_string_value(type));
		if (is_of_type(value, words))
			return 0;
	}
	json_array_foreach (type, i, one) {
		size_t len = strlen(words);
		snprintf(words + len, sizeof(words) - len, "%s%s", len ? " or " : "",
			 json_string_value(one));
		if (is_of_type(value, json_string_value(one)))
			return 0;
	}
	return type ? err_set(err, ERR_INPUT, "%s must be of the type %s", shown(name), words) : 0;
}

static int check_enum(const json_t *schema, const json_t *value, const char *name, struct err *err)
{
	const json_t *list = json_object_get(schema, "enum"), *one;
	const char *word = json_string_value(value);
	struct nearest near = {0};
	size_t i;

	if (word)
		near = nearest_begin(word, strlen(word));
	json_array_foreach (list, i, one) {
		if (json_equal(one, value))
			return 0;
		if (word)
			nearest_try(&near, json_string_value(one));
	}
	if (!list)
		return 0;
	char words[256] = "";
	json_array_foreach (list, i, one) {
		size_t len = strlen(words);
		snprintf(words + len, sizeof(words) - len, "%s%s", len ? ", " : "",
			 json_string_value(one));
	}
	err_set(err, ERR_INPUT, "%s must be one of: %s", shown(name), words);
	nearest_say(err, "", near.name);
	return -1;
}

static int check_range(const json_t *schema, const json_t *value, const char *name, struct err *err)
{
	const json_t *least = json_object_get(schema, "minimum"),
		     *most = json_object_get(schema, "maximum"),
		     *longest = json_object_get(schema, "maxLength");

	if (json_is_number(value) && least && json_number_value(value) < json_number_value(least))
		return err_set(err, ERR_INPUT, "%s must be at least %g", shown(name),
			       json_number_value(least));
	if (json_is_number(value) && most && json_number_value(value) > json_number_value(most))
		return err_set(err, ERR_INPUT, "%s must be at most %g", shown(name),
			       json_number_value(most));
	if (json_is_string(value) && longest &&
	    json_string_length(value) > (size_t)json_integer_value(longest))
		return err_set(err, ERR_INPUT, "%s has more than %lld bytes", shown(name),
			       (long long)json_integer_value(longest));
	return 0;
}

static int unknown_member(const json_t *known, const char *key, const char *name, struct err *err)
{
	struct nearest near = nearest_begin(key, strlen(key));
	const char *each;
	json_t *of;

	json_object_foreach ((json_t *)known, each, of)
		nearest_try(&near, each);
	err_set(err, ERR_INPUT, "%s has no member \"%.*s\"", shown(name), NAME_MAX_BYTES, key);
	nearest_say(err, "", near.name);
	return -1;
}

static int check_members(const json_t *schema, const json_t *value, const char *name,
			 struct err *err)
{
	json_t *known = json_object_get(schema, "properties"),
	       *required = json_object_get(schema, "required"),
	       *others = json_object_get(schema, "additionalProperties"), *member, *one;
	const char *key;
	size_t i;

	json_object_foreach ((json_t *)value, key, member) {
		const json_t *of = json_object_get(known, key);
		char path[2 * NAME_MAX_BYTES];
		if (!of && !json_is_object(others))
			return unknown_member(known, key, name, err);
		snprintf(path, sizeof(path), "%s%s%.*s", name, *name ? "." : "", NAME_MAX_BYTES,
			 key);
		if (schema_check(of ? of : others, member, path, err) < 0)
			return -1;
	}
	json_array_foreach (required, i, one)
		if (!json_object_get(value, json_string_value(one)))
			return err_set(err, ERR_INPUT, "%s lacks the member \"%s\"", shown(name),
				       json_string_value(one));
	return 0;
}

int schema_check(const json_t *schema, const json_t *value, const char *name, struct err *err)
{
	const json_t *items = json_object_get(schema, "items"), *one;
	size_t i;

	if (check_type(schema, value, name, err) < 0 || check_enum(schema, value, name, err) < 0 ||
	    check_range(schema, value, name, err) < 0)
		return -1;
	if (items)
		json_array_foreach (value, i, one)
			if (schema_check(items, one, name, err) < 0)
				return -1;
	/* An object of which the schema says nothing may have any member. */
	bool is_free = !json_object_get(schema, "properties") &&
		       !json_object_get(schema, "additionalProperties");
	return json_is_object(value) && !is_free ? check_members(schema, value, name, err) : 0;
}
