/* SPDX-License-Identifier: MIT
 *
 * See fill.h. The box's digest is over words and not over the spec that cordon-box gets: that one
 * has directories and ids that are made for each run, and no two would be alike.
 */
#include "approval/fill.h"

#include <string.h>
#include <unistd.h>

#include "base/account.h"
#include "base/digest.h"
#include "conf/profile.h"
#include "conf/units.h"
#include "store/buf.h"

#define BOX_PREFIX "cordon approval box 1\n"
enum { BOX_MAX = 64 << 20 };

void approval_init(struct approval_request *r)
{
	*r = (struct approval_request){.lang = "",
				       .name = "",
				       .suffix = "",
				       .workspace = "",
				       .venv = "",
				       .row = "",
				       .domain = "",
				       .uid = account_here(),
				       .pgid = (uint64_t)getpgrp()};
	digest_of(r->stdin_sha256, "", 0);
}

static struct approval_list texts(const char *const *from, size_t count, struct arena *a)
{
	struct approval_text *list = arena_alloc(a, (count + 1) * sizeof(*list));

	for (size_t i = 0; !a->failed && i < count; i++)
		list[i].text = from[i];
	return (struct approval_list){.count = a->failed ? 0 : count, .list = list};
}

/* As on the command line. */
static struct approval_list limit_texts(const uint64_t limit[LIMIT_COUNT], struct arena *a)
{
	const char *line[LIMIT_COUNT];
	char value[64];

	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct limit_row *row = limit_row((enum limit_id)i);
		line[i] = arena_printf(
			a, "%s %s", row->name,
			limit[i] ? units_format(row->unit, limit[i], value, sizeof(value))
				 : "without limit");
	}
	return texts(line, LIMIT_COUNT, a);
}

void approval_fill_request(struct approval_request *r, const struct request *from, struct arena *a)
{
	r->lang = from->lang ? from->lang : "";
	r->name = from->file ? from->file : "";
	r->args = texts(from->argv, from->argc, a);
	r->env = texts(from->env, from->envc, a);
	if (from->input)
		digest_of(r->stdin_sha256, from->input, from->input_len);
	r->workspace = from->workspace ? from->workspace : "";
	r->workspace_mode = from->workspace ? from->workspace_mode : WORKSPACE_NONE;
	r->venv = from->venv ? from->venv : "";
	r->exec = texts(from->exec, from->execc, a);
	r->net = texts(from->net, from->netc, a);
	r->limits = limit_texts(from->limit, a);
	r->tier = from->tier;
}

/* One line for each capability that was asked for. */
static struct approval_list reasons(const struct decision *d, struct arena *a)
{
	char words[POLICY_REASON_MAX];
	const char *line[CAP_COUNT];
	size_t count = 0;

	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (d->asked & CAP_BIT(c))
			line[count++] =
				arena_dup(a, decision_reason(d, (enum cap)c, words, sizeof(words)));
	return texts(line, count, a);
}

/* What the policy adds to the request's own: its hosts, and its secrets and where they go. */
static size_t policy_reach(unsigned caps, const struct policy *p, const char **line,
			   struct arena *a)
{
	char text[POLICY_NET_TEXT_MAX];
	size_t count = 0;

	if (!(caps & CAP_BIT(CAP_NET)))
		return 0;
	for (size_t i = 0; i < p->allow.count && i < POLICY_NET_MAX; i++)
		line[count++] =
			arena_printf(a, "connect, by the policy, to %s",
				     policy_net_format(&p->allow.list[i], text, sizeof(text)));
	if (!(caps & CAP_BIT(CAP_SECRET)))
		return count;
	for (size_t i = 0; i < p->secretc && i < POLICY_SECRETS_MAX; i++)
		line[count++] = arena_printf(a, "use the secret %s, unseen, in %s at %s:%u",
					     p->secret[i].name, p->secret[i].header,
					     p->secret[i].host, p->secret[i].port);
	return count;
}

