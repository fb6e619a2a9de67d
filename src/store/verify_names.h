/* SPDX-License-Identifier: MIT
 *
 * Are records found by all their names, and by no others? The names of all records make a sum that
 * does not depend on their order: it goes up by each record's and down by each row of the index.
 */
#ifndef CORDON_STORE_VERIFY_NAMES_H
#define CORDON_STORE_VERIFY_NAMES_H

#include <sodium.h>

#include "store/record.h"
#include "store/store.h"

struct verify_names {
	uint64_t sum, size;
	uint64_t last; /* the last record that a name is of, if it was added meanwhile */
	uint8_t key[crypto_shorthash_KEYBYTES]; /* of this pass only: nobody can aim at it */
};

void verify_names_begin(struct verify_names *n);
void verify_names_add(struct verify_names *n, const struct record *r);
/* 1: they are not the same, for the first SIZE records; or one is of a record that there is not. */
int verify_names_check(struct verify_names *n, struct store *s, uint64_t size, struct err *err);

#endif
