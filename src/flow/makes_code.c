/* SPDX-License-Identifier: MIT
 *
 * Three tables: modules, programs, and words of the canonical text (flow/view.h). In that text
 * names are written out ("sys.path", however it was called), constants are folded, and what is
 * computed is left as it is; so a word there is what it says. That a word stands in a string is no
 * excuse: who plans can write it otherwise. What no table has is unknown, never data.
 */
#include "flow/makes_code.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "flow/plain.h"
#include "flow/plain_shell.h"
#include "flow/shell_awk.h"
#include "flow/shell_number.h"
#include "flow/shell_sed.h"

enum { FUNCTIONS_MAX = 256 }; /* of a shell program, that are known as such */

struct word_row {
	const char *words; /* with blanks between them */
	enum makes makes;
};

/* Those that are known to hand over data are in flow/plain_table.h. A row for a.b is asked before
 * one for a. */
static const struct word_row modules[] = {
	{"__main__ bdb builtins cProfile cffi cloudpickle code codeop compileall ctypes "
	 "dill distutils doctest ensurepip imp importlib joblib lib2to3 logging.config "
	 "markdown marshal multiprocessing pdb pickle pip pkg_resources pkgutil profile py_compile "
	 "pydoc pytest "
	 "rlcompleter runpy setuptools shelve site sklearn.externals timeit trace tracemalloc "
	 "unittest "
	 "venv zipapp zipimport",
	 MAKES_CODE},
};

/* Those that start another have it told beside them. */
static const struct word_row programs[] = {
	{"base64 basename bc cat chmod cmp comm command cp cut date dd df diff dirname du "
	 "echo egrep env exec expand expr false fgrep fmt fold grep gzip head id join ln "
	 "ls mapfile md5sum mkdir mktemp mv nice nl nohup nproc od paste printf pwd "
	 "readarray readlink realpath rev rm rmdir seq sha256sum shuf sleep sort split "
	 "stat tac tail tee test time timeout touch tr true truncate uname uniq wc whoami "
	 "yes zcat",
	 MAKES_DATA},
	{"ash bash busybox coproc csh dash deno ed expect fish gdb guile ipython julia ksh "
	 "lua m4 make node nodejs perl php pwsh python python2 python3 ruby sh sqlite3 "
	 "tclsh vi vim zsh (computed)",
	 MAKES_CODE},
};

/* A shell's, where the text tells what they are given. */
static const struct word_row shell_programs[] = {{"awk find gawk mawk sed xargs", MAKES_DATA}};

enum how {
	ALWAYS,
	THEN,	  /* and later in its line what is in THEN */
	WITH,	  /* the same, in its command */
	SED,	  /* and its script may (flow/shell_sed.h) */
	AWK,	  /* the same (flow/shell_awk.h) */
	SET,	  /* and it is no variable that is read */
	OPTION,	  /* and an option with one of these letters */
	NAMES,	  /* and a name that is computed */
	COMPUTED, /* and something computed is given to it */
	VALUE,	  /* and it is not called */
};

