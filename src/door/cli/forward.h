/* SPDX-License-Identifier: MIT
 *
 * A signal that ends a command is passed on to the program, so that it can end in its own way.
 */
#ifndef CORDON_DOOR_CLI_FORWARD_H
#define CORDON_DOOR_CLI_FORWARD_H

/* A descriptor to read the numbers of the signals from; 0: it failed, and signals end cordon. */
int forward_open(void);
/* From now on. A signal that was ignored stays ignored. */
void forward_begin(void);
/* Signals end cordon again. */
void forward_end(void);

#endif
