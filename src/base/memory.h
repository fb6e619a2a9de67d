/* SPDX-License-Identifier: MIT
 *
 * One contract for running out of memory in cordon and cordon-box: a failed allocation is an error
 * that stops the run and decides nothing. The linker puts the functions of memory.c in place of
 * malloc, calloc and realloc (MEMORY in the Makefile), so a failure is noted wherever it happens,
 * in a library too. Callers check for NULL as usual, and may continue without the memory. While a
 * failure is noted, no run starts, and no record, file or result is written, until memory_check
 * turns it into an error.
 */
#ifndef CORDON_BASE_MEMORY_H
#define CORDON_BASE_MEMORY_H

#include <stdbool.h>

struct err;

/* Notes a failed allocation of this thread. */
void memory_note(void);
/* Is a failure noted? */
bool memory_is_out(void);
/* Has an allocation of this thread ever failed? */
bool memory_was_out(void);
/* Turns a noted failure into ERR and returns -1; else 0. */
int memory_check(struct err *err);

#endif
