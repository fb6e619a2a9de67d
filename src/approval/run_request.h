/* SPDX-License-Identifier: MIT
 *
 * Fills the request for approval from the request of a run and the policy. The caller sets the rest:
 * evidence, findings, effects, conversation.
 */
#ifndef CORDON_APPROVAL_RUN_REQUEST_H
#define CORDON_APPROVAL_RUN_REQUEST_H

#include "approval/approval.h"
#include "policy/policy.h"

/* Sets the program. Strings belong to FROM, lists to A. FROM->input is hashed here; the caller hashes the
 * content of STDIN_FILE. */
void approval_fill_request(struct approval_request *r, const struct request *from, struct arena *a);
/* Sets the effects, what they reach, and what people may approve. */
void approval_fill_policy(struct approval_request *r, const struct policy *p,
			  const struct request *from, struct arena *a);
/* Sets the inputs, by content. FROM is confined; its names may be those of descriptors, and are shown as
 * the paths that these lead to. CHANGES are the conversation's pending changes of the workspace, or NULL.
 * LIBRARY is that of an interpreter outside /usr, or NULL. This reads all files, so call it only if people
 * are asked. */
int approval_fill_inputs(struct approval_request *r, const struct request *from,
			 const char *changes, const char *library,
			 struct approval_attachments *keep, struct arena *a, struct err *err);
/* The digest of the box, without what differs from run to run. */
int approval_box_sha256(const struct request *r, uint8_t ret[APPROVAL_SHA256], struct err *err);

#endif
