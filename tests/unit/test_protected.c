/* SPDX-License-Identifier: MIT
 *
 * Paths that the user's own tools would run or obey, and that a ticket must name one by one: by their names,
 * and by what is there beside them.
 */
#include "overlay/protected.h"

#include <limits.h>
#include <sys/wait.h>

#include "base/scope.h"
#include "mount_space.h"
#include "scratch.h"
#include "tap.h"

static int ws = -1;

/* Each of these would make the user's shell, git, editor, interpreter or agent run or obey it. */
static const char *const protected[] = {
	".git/hooks/pre-commit",
	".git/config",
	"sub/.git/hooks/x",
	"sub/.git/config",
	".git/hooks",
	/* A file .git names another directory as the repository: its config runs programs. */
	".git",
	"sub/.git",
	".hg/hgrc",
	".jj/repo/config.toml",
	"sub/.sl/config",
	".husky/pre-commit",
	".pre-commit-config.yaml",
	".bashrc",
	".bash_profile",
	".bash_login",
	".bash_aliases",
	".profile",
	".zshrc",
	".zshenv",
	".zprofile",
	".zlogin",
	".envrc",
	"a/b/.envrc",
	".ssh/authorized_keys",
	".gnupg/gpg.conf",
	".config/autostart/x.desktop",
	".config/systemd/user/x.service",
	".config/fish/config.fish",
	".github/workflows/x.yml",
	".github/copilot-instructions.md",
	".gitlab-ci.yml",
	".vscode/tasks.json",
	".idea/workspace.xml",
	".devcontainer/devcontainer.json",
	".gdbinit",
	".lldbinit",
	".pdbrc",
	".Rprofile",
	"sub/.npmrc",
	".yarnrc",
	".yarnrc.yml",
	".pnpmfile.cjs",
	".cargo/config.toml",
	"sitecustomize.py",
	"sitecustomize.pyc",
	"sitecustomize/__init__.py",
	"sitecustomize",
	"usercustomize.py",
	"lib/usercustomize/__init__.py",
	"lib/evil.pth",
	"lib/.pth",
	"Evil.PTH",
	"evil.pth/x",
	"__pycache__",
	"__pycache__/util.cpython-311.pyc",
	"pkg/__PyCache__/util.cpython-311.opt-1.pyc",
	"util.pyc",
	"pkg/util.pyo",
	"lib/Util.pmc",
	"lib/util.elc",
	".zfunc/util.zwc",
	".mcp.json",
	".claude/settings.json",
	"AGENTS.md",
	"AGENTS.override.md",
	"sub/CLAUDE.md",
	"CLAUDE.local.md",
	"gemini.md",
	".codex/config.toml",
	".gemini/settings.json",
	".kiro/hooks/x",
	".roo/rules/x.md",
	".roomodes",
	".cursor/rules/x.mdc",
	".cursorrules",
	".clinerules",
	".windsurf/rules/x.md",
	".windsurfrules",
};

/* And these only look alike. */
/* clang-format off */
static const char *const harmless[] = {
	"my.bashrc", "my.profile", ".gitignore", "x.pth.txt", "pyc", "x.pyc.txt", "gitlab-ci.yml",
	"mysitecustomize", "config.toml", "AGENTS.txt", "other.so", "AGENTS/notes.md", "HEADER",
};
/* clang-format on */

static void is(const char *path, bool wanted)
{
	ok(protected_path(ws, path) == wanted, "%s is %sprotected", path, wanted ? "" : "not ");
}

