/* SPDX-License-Identifier: MIT
 *
 * The private directory of a run without namespaces: its /tmp, its home, and the place of its code.
 */
#ifndef CORDON_LIVE_PRIVATE_H
#define CORDON_LIVE_PRIVATE_H

#include "base/err.h"

struct private
{
	char path[48];	/* Cordon's; "": not chosen */
	char inner[56]; /* the run's, below PATH */
};

int private_choose(struct private *p, struct err *err);
void private_close(struct private *p);
/* Removes the directories of killed runs. */
void private_sweep(void);

#endif
