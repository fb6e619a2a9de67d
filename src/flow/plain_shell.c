/* SPDX-License-Identifier: MIT
 *
 * See plain_shell.h. A fact is a line "LINE KIND WORD ..."; its words are taken apart in place, and what is
 * computed in one becomes a byte that no text has. Then a table of builtins says who looks at them. What
 * bash 5.2 does with each form was tried, not read; tests/cli/plan_shell.bats has the forms.
 */
#include "flow/plain_shell.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "flow/makes_code.h"

enum { WORDS_MAX = 4096 };

/* In a word, for what is computed: it stays in this word; any number of words; a number; one of a few
 * constants without blanks, with no dash at its beginning. */
enum { ONE = 1, MANY, NUMBER, OWN };
static const char computed[] = {ONE, MANY, '\0'};
static const char not_text[] = {ONE, MANY, NUMBER, OWN, '\0'};

struct fact {
	unsigned line;
	char kind;
	char **word; /* of a command: the first is its name */
	size_t wordc;
	bool is_wrapped; /* command x, builtin x */
};

/* Those that look say why it is not plain; NULL: it is. */
static const char is_computed[] =
	"gets what is computed where it may be a name, an option or an operator";
static const char is_no_name[] = "gets something else than the name of a variable";
static const char is_special[] = "is a variable that the shell makes code or numbers of";

static bool has_word(const char *words, const char *name)
{
	size_t len = strlen(name);

	for (size_t n; words && *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n == len && memcmp(words, name, n) == 0)
			return true;
	}
	return false;
}

static bool has_computed(const char *word)
{
	return strpbrk(word, computed) != NULL;
}

static bool is_text(const char *word)
{
	return !strpbrk(word, not_text);
}

static bool has_many(const struct fact *f)
{
	for (size_t i = 1; i < f->wordc; i++)
		if (strchr(f->word[i], MANY))
			return true;
	return false;
}

static bool is_number(const char *word)
{
	word += *word == '-';
	if (!*word)
		return false;
	for (; *word; word++)
		if (!isdigit((unsigned char)*word) && *word != NUMBER)
			return false;
	return true;
}

static size_t name_length(const char *word)
{
	size_t len = 0;

	if (isdigit((unsigned char)*word))
		return 0;
	while (isalnum((unsigned char)word[len]) || word[len] == '_')
		len++;
	return len;
}

/* What the shell itself reads numbers or code of, or where it looks for code. */
static const char specials[] =
	"BASHPID BASHOPTS BASH COMP_CWORD COMP_LINE COMP_POINT COMP_WORDBREAKS DIRSTACK EDITOR "
	"EPOCHREALTIME EPOCHSECONDS EUID EXECIGNORE FCEDIT FUNCNAME FUNCNEST GROUPS HISTCMD "
	"HISTFILE HISTSIZE HISTTIMEFORMAT INPUTRC LINENO MAIL MAILPATH OPTIND PAGER PATH PPID "
	"PROMPT_COMMAND PROMPT_DIRTRIM PS0 PS1 PS2 PS3 PS4 RANDOM SECONDS SHELL SHELLOPTS SRANDOM "
	"TEXTDOMAIN "
	"TEXTDOMAINDIR UID VISUAL";
/* They may be numbers: whoever counts begins so. */
static const char counters[] = "OPTIND RANDOM SECONDS";

/* VALUE: what it is set to; NULL: nobody knows. */
static const char *judge_name(const char *name, const char *value)
{
	char pair[256];

	if (value && has_word(counters, name) && is_number(value))
		return NULL;
	if (snprintf(pair, sizeof(pair), "%s=", name) >= (int)sizeof(pair))
		return is_no_name;
	return has_word(specials, name) || makes_code_by_variable(pair) ? is_special : NULL;
}

/* x, x[3]. */
static const char *judge_variable(const char *word)
{
	char name[128];
	size_t len = name_length(word);
	const char *rest = word + len;

	if (!len || len >= sizeof(name))
		return has_computed(word) ? is_computed : is_no_name;
	if (*rest == '[') {
		size_t digits = strspn(rest + 1, "0123456789@*");
		rest += 1 + digits + (rest[1 + digits] == ']');
	}
	if (*rest)
		return has_computed(word) ? is_computed : is_no_name;
	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	return judge_name(name, NULL);
}

