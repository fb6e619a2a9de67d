/* SPDX-License-Identifier: MIT
 *
 * The user's terminal while a program in a box has one of its own: every key is passed on, also those that
 * send signals, and so is each new size.
 */
#ifndef CORDON_CLI_OWN_TERMINAL_H
#define CORDON_CLI_OWN_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

#include "model/request.h"

struct own_terminal {
	bool is_raw;
	struct termios before;
};

/* Puts the size of the terminal into R. */
void own_terminal_begin(struct own_terminal *t, struct request *r);
/* The program's terminal is there; its master end. */
void own_terminal_follow(int master);
void own_terminal_end(const struct own_terminal *t);

#endif
