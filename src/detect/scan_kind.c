/* SPDX-License-Identifier: MIT
 *
 * Finds the kind of a file by its name or its first bytes. A wrong guess costs precision and never
 * skips the scan: an unknown file is text. A file is left out only if its first bytes say that it is
 * binary and it has many bytes that no text has, because rules are about words.
 */
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "detect/program_language.h"
#include "detect/scan.h"

static const struct {
	const char *name, *language;
} kinds[KIND_COUNT] = {
	[KIND_TEXT] = {"text", NULL},	  [KIND_PYTHON] = {"python", "python"},
	[KIND_SHELL] = {"shell", "bash"}, [KIND_DOCKER] = {"docker", "docker"},
	[KIND_MAKE] = {"make", "make"},	  [KIND_SKILL] = {"skill", NULL},
	[KIND_JSON] = {"json", NULL},	  [KIND_MCP] = {"mcp", NULL},
	[KIND_EVENTS] = {"events", NULL}, [KIND_NOTEBOOK] = {"notebook", "notebook"},
};

const char *scan_kind_name(unsigned kind)
{
	return kind < KIND_COUNT ? kinds[kind].name : NULL;
}

const char *scan_kind_language(enum scan_kind kind)
{
	return kinds[kind].language;
}

enum scan_kind scan_kind_read_by(const char *language)
{
	for (unsigned i = 0; language && i < KIND_COUNT; i++)
		if (kinds[i].language && strcmp(kinds[i].language, language) == 0)
			return (enum scan_kind)i;
	return KIND_TEXT;
}

/* By the end of the name, in any case; the first row that matches. */
static const struct {
	const char *end;
	bool whole; /* END is the whole name */
	enum scan_kind kind;
} names[] = {
	{"SKILL.md", true, KIND_SKILL},	  {".jsonl", false, KIND_EVENTS},
	{".ndjson", false, KIND_EVENTS},  {".json", false, KIND_JSON},
	{".ipynb", false, KIND_NOTEBOOK}, {".md", false, KIND_TEXT},
	{".txt", false, KIND_TEXT},	  {".yaml", false, KIND_TEXT},
	{".yml", false, KIND_TEXT},
};

static bool has_name(const char *name, size_t row)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	size_t len = strlen(base), end = strlen(names[row].end);

	return len >= end && (!names[row].whole || len == end) &&
	       strcasecmp(base + len - end, names[row].end) == 0;
}

static size_t skip_blanks(struct text data)
{
	size_t at = data.len >= 3 && memcmp(data.s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	while (at < data.len && strchr(" \t\r\n", data.s[at]) && data.s[at])
		at++;
	return at;
}

enum scan_kind scan_kind_of(const char *name, struct text data, bool *ret_sure)
{
	const char *language;
	size_t at = skip_blanks(data);

	*ret_sure = true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (has_name(name, i))
			return names[i].kind;
	*ret_sure = false;
	language = program_language(name, data.s, data.len);
	if (language)
		return scan_kind_read_by(language);
	return at < data.len && (data.s[at] == '{' || data.s[at] == '[') ? KIND_JSON : KIND_TEXT;
}

static const struct {
	const char *bytes;
	size_t len;
	const char *what;
} magic[] = {
#define MAGIC(bytes, what)                                                                         \
	{                                                                                          \
		bytes, sizeof(bytes) - 1, what                                                     \
	}
	MAGIC("\x7f"
	      "ELF",
	      "a program (ELF)"),
	MAGIC("MZ\x90", "a program (PE)"),
	MAGIC("\xcf\xfa\xed\xfe", "a program (Mach-O)"),
	MAGIC("\0asm", "a program (WebAssembly)"),
	MAGIC("\x89PNG", "a picture"),
	MAGIC("\xff\xd8\xff", "a picture"),
	MAGIC("GIF87a", "a picture"),
	MAGIC("GIF89a", "a picture"),
	MAGIC("%PDF-", "a PDF"),
	MAGIC("PK\3\4", "an archive (zip)"),
	MAGIC("\x1f\x8b\x08", "compressed (gzip)"),
	MAGIC("\xfd"
	      "7zXZ",
	      "compressed (xz)"),
	MAGIC("BZh", "compressed (bzip2)"),
	MAGIC("\x28\xb5\x2f\xfd", "compressed (zstd)"),
	MAGIC("SQLite format 3", "a database"),
	MAGIC("!<arch>\n", "an archive (ar)"),
	MAGIC("wOF2", "a font"),
	MAGIC("OggS", "sound"),
};

/* Files with these names are text for programs even if they begin like a picture (GIF89a). */
/* clang-format off */
static const char *const text_ends[] = {
	".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".html", ".htm", ".svg",
	".xml", ".css", ".php", ".rb", ".pl", ".ps1", ".bat", ".cmd", ".lua",
	".go", ".rs", ".c", ".h", ".cc", ".cpp", ".java", ".cs", ".toml",
	".ini", ".cfg", ".conf", ".csv",
};
/* clang-format on */

enum { ODD_LEAST = 16, ODD_SHARE = 20 };

static bool has_text_end(const char *name)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(text_ends); i++)
		if (strcasecmp(dot, text_ends[i]) == 0)
			return true;
	return false;
}

bool scan_is_program(const struct scan_file *file)
{
	return scan_kind_language(file->kind) || has_text_end(file->name);
}

static bool is_odd(char c)
{
	return (unsigned char)c < ' ' && (!c || !strchr("\t\r\n\f\v\b\033", c));
}

/* Both tests must agree. A text can begin with any of the first bytes, and a text can contain a NUL;
 * else a few bytes in a comment would be enough to avoid the scan. A file with the name of a text is
 * always text. */
const char *scan_binary(const char *name, struct text data)
{
	const char *what = NULL;
	size_t odd = 0;

	for (size_t i = 0; !what && i < ARRAY_SIZE(magic); i++)
		if (data.len >= magic[i].len && memcmp(data.s, magic[i].bytes, magic[i].len) == 0)
			what = magic[i].what;
	for (size_t i = 0; what && i < ARRAY_SIZE(names); i++)
		if (has_name(name, i))
			return NULL;
	if (!what || has_text_end(name) || program_language(name, data.s, data.len))
		return NULL;
	for (size_t i = 0; i < data.len; i++)
		odd += is_odd(data.s[i]);
	return odd > ODD_LEAST + data.len / ODD_SHARE ? what : NULL;
}
