/* SPDX-License-Identifier: MIT
 *
 * Where this program is, and the programs installed with it. They are started, so argv and PATH are
 * never trusted.
 */
#ifndef CORDON_BASE_SELF_H
#define CORDON_BASE_SELF_H

#include <limits.h>
#include <stddef.h>

#include "base/err.h"

#ifndef CORDON_LIBEXEC
#define CORDON_LIBEXEC "/usr/local/libexec/cordon"
#endif

/* The program's directory, without a final slash; "" if unknown. */
void self_directory(char ret[PATH_MAX]);
/* Finds the program NAME that came with this one: beside it, as in a build; in ../libexec/cordon;
 * or in the configured install directory. */
int self_find(const char *name, char ret[PATH_MAX], struct err *err);
/* Opens the program's own file for reading; the kernel allows no writes to it while it runs. -1: it
 * cannot be read. */
int self_open(void);
/* The file offset of constant BYTES of this program; -1: they are not in the file. */
int self_offset(const void *bytes, size_t len, size_t *ret);

/* Reads /proc/self/NAME as io_read_text does; -1 also if something is mounted over it, or /proc is
 * not a procfs. */
int self_read(const char *name, char *buf, size_t size);

#endif