/* Words from AT on, each a variable. */
static const char *judge_variables(const struct fact *f, size_t at)
{
	const char *why = NULL;

	for (; at < f->wordc && !why; at++)
		why = judge_variable(f->word[at]);
	return why;
}

static const char *judge_anything(const struct fact *f)
{
	(void)f;
	return NULL;
}

static const char *judge_never(const struct fact *f)
{
	(void)f;
	return "is on no list of what is plain";
}

static const char *judge_constants(const struct fact *f)
{
	for (size_t i = 1; i < f->wordc; i++)
		if (has_computed(f->word[i]))
			return is_computed;
	return NULL;
}

/* Nothing that could be an option: nothing at all, or numbers. */
static const char *judge_wait(const struct fact *f)
{
	for (size_t i = 1; i < f->wordc; i++)
		if (!is_number(f->word[i]) || f->word[i][0] == '-')
			return is_computed;
	return NULL;
}

/* Could the word be -v, which makes a name of the next one? */
static bool may_be_v(const char *word)
{
	return has_computed(word) && (*word == '-' || *word == ONE);
}

/* WORD, then NEXT: a name alone says nothing of what is in it. */
static const char *judge_operand(const char *word, const char *next)
{
	if (!has_computed(next) && !strchr(next, '['))
		return NULL;
	if (strcmp(word, "-v") == 0 || strcmp(word, "-R") == 0)
		return judge_variable(next);
	return may_be_v(word) ? is_computed : NULL;
}

/* A word that is cut in several may be any operator, and so may one of two that are computed. */
static const char *judge_test(const struct fact *f)
{
	const char *why = has_many(f) ? is_computed : NULL;

	for (size_t i = 1; i + 1 < f->wordc && !why; i++)
		why = judge_operand(f->word[i], f->word[i + 1]);
	return why;
}

/* [[ ]]: nothing is cut, and what is computed is no operator; but numbers are computed. */
static const char *judge_condition(const struct fact *f)
{
	static const char numeric[] = "-eq -ne -lt -le -gt -ge";
	const char *why = NULL;

	if (strcmp(f->word[f->wordc - 1], "]]") != 0)
		return "has no end that anybody sees";
	for (size_t i = 1; i + 1 < f->wordc && !why; i++) {
		if (!has_word(numeric, f->word[i]))
			why = f->word[i][0] == '-' ? judge_operand(f->word[i], f->word[i + 1])
						   : NULL;
		else if (!is_number(f->word[i - 1]) || !is_number(f->word[i + 1]))
			why = "computes with what is computed";
	}
	return why;
}

/* A format that may begin with a dash is -vNAME as well, if something else is the format. */
static const char *judge_printf(const struct fact *f)
{
	size_t at = 1;

	if (f->wordc > 3 && strcmp(f->word[1], "-v") == 0) {
		const char *why = judge_variable(f->word[2]);
		if (why)
			return why;
		at = 3;
	}
	if (at < f->wordc && strcmp(f->word[at], "--") == 0)
		return NULL;
	if (at >= f->wordc || strchr(f->word[at], MANY))
		return is_computed;
	bool may_be_option = f->word[at][0] == ONE || f->word[at][0] == '-';
	return may_be_option && f->wordc - at > 1 ? is_computed : NULL;
}

/* Its options, of which those in TAKING have a value; *RET is behind them. */
static const char *skip_options(const struct fact *f, const char *letters, const char *taking,
				size_t *ret)
{
	size_t at = 1;

	for (; at < f->wordc && f->word[at][0] == '-' && f->word[at][1]; at++) {
		const char *c = f->word[at] + 1;
		if (strcmp(f->word[at], "--") == 0) {
			at++;
			break;
		}
		while (*c && strchr(letters, *c) && !strchr(taking, *c))
			c++;
		if (*c && !strchr(taking, *c))
			return "gets an option that is on no list of what is plain";
		at += *c && !c[1]; /* its value is the next word */
	}
	*ret = at < f->wordc ? at : f->wordc;
	return NULL;
}

