/* SPDX-License-Identifier: MIT
 *
 * What making a database (db.c) and scanning with it (db_scan.c) share.
 */
#ifndef CORDON_SCAN_DB_PRIVATE_H
#define CORDON_SCAN_DB_PRIVATE_H

#include "scan/db.h"
#include "scan/table.h"

struct db {
	size_t count;
	struct match_code **code; /* NULL: refused */
	struct table table[JS_FORMS];
};

static inline const void *db_array(const struct db *db, enum js_form form, enum table_section s)
{
	return db->table[form].array[s].data;
}

#endif
