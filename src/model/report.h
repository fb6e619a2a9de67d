/* SPDX-License-Identifier: MIT
 *
 * The gate's report on a run, for the code that shows or stores it. Strings are in its arena. Text from
 * outside (names of sources) is already escaped.
 */
#ifndef CORDON_MODEL_REPORT_H
#define CORDON_MODEL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/gate_terms.h"

enum {
	REPORT_FINDINGS_MAX = 64,
	REPORT_TIES_MAX = 64,
	REPORT_REASONS_MAX = 16,
	REPORT_EFFECTS_MAX = 1024,
	REPORT_ID = 32, /* letters of a run's id */
	REPORT_SHA256 = 32
};

struct report_finding {
	const char *rule, *title, *severity, *lane, *view;
	enum grade grade;
	bool undecided;
	uint64_t line; /* 0: not known */
};

/* A part of the code that also occurs in a source. Spans are in bytes, without TO; TO equals FROM if
 * the position is unknown. */
struct report_tie {
	const char *source, *name; /* its id and its own name */
	const char *tie, *how;	   /* HOW: the form of the code that matched; or "" */
	enum source_kind kind;
	uint64_t code_from, code_to, source_from, source_to;
};

/* The decision on one effect, and its result. */
struct report_effect {
	enum cap cap;
	enum outcome outcome;
	const char *object;  /* "src/main.c", "example.org:443", a secret's name */
	const char *by;	     /* given: "policy", "grant:...", "plan:...", "apr:..."; else NULL */
	const char *waits;   /* the id of the request that waits, or NULL */
	const char *command; /* the command that would allow it, or NULL */
	const char *reason;  /* why it was withheld, or what its approval is for; or NULL */
	bool done;	     /* it happened: written, connected, sent */
};

/* A record of the log, if IS_THERE. */
struct report_record {
	bool is_there;
	uint64_t seq;
	uint8_t hash[REPORT_SHA256];
};

/* A start in a live box was refused, but a caller that owns the box may do this instead. */
enum report_instead {
	INSTEAD_NONE,
	INSTEAD_NEW_BOX, /* create the box again, and start it there */
	INSTEAD_OWN_BOX, /* run it in a box of its own: only then can people be asked */
};

struct report {
	bool has_verdict; /* else nothing was decided, and nothing ran */
	enum verdict verdict;
	enum origin origin;
	enum grade grade;
	char run[REPORT_ID + 1];	  /* its name in the log is "run:" and this; or "" */
	char approval[REPORT_ID + 1];	  /* the id of the request to people; or "" */
	char conversation[REPORT_ID + 1]; /* or "" */
	bool exposed;
	enum report_instead instead;
	const char *withheld; /* the rule that withholds the output from the agent; or NULL */
	const char *home;     /* the kept home directory on the host; or NULL */
	const char *cause;    /* what exposed the conversation; or NULL */
	const char *pending;  /* the command that shows the changes that wait; or NULL */
	size_t effectc;
	struct report_effect effect[REPORT_EFFECTS_MAX];
	size_t reasonc, findingc, tiec;
	const char *reason[REPORT_REASONS_MAX];
	struct report_finding finding[REPORT_FINDINGS_MAX]; /* the gravest */
	struct report_tie tie[REPORT_TIES_MAX];		    /* the strongest */
	uint64_t finding_more, tie_more, effect_more; /* the numbers of those that are not listed */
	/* As its record has them: good if that is there. */
	struct report_record verdict_record, result_record;
	uint8_t policy_sha256[REPORT_SHA256], pack[REPORT_SHA256];
	uint8_t result_sha256[REPORT_SHA256]; /* if there is a result's */
	size_t approverc;
	const char *const *approver; /* names */
	struct arena arena;
};

void report_done(struct report *r);
/* Omits text that does not fit. */
void report_reason(struct report *r, const char *words);

#endif
