/* SPDX-License-Identifier: MIT
 *
 * Checks that bytes are UTF-8, and text that a YAML file may contain.
 */
#ifndef CORDON_YAML_UTF8_H
#define CORDON_YAML_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* NULL: the text is good. Else a description of the error, and its line. */
const char *utf8_complaint(const char *data, size_t len, unsigned *ret_line);
/* Is it valid UTF-8, of any characters? */
bool utf8_is_valid(const char *data, size_t len);
/* The line of the byte at OFFSET, counted from 1. */
unsigned utf8_line(const char *data, size_t len, size_t offset);

#endif
