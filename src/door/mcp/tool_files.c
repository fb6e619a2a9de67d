/* SPDX-License-Identifier: MIT
 *
 * The tools for files. Each is a program of the live box: so a path means what it means there, a link leads
 * nowhere else, a written file is a pending change or covered by a ticket, and what is read is the output of
 * a recorded run. The host's files are never opened here.
 */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pages.h"
#include "base/scope.h"
#include "door/mcp/run_answer.h"
#include "door/mcp/tools.h"
#include "show/jsonval.h"

enum {
	READ_MAX = 8 << 20,
	SHOWN_DEFAULT = 256 << 10, /* bytes of text for a model */
	ENTRIES_MAX = 1000,
};

/* Collects the output, which is more than the result keeps. */
struct bytes {
	char *data;
	size_t len, size;
	bool is_cut;
};

static void collect(void *ctx, int stream, const char *data, size_t len)
{
	struct bytes *b = ctx;

	if (stream != 0 || b->is_cut)
		return;
	if (b->len + len > READ_MAX) {
		len = READ_MAX - b->len;
		b->is_cut = true;
	}
	if (b->size - b->len < len + 1) {
		size_t size = (b->len + len + 1) * 2;
		char *grown = realloc(b->data, size);
		if (!grown) {
			b->is_cut = true;
			return;
		}
		b->data = grown;
		b->size = size;
	}
	memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

/* Runs CODE, whose arguments are quoted, and collects what it prints. False: RET has the reason. */
static bool run(struct mcp_call *call, const char *code, struct bytes *out, struct mcp_answer *ret)
{
	AUTO_PAGES struct result *result = pages_new(sizeof(*result));
	const struct launch_sink sink = {.output = collect, .ctx = out};
	struct request *r = &call->session->command;
	struct err err;

	if (!result || !code) {
		err_memory(&err);
		mcp_answer_error(ret, &err);
		return false;
	}
	r->lang = "bash";
	r->file = "command";
	r->code = code;
	r->code_len = strlen(code);
	session_start(call->session, r, &sink, result);
	bool is_good = result->status == STATUS_EXITED && result->exit_code == 0 &&
		       !result->report->withheld;
	if (!is_good) {
		run_answer(call, result, ret);
		ret->is_error = true;
	}
	result_done(result);
	return is_good;
}

static char *file_code(struct mcp_call *call, struct arena *a, const char *format)
{
	const char *path = mcp_text(call, "path"), *mark = strchr(format, '@');
	char *word = arena_quote(a, path ? path : ".");

	return arena_printf(a, "%.*s%s%s\n", (int)(mark - format), format, word, mark + 1);
}

/* ---- read_file ---- */

/* From line FIRST on, at most COUNT lines and SHOWN_DEFAULT bytes. */
static struct text lines_of(const struct bytes *b, long long first, long long count, bool *ret_more)
{
	const char *at = b->data, *end = b->data + b->len;

	for (long long i = 1; i < first && at < end; i++) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		at = next ? next + 1 : end;
	}
	const char *stop = at;
	for (long long i = 0; i < count && stop < end; i++) {
		const char *next = memchr(stop, '\n', (size_t)(end - stop));
		const char *line_end = next ? next + 1 : end;
		if (line_end - at > SHOWN_DEFAULT)
			break;
		stop = line_end;
	}
	if (stop == at && at < end) /* one line that is too long */
		stop = at + (end - at < SHOWN_DEFAULT ? end - at : SHOWN_DEFAULT);
	*ret_more = stop < end;
	return (struct text){at, (size_t)(stop - at)};
}

static void add_binary(struct mcp_answer *ret, const struct bytes *b)
{
	size_t len = b->len < SHOWN_DEFAULT ? b->len : SHOWN_DEFAULT,
	       size = sodium_base64_ENCODED_LEN(len, sodium_base64_VARIANT_ORIGINAL);
	AUTO_FREE char *text = malloc(size);
	struct arena a = {0};

	if (!text)
		return;
	sodium_bin2base64(text, size, (const unsigned char *)b->data, len,
			  sodium_base64_VARIANT_ORIGINAL);
	mcp_add_text(ret, text, strlen(text));
	const char *words =
		arena_printf(&a, "cordon: not UTF-8: the first %zu of %zu%s bytes in base64", len,
			     b->len, b->is_cut ? " or more" : "");
	mcp_add_text(ret, words, strlen(words));
	arena_done(&a);
}

