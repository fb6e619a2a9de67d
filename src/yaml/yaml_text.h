/* SPDX-License-Identifier: MIT
 *
 * Checks that bytes are UTF-8, and text that a YAML file may contain.
 */
#ifndef CORDON_YAML_YAML_TEXT_H
#define CORDON_YAML_YAML_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* NULL: the text is good. Else a description of the error, and its line. */
const char *yaml_text_error(const char *data, size_t len, unsigned *ret_line);
/* Is it valid UTF-8, of any characters? */
bool yaml_text_is_utf8(const char *data, size_t len);
/* The line of the byte at OFFSET, counted from 1. */
unsigned yaml_text_line(const char *data, size_t len, size_t offset);

#endif
