/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of the sentence: one run, from its request to its record.
 */
#ifndef CORDON_FLOW_SENTENCE_H
#define CORDON_FLOW_SENTENCE_H

#include "gate/gate.h"
#include "live/kept_box.h"
#include "overlay/overlay.h"

struct sentence {
	const struct request *req;
	const struct launch_sink *sink;
	struct gate gate;
	struct blueprint bp;
	struct launch box;
	struct overlay overlay; /* the pending changes of the conversation */
	struct result *result;
	struct kept_box *kept; /* the box that this creates, or starts a program in; or NULL */
	bool starts_in_box;    /* it starts a program in KEPT */

	/* early.c: a box for EARLY_REQUEST was started before the decision, at EARLY_NS */
	bool is_early;
	struct request early_request;
	uint64_t early_ns;
};

#endif
