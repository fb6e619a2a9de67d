/* SPDX-License-Identifier: MIT
 *
 * Which expressions the reference refuses because they might be slow. Our matchers are safe, so
 * only reference mode uses this. It looks at characters and not at their meaning: an escaped
 * bracket is a bracket to the reference, and must be one here.
 */
#ifndef CORDON_DETECT_SLOW_REGEX_H
#define CORDON_DETECT_SLOW_REGEX_H

#include <stdbool.h>

#include "yaml/node.h"

bool slow_is_refused(struct text source);

#endif
