/* SPDX-License-Identifier: MIT
 *
 * Checks a value by a JSON Schema of Cordon's own, and by as much of JSON Schema as these use: type,
 * enum, properties, required, items, minimum, maximum, maxLength. A member that is not among the
 * properties is refused.
 */
#ifndef CORDON_MCP_SCHEMA_H
#define CORDON_MCP_SCHEMA_H

#include <jansson.h>

#include "base/err.h"

/* NAME is that of the value, "" for the whole. The error names the member, and the nearest one. */
int schema_check(const json_t *schema, const json_t *value, const char *name, struct err *err);

#endif