/* Words of the text that make code. */
static const struct mark {
	char lang[8], word[28];
	enum how how;
	char then[28]; /* or "" */
} marks[] = {
	/* where code comes from, and what runs it under another name */
	{"python", "sys.path", ALWAYS, ""},
	{"python", "sys.meta_path", ALWAYS, ""},
	{"python", "sys.path_hooks", ALWAYS, ""},
	{"python", "sys.path_importer_cache", ALWAYS, ""},
	{"python", "sys.modules", ALWAYS, ""},
	{"python", "__path__", ALWAYS, ""},
	{"python", "__loader__", ALWAYS, ""},
	{"python", "__spec__", ALWAYS, ""},
	{"python", "__builtins__", ALWAYS, ""},
	{"python", "__import__", ALWAYS, ""},
	{"python", "eval", ALWAYS, ""},
	{"python", "exec", ALWAYS, ""},
	{"python", "exec_", ALWAYS, ""}, /* six */
	{"python", "breakpoint", ALWAYS, ""},
	{"python", "getattr", ALWAYS, ""}, /* one with a known name is not there any more */
	{"python", "setattr", ALWAYS, ""},
	{"python", "__getattribute__", ALWAYS, ""},
	{"python", "getattr_static", ALWAYS, ""},
	{"python", "getmembers", ALWAYS, ""},
	{"python", "__self__", ALWAYS, ""}, /* of a built-in function: builtins */
	{"python", "__dict__[", COMPUTED, ""},
	{"python", "query(", COMPUTED, ""},
	{"python", "attrgetter(", COMPUTED, ""},
	{"python", "methodcaller(", COMPUTED, ""},
	{"python", "logging.config", ALWAYS, ""}, /* "from logging import config" imports logging */
	{"python", "load_all", ALWAYS, ""},
	{"python", "unsafe_load_all", ALWAYS, ""},
	{"python", "full_load", ALWAYS, ""},
	{"python", "yaml.Loader", ALWAYS, ""},
	{"python", "yaml.CLoader", ALWAYS, ""},
	{"python", "yaml.UnsafeLoader", ALWAYS, ""},
	{"python", "get_type_hints", ALWAYS, ""},
	{"python", "eval_str", ALWAYS, ""},
	{"python", "ForwardRef", ALWAYS, ""},
	{"python", "EntryPoint", ALWAYS, ""},
	/* handed to somebody who calls it */
	{"python", "os.system", VALUE, ""},
	{"python", "os.popen", VALUE, ""},
	{"python", "subprocess.run", VALUE, ""},
	{"python", "subprocess.Popen", VALUE, ""},
	{"python", "subprocess.call", VALUE, ""},
	{"python", "load_extension", ALWAYS, ""},
	{"python", "enable_load_extension", ALWAYS, ""},
	{"python", "read_pickle", ALWAYS, ""},
	{"python", "read_hdf", ALWAYS, ""},
	{"python", "allow_pickle", ALWAYS, ""},
	/* A shell computes with what stands in a variable: a[$(date)] is a number to it. */
	{"bash", "((", ALWAYS, ""},
	{"bash", "let", ALWAYS, ""},
	{"bash", "declare", OPTION, "in"},
	{"bash", "typeset", OPTION, "in"},
	{"bash", "local", OPTION, "in"},
	{"bash", "RANDOM=", COMPUTED, ""},
	{"bash", "SRANDOM=", COMPUTED, ""},
	{"bash", "OPTIND=", COMPUTED, ""},
	{"bash", "HISTCMD=", COMPUTED, ""},
	{"bash", "[[", THEN, "-eq"},
	{"bash", "[[", THEN, "-ne"},
	{"bash", "[[", THEN, "-lt"},
	{"bash", "[[", THEN, "-le"},
	{"bash", "[[", THEN, "-gt"},
	{"bash", "[[", THEN, "-ge"},
	/* names that are computed are read the same way */
	{"bash", "${!", ALWAYS, ""},
	{"bash", "@P}", ALWAYS, ""},
	{"bash", "PS4", ALWAYS, ""},
	{"bash", "BASH_ENV", ALWAYS, ""},
	{"bash", "PROMPT_COMMAND", ALWAYS, ""},
	/* where programs, and what they load, are looked for */
	{"bash", "PATH", SET, ""},
	{"bash", "ENV", SET, ""},
	{"bash", "LD_AUDIT", SET, ""},
	{"bash", "LD_LIBRARY_PATH", SET, ""},
	{"bash", "LD_PRELOAD", SET, ""},
	{"bash", "GCONV_PATH", SET, ""},
	{"bash", "enable", ALWAYS, ""},
	{"bash", "hash", ALWAYS, ""},
	{"bash", "bind", ALWAYS, ""},
	{"bash", "complete", ALWAYS, ""},
	{"bash", "compgen", ALWAYS, ""},
	{"bash", "fc", ALWAYS, ""},
	{"bash", "history", ALWAYS, ""},
	{"bash", "getopts", NAMES, ""},
	{"bash", "wait", WITH, "-p"},
	{"bash", "alias", ALWAYS, ""},
	{"bash", "declare", NAMES, ""},
	{"bash", "typeset", NAMES, ""},
	{"bash", "local", NAMES, ""},
	{"bash", "export", NAMES, ""},
	{"bash", "readonly", NAMES, ""},
	{"bash", "read", COMPUTED, ""},
	{"bash", "unset", COMPUTED, ""},
	{"bash", "-v $", ALWAYS, ""},
	{"bash", "trap", COMPUTED, ""},
	{"bash", "mapfile", THEN, "-C"},
	{"bash", "readarray", THEN, "-C"},
	/* programs with a language of their own */
	{"bash", "sed", SED, ""},
	{"bash", "awk", AWK, ""},
	{"bash", "gawk", ALWAYS, ""},
	{"bash", "mawk", ALWAYS, ""},
	{"bash", "find", COMPUTED, ""},
	{"bash", "find", THEN, "-exec"},
	{"bash", "find", THEN, "-ok"},
	{"bash", "xargs", WITH, "sed"},
	{"bash", "xargs", WITH, "awk"},
	{"bash", "xargs", WITH, "find"},
	{"bash", "xargs", WITH, "env"},
	{"bash", "xargs", WITH, "timeout"},
	{"bash", "xargs", WITH, "nice"},
	{"bash", "xargs", WITH, "nohup"},
	{"bash", "xargs", WITH, "sort"},
	{"bash", "xargs", WITH, "split"},
	{"bash", "sort", WITH, "--co"},
	{"bash", "split", WITH, "--f"},
};

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Is NAME, of LEN bytes, one of the words? */
static bool has_word(const char *words, const char *name, size_t len)
{
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n == len && memcmp(words, name, len) == 0)
			return true;
	}
	return false;
}

