/* SPDX-License-Identifier: MIT
 *
 * See kept_home.h. The entry is committed before the directory gets its name, so a directory that was
 * made by anything else never has one.
 */
#include "trust/kept_home.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/account.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/io.h"
#include "base/scope.h"
#include "model/spec.h"

#define HOMES "homes"
#define NEW ".new"
#define PROJECT ".project" /* a file with the project's path */
enum { PROJECT_BYTES = 16 };

bool kept_home_is_name(const char *name)
{
	size_t len = strlen(name);
	bool good = len < KEPT_HOME_NAME_MAX && isalnum((unsigned char)name[0]);

	for (size_t i = 0; i < len; i++)
		good &= isalnum((unsigned char)name[i]) || strchr("._-", name[i]);
	return good;
}

static int open_directory(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int make_directory(int dir, const char *name)
{
	return mkdirat(dir, name, 0700) < 0 && errno != EEXIST ? -1 : open_directory(dir, name);
}

static void hash_project(const struct directory_place *at, char ret[2 * PROJECT_BYTES + 1])
{
	uint8_t sha256[DIGEST_BYTES];
	struct digest d;

	digest_init(&d);
	digest_add(&d, at->path, strlen(at->path) + 1);
	digest_add(&d, &at->identity[0], sizeof(at->identity[0]));
	digest_end(&d, sha256);
	for (int i = 0; i < PROJECT_BYTES; i++)
		snprintf(ret + 2 * (size_t)i, 3, "%02x", sha256[i]);
}

/* The directory of all homes of a project. */
static int open_project(int state, const struct directory_place *at, struct err *err)
{
	char name[2 * PROJECT_BYTES + 1];

	hash_project(at, name);
	AUTO_CLOSE int all = make_directory(state, HOMES);
	AUTO_CLOSE int dir = all < 0 ? -1 : make_directory(all, name);
	if (dir < 0)
		return err_errno(err, ERR_SYSTEM, "opening " HOMES " in the state directory");
	return scope_take_fd(&dir);
}

/* Trusts the place, or forgets it; again if another process changes the row meanwhile. */
static int put_entry(struct keeper *k, const struct directory_place *at, bool trusted,
		     struct err *err)
{
	AUTO_FREE struct directories *d = calloc(1, sizeof(*d));
	int r = d ? -1 : err_memory(err);

	for (int i = 0; d && i < KEEPER_TRIES_MAX; i++) {
		AUTO_TX struct store_tx tx = {0};
		*err = (struct err){0};
		if (directories_load(k, d, err) < 0)
			break;
		if (!trusted)
			directory_forget(d, at->path);
		else if (directory_set(d, at, true, "cordon, which made it", k->now_us(), err) < 0)
			break;
		directories_put(d, &tx);
		r = store_commit(k->store, &tx, err);
		if (r == 0 || err->code != ERR_CONFLICT)
			break;
	}
	if (d)
		directories_done(d);
	return r;
}

/* Root's box writes with the ids of the workspace's owner, or with ids that no account has. */
static int give(int fd, const struct kept_home *h, struct err *err)
{
	bool is_roots = h->owner.st_uid == 0 || h->owner.st_gid == 0;

	if (geteuid() != 0 || account_is_mapped())
		return 0;
	if (fchown(fd, is_roots ? SPEC_STAY_ID : h->owner.st_uid,
		   is_roots ? SPEC_STAY_ID : h->owner.st_gid) < 0)
		return err_errno(err, ERR_SYSTEM, "giving the kept home directory to the box");
	return 0;
}

/* The place that FD will have as NAME. */
static int find_place(int fd, const char *name, struct directory_place *ret, struct err *err)
{
	if (directory_find(fd, name, ret, err) < 0)
		return -1;
	char *last = strrchr(ret->path, '/') + 1;
	size_t room = sizeof(ret->path) - (size_t)(last - ret->path);
	if ((size_t)snprintf(last, room, "%s", name) >= room)
		return err_set(err, ERR_LIMIT, "the name of the state directory is too long");
	return 0;
}

/* DIR is locked. */
static int make(struct keeper *k, int dir, const struct kept_home *h, struct err *err)
{
	AUTO_FREE struct directory_place *at = calloc(1, sizeof(*at));

	if (!at)
		return err_memory(err);
	if (files_remove_tree(dir, NEW) < 0)
		return err_errno(err, ERR_SYSTEM, "removing what is left of a kept home directory");
	AUTO_CLOSE int fd = make_directory(dir, NEW);
	if (fd < 0)
		return err_errno(err, ERR_SYSTEM, "making a kept home directory");
	if (give(fd, h, err) < 0 || find_place(fd, h->name, at, err) < 0)
		return -1;
	AUTO_CLOSE int project =
		openat(dir, PROJECT, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (project < 0 || io_write_all(project, h->project->path, strlen(h->project->path)) < 0)
		return err_errno(err, ERR_SYSTEM, "writing " PROJECT);
	if (put_entry(k, at, true, err) < 0)
		return -1;
	if (renameat(dir, NEW, dir, h->name) < 0)
		return err_errno(err, ERR_SYSTEM, "naming the kept home directory");
	return scope_take_fd(&fd);
}

int kept_home_open(struct keeper *k, int state, const struct kept_home *h, struct err *err)
{
	AUTO_CLOSE int dir = open_project(state, h->project, err);

	if (dir < 0)
		return -1;
	if (flock(dir, LOCK_EX) < 0)
		return err_errno(err, ERR_SYSTEM, "locking the kept home directories");
	int fd = open_directory(dir, h->name);
	if (fd < 0 && errno != ENOENT)
		return err_errno(err, ERR_SYSTEM, "opening the kept home directory %s", h->name);
	return fd < 0 ? make(k, dir, h, err) : fd;
}

static int visit_project(int dir, kept_home_visit *visit, void *ctx, struct err *err)
{
	char project[PATH_MAX];
	AUTO_CLOSEDIR DIR *list = fdopendir(dup(dir));
	struct dirent *e;
	int r = 0;

	if (io_read_text(dir, PROJECT, project, sizeof(project)) < 0)
		return 0; /* it was never finished */
	while (r == 0 && list && (e = io_readdir(list))) {
		AUTO_CLOSE int fd =
			kept_home_is_name(e->d_name) ? open_directory(dir, e->d_name) : -1;
		if (fd >= 0)
			r = visit(ctx, fd, project, e->d_name, err);
	}
	return r;
}

int kept_home_each(int state, kept_home_visit *visit, void *ctx, struct err *err)
{
	AUTO_CLOSE int all = open_directory(state, HOMES);
	AUTO_CLOSEDIR DIR *list = all < 0 ? NULL : fdopendir(dup(all));
	struct dirent *e;
	int r = 0;

	while (r == 0 && list && (e = io_readdir(list))) {
		AUTO_CLOSE int dir = e->d_name[0] == '.' ? -1 : open_directory(all, e->d_name);
		if (dir >= 0)
			r = visit_project(dir, visit, ctx, err);
	}
	return r;
}

struct removal {
	struct keeper *keeper;
	const char *path, *name;
	unsigned count;
};

static int remove_one(void *ctx, int fd, const char *project, const char *name, struct err *err)
{
	struct removal *r = ctx;

	if (strcmp(project, r->path) != 0 || strcmp(name, r->name) != 0)
		return 0;
	AUTO_FREE struct directory_place *at = calloc(1, sizeof(*at));
	AUTO_CLOSE int dir = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!at)
		return err_memory(err);
	if (dir < 0 || flock(dir, LOCK_EX) < 0)
		return err_errno(err, ERR_SYSTEM, "locking the kept home directories");
	if (directory_find(fd, name, at, err) < 0 || put_entry(r->keeper, at, false, err) < 0)
		return -1;
	if (files_remove_tree(dir, name) < 0)
		return err_errno(err, ERR_SYSTEM, "removing %.200s", at->path);
	r->count++;
	return 0;
}

int kept_home_remove(struct keeper *k, int state, const char *path, const char *name, unsigned *ret,
		     struct err *err)
{
	struct removal r = {.keeper = k, .path = path, .name = name};

	int done = kept_home_each(state, remove_one, &r, err);
	*ret = r.count;
	return done;
}
