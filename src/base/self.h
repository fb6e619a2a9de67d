/* SPDX-License-Identifier: MIT
 *
 * Where this program is, and the programs that came with it. Never by a name that somebody gave or
 * a search path: what is found here is started.
 */
#ifndef CORDON_BASE_SELF_H
#define CORDON_BASE_SELF_H

#include <limits.h>
#include <stddef.h>

#include "base/err.h"

#ifndef CORDON_LIBEXEC
#define CORDON_LIBEXEC "/usr/local/libexec/cordon"
#endif

/* The directory that it is in, without a slash at its end; "" when nobody can say. */
void self_directory(char ret[PATH_MAX]);
/* A program called NAME that came with this one: beside it, as it is built; where `make install`
 * puts it, wherever that was moved to; and where it was to be installed. */
int self_find(const char *name, char ret[PATH_MAX], struct err *err);
/* Its own file, to be read: nobody can write to it while it runs. -1: it may be run but not read. */
int self_open(void);
/* Where in that file constant BYTES of this program are; -1: they are not in it. */
int self_offset(const void *bytes, size_t len, size_t *ret);

/* Reads /proc/self/NAME as io_read_text does; -1 also when anything is mounted over it, or /proc is none. */
int self_read(const char *name, char *buf, size_t size);

#endif
