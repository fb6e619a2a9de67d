/* SPDX-License-Identifier: MIT
 *
 * From a file to a policy. The rows in keys.c say what may stand there; here is what has to be
 * looked at as a whole: names that are there twice, rules that ask for what no rule can give, and
 * what was left out.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/io.h"
#include "base/scope.h"
#include "policy/schema.h"
#include "yaml/yaml.h"

static const struct policy_approval usual_approval = {.scope = SCOPE_ONCE,
						      .ttl_ms = 10ULL * 60 * 1000,
						      .wait_ms = 60ULL * 60 * 1000,
						      .approvers = 1};

static void begin(struct policy *p)
{
	*p = (struct policy){.profile = POLICY_BALANCED,
			     .undeclared = ORIGIN_EXPOSED,
			     .contained.tier = TIER_COUNT,
			     .approval.scope = SCOPE_COUNT};
}

static int finish(struct policy *p, struct err *err)
{
	AUTO_FREE char *text = NULL;
	size_t len;

	if (p->contained.tier == TIER_COUNT)
		p->contained.tier = policy_profile_tier(p->profile);
	if (p->approval.scope == SCOPE_COUNT)
		p->approval.scope = usual_approval.scope;
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

static int check_ids(struct schema *s, const struct policy *p)
{
	for (size_t i = 0; i < p->rulec; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(p->rule[i].id, p->rule[j].id) == 0)
				return schema_complain(s, p->rule[i].line,
						       "rule %s is there twice, first on line %u",
						       p->rule[i].id, p->rule[j].line);
	return 0;
}

/* Hostile code has no rule but deny. To write another would be a hope that is not kept. */
static int check_hostile(struct schema *s, const struct policy_rule *r)
{
	if (r->then == VERDICT_DENY)
		return 0;
	if (r->when[WHEN_ORIGIN] & (1U << ORIGIN_HOSTILE))
		return schema_complain(s, r->line,
				       "rule %s: hostile code is denied in every profile, and no "
				       "rule can change that: leave hostile out",
				       r->id);
	if (r->when[WHEN_GRADE] & (1U << GRADE_DENIES))
		return schema_complain(
			s, r->line,
			"rule %s: findings of the grade denies make code hostile, and "
			"no rule can change that: leave denies out",
			r->id);
	return 0;
}

/* A rule that names an origin and a capability must be able to give what it says. */
static int check_cell(struct schema *s, const struct policy *p, const struct policy_rule *r,
		      enum origin origin, enum cap cap)
{
	enum grade grade =
		r->when[WHEN_GRADE] ? (enum grade)__builtin_ctz(r->when[WHEN_GRADE]) : GRADE_NONE;
	enum verdict most = policy_ceiling(p->profile, origin, grade, cap);

	if (r->then <= most)
		return 0;
	return schema_complain(s, r->line,
			       "rule %s: profile %s gives %s to %s code no further than %s, and no "
			       "rule can change that",
			       r->id, policy_profile_name(p->profile), cap_name(cap),
			       origin_name(origin), verdict_name(most));
}

static int check_reach(struct schema *s, const struct policy *p, const struct policy_rule *r)
{
	unsigned caps = r->when[WHEN_CAPS] | r->when[WHEN_CAPS_ANY];

	for (unsigned o = 0; o < ORIGIN_COUNT; o++)
		for (unsigned c = 0; c < CAP_COUNT; c++)
			if (r->when[WHEN_ORIGIN] & (1U << o) && caps & CAP_BIT(c) &&
			    check_cell(s, p, r, (enum origin)o, (enum cap)c) < 0)
				return -1;
	return 0;
}

static int check_whole(struct schema *s, const struct policy *p)
{
	for (size_t i = 0; i < p->rulec; i++)
		if (check_hostile(s, &p->rule[i]) < 0 || check_reach(s, p, &p->rule[i]) < 0)
			return -1;
	return check_ids(s, p);
}

int policy_parse(struct policy *p, const char *file, const char *data, size_t len, struct err *err)
{
	struct schema s = {.arena = &p->arena, .line = 1, .err = err};
	const struct node *root;
	int result = -1;

	begin(p);
	p->file = arena_dup(&p->arena, file);
	if (len > POLICY_BYTES_MAX)
		err_set(err, ERR_LIMIT, "a policy has at most %lu bytes", POLICY_BYTES_MAX);
	else if (yaml_read_plain(data, len, &p->arena, &root, &s.line, err) == 0)
		result = schema_read(&s, "", root, p);
	if (result == 0)
		result = check_whole(&s, p);
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

int policy_read_ask(const struct node *node, struct arena *arena, struct ask *ret,
		    unsigned *ret_line, struct err *err)
{
	struct schema s = {.arena = arena, .line = 1, .err = err};
	struct policy_example one = {.verdict = VERDICT_COUNT, .ask.caps = CAP_BIT(CAP_COMPUTE)};
	int result = schema_read(&s, "example", node, &one);

	if (result == 0 && one.verdict != VERDICT_COUNT)
		result = schema_complain(&s, node->line, "a request has no verdict yet");
	*ret_line = s.line;
	if (result == 0)
		*ret = one.ask;
	return result;
}
