/* SPDX-License-Identifier: MIT
 *
 * Reads and writes the file of signers. OpenSSH allows patterns, several names in a line, certificates, and
 * one key under two names; this reader refuses them, so that a line means the same to a person, to OpenSSH
 * and to us.
 */
#include "trust/signers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/root_file.h"
#include "base/scope.h"
#include "store/buf.h"
#include "trust/ssh_key.h"

bool signer_name_is_good(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.+@-";
	size_t len = strnlen(name, SIGNER_NAME_MAX + 1);

	return len > 0 && len <= SIGNER_NAME_MAX && strspn(name, letters) == len &&
	       strchr("-.+@", name[0]) == NULL;
}

struct reader {
	const char *file;
	size_t line;
	struct arena *arena;
	struct err *err;
};

static int complain(const struct reader *r, const char *what, const char *cure)
{
	err_set(r->err, ERR_INPUT, "%.200s:%zu: %s", r->file, r->line, what);
	err_cause(r->err, "a line is: NAME [namespaces=\"" SSH_NAMESPACE "\"] KEYTYPE BASE64");
	err_cure(r->err, "%s", cure);
	return -1;
}

/* NAME="VALUE", for the three options that are supported. */
static bool is_option(const char *text, size_t len)
{
	static const struct {
		const char *name, *letters;
	} rows[] = {{"namespaces=\"", "abcdefghijklmnopqrstuvwxyz0123456789.@,-"},
		    {"valid-after=\"", "0123456789Z"},
		    {"valid-before=\"", "0123456789Z"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t name = strlen(rows[i].name);
		if (len > name + 1 && strncmp(text, rows[i].name, name) == 0)
			return text[len - 1] == '"' &&
			       strspn(text + name, rows[i].letters) == len - name - 1;
	}
	return false;
}

/* Is SSH_NAMESPACE in the list "a,b,c"? */
static bool has_namespace(const char *text, size_t len)
{
	const char *end = text + len, *at = strchr(text, '"') + 1;
	size_t ours = strlen(SSH_NAMESPACE);

	for (; at < end; at += strcspn(at, ",\"") + 1)
		if (strcspn(at, ",\"") == ours && strncmp(at, SSH_NAMESPACE, ours) == 0)
			return true;
	return false;
}

/* Options are separated by commas and contain no blank, as in OpenSSH. */
static int read_options(const struct reader *r, const char *text, size_t len, const char **ret)
{
	size_t at = 0;

	if (!len || len > SIGNERS_OPTIONS_MAX)
		return complain(r, "an option is unknown or too long",
				"put one blank between name, options and key; remove the option");
	while (at < len) {
		const char *open = memchr(text + at, '"', len - at);
		const char *close =
			open ? memchr(open + 1, '"', (size_t)(text + len - open - 1)) : NULL;
		size_t end = close ? (size_t)(close - text) + 1 : len;
		if (!is_option(text + at, end - at) || (end < len && text[end] != ','))
			return complain(r, "an option is unknown or malformed",
					"use only namespaces=\"...\", valid-after=\"...\" and "
					"valid-before=\"...\"");
		if (text[at] == 'n' && !has_namespace(text + at, end - at))
			return complain(r, "the key is for other namespaces",
					"add " SSH_NAMESPACE " to namespaces");
		at = end < len ? end + 1 : end;
		if (end < len && at == len)
			return complain(r, "nothing follows the comma", "remove the comma");
	}
	*ret = arena_printf(r->arena, "%.*s ", (int)len, text);
	return 0;
}

static bool is_key_type(const char *word)
{
	return strncmp(word, "ssh-", 4) == 0 || strncmp(word, "ecdsa-", 6) == 0 ||
	       strncmp(word, "sk-", 3) == 0;
}

static int read_line(const struct reader *r, const char *line, struct signer *ret)
{
	size_t name = strcspn(line, " "), options;
	const char *at = line + name + 1;

	for (const char *c = line; *c; c++)
		if (*c < ' ' || *c > '~')
			return complain(
				r, "a character is not printable ASCII",
				"use blanks for tabs, and line feeds alone at the ends of lines");
	ret->name = arena_printf(r->arena, "%.*s", (int)name, line);
	if (!line[name] || !signer_name_is_good(ret->name))
		return complain(r, "the line does not begin with one plain name",
				"use letters, digits and _ . + @ -; no pattern, list or quote");
	ret->options = "";
	if (!is_key_type(at)) {
		options = strcspn(at, " ");
		if (strncasecmp(at, "cert-authority", 14) == 0)
			return complain(r, "certificate authorities are not supported",
					"add a line with the key of each person");
		if (!at[options])
			return complain(r, "the line has no key", "add the person's public key");
		if (read_options(r, at, options, &ret->options) < 0)
			return -1;
		at += options + 1;
	}
	struct err why;
	if (ssh_key_read(at, strlen(at), r->arena, &ret->key, &why) < 0)
		return complain(r, why.message, "copy the person's .pub file after the name");
	ret->line = r->line;
	return 0;
}

/* A key has one name: otherwise one person could count as two. */
static int check_twice(const struct reader *r, const struct signers *all, const struct signer *one)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->list[i].key, one->key) == 0)
			return complain(r, "an earlier line has the same key",
					"remove one of the lines");
	return 0;
}

int signers_parse(const char *name, const char *text, size_t len, struct arena *a,
		  struct signers *ret, struct err *err)
{
	struct reader r = {.file = name, .arena = a, .err = err};