/* What it could do, in words: a line for each capability, then for what else it is given. Names that
 * others chose end their line. */
static struct approval_list reach(unsigned caps, const struct policy *policy,
				  const struct request *from, struct arena *a)
{
	const struct profile *p = from->lang ? profile_find(from->lang) : NULL;
	const char
		*line[CAP_COUNT + 2 * REQUEST_LIST_MAX + POLICY_NET_MAX + POLICY_SECRETS_MAX + 2];
	size_t count = 0;

	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (caps & CAP_BIT(c))
			line[count++] = cap_reach((enum cap)c);
	if (p && p->programs)
		line[count++] =
			arena_printf(a, "start the programs that %s has in every box", p->name);
	for (size_t i = 0; i < from->execc && i < REQUEST_LIST_MAX; i++)
		line[count++] = arena_printf(a, "start the program %s", from->exec[i]);
	for (size_t i = 0; i < from->netc && i < REQUEST_LIST_MAX; i++)
		line[count++] = arena_printf(a, "connect to %s", from->net[i]);
	count += policy_reach(caps, policy, line + count, a);
	if (from->venv)
		line[count++] =
			arena_printf(a, "load code of the virtual environment %s", from->venv);
	return texts(line, count, a);
}

void approval_fill_decision(struct approval_request *r, const struct policy *p,
			    const struct decision *d, const struct request *from, struct arena *a)
{
	char words[POLICY_REASON_MAX];
	struct err err;

	r->caps = d->asked;
	r->granted = d->granted | d->if_approved;
	r->origin = d->origin;
	r->grade = d->grade;
	r->verdict = d->verdict;
	r->row = arena_dup(a, decision_row(d, words, sizeof(words)));
	r->reasons = reasons(d, a);
	r->reach = reach(d->granted | d->if_approved, p, from, a);
	memcpy(r->policy_sha256, d->policy_sha256, sizeof(r->policy_sha256));
	if (approval_box_sha256(&d->box, from, r->box_sha256, &err) < 0)
		a->failed = true;
	r->scope = d->approval.scope < SCOPE_COUNT ? d->approval.scope : SCOPE_ONCE;
	unsigned least = d->verdict == VERDICT_ASK ? 1 : 2;
	r->approvers = d->approval.approvers > least ? d->approval.approvers : least;
	r->ttl_ms = d->approval.ttl_ms;
}

static void add_text(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "%s %zu ", name, text ? strlen(text) : 0);
	if (text)
		buf_str(out, text);
	buf_str(out, text ? "\n" : "-\n");
}

int approval_box_sha256(const struct policy_box *box, const struct request *r,
			uint8_t ret[APPROVAL_SHA256], struct err *err)
{
	AUTO_BUF struct buf out = {.most = BOX_MAX};

	buf_str(&out, BOX_PREFIX);
	buf_printf(&out, "at least %u network %d secrets %d commit %d workspace %u\n", box->tier,
		   box->network, box->secrets, box->commit, box->workspace);
	for (int i = 0; i < LIMIT_COUNT; i++)
		buf_printf(&out, "%s %llu of %llu\n", limit_row((enum limit_id)i)->name,
			   (unsigned long long)r->limit[i], (unsigned long long)box->limit[i]);
	buf_printf(&out, "tier %u isolated %d mode %u diff %d commit %d\n", r->tier, r->isolated,
		   r->workspace_mode, r->diff, r->commit);
	add_text(&out, "workspace", r->workspace);
	add_text(&out, "venv", r->venv);
	for (size_t i = 0; i < r->execc; i++)
		add_text(&out, "exec", r->exec[i]);
	buf_printf(&out, "network %d secrets %d\n", r->network, r->secrets);
	for (size_t i = 0; i < r->netc; i++)
		add_text(&out, "net", r->net[i]);
	if (out.failed)
		return err_set(err, ERR_LIMIT, "the box is too large to be described");
	digest_of(ret, out.data, out.len);
	return 0;
}
