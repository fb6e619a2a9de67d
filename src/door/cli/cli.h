/* SPDX-License-Identifier: MIT
 *
 * What all commands share. A command is one struct cli_command in a file of its own, with its
 * options, JSON objects and exit statuses. Help, manual page and completion are made from these
 * structs.
 */
#ifndef CORDON_CLI_CLI_H
#define CORDON_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "conf/config.h"
#include "live/kept_box.h"
#include "model/limit.h"
#include "model/request.h"
#include "model/result.h"
#include "show/jsonval.h"

enum {
	CLI_GIVEN_MAX = 64, /* distinct options in one call */
	CLI_OWN_MAX = 1024, /* bytes of a command's own options */
	CLI_DOCS_MAX = 3,
};

/* Exit statuses of the commands that read, check and record. */
enum { CLI_STATUS_BAD = 1, CLI_STATUS_USAGE = 2, CLI_STATUS_FAILED = 125 };

struct cli_command;

struct cli_call {
	const struct cli_command *command;
	const struct cli_command *const *commands; /* all, ended by NULL: for help */
	_Alignas(16) char own[CLI_OWN_MAX]; /* the command's own options; all zero by default */
	bool json, events, help;
	bool names_only; /* of the pending changes */
	bool by_signal;	 /* end by the signal that ended the program */
	bool passes_all; /* all output is passed on; --output is for what is kept of it */
	struct request request;
	struct launch box;     /* a box that was begun early; or none */
	struct kept_box *kept; /* a live box, see flow_run_live; or NULL */
	bool strict;
	struct config_values flag_values; /* of options; cli_configure puts them over the file's */
	struct config config;
	bool is_configured; /* the configuration was loaded without an error */
	/* The values in force, also in the request: only these name the state, the policy and
	 * the rules. */
	const char *state;  /* the state directory, or NULL */
	const char *policy; /* a file, or NULL */
	size_t rulesc;
	const char *rules[REQUEST_LIST_MAX]; /* directories */
	int argc;			     /* the operands */
	char **argv;
	size_t givenc; /* the names of the given options, each once */
	const char *given[CLI_GIVEN_MAX];
	char *words,
		**words_list; /* --words: the words that were read, and the command line with them */
	size_t words_len;
	struct arena arena; /* memory of parsed option values */
};

struct cli_option {
	const char *name;  /* without the dashes */
	const char *value; /* NULL: a flag */
	const char *help;
	int (*set)(struct cli_call *call, const struct cli_option *opt, const char *value,
		   struct err *err);
	/* The I-th name that the value can be: the help begins with these names. Or NULL. */
	const char *(*choice)(unsigned i);
	size_t at; /* where a shared setter puts the value in own */
	bool may_repeat, may_be_empty;
};

/* Rows for a member of a command's own options TYPE: a text, a flag, a number of a table. */
#define CLI_TEXT(type, member, name, value, help)                                                  \
	{                                                                                          \
		name, value, help, .set = cli_set_text, .at = offsetof(type, member)               \
	}
#define CLI_FLAG(type, member, name, help)                                                         \
	{                                                                                          \
		name, NULL, help, .set = cli_set_flag, .at = offsetof(type, member)                \
	}
#define CLI_CHOICE(type, member, name, value, names, help)                                         \
	{                                                                                          \
		name, value, help, .set = cli_set_choice, .choice = (names),                       \
				   .at = offsetof(type, member)                                    \
	}
/* Defines options_of(): the call's own options of a command. */
#define CLI_OWN(type)                                                                              \
	_Static_assert(sizeof(type) <= CLI_OWN_MAX, "own options fit");                            \
	static __typeof__(type) *options_of(const struct cli_call *call)                           \
	{                                                                                          \
		return (void *)call->own;                                                          \
	}

/* Which options go together. Lists of words are separated by commas, as in a sentence. */
struct cli_combination {
	const char *options;
	enum cli_together {
		ONLY_FOR, /* only with one of these verbs */
		NOT_FOR,  /* with any verb, or none, but these */
		NEEDS,	  /* only with one of these options */
		NOT_WITH  /* with none of these options */
	} how;
	const char *words;
};

/* Texts inside the row need no relocation when the program starts. */
struct cli_exit {
	char status[8], meaning[104];
};

