/* SPDX-License-Identifier: MIT
 *
 * Tells people that a request waits, or is over: the key `notify` of the configuration
 * (gate/deliver.h). A notice contains no code and changes no decision. If it cannot be delivered, that
 * is reported and recorded.
 */
#ifndef CORDON_CLI_NOTICE_H
#define CORDON_CLI_NOTICE_H

#include "approval/approval.h"
#include "door/cli/cli.h"

/* Sends the state of the request. A failure is a warning on standard error. */
void notice_tell(const struct cli_call *call, struct store *s, const char *id);
/* For the gate. CALL must outlive the result. */
struct request_notice notice_of(const struct cli_call *call);

#endif