static void add_lines(struct mcp_call *call, struct mcp_answer *ret, const struct bytes *b)
{
	bool has_more;
	struct text part = lines_of(b, mcp_number(call, "first_line", 1),
				    mcp_number(call, "lines", READ_MAX), &has_more);
	static const char more[] = "cordon: there is more: first_line and lines choose a part";

	mcp_add_text(ret, part.s, part.len);
	if (has_more || b->is_cut)
		mcp_add_text(ret, more, sizeof(more) - 1);
}

static bool is_utf8(const struct bytes *b)
{
	json_t *text = json_stringn(b->data, b->len);

	json_decref(text);
	return text != NULL && !memchr(b->data, '\0', b->len);
}

static void read_file(struct mcp_call *call, struct mcp_answer *ret)
{
	struct bytes b = {0};
	struct arena a = {0};

	call->session->command.reads = mcp_text(call, "path");
	if (run(call, file_code(call, &a, "exec cat -- @"), &b, ret)) {
		const char *type = b.len ? mcp_picture_type(b.data, b.len) : NULL;
		if (!b.len)
			mcp_add_text(ret, "", 0);
		else if (type && !b.is_cut)
			mcp_add_image(ret, type, b.data, b.len);
		else if (is_utf8(&b))
			add_lines(call, ret, &b);
		else
			add_binary(ret, &b);
	}
	free(b.data);
	arena_done(&a);
}

/* ---- write_file ---- */

static int decode(const struct mcp_call *call, struct bytes *ret, struct err *err)
{
	const json_t *content = json_object_get(call->arguments, "content");
	const char *encoding = mcp_text(call, "encoding"), *text = json_string_value(content);
	size_t len = json_string_length(content);

	ret->data = malloc(len + 1);
	if (!ret->data)
		return err_memory(err);
	ret->len = len;
	if (encoding && strcmp(encoding, "base64") == 0) {
		if (sodium_base642bin((unsigned char *)ret->data, len, text, len, "\r\n ",
				      &ret->len, NULL, sodium_base64_VARIANT_ORIGINAL) != 0)
			return err_set(err, ERR_INPUT, "content is not base64");
	} else {
		memcpy(ret->data, text, len);
	}
	return 0;
}

static void write_file(struct mcp_call *call, struct mcp_answer *ret)
{
	struct request *r = &call->session->command;
	struct bytes content = {0}, none = {0};
	struct arena a = {0};
	struct err err;
	bool is_program = json_is_true(json_object_get(call->arguments, "executable"));

	if (decode(call, &content, &err) < 0) {
		mcp_answer_error(ret, &err);
	} else {
		r->stdin_file = NULL;
		r->input = content.data;
		r->input_len = content.len;
		const char *code = file_code(
			call, &a,
			is_program ? "to=@\nmkdir -p -- \"$(dirname -- \"$to\")\" && cat >\"$to\" "
				     "&& chmod +x -- \"$to\""
				   : "to=@\nmkdir -p -- \"$(dirname -- \"$to\")\" && cat >\"$to\"");
		if (run(call, code, &none, ret)) {
			ret->structured =
				json_pack("{s:s, s:s, s:I}", "status", "exited", "path",
					  mcp_text(call, "path"), "bytes", (json_int_t)content.len);
			const char *words = arena_printf(&a, "%zu bytes are in %s", content.len,
							 mcp_text(call, "path"));
			mcp_add_text(ret, words, strlen(words));
		}
	}
	free(content.data);
	free(none.data);
	arena_done(&a);
}

/* ---- list_files ---- */

struct entry {
	char *path;
	const char *type;
	long long size;
};

static int by_path(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return strcmp(a->path, b->path);
}

static const char *type_name(char letter)
{
	return letter == 'f'   ? "file"
	       : letter == 'd' ? "directory"
	       : letter == 'l' ? "link"
			       : "other";
}

/* "f 12 src/main.c", each ended by NUL: what a program of the box printed. */
static size_t read_entries(struct bytes *b, struct entry *list)
{
	size_t count = 0;

	for (char *at = b->data; at && at < b->data + b->len && count < ENTRIES_MAX;) {
		size_t len = strlen(at);
		char *end = at + 1;
		if (len > 4 && at[1] == ' ') {
			long long size = strtoll(at + 2, &end, 10);
			if (*end == ' ')
				list[count++] = (struct entry){end + 1, type_name(*at), size};
		}
		at += len + 1;
	}
	return count;
}

