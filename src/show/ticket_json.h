/* SPDX-License-Identifier: MIT
 *
 * A ticket as JSON: the fields of struct ticket.
 */
#ifndef CORDON_SHOW_TICKET_JSON_H
#define CORDON_SHOW_TICKET_JSON_H

#include "show/jsonval.h"

extern const struct json_field ticket_fields[];

#endif
