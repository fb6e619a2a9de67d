/* SPDX-License-Identifier: MIT
 *
 * The one table of paths that would make the user's own tools run code later. What cannot be looked at
 * counts as protected.
 */
#include "overlay/protected.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/account.h"
#include "base/beneath.h"
#include "base/io.h"
#include "base/scope.h"
#include "model/limit.h"

/* Paths that a program outside the box runs, loads or obeys without being told to. A row is a file or a
 * directory with all that is in it, at any depth. It matches whole names, in upper or lower case; a star
 * stands for any part of a name. */
static const char protected_paths[][24] = {
	/* shells */
	".bash*",
	".profile",
	".zsh*",
	".zlog*",
	".zprofile",
	".envrc",
	/* a user's programs and services: autostart, systemd, fish, git */
	".config",
	".ssh",
	".gnupg",
	/* version control: what runs by itself, beside the repositories */
	".husky",
	".pre-commit-config.yaml",
	/* builds that run on a server */
	".github",
	".gitlab-ci.yml",
	/* editors */
	".vscode",
	".idea",
	".devcontainer",
	/* debuggers, interpreters and package managers */
	".gdbinit",
	".lldbinit",
	".pdbrc",
	".Rprofile",
	".npmrc",
	".yarnrc*",
	".pnpmfile.cjs",
	".cargo",
	/* Python: run at every start */
	"sitecustomize*",
	"usercustomize*",
	"*.pth",
	/* compiled code, which is loaded in place of its source; what needs it makes it again */
	"__pycache__",
	"*.pyc",
	"*.pyo",
	"*.pmc",
	"*.elc",
	"*.zwc",
	/* orders to agents, and their tools */
	".claude*",
	"CLAUDE*.md",
	"AGENTS*.md",
	"GEMINI*.md",
	".mcp.json",
	".codex",
	".gemini",
	".kiro",
	".roo*",
	".cursor*",
	".cline*",
	".windsurf*",
};

/* Repositories: they have hooks, and configuration that names commands. */
static const char repository_paths[][24] = {".git", ".hg", ".jj", ".sl"};

/* Git takes a directory with HEAD, objects and refs for a repository, by whatever name: none is made, and in
 * one that there is these are not changed. */
#define HEAD "HEAD"
static const char *const repository[] = {"config",   "config.worktree", "commondir", "hooks",
					 "info",     "modules",		"objects",   "refs",
					 "worktrees"};

/* AT: where a name in the path begins. What cannot be compared counts as a match. */
static bool is_named(const char *at, const char *row)
{
	return fnmatch(row, at, FNM_PATHNAME | FNM_NOESCAPE | FNM_LEADING_DIR | FNM_CASEFOLD) !=
	       FNM_NOMATCH;
}

/* Is there a file whose path is LEN bytes of PATH and then NAME? */
static bool has_beside(int workspace, const char *path, size_t len, const char *name)
{
	AUTO_FREE char *beside = NULL;

	if (asprintf(&beside, "%.*s%s", (int)len, path, name) < 0)
		return true;
	AUTO_CLOSE int fd = beneath_open(workspace, beside, O_PATH | O_NOFOLLOW);
	return fd >= 0 || (errno != ENOENT && errno != ENOTDIR);
}

static bool is_same_dir(const struct stat *st, const char *path)
{
	struct stat home;

	return path && path[0] == '/' && path[1] && stat(path, &home) == 0 &&
	       home.st_dev == st->st_dev && home.st_ino == st->st_ino;
}

/* True if the first LEN bytes of PATH name a user's home directory: $HOME, or one of /etc/passwd. */
static bool is_home(int workspace, const char *path, size_t len)
{
	AUTO_FREE char *dir = len ? strndup(path, len) : strdup(".");
	AUTO_CLOSE int fd = dir ? beneath_open(workspace, dir, O_PATH | O_DIRECTORY) : -1;
	AUTO_FREE char *line = NULL;
	size_t size = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return errno != ENOENT && errno != ENOTDIR;
	FILE *f = fopen("/etc/passwd", "re");
	bool found = is_same_dir(&st, getenv("HOME"));
	const char *home = "";
	while (f && !found && home) {
		home = account_home(f, &line, &size);
		found = is_same_dir(&st, home);
	}
	if (f)
		fclose(f);
	return found;
}

static bool is_in(const char (*rows)[24], size_t count, const char *at)
{
	for (size_t i = 0; i < count; i++)
		if (is_named(at, rows[i]))
			return true;
	return false;
}

/* At any depth: a project below the workspace has hooks of its own. Beside the tables, three rules look
 * at what is there: settings in a home directory, whose names begin with a dot; parts of a repository;
 * and compiled code beside its source. */
bool protected_path(int workspace, const char *path)
{
	for (const char *at = path; at; at = strchr(at, '/')) {
		if (*at == '/')
			at++;
		if (is_in(protected_paths, ARRAY_SIZE(protected_paths), at) ||
		    is_in(repository_paths, ARRAY_SIZE(repository_paths), at))
			return true;
		if (*at == '.' && is_home(workspace, path, (size_t)(at - path)))
			return true;
		if (strncmp(at, HEAD, 4) == 0 && (at[4] == '\0' || at[4] == '/'))
			return true;
		size_t dir = (size_t)(at - path);
		for (size_t i = 0; i < ARRAY_SIZE(repository); i++)
			if (is_named(at, repository[i]) && has_beside(workspace, path, dir, HEAD))
				return true;
		/* Python loads util.so, or util.abi3.so, in place of util.py. */
		if (is_named(at, "*.so") &&
		    has_beside(workspace, path, dir + strcspn(at, "."), ".py"))
			return true;
	}
	return false;
}

/* True if there is a repository below DIR, or DIR cannot be searched. Closes DIR. */
static bool holds_repository(int dir, unsigned depth)
{
	AUTO_CLOSEDIR DIR *d = depth < CORDON_WALK_DEPTH_MAX ? fdopendir(dir) : NULL;
	struct dirent *e;

	if (!d) {
		scope_close(&dir);
		return true;
	}
	while ((e = io_readdir(d))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (is_in(repository_paths, ARRAY_SIZE(repository_paths), e->d_name))
			return true;
		int below = openat(dirfd(d), e->d_name,
				   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0 ? holds_repository(below, depth + 1)
			       : errno != ENOTDIR && errno != ELOOP)
			return true;
	}
	return errno != 0;
}

bool protected_holds_repository(int workspace, const char *path)
{
	int dir = beneath_open(workspace, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

	if (dir < 0)
		return errno != ENOENT && errno != ENOTDIR && errno != ELOOP;
	return holds_repository(dir, 0);
}
