/* SPDX-License-Identifier: MIT
 *
 * A person's key as a file that only they can read: one line of text. With a passphrase the key is
 * encrypted under its Argon2id hash, whose costs are in the file and bounded here: a file must not
 * make us take all memory. It is never replaced, and never printed.
 */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "approval/approval.h"
#include "base/io.h"
#include "base/scope.h"

#define MARK "cordon-approver-1"
#define OPS_MAX 16ULL
#define MEMORY_MAX (1ULL << 30)

enum {
	LINE_MAX_BYTES = 512,
	BOX = KEY_SEED + crypto_secretbox_MACBYTES,
	SALT = crypto_pwhash_SALTBYTES,
	NONCE = crypto_secretbox_NONCEBYTES,
};

struct file {
	bool protected;
	unsigned long long ops, memory;
	uint8_t salt[SALT], nonce[NONCE], data[BOX]; /* data: the seed, or its box */
};

static int hash(const struct file *f, const char *pass, uint8_t ret[crypto_secretbox_KEYBYTES],
		struct err *err)
{
	if (crypto_pwhash(ret, crypto_secretbox_KEYBYTES, pass, strlen(pass), f->salt, f->ops,
			  (size_t)f->memory, crypto_pwhash_ALG_ARGON2ID13) != 0)
		return err_set(err, ERR_SYSTEM, "not enough memory for a passphrase (%llu MB)",
			       f->memory >> 20);
	return 0;
}

static int protect(struct file *f, const uint8_t seed[KEY_SEED], const char *pass, struct err *err)
{
	uint8_t key[crypto_secretbox_KEYBYTES];

	f->protected = true;
	f->ops = crypto_pwhash_OPSLIMIT_MODERATE;
	f->memory = crypto_pwhash_MEMLIMIT_MODERATE;
	randombytes_buf(f->salt, sizeof(f->salt));
	randombytes_buf(f->nonce, sizeof(f->nonce));
	if (hash(f, pass, key, err) < 0)
		return -1;
	crypto_secretbox_easy(f->data, seed, KEY_SEED, f->nonce, key);
	sodium_memzero(key, sizeof(key));
	return 0;
}

static int unprotect(const struct file *f, const char *pass, uint8_t ret[KEY_SEED], struct err *err)
{
	uint8_t key[crypto_secretbox_KEYBYTES];

	if (hash(f, pass, key, err) < 0)
		return -1;
	int r = crypto_secretbox_open_easy(ret, f->data, BOX, f->nonce, key);
	sodium_memzero(key, sizeof(key));
	return r == 0 ? 0 : err_set(err, ERR_REFUSED, "that is not the key's passphrase");
}

static void format(const struct file *f, char ret[LINE_MAX_BYTES])
{
	char salt[2 * SALT + 1], nonce[2 * NONCE + 1], data[2 * BOX + 1];

	sodium_bin2hex(salt, sizeof(salt), f->salt, SALT);
	sodium_bin2hex(nonce, sizeof(nonce), f->nonce, NONCE);
	sodium_bin2hex(data, sizeof(data), f->data, f->protected ? BOX : KEY_SEED);
	if (f->protected)
		snprintf(ret, LINE_MAX_BYTES, MARK " argon2id %llu %llu %s %s %s\n", f->ops,
			 f->memory, salt, nonce, data);
	else
		snprintf(ret, LINE_MAX_BYTES, MARK " plain %s\n", data);
	sodium_memzero(data, sizeof(data));
}

static bool unhex(const char *text, uint8_t *ret, size_t size)
{
	size_t len = 0;
	const char *end = NULL;

	return strlen(text) == 2 * size &&
	       sodium_hex2bin(ret, size, text, 2 * size, NULL, &len, &end) == 0 && len == size;
}

