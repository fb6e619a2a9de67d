/* SPDX-License-Identifier: MIT
 *
 * The result of a run in a few lines for a person.
 */
#ifndef CORDON_SHOW_RUN_SUMMARY_H
#define CORDON_SHOW_RUN_SUMMARY_H

#include <stdbool.h>

#include "model/request.h"
#include "model/result.h"

/* MID_LINE: the program left the cursor in the middle of a line. */
void run_summary_print(const struct result *r, const struct request *req, bool mid_line);

#endif
