/* SPDX-License-Identifier: MIT
 *
 * Starts a program beside us: we go on while it is being loaded, which takes as long as drawing the
 * blueprint. Only for launch.c.
 */
#ifndef CORDON_FLOW_SPAWN_PRIVATE_H
#define CORDON_FLOW_SPAWN_PRIVATE_H

#include <sys/types.h>

enum { SPAWN_FDS = 3 };

struct spawn;

/* PATH with SOURCES as its standard output, standard error and RESULT_FD; they lie above the numbers
 * they go to, so none is overwritten before its turn. NULL with errno. */
struct spawn *spawn_new(const char *path, const int sources[SPAWN_FDS], pid_t *ret);
/* After its end: 0, or the errno of why it never was that program. */
int spawn_failed(const struct spawn *s);
/* Not before it is that program, or has ended. */
void spawn_free(struct spawn *s);

#endif
