/* SPDX-License-Identifier: MIT
 *
 * One contract for running out of memory in cordon and cordon-box: a failed allocation is an error that
 * stops the run and decides nothing. The linker puts the functions of memory.c in place of malloc, calloc
 * and realloc (MEMORY in the Makefile), so a failure is noted wherever it happens, in a library too.
 * Callers check for NULL as ever and may do without what they did not get. While a failure is noted, no
 * run starts and no record, file or result is written; then memory_check makes an error of it.
 */
#ifndef CORDON_BASE_MEMORY_H
#define CORDON_BASE_MEMORY_H

#include <stdbool.h>

struct err;

/* An allocation of this thread has failed. */
void memory_note(void);
/* There is a note that memory_check has not made an error of. */
bool memory_is_out(void);
/* An allocation of this thread has ever failed. */
bool memory_was_out(void);
/* Turns a noted failure into ERR and returns -1; otherwise 0, with ERR untouched. */
int memory_check(struct err *err);

#endif
