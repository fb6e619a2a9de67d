/* SPDX-License-Identifier: MIT
 *
 * The words of the sentence that decide: origin, scan, decide, approve, and the log's. run.c speaks
 * them in order; here is what they share. Each word leaves its answer in the gate for the next, and
 * none of them runs anything. All zero, nothing is known and nothing is allowed.
 */
#ifndef CORDON_FLOW_GATE_H
#define CORDON_FLOW_GATE_H

#include "approval/fill.h"
#include "flow/blueprint.h"
#include "flow/look.h"
#include "flow/makes_code.h"
#include "flow/state.h"
#include "flow/written.h"
#include "model/result.h"
#include "origin/filelabel.h"
#include "origin/fileslost.h"
#include "origin/origin.h"
#include "origin/source.h"
#include "policy/policy.h"

enum {
	GATE_TRIES_MAX = 16,	 /* when others read or approve something meanwhile */
	GATE_PAUSE_DOUBLES = 6,	 /* a pause before the next try grows to 64 ms */
	GATE_ARGS_MAX = 1 << 20, /* bytes of arguments and environment that are scanned */
	GATE_START_US = 2000,	 /* until an interpreter is on its way */
	GATE_TIME_SHARE = 10,	 /* of its time, that may go before a program starts: a tenth */
	GATE_WAIT_MS = 250,	 /* between two looks whether people have answered */
	/* Sources that a record names: all ties that are listed, and three labels' (code, programs, inputs).
	 * What else the domain has read is found by its name. */
	GATE_REFS_MAX = REPORT_TIES_MAX + 3 * LABEL_SOURCES_MAX,
	GATE_MODULES_MAX = 64, /* files of the workspace that are looked at: what it imports */
	GATE_MODULE_BYTES = 1 << 20,  /* of each */
	GATE_NAMES_MAX = 16384,	      /* names that are looked for there */
	GATE_WORDS_MAX = 65536,	      /* words that may be such names */
	GATE_KNOWN_ENTRIES = 50000,   /* files and directories of a directory that it is given */
	GATE_KNOWN_BYTES = 256 << 20, /* of them that are hashed */
	GATE_WRITTEN_FILES = CORDON_CHANGES_MAX, /* that a run changed, and that are remembered */
	GATE_WRITTEN_BYTES = 1 << 30,		 /* of them */
	GATE_HOSTILE_MAX = 64,			 /* of them that are hostile and told apart */
};

struct gate {
	const struct request *req; /* as it was asked for */
	const struct blueprint *bp;
	struct report *report;
	struct gate_state state;
	struct policy policy;
	struct packs rules;
	struct look look;
	bool has_look; /* it was looked at, as far as that went */
	/* origin */
	struct domain domain;
	bool has_domain; /* the caller has its handle; else it is the shared one */
	struct label inputs;
	bool has_inputs;
	bool has_known_input; /* its standard input is bytes that are known */
	bool unread_modules;  /* it imports more from the workspace than was looked at */
	bool has_modules;     /* a module that it names is in the workspace */
	size_t modulec;	      /* and which, as far as they were read */
	const char *module[GATE_MODULES_MAX];
	bool runs_marked; /* so is what it may start, or its virtual environment: see is_marked */
	struct makes_code makes, makes_as_plan; /* the second: of what came with a token */
	/* What it is given, as it was looked at; all zero: it was not. */
	struct stat workspace, venv, exec[REQUEST_LIST_MAX];
	const char *inputs_why;	 /* nobody knows what it is given: why; or NULL */
	struct files_lost lost;	 /* what earlier runs wrote and nobody remembers */
	bool opens_lost;	 /* this one is among them since it started */
	bool is_seen;		 /* what it has written was looked through: */
	struct written *written; /* that, or NULL: nothing */
	struct written_ask written_ask;
	struct label written_label;
	uint64_t marks; /* which labels of files there were when they were looked up */
	size_t hostilec;
	const char *hostile[GATE_HOSTILE_MAX]; /* files that it is given: their paths in there */
	struct label code; /* of the file the code was read from, if a run wrote it */
	bool has_code;
	bool is_marked;	       /* the code's file is where an untrusted run could write */
	struct label programs; /* of --exec that a run wrote, joined */
	size_t programc;       /* how many those are, and which */
	const char *program[REQUEST_LIST_MAX];
	struct source_set sources;
	struct attribution ties;
	enum tie *tie; /* of each source, then of the code's file, the programs and other files */
	enum integrity *of_tied;
	enum plan_answer plan_answer;
	const char *plan_why; /* it does not hold, beyond plan_answer's words; or NULL */
	bool plan_is_spent;   /* as the log has it */
	struct plan plan;
	struct origin_answer origin;
	/* decide, approve */
	struct decision decision;
	enum origin standing; /* the decision's; or plan, when people agreed to it for longer */
	struct request confined;
	struct approval_request asked;
	struct approval approval;
	bool has_approval;
	struct id run;
	struct timespec
		began; /* by the clock that stamps files; what it changes is stamped no earlier */
	uint8_t pack_key[PACKS_KEY]; /* of the rules */
	struct arena arena;
};

/* gate.c: the policy, then the state. gate_close is always due. */
int gate_open(struct gate *g, const struct request *req, struct report *report, struct err *err);
/* Before the next of several tries: whoever has changed something is often at it. A little later, and not all
 * at once. */
