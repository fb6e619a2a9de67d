/* SPDX-License-Identifier: MIT
 *
 * The private directory of a run without namespaces: its /tmp, its home, and where its code lies.
 */
#ifndef CORDON_FLOW_PRIVATE_H
#define CORDON_FLOW_PRIVATE_H

#include "base/err.h"

struct private
{
	char path[48];	/* ours; "": none */
	char inner[56]; /* the run's, in it */
};

int private_choose(struct private *p, struct err *err);
void private_close(struct private *p);
/* Removes those whose owner was killed. */
void private_sweep(void);

#endif
