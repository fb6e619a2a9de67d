/* SPDX-License-Identifier: MIT
 *
 * Parses the length-prefixed strings of keys and signatures to find out which key they name. It verifies
 * nothing: ssh-keygen does that (ssh_keygen.c).
 */
#include "trust/ssh_key.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/scope.h"

enum { BLOB_MAX = SSH_SIGNATURE_MAX, VERSION = 1, ED25519_BYTES = 32, POINT = 4 };

enum part { PART_ANY, PART_ED25519, PART_NUMBER, PART_POINT };

/* The parts that follow the type in a key's bytes. */
static const struct kind {
	const char *type, *name;
	size_t count;
	enum part part[3];
} kinds[] = {
	{"ssh-ed25519", "ED25519", 1, {PART_ED25519}},
	{"ecdsa-sha2-nistp256", "ECDSA", 2, {PART_ANY, PART_POINT}},
	{"ecdsa-sha2-nistp384", "ECDSA", 2, {PART_ANY, PART_POINT}},
	{"ecdsa-sha2-nistp521", "ECDSA", 2, {PART_ANY, PART_POINT}},
	{"ssh-rsa", "RSA", 2, {PART_NUMBER, PART_NUMBER}},
	{"sk-ssh-ed25519@openssh.com", "ED25519-SK", 2, {PART_ED25519, PART_ANY}},
	{"sk-ecdsa-sha2-nistp256@openssh.com", "ECDSA-SK", 3, {PART_ANY, PART_POINT, PART_ANY}},
};

static const struct kind *kind_of(const char *type, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strlen(kinds[i].type) == len && memcmp(kinds[i].type, type, len) == 0)
			return &kinds[i];
	return NULL;
}

struct wire {
	const uint8_t *at;
	size_t left;
};

static bool take(struct wire *w, size_t len, struct wire *ret)
{
	if (len > w->left)
		return false;
	*ret = (struct wire){w->at, len};
	w->at += len;
	w->left -= len;
	return true;
}

static bool take_string(struct wire *w, struct wire *ret)
{
	struct wire n;

	return take(w, 4, &n) &&
	       take(w,
		    (size_t)n.at[0] << 24 | (size_t)n.at[1] << 16 | (size_t)n.at[2] << 8 | n.at[3],
		    ret);
}

static bool is_text(const struct wire *w, const char *text)
{
	return w->left == strlen(text) && memcmp(w->at, text, w->left) == 0;
}

/* With leading zeros allowed, one key would have two texts. */
static bool is_good_part(enum part part, const struct wire *w)
{
	switch (part) {
	case PART_ED25519:
		return w->left == ED25519_BYTES;
	case PART_NUMBER:
		return w->left > 0 && !(w->at[0] & 0x80) &&
		       (w->at[0] || (w->left > 1 && w->at[1] & 0x80));
	case PART_POINT:
		return w->left > 0 && w->at[0] == POINT;
	case PART_ANY:
		break;
	}
	return true;
}

static bool is_key(struct wire w, const char *type, size_t len)
{
	const struct kind *k = kind_of(type, len);
	struct wire part;

	if (!k || !take_string(&w, &part) || !is_text(&part, k->type))
		return false;
	for (size_t i = 0; i < k->count; i++)
		if (!take_string(&w, &part) || !is_good_part(k->part[i], &part))
			return false;
	return w.left == 0;
}

static bool decode(const char *text, size_t len, uint8_t ret[BLOB_MAX], struct wire *w)
{
	size_t bytes = 0;

	if (sodium_base642bin(ret, BLOB_MAX, text, len, NULL, &bytes, NULL,
			      sodium_base64_VARIANT_ORIGINAL) != 0)
		return false;
	*w = (struct wire){ret, bytes};
	return true;
}

int ssh_key_read(const char *text, size_t len, struct arena *a, const char **ret, struct err *err)
{
	uint8_t blob[BLOB_MAX];
	struct wire w;

	const char *space = memchr(text, ' ', len);
	size_t type = space ? (size_t)(space - text) : len, at = type + 1, end = at;
	while (end < len && text[end] != ' ')
		end++;
	if (!space || end > SSH_KEY_MAX || !decode(text + at, end - at, blob, &w) ||
	    !is_key(w, text, type)) {
		err_set(err, ERR_INPUT, "not an SSH public key");
		err_cause(err, "a key is a type (ssh-ed25519, ecdsa-sha2-..., ssh-rsa, sk-...) "
			       "and base64; certificates are not supported");
		return -1;
	}
	*ret = arena_printf(a, "%.*s", (int)end, text);
	return a->failed ? err_memory(err) : 0;
}

const char *ssh_key_type(const char *key)
{
	const struct kind *k = kind_of(key, strcspn(key, " "));

	return k ? k->name : "?";
}

const char *ssh_key_fingerprint(const char *key, char ret[SSH_FINGERPRINT])
{
	uint8_t blob[BLOB_MAX], sha256[DIGEST_BYTES];
	char text[SSH_FINGERPRINT - 8];
	struct wire w = {blob, 0};

	const char *space = strchr(key, ' ');
	if (space)
		decode(space + 1, strlen(space + 1), blob, &w);
	digest_of(sha256, w.at, w.left);
	sodium_bin2base64(text, sizeof(text), sha256, sizeof(sha256),
			  sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
	snprintf(ret, SSH_FINGERPRINT, "SHA256:%s", text);
	return ret;
}

int ssh_signature_key(const char *base64, struct arena *a, const char **ret_key, struct err *err)
{
	uint8_t blob[BLOB_MAX];
	char text[SSH_KEY_MAX + 1];
	struct wire w, magic, key, space, reserved, hash, signature, type;

	if (!decode(base64, strnlen(base64, SSH_SIGNATURE_MAX + 1), blob, &w) ||
	    !take(&w, 10, &magic) || memcmp(magic.at, "SSHSIG\0\0\0\1", 10) != 0 ||
	    !take_string(&w, &key) || !take_string(&w, &space) || !take_string(&w, &reserved) ||
	    !take_string(&w, &hash) || !take_string(&w, &signature) || w.left || reserved.left)
		return err_set(err, ERR_INPUT, "not an SSH signature");
	if (!is_text(&space, SSH_NAMESPACE))
		return err_set(err, ERR_INPUT, "the signature's namespace is not " SSH_NAMESPACE);
	struct wire inner = key;
	if (!take_string(&inner, &type) || !is_key(key, (const char *)type.at, type.left) ||
	    sodium_base64_ENCODED_LEN(key.left, sodium_base64_VARIANT_ORIGINAL) > sizeof(text))
		return err_set(err, ERR_INPUT, "the signature names no SSH key");
	sodium_bin2base64(text, sizeof(text), key.at, key.left, sodium_base64_VARIANT_ORIGINAL);
	*ret_key = arena_printf(a, "%.*s %s", (int)type.left, (const char *)type.at, text);
	return a->failed ? err_memory(err) : 0;
}
