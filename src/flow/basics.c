/* SPDX-License-Identifier: MIT
 *
 * See basics.h.
 */
#include "flow/basics.h"

#include <string.h>

/* The files of the box count as memory: writing them must not look like a memory bomb. */
static int check_limits(const struct request *r, struct spec *s, struct err *err)
{
	memcpy(s->limit, r->limit, sizeof(s->limit));
	if (s->limit[LIMIT_DISK] < s->limit[LIMIT_MEMORY])
		return 0;
	if (r->limit[LIMIT_DISK] != limit_row(LIMIT_DISK)->fallback) {
		err_set(err, ERR_USAGE, "--disk must be below --memory");
		err_cause(err, "files written in the box are kept in memory and count as such");
		return -1;
	}
	s->limit[LIMIT_DISK] = s->limit[LIMIT_MEMORY] / 2;
	return 0;
}

int basics_set(const struct request *r, const struct profile *p, struct spec *s, struct err *err)
{
	bool overlay = r->workspace && r->workspace_mode == WORKSPACE_OVERLAY;

	s->tier = r->tier;
	s->flags = p->spec_flags;
	if (r->execc || p->programs)
		s->flags |= SPEC_EXEC;
	/* Somebody of the host's may listen on a socket below what is shown as it is. */
	if (r->venv || (r->workspace && !overlay))
		s->flags |= SPEC_NEAR;
	if (overlay)
		s->flags |= SPEC_DIFF | SPEC_KEEP_UPPER;
	if ((r->diff || r->apply) && !overlay)
		return err_set(err, ERR_USAGE, "--diff and --apply need --workspace DIR:overlay");
	if (request_connects(r) && r->tier == TIER_NO_USERNS) {
		err_set(err, ERR_USAGE, "--tier no-userns has no network");
		err_cause(err, "connections need a private network around the program");
		return -1;
	}
	if (request_connects(r))
		s->flags |= SPEC_NET;
	if (r->limit[LIMIT_CPU] && r->tier != TIER_FULL) {
		err_set(err, ERR_USAGE, "--cpu needs a cgroup, which --tier %s does without",
			tier_row(r->tier)->name);
		err_cure(err, "leave one of them out; --cpu-time works in every tier");
		return -1;
	}
	if (r->venv && !p->venv)
		return err_set(err, ERR_USAGE, "--venv is not for --lang %s", p->name);
	return check_limits(r, s, err);
}
