/* SPDX-License-Identifier: MIT
 *
 * What a run makes carries the label of what made it: of its code, and of what the code was given. A
 * file goes where no record follows it, so its label also names the run and the documents behind it, for
 * whoever asks later where it came from. What was printed is a source, which names its run.
 */
#include <sys/stat.h>

#include "flow/gate.h"

/* The copy is asked: a file below /proc has no size. */
bool gate_has_input(const struct gate *g)
{
	struct stat st;

	if (!g->bp->input_is_fixed)
		return true;
	return fstat(g->bp->input, &st) < 0 || (S_ISREG(st.st_mode) && st.st_size > 0);
}

/* What nobody knows, it may print. Whether the code itself is trusted is another question. */
bool gate_reads_unknown(const struct gate *g, const struct request *r)
{
	return gate_has_input(g) || r->workspace || r->venv;
}

/* A pipe may bring anything; who feeds his own code with it knows what. A plan was made to be given what its
 * domain has read: what it makes of bytes that nobody knows is no more than that. People who agreed to a run
 * for longer have agreed to its inputs too. */
static bool is_given_untrusted(const struct gate *g)
{
	if (!gate_reads_unknown(g, &g->confined))
		return false;
	return (!g->bp->input_is_fixed && g->standing != ORIGIN_USER) ||
	       (g->origin.origin == ORIGIN_PLAN && g->domain.floor.integrity < INTEGRITY_TOOL);
}

/* People who stand by a run have read its code, and no program that it may start. */
static struct label of_run(const struct gate *g)
{
	struct label l = label_of_run(g->standing, &g->inputs,
				      g->decision.granted | g->decision.if_approved);
	struct label unknown = label_unknown();

	if (g->programc)
		label_join(&l, &g->programs);
	if (is_given_untrusted(g))
		label_join(&l, &unknown);
	return l;
}

/* First what the code ties to, then what was read last. */
static void add_documents(const struct gate *g, struct label *l)
{
	for (size_t i = 0; i < g->sources.count; i++)
		if (g->tie[i] != TIE_NONE)
			label_add_source(l, &g->sources.id[i]);
	if (g->has_code)
		label_join(l, &g->code);
	if (g->programc)
		label_join(l, &g->programs);
	for (size_t i = g->sources.count; i-- > 0;)
		label_add_source(l, &g->sources.id[i]);
	/* Some were too short to be recognised, or are forgotten. */
	l->more = l->more || g->domain.sources > g->sources.count;
}

/* Of where it can write. Nobody knows more of its other files than before. */
struct label gate_label_of_files(const struct gate *g)
{
	struct label l = of_run(g);

	if (l.integrity < INTEGRITY_TOOL)
		add_documents(g, &l);
	return l;
}

/* The run comes first. Whatever it had read is found with it, so nothing is missing where there was no room
 * for all of that. A directory's mark does not name it: each run would be news to all others then. */
struct label gate_label_of_written(const struct gate *g)
{
	struct label l = of_run(g);
	bool more = l.more;

	if (l.integrity < INTEGRITY_TOOL) {
		add_documents(g, &l);
		label_add_run(&l, &g->run);
		l.more = more;
	}
	return l;
}

struct label gate_label_of_output(const struct gate *g)
{
	struct label l = of_run(g), unknown = label_unknown();

	if (gate_reads_unknown(g, &g->confined))
		label_join(&l, &unknown);
	return l;
}
