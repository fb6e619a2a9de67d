/* SPDX-License-Identifier: MIT
 *
 * The parts of a tool's answer. An agent that finds a structured part shows only that to its model: so
 * whatever the text says, the structured part says too.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/scope.h"
#include "base/version.h"
#include "door/mcp/tool.h"
#include "show/jsonval.h"

#define MCP_SERVER_INFO "io.modelcontextprotocol/serverInfo"

static void add(struct mcp_answer *a, json_t *block)
{
	if (!a->content)
		a->content = json_array();
	if (!a->content || json_array_append_new(a->content, block) < 0)
		memory_note();
}

void mcp_add_text(struct mcp_answer *a, const char *text, size_t len)
{
	json_t *words = json_stringn(text, len);

	if (!words) {
		AUTO_FREE char *copy = malloc(len + 1);
		if (copy) {
			memcpy(copy, text, len);
			copy[len] = '\0';
		}
		words = jsonval_readable(copy ? copy : "");
	}
	add(a, json_pack("{s:s, s:o}", "type", "text", "text", words));
}

void mcp_add_image(struct mcp_answer *a, const char *mime, const void *data, size_t len)
{
	size_t size = sodium_base64_ENCODED_LEN(len, sodium_base64_VARIANT_ORIGINAL);
	AUTO_FREE char *text = malloc(size);

	if (!text)
		return;
	sodium_bin2base64(text, size, data, len, sodium_base64_VARIANT_ORIGINAL);
	add(a, json_pack("{s:s, s:s, s:s}", "type", "image", "data", text, "mimeType", mime));
}

void mcp_answer_error(struct mcp_answer *a, const struct err *err)
{
	struct arena arena = {0};
	const char *words = arena_printf(&arena, "cordon: %s%s%s%s%s", err->message,
					 err->cause[0] ? "\nbecause: " : "", err->cause,
					 err->cure[0] ? "\ntry: " : "", err->cure);
	json_t *e = json_pack("{s:o}", "message", jsonval_readable(err->message));

	if (err->cause[0])
		json_object_set_new(e, "cause", jsonval_readable(err->cause));
	if (err->cure[0])
		json_object_set_new(e, "cure", jsonval_readable(err->cure));
	mcp_answer_done(a);
	mcp_add_text(a, words, strlen(words));
	a->structured = json_pack("{s:s, s:o}", "status",
				  err->code == ERR_REFUSED ? "refused" : "error", "error", e);
	a->is_error = true;
	arena_done(&arena);
}

const char *mcp_picture_type(const void *data, size_t len)
{
	static const struct {
		const char *type, *start, *later; /* LATER: at byte 8 */
		size_t len;
	} rows[] = {{"image/png", "\x89PNG\r\n\x1a\n", NULL, 8},
		    {"image/jpeg", "\xff\xd8\xff", NULL, 3},
		    {"image/gif", "GIF8", NULL, 4},
		    {"image/webp", "RIFF", "WEBP", 4}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (len >= 12 && memcmp(data, rows[i].start, rows[i].len) == 0 &&
		    (!rows[i].later || memcmp((const char *)data + 8, rows[i].later, 4) == 0))
			return rows[i].type;
	return NULL;
}

json_t *mcp_server_info(void)
{
	return json_pack("{s:s, s:s, s:s}", "name", "cordon", "title", "Cordon", "version",
			 CORDON_VERSION);
}

json_t *mcp_finish(json_t *result, bool modern)
{
	if (!modern)
		return result;
	if (!json_object_get(result, "resultType"))
		json_object_set_new(result, "resultType", json_string("complete"));
	json_object_set_new(result, "_meta",
			    json_pack("{s:o}", MCP_SERVER_INFO, mcp_server_info()));
	return result;
}

json_t *mcp_answer_result(struct mcp_answer *a, const struct mcp_tool *tool, bool modern)
{
	json_t *result = json_pack("{s:o}", "content", a->content ? a->content : json_array());

	a->content = NULL;
	if (a->structured && tool->output)
		json_object_set(result, "structuredContent", a->structured);
	if (a->is_error)
		json_object_set_new(result, "isError", json_true());
	mcp_answer_done(a);
	return mcp_finish(result, modern);
}

void mcp_answer_done(struct mcp_answer *a)
{
	json_decref(a->content);
	json_decref(a->structured);
	json_decref(a->question);
	*a = (struct mcp_answer){0};
}

const char *mcp_question(const struct mcp_tool *tool)
{
	return tool->question ? tool->question : "approval";
}

const char *mcp_text(const struct mcp_call *call, const char *name)
{
	return json_string_value(json_object_get(call->arguments, name));
}

long long mcp_number(const struct mcp_call *call, const char *name, long long fallback)
{
	const json_t *n = json_object_get(call->arguments, name);

	return json_is_integer(n) ? json_integer_value(n) : fallback;
}
