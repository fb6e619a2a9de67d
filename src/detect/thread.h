/* SPDX-License-Identifier: MIT
 *
 * The memory of one thread during a scan: the event's texts, which patterns matched where, and the
 * sessions. Marks are compared with a number that grows with each text, so nothing has to be
 * cleared between events.
 */
#ifndef CORDON_DETECT_THREAD_H
#define CORDON_DETECT_THREAD_H

#include "detect/prepared.h"
#include "detect/ruleset.h"
#include "detect/session.h"
#include "rule/expression.h"

/* The reference ignores text after this many UTF-16 units. */
#define REFERENCE_LENGTH_MAX 100000

struct engine {
	struct arena arena;
	struct ruleset set;
	const struct db *db;
	struct engine_options options;
};

struct thread_field {
	struct text value; /* s == NULL: none */
	uint32_t text;	   /* the number of its text */
	uint32_t epoch;	   /* marks of its uses are valid if they have this number */
};

struct thread_mark {
	uint32_t epoch;
	uint32_t answer; /* enum answer */
};

/* The result of one evaluation. */
struct outcome {
	enum answer answer;
	double confidence;
	size_t matchedc; /* includes undecided ones when ANSWER is ANSWER_UNDECIDED */
	uint32_t matched[RULE_CONDITIONS_MAX];
};

/* The result of a rule in this call. */
struct thread_result {
	uint32_t scan; /* the call */
	bool decided;  /* it matched; otherwise it is undecided */
};

struct engine_thread {
	const struct engine *engine;
	struct db_scratch *scratch;
	struct sessions *sessions; /* NULL when no rule asks about them */
	uint32_t epoch, round, scan;
	struct thread_field *field;
	struct thread_mark *use;
	uint32_t *rule_round, *touched; /* rules with a hit in this round */
	size_t touchedc;
	struct thread_result *found; /* by rule */
	struct outcome *outcome;
	struct prepared *text; /* at most one for each field */
	size_t textc;
	uint64_t *wanted;
	uint64_t *no;	   /* see thread_no() */
	enum answer *step; /* of this event */
	uint64_t *hit;	   /* patterns of steps */
	uint32_t *mark;	   /* the marks that this event leaves in its session */
	bool *marked;
	size_t markc;
};

/* The wanted patterns that match nowhere in the N-th normalised text. N is textc for a layer,
 * which has room of its own. */
static inline uint64_t *thread_no(const struct engine_thread *t, size_t n)
{
	return t->no + n * t->engine->set.words;
}

static inline unsigned class_of(const struct event *event)
{
	if (event->skill)
		return CLASS_SKILL;
	return event->plain || event->type >= EVENT_MCP_EXCHANGE ? CLASS_ANY
								 : (unsigned)event->type;
}

/* Evaluates one rule, which pack_rule() has read, on the event whose texts and hits are in T. Adds
 * to T's marks the counted patterns of a match. */
int evaluate_rule(struct engine_thread *t, const struct event *event, uint32_t rule,
		  struct outcome *ret, struct err *err);
int evaluate_trace(struct engine_thread *t, const struct event *event, uint32_t rule,
		   struct outcome *ret, struct err *err);

/* Conditions on other things than texts. */
enum answer ask_metric(struct engine_thread *t, const struct event *event,
		       const struct rule_condition *c, const struct ruleset_condition *set);
enum answer ask_sequence(struct engine_thread *t, const struct event *event,
			 const struct rule_condition *c, const struct ruleset_condition *set);
/* Finds the steps that the event's content matches. With MORE, CONTENT is another layer of it, and
 * earlier matches stay. */
int find_steps(struct engine_thread *t, struct text content, bool more, struct err *err);
void thread_mark(struct engine_thread *t, uint32_t mark);
/* Records the event in its session. */
int thread_record(struct engine_thread *t, const struct event *event, struct err *err);

#endif
