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
				       .conversation = "",
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
	r->secret = texts(from->secret, from->secretc, a);
	r->limits = limit_texts(from->limit, a);
	r->tier = from->tier;
}

/* What it could do with what it asks for, in words. Names that others chose end their line. */
static struct approval_list reach(const struct request *from, const struct policy *policy,
				  struct arena *a)
{
	const char *line[CAP_COUNT + 3 * REQUEST_LIST_MAX + 1];
	unsigned caps = policy_caps_of(from);
	size_t count = 0;

	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (caps & CAP_BIT(c))
			line[count++] = cap_reach((enum cap)c);
	for (size_t i = 0; i < from->execc; i++)
		line[count++] = arena_printf(a, "start the program %s", from->exec[i]);
	for (size_t i = 0; i < from->netc; i++)
		line[count++] = arena_printf(a, "connect to %s", from->net[i]);
	for (size_t i = 0; i < policy->secretc; i++)
		for (size_t k = 0; k < from->secretc; k++)
			if (strcmp(policy->secret[i].name, from->secret[k]) == 0)
				line[count++] = arena_printf(
					a, "use the secret %s, unseen, in %s at %s:%u",
					from->secret[k], policy->secret[i].header,
					policy->secret[i].host, policy->secret[i].port);
	if (from->venv)
		line[count++] =
			arena_printf(a, "load code of the virtual environment %s", from->venv);
	return texts(line, count, a);
}

void approval_fill_policy(struct approval_request *r, const struct policy *p,
			  const struct request *from, struct arena *a)
{
	struct err err;

	r->caps = policy_caps_of(from);
	r->reach = reach(from, p, a);
	memcpy(r->policy_sha256, p->sha256, sizeof(r->policy_sha256));
	if (approval_box_sha256(from, r->box_sha256, &err) < 0)
		a->failed = true;
	r->scope = SCOPE_PROGRAM;
	r->approvers = p->approval.approvers;
	r->ttl_ms = p->approval.ttl_ms;
	r->single_user = p->single_user;
}

static void add_text(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "%s %zu ", name, text ? strlen(text) : 0);
	if (text)
		buf_str(out, text);
	buf_str(out, text ? "\n" : "-\n");
}

int approval_box_sha256(const struct request *r, uint8_t ret[APPROVAL_SHA256], struct err *err)
{
	AUTO_BUF struct buf out = {.most = BOX_MAX};

	buf_str(&out, BOX_PREFIX);
	for (int i = 0; i < LIMIT_COUNT; i++)
		buf_printf(&out, "%s %llu\n", limit_row((enum limit_id)i)->name,
			   (unsigned long long)r->limit[i]);
	buf_printf(&out, "tier %u isolated %d mode %u\n", r->tier, r->isolated, r->workspace_mode);
	add_text(&out, "workspace", r->workspace);
	add_text(&out, "venv", r->venv);
	for (size_t i = 0; i < r->execc; i++)
		add_text(&out, "exec", r->exec[i]);
	for (size_t i = 0; i < r->netc; i++)
		add_text(&out, "net", r->net[i]);
	for (size_t i = 0; i < r->secretc; i++)
		add_text(&out, "secret", r->secret[i]);
	if (out.failed)
		return err_set(err, ERR_LIMIT, "the box is too large to be described");
	digest_of(ret, out.data, out.len);
	return 0;
}
