/* SPDX-License-Identifier: MIT
 *
 * What one thread keeps while it scans: the event's texts, which patterns matched where, and the
 * sessions. Marks are compared with a number that grows with each text, so that nothing has to be
 * cleared between events.
 */
#ifndef CORDON_DETECT_THREAD_H
#define CORDON_DETECT_THREAD_H

#include "detect/ruleset.h"
#include "detect/session.h"
#include "detect/text.h"
#include "rule/expression.h"

/* Past this many UTF-16 units the reference sees nothing. */
#define REFERENCE_LENGTH_MAX 100000

struct engine {
	struct arena arena;
	struct ruleset set;
	const struct db *db;
	struct engine_options options;
};

struct thread_field {
	struct text value; /* s == NULL: none */
	uint32_t text;	   /* which of the texts it is */
	uint32_t epoch;	   /* marks of its uses that count have this one */
};

struct thread_mark {
	uint32_t epoch;
	uint32_t answer; /* enum answer */
};

/* What one evaluation gave. */
struct outcome {
	enum answer answer;
	double confidence;
	size_t matchedc; /* undecided ones included when ANSWER is ANSWER_UNDECIDED */
	uint32_t matched[RULE_CONDITIONS_MAX];
};

/* What is known about a rule in this call. */
struct thread_found {
	uint32_t scan; /* the call */
	bool decided;  /* it matched; else it is undecided */
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
	struct thread_found *found; /* by rule */
	struct outcome *outcome;
	struct prepared *text; /* at most one for each field */
	size_t textc;
	uint64_t *wanted;
	uint64_t *no;	   /* see thread_no() */
	enum answer *step; /* of this event */
	uint64_t *hit;	   /* patterns of steps */
	uint32_t *mark;	   /* what this event leaves in its session */
	bool *marked;
	size_t markc;
};

/* Which patterns that somebody wants match nowhere in the N-th text, normalised; N is textc, which
 * there is room for, in a layer of one. */
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

/* One rule, which pack_rule() has, on the event whose texts and hits are in T. Patterns that
 * sessions count and that belong to a match are added to T's marks. */
int evaluate_rule(struct engine_thread *t, const struct event *event, uint32_t rule,
		  struct outcome *ret, struct err *err);
int evaluate_trace(struct engine_thread *t, const struct event *event, uint32_t rule,
		   struct outcome *ret, struct err *err);
void evaluate_signature(const struct event *event, const struct rule *rule, struct outcome *ret);

/* Conditions about what is not in the texts. */
enum answer ask_metric(struct engine_thread *t, const struct event *event,
		       const struct rule_condition *c, const struct ruleset_condition *set);
enum answer ask_sequence(struct engine_thread *t, const struct event *event,
			 const struct rule_condition *c, const struct ruleset_condition *set);
/* Finds the steps that the event's content matches. With MORE, CONTENT is another layer of it: what
 * was found before stays. */
int find_steps(struct engine_thread *t, struct text content, bool more, struct err *err);
void thread_mark(struct engine_thread *t, uint32_t mark);
/* Leaves the event in its session. */
int thread_record(struct engine_thread *t, const struct event *event, struct err *err);

#endif
