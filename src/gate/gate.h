/* SPDX-License-Identifier: MIT
 *
 * The steps of a run that decide: facts, scan, origin, decide, approve and the records in the log.
 * The code in flow/ calls them in this order. Each step leaves its result in struct gate for the
 * next one. No step runs any code. A zeroed struct knows nothing and allows nothing.
 */
#ifndef CORDON_GATE_GATE_H
#define CORDON_GATE_GATE_H

#include "approval/run_request.h"
#include "gate/gate_state.h"
#include "gate/inspect.h"
#include "live/blueprint.h"
#include "model/result.h"
#include "policy/policy.h"
#include "read/view_ready.h"
#include "trust/source.h"
#include "trust/ticket.h"

enum {
	GATE_TRIES_MAX = 16,	 /* attempts when other processes change the conversation */
	GATE_ARGS_MAX = 1 << 20, /* bytes of arguments and environment that are scanned */
	GATE_TICKETS_MAX = 64,	 /* tickets that hold for one run */
	GATE_EFFECT_BYTES = 256, /* bytes of an effect in a record, besides its object */
	/* bytes of all effects in a record; the rest is only counted */
	GATE_EFFECTS_BYTES_MAX = 128 << 10,
	/* workspace, kept home, virtual environment, its interpreter's library, input, programs */
	GATE_INPUTS_MAX = 5 + REQUEST_LIST_MAX + REQUEST_PATHS_MAX + REQUEST_RW_MAX,
};

/* What the decision is based on. gate_facts.c writes it, and no other file, but for two fields that follow
 * the store: after a commit of their own, gate_log.c and flow/apply.c bring them up to date. */
struct gate_facts {
	struct conversation conversation;
	struct directories directories;
	struct directory_place workspace_at, home_at;
	const struct directory_place *rw_at[REQUEST_RW_MAX];
	size_t input_count;
	const struct directory_place *input_at[GATE_INPUTS_MAX];
	bool inputs_are_trusted; /* no input of the run is untrusted or marked */
	/* exposed code of this conversation has pending changes of the workspace */
	bool has_changes;
	/* as they were when they were opened */
	struct stat workspace, home, venv, exec[REQUEST_LIST_MAX], ro[REQUEST_PATHS_MAX],
		rw[REQUEST_RW_MAX];
	bool has_home;	   /* HOME_AT and HOME are a kept home directory */
	bool exposed;	   /* the run is exposed */
	const char *cause; /* what exposed it, or NULL */
	size_t ticketc;
	struct ticket ticket[GATE_TICKETS_MAX]; /* those that are valid for this run */
	const char *plan_words;			/* why the plan gives nothing, or NULL */
	uint8_t program[KEEPER_SHA256];		/* hash of everything that a plan fixes */
	struct source_set sources;
};

/* gate_origin.c: the documents that the code ties to */
struct gate_origin {
	struct attribution ties;
	enum tie *tie; /* the tie to each source */
	bool derived;
};

/* gate_decide.c: the verdict */
struct gate_decision {
	enum verdict verdict;
	struct request confined; /* the request, reduced to the effects that the run gets */
	bool plans;		 /* the caller makes a plan: decide as for clean code */
};

/* gate_approve.c: the question to people, and their answer */
struct gate_question {
	struct approval_request asked;
	struct approval_attachments attachments; /* the bytes that people can read */
	struct approval approval;
	bool has_approval;
};

/* What stays open between the runs of one process: the state and the rules, as the first run of them has
 * opened them. Their requests name the same ones. Begin with GATE_SESSION_CLOSED. */
struct gate_session {
	struct gate_state state;
	struct packs rules; /* never moved: they point into themselves */
	uint8_t pack_key[PACKS_KEY];
	struct arena arena;	   /* of the rules */
	struct view_ready *reader; /* of shell code, for the next run; or NULL */
};
#define GATE_SESSION_CLOSED                                                                        \
	{                                                                                          \
		.state = STATE_CLOSED                                                              \
	}

struct gate {
	struct gate_session *session; /* or NULL */
	const struct request *req;    /* as the caller made it */
	const struct blueprint *bp;
	struct report *report;
	struct gate_state state;
	struct policy policy;
	struct gate_session own;     /* without a session: only its rules */
	struct packs *rules;	     /* NULL: not open */
	uint8_t pack_key[PACKS_KEY]; /* identifies the rules */
	struct inspection inspection;
	bool is_inspected; /* the scan has begun */
	struct id run;
	struct gate_facts facts;
	struct gate_origin origin;
	struct gate_decision decision;
	struct gate_question question;
	struct arena arena;
};

/* gate.c. gate_open reads the policy, gate_open_state opens the state. Always call gate_close. */
int gate_open(struct gate *g, const struct request *req, struct report *report, struct err *err);
int gate_open_state(struct gate *g, struct err *err);
/* Reads the policy again: it may have changed while people were asked. */
int gate_policy_again(struct gate *g, struct err *err);
void gate_close(struct gate *g);
void gate_session_close(struct gate_session *s);
/* Between two runs: what would take time in the next one. */
void gate_session_prepare(struct gate_session *s);

/* gate_facts.c. Loads the conversation, the state of every input's directory, the tickets and the
 * sources. Call it again after a conflict. */
int gate_facts(struct gate *g, const struct blueprint *bp, struct err *err);
/* Loads only the conversation and the directories again, after the run has used up its tickets. An
 * exposed run stays exposed. */
