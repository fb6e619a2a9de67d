/* SPDX-License-Identifier: MIT
 *
 * The private directory of a run without namespaces: its /tmp, its home, and the place of its code.
 */
#ifndef CORDON_LIVE_PRIVATE_PATH_H
#define CORDON_LIVE_PRIVATE_PATH_H

#include "base/err.h"

struct private_path {
	char path[48];	/* Cordon's; "": not chosen */
	char inner[56]; /* the run's, below PATH */
};

int private_path_choose(struct private_path *p, struct err *err);
void private_path_close(struct private_path *p);
/* Removes the directories of killed runs. */
void private_path_sweep(void);

#endif
