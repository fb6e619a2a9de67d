/* SPDX-License-Identifier: MIT
 *
 * Records a run that was refused or has ended. If recording fails, the caller gets that as an
 * error.
 */
#ifndef CORDON_FLOW_RUN_RECORD_H
#define CORDON_FLOW_RUN_RECORD_H

#include "flow/sentence.h"

/* ASKED > 0: a person is asked. Else ERR is the reason why the run does not start. */
int run_record_refusal(struct sentence *s, int asked, struct err *err);
/* The steps "effects" and "audit", after the box. RAN < 0: ERR is what failed. */
int run_record_result(struct sentence *s, int ran, struct err *err);

#endif
