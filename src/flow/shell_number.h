/* SPDX-License-Identifier: MIT
 *
 * Where a shell takes text for a number it computes, and what it computes with may be code: x[$(ls)] is a
 * number to it. Asked of the canonical text (flow/view.h).
 */
#ifndef CORDON_FLOW_SHELL_NUMBER_H
#define CORDON_FLOW_SHELL_NUMBER_H

#include <stdbool.h>

/* Is there an index or a part of a string (a[i], ${x:i}) that is no plain number? */
bool shell_makes_number(const char *text);

#endif
