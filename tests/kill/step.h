/* SPDX-License-Identifier: MIT
 *
 * SIGKILL at one system call, whatever the machine's speed: the processes of a run are followed call by
 * call until one of them is about to make it.
 */
#ifndef CORDON_KILL_STEP_H
#define CORDON_KILL_STEP_H

#include <stdbool.h>
#include <sys/types.h>

/* In the child that is to be followed, before its exec. */
int step_begin(void);
/* Follows MAIN and all that it starts to its end, and kills the first of them that removes a directory
 * before it does. Returns whether one was killed; *RET_STATUS as of waitpid, of MAIN. */
bool step_to_removal(pid_t main, int *ret_status);

/* Follows MAIN too. The first that is about to change its namespace has to wait until all others do, or have
 * ended: did one of them become a program meanwhile? */
enum step_held { STEP_NOBODY, STEP_HELD, STEP_PASSED };
enum step_held step_holding_setns(pid_t main, int *ret_status);

#endif