static const char *judge_read(const struct fact *f)
{
	size_t at = 0;
	const char *why = has_many(f) ? is_computed : skip_options(f, "ersa", "dinNptu", &at);

	return why ? why : judge_variables(f, at);
}

static const char *judge_mapfile(const struct fact *f)
{
	size_t at = 0;
	const char *why = has_many(f) ? is_computed : skip_options(f, "t", "dnOsu", &at);

	return why ? why : judge_variables(f, at);
}

static const char *judge_unset(const struct fact *f)
{
	size_t at = 0;
	const char *why = skip_options(f, "vf", "", &at);

	return why ? why : judge_variables(f, at);
}

static const char *judge_getopts(const struct fact *f)
{
	if (f->wordc < 3 || !is_text(f->word[1]))
		return is_computed;
	return judge_variable(f->word[2]);
}

/* x, x=..., x+=...: its name is there. */
static const char *judge_declaration(const char *word)
{
	char name[128];
	size_t len = name_length(word);
	const char *rest = word + len + (word[len] == '+');

	if (!len || len >= sizeof(name))
		return judge_variable(word);
	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	/* Only to make one of that name sets nothing. */
	if (!word[len])
		return has_word(counters, name) ? NULL : judge_name(name, NULL);
	return *rest == '=' ? judge_name(name, rest + 1) : judge_variable(word);
}

/* With -i and -n a value is a number or a name. */
static const char *judge_declare(const struct fact *f)
{
	size_t at = 0;
	const char *why = has_many(f) ? is_computed : skip_options(f, "aAfFgrxplutI", "", &at);

	for (; at < f->wordc && !why; at++)
		why = judge_declaration(f->word[at]);
	return why;
}

/* The reader reads what is constant, and tells what is not. */
static const char *judge_trap(const struct fact *f)
{
	return f->is_wrapped ? is_computed : judge_constants(f);
}

static const char *judge_jobs(const struct fact *f)
{
	size_t at = 0;
	const char *why = judge_constants(f);

	return why ? why : skip_options(f, "lnprs", "", &at);
}

static const char *judge_set(const struct fact *f)
{
	for (size_t i = 1; i < f->wordc; i++) {
		if (strcmp(f->word[i], "--") == 0 || strcmp(f->word[i], "-") == 0)
			return NULL;
		if (!is_text(f->word[i]))
			return is_computed;
	}
	return NULL;
}

static const char *judge_shopt(const struct fact *f)
{
	static const char plain[] = "-s -u -q -p checkwinsize dotglob extglob failglob globstar "
				    "inherit_errexit lastpipe nocaseglob nocasematch nullglob";

	for (size_t i = 1; i < f->wordc; i++)
		if (!has_word(plain, f->word[i]))
			return "sets what is on no list of what is plain";
	return NULL;
}

static const struct {
	const char *names;
	const char *(*judge)(const struct fact *f);
} builtins[] = {
	{": bg break cd continue dirs disown echo exit false fg help kill logout popd pushd pwd "
	 "return shift suspend times true type ulimit umask unalias",
	 judge_anything},
	{"[ test", judge_test},
	{"[[", judge_condition},
	{"printf", judge_printf},
	{"read", judge_read},
	{"mapfile readarray", judge_mapfile},
	{"unset", judge_unset},
	{"getopts", judge_getopts},
	{"declare export local readonly typeset", judge_declare},
	{"trap", judge_trap},
	{"wait", judge_wait},
	{"jobs", judge_jobs},
	{"set", judge_set},
	{"shopt", judge_shopt},
	{". alias bind caller case compgen complete compopt coproc elif else enable esac eval fc "
	 "for function hash history if let select source then until while",
	 judge_never},
};

/* command -v x only looks. */
static const char *unwrap(struct fact *f, bool *ret_done)
{
	*ret_done = false;
	while (f->wordc && has_word("builtin command exec", f->word[0])) {
		bool looks = false, is_exec = strcmp(f->word[0], "exec") == 0;
		f->is_wrapped = true;
		f->word++;
		f->wordc--;
		while (f->wordc && f->word[0][0] == '-') {
			if (!has_word(is_exec ? "-c -l --" : "-p -v -V --", f->word[0]))
				return "gets an option that is on no list of what is plain";
			looks |= f->word[0][1] == 'v' || f->word[0][1] == 'V';
			f->word++;
			f->wordc--;
		}
		*ret_done = looks || !f->wordc;
		if (*ret_done)
			return NULL;
	}
	return NULL;
}

