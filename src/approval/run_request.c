/* SPDX-License-Identifier: MIT
 *
 * See run_request.h. The digest of the box hashes the options as text, not the spec that cordon-box
 * gets: the spec has directories and ids that differ in each run. Inputs (the workspace and its
 * pending changes, the virtual environment and its interpreter's library, the programs) are hashed
 * whole, because the file behind a name can change. Files below /usr belong to the system and are
 * not hashed: an account that can change them needs no approval. A run with an input above the
 * limits cannot be approved.
 */
#include "approval/run_request.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approval/tree_hash.h"
#include "base/digest.h"
#include "base/scope.h"
#include "conf/profile.h"
#include "conf/units.h"
#include "store/buf.h"

#define BOX_PREFIX "cordon approval box 1\n"
enum { BOX_MAX = 64 << 20 };

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
	r->title = from->title ? from->title : "";
	r->purpose = from->purpose ? from->purpose : "";
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

/* What the requested effects allow, in words. Untrusted names come last, so
 * that they cannot imitate what follows. */
static struct approval_list reach(const struct request *from, const struct policy *policy,
				  struct arena *a)
{
	const char *line[CAP_COUNT + 3 * REQUEST_LIST_MAX + REQUEST_RW_MAX + 1];
	unsigned caps = policy_caps_of(from);
	size_t count = 0;

	for (unsigned c = 0; c < CAP_COUNT; c++)
		if (caps & CAP_BIT(c))
			line[count++] = cap_reach((enum cap)c);
	for (size_t i = 0; i < from->rwc; i++)
		if (request_writes(from, i))
			line[count++] =
				arena_printf(a, "change and delete files of %s", from->rw[i]);
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
	r->confirmation = policy_confirms(p, (unsigned)r->caps);
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
	buf_printf(&out, "tier %u isolated %d mode %u execution %u\n", r->tier, r->isolated,
		   r->workspace_mode, r->execution);
	add_text(&out, "workspace", r->workspace);
	add_text(&out, "venv", r->venv);
	if (r->keep)
		add_text(&out, "keep", r->keep);
	if (r->cwd)
		add_text(&out, "cwd", r->cwd);
	for (size_t i = 0; i < r->roc; i++)
		add_text(&out, "ro", r->ro[i]);
	for (size_t i = 0; i < r->rwc; i++)
		add_text(&out, request_writes(r, i) ? "rw" : "rw withheld", r->rw[i]);
	for (size_t i = 0; i < r->hidec; i++)
		add_text(&out, "hide", r->hide[i]);
	for (size_t i = 0; i < r->execc; i++)
		add_text(&out, "exec", r->exec[i]);
	for (size_t i = 0; i < r->netc; i++)
		add_text(&out, "net", r->net[i]);
	for (size_t i = 0; i < r->secretc; i++)
		add_text(&out, "secret", r->secret[i]);
	if (out.failed)
		return err_set(err, ERR_LIMIT, "the description of the box is too large");
	digest_of(ret, out.data, out.len);
	return 0;
}

enum kind {
	INPUT_WORKSPACE,
	INPUT_CHANGES,
	INPUT_HOME,
	INPUT_VENV,
	INPUT_LIBRARY,
	INPUT_PROGRAM,
	INPUT_RO,
	INPUT_RW
};

static const struct {
	const char *name;
	struct tree_size most;
	const char *cure;
	const char *list; /* the name of the attached list of its files; or NULL */
} kinds[] = {
	[INPUT_WORKSPACE] = {"workspace",
			     {APPROVAL_TREE_ENTRIES_MAX, APPROVAL_TREE_BYTES_MAX},
			     "give it a smaller --workspace with only what it needs",
			     "files"},
	[INPUT_CHANGES] = {"pending changes",
			   {APPROVAL_TREE_ENTRIES_MAX, APPROVAL_TREE_BYTES_MAX},
			   "apply them, or drop them with cordon reset",
			   "pending files"},
	[INPUT_HOME] = {"kept home directory",
			{APPROVAL_VENV_ENTRIES_MAX, APPROVAL_VENV_BYTES_MAX},
			"leave --keep out",
			NULL},
	[INPUT_VENV] = {"virtual environment",
			{APPROVAL_VENV_ENTRIES_MAX, APPROVAL_VENV_BYTES_MAX},
			"give it a smaller --venv with only what it needs",
			NULL},
	[INPUT_LIBRARY] = {"library",
			   {APPROVAL_VENV_ENTRIES_MAX, APPROVAL_VENV_BYTES_MAX},
			   "make the --venv with the system's interpreter",
			   NULL},
	[INPUT_PROGRAM] = {"program",
			   {0, APPROVAL_PROGRAMS_BYTES_MAX},
			   "give fewer or smaller programs with --exec",
			   NULL},
	[INPUT_RO] = {"read-only path",
		      {APPROVAL_TREE_ENTRIES_MAX, APPROVAL_TREE_BYTES_MAX},
		      "give it a smaller --ro with only what it needs",
		      NULL},
	[INPUT_RW] = {"read-write directory",
		      {APPROVAL_TREE_ENTRIES_MAX, APPROVAL_TREE_BYTES_MAX},
		      "give it a smaller --rw with only what it needs",
		      NULL},
};

