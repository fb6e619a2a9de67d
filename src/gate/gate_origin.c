/* SPDX-License-Identifier: MIT
 *
 * The step "origin": finds the sources that the code ties to, and sets the origin. Ties are
 * evidence: they are shown and recorded, and they make the origin "derived".
 */
#include <stdlib.h>
#include <string.h>

#include "gate/gate.h"

/* The sources that the code may tie to. When a run is decided again, sources without a tie are not
 * compared again. */
struct open_ties {
	struct index *index; /* owned by the sources */
	size_t *at;	     /* the number of each in the set */
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

	if (open_ties(&g->facts.sources, &open, err) < 0 ||
	    attribute(g->inspection.text, g->inspection.textc, open.index, open.count, open.tie,
		      &g->origin.ties, err) < 0)
		return -1;
	for (size_t i = 0; i < open.count; i++) {
		g->origin.tie[open.at[i]] = open.tie[i];
		g->facts.sources.seen[open.at[i]].is_untied = open.tie[i] == TIE_NONE;
	}
	for (size_t i = 0; i < g->origin.ties.count; i++)
		g->origin.ties.list[i].source = (uint32_t)open.at[g->origin.ties.list[i].source];
	return 0;
}

static int find_ties(struct gate *g, struct err *err)
{
	size_t count = g->facts.sources.count;

	free(g->origin.tie);
	g->origin.tie = calloc(count + 1, sizeof(*g->origin.tie));
	if (!g->origin.tie)
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

/* A source whose record cannot be read still counts as a tie. */
static void report_ties(struct gate *g)
{
	struct report *r = g->report;
	struct source source;
	struct err err;

	r->tiec = 0;
	r->tie_more = g->origin.ties.more;
	for (size_t i = 0; i < g->origin.ties.count && r->tiec < REPORT_TIES_MAX; i++) {
		const struct evidence *e = &g->origin.ties.list[i];
		if (source_load(&g->state.keeper, &g->facts.sources.id[e->source], &source, &err) <
		    0)
			source = (struct source){.id = g->facts.sources.id[e->source],
						 .name = "a source that was never released"};
		r->tie[r->tiec++] = tie_of(g, e, &source);
	}
}

static bool has_plan(const struct gate *g)
{
	return g->facts.ticketc && g->facts.ticket[0].giver == TICKET_PLAN;
}

static enum origin origin_of(const struct gate *g)
{
	if (g->inspection.grade >= GRADE_DENIES)
		return ORIGIN_HOSTILE;
	if (g->req->is_users)
		return ORIGIN_USER;
	if (has_plan(g))
		return ORIGIN_PLAN;
	if (g->origin.derived)
		return ORIGIN_DERIVED;
	return g->facts.exposed ? ORIGIN_EXPOSED : ORIGIN_AGENT;
}

int gate_origin(struct gate *g, struct err *err)
{
	if (find_ties(g, err) < 0)
		return -1;
	g->origin.derived = false;
	for (size_t i = 0; i < g->facts.sources.count; i++)
		g->origin.derived |= g->origin.tie[i] != TIE_NONE;
	g->origin.derived &= !g->req->is_users;
	report_ties(g);
	g->report->origin = origin_of(g);
	return 0;
}
