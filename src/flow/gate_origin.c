/* SPDX-License-Identifier: MIT
 *
 * The word "origin": which sources the code ties to, and one word for people. Ties are evidence: they are
 * shown and recorded, and they make the origin derived.
 */
#include <stdlib.h>
#include <string.h>

#include "flow/gate.h"

/* Those of the sources that the code may tie to. When all is decided again, the code is not held again
 * against those that it did not tie to. */
struct open_ties {
	struct index *index; /* the sources', not to be freed */
	size_t *at;	     /* which those are */
	enum tie *tie;
	size_t count;
};

static int open_ties(const struct source_set *set, struct open_ties *ret, struct err *err)
{
	ret->index = calloc(set->count + 1, sizeof(*ret->index));
	ret->at = calloc(set->count + 1, sizeof(*ret->at));
	ret->tie = calloc(set->count + 1, sizeof(*ret->tie));
	if (!ret->index || !ret->at || !ret->tie)
		return err_memory(err);
	for (size_t i = 0; i < set->count; i++)
		if (!set->seen[i].is_untied) {
			ret->index[ret->count] = set->index[i];
			ret->at[ret->count++] = i;
		}
	return 0;
}

static void open_ties_done(struct open_ties *t)
{
	free(t->index);
	free(t->at);
	free(t->tie);
}

static int tie_sources(struct gate *g, struct err *err)
{
	__attribute__((cleanup(open_ties_done))) struct open_ties open = {0};

	if (open_ties(&g->sources, &open, err) < 0 ||
	    attribute(g->look.text, g->look.textc, open.index, open.count, open.tie, &g->ties,
		      err) < 0)
		return -1;
	for (size_t i = 0; i < open.count; i++) {
		g->tie[open.at[i]] = open.tie[i];
		g->sources.seen[open.at[i]].is_untied = open.tie[i] == TIE_NONE;
	}
	for (size_t i = 0; i < g->ties.count; i++)
		g->ties.list[i].source = (uint32_t)open.at[g->ties.list[i].source];
	return 0;
}

static int tie_up(struct gate *g, struct err *err)
{
	size_t count = g->sources.count;

	free(g->tie);
	g->tie = calloc(count + 1, sizeof(*g->tie));
	if (!g->tie)
		return err_memory(err);
	return tie_sources(g, err);
}

static struct report_tie tie_of(struct gate *g, const struct evidence *e, const struct source *s)
{
	struct arena *a = &g->report->arena;
	char hex[ID_HEX];

	return (struct report_tie){.source = arena_dup(a, id_hex(&s->id, hex)),
				   .name = arena_dup(a, s->name),
				   .tie = tie_name(e->tie),
				   .how = e->how ? arena_dup(a, e->how) : "",
				   .kind = s->kind,
				   .code_from = e->at,
				   .code_to = e->at + e->len,
				   .source_from = e->source_at,
				   .source_to = e->source_to};
}

/* A source whose name cannot be read still counts. */
static void report_ties(struct gate *g)
{
	struct report *r = g->report;
	struct source source;
	struct err err;

	r->tiec = 0;
	r->tie_more = g->ties.more;
	for (size_t i = 0; i < g->ties.count && r->tiec < REPORT_TIES_MAX; i++) {
		const struct evidence *e = &g->ties.list[i];
		if (source_load(&g->state.keeper, &g->sources.id[e->source], &source, &err) < 0)
			source = (struct source){.id = g->sources.id[e->source],
						 .name = "a source that was never released"};
		r->tie[r->tiec++] = tie_of(g, e, &source);
	}
}

static bool has_plan(const struct gate *g)
{
	return g->ticketc && g->ticket[0].giver == TICKET_PLAN;
}

static enum origin origin_of(const struct gate *g)
{
	if (g->look.grade >= GRADE_DENIES)
		return ORIGIN_HOSTILE;
	if (g->req->is_users)
		return ORIGIN_USER;
	if (has_plan(g))
		return ORIGIN_PLAN;
	if (g->derived)
		return ORIGIN_DERIVED;
	return g->exposed ? ORIGIN_EXPOSED : ORIGIN_AGENT;
}

int gate_origin(struct gate *g, struct err *err)
{
	if (tie_up(g, err) < 0)
		return -1;
	g->derived = false;
	for (size_t i = 0; i < g->sources.count; i++)
		g->derived |= g->tie[i] != TIE_NONE;
	g->derived &= !g->req->is_users;
	report_ties(g);
	g->report->origin = origin_of(g);
	return 0;
}
