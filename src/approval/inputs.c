/* SPDX-License-Identifier: MIT
 *
 * What the host gives a run beside its code: the workspace and the conversation's changes of it, the
 * virtual environment and its interpreter's own library, the programs it may start. People agree to what
 * is in them, so each is an input with the hash of all of it; a name alone would let others exchange what
 * it names. What is below /usr is the system's: an account that can change it needs no approval. An input
 * that cannot be hashed within its bounds cannot be approved.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "approval/fill.h"
#include "approval/tree.h"
#include "base/scope.h"
#include "conf/profile.h"

enum kind { INPUT_WORKSPACE, INPUT_CHANGES, INPUT_VENV, INPUT_LIBRARY, INPUT_PROGRAM };

static const struct {
	const char *name;
	struct tree_size most;
	const char *cure;
} kinds[] = {
	[INPUT_WORKSPACE] = {"workspace",
			     {APPROVAL_TREE_ENTRIES_MAX, APPROVAL_TREE_BYTES_MAX},
			     "give it a smaller --workspace with only what it needs"},
	[INPUT_CHANGES] = {"pending changes",
			   {APPROVAL_TREE_ENTRIES_MAX, APPROVAL_TREE_BYTES_MAX},
			   "apply them, or drop them with cordon reset"},
	[INPUT_VENV] = {"virtual environment",
			{APPROVAL_VENV_ENTRIES_MAX, APPROVAL_VENV_BYTES_MAX},
			"give it a smaller --venv with only what it needs"},
	[INPUT_LIBRARY] = {"library",
			   {APPROVAL_VENV_ENTRIES_MAX, APPROVAL_VENV_BYTES_MAX},
			   "make the --venv with the system's interpreter"},
	[INPUT_PROGRAM] = {"program",
			   {0, APPROVAL_PROGRAMS_BYTES_MAX},
			   "give fewer or smaller programs with --exec"},
};

struct inputs {
	struct approval_input *list;
	size_t count;
	struct tree_size programs; /* what they have so far */
	struct arena *arena;
};

static int refuse(enum kind kind, const char *path, const struct err *why, struct err *err)
{
	err_set(err, ERR_REFUSED, "a run with this %s cannot be approved: %s", kinds[kind].name,
		path);
	err_cause(err, "people approve exact bytes, and %s", why->message);
	if (kind == INPUT_PROGRAM && why->code == ERR_LIMIT)
		err_cause(err, "people approve exact bytes, and all programs have more than %d",
			  APPROVAL_PROGRAMS_BYTES_MAX);
	err_cure(err, "%s; or let the policy allow it",
		 why->code == ERR_LIMIT ? kinds[kind].cure : "make all of it readable and quiet");
	return -1;
}

static int add(struct inputs *in, enum kind kind, const char *path, struct err *err)
{
	struct tree_size most = kinds[kind].most;
	char real[PATH_MAX];
	struct tree_sum sum;
	struct err why;

	if (!realpath(path, real))
		return err_errno(err, ERR_INPUT, "%s", path);
	if (kind == INPUT_PROGRAM)
		most.bytes -= in->programs.bytes;
	if (tree_sum(path, &most, &sum, &why) < 0) /* PATH may be a descriptor's */
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
	return 0;
}

int approval_fill_inputs(struct approval_request *r, const struct request *from,
			 const char *changes, const char *library, struct arena *a, struct err *err)
{
	struct inputs in = {.arena = a};

	in.list = arena_alloc(a, (4 + from->execc) * sizeof(*in.list));
	if (a->failed)
		return err_memory(err);
	if (from->workspace && add(&in, INPUT_WORKSPACE, from->workspace, err) < 0)
		return -1;
	if (changes && add(&in, INPUT_CHANGES, changes, err) < 0)
		return -1;
	if (from->venv && add(&in, INPUT_VENV, from->venv, err) < 0)
		return -1;
	if (library && add(&in, INPUT_LIBRARY, library, err) < 0)
		return -1;
	for (size_t i = 0; i < from->execc; i++)
		if (add(&in, INPUT_PROGRAM, from->exec[i], err) < 0)
			return -1;
	r->inputs = (struct approval_list){.count = in.count, .list = in.list};
	return 0;
}
