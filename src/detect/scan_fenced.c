/* SPDX-License-Identifier: MIT
 *
 * Tests whether a Markdown file has code blocks in a language with a code view, so that no box is
 * started for prose. The reader in the box finds where they begin and end
 * (runtime/python/documents.py). This test must never miss a block that the reader finds.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "detect/scan_private.h"

static const char *const ends[] = {".md", ".markdown", ".mdx", ".mkd"};
static const char *const languages[] = {"python", "python3", "py",    "ipython", "ipython3",
					"bash",	  "sh",	     "shell", "zsh"};

static bool is_markdown(const struct scan_file *file)
{
	const char *dot = strrchr(file->name, '.');

	if (file->kind != KIND_TEXT)
		return file->kind == KIND_SKILL;
	for (size_t i = 0; dot && i < ARRAY_SIZE(ends); i++)
		if (strcasecmp(dot, ends[i]) == 0)
			return true;
	return false;
}

static bool is_language(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (len == strlen(languages[i]) && strncasecmp(word, languages[i], len) == 0)
			return true;
	return false;
}

/* Any word on the rest of the line. */
static bool names_language(struct text text, size_t at)
{
	while (at < text.len && text.s[at] != '\n') {
		size_t begin = at;
		while (at < text.len && isalnum((unsigned char)text.s[at]))
			at++;
		if (is_language(text.s + begin, at - begin))
			return true;
		at += at == begin;
	}
	return false;
}

static bool has_fence(struct text text, const char *fence)
{
	const char *at = text.s, *end = text.s + text.len;

	while (at && (at = memmem(at, (size_t)(end - at), fence, 3))) {
		if (names_language(text, (size_t)(at - text.s)))
			return true;
		at = memchr(at, '\n', (size_t)(end - at));
	}
	return false;
}

bool scan_has_fenced(const struct scan_file *file)
{
	return is_markdown(file) && file->data.len &&
	       (has_fence(file->data, "```") || has_fence(file->data, "~~~"));
}