int gate_facts_again(struct gate *g, struct err *err);
/* The run is exposed by CAUSE. */
void gate_expose(struct gate *g, const char *cause);
/* The run would see pending changes of exposed code that the decision did not know. Always -1 with
 * ERR_CONFLICT and the message WHAT: decide again. */
int gate_add_changes(struct gate *g, const char *what, struct err *err);
/* Call this when the program has ended, before its changes are kept. Exposed code may have changed
 * a directory while the program read it: then the run and its conversation become exposed. */
int gate_expose_late(struct gate *g, struct err *err);
/* Before an exposed run starts, and if one turns out to be exposed: marks the directories that it can write
 * to. TX gets the row, or expects it. */
int gate_mark(struct gate *g, struct store_tx *tx, struct err *err);
/* Checks that the box gets the same files that were judged: a path may have been replaced since. */
int gate_check_inputs(const struct gate *g, struct err *err);
/* The hash of the directories, the effects and the tier that were decided on. A start may only use a live
 * box with the same hash. */
void gate_box_hash(const struct gate *g, uint8_t ret[KEEPER_SHA256]);
/* The ticket that gives this effect, or NULL. A write is to the workspace. */
struct ticket *gate_find_ticket(struct gate *g, enum cap cap, const char *object,
				bool self_executing);
/* Does T hold for the run and its workspace, and not only for a directory of --rw? Bits of holds_for. */
#define FOR_RUN 1U
#define FOR_RW(i) (2U << (i))
static inline bool gate_ticket_is_for_run(const struct ticket *t)
{
	return t->holds_for & FOR_RUN;
}
/* A grant that was only confirmed gives an effect as long as the policy accepts confirmations for
 * it. Drops the others from T. */
void gate_bound_ticket(const struct gate *g, struct ticket *t);
/* gate_spend_tickets adds the use of the tickets to the transaction that gives effects;
 * gate_spent_tickets follows its commit. */
void gate_spend_tickets(const struct gate *g, struct store_tx *tx);
void gate_spent_tickets(struct gate *g, uint64_t version);

/* gate_scan.c */
/* Opens the rules. gate_scan calls this when it needs them. */
int gate_rules(struct gate *g, struct err *err);
/* The same for a session, and the rules that REQ names. */
int gate_session_rules(struct gate_session *s, const struct request *req, struct err *err);
/* VIEW is the code's canonical form if the caller has it, or NULL. */
int gate_scan(struct gate *g, const struct code_view *view, struct err *err);

/* gate_origin.c. Finds the sources that the code ties to, and sets the origin. */
int gate_origin(struct gate *g, struct err *err);

/* gate_decide.c */
/* The box that the run would get if the scan finds nothing. Needs no state and decides nothing. */
bool gate_guess(const struct gate *g, struct request *ret);
/* 0: the run may start, or a person may be asked. -1: it is denied, and ERR says why. */
int gate_decide(struct gate *g, struct err *err);
/* What exposes the conversation if the run starts, or NULL. An exposed run exposes it by its
 * output. An answer from the network does, unless the policy trusts the host. */
const char *gate_exposure(struct gate *g);
/* A person has approved what G asked for: the run gets all the effects that it wants. */
void gate_take_approval(struct gate *g);

/* gate_approve.c */
/* 0: the run may start, without the effects that wait. 1: the run waits for a person;
 * report->approval is the request. Without CAN_ASK no run waits. */
int gate_approve(struct gate *g, bool can_ask, struct err *err);
/* The caller has filled G->question.asked. 1: a person has approved exactly that; the approval is
 * in G->question. 0: it waits; report->approval is the request. */
int gate_ask_people(struct gate *g, struct err *err);
/* Notifies people of the request in report->approval. */
void gate_notify(struct gate *g);
void gate_drop_attachments(struct gate *g);
/* gate_wait.c. Waits until people have answered. -1: they denied it, or the request expired. After
 * 0 the caller decides again: the approval may not cover what is asked for now. */
int gate_wait_for_people(struct gate *g, struct err *err);
/* The command by which a person would allow the effect. A path is below DIRECTORY; NULL: the
 * workspace. */
const char *gate_command(struct gate *g, enum cap cap, const char *directory, const char *object);
/* The secret NAME of the policy in the form that a grant has, or NULL if the policy has no such
 * secret. */
const char *gate_secret_use(struct gate *g, const char *name, struct arena *a);
/* gate_grant.c. The widest scope that people may give to G->question.asked. */
enum scope gate_widest_scope(struct gate *g);
/* If the approval in use has the scope "grant", adds a grant of what it gave to TX. */
int gate_give_grant(struct gate *g, struct store_tx *tx, struct err *err);
/* Can a person be asked about this effect? Needs an enrolled person, or a policy that accepts a
 * confirmation. */
bool gate_can_ask(struct gate *g, enum cap cap);

/* gate_log.c */
/* Records the decision before the run. ERR_CONFLICT: a fact has changed; decide again. */
int gate_log_start(struct gate *g, struct err *err);
/* Records a run that does not start. WHY is the error that stopped it, or NULL if a person is
 * asked. */
int gate_log_refusal(struct gate *g, const struct err *why, struct err *err);
/* Carries out the actions of the rules that denied the code. */
void gate_carry_out(struct gate *g, struct err *err);
/* gate_result.c. Records the result of the run. */
int gate_log_result(struct gate *g, const struct result *r, struct err *err);

#endif
