/* SPDX-License-Identifier: MIT
 *
 * See talk.h.
 */
#include "flow/talk.h"

#include <string.h>
#include <sys/socket.h>

#include "base/scope.h"
#include "policy/policy.h"

void talk_close(struct blueprint *p)
{
	scope_close(&p->talk);
	scope_close(&p->talk_in);
	scope_close(&p->parts);
}

bool blueprint_can_talk(const struct blueprint *p, const struct request *req)
{
	return strcmp(p->profile->name, "python") == 0 && !p->payload.is_program &&
	       p->input_is_fixed && p->payload.len <= VIEW_CODE_MAX && !req->isolated &&
	       !req->venv && !req->envc && !req->execc && req->tier != TIER_NO_USERNS &&
	       !(policy_caps_of(req) & CAP_BIT(CAP_WRITE));
}

bool talk_can_tell(const struct blueprint *p, const struct request *req)
{
	return req->telemetry && strcmp(p->profile->name, "python") == 0 &&
	       !p->payload.is_program && !req->isolated && req->tier != TIER_NO_USERNS;
}

int talk_open(struct blueprint *p, struct view_boot *ret, struct err *err)
{
	int pair[2];

	ret->code = p->spec.payload_target;
	if (view_boot(ret, &p->arena, err) < 0)
		return -1;
	p->parts = ret->parts;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, ERR_SYSTEM, "making a socket pair");
	p->talk = pair[0];
	p->talk_in = pair[1];
	p->spec.flags |= SPEC_TALK;
	return 0;
}
