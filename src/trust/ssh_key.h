/* SPDX-License-Identifier: MIT
 *
 * SSH public keys and signatures as text. A key is "TYPE BASE64"; a signature is the base64 between the
 * two lines of OpenSSH's armour (PROTOCOL.sshsig). Only the canonical form is accepted, so different texts
 * are different keys.
 */
#ifndef CORDON_TRUST_SSH_KEY_H
#define CORDON_TRUST_SSH_KEY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"

#define SSH_NAMESPACE "cordon-approval"
enum {
	SSH_KEY_MAX = 4096,	  /* bytes of a key's text; RSA with 16384 bits needs 2800 */
	SSH_SIGNATURE_MAX = 8192, /* bytes of a signature's text */
	SSH_FINGERPRINT = 64,
};

/* Reads a key of two words from TEXT; a comment may follow. *RET belongs to A. */
int ssh_key_read(const char *text, size_t len, struct arena *a, const char **ret, struct err *err);
/* For example "ED25519-SK"; "?" if KEY is not a key. */
const char *ssh_key_type(const char *key);
/* "SHA256:...", as ssh-keygen -l prints it. Returns RET. */
const char *ssh_key_fingerprint(const char *key, char ret[SSH_FINGERPRINT]);
/* The key that the signature names. The namespace must be SSH_NAMESPACE. */
int ssh_signature_key(const char *base64, struct arena *a, const char **ret_key, struct err *err);

#endif
