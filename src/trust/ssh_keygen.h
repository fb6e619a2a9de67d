/* SPDX-License-Identifier: MIT
 *
 * Runs /usr/bin/ssh-keygen to sign and to verify in our namespace. PATH is not searched. Cordon makes its
 * environment, bounds its time and output, and lets it verify against one line only.
 */
#ifndef CORDON_TRUST_SSH_KEYGEN_H
#define CORDON_TRUST_SSH_KEYGEN_H

#include <stddef.h>

#include "trust/ssh_key.h"

#ifndef SSH_KEYGEN
#define SSH_KEYGEN "/usr/bin/ssh-keygen"
#endif
#ifndef SSH_VERIFY_MS
#define SSH_VERIFY_MS 20000
#endif

/* KEY_FILE is a private key, or the public key of one that the agent holds. ssh-keygen may ask for a
 * passphrase, a PIN or a touch. *RET is the signature's base64. */
int ssh_sign(const char *key_file, const void *text, size_t len, struct arena *a, const char **ret,
	     struct err *err);

/* The expected signer. OPTIONS are those of the line in allowed_signers and a space, or "". */
struct ssh_signer {
	const char *name, *options, *key;
};
/* 1: the signature is good; 0: it is not, and WHY has ssh-keygen's reason; -1: verifying failed. */
int ssh_verify(const struct ssh_signer *signer, const void *text, size_t len, const char *signature,
	       struct err *why, struct err *err);

/* The armour around a signature's base64: 70 characters a line, as OpenSSH writes it. */
#define SSH_BEGIN "-----BEGIN SSH SIGNATURE-----\n"
#define SSH_END "-----END SSH SIGNATURE-----\n"
struct buf;
void ssh_armour(const char *signature, struct buf *out);
/* Returns the base64. TEXT must be one armoured signature and nothing else. */
int ssh_unarmour(const char *text, size_t len, struct arena *a, const char **ret, struct err *err);

#endif
