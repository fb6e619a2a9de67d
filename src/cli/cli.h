/* SPDX-License-Identifier: MIT
 *
 * The command line: one row per command, one row per option. The same rows make the help, the
 * man page and the shell completion.
 */
#ifndef CORDON_CLI_CLI_H
#define CORDON_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "flow/launch.h"
#include "model/request.h"
#include "model/result.h"

#ifndef CORDON_VERSION
#define CORDON_VERSION "0.1.0"
#endif

struct scan_format;
enum { CLI_WRITES_MAX = 32 };

/* What scan and rules were told. Zero is the default, except where it says otherwise. */
struct cli_scan {
	unsigned mode, lane, type, kind; /* rows of their tables */
	bool has_type, has_kind;
	unsigned fail_on; /* a severity; begins with the least */
	bool effects, code_view, no_code_view, inactive;
	const struct scan_format *format; /* NULL: text, or what --json says */
};

/* What approvals was told. */
struct cli_approvals {
	const char *key, *name, *reason; /* files and words, or NULL */
	unsigned scope;			 /* enum scope */
	bool all, plain, has_uid;
	uint64_t uid;
};

/* What conversation, grant, ingest, plan and audit were told. Zero is the default. */
struct cli_gate {
	const char *title;	    /* conversation new */
	const char *name, *release; /* ingest */
	unsigned kind;
	bool has_kind;
	const char *directory; /* grant */
	size_t writec;
	const char *write[CLI_WRITES_MAX];
	uint64_t sent_max;
	uint64_t runs, ttl_ms; /* 0: as usual */
	uint64_t lines, from;  /* audit */
	bool has_lines, follow;
	const char *checkpoint, *key; /* files, or a key itself */
	unsigned format;
};

/* What doctor was told. */
#define CLI_TRIES_MAX 2
struct cli_doctor {
	size_t tryc;
	uint16_t port[CLI_TRIES_MAX];
};

struct cli_call {
	bool json, events, help;
	bool by_signal; /* end as the program did */
	bool no_input;	/* standard input was closed: what is read from it now is nothing */
	struct request request;
	struct launch box; /* run's, begun ahead; or none */
	struct cli_scan scan;
	struct cli_approvals approvals;
	struct cli_gate gate;
	struct cli_doctor doctor;
	const char *state; /* the state directory, or NULL */
	bool strict;
	const char *policy; /* a file, or NULL */
	size_t rulesc;
	const char *rules[REQUEST_LIST_MAX]; /* directories */
	int argc;			     /* what is left after the options */
	char **argv;
	char *words, **words_list; /* --words: what it read, and the command line with it */
	size_t words_len;
	struct arena arena; /* what options made of their values */
};

struct cli_option {
	const char *name;  /* without the dashes; a limit's row is named by the limit */
	const char *value; /* NULL: a flag */
	const char *help;
	int (*set)(struct cli_call *call, const struct cli_option *opt, const char *value,
		   struct err *err);
	/* What the value can be, where that is a table: the help begins with it. Or NULL. */
	const char *(*values)(char *buf, size_t size);
};

struct cli_command {
	const char *name, *synopsis, *help, *example;
	const struct cli_option *options; /* ended by a row without name */
	int (*run)(struct cli_call *call);
	bool operands;		       /* it takes words that are no options */
	int usage_status;	       /* its exit status when the words are off; 0: 125 */
	const struct cli_option *more; /* that it shares with others; or NULL */
	/* What can begin before its words are read; what comes of it they decide. Or NULL. */
	void (*ahead)(struct cli_call *call);
};

/* main.c */
const struct cli_command *cli_command_at(unsigned i);

