/* SPDX-License-Identifier: MIT
 *
 * What the gate has to say about hosts: which there are, and who has named them. A host that stands
 * in something untrusted that this conversation has read is not connected to, unless the policy
 * itself names it: whoever wrote that page would choose where the data go.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flow/gate.h"
#include "origin/atoms.h"

/* One name, held against all that was read. */
struct named {
	struct gate *gate;
	size_t source; /* the first in which it stands; the number of sources: none */
};

static bool has_atom(const struct index *ix, uint64_t hash)
{
	const struct prints *p = &ix->list[INDEX_ATOMS];
	uint64_t want = PRINT_HASH(PRINT(hash, 0));
	size_t at = prints_seek(p->list, p->count, 0, want);

	return at < p->count && PRINT_HASH(p->list[at]) == want;
}

static bool is_untrusted(struct gate *g, size_t source, struct source *ret)
{
	struct err err;

	if (source_load(&g->state.keeper, &g->sources.id[source], ret, &err) == 0)
		return ret->label.integrity < INTEGRITY_TOOL;
	*ret = (struct source){.name = "a source that was never released"};
	return true;
}

static void look_up(void *ctx, const struct atom *a)
{
	struct named *n = ctx;
	struct source ignored;

	if (a->kind != ATOM_HOST && a->kind != ATOM_IP)
		return;
	for (size_t i = 0; i < n->source; i++)
		if (has_atom(&n->gate->sources.index[i], a->hash) &&
		    is_untrusted(n->gate, i, &ignored))
			n->source = i;
}

static void said(void *ctx, const char *name, char *ret, size_t size)
{
	struct gate *g = ctx;
	struct named n = {g, g->sources.count};
	struct source source;
	char url[EGRESS_NAME_MAX + 16];

	int len =
		snprintf(url, sizeof(url), strchr(name, ':') ? "http://[%s]/" : "http://%s/", name);
	atoms_find(url, (size_t)len, ATOM_DOCUMENT, look_up, &n);
	if (n.source < g->sources.count && is_untrusted(g, n.source, &source))
		snprintf(ret, size, "%s", source.name[0] ? source.name : "a source without a name");
}

enum { RECORD_ATTEMPTS = 64 }; /* that surely fit into one */

size_t gate_put_egress(const struct result *r, size_t from, struct jcs *j)
{
	size_t count = r->egressc - from < RECORD_ATTEMPTS ? r->egressc - from : RECORD_ATTEMPTS;

	jcs_list(j, "attempts");
	for (size_t i = from; i < from + count; i++) {
		const struct egress_row *e = &r->egress[i];
		jcs_object(j, NULL);
		jcs_str(j, "address", e->address);
		jcs_int(j, "bytes_in", (int64_t)e->bytes_in);
		jcs_int(j, "bytes_out", (int64_t)e->bytes_out);
		jcs_str(j, "name", e->name);
		jcs_int(j, "port", e->port);
		jcs_str(j, "rule", e->rule);
		jcs_str(j, "verdict", egress_verdict_name(e->verdict));
		jcs_int(j, "wall_ms", (int64_t)e->wall_ms);
		jcs_end(j);
	}
	jcs_end(j);
	jcs_bool(j, "cut", r->egress_cut);
	return count;
}

int gate_open_outside(struct gate *g, struct outside *ret, struct err *err)
{
	if (!g->confined.network)
		return 0;
	return outside_open(ret, &g->policy, &g->confined, g->sources.count ? said : NULL, g, err);
}
