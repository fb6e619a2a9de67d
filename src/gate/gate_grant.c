/* SPDX-License-Identifier: MIT
 *
 * An approval with the scope "grant" also gives the conversation a grant, in the transaction that
 * uses the approval. It is a grant that `cordon grant` could make: exact hosts; a secret with its
 * host, methods and path; files and links by their paths. It never names a directory, because that
 * would include everything below it. It ends with the approval.
 */
#include <stdio.h>
#include <string.h>

#include "gate/gate.h"

enum { BY_MAX = 160 };

static bool is_exact_host(const char *text, struct arena *a, const char **ret)
{
	struct policy_net net;
	char form[POLICY_NET_TEXT_MAX];
	struct err ignored;

	if (policy_net_parse(text, true, a, &net, &ignored) < 0 || policy_net_many(&net))
		return false;
	*ret = arena_dup(a, policy_net_format(&net, form, sizeof(form)));
	return true;
}

/* Only paths that people saw in the request become part of the grant. */
static bool is_given(const struct approval_request *r, const char *path)
{
	const struct approval_change *c = r->changes.list;

	for (size_t i = 0; i < r->changes.count; i++)
		if (strcmp(c[i].path, path) == 0)
			return approval_change_gives(&c[i]);
	return false;
}

/* The effect in the form that a grant has, or NULL if a grant cannot give it. */
static const char *object_of(struct gate *g, enum cap cap, const char *object, struct arena *a)
{
	struct policy_use use;
	struct err ignored;
	const char *text = NULL;

	if (cap == CAP_WRITE)
		return arena_dup(a, object);
	if (cap == CAP_NET)
		return is_exact_host(object, a, &text) ? text : NULL;
	text = gate_secret_use(g, object, a);
	return text && policy_use_parse(text, &use, &ignored) == 0 ? policy_use_format(&use, a)
								   : NULL;
}

enum scope gate_widest_scope(struct gate *g)
{
	const struct approval_request *r = &g->question.asked;
	const struct approval_text *host = r->net.list, *secret = r->secret.list;
	const struct approval_change *change = r->changes.list;
	size_t paths = 0;

	for (size_t i = 0; i < r->changes.count; i++)
		paths += approval_change_gives(&change[i]);
	bool fits = g->req->conversation && paths <= TICKET_LIST_MAX &&
		    r->net.count <= TICKET_LIST_MAX && r->secret.count <= TICKET_LIST_MAX &&
		    paths + r->net.count + r->secret.count > 0;

	for (size_t i = 0; fits && i < r->net.count; i++)
		fits = object_of(g, CAP_NET, host[i].text, &g->arena) != NULL;
	for (size_t i = 0; fits && i < r->secret.count; i++)
		fits = object_of(g, CAP_SECRET, secret[i].text, &g->arena) != NULL;
	return fits ? SCOPE_GRANT : approval_is_changes(r) ? SCOPE_DIFF : SCOPE_PROGRAM;
}

/* Names the people, and the approval that holds their answers. */
static const char *by_words(const struct approval *a, struct arena *arena)
{
	char by[BY_MAX] = "";
	size_t len = 0;

	for (size_t i = 0; i < a->voicec && len < sizeof(by) - SIGNER_NAME_MAX - 20; i++)
		len += (size_t)snprintf(by + len, sizeof(by) - len, "%s%s%s", i ? ", " : "",
					a->voice[i].name, a->voice[i].key[0] ? " (signed)" : "");
	return arena_printf(arena, "%s in approval %s", by, a->id);
}

static uint64_t end_of(const struct approval *a)
{
	const struct approval_vote *v = a->status.votes.list;
	uint64_t end = a->status.votes.count ? v[0].expires : 0;

	for (size_t i = 1; i < a->status.votes.count; i++)
		end = v[i].expires < end ? v[i].expires : end;
	return end;
}

int gate_give_grant(struct gate *g, struct store_tx *tx, struct err *err)
{
	const struct report *r = g->report;
	AUTO_TICKET struct ticket t = {.giver = TICKET_GRANT, .sent_max = TICKET_SENT_DEFAULT};
	char by[APPROVAL_ID + 8];
	size_t count = 0;

	if (!g->question.has_approval || g->question.approval.scope != SCOPE_GRANT)
		return 0;
	snprintf(by, sizeof(by), "apr:%s", g->question.approval.id);
	for (size_t i = 0; i < r->effectc; i++) {
		const struct report_effect *e = &r->effect[i];
		if (!e->by || strcmp(e->by, by) != 0 || t.count[e->cap] == TICKET_LIST_MAX)
			continue;
		if (e->cap == CAP_WRITE && !is_given(&g->question.approval.request, e->object))
			continue;
		const char *object = object_of(g, e->cap, e->object, &t.arena);
		if (object)
			t.list[e->cap][t.count[e->cap]++] = object;
		count += object != NULL;
	}
	t.has_conversation = true;
	t.conversation = g->facts.conversation.id;
	if (t.count[CAP_WRITE]) {
		t.has_directory = true;
		t.directory = arena_dup(&t.arena, g->facts.workspace_at.path);
		t.identity = g->facts.workspace_at.identity[0];
	}
	t.from_us = g->state.keeper.now_us();
	t.to_us = end_of(&g->question.approval) * 1000;
	t.by = by_words(&g->question.approval, &t.arena);
	return count ? ticket_add(&t, tx, err) : 0;
}
