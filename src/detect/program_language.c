/* SPDX-License-Identifier: MIT
 *
 * The language of a program: by the end of its name, by its whole name where the shell or Python
 * reads a file of that name by itself, or by the interpreter its first line asks for. Names are
 * compared in any case, since nothing that runs a file looks at that. A guess that is wrong costs
 * a note; one that is missing costs the code view.
 */
#include "detect/program_language.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "conf/profile.h"

enum { PROGRAM_MAX = 32 }; /* of an interpreter's name; no known name is longer */

/* Languages that have a reader and cannot be run: see struct profile for the others. */
static const struct {
	const char *reader, *suffixes;
	const char *names[4];
} documents[] = {
	{"make", ".mk\0.mak\0", {"Makefile", "GNUmakefile", "BSDmakefile", NULL}},
	{"docker", ".dockerfile\0", {"Dockerfile", "Containerfile", NULL}},
};

static bool has_suffix(const char *base, const char *suffixes)
{
	size_t len = strlen(base);

	for (const char *s = suffixes; s && *s; s += strlen(s) + 1)
		if (len > strlen(s) && strcasecmp(base + len - strlen(s), s) == 0)
			return true;
	return false;
}

static bool is_one_of(const char *name, const char *const *list)
{
	for (; list && *list; list++)
		if (strcasecmp(name, *list) == 0)
			return true;
	return false;
}

static const char *by_name(const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	const struct profile *p;

	for (unsigned i = 0; (p = profile_at(i)); i++)
		if (p->reader &&
		    (has_suffix(base, p->suffixes) || has_suffix(base, p->scanned_suffixes) ||
		     is_one_of(base, p->scanned_names)))
			return p->reader;
	for (size_t i = 0; i < ARRAY_SIZE(documents); i++)
		if (has_suffix(base, documents[i].suffixes) || is_one_of(base, documents[i].names))
			return documents[i].reader;
	return NULL;
}

/* WORD is a path, or an option of env's. */
static const char *by_program(const char *word, size_t len)
{
	char program[PROGRAM_MAX];
	const char *slash = memrchr(word, '/', len);

	if (slash) {
		len -= (size_t)(slash + 1 - word);
		word = slash + 1;
	}
	while (len && strchr("0123456789.-", word[len - 1]) && word[len - 1])
		len--;
	if (!len || len >= sizeof(program))
		return NULL;
	memcpy(program, word, len);
	program[len] = '\0';
	const struct profile *p;
	for (unsigned i = 0; (p = profile_at(i)); i++)
		for (const char *const *n = p->scanned_programs; p->reader && n && *n; n++)
			if (strcmp(program, *n) == 0)
				return p->reader;
	return NULL;
}

static bool is_gap(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* env and busybox have the interpreter among their words, others have it first. */
static const char *by_first_line(const char *code, size_t len)
{
	const char *found = NULL, *newline = memchr(code, '\n', len);
	size_t end = newline ? (size_t)(newline - code) : len, at = 2;

	while (at < end && !found) {
		size_t start = at;
		while (at < end && !is_gap(code[at]))
			at++;
		found = by_program(code + start, at - start);
		at++;
	}
	return found;
}

const char *program_language(const char *name, const char *code, size_t len)
{
	const char *reader = name ? by_name(name) : NULL;

	if (reader || len < 2 || memcmp(code, "#!", 2) != 0)
		return reader;
	return by_first_line(code, len);
}