static bool find_row(const struct word_row *rows, size_t count, const char *name, size_t len,
		     enum makes *ret)
{
	for (size_t i = 0; i < count; i++)
		if (has_word(rows[i].words, name, len)) {
			*ret = rows[i].makes;
			return true;
		}
	return false;
}

/* "a.b.c", then "a.b", then "a". One that begins with a dot lies beside the program. */
static enum makes of_module(const char *name)
{
	enum makes made = MAKES_UNKNOWN;

	for (size_t len = strlen(name); len > 0; len--)
		if (!name[len] || name[len] == '.') {
			if (find_row(modules, ARRAY_SIZE(modules), name, len, &made))
				return made;
			if (plain_has_module(name, len))
				return MAKES_DATA;
		}
	return MAKES_UNKNOWN;
}

/* The shell program has a function of that name: its body is told too. */
static bool is_function(const char *text, const char *name)
{
	char head[64];

	if (snprintf(head, sizeof(head), "%s () ", name) < (int)sizeof(head) && strstr(text, head))
		return true;
	return snprintf(head, sizeof(head), "function %s ", name) < (int)sizeof(head) &&
	       strstr(text, head);
}

/* FUNCTIONS: how many more may be looked for in the text, which is long. */
static enum makes of_program(bool is_shell, const char *text, const char *path, int *functions)
{
	static const char *const places[] = {"/usr/bin/", "/bin/"};
	const char *name = path;
	enum makes made;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (strncmp(path, places[i], strlen(places[i])) == 0)
			name = path + strlen(places[i]);
	const char *last = strrchr(name, '/');
	if (find_row(programs, ARRAY_SIZE(programs), name, strlen(name), &made) ||
	    (is_shell &&
	     find_row(shell_programs, ARRAY_SIZE(shell_programs), name, strlen(name), &made)))
		return made;
	if (strpbrk(name, "$`") ||
	    (last && find_row(programs, ARRAY_SIZE(programs), last + 1, strlen(last + 1), &made) &&
	     made == MAKES_CODE))
		return MAKES_CODE;
	bool ours = is_shell && (*functions)-- > 0 && is_function(text, name);
	return ours ? MAKES_DATA : MAKES_UNKNOWN;
}

/* Until the end of the command: is a variable or a command's output given to it? */
static bool shell_computes(const char **at)
{
	bool quoted = false;

	for (; **at && **at != '\n' && (quoted || !strchr("|;&", **at)); (*at)++) {
		if (**at == '\'')
			quoted = !quoted;
		else if (!quoted && (**at == '$' || **at == '`'))
			return true;
	}
	return false;
}

static bool line_has(const char **at, const char *what)
{
	const char *begin = *at;
	size_t len = strcspn(begin, "\n");

	*at += len;
	return memmem(begin, len, what, strlen(what)) != NULL;
}

/* To the end of the command. */
static bool command_has(const char **at, const char *what)
{
	const char *begin = *at;
	size_t len = strcspn(begin, "\n|;&");

	*at += len;
	return memmem(begin, len, what, strlen(what)) != NULL;
}

/* A word of the command that begins as FIRST says and has one of LETTERS. */
static bool has_word_with(const char **at, const char *first, const char *letters)
{
	bool found = false;

	while (**at == ' ' && !found) {
		*at += 1 + (strchr("\"'", (*at)[1]) && (*at)[1]);
		size_t len = strcspn(*at, " \n|;&");
		found = len && strchr(first, **at) && (!letters || strcspn(*at, letters) < len);
		*at += len;
	}
	return found;
}

/* *AT is behind the word, and then behind what was looked at for it: that is looked at once, however
 * often the word is in it. */
