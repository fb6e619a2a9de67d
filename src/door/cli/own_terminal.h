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

/* Does a program whose input is FILE get a terminal? Standard input and output must be one. */
bool own_terminal_is_wanted(const char *file);
/* Puts the size of the terminal into R, so that the program gets one. */
void own_terminal_ask(struct request *r);
/* The program has its terminal; MASTER is the other end. */
void own_terminal_begin(struct own_terminal *t, int master);
/* What was typed, or what the terminal has answered, and no program has read is dropped. */
void own_terminal_end(const struct own_terminal *t);

#endif
