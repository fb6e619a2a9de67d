/* SPDX-License-Identifier: MIT
 *
 * A key file is one line of text. It is written under a temporary name and renamed, so two
 * processes that make it at once agree on the first, and a crash leaves no partial file. A file is
 * refused as not secret if other users can access it, if another user owns it, or if it has a
 * second name: a hard link may lie in a directory that a box is given.
 */
#include "store/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

#define MARK "cordon-key-1 "
enum { FILE_LEN = sizeof(MARK) - 1 + 2UL * KEY_SEED + 1, TEMP_MAX = KEY_NAME_MAX + 40 };

static int check_file(int fd, const char *name, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_errno(err, ERR_SYSTEM, "%s", name);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077 || st.st_nlink > 1) {
		err_set(err, ERR_REFUSED, "other users can access the key %s", name);
		err_cause(err, "it has owner %u, mode %03o and %lu names", st.st_uid,
			  st.st_mode & 0777, (unsigned long)st.st_nlink);
		err_cure(err, "if no other user or program can have read it: chmod 600, and remove "
			      "its other names; otherwise make a new state directory");
		return -1;
	}
	return 0;
}

static int parse(const char *text, size_t len, uint8_t ret[KEY_SEED])
{
	size_t bytes = 0;

	if (len != FILE_LEN || memcmp(text, MARK, sizeof(MARK) - 1) != 0 ||
	    text[FILE_LEN - 1] != '\n' ||
	    sodium_hex2bin(ret, KEY_SEED, text + sizeof(MARK) - 1, (size_t)2 * KEY_SEED, NULL,
			   &bytes, NULL) != 0)
		return -1;
	return bytes == KEY_SEED ? 0 : -1;
}

/* 1: there is no such file. */
static int read_seed(int dir, const char *name, uint8_t ret[KEY_SEED], struct err *err)
{
	AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[FILE_LEN + 1];

	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0)
		return err_errno(err, ERR_SYSTEM, "opening the key %s", name);
	if (check_file(fd, name, err) < 0)
		return -1;
	ssize_t n = io_read_full(fd, text, sizeof(text));
	int r = n < 0 ? -1 : parse(text, (size_t)n, ret);
	sodium_memzero(text, sizeof(text));
	return r < 0 ? err_set(err, ERR_INPUT, "the key %s is damaged", name) : 0;
}

static int write_temp(int dir, const char *temp)
{
	AUTO_CLOSE int fd =
		openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	uint8_t seed[KEY_SEED];
	char text[FILE_LEN + 1] = MARK;

	if (fd < 0)
		return -1;
	randombytes_buf(seed, sizeof(seed));
	sodium_bin2hex(text + sizeof(MARK) - 1, (size_t)2 * KEY_SEED + 1, seed, sizeof(seed));
	text[FILE_LEN - 1] = '\n';
	int r = io_write_all(fd, text, FILE_LEN) == 0 && fsync(fd) == 0 ? 0 : -1;
	sodium_memzero(seed, sizeof(seed));
	sodium_memzero(text, sizeof(text));
	return r;
}

/* The second of two processes must not replace the key of the first. */
static int make_seed(int dir, const char *name, struct err *err)
{
	char temp[TEMP_MAX];

	snprintf(temp, sizeof(temp), ".%s.%08x%08x", name, randombytes_random(),
		 randombytes_random());
	int r = write_temp(dir, temp);
	if (r == 0 && renameat2(dir, temp, dir, name, RENAME_NOREPLACE) < 0 && errno != EEXIST &&
	    (errno != EINVAL || (linkat(dir, temp, dir, name, 0) < 0 && errno != EEXIST)))
		r = -1; /* EINVAL: NFS has no such rename */
	if (r == 0 && fsync(dir) < 0)
		r = -1;
	if (r < 0)
		err_errno(err, ERR_SYSTEM, "making the key %s", name);
	unlinkat(dir, temp, 0);
	return r;
}

int key_load_seed(int dir, const char *name, bool create, uint8_t ret[KEY_SEED], struct err *err)
{
	if (strlen(name) > KEY_NAME_MAX || strchr(name, '/') || name[0] == '.' || !name[0])
		return err_set(err, ERR_USAGE, "\"%.80s\" is not a valid name of a key", name);
	if (sodium_init() < 0)
		return err_set(err, ERR_SYSTEM, "the system has no random numbers");
	int r = read_seed(dir, name, ret, err);
	if (r <= 0)
		return r;
	if (!create)
		return err_set(err, ERR_INPUT, "there is no key %s", name);
	if (make_seed(dir, name, err) < 0)
		return -1;
	r = read_seed(dir, name, ret, err);
	return r == 1 ? err_set(err, ERR_SYSTEM,
				"another process removed the key %s while it was made", name)
		      : r;
}

int key_load(int dir, const char *name, bool create, struct key *ret, struct err *err)
{
	uint8_t seed[KEY_SEED] = {0};

	if (key_load_seed(dir, name, create, seed, err) < 0)
		return -1;
	crypto_sign_seed_keypair(ret->public, ret->secret, seed);
	sodium_memzero(seed, sizeof(seed));
	return 0;
}

void key_sign(const struct key *key, const void *data, size_t len, uint8_t ret[KEY_SIGNATURE])
{
	crypto_sign_detached(ret, NULL, data, len, key->secret);
}

bool key_verify(const uint8_t public[KEY_PUBLIC], const void *data, size_t len,
		const uint8_t signature[KEY_SIGNATURE])
{
	return crypto_sign_verify_detached(signature, data, len, public) == 0;
}

void key_wipe(struct key *key)
{
	sodium_memzero(key, sizeof(*key));
}
