/* SPDX-License-Identifier: MIT
 *
 * Reads a policy from a file. The rows of policy_keys.c define the keys; this file has the checks of
 * the whole policy and the defaults.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/io.h"
#include "base/scope.h"
#include "policy/builtin_profiles.h"
#include "policy/schema.h"
#include "yaml/yaml.h"

static const struct policy_approval usual_approval = {
	.ttl_ms = 10ULL * 60 * 1000, .wait_ms = 60ULL * 60 * 1000, .approvers = 1};

/* CELL_COUNT: not in the file. */
static void begin(struct policy *p)
{
	*p = (struct policy){.profile = POLICY_BALANCED,
			     .tier = TIER_COUNT,
			     .exec = EXEC_COUNT,
			     .confirmation = {[CAP_WRITE] = CONFIRM_YES, [CAP_NET] = CONFIRM_YES}};
	for (int i = 0; i < STATE_COUNT; i++)
		for (int c = 0; c < CAP_COUNT; c++)
			p->row[i].cell[c] = CELL_COUNT;
}

static int finish(struct policy *p, struct err *err)
{
	const struct policy_profile_row *usual = policy_profile_row(p->profile);
	AUTO_FREE char *text = NULL;
	size_t len;

	for (int i = 0; i < STATE_COUNT; i++)
		for (int c = 0; c < CAP_COUNT; c++)
			if (p->row[i].cell[c] == CELL_COUNT)
				p->row[i].cell[c] = usual->row[i].cell[c];
	/* Exposed code never gets more than clean code. */
	for (int c = 0; c < CAP_COUNT; c++)
		if (p->row[STATE_EXPOSED].cell[c] > p->row[STATE_CLEAN].cell[c])
			p->row[STATE_EXPOSED].cell[c] = p->row[STATE_CLEAN].cell[c];
	p->waits = usual->waits;
	if (p->exec == EXEC_COUNT)
		p->exec = usual->exec;
	if (p->tier == TIER_COUNT)
		p->tier = usual->tier;
	if (!p->approval.ttl_ms)
		p->approval.ttl_ms = usual_approval.ttl_ms;
	if (!p->approval.wait_ms)
		p->approval.wait_ms = usual_approval.wait_ms;
	if (!p->approval.approvers)
		p->approval.approvers = usual_approval.approvers;
	text = p->arena.failed ? NULL : policy_canonical(p, &len);
	if (!text)
		return err_memory(err);
	digest_of(p->sha256, text, len);
	return 0;
}

int policy_init(struct policy *p, enum policy_profile profile, struct err *err)
{
	begin(p);
	p->profile = profile;
	return finish(p, err);
}

void policy_done(struct policy *p)
{
	arena_done(&p->arena);
	*p = (struct policy){0};
}

/* Checked first, because keys of another version have another meaning. */
static int read_version(struct schema *s, const struct node *root)
{
	const struct node *n = node_get(root, "version");

	return n && n->kind == NODE_INT && n->integer != 2
		       ? schema_version(s, schema_key_at(0), n, NULL)
		       : 0;
}

int policy_parse(struct policy *p, const char *file, const char *data, size_t len, struct err *err)
{
	struct schema s = {.key_at = schema_key_at, .arena = &p->arena, .line = 1, .err = err};
	const struct node *root;
	int result = -1;

	begin(p);
	p->file = arena_dup(&p->arena, file);
	if (len > POLICY_BYTES_MAX)
		err_set(err, ERR_LIMIT, "a policy has at most %lu bytes", POLICY_BYTES_MAX);
	else if (yaml_read_plain(data, len, &p->arena, &root, &s.line, err) == 0)
		result = read_version(&s, root) < 0 ? -1 : schema_read(&s, "", root, p);
	if (p->arena.failed)
		result = err_memory(err);
	if (result < 0)
		err_context(err, "%s:%u", file, s.line);
	return result < 0 ? -1 : finish(p, err);
}

int policy_load(struct policy *p, const char *file, struct err *err)
{
	AUTO_CLOSE int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	AUTO_FREE char *data = malloc(POLICY_BYTES_MAX + 1);
	ssize_t len;

	begin(p);
	if (!data)
		return err_memory(err);
	if (fd < 0)
		return err_errno(err, ERR_INPUT, "%s", file);
	len = io_read_full(fd, data, POLICY_BYTES_MAX + 1);
	if (len < 0)
		return err_errno(err, ERR_INPUT, "%s", file);
	return policy_parse(p, file, data, (size_t)len, err);
}

int policy_open(struct policy *p, const char *file, struct err *err)
{
	return file ? policy_load(p, file, err) : policy_init(p, POLICY_BALANCED, err);
}