/* Every list is ended by an empty row. */
struct cli_command {
	const char *name, *synopsis, *help, *example;
	unsigned order; /* its place in help, manual page and completion */
	const struct cli_option *options;
	const struct cli_option *more; /* options that it shares with others; or NULL */
	const struct cli_combination *combinations;
	const struct cli_exit *exits;
	const struct json_doc *docs[CLI_DOCS_MAX]; /* the JSON objects that it prints */
	int usage_status;			   /* its exit status for wrong usage; 0: 125 */
	bool takes_operands;
	bool takes_limits;	     /* the rows of model/limit.h are options too */
	const char *sets_box_limits; /* the verbs for those that bind a box as a whole; NULL: all */
	bool runs_commands;	     /* with their defaults for commands */
	bool runs_unconfigured; /* it runs without a configuration, so also with a broken one */
	/* Begins work before the options are read; they decide what becomes of it. Or NULL. */
	void (*ahead)(struct cli_call *call);
	int (*run)(struct cli_call *call);
};

/* COMMAND(name) = {...}; at the beginning of a line registers the command: make collects these
 * lines in command_list.h. */
#define COMMAND(name) const struct cli_command command_##name

/* commands.c: every command, ended by NULL. */
extern const struct cli_command *const cli_commands[];

/* call.c: how commands fail. All print the error and return the exit status. */
/* With --json: prints the error as the result of a run. */
int cli_fail(const struct cli_call *call, const struct err *err);
/* With --json: prints {"error": ...}. cli_fail_short derives the status from the error. */
int cli_fail_with(const struct cli_call *call, int status, const struct err *err);
int cli_fail_short(const struct cli_call *call, const struct err *err);
/* Reads FILE, or standard input for "-": at most MOST bytes, malloc'd, with a NUL after them. */
int cli_read_file(const char *file, size_t most, char **ret, size_t *ret_len, struct err *err);
/* If the operator enforces the policy or the state, only root may restore an older state. ACT:
 * the refused act; CAUSE: the reason. */
int cli_check_owner(const struct cli_call *call, const char *act, const char *cause,
		    struct err *err);

