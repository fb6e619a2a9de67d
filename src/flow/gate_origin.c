/* SPDX-License-Identifier: MIT
 *
 * The word "origin": first the facts (which conversation, what it has read, what it is given), then
 * what follows from them for this code. Facts are read again whenever somebody has changed them
 * before the run's record was written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/gate.h"

static int find_domain(struct gate *g, struct err *err)
{
	struct domain_ask ask = {.principal = g->state.principal,
				 .handle = g->req->domain,
				 .name = g->req->conversation};
	struct id id;
	bool is_handle =
		ask.handle && handle_read(&g->state.keeper, ask.principal, ask.handle, &id);

	if (domain_find(&g->state.keeper, &ask, &g->domain, err) < 0)
		return -1;
	/* Without its row, as in another store with the same keys, it leads to the shared one. */
	g->has_domain = is_handle && domain_is_member(&g->domain, &id);
	char hex[ID_HEX];
	g->report->domain = arena_dup(&g->report->arena, id_hex(&g->domain.id, hex));
	return 0;
}

/* What an earlier run has written, wherever it is now. 1: that is known. */
static int label_of(struct gate *g, const struct file_key *file, struct label *ret, struct err *err)
{
	bool known;

	if (file_label_find(&g->state.keeper, file, ret, &known, err) < 0)
		return -1;
	return known;
}

static int find_labels(struct gate *g, struct err *err)
{
	const struct blueprint *bp = g->bp;
	struct file_key code = {.dev = bp->payload.from.st_dev,
				.ino = bp->payload.from.st_ino,
				.sha256 = bp->payload.sha256,
				.bytes = bp->payload.len};
	struct file_key input = {.dev = bp->input_file.st_dev,
				 .ino = bp->input_file.st_ino,
				 .sha256 = bp->input_sha256,
				 .bytes = (uint64_t)bp->input_file.st_size};
	struct label label;
	int known;

	g->inputs = label_top();
	g->has_inputs = g->has_known_input = g->has_code = false;
	if ((known = label_of(g, &code, &g->code, err)) < 0)
		return -1;
	g->has_code = known;
	if (bp->input_is_fixed) {
		if ((known = label_of(g, &input, &label, err)) < 0)
			return -1;
		if (known)
			label_join(&g->inputs, &label);
		g->has_inputs = g->has_known_input = known;
	}
	return gate_join_files(g, err);
}

/* A run that may write began while files were looked at: one of them may be of it. */
static int is_lost_news(struct gate *g, struct err *err)
{
	struct files_lost now;

	if (files_lost_load(&g->state.keeper, &now, err) < 0)
		return -1;
	return now.newest > g->lost.newest;
}

static int look_at_files(struct gate *g, struct err *err)
{
	int news = 1;

	for (int i = 0; news == 1 && i < GATE_TRIES_MAX; i++) {
		if (file_marks_load(&g->state.keeper, &g->marks, err) < 0 ||
		    files_lost_load(&g->state.keeper, &g->lost, err) < 0 || find_labels(g, err) < 0)
			return -1;
		news = is_lost_news(g, err);
	}
	if (news <= 0)
		return news;
	err_set(err, ERR_CONFLICT, "not run: others begin to write files all the time");
	err_cure(err, "try again when it is quiet");
	return -1;
}

int gate_facts(struct gate *g, const struct blueprint *bp, struct err *err)
{
	g->bp = bp;
	if (find_domain(g, err) < 0 || look_at_files(g, err) < 0)
		return -1;
	return source_set_load(&g->state.keeper, &g->domain, &g->sources, err);
}

/* Bytes that were read, or that a run wrote: the code itself, what it may start, and what it may make
 * code of though it is known to be hostile. */
enum { FILE_TIES = 3 };

static void tie_file(struct gate *g, size_t at, bool known, const struct label *label)
{
	g->tie[at] = known ? TIE_WHOLE : TIE_NONE;
	g->of_tied[at] = known ? label->integrity : INTEGRITY_USER;
}

/* Those of the sources that the code may tie to. Where it was held against some already, because all is
 * decided again, it is not once more: it is the same code, and what it ties to comes out the same. */
struct open_ties {
	struct index *index; /* theirs, not to be freed */
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

/* The last places are for files. */
static int tie_up(struct gate *g, struct err *err)
{
	size_t count = g->sources.count;

	free(g->tie);
	free(g->of_tied);
	g->tie = calloc(count + FILE_TIES, sizeof(*g->tie));
	g->of_tied = calloc(count + FILE_TIES, sizeof(*g->of_tied));
	if (!g->tie || !g->of_tied)
		return err_memory(err);
	if (tie_sources(g, err) < 0)
		return -1;
	tie_file(g, count, g->has_code, &g->code);
	tie_file(g, count + 1, g->programc, &g->programs);
	tie_file(g, count + 2, gate_runs_hostile(g) != NULL, &g->inputs);
	return source_integrities(&g->state.keeper, &g->sources, g->tie, g->of_tied, err);
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

/* What a run has written is known by the sources behind it. */
static void report_file(struct gate *g, const struct label *label, const char *how, size_t len)
{
	struct report *r = g->report;
	char hex[ID_HEX] = "";

	if (r->tiec == REPORT_TIES_MAX) {
		r->tie_more++;
		return;
	}
	if (label->count)
		id_hex(&label->source[0], hex);
	r->tie[r->tiec++] = (struct report_tie){.source = arena_dup(&r->arena, hex),
						.name = "bytes that were read, or that a run wrote",
						.tie = tie_name(TIE_WHOLE),
						.how = how,
						.kind = FROM_RUN_OUTPUT,
						.code_to = len};
}

static void report_files(struct gate *g)
{
	if (g->has_code)
		report_file(g, &g->code, "", g->bp->payload.len);
	for (size_t i = 0; i < g->programc; i++)
		report_file(g, &g->programs,
			    arena_printf(&g->report->arena, "program %s", g->program[i]), 0);
	const char *hostile = gate_runs_hostile(g);
	if (hostile)
		report_file(g, &g->inputs, arena_printf(&g->report->arena, "file %s", hostile), 0);
}

/* Names are for people: one that cannot be read is no reason to know less. */
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
	report_files(g);
}

int gate_origin(struct gate *g, struct err *err)
{
	bool undeclared = g->req->declared == ORIGIN_COUNT;
	/* Of the shared domain nobody knows what was read; its host may. Of what has a name it may not
	 * say that nothing was. */
	bool vouched = !g->has_domain && !g->req->conversation && g->req->declared == ORIGIN_AGENT;

	gate_join_pipe(g);
	if (tie_up(g, err) < 0 || gate_check_plan(g, err) < 0)
		return -1;
	struct label inputs = g->has_inputs ? g->inputs : label_top(), unknown = label_unknown();
	if (g->unread_modules)
		label_join(&inputs, &unknown);
	struct origin_ask ask = {
		.domain = vouched ? NULL : &g->domain,
		.is_shared = !g->has_domain,
		.declared = !undeclared	    ? g->req->declared
			    : g->has_domain ? ORIGIN_COUNT
					    : g->policy.undeclared,
		.declared_why = undeclared ? "the policy says so of undeclared code" : NULL,
		.attested = true,
		.plan = g->plan_answer,
		.plan_why = g->plan_why,
		.tie = g->tie,
		.of_tied = g->of_tied,
		.sources = g->sources.count + FILE_TIES,
		.grade = g->look.grade,
		.inputs = g->has_inputs || g->unread_modules ? &inputs : NULL,
		.inputs_why = g->inputs_why,
	};
	origin_of(&ask, &g->origin);
	report_ties(g);
	return 0;
}
