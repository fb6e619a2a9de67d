/* SPDX-License-Identifier: MIT
 *
 * Are these bytes text, and text that a YAML file may hold?
 */
#ifndef CORDON_YAML_UTF8_H
#define CORDON_YAML_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* NULL when they are; else what is wrong, and on which line. */
const char *utf8_complaint(const char *data, size_t len, unsigned *ret_line);
/* UTF-8 of any characters. */
bool utf8_is_valid(const char *data, size_t len);
/* The line of the byte at OFFSET, counted from 1. */
unsigned utf8_line(const char *data, size_t len, size_t offset);

#endif
