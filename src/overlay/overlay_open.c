/* SPDX-License-Identifier: MIT
 *
 * Opens, locks and drops overlays. An overlay is renamed before it is removed, so that a half removed
 * one is never used.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/io.h"
#include "base/scope.h"
#include "overlay/overlay_private.h"

#define OVERLAYS "overlays"

static int open_directory(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int make_directory(int dir, const char *name)
{
	return mkdirat(dir, name, 0700) < 0 && errno != EEXIST ? -1 : open_directory(dir, name);
}

static void write_hex(const uint8_t id[OVERLAY_CONVERSATION],
		      char ret[2 * OVERLAY_CONVERSATION + 1])
{
	for (int i = 0; i < OVERLAY_CONVERSATION; i++)
		snprintf(ret + 2 * (size_t)i, 3, "%02x", id[i]);
}

/* Not EWOULDBLOCK: a live box has it for hours. */
static bool has_live_box(int dir, struct err *err)
{
	AUTO_CLOSE int fd = openat(dir, OVERLAY_LIVE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char name[64];
	ssize_t n = fd < 0 ? -1 : read(fd, name, sizeof(name) - 1);

	if (n <= 0)
		return false;
	name[n] = '\0';
	err_set(err, ERR_LIMIT, "the live box %s has this directory, in this conversation", name);
	err_cure(err, "cordon box exec %s runs a command in it; cordon box stop %s ends it", name,
		 name);
	return true;
}

static int open_locked(struct overlay *ret, int state, const uint8_t *conversation, int workspace,
		       struct err *err)
{
	char id[2 * OVERLAY_CONVERSATION + 1], name[40];
	struct stat st;

	*ret = (struct overlay){
		.dir = -1, .bytes_max = OVERLAY_BYTES_MAX, .entries_max = OVERLAY_ENTRIES_MAX};
	if (fstat(workspace, &st) < 0)
		return err_errno(err, ERR_INPUT, "reading the attributes of the directory");
	write_hex(conversation, id);
	snprintf(name, sizeof(name), "%llx-%llx", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	snprintf(ret->tree, sizeof(ret->tree), OVERLAYS "/%s/%s/" OVERLAY_TREE, id, name);
	AUTO_CLOSE int all = make_directory(state, OVERLAYS);
	AUTO_CLOSE int own = all < 0 ? -1 : make_directory(all, id);
	AUTO_CLOSE int dir = own < 0 ? -1 : make_directory(own, name);
	if (dir < 0)
		return err_errno(err, ERR_SYSTEM, "opening the overlay in the state directory");
	if (flock(dir, LOCK_EX | LOCK_NB) < 0) {
		int why = errno;
		if (has_live_box(dir, err))
			return -1;
		errno = why;
		err_errno(err, ERR_CONFLICT, "the overlay is in use");
		err_cause(err, "another run of this conversation has the same directory");
		err_cure(err, "wait until it ends");
		return -1;
	}
	ret->dir = scope_take_fd(&dir);
	return 0;
}

/* An overlay in use is skipped. */
static bool is_unfinished(int own, const char *name)
{
	AUTO_CLOSE int dir = name[0] == '.' ? -1 : open_directory(own, name);

	return dir >= 0 && faccessat(dir, OVERLAY_JOURNAL, F_OK, 0) == 0 &&
	       flock(dir, LOCK_SH | LOCK_NB) == 0;
}

size_t overlay_unfinished(int state)
{
	AUTO_CLOSE int all = open_directory(state, OVERLAYS);
	AUTO_CLOSEDIR DIR *conversations = all < 0 ? NULL : fdopendir(dup(all));
	struct dirent *one, *each;
	size_t count = 0;

	while (conversations && (one = io_readdir(conversations))) {
		int own = one->d_name[0] == '.' ? -1 : open_directory(all, one->d_name);
		AUTO_CLOSEDIR DIR *list = own < 0 ? NULL : fdopendir(own);
		while (list && (each = io_readdir(list)))
			count += is_unfinished(own, each->d_name);
	}
	return count;
}

static int finish(struct overlay *o, int workspace, struct err *err)
{
	o->finished = faccessat(o->dir, OVERLAY_JOURNAL, F_OK, 0) == 0;
	if (files_remove_tree(o->dir, OVERLAY_INCOMING) < 0 ||
	    files_remove_tree(o->dir, OVERLAY_GONE) < 0)
		return err_errno(err, ERR_SYSTEM, "removing the rest of an overlay");
	if (overlay_merge(o, workspace, err) < 0)
		return -1;
	if (overlay_forget_first(o) < 0 ||
	    (unlinkat(o->dir, OVERLAY_LIVE, 0) < 0 && errno != ENOENT))
		return err_errno(err, ERR_SYSTEM, "removing the rest of an overlay");
	return overlay_roll_forward(o, workspace, err);
}

int overlay_open(struct overlay *ret, int state, const uint8_t conversation[OVERLAY_CONVERSATION],
		 int workspace, struct err *err)
{
	if (open_locked(ret, state, conversation, workspace, err) < 0)
		return -1;
	if (finish(ret, workspace, err) == 0)
		return 0;
	err_context(err, "finishing an interrupted operation");
	overlay_close(ret);
	return -1;
}

int overlay_lend(const struct overlay *o, const char *name, struct err *err)
{
	AUTO_CLOSE int fd = openat(o->dir, OVERLAY_LIVE,
				   O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 || io_write_all(fd, name, strlen(name)) < 0
		       ? err_errno(err, ERR_SYSTEM, "naming the live box in the overlay")
		       : 0;
}

struct overlay overlay_adopt(int dir)
{
	return (struct overlay){
		.dir = dir, .bytes_max = OVERLAY_BYTES_MAX, .entries_max = OVERLAY_ENTRIES_MAX};
}

void overlay_close(struct overlay *o)
{
	scope_close(&o->dir);
}

static int drop(const struct overlay *o, struct err *err)
{
	static const char *const parts[] = {OVERLAY_PENDING, OVERLAY_JOURNAL, OVERLAY_BASE,
					    OVERLAY_GONE, OVERLAY_LIVE};

	if (renameat(o->dir, OVERLAY_TREE, o->dir, OVERLAY_GONE) < 0 && errno != ENOENT)
		return err_errno(err, ERR_SYSTEM, "dropping the overlay");
	if (overlay_forget_first(o) < 0)
		return err_errno(err, ERR_SYSTEM, "dropping the overlay");
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (files_remove_tree(o->dir, parts[i]) < 0)
			return err_errno(err, ERR_SYSTEM, "dropping the overlay");
	return 0;
}

void overlay_close_last(struct overlay *o, int state, int workspace)
{
	AUTO_DIFF struct overlay_diff d = {0};
	struct err ignored;

	if (o->dir >= 0 && overlay_diff(o, workspace, &d, &ignored) == 0 && !d.count &&
	    drop(o, &ignored) == 0)
		for (int i = 0; i < 2; i++) {
			*strrchr(o->tree, '/') = '\0';
			unlinkat(state, o->tree, AT_REMOVEDIR);
		}
	overlay_close(o);
}

int overlay_reset(int state, const uint8_t conversation[OVERLAY_CONVERSATION], int workspace,
		  bool *ret_finished, struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	struct err unfinished;

	if (open_locked(&o, state, conversation, workspace, err) < 0)
		return -1;
	(void)finish(&o, workspace, &unfinished); /* it can be the damaged part */
	*ret_finished = o.finished;
	return drop(&o, err);
}
