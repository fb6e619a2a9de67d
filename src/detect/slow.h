/* SPDX-License-Identifier: MIT
 *
 * Which expressions the reference refuses to run because they might take for ever. Ours cannot, so
 * only the mode that answers like the reference asks. It looks at the letters, not at what they
 * mean: an escaped bracket is a bracket to it, and must stay one here.
 */
#ifndef CORDON_DETECT_SLOW_H
#define CORDON_DETECT_SLOW_H

#include <stdbool.h>

#include "yaml/node.h"

bool slow_is_refused(struct text source);

#endif