/* options.c: setters of options that commands share. */
int cli_set_json(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_rules(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_strict(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_workspace(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err);
int cli_set_net(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_secret(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_state(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_policy(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_wait(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_conversation(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err);
int cli_set_title(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_lang(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_text(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
/* --runs and --for of tickets: into a uint64_t, the latter in milliseconds. */
int cli_set_runs(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_validity(struct cli_call *c, const struct cli_option *o, const char *v,
		     struct err *err);
int cli_set_flag(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_choice(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
/* Parses an option's value as a number. */
int cli_parse_number(const struct cli_option *o, const char *v, uint64_t most, uint64_t *ret,
		     struct err *err);
/* Finds the first LEN bytes of V among the names. */
bool cli_find_name(const char *(*name)(unsigned i), const char *v, size_t len, unsigned *ret);
/* The same for the value of an option. The error lists the names and suggests the nearest one. */
int cli_choose(const char *(*name)(unsigned i), const struct cli_option *o, const char *v,
	       unsigned *ret, struct err *err);
/* "--", or "-" for a name of one letter. */
/* Refuses NAME if it is no name of a box or a kept home directory, which OF says. */
int cli_check_name(const char *name, const char *of, struct err *err);
const char *cli_dashes(const struct cli_option *o);
/* Options that describe code to be run: run has these, and a plan is bound to them. */
extern const struct cli_option cli_code_options[];
/* command_run.c, also for exec: the options of a run, of which the first ones are about languages; and its
 * last step, which prints as they say. */
enum { CLI_RUN_LANG_ROWS = 2 };
extern const struct cli_option cli_run_options[];
extern const struct cli_combination cli_run_combinations[];
extern const struct cli_exit cli_run_exits[];
void cli_begin_box(struct cli_call *call);
int cli_run(struct cli_call *call);
int cli_set_tier(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_stdin(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_whole(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_names(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_user(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_exposed(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
const char *cli_tier_name(unsigned i);
/* command_exec.c: the words as one command that a shell reads, each quoted where it must be. */
int cli_command_line(struct cli_call *call, const char *program, struct err *err);
/* command_changes.c: shows the pending changes of the request's workspace, applies or drops them. OVERLAY:
 * the open overlay that has them; -1: the conversation's. */
enum cli_changes { CLI_DIFF, CLI_APPLY, CLI_RESET };
int cli_changes(struct cli_call *call, enum cli_changes act, int overlay, struct err *err);
/* Every command has these. */
extern const struct cli_option cli_every_options[];
/* A limit as an option. */
struct cli_option cli_limit_option(const struct limit_row *row);

#define CLI_JSON_ROW                                                                               \
	{                                                                                          \
		"json", NULL, "print JSON", .set = cli_set_json                                    \
	}
#define CLI_STATE_ROW                                                                              \
	{                                                                                          \
		"state", "DIR", "the state directory; default: your own", .set = cli_set_state     \
	}
#define CLI_CONVERSATION_ROW                                                                       \
	{                                                                                          \
		"conversation", "ID", "the conversation (cordon conversation new)",                \
			.set = cli_set_conversation                                                \
	}
#define CLI_POLICY_ROW                                                                             \
	{                                                                                          \
		"policy", "FILE", "the policy; default: the configured one", .set = cli_set_policy \
	}
#define CLI_RULES_ROW                                                                              \
	{                                                                                          \
		"rules", "DIR",                                                                    \
			"a directory of rules; may be repeated; else the built-in and the "        \
			"fetched pack",                                                            \
			.set = cli_set_rules, .may_repeat = true                                   \
	}
#define CLI_STRICT_ROW                                                                             \
	{                                                                                          \
		"strict", NULL, "stop at the first error in a rule", .set = cli_set_strict         \
	}
#define CLI_MODE_HELP "reference: as the public engine, its blind spots included"
/* Texts of a request that people read first. */
#define CLI_REQUEST_ROWS                                                                           \
	{"title", "TEXT", "the title that people see in a request, from you, the host",            \
	 .set = cli_set_title, .may_be_empty = true},                                              \
	{                                                                                          \
		"purpose", "TEXT",                                                                 \
			"the purpose that people see in a request, as the agent states it",        \
			.set = cli_set_title, .may_be_empty = true                                 \
	}
/* Options of an act of a person. */
#define CLI_AGREE_ROWS                                                                             \
	{"policy", "FILE", "the policy; default: the configured one", .set = cli_set_policy},      \
	{                                                                                          \
		"wait", NULL, "if people are asked, wait for their answer", .set = cli_set_wait    \
	}

/* words.c */
int cli_set_words(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
/* Inserts the words that were read before ARGV[AT]. */
int cli_splice_words(struct cli_call *c, int at, int *argc, char ***argv, struct err *err);
void cli_free_words(struct cli_call *c);
/* If PATH names a file descriptor, the caller passed that descriptor. A number that was free at
 * the start may now be a descriptor of Cordon's. */
bool cli_names_given(const char *path);

/* configure.c: loads the configuration and applies the options over it. If it fails, nothing may
 * run. */
int cli_configure(struct cli_call *call, struct err *err);
/* After cli_configure, for a user's command: limits that are not configured. */
void cli_use_command_limits(struct cli_call *call);
/* The command that makes TIER the default here. Returns BUF. */
enum { CLI_TIER_CURE_MAX = 320 };
const char *cli_tier_cure(const struct config *c, enum tier tier, char buf[CLI_TIER_CURE_MAX]);

/* command_line.c */
int cli_parse(const struct cli_command *cmd, int argc, char **argv, struct cli_call *ret,
	      struct err *err);
/* A command like `cordon audit` has one row for each verb. Each row begins with this struct. */
struct cli_verb {
	const char *name, *second; /* the second word, or NULL */
	int least, most;	   /* number of operands after them */
};
/* Finds the row that CALL names among COUNT rows of SIZE bytes. Returns NULL with ERR if there
 * is none, or if the number of operands is wrong. */
const void *cli_find_verb(const struct cli_call *call, const void *rows, size_t count, size_t size,
			  struct err *err);

/* help.c */
/* The I-th command in the order of the help; NULL past the end. */
const struct cli_command *cli_command_at(const struct cli_command *const *commands, unsigned i);
const struct cli_command *cli_find_command(const struct cli_command *const *commands,
					   const char *name);
/* Sets ERR to "there is no command", with the nearest one. */
void cli_no_such_command(const struct cli_command *const *commands, const char *word,
			 struct err *err);
void cli_help_all(const struct cli_command *const *commands, FILE *to);
void cli_help(FILE *to, const struct cli_command *cmd);
/* Calls EACH for every option of CMD, limits included. */
void cli_each_option(const struct cli_command *cmd,
		     void (*each)(FILE *to, const struct cli_option *o), FILE *to);

#endif
