/* SPDX-License-Identifier: MIT
 *
 * Reads the command line: options, operands, verbs. An option that has no effect in a call is an
 * error that names what is missing: if it were ignored, the caller would believe that it worked.
 * Code that uses an option's value checks what depends on the value.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/scope.h"
#include "door/cli/cli.h"

/* Takes the next word of a list. Returns false at its end. */
static bool next_word(const char **list, const char **ret, size_t *ret_len)
{
	*ret = *list;
	*ret_len = strcspn(*list, ",");
	*list += *ret_len;
	*list += strspn(*list, ", ");
	return *ret_len > 0;
}

static bool has_word(const char *list, const char *word, size_t len)
{
	const char *at;
	size_t n;

	while (next_word(&list, &at, &n))
		if (n == len && memcmp(at, word, len) == 0)
			return true;
	return false;
}

static bool is_given(const struct cli_call *call, const char *name, size_t len)
{
	for (size_t i = 0; i < call->givenc; i++)
		if (strlen(call->given[i]) == len && memcmp(call->given[i], name, len) == 0)
			return true;
	return false;
}

/* The first given option of a list, or NULL. */
static const char *first_given(const struct cli_call *call, const char *list)
{
	for (size_t i = 0; i < call->givenc; i++)
		if (has_word(list, call->given[i], strlen(call->given[i])))
			return call->given[i];
	return NULL;
}

static int note_option(struct cli_call *call, const struct cli_option *o, const char *value,
		       struct err *err)
{
	const char *name = o->name, *dashes = cli_dashes(o);

	if (value && !*value && !o->may_be_empty)
		return err_set(err, ERR_USAGE, "%s%s: the value is empty (%s)", dashes, name,
			       o->value);
	if (is_given(call, name, strlen(name))) {
		if (!value || o->may_repeat)
			return 0;
		err_set(err, ERR_USAGE, "%s%s is given twice", dashes, name);
		err_cure(err, "leave one of them out");
		return -1;
	}
	if (call->givenc == CLI_GIVEN_MAX)
		return err_set(err, ERR_LIMIT, "more than %d options", CLI_GIVEN_MAX);
	call->given[call->givenc++] = name;
	return 0;
}

/* "key add" is a verb of two words. */
static bool is_for(const struct cli_call *call, const char *verbs)
{
	const char *at;
	size_t len;

	while (next_word(&verbs, &at, &len)) {
		const char *blank = memchr(at, ' ', len);
		size_t first = blank ? (size_t)(blank - at) : len, second = len - first;
		bool same = call->argc > 0 && strlen(call->argv[0]) == first &&
			    memcmp(call->argv[0], at, first) == 0;
		if (same && !second)
			return true;
		if (same && call->argc > 1 && strlen(call->argv[1]) == second - 1 &&
		    memcmp(call->argv[1], blank + 1, second - 1) == 0)
			return true;
	}
	return false;
}

/* "--net or --secret". */
static const char *with_dashes(const char *list, char *buf, size_t size)
{
	const char *at;
	size_t len, used = 0;

	buf[0] = '\0';
	while (next_word(&list, &at, &len) && used < size)
		used += (size_t)snprintf(buf + used, size - used, "%s--%.*s", used ? " or " : "",
					 (int)len, at);
	return buf;
}

static int complain(const struct cli_command *cmd, const struct cli_call *call,
		    const struct cli_combination *row, const char *name, struct err *err)
{
	const char *dashes = name[1] ? "--" : "-", *other = first_given(call, row->words);
	char words[128];

	switch (row->how) {
	case ONLY_FOR:
		err_set(err, ERR_USAGE, "%s%s is only for cordon %s %s", dashes, name, cmd->name,
			row->words);
		break;
	case NOT_FOR:
		err_set(err, ERR_USAGE, "%s%s means nothing to cordon %s %.32s", dashes, name,
			cmd->name, call->argv[0]);
		break;
	case NEEDS:
		err_set(err, ERR_USAGE, "%s%s means nothing without %s", dashes, name,
			with_dashes(row->words, words, sizeof(words)));
		break;
	case NOT_WITH:
		err_set(err, ERR_USAGE, "--%s or --%s, not both", name, other);
		break;
	}
	err_cure(err, "cordon %s --help shows what goes together", cmd->name);
	return -1;
}

static bool is_broken(const struct cli_call *call, const struct cli_combination *row)
{
	switch (row->how) {
	case ONLY_FOR:
		return !is_for(call, row->words);
	case NOT_FOR:
		return is_for(call, row->words);
	case NEEDS:
		return !first_given(call, row->words);
	case NOT_WITH:
		return first_given(call, row->words);
	}
	return true;
}

