/* SPDX-License-Identifier: MIT
 *
 * Is a directory of the host's fit to be shown to hostile code?
 */
#ifndef CORDON_FLOW_WORKSPACE_H
#define CORDON_FLOW_WORKSPACE_H

#include "flow/own_paths.h"

/* REAL is its path without links. The descriptor, or -1 with the reason and a cure. SPEC masks what of OWN
 * is below it. */
int workspace_open(const char *real, enum workspace_mode mode, struct own_paths *own,
		   struct spec *spec, struct err *err);
/* REAL could not be resolved: adds what may have been meant by ASKED. */
void workspace_explain(const char *asked, struct err *err);

#endif