static void add_entries(struct mcp_answer *ret, struct entry *list, size_t count, bool is_cut)
{
	json_t *entries = json_array();
	struct arena a = {0};
	const char *text = "";

	qsort(list, count, sizeof(*list), by_path);
	for (size_t i = 0; i < count; i++) {
		bool is_dir = strcmp(list[i].type, "directory") == 0;
		json_t *name = jsonval_readable(list[i].path);
		text = arena_printf(&a, "%s%s%s\n", text, json_string_value(name),
				    is_dir ? "/" : "");
		json_array_append_new(entries,
				      json_pack("{s:o, s:s, s:I}", "path", name, "type",
						list[i].type, "bytes", (json_int_t)list[i].size));
	}
	if (is_cut)
		text = arena_printf(&a, "%scordon: there are more\n", text);
	ret->structured = json_pack("{s:s, s:o, s:b}", "status", "exited", "entries", entries,
				    "truncated", is_cut);
	mcp_add_text(ret, text, strlen(text));
	arena_done(&a);
}

static void list_files(struct mcp_call *call, struct mcp_answer *ret)
{
	AUTO_FREE struct entry *list = calloc(ENTRIES_MAX, sizeof(*list));
	struct bytes b = {0};
	struct arena a = {0};
	const char *find =
		arena_printf(&a, "exec find @ -mindepth 1 -maxdepth %lld -printf '%%y %%s %%P\\0'",
			     mcp_number(call, "depth", 1));
	/* find takes a path that begins with a dash for an option */
	char *code = file_code(call, &a, find);
	struct err err;

	if (*(mcp_text(call, "path") ? mcp_text(call, "path") : ".") == '-') {
		err_set(&err, ERR_INPUT, "path begins with a dash: write ./ before it");
		mcp_answer_error(ret, &err);
	} else if (!list) {
		memory_note();
	} else if (run(call, code, &b, ret)) {
		size_t count = read_entries(&b, list);
		add_entries(ret, list, count, b.is_cut || count == ENTRIES_MAX);
	}
	free(b.data);
	arena_done(&a);
}

#define PATH_MEMBER                                                                                \
	"\"path\":{\"type\":\"string\",\"maxLength\":4095,\"description\":\"absolute, or "         \
	"relative to "                                                                             \
	"the project directory\"}"
#define ERROR_MEMBERS                                                                              \
	"\"status\":{\"type\":\"string\"},\"exit_code\":{\"type\":\"integer\"},"                   \
	"\"stderr\":{\"type\":\"string\"},\"error\":{\"type\":\"object\"}"

const struct mcp_tool tool_read_file = {
	.name = "read_file",
	.title = "Read a file of the sandbox",
	.description =
		"Reads a file as the sandbox of run_command sees it, with the changes of earlier "
		"calls. A PNG, JPEG, GIF or WebP file comes back as a picture, other files that "
		"are not UTF-8 in base64.",
	.input = "{\"type\":\"object\",\"properties\":{" PATH_MEMBER
		 ",\"first_line\":{\"type\":\"integer\",\"minimum\":1},"
		 "\"lines\":{\"type\":\"integer\",\"minimum\":1}},"
		 "\"required\":[\"path\"],\"additionalProperties\":false}",
	.only_reads = true,
	.run = read_file,
};

const struct mcp_tool tool_write_file = {
	.name = "write_file",
	.title = "Write a file of the sandbox",
	.description =
		"Writes a file in the sandbox of run_command, and makes its directory. In the "
		"project directory the change waits until the person applies it.",
	.input = "{\"type\":\"object\",\"properties\":{" PATH_MEMBER
		 ",\"content\":{\"type\":\"string\"},"
		 "\"encoding\":{\"type\":\"string\",\"enum\":[\"utf-8\",\"base64\"]},"
		 "\"executable\":{\"type\":\"boolean\"}},"
		 "\"required\":[\"path\",\"content\"],\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},"
		  "\"bytes\":{\"type\":\"integer\"}," ERROR_MEMBERS "},\"required\":[\"status\"]}",
	.run = write_file,
};

const struct mcp_tool tool_list_files = {
	.name = "list_files",
	.title = "List a directory of the sandbox",
	.description =
		"Lists the files below a directory as the sandbox of run_command sees them, at "
		"most 1000 of them.",
	.input = "{\"type\":\"object\",\"properties\":{" PATH_MEMBER
		 ",\"depth\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":32}},"
		 "\"additionalProperties\":false}",
	.output = "{\"type\":\"object\",\"properties\":{\"entries\":{\"type\":\"array\",\"items\":"
		  "{\"type\":\"object\",\"properties\":{\"path\":{\"type\":\"string\"},"
		  "\"type\":{\"type\":\"string\"},\"bytes\":{\"type\":\"integer\"}}}},"
		  "\"truncated\":{\"type\":\"boolean\"}," ERROR_MEMBERS
		  "},\"required\":[\"status\"]}",
	.only_reads = true,
	.run = list_files,
};