static int check_combinations(const struct cli_command *cmd, const struct cli_call *call,
			      struct err *err)
{
	for (int i = 0; cmd->sets_box_limits && i < LIMIT_COUNT; i++) {
		const struct limit_row *limit = limit_row((enum limit_id)i);
		const struct cli_combination row = {limit->name, ONLY_FOR, cmd->sets_box_limits};
		if (limit->of_box && first_given(call, limit->name) && is_broken(call, &row))
			return complain(cmd, call, &row, limit->name, err);
	}
	for (const struct cli_combination *row = cmd->combinations; row && row->options; row++) {
		const char *name = first_given(call, row->options);
		if (name && is_broken(call, row))
			return complain(cmd, call, row, name, err);
	}
	return 0;
}

/* Finds an option, or returns NULL. *RET_LIMIT is storage for a row made from a limit. */
static const struct cli_option *find(const struct cli_command *cmd, const char *name, size_t len,
				     struct cli_option *ret_limit)
{
	const struct cli_option *const tables[] = {cli_every_options, cmd->options, cmd->more};

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct cli_option *o = tables[t]; o && o->name; o++)
			if (strlen(o->name) == len && strncmp(o->name, name, len) == 0)
				return o;
	for (int i = 0; cmd->takes_limits && i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		if (strlen(row->name) == len && strncmp(row->name, name, len) == 0) {
			*ret_limit = cli_limit_option(row);
			return ret_limit;
		}
	}
	return NULL;
}

static const char *nearest_option(const struct cli_command *cmd, const char *name, size_t len)
{
	struct nearest n = nearest_begin(name, len);
	const struct cli_option *const tables[] = {cli_every_options, cmd->options, cmd->more};

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct cli_option *o = tables[t]; o && o->name; o++)
			nearest_try(&n, o->name);
	for (int i = 0; cmd->takes_limits && i < LIMIT_COUNT; i++)
		nearest_try(&n, limit_row((enum limit_id)i)->name);
	return n.name;
}

static int no_such_option(const struct cli_command *cmd, const char *word, struct err *err)
{
	const char *name = word + strspn(word, "-");

	err_set(err, ERR_USAGE, "there is no option %.64s", word);
	nearest_say(err, "--", nearest_option(cmd, name, strcspn(name, "=")));
	err_cure(err, "cordon %s --help lists them; a file of that name comes after --", cmd->name);
	return -1;
}

static int set_option(struct cli_call *call, const struct cli_option *o, const char *value,
		      struct err *err)
{
	return note_option(call, o, value, err) < 0 ? -1 : o->set(call, o, value, err);
}

static int parse_one(const struct cli_command *cmd, char **argv, int argc, int *at,
		     struct cli_call *ret, struct err *err)
{
	const char *name = argv[*at] + (argv[*at][1] == '-' ? 2 : 1), *value = strchr(name, '=');
	size_t len = value ? (size_t)(value - name) : strlen(name);
	struct cli_option from_limit;
	const struct cli_option *o = find(cmd, name, len, &from_limit);

	if (!o)
		return no_such_option(cmd, argv[*at], err);
	(*at)++;
	if (!o->value)
		return value ? err_set(err, ERR_USAGE, "%s%s takes no value", cli_dashes(o),
				       o->name)
			     : set_option(ret, o, NULL, err);
	if (value)
		return set_option(ret, o, value + 1, err);
	if (*at >= argc)
		return err_set(err, ERR_USAGE, "%s%s needs a value (%s)", cli_dashes(o), o->name,
			       o->value);
	return set_option(ret, o, argv[(*at)++], err);
}

/* WORD is "-x", and the command has an option of that letter. */
static bool is_letter(const struct cli_command *cmd, const char *word)
{
	struct cli_option from_limit;

	return word[0] == '-' && word[1] && word[1] != '-' && !word[2] &&
	       find(cmd, word + 1, 1, &from_limit);
}

/* Words after "--" are operands. For a command with code these are the file, if it was not named
 * before (its name may begin with a dash), and the program's arguments. */
static void take_rest(const struct cli_command *cmd, int argc, char **argv, struct cli_call *ret)
{
	while (argc > 0 && cmd->more != cli_code_options) {
		ret->argv[ret->argc++] = *argv++;
		argc--;
	}
	if (argc > 0 && ret->argc == 0) {
		ret->argv[ret->argc++] = *argv++;
		argc--;
		if (argc > 0 && strcmp(*argv, "--") == 0) {
			argv++;
			argc--;
		}
	}
	ret->request.argv = (const char *const *)argv;
	ret->request.argc = (size_t)argc;
}

/* No operand may be empty. If an operand or --stdin is "-", standard input must be open. */
static int check_operands(const struct cli_command *cmd, const struct cli_call *call,
			  struct err *err)
{
	const char *from = call->request.stdin_file;
	bool reads = from && strcmp(from, "-") == 0;