	ret->count = 0;
	for (size_t at = 0; at < len;) {
		const char *from = text + at, *newline = memchr(from, '\n', len - at);
		size_t bytes = newline ? (size_t)(newline - from) : len - at;
		r.line++;
		at += bytes + 1;
		if (!bytes || from[0] == '#')
			continue;
		if (bytes > SSH_KEY_MAX + 2 * SIGNERS_OPTIONS_MAX || memchr(from, '\0', bytes))
			return complain(&r, "the line is too long or contains NUL",
					"remove the line");
		if (ret->count == SIGNERS_MAX)
			return complain(&r, "there are too many lines", "remove lines");
		struct signer *one = &ret->list[ret->count];
		if (read_line(&r, arena_printf(a, "%.*s", (int)bytes, from), one) < 0 ||
		    check_twice(&r, ret, one) < 0)
			return -1;
		ret->count++;
	}
	return a->failed ? err_memory(err) : 0;
}

/* NULL with errno ENOENT in ERR: the file does not exist. The result is malloc'd. */
static char *read_file(size_t *ret_len, struct err *err)
{
	AUTO_CLOSE int fd = root_file_open(SIGNERS_FILE, O_RDONLY | O_NONBLOCK | O_NOCTTY, err);
	AUTO_FREE char *text = fd < 0 ? NULL : malloc(SIGNERS_BYTES_MAX + 1);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!text) {
		err_memory(err);
		return NULL;
	}
	ssize_t len = fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
			      ? io_read_full(fd, text, SIGNERS_BYTES_MAX + 1)
			      : -1;
	if (len < 0 || len > SIGNERS_BYTES_MAX) {
		err_set(err, ERR_INPUT, SIGNERS_FILE " is not a regular file of at most %d bytes",
			SIGNERS_BYTES_MAX);
		return NULL;
	}
	*ret_len = (size_t)len;
	char *all = text;
	text = NULL;
	return all;
}

int signers_load(struct arena *a, struct signers *ret, struct err *err)
{
	size_t len = 0;

	ret->count = 0;
	AUTO_FREE char *text = read_file(&len, err);
	if (!text && err->sys_errno == ENOENT) {
		*err = (struct err){0};
		return 0;
	}
	return text ? signers_parse(SIGNERS_FILE, text, len, a, ret, err) : -1;
}

/* The new file is complete and on disk before it gets the name. */
static int replace(int dir, const void *data, size_t len, struct err *err)
{
	static const char temp[] = ".allowed_signers.new";

	unlinkat(dir, temp, 0);
	AUTO_CLOSE int fd =
		openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd >= 0 && fchmod(fd, 0644) == 0 && io_write_all(fd, data, len) == 0 &&
	    fsync(fd) == 0 && renameat(dir, temp, dir, strrchr(SIGNERS_FILE, '/') + 1) == 0 &&
	    fsync(dir) == 0)
		return 0;
	err_errno(err, ERR_SYSTEM, "writing " SIGNERS_FILE);
	unlinkat(dir, temp, 0);
	return -1;
}

/* The file's directory. It is locked until the descriptor is closed. */
static int open_directory(struct err *err)
{
	char path[] = SIGNERS_FILE;

	*strrchr(path, '/') = '\0';
	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return err_errno(err, ERR_SYSTEM, "making %s", path);
	int fd = root_file_open(path, O_RDONLY | O_DIRECTORY, err);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX) == 0)
		return fd;
	err_errno(err, ERR_SYSTEM, "locking %s", path);
	close(fd);
	return -1;
}

/* The present file; empty if it does not exist. The result is malloc'd. */
static char *read_now(size_t *ret_len, struct err *err)
{
	char *text = read_file(ret_len, err);

	if (!text && err->sys_errno == ENOENT) {
		*ret_len = 0;
		text = strdup("");
	}
	return text;
}

int signers_add(const char *name, const char *key, struct err *err)
{
	AUTO_BUF struct buf out = {.most = SIGNERS_BYTES_MAX};
	AUTO_FREE struct signers *all = calloc(1, sizeof(*all));
	struct arena a = {0};
	size_t len = 0;

	if (!all)
		return err_memory(err);
	AUTO_CLOSE int dir = open_directory(err);
	AUTO_FREE char *text = dir < 0 ? NULL : read_now(&len, err);
	if (!text)
		return -1;
	buf_add(&out, text, len);
	if (len && text[len - 1] != '\n')
		buf_str(&out, "\n");
	buf_printf(&out, "%s namespaces=\"" SSH_NAMESPACE "\" %s\n", name, key);
	/* Write only what can be read again. */
	int r = out.failed ? err_set(err, ERR_LIMIT, SIGNERS_FILE " would be too large")
			   : signers_parse(SIGNERS_FILE, (char *)out.data, out.len, &a, all, err);
	arena_done(&a);
	return r < 0 ? -1 : replace(dir, out.data, out.len, err);
}

int signers_remove(const char *name, struct err *err)
{
	AUTO_BUF struct buf out = {.most = SIGNERS_BYTES_MAX};
	size_t len = 0, word = strlen(name);
	int removed = 0;

	AUTO_CLOSE int dir = open_directory(err);
	AUTO_FREE char *text = dir < 0 ? NULL : read_now(&len, err);
	if (!text)
		return -1;
	/* A key can be removed even if other lines have errors. */
	for (size_t at = 0; at < len;) {
		const char *newline = memchr(text + at, '\n', len - at);
		size_t bytes = newline ? (size_t)(newline - text) + 1 - at : len - at;
		if (bytes > word && strncmp(text + at, name, word) == 0 && text[at + word] == ' ')
			removed++;
		else
			buf_add(&out, text + at, bytes);
		at += bytes;
	}
	if (out.failed)
		return err_memory(err);
	return removed && replace(dir, out.data, out.len, err) < 0 ? -1 : removed;
}
