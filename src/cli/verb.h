/* SPDX-License-Identifier: MIT
 *
 * What a command like `cordon audit` can be told to do: a row a verb, found in one way for all.
 */
#ifndef CORDON_CLI_VERB_H
#define CORDON_CLI_VERB_H

#include "cli/cli.h"

/* What every row begins with. */
struct cli_verb {
	const char *name, *second; /* the second word, or NULL */
	int least, most;	   /* operands behind them */
};

/* The row that CALL is about: COUNT of them, each of SIZE bytes. NULL: it names none, or has too few
 * operands for it, or too many. */
const void *cli_find_verb(const struct cli_call *call, const void *rows, size_t count, size_t size);

#endif
