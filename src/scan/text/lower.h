/* SPDX-License-Identifier: MIT
 *
 * Lower case, as JavaScript's toLowerCase makes it.
 */
#ifndef CORDON_SCAN_LOWER_H
#define CORDON_SCAN_LOWER_H

#include <stddef.h>

/* DATA is UTF-8. The result is malloc'd and ends with a NUL; NULL when memory is out. */
char *lower_text(const char *data, size_t len, size_t *ret_len);

#endif