void gate_pause(int tries);
int gate_open_state(struct gate *g, struct err *err);
/* The program runs, so there is time to give back what only the decision needed. */
void gate_rest(struct gate *g);
/* As it is now: people may have changed it while somebody waited for them. */
int gate_policy_again(struct gate *g, struct err *err);
void gate_close(struct gate *g);

/* gate_origin.c */
/* What is known of where it came from: domain, files, sources. Again after a conflict. */
int gate_facts(struct gate *g, const struct blueprint *bp, struct err *err);
/* What it is, then: ties, plan, findings. */
int gate_origin(struct gate *g, struct err *err);

/* gate_plan.c: does the token that it came with hold? */
int gate_check_plan(struct gate *g, struct err *err);

/* gate_files.c */
/* Adds the labels of what it is given to INPUTS; those of programs that a run wrote to PROGRAMS. */
int gate_join_files(struct gate *g, struct err *err);
/* WHY: what people are told of it; NULL: nothing more than that. */
void gate_join_input(struct gate *g, const struct label *label, const char *why);
/* The label of a directory that a run could write into, if it is one. */
int gate_join_mark(struct gate *g, enum dir_mark mark, const struct stat *st, struct err *err);
bool gate_writes(const struct request *r);
/* Is what the box gets (workspace, virtual environment, programs) what was looked at? A name may lead
 * elsewhere meanwhile. */
int gate_check_given(const struct gate *g, struct err *err);
/* Before it starts: what it can write carries LABEL. */
int gate_mark_files(struct gate *g, const struct label *label, struct store_tx *tx, bool *ret_adds,
		    struct err *err);

/* gate_written.c */
/* A file that it is given may be what nobody remembers. */
void gate_join_lost(struct gate *g, const struct stat *st);
/* With its start: it may have written what nobody remembers, until that is known. */
void gate_open_lost(struct gate *g, struct store_tx *tx);
/* Afterwards: what has it written? Before its result is recorded. */
int gate_see_written(struct gate *g, const struct result *r, struct err *err);
/* With the result: that has its label, and is all; or it is not. */
int gate_keep_written(struct gate *g, struct store_tx *tx, struct err *err);

/* gate_known.c */
/* Everything in DIR, which it is given. */
int gate_join_known(struct gate *g, int dir, struct err *err);
/* Its arguments, and what its variables say. */
int gate_join_words(struct gate *g, struct err *err);
/* Its input, when that cannot be known before it runs. After the scan. */
void gate_join_pipe(struct gate *g);
/* A hostile file in there that it may run as code; or NULL. After the scan. */
const char *gate_runs_hostile(const struct gate *g);

/* gate_label.c: what it writes, and what it prints. */
/* Standard input, and not an empty one. */
bool gate_has_input(const struct gate *g);
/* It is given something of which nobody knows where it came from. */
bool gate_reads_unknown(const struct gate *g, const struct request *r);
struct label gate_label_of_files(const struct gate *g);
struct label gate_label_of_written(const struct gate *g);
struct label gate_label_of_output(const struct gate *g);

/* gate_scan.c */
/* Opens them, which gate_scan does when it needs them. */
int gate_rules(struct gate *g, struct err *err);
/* VIEW: the code's, if somebody has read it already; or NULL. */
int gate_scan(struct gate *g, const struct code_view *view, struct err *err);

/* One of the modules that it takes in. */
int gate_scan_module(struct gate *g, const char *lang, const char *path, struct text text,
		     struct err *err);

/* gate_modules.c: all of them. */
int gate_scan_modules(struct gate *g, struct err *err);

/* gate_decide.c */
/* What it is confined to if nothing is found in it and its origin is what the request makes likely:
 * no state is needed. false: then it would not run, or ask people. Decides nothing. */
struct gate_guess {
	struct request confined;
	bool planned;
};
bool gate_guess(const struct gate *g, const struct blueprint *bp, struct gate_guess *ret);
/* decide: 0 when it may run or may be asked about; -1 with the reason when it is denied. */
int gate_decide(struct gate *g, struct err *err);
/* (approve): 0: it may run. 1: people are asked, report->approval says where. */
int gate_approve(struct gate *g, struct err *err);

/* gate_net.c: starts who connects for it, if it may. */
int gate_open_outside(struct gate *g, struct outside *ret, struct err *err);
/* Attempts from FROM on, as many as fit into a record; returns how many. */
size_t gate_put_egress(const struct result *r, size_t from, struct jcs *j);

/* gate_log.c */
/* Before the effect. ERR_CONFLICT: what was decided on has changed; decide again. */
int gate_log_start(struct gate *g, struct err *err);
/* For what does not run. WHY: what stopped it; NULL: people are asked. */
int gate_log_refusal(struct gate *g, const struct err *why, struct err *err);
/* gate_result.c */
/* What became of it. */
int gate_log_result(struct gate *g, const struct result *r, struct err *err);
/* Something that it printed (STREAM 0 or 1), or told otherwise (2), as a source of its conversation; nothing
 * happens where that has no handle. */
int gate_ingest_output(struct gate *g, int stream, struct text data, struct err *err);
/* What it told is something that was read. */
int gate_log_made(struct gate *g, const struct result *r, struct err *err);

#endif
