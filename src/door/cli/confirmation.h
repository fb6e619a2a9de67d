/* SPDX-License-Identifier: MIT
 *
 * A question at the terminal. The answer does not identify a person: it is a confirmation, not a
 * signature.
 */
#ifndef CORDON_CLI_CONFIRMATION_H
#define CORDON_CLI_CONFIRMATION_H

#include <stdio.h>

#include "base/err.h"

/* Printed before the question. */
#define CONFIRM_WORTH                                                                              \
	"This is a confirmation, not a signature: a program of your account outside a box could "  \
	"type it too.\n"

/* Text and question are shown on the controlling terminal, wherever standard output goes. */
struct confirmation {
	FILE *terminal;
	int output; /* the original standard output, while the terminal has its number */
};

/* Redirects standard output to the terminal. Always call confirmation_done afterwards. */
int confirmation_begin(struct confirmation *c, struct err *err);
/* Prints WORDS and the question. Returns 0 if the answer is "yes". */
int confirmation_ask(struct confirmation *c, const char *words, struct err *err);
void confirmation_done(struct confirmation *c);
#define AUTO_CONFIRMATION __attribute__((cleanup(confirmation_done)))

#endif
