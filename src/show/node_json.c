/* SPDX-License-Identifier: MIT
 *
 * Walks the tree. The YAML reader has bounded its depth.
 */
#include "show/node_json.h"

static json_t *list_json(const struct node *n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n->list.count; i++)
		json_array_append_new(list, tree_json(n->list.item[i]));
	return list;
}

static json_t *map_json(const struct node *n)
{
	json_t *object = json_object();

	for (size_t i = 0; i < n->map.count; i++)
		json_object_set_new(object, n->map.pair[i].key.s, tree_json(n->map.pair[i].value));
	return object;
}

static json_t *null_json(const struct node *n)
{
	(void)n;
	return json_null();
}

static json_t *bool_json(const struct node *n)
{
	return json_boolean(n->truth);
}

static json_t *int_json(const struct node *n)
{
	return json_integer(n->integer);
}

static json_t *float_json(const struct node *n)
{
	json_t *number = json_real(n->number);

	return number ? number : json_null();
}

static json_t *string_json(const struct node *n)
{
	return json_stringn(n->text.s, n->text.len);
}

json_t *tree_json(const struct node *n)
{
	static json_t *(*const make[NODE_KINDS])(const struct node *n) = {
		[NODE_NULL] = null_json,   [NODE_BOOL] = bool_json,	[NODE_INT] = int_json,
		[NODE_FLOAT] = float_json, [NODE_STRING] = string_json, [NODE_LIST] = list_json,
		[NODE_MAP] = map_json,
	};

	return make[n->kind](n);
}
