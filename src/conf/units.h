/* SPDX-License-Identifier: MIT
 *
 * Numbers with units, as people write them: 30s, 500ms, 512M, 50%, 64.
 */
#ifndef CORDON_CONF_UNITS_H
#define CORDON_CONF_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/limit.h"

/* Parses TEXT; false if it is malformed. */
bool units_parse(enum unit unit, const char *text, uint64_t *ret);
/* An example of a value. */
const char *units_example(enum unit unit);
/* Parses TEXT and checks the limit's bounds. */
int units_parse_limit(enum limit_id id, const char *text, uint64_t *ret, struct err *err);
/* The shortest exact way to write VALUE. */
const char *units_format(enum unit unit, uint64_t value, char *buf, size_t size);

#endif