	for (int i = 0; i < call->argc; i++) {
		if (!*call->argv[i])
			return err_set(err, ERR_USAGE, "cordon %s: word %d is empty", cmd->name,
				       i + 1);
		reads |= strcmp(call->argv[i], "-") == 0;
	}
	int flags = fcntl(STDIN_FILENO, F_GETFL);
	if (!reads || (flags >= 0 && (flags & O_ACCMODE) != O_WRONLY))
		return 0;
	err_set(err, ERR_INPUT, "standard input is closed");
	err_cure(err, "give it a file or a pipe; /dev/null is an empty one");
	return -1;
}

/* "-" is an operand; "--" ends the options. */
int cli_parse(const struct cli_command *cmd, int argc, char **argv, struct cli_call *ret,
	      struct err *err)
{
	int at = 0;

	ret->argv = argv; /* operands are collected at its front */
	while (at < argc && strcmp(argv[at], "--") != 0) {
		if (strncmp(argv[at], "--", 2) == 0 || is_letter(cmd, argv[at])) {
			if (parse_one(cmd, argv, argc, &at, ret, err) < 0 ||
			    cli_splice_words(ret, at, &argc, &argv, err) < 0)
				return -1;
		} else if (strcmp(argv[at], "-h") == 0) {
			ret->help = true;
			at++;
		} else if (argv[at][0] == '-' && argv[at][1] != '\0') {
			return no_such_option(cmd, argv[at], err);
		} else {
			argv[ret->argc++] = argv[at++];
		}
	}
	if (at < argc)
		at++;
	take_rest(cmd, argc - at, argv + at, ret);
	if (ret->help)
		return 0;
	if (cmd->takes_operands || !ret->argc)
		return check_operands(cmd, ret, err) < 0 ? -1 : check_combinations(cmd, ret, err);
	err_set(err, ERR_USAGE, "cordon %s takes no \"%.64s\"", cmd->name, ret->argv[0]);
	err_cure(err, "cordon %s%s%s", cmd->name, *cmd->synopsis ? " " : "", cmd->synopsis);
	return -1;
}

static bool is_word(const struct cli_call *call, int i, const char *word)
{
	return i < call->argc && strcmp(call->argv[i], word) == 0;
}

static bool is_named(const struct cli_call *call, const struct cli_verb *verb)
{
	return is_word(call, 0, verb->name) && (!verb->second || is_word(call, 1, verb->second));
}

static const struct cli_verb *row_at(const void *rows, size_t size, size_t i)
{
	return (const void *)((const char *)rows + i * size);
}

/* The unknown word is the second one if the first one begins a verb of two words. */
static void no_such_verb(const struct cli_call *call, const void *rows, size_t count, size_t size,
			 struct err *err)
{
	const char *command = call->command->name;
	bool second = false;

	for (size_t i = 0; i < count; i++)
		second |= row_at(rows, size, i)->second &&
			  is_word(call, 0, row_at(rows, size, i)->name);
	const char *word = call->argc > second ? call->argv[second] : NULL;
	if (!word) {
		err_set(err, ERR_USAGE, "cordon %s%s%s: missing operand", command,
			second ? " " : "", second ? call->argv[0] : "");
		return;
	}
	struct nearest n = nearest_begin(word, strlen(word));
	for (size_t i = 0; i < count; i++) {
		const struct cli_verb *verb = row_at(rows, size, i);
		if (!second)
			nearest_try(&n, verb->name);
		else if (verb->second && is_word(call, 0, verb->name))
			nearest_try(&n, verb->second);
	}
	err_set(err, ERR_USAGE, "there is no \"cordon %s%s%s %.64s\"", command, second ? " " : "",
		second ? call->argv[0] : "", word);
	nearest_say(err, "", n.name);
}

const void *cli_find_verb(const struct cli_call *call, const void *rows, size_t count, size_t size,
			  struct err *err)
{
	const char *command = call->command->name;
	const struct cli_verb *named = NULL;

	for (size_t i = 0; i < count && !named; i++)
		if (is_named(call, row_at(rows, size, i)))
			named = row_at(rows, size, i);
	int operands = named ? call->argc - (named->second ? 2 : 1) : 0;
	if (named && operands >= named->least && operands <= named->most)
		return named;
	if (named)
		err_set(err, ERR_USAGE, "cordon %s %s%s%s: too %s operands", command, named->name,
			named->second ? " " : "", named->second ? named->second : "",
			operands < named->least ? "few" : "many");
	else
		no_such_verb(call, rows, count, size, err);
	err_cure(err, "cordon %s %s", command, call->command->synopsis);
	return NULL;
}
