/* SPDX-License-Identifier: MIT
 *
 * Upgrades of the state's format: one table with a step from each format to the next. A state of an
 * older format is upgraded when it is opened for writing, in one transaction, after a backup. A
 * newer one is refused (kinds.c).
 */
#ifndef CORDON_STORE_UPGRADE_H
#define CORDON_STORE_UPGRADE_H

#include "store/store.h"

int upgrade(struct store *s, struct err *err);
/* Describes the step from format FROM; NULL: there is no such step. */
const char *upgrade_words(uint64_t from);

#endif
