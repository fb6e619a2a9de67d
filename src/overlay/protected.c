/* SPDX-License-Identifier: MIT
 *
 * The table of self-executing paths: the user's own tools would run them, or obey them, later. A path that
 * cannot be examined counts as protected.
 */
#include "overlay/protected.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/account.h"
#include "base/scope.h"
#include "base/subpath.h"

/* Paths that a program outside the box runs, loads or obeys by itself. A row is a file, or a directory with
 * everything in it, at any depth. It matches whole names in upper or lower case; a star matches any
 * part of a name. */
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
	/* version control, beside the repositories */
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
	/* instructions to agents, and their tools */
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

/* Compiled code, which is loaded in place of its source. Its program can make it again. */
static const char compiled_paths[][24] = {"__pycache__", "*.pyc", "*.pyo",
					  "*.pmc",	 "*.elc", "*.zwc"};

/* Repositories: they have hooks and a configuration with commands. */
static const char repository_paths[][24] = {".git", ".hg", ".jj", ".sl"};

/* Data that a commit changes in an existing repository: git reads it and runs none of it. */
static const char git_data[][24] = {
	"COMMIT_EDITMSG", "FETCH_HEAD",	 "HEAD",   "MERGE_HEAD", "MERGE_MODE",
	"MERGE_MSG",	  "ORIG_HEAD",	 "*.lock", "index",	 "logs",
	"objects",	  "packed-refs", "refs",
};

/* A further repository among that data would need one of these. */
static const char git_nested[][24] = {"objects", "commondir"};

/* Git takes each directory with HEAD, objects and refs for a repository. Such a directory must not be
 * created, and these entries of an existing one must not change. */
#define HEAD "HEAD"
#define GIT ".git"
static const char *const repository[] = {"config",   "config.worktree", "commondir", "hooks",
					 "info",     "modules",		"objects",   "refs",
					 "worktrees"};

/* AT is the beginning of a name in the path. If it cannot be compared, it matches. */
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
	AUTO_CLOSE int fd = subpath_open(workspace, beside, O_PATH | O_NOFOLLOW);
	return fd >= 0 || (errno != ENOENT && errno != ENOTDIR);
}

static bool is_same_dir(const struct stat *st, const char *path)
{
	struct stat home;

	return path && path[0] == '/' && path[1] && stat(path, &home) == 0 &&
	       home.st_dev == st->st_dev && home.st_ino == st->st_ino;
}

/* Are the first LEN bytes of PATH a home directory: $HOME, or one of /etc/passwd? */
static bool is_home(int workspace, const char *path, size_t len)
{
	AUTO_FREE char *dir = len ? strndup(path, len) : strdup(".");
	AUTO_CLOSE int fd = dir ? subpath_open(workspace, dir, O_PATH | O_DIRECTORY) : -1;
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

/* AT is the place of ".git/" in PATH. */
static bool is_git_data(int workspace, const char *path, const char *at)
{
	static const char git[] = GIT "/";
	size_t len = sizeof(git) - 1;

	if (strncmp(at, git, len) != 0 || !is_in(git_data, ARRAY_SIZE(git_data), at + len) ||
	    !has_beside(workspace, path, (size_t)(at - path) + len, HEAD))
		return false;
	for (at = strchr(at + len, '/'); at; at = strchr(at + 1, '/'))
		if (is_in(git_nested, ARRAY_SIZE(git_nested), at + 1))
			return false;
	return true;
}

/* Applies at any depth: a project below the workspace has hooks of its own. Beside the tables, three rules
 * examine the directory: dot files in a home directory, parts of a repository, compiled code beside its
 * source. */
bool protected_path(int workspace, const char *path)
{
	bool in_git = false;

	for (const char *at = path; at; at = strchr(at, '/')) {
		if (*at == '/')
			at++;
		if (is_in(protected_paths, ARRAY_SIZE(protected_paths), at) ||
		    is_in(compiled_paths, ARRAY_SIZE(compiled_paths), at))
			return true;
		if (is_in(repository_paths, ARRAY_SIZE(repository_paths), at)) {
			if (in_git || !is_git_data(workspace, path, at))
				return true;
			in_git = true;
		}
		if (*at == '.' && is_home(workspace, path, (size_t)(at - path)))
			return true;
		if (in_git)
			continue;
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

bool protected_is_in_git(const char *path)
{
	for (const char *at = path; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (is_named(at, GIT))
			return true;
	}
	return false;
}

bool protected_is_compiled(const char *name)
{
	return is_in(compiled_paths, ARRAY_SIZE(compiled_paths), name);
}

enum protected_kind protected_entry(const char *name, bool is_directory, enum protected_place place)
{
	static const char bare[][24] = {"config*", "hooks",	"info",
					"modules", "commondir", "worktrees"};

	if (place == PLACE_GIT)
		return is_in(git_data, ARRAY_SIZE(git_data), name) ? PROTECTED_NOT : PROTECTED;
	if (place == PLACE_GIT_DATA && is_in(git_nested, ARRAY_SIZE(git_nested), name))
		return PROTECTED;
	if (place == PLACE_BARE && is_in(bare, ARRAY_SIZE(bare), name))
		return PROTECTED;
	if (is_in(protected_paths, ARRAY_SIZE(protected_paths), name))
		return PROTECTED;
	/* A file .git refers to a repository elsewhere. */
	if (is_in(repository_paths, ARRAY_SIZE(repository_paths), name))
		return is_directory && strcasecmp(name, GIT) == 0 && place != PLACE_GIT_DATA
			       ? PROTECTED_NOT
			       : PROTECTED;
	return !is_directory && protected_is_compiled(name) ? PROTECTED_COMPILED : PROTECTED_NOT;
}

enum protected_place protected_below(const char *name, enum protected_place place)
{
	if (place == PLACE_GIT || place == PLACE_GIT_DATA)
		return PLACE_GIT_DATA;
	return strcasecmp(name, GIT) == 0 ? PLACE_GIT : PLACE_PLAIN;
}
