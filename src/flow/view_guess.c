/* SPDX-License-Identifier: MIT
 *
 * The language of a program: by the end of its name, by its whole name where the shell or Python
 * reads a file of that name by itself, or by the interpreter its first line asks for. Names are
 * compared in any case, since nothing that runs a file looks at that. A guess that is wrong costs
 * a note; one that is missing costs the code view.
 */
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "flow/view.h"

enum { PROGRAM_MAX = 32 }; /* of an interpreter's name; a longer one is none that is known */

static const struct {
	char suffix[12], reader[8];
} suffixes[] = {
	{".py", "python"}, {".pyw", "python"}, {".pyi", "python"},	  {".pth", "python"},
	{".sh", "bash"},   {".bash", "bash"},  {".ksh", "bash"},	  {".zsh", "bash"},
	{".dash", "bash"}, {".ash", "bash"},   {".bats", "bash"},	  {".command", "bash"},
	{".mk", "make"},   {".mak", "make"},   {".dockerfile", "docker"},
};

/* clang-format off */
static const char *const shell_files[] = {
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases",
	"bashrc", "bash.bashrc", ".profile", "profile", ".shrc", ".kshrc", ".mkshrc",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", "zshrc", "zshenv",
	"zprofile", ".envrc", ".xinitrc", ".xsession", ".xprofile", ".xsessionrc",
	"rc.local", "PKGBUILD", "APKBUILD", NULL,
};
static const char *const make_files[] = {"Makefile", "GNUmakefile", "BSDmakefile", NULL};
static const char *const docker_files[] = {"Dockerfile", "Containerfile", NULL};
/* clang-format on */

static const struct {
	const char *const *name, *reader;
} files[] = {{shell_files, "bash"}, {make_files, "make"}, {docker_files, "docker"}};

/* In the first line after #!, without the numbers of a version. */
/* clang-format off */
static const struct {
	char program[12], reader[8];
} programs[] = {
	{"python", "python"}, {"pythonw", "python"}, {"ipython", "python"}, {"pypy", "python"},
	{"sh", "bash"}, {"bash", "bash"}, {"rbash", "bash"}, {"dash", "bash"}, {"ash", "bash"},
	{"zsh", "bash"}, {"ksh", "bash"}, {"mksh", "bash"}, {"pdksh", "bash"}, {"lksh", "bash"},
	{"yash", "bash"}, {"posh", "bash"}, {"bats", "bash"}, {"busybox", "bash"},
};
/* clang-format on */

static const char *by_name(const char *name)
{
	const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
	size_t len = strlen(base);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i].suffix);
		if (len > n && strcasecmp(base + len - n, suffixes[i].suffix) == 0)
			return suffixes[i].reader;
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		for (const char *const *n = files[i].name; *n; n++)
			if (strcasecmp(base, *n) == 0)
				return files[i].reader;
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
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (strcmp(program, programs[i].program) == 0)
			return programs[i].reader;
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

const char *view_guess(const char *name, const char *code, size_t len)
{
	const char *reader = name ? by_name(name) : NULL;

	if (reader || len < 2 || memcmp(code, "#!", 2) != 0)
		return reader;
	return by_first_line(code, len);
}