static bool is_made(const struct mark *m, const char **at)
{
	switch (m->how) {
	case THEN:
		return line_has(at, m->then);
	case WITH:
		return command_has(at, m->then);
	case SED:
		return shell_sed_runs(at);
	case AWK:
		return shell_awk_runs(at);
	case OPTION:
		return has_word_with(at, "-+", m->then);
	case NAMES:
		return has_word_with(at, "$`", NULL);
	case VALUE:
		return **at != '(';
	case COMPUTED:
		return strcmp(m->lang, "bash") == 0 ? shell_computes(at)
						    : !**at || !strchr("'\")", **at);
	default:
		return true;
	}
}

static bool has_mark(const struct mark *m, const char *text)
{
	size_t len = strlen(m->word);

	for (const char *at = text, *found; (found = strstr(at, m->word));) {
		bool begins = !is_name(m->word[0]) || found == text || !is_name(found[-1]);
		bool ends = !is_name(m->word[len - 1]) || !is_name(found[len]);
		bool is_read = m->how == SET && found > text && strchr("${", found[-1]);
		at = found + len;
		if (begins && ends && !is_read && is_made(m, &at))
			return true;
	}
	return false;
}

__attribute__((format(printf, 3, 4))) static void found(struct makes_code *ret, enum makes makes,
							const char *fmt, ...)
{
	va_list ap;

	if (makes >= ret->makes)
		return;
	ret->makes = makes;
	va_start(ap, fmt);
	vsnprintf(ret->why, sizeof(ret->why), fmt, ap);
	va_end(ap);
}

static void look_at_effects(bool is_shell, const struct code_view *v, struct makes_code *ret)
{
	int functions = FUNCTIONS_MAX;

	for (size_t i = 0; i < v->effectc; i++) {
		const struct code_effect *e = &v->effect[i];
		if (e->kind == EFFECT_DYNAMIC)
			found(ret, MAKES_CODE, "line %u: %.60s", e->line, e->value);
		else if (e->kind == EFFECT_IMPORT)
			found(ret, of_module(e->value), "line %u: import %.60s", e->line, e->value);
		else if (e->kind == EFFECT_PROGRAM)
			found(ret, of_program(is_shell, v->text, e->value, &functions),
			      "line %u: the program %.60s", e->line, e->value);
	}
}

void makes_code(const char *lang, const struct code_view *view, struct makes_code *ret)
{
	bool is_shell = strcmp(lang, "bash") == 0;

	*ret = (struct makes_code){.makes = MAKES_DATA};
	if (!view_has_language(lang)) {
		found(ret, MAKES_UNKNOWN, "nobody can read %.20s for it", lang);
		return;
	}
	if (view->text)
		look_at_effects(is_shell, view, ret);
	for (size_t i = 0; view->text && i < ARRAY_SIZE(marks); i++)
		if (strcmp(marks[i].lang, lang) == 0 && ret->makes != MAKES_CODE &&
		    has_mark(&marks[i], view->text)) {
			ret->word = marks[i].word;
			found(ret, MAKES_CODE, "%s%s%s", marks[i].word,
			      *marks[i].then ? " with " : "", marks[i].then);
		}
	if (is_shell && view->text && shell_makes_number(view->text))
		found(ret, MAKES_CODE, "a computed index");
	if (view->state != CODE_VIEW_WHOLE)
		found(ret, MAKES_CODE, "it could not be read whole: %.60s",
		      view->reason ? view->reason : "");
}

void makes_code_of_plan(const char *lang, const struct code_view *view, struct makes_code *ret)
{
	char why[MAKES_WHY_MAX];

	makes_code(lang, view, ret);
	if (strcmp(lang, "python") == 0 && !plain_python(view->uses, why, sizeof(why)))
		found(ret, MAKES_CODE, "%s", why);
	if (strcmp(lang, "bash") == 0 && !plain_shell(view->uses, why, sizeof(why)))
		found(ret, MAKES_CODE, "%s", why);
}

/* How the names begin. */
static const char *const variables[] = {
	"BASH_", "DYLD_", "ENV=", "GCONV_PATH=", "LD_",	 "MPLBACKEND=", "NODE_",
	"PATH=", "PERL",  "PS4=", "PYTHON",	 "RUBY", "SHELLOPTS="};

bool makes_code_by_variable(const char *pair)
{
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++)
		if (strncmp(pair, variables[i], strlen(variables[i])) == 0)
			return true;
	return false;
}
