/* SPDX-License-Identifier: MIT
 *
 * What text a rule gets when it names a field of an event.
 */
#ifndef CORDON_DETECT_FIELDS_H
#define CORDON_DETECT_FIELDS_H

#include "detect/event.h"

/* RET->s is NULL when there is none, or an empty one: both make a condition false. Fails on a value
 * that is no string. NAME is the field's name, also when FIELD is FIELD_OTHER. */
int field_resolve(const struct event *event, enum field field, const char *name, struct text *ret,
		  struct err *err);

#endif