/* Read, then written again: it must be the same, so there is one way to write a key. */
static bool parse(const char *line, struct file *ret)
{
	char salt[2 * SALT + 1], nonce[2 * NONCE + 1], data[2 * BOX + 1], again[LINE_MAX_BYTES];
	bool good = false;

	_Static_assert(SALT == 16 && NONCE == 24 && BOX == 48, "widths below");
	if (sscanf(line, MARK " plain %64[0-9a-f]", data) == 1) {
		good = unhex(data, ret->data, KEY_SEED);
	} else if (sscanf(line, MARK " argon2id %llu %llu %32[0-9a-f] %48[0-9a-f] %96[0-9a-f]",
			  &ret->ops, &ret->memory, salt, nonce, data) == 5) {
		ret->protected = true;
		good = unhex(salt, ret->salt, SALT) && unhex(nonce, ret->nonce, NONCE) &&
		       unhex(data, ret->data, BOX) && ret->ops >= crypto_pwhash_OPSLIMIT_MIN &&
		       ret->ops <= OPS_MAX && ret->memory >= crypto_pwhash_MEMLIMIT_MIN &&
		       ret->memory <= MEMORY_MAX;
	}
	format(ret, again);
	good = good && strcmp(again, line) == 0;
	sodium_memzero(data, sizeof(data));
	sodium_memzero(again, sizeof(again));
	return good;
}

static int write_new(const char *path, const char *line, struct err *err)
{
	AUTO_CLOSE int fd =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);

	if (fd < 0)
		return err_errno(err, ERR_INPUT, "making the key %s", path);
	if (io_write_all(fd, line, strlen(line)) == 0 && fsync(fd) == 0)
		return 0;
	err_errno(err, ERR_SYSTEM, "writing the key %s", path);
	unlink(path);
	return -1;
}

int approval_key_new(const char *path, const char *passphrase, struct key *ret, struct err *err)
{
	uint8_t seed[KEY_SEED];
	char line[LINE_MAX_BYTES];
	struct file f = {0};
	int r = 0;

	if (sodium_init() < 0)
		return err_set(err, ERR_SYSTEM, "there are no random numbers");
	randombytes_buf(seed, sizeof(seed));
	if (passphrase)
		r = protect(&f, seed, passphrase, err);
	else
		memcpy(f.data, seed, sizeof(seed));
	if (r == 0) {
		format(&f, line);
		r = write_new(path, line, err);
	}
	if (r == 0)
		crypto_sign_seed_keypair(ret->public, ret->secret, seed);
	sodium_memzero(seed, sizeof(seed));
	sodium_memzero(line, sizeof(line));
	sodium_memzero(&f, sizeof(f));
	return r;
}

/* Another owner's file may be read by root only, who is nobody's agent. */
static int read_file(const char *path, char line[LINE_MAX_BYTES], struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "the key %s", path);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077) {
		err_set(err, ERR_REFUSED, "the key %s is not a file that only you can read", path);
		err_cure(err,
			 "if nobody else can have seen it: chmod 600; otherwise make a new one");
		return -1;
	}
	ssize_t n = io_read_full(fd, line, LINE_MAX_BYTES - 1);
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "the key %s", path);
	line[n] = '\0';
	return 0;
}

int approval_key_load(const char *path, const char *passphrase, struct key *ret,
		      bool *ret_protected, struct err *err)
{
	char line[LINE_MAX_BYTES] = "";
	uint8_t seed[KEY_SEED] = {0};
	struct file f = {0};
	int r = -1;

	if (sodium_init() < 0)
		return err_set(err, ERR_SYSTEM, "there are no random numbers");
	if (read_file(path, line, err) < 0)
		goto out;
	if (!parse(line, &f)) {
		err_set(err, ERR_INPUT, "%s is no key of an approver", path);
		goto out;
	}
	*ret_protected = f.protected;
	if (f.protected && !passphrase) {
		r = 1;
		goto out;
	}
	if (f.protected)
		r = unprotect(&f, passphrase, seed, err);
	else
		r = (memcpy(seed, f.data, sizeof(seed)), 0);
	if (r == 0)
		crypto_sign_seed_keypair(ret->public, ret->secret, seed);
out:
	sodium_memzero(line, sizeof(line));
	sodium_memzero(seed, sizeof(seed));
	sodium_memzero(&f, sizeof(f));
	return r;
}