static const char *judge_command(struct fact *f)
{
	bool done;
	const char *why = unwrap(f, &done);

	if (why || done)
		return why;
	if (!f->wordc || !is_text(f->word[0]))
		return "is a command that is computed";
	for (size_t i = 0; i < ARRAY_SIZE(builtins); i++)
		if (has_word(builtins[i].names, f->word[0]))
			return builtins[i].judge(f);
	return NULL;
}

static const char *judge_setting(struct fact *f)
{
	return f->wordc == 2 ? judge_name(f->word[0], f->word[1]) : is_no_name;
}

static const char *judge_binding(struct fact *f)
{
	return f->wordc == 1 ? judge_variable(f->word[0]) : is_no_name;
}

static const char *judge_function(struct fact *f)
{
	return f->wordc == 1 && is_text(f->word[0]) ? NULL : is_no_name;
}

static const char *judge_words(struct fact *f)
{
	(void)f;
	return "is not plain";
}

static const struct {
	char kind;
	const char *(*judge)(struct fact *f);
} kinds[] = {
	{'c', judge_command},  {'s', judge_setting}, {'n', judge_binding},
	{'f', judge_function}, {'x', judge_words},
};

static int hex(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* One word, in place, to its blank or the end. NULL: it is none. */
static char *read_word(char *s)
{
	static const char marks[] = "qudk";
	char *to = s, *from = s;

	for (; *from; from++) {
		const char *mark = from[1] ? strchr(marks, from[1]) : NULL;
		if (*from != '\\') {
			*to++ = (unsigned char)*from > OWN ? *from : MANY;
		} else if (mark) {
			*to++ = (char)(ONE + (mark - marks));
			from++;
		} else if (from[1] == 'e' && !from[2] && from == s) {
			from++;
		} else {
			int high = hex(from[1]), low = high < 0 ? -1 : hex(from[2]);
			if (low < 0)
				return NULL;
			/* A byte that would be a mark, or an end, is nothing that a word has. */
			*to++ = high * 16 + low > OWN ? (char)(high * 16 + low) : MANY;
			from += 2;
		}
	}
	*to = '\0';
	return s;
}

/* LINE, which it ends with a NUL each: "12 c echo \q". */
static bool read_fact(char *line, struct fact *ret)
{
	char *end;

	ret->line = (unsigned)strtoul(line, &end, 10);
	ret->wordc = 0;
	ret->is_wrapped = false;
	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return false;
	ret->kind = end[1];
	for (char *save = NULL, *w = strtok_r(end + 3, " ", &save); w;
	     w = strtok_r(NULL, " ", &save)) {
		if (ret->wordc == WORDS_MAX || !read_word(w))
			return false;
		ret->word[ret->wordc++] = w;
	}
	return ret->wordc > 0;
}

static const char *judge(struct fact *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].kind == f->kind)
			return kinds[i].judge(f);
	return "is nothing that anybody knows";
}

/* What is computed, and what would not be seen, as "?" and "$". */
static void name_it(const struct fact *f, char *ret, size_t len)
{
	size_t n = 0;

	for (const char *c = f->wordc ? f->word[0] : ""; *c && n + 1 < len; c++)
		ret[n++] = (unsigned char)*c <= OWN ? '$' : *c < ' ' || *c > '~' ? '?' : *c;
	ret[n] = '\0';
}

bool plain_shell(const char *uses, char *why, size_t len)
{
	AUTO_FREE char *text = uses ? strdup(uses) : NULL;
	AUTO_FREE char **word = calloc(WORDS_MAX, sizeof(*word));

	snprintf(why, len, "nobody could read which commands it has");
	if (!text || !word)
		return false;
	for (char *save = NULL, *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct fact f = {.word = word};
		char name[64];
		if (!read_fact(line, &f))
			return false;
		const char *wrong = judge(&f);
		if (wrong) {
			name_it(&f, name, sizeof(name));
			snprintf(why, len, "line %u: %s %s", f.line, name, wrong);
			return false;
		}
	}
	if (len)
		why[0] = '\0';
	return true;
}