/* options.c */
extern const struct cli_option cli_run_options[], cli_doctor_options[], cli_no_options[];
/* What comes with code and can be code: run has these, and a plan is bound to them. */
extern const struct cli_option cli_beside_options[];
/* Every command has these. */
extern const struct cli_option cli_every_options[];
int cli_set_json(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_rules(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_strict(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_workspace(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err);
int cli_set_net(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_secret(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_state(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_policy(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
int cli_set_conversation(struct cli_call *c, const struct cli_option *o, const char *v,
			 struct err *err);
#define CLI_CONVERSATION_ROW                                                                       \
	{                                                                                          \
		"conversation", "ID",                                                              \
			"the conversation that it belongs to (cordon conversation new)",           \
			cli_set_conversation, NULL                                                 \
	}
int cli_set_lang(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
/* Which of the names V is, LEN bytes of it. */
bool cli_find_name(const char *(*name)(unsigned i), const char *v, size_t len, unsigned *ret);
/* O's value is none of its names. */
int cli_no_such(const struct cli_option *o, const char *v, struct err *err);
/* "--", or "-" for a name of one letter. */
const char *cli_dashes(const struct cli_option *o);
/* words.c */
int cli_set_words(struct cli_call *c, const struct cli_option *o, const char *v, struct err *err);
/* Puts the words that were read, if there are any, before ARGV[AT]. */
int cli_splice_words(struct cli_call *c, int at, int *argc, char ***argv, struct err *err);
void cli_free_words(struct cli_call *c);
/* Is PATH, if it names a descriptor, one that we were given? A number that was free is one of ours by now. */
bool cli_names_given(const char *path);
/* scan_options.c */
extern const struct cli_option cli_scan_options[], cli_rules_options[];
/* policy.c */
extern const struct cli_option cli_policy_options[];
/* approvals.c */
extern const struct cli_option cli_approvals_options[];
/* gate_options.c */
extern const struct cli_option cli_conversation_options[], cli_trust_options[],
	cli_untrust_options[], cli_grant_options[], cli_changes_options[], cli_apply_options[],
	cli_ingest_options[], cli_plan_options[], cli_audit_options[];
/* options.c */
/* The word for a limit's value in the help. */
const char *cli_limit_value(const struct limit_row *row);
int cli_parse(const struct cli_command *cmd, int argc, char **argv, struct cli_call *ret,
	      struct err *err);

/* help.c */
void cli_help_all(FILE *to);
void cli_help(FILE *to, const struct cli_command *cmd);
int cli_man(struct cli_call *call);
/* Calls EACH for every option of CMD, limits included. */
void cli_each_option(const struct cli_command *cmd,
		     void (*each)(FILE *to, const struct cli_option *o), FILE *to);
/* completion.c */
int cli_completion(struct cli_call *call);

/* run.c, scan.c, doctor.c, rules.c, policy.c, approvals.c, conversation.c, ingest.c, plan.c, audit.c */
int cli_run(struct cli_call *call);
/* cordon-box starts while we read what it is to do. */
void cli_run_ahead(struct cli_call *call);
int cli_scan(struct cli_call *call);
int cli_doctor(struct cli_call *call);
int cli_rules(struct cli_call *call);
int cli_policy(struct cli_call *call);
int cli_approvals(struct cli_call *call);
int cli_conversation(struct cli_call *call);
int cli_trust(struct cli_call *call);
int cli_untrust(struct cli_call *call);
int cli_grant(struct cli_call *call);
int cli_diff(struct cli_call *call);
int cli_apply(struct cli_call *call);
int cli_reset(struct cli_call *call);
int cli_ingest(struct cli_call *call);
int cli_plan(struct cli_call *call);
int cli_audit(struct cli_call *call);
int cli_version(struct cli_call *call);

/* json.c: the words of the JSON object and what they mean. MAKE gives the value, or NULL where the
 * field is left out. */
struct cli_field {
	const char *name, *help;
	struct json_t *(*make)(const void *of);
};
struct cli_object {
	const char *name;		/* "": the whole */
	const struct cli_field *fields; /* ended by a row without name */
};
/* The I-th, or NULL past the end. */
const struct cli_object *cli_object_at(unsigned i);
struct json_t *cli_json(const struct result *r, enum tier tier);
void cli_print_json(const struct result *r, enum tier tier);
/* The same at the end of a stream of events, which has the output already. */
struct json_t *cli_json_live(const struct result *r, enum tier tier);
extern const struct cli_field cli_denial_fields[];

/* render.c */
/* Text from outside, without anything a terminal would obey. */
void cli_print_text(FILE *to, const char *text);
void cli_print_error(const struct err *err);
/* Nothing was run: tells why, as JSON if that was asked for. What to exit with. */
int cli_fail(const struct cli_call *call, const struct err *err);
/* Standard output did not take all of it. */
void cli_print_lost(void);
/* MID_LINE: the program left the cursor in the middle of a line. */
void cli_print_summary(const struct result *r, bool mid_line);
bool cli_has_colour(FILE *to);

#endif
