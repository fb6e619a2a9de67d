/* SPDX-License-Identifier: MIT
 *
 * Whose process is this? An account's number means one person only in the machine's first user
 * namespace: in another one everybody can be 0, and who that is outside cannot be found out in there.
 */
#ifndef CORDON_BASE_ACCOUNT_H
#define CORDON_BASE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Nobody's number: (uid_t)-1 is no account. */
#define ACCOUNT_UNKNOWN UINT32_MAX

/* Are accounts here other than the machine's? Also when the kernel does not tell. */
bool account_is_mapped(void);
/* This process's real account, or ACCOUNT_UNKNOWN. */
uint32_t account_here(void);
/* The home directory of the next account in PASSWD, an open /etc/passwd; NULL at its end. It is in *LINE, of
 * *SIZE bytes, which the caller frees. */
const char *account_home(FILE *passwd, char **line, size_t *size);

#endif
