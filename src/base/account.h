/* SPDX-License-Identifier: MIT
 *
 * The account of this process. A user id identifies an account only in the initial user namespace;
 * in another one any user can be 0, and the real id cannot be found out from inside.
 */
#ifndef CORDON_BASE_ACCOUNT_H
#define CORDON_BASE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* (uid_t)-1 is never an account. */
#define ACCOUNT_UNKNOWN UINT32_MAX

/* Is this not the initial user namespace? True also if that is unknown. */
bool account_is_mapped(void);
/* This process's real account, or ACCOUNT_UNKNOWN. */
uint32_t account_here(void);
/* The home directory of the next account in PASSWD, an open /etc/passwd; NULL at its end. It is in
 * *LINE, of *SIZE bytes, which the caller frees. */
const char *account_home(FILE *passwd, char **line, size_t *size);

/* The login name of UID in /etc/passwd. -1: it has no entry, or the name does not fit. */
int account_name(uint32_t uid, char *ret, size_t size);

#endif
