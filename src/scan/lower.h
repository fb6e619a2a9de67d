/* SPDX-License-Identifier: MIT
 *
 * Small letters, as JavaScript's toLowerCase makes them.
 */
#ifndef CORDON_SCAN_LOWER_H
#define CORDON_SCAN_LOWER_H

#include <stddef.h>

/* malloc'd, with a NUL after the last byte; NULL when memory is out. DATA is UTF-8. */
char *lower_text(const char *data, size_t len, size_t *ret_len);

#endif
