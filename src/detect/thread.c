/* SPDX-License-Identifier: MIT
 *
 * The memory of one thread, of constant size for the engine's life. A scan allocates memory only
 * for texts that are not ASCII and for findings.
 */
#include "detect/thread.h"

#include <stdlib.h>

struct engine_thread *engine_thread_new(const struct engine *engine, struct err *err)
{
	const struct ruleset *p = &engine->set;
	struct engine_thread *t = calloc(1, sizeof(*t));

	if (!t) {
		err_memory(err);
		return NULL;
	}
	t->engine = engine;
	t->field = calloc(p->fieldc + 1, sizeof(*t->field));
	t->use = calloc(p->usec + 1, sizeof(*t->use));
	t->rule_round = calloc(p->pack->rulec + 1, sizeof(*t->rule_round));
	t->found = calloc(p->pack->rulec + 1, sizeof(*t->found));
	t->touched = calloc(p->pack->rulec + 1, sizeof(*t->touched));
	t->text = calloc(p->fieldc + 1, sizeof(*t->text));
	t->wanted = calloc(p->words + 1, sizeof(*t->wanted));
	t->no = calloc((p->fieldc + 1) * p->words + 1, sizeof(*t->no));
	t->hit = calloc(p->words + 1, sizeof(*t->hit));
	t->step = calloc(p->stepc + 1, sizeof(*t->step));
	t->mark = calloc(p->markc + 1, sizeof(*t->mark));
	t->marked = calloc(p->markc + 1, sizeof(*t->marked));
	t->outcome = calloc(1, sizeof(*t->outcome));
	t->scratch = db_scratch_new(engine->db, NULL, err);
	if (p->sessions)
		t->sessions = sessions_new(NULL, err);
	if (t->field && t->use && t->rule_round && t->found && t->touched && t->text && t->wanted &&
	    t->no && t->hit && t->step && t->mark && t->marked && t->outcome && t->scratch &&
	    (t->sessions || !p->sessions))
		return t;
	err_memory(err);
	engine_thread_free(t);
	return NULL;
}

void engine_thread_free(struct engine_thread *t)
{
	if (!t)
		return;
	free(t->field);
	free(t->use);
	free(t->rule_round);
	free(t->found);
	free(t->touched);
	free(t->text);
	free(t->wanted);
	free(t->no);
	free(t->hit);
	free(t->step);
	free(t->mark);
	free(t->marked);
	free(t->outcome);
	db_scratch_free(t->scratch);
	sessions_free(t->sessions);
	free(t);
}
