/* SPDX-License-Identifier: MIT
 *
 * The words of the sentence that decide: facts, scan, origin, decide, approve, and the log's. run.c speaks
 * them in order; here is what they share. Each word leaves its answer in the gate for the next, and none of
 * them runs anything. All zero, nothing is known and nothing is allowed.
 */
#ifndef CORDON_FLOW_GATE_H
#define CORDON_FLOW_GATE_H

#include "approval/fill.h"
#include "flow/blueprint.h"
#include "flow/look.h"
#include "flow/state.h"
#include "model/result.h"
#include "policy/policy.h"
#include "trust/source.h"
#include "trust/ticket.h"

enum {
	GATE_TRIES_MAX = 16,	 /* when other processes change the conversation meanwhile */
	GATE_PAUSE_DOUBLES = 6,	 /* a pause before the next try grows to 64 ms */
	GATE_ARGS_MAX = 1 << 20, /* bytes of arguments and environment that are scanned */
	GATE_START_US = 2000,	 /* until an interpreter is on its way */
	GATE_TIME_SHARE = 10,	 /* of its time, that may go before a program starts: a tenth */
	GATE_WAIT_MS = 250,	 /* between two looks whether people have answered */
	GATE_TICKETS_MAX = 64,	 /* tickets that hold for one run */
	GATE_EFFECT_BYTES = 256, /* of an effect in a record, besides its object */
	GATE_EFFECTS_BYTES_MAX = 128 << 10, /* of all; the rest is counted */
	/* workspace, virtual environment, its interpreter's library, input, programs */
	GATE_GIVEN_MAX = 4 + REQUEST_LIST_MAX,
};

struct gate {
	const struct request *req; /* as it was asked for */
	const struct blueprint *bp;
	struct report *report;
	struct gate_state state;
	struct policy policy;
	struct packs rules;
	uint8_t pack_key[PACKS_KEY]; /* of the rules */
	struct look look;
	bool has_look; /* it was looked at, as far as that went */
	struct id run;

	/* facts (gate_facts.c) */
	struct conversation conversation;
	struct directories directories;
	struct directory_place workspace_at;
	size_t given_count;
	const struct directory_place *given_at[GATE_GIVEN_MAX];
	bool given_is_trusted; /* all that the run is given beside its code */
	bool has_changes; /* exposed code of this conversation changed its view of the workspace */
	struct stat workspace, venv, exec[REQUEST_LIST_MAX]; /* as they were looked at */
	bool exposed;					     /* the run is */
	const char *cause;				     /* by what; or NULL */
	size_t ticketc;
	struct ticket ticket[GATE_TICKETS_MAX]; /* those that hold */
	const char *plan_words;			/* why the plan gives nothing, or NULL */
	uint8_t program[KEEPER_SHA256];		/* hash of all that is fixed about the run */
	struct source_set sources;

	/* origin (gate_origin.c) */
	struct attribution ties;
	enum tie *tie; /* of each source */
	bool derived;

	/* decide, approve (gate_decide.c) */
	enum verdict verdict;
	struct request confined;
	bool plans; /* it makes a plan, which gives what clean code may have */
	struct approval_request asked;
	struct approval approval;
	bool has_approval;
	struct arena arena;
};

/* gate.c: the policy, then the state. gate_close is always due. */
int gate_open(struct gate *g, const struct request *req, struct report *report, struct err *err);
/* Before the next of several tries: a little later, and not all processes at once. */
void gate_pause(int tries);
int gate_open_state(struct gate *g, struct err *err);
/* As it is now: it may have changed while a person was asked. */
int gate_policy_again(struct gate *g, struct err *err);
void gate_close(struct gate *g);

/* gate_facts.c: the conversation, the directories that the run is given, tickets and sources. Again after
 * a conflict. */
int gate_facts(struct gate *g, const struct blueprint *bp, struct err *err);
/* After the run, when its tickets are spent: only the conversation and the directories. What was exposed
 * stays so. */
int gate_facts_again(struct gate *g, struct err *err);
/* When the program has ended, before its changes are kept: exposed code may have changed a directory while
 * the program read it. Then the run and its conversation are exposed. */
int gate_expose_late(struct gate *g, struct err *err);
/* Is what the box gets what was looked at? A name may lead elsewhere meanwhile. */
int gate_check_given(const struct gate *g, struct err *err);
/* The ticket that gives this, or NULL. */
struct ticket *gate_find_ticket(struct gate *g, enum cap cap, const char *object,
				bool self_executing);
/* In the transaction that gives effects, and when it is committed. */
void gate_spend_tickets(const struct gate *g, struct store_tx *tx);
void gate_spent_tickets(struct gate *g, uint64_t version);

/* gate_scan.c */
/* Opens the rules, which gate_scan does when it needs them. */
int gate_rules(struct gate *g, struct err *err);
/* VIEW: the code's, if it was made already; or NULL. */
int gate_scan(struct gate *g, const struct code_view *view, struct err *err);

/* gate_origin.c: which sources the code ties to, and the word for its origin. */
int gate_origin(struct gate *g, struct err *err);

/* gate_decide.c */
/* What the run is confined to if nothing is found in it: no state is needed. Decides nothing. */
bool gate_guess(const struct gate *g, struct request *ret);
/* 0: it may run, or a person may be asked; -1 with the reason: it is denied. */
int gate_decide(struct gate *g, struct err *err);
/* 0: it may run, without the effects that wait. 1: it waits for a person, report->approval says where. */
int gate_approve(struct gate *g, struct err *err);
/* The command that a person would give to allow it. */
const char *gate_command(struct gate *g, enum cap cap, const char *object);
/* Is there a person who could be asked? */
bool gate_can_ask(struct gate *g);

/* gate_net.c: starts cordon-egress, if the run may connect. */
int gate_open_outside(struct gate *g, struct outside *ret, struct err *err);
/* Attempts from FROM on, as many as fit into a record; returns how many. */
size_t gate_put_egress(const struct result *r, size_t from, struct jcs *j);

/* gate_log.c */
/* Before the run. ERR_CONFLICT: what was decided on has changed; decide again. */
int gate_log_start(struct gate *g, struct err *err);
/* By what the run lets something untrusted into its conversation, or NULL. What it prints is as exposed as it
 * is, and answers of the network expose unless the policy trusts them. */
const char *gate_exposure(struct gate *g);
/* For what does not run. WHY: what stopped it; NULL: a person is asked. */
int gate_log_refusal(struct gate *g, const struct err *why, struct err *err);
/* What a rule's actions say of the conversation of code that was denied. */
void gate_carry_out(struct gate *g, struct err *err);
/* gate_result.c: what became of it. What an exposed run printed is a source of its conversation. */
int gate_log_result(struct gate *g, const struct result *r, struct err *err);
int gate_ingest_output(struct gate *g, const struct result *r, struct err *err);

#endif