static void prepare(void)
{
	scope_close(&ws);
	scratch_must(system("rm -rf ws; mkdir ws ws/dir; ln -s ../outside ws/link") == 0, "a tree");
	ws = open("ws", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scratch_must(ws >= 0, "ws");
}

static void set_home(const char *path)
{
	char home[PATH_MAX];

	scratch_must(realpath(path, home) && setenv("HOME", home, 1) == 0, "a home");
}

static void test_names(void)
{
	prepare();
	for (size_t i = 0; i < ARRAY_SIZE(protected); i++)
		is(protected[i], true);
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		is(harmless[i], false);
}

/* 2: /etc/passwd cannot be replaced here. */
static int try_passwd_home(const char *home)
{
	char lines[PATH_MAX + 100];

	snprintf(lines, sizeof(lines),
		 "first:x:1:1::/nonexistent:\nother:x:7:7:A Name:%s:/bin/sh\n", home);
	scratch_file("passwd", lines, 0644);
	if (enter_mount_space() < 0 || mount("passwd", "/etc/passwd", NULL, MS_BIND, NULL) < 0)
		return 2;
	return protected_path(ws, ".vimrc") ? 0 : 1;
}

/* In a home directory every name with a dot is a setting of the user's. */
static void test_home(void)
{
	static const char what[] = "a home directory that /etc/passwd names";
	char home[PATH_MAX];
	int status = -1;

	prepare();
	set_home("ws");
	is(".gitconfig", true);
	is(".vim/plugin/x.vim", true);
	is("notes", false);
	/* A home below the workspace, too; then the workspace itself is not a home. */
	set_home("ws/dir");
	is("dir/.gitconfig", true);
	is("dir/notes", false);
	is(".vimrc", false);
	/* What a link leads to cannot be told. */
	is("link/.gitconfig", true);
	setenv("HOME", "/nonexistent", 1);
	scratch_must(realpath("ws", home), "a home");
	pid_t pid = fork();
	if (pid == 0)
		_exit(try_passwd_home(home));
	scratch_must(pid > 0 && waitpid(pid, &status, 0) == pid, "a child");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		tap_skip(what, "no mount namespace or no /etc/passwd here");
	else
		ok(status == 0, "%s", what);
}

/* Python looks for util.so before util.py: the source stays as it was, and other code runs. */
static void test_compiled_beside_source(void)
{
	prepare();
	scratch_file("ws/util.py", "x = 1\n", 0644);
	scratch_file("ws/dir/__init__.py", "", 0644);
	is("util.so", true);
	is("util.abi3.so", true);
	is("util.cpython-311-x86_64-linux-gnu.so", true);
	is("dir/__init__.so", true);
	is("dir/util.so", false);
}

/* Git takes a directory with HEAD, objects and refs for a repository, and runs what its config says. */
static void test_bare_repository(void)
{
	static const char *const parts[] = {
		"config",	   "config.worktree",  "commondir",	 "hooks/post-update",
		"info/attributes", "modules/x/config", "objects/info/x", "refs/heads/x",
		"worktrees/x"};
	char path[64];

	prepare();
	is("HEAD", true);
	is("a/HEAD/x", true);
	is("a/b/HEAD", true);
	scratch_dir("ws/bare");
	scratch_file("ws/bare/HEAD", "ref: refs/heads/x", 0644);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(path, sizeof(path), "bare/%s", parts[i]);
		is(path, true);
		snprintf(path, sizeof(path), "dir/%s", parts[i]);
		is(path, false);
	}
	is("link/config", true);
}

/* Where programs write directly, version control must work: of a repository only what runs is protected. */
static void test_entries(void)
{
	static const struct {
		const char *name;
		enum protected_place place;
		enum protected_kind kind;
	} rows[] = {
		{"src", PLACE_PLAIN, PROTECTED_NOT},
		{".gitignore", PLACE_PLAIN, PROTECTED_NOT},
		{"config", PLACE_PLAIN, PROTECTED_NOT},
		{".envrc", PLACE_PLAIN, PROTECTED},
		{".bash_profile", PLACE_PLAIN, PROTECTED},
		{".GitHub", PLACE_PLAIN, PROTECTED},
		{"CLAUDE.md", PLACE_PLAIN, PROTECTED},
		{"x.pth", PLACE_PLAIN, PROTECTED},
		{".git", PLACE_PLAIN, PROTECTED_NOT},
		{".hg", PLACE_PLAIN, PROTECTED},
		{".jj", PLACE_PLAIN, PROTECTED},
		{"__pycache__", PLACE_PLAIN, PROTECTED_NOT},
		{"config", PLACE_BARE, PROTECTED},
		{"hooks", PLACE_BARE, PROTECTED},
		{".envrc", PLACE_BARE, PROTECTED},
		{".git", PLACE_BARE, PROTECTED_NOT},
		{"src", PLACE_BARE, PROTECTED_NOT},
		{"config", PLACE_GIT, PROTECTED},
		{"config.worktree", PLACE_GIT, PROTECTED},
		{"hooks", PLACE_GIT, PROTECTED},
		{"info", PLACE_GIT, PROTECTED},
		{"modules", PLACE_GIT, PROTECTED},
		{"worktrees", PLACE_GIT, PROTECTED},
		{"commondir", PLACE_GIT, PROTECTED},
		{"rebase-merge", PLACE_GIT, PROTECTED},
		{"index", PLACE_GIT, PROTECTED_NOT},
		{"objects", PLACE_GIT, PROTECTED_NOT},
		{"HEAD", PLACE_GIT, PROTECTED_NOT},
		{"objects", PLACE_GIT_DATA, PROTECTED},
		{"commondir", PLACE_GIT_DATA, PROTECTED},
		{"config", PLACE_GIT_DATA, PROTECTED_NOT},
		{"HEAD", PLACE_GIT_DATA, PROTECTED_NOT},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok(protected_entry(rows[i].name, true, rows[i].place) == rows[i].kind,
		   "the entry %s, place %d", rows[i].name, rows[i].place);
	ok(protected_entry(".git", false, PLACE_PLAIN) == PROTECTED,
	   "a file .git leads to a repository elsewhere");
	ok(protected_entry("x.PYC", false, PLACE_PLAIN) == PROTECTED_COMPILED,
	   "compiled code is a file");
	ok(protected_below(".git", PLACE_PLAIN) == PLACE_GIT &&
		   protected_below("objects", PLACE_GIT) == PLACE_GIT_DATA &&
		   protected_below("x", PLACE_GIT_DATA) == PLACE_GIT_DATA &&
		   protected_below("src", PLACE_BARE) == PLACE_PLAIN,
	   "a place is below another");
}

int main(void)
{
	const char *dir = scratch_enter();

	setenv("HOME", "/nonexistent", 1);
	test_names();
	test_home();
	test_compiled_beside_source();
	test_bare_repository();
	test_entries();
	scope_close(&ws);
	scratch_leave(dir);
	return tap_done();
}
