/* SPDX-License-Identifier: MIT
 *
 * /etc/cordon/allowed_signers: the people that root has enrolled, in OpenSSH's format: one plain name and
 * one key a line. Only root can change the file. A line that cannot be understood is an error.
 */
#ifndef CORDON_TRUST_SIGNERS_H
#define CORDON_TRUST_SIGNERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

#ifndef CORDON_ETC
#define CORDON_ETC "/etc/cordon"
#endif
#ifndef SIGNERS_FILE
#define SIGNERS_FILE CORDON_ETC "/allowed_signers"
#endif

enum {
	SIGNERS_MAX = 256, /* lines with a key */
	SIGNERS_BYTES_MAX = 1 << 20,
	SIGNERS_OPTIONS_MAX = 256,
	SIGNER_NAME_MAX = 64, /* bytes of a person's name */
};

bool signer_name_is_good(const char *name);

struct signer {
	const char *name, *options, *key; /* as in struct ssh_signer */
	size_t line;
};
struct signers {
	size_t count;
	struct signer list[SIGNERS_MAX];
};

/* NAME is the file's name, for errors. The texts of RET belong to A. */
int signers_parse(const char *name, const char *text, size_t len, struct arena *a,
		  struct signers *ret, struct err *err);
/* If the file does not exist, RET is empty. */
int signers_load(struct arena *a, struct signers *ret, struct err *err);
/* Only root can write the file. ERR_CONFLICT: the key is enrolled already. */
int signers_add(const char *name, const char *key, struct err *err);
/* Removes every line of NAME. Returns their number, or -1. */
int signers_remove(const char *name, struct err *err);

#endif
