/* SPDX-License-Identifier: MIT
 *
 * Opens the directory, the database and the keys, in that order. The URL of a database server may
 * hold a password. It comes from the environment or from a private file, never from an argument,
 * and no message shows it. If the URL is lost, no new log is started: the file heads names the old
 * one.
 */
#include "gate/gate_state.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/account.h"
#include "base/io.h"
#include "base/scope.h"
#include "store/state.h"

enum { PAUSE_DOUBLES = 6 }; /* the longest pause is 64 ms */

/* After the change of ids the kernel makes this process undumpable, so the directory's owner
 * cannot read the keys in its memory. */
static int become_owner(const char *path, struct err *err)
{
	struct stat st;

	if (geteuid() != 0 || lstat(path, &st) < 0 || st.st_uid == 0)
		return 0;
	if (setgroups(0, NULL) < 0 || setresgid(st.st_gid, st.st_gid, st.st_gid) < 0 ||
	    setresuid(st.st_uid, st.st_uid, st.st_uid) < 0)
		return err_errno(err, ERR_SYSTEM, "becoming the owner of %s", path);
	return 0;
}

static int find_path(const struct gate_state_options *o, char ret[PATH_MAX], struct err *err)
{
	if (!o->path) {
		if (state_path(ret, err) == 0)
			return 0;
		err_cure(err, "set HOME, or XDG_STATE_HOME, or name a directory with --state");
		return -1;
	}
	if (o->path[0] != '/' || strlen(o->path) >= PATH_MAX)
		return err_set(err, ERR_USAGE, "the state directory must be an absolute path");
	memcpy(ret, o->path, strlen(o->path) + 1);
	return 0;
}

/* A read-only open creates no directory. */
static int open_dir(struct gate_state *s, const struct gate_state_options *o, struct err *err)
{
	struct stat st;

	if (find_path(o, s->path, err) < 0)
		return -1;
	if (o->read_only && lstat(s->path, &st) < 0 && errno == ENOENT) {
		err_set(err, ERR_INPUT, "there is no state directory %s", s->path);
		err_cure(err,
			 "nothing was recorded here; for a log in another directory: --state DIR");
		return -1;
	}
	if (o->as_owner && become_owner(s->path, err) < 0)
		return -1;
	s->dir = state_open(s->path, err);
	return s->dir < 0 ? -1 : 0;
}

static bool is_private(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & 077);
}

/* Reads one line. 1: there is no such file. */
static int read_url(int dir, char ret[STATE_URL_MAX + 1], struct err *err)
{
	AUTO_CLOSE int fd =
		openat(dir, STATE_URL_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0)
		return err_errno(err, ERR_SYSTEM, "opening " STATE_URL_FILE);
	if (!is_private(fd)) {
		err_set(err, ERR_REFUSED, "other users can access " STATE_URL_FILE);
		err_cure(err, "chmod 600, and change the password if there is one in it");
		return -1;
	}
	ssize_t n = io_read_full(fd, ret, STATE_URL_MAX + 1);
	if (n < 0)
		return err_errno(err, ERR_SYSTEM, "reading " STATE_URL_FILE);
	while (n > 0 && (ret[n - 1] == '\n' || ret[n - 1] == ' '))
		n--;
	if (n > STATE_URL_MAX || n == 0 || memchr(ret, '\0', (size_t)n) ||
	    memchr(ret, '\n', (size_t)n)) {
		err_set(err, ERR_INPUT, STATE_URL_FILE " is not one line of 1 to %d bytes",
			STATE_URL_MAX);
		err_cure(err, "write postgres://... into it, or remove it");
		return -1;
	}
	ret[n] = '\0';
	return 0;
}

static int open_store(struct gate_state *s, const struct gate_state_options *options,
		      struct err *err)
{
	const char *variable = getenv(STATE_URL_VARIABLE);
	char line[STATE_URL_MAX + 1] = "";
	struct store_options o = {.dir = s->dir,
				  .read_only = options->read_only,
				  .accepts = options->accepts,
				  .is_raw = options->is_raw};

	if (variable && *variable) {
		o.url = variable;
	} else {
		int r = read_url(s->dir, line, err);
		if (r < 0)
			return -1;
		o.url = r == 0 ? line : NULL;
	}
	s->on_server = o.url;
	int r = store_open(&o, &s->store, err);
	sodium_memzero(line, sizeof(line));
	if (r < 0)
		err_context(err, "the store of %s", s->path);
	return r;
}

int gate_state_open(struct gate_state *ret, const struct gate_state_options *options,
		    struct err *err)
{
	*ret = (struct gate_state)STATE_CLOSED;
	if (options->only_dir && open_dir(ret, options, err) == 0)
		return 0;
	if (!options->only_dir && open_dir(ret, options, err) == 0 &&
	    open_store(ret, options, err) == 0) {
		keeper_init(&ret->keeper, ret->store);
		snprintf(ret->principal, sizeof(ret->principal), "uid:%u%s", geteuid(),
			 account_is_mapped() ? " of a user namespace" : "");
		return 0;
	}
	gate_state_close(ret);
	return -1;
}

void gate_state_close(struct gate_state *s)
{
	store_close(s->store);
	s->store = NULL;
	scope_close(&s->dir);
}

void gate_pause(int tries)
{
	uint32_t most_ms = 1U << (tries < PAUSE_DOUBLES ? tries : PAUSE_DOUBLES);
	struct timespec pause = {.tv_nsec = (1 + randombytes_uniform(most_ms)) * 1000000L};

	nanosleep(&pause, NULL);
}