struct inputs {
	struct approval_input *list;
	size_t count;
	struct tree_size programs; /* so far */
	struct approval_attachments *keep;
	struct arena *arena;
};

static int refuse(enum kind kind, const char *path, const struct err *why, struct err *err)
{
	err_set(err, ERR_REFUSED, "a run with this %s cannot be approved: %s", kinds[kind].name,
		path);
	err_cause(err, "people approve exact bytes, and %s", why->message);
	if (kind == INPUT_PROGRAM && why->code == ERR_LIMIT)
		err_cause(err,
			  "people approve exact bytes, and the programs together exceed %d bytes",
			  APPROVAL_PROGRAMS_BYTES_MAX);
	err_cure(err, "%s; or let the policy allow it",
		 why->code == ERR_LIMIT ? kinds[kind].cure
					: "make all of it readable, and let nothing change it");
	return -1;
}

static int add(struct inputs *in, enum kind kind, const char *path, struct err *err)
{
	struct tree_size most = kinds[kind].most;
	char real[PATH_MAX];
	const char *list = kinds[kind].list;
	AUTO_BUF struct buf files = {.most = APPROVAL_FILES_MAX};
	struct tree_sum sum;
	struct err why;

	if (!realpath(path, real))
		return err_errno(err, ERR_INPUT, "%s", path);
	if (kind == INPUT_PROGRAM)
		most.bytes -= in->programs.bytes;
	if (tree_sum(path, &most, list ? &files : NULL, &sum, &why) < 0)
		return refuse(kind, real, &why, err);
	if (kind == INPUT_PROGRAM)
		in->programs.bytes += sum.size.bytes;
	struct approval_input *i = &in->list[in->count++];
	*i = (struct approval_input){
		.name = arena_printf(in->arena, "%s %s", kinds[kind].name, real),
		.entries = sum.size.entries,
		.bytes = sum.size.bytes,
	};
	memcpy(i->sha256, sum.sha256, sizeof(i->sha256));
	/* A list that is too long is not attached; the summary says so. */
	if (list && !files.failed)
		approval_attach(in->keep, list, files.data, files.len);
	return 0;
}

int approval_fill_inputs(struct approval_request *r, const struct request *from,
			 const char *changes, const char *library,
			 struct approval_attachments *keep, struct arena *a, struct err *err)
{
	struct inputs in = {.keep = keep, .arena = a};

	in.list = arena_alloc(a, (5 + from->execc + from->roc + from->rwc) * sizeof(*in.list));
	if (a->failed)
		return err_memory(err);
	if (from->workspace && add(&in, INPUT_WORKSPACE, from->workspace, err) < 0)
		return -1;
	if (changes && add(&in, INPUT_CHANGES, changes, err) < 0)
		return -1;
	if (from->home && add(&in, INPUT_HOME, from->home, err) < 0)
		return -1;
	if (from->venv && add(&in, INPUT_VENV, from->venv, err) < 0)
		return -1;
	if (library && add(&in, INPUT_LIBRARY, library, err) < 0)
		return -1;
	for (size_t i = 0; i < from->roc; i++)
		if (add(&in, INPUT_RO, from->ro[i], err) < 0)
			return -1;
	for (size_t i = 0; i < from->rwc; i++)
		if (add(&in, INPUT_RW, from->rw[i], err) < 0)
			return -1;
	for (size_t i = 0; i < from->execc; i++)
		if (add(&in, INPUT_PROGRAM, from->exec[i], err) < 0)
			return -1;
	r->inputs = (struct approval_list){.count = in.count, .list = in.list};
	return 0;
}
