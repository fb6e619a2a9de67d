/* SPDX-License-Identifier: MIT
 *
 * A parked request's members from what the sentence has made before: the request and the decision.
 * What it has besides (evidence, findings, effects, conversation) is the caller's to set.
 */
#ifndef CORDON_APPROVAL_FILL_H
#define CORDON_APPROVAL_FILL_H

#include "approval/approval.h"
#include "policy/policy.h"

/* All empty texts, and the account and process group of this process. */
void approval_init(struct approval_request *r);
/* What would run. Its strings are FROM's; the lists are A's. STDIN_FILE's content is the caller's
 * to hash; FROM->input is hashed here. */
void approval_fill_request(struct approval_request *r, const struct request *from, struct arena *a);
/* Which effects it wants, what they reach, and what a person's word is good for. */
void approval_fill_policy(struct approval_request *r, const struct policy *p,
			  const struct request *from, struct arena *a);
/* inputs.c: what the host gives it, by content. FROM is confined; its names may be those of descriptors,
 * and are shown as where these lead. CHANGES: the conversation's, of the workspace, or NULL. LIBRARY: of an
 * interpreter that is not the system's, or NULL. It reads all of it, so it is for runs that people are asked
 * about. */
int approval_fill_inputs(struct approval_request *r, const struct request *from,
			 const char *changes, const char *library, struct arena *a,
			 struct err *err);
/* Of the box that a request would get: everything but what differs from run to run. */
int approval_box_sha256(const struct request *r, uint8_t ret[APPROVAL_SHA256], struct err *err);

#endif
