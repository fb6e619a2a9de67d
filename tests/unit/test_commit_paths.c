/* SPDX-License-Identifier: MIT
 *
 * What a commit leaves out because the user's own tools would run or obey it: by its name, and by what is
 * there beside it.
 */
#include <sys/wait.h>

#include "commit_case.h"
#include "mount_space.h"

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

/* 2: /etc/passwd cannot be replaced here. */
static int try_passwd_home(const char *home)
{
	char lines[PATH_MAX + 100];
	struct err err;

	snprintf(lines, sizeof(lines),
		 "first:x:1:1::/nonexistent:\nother:x:7:7:A Name:%s:/bin/sh\n", home);
	scratch_file("passwd", lines, 0644);
	if (enter_mount_space() < 0 || mount("passwd", "/etc/passwd", NULL, MS_BIND, NULL) < 0)
		return 2;
	struct result *r = begin();
	file_change(r, ".vimrc", 0644);
	return commit(r, &err) == 0 && r->changes[0].note ? 0 : 1;
}

/* In a home directory every name with a dot is somebody's setting. */
static void test_home(void)
{
	static const char what[] = "a home directory that /etc/passwd names";
	char home[PATH_MAX];
	struct err err;
	int status = -1;

	prepare();
	scratch_must(realpath("ws", home) && setenv("HOME", home, 1) == 0, "a home");
	refused(".gitconfig", 10, CHANGE_ADDED, TYPE_FILE);
	refused(".vim/plugin/x.vim", 17, CHANGE_ADDED, TYPE_FILE);
	/* Below the workspace, too; and then the workspace itself is none. */
	scratch_must(realpath("ws/dir", home) && setenv("HOME", home, 1) == 0, "a home");
	refused("dir/.gitconfig", 14, CHANGE_ADDED, TYPE_FILE);
	/* What a link leads to cannot be told. */
	refused("link/.gitconfig", 15, CHANGE_ADDED, TYPE_FILE);
	struct result *r = begin();
	scratch_file("upper/.vimrc", "x", 0644);
	file_change(r, ".vimrc", 0644);
	ok(commit(r, &err) == 0 && scratch_exists("ws/.vimrc"), "elsewhere it is a file like any");
	result_done(r);
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

/* A repository is not removed with the directory around it; compiled code is. */
static void test_kept_repository(void)
{
	char deep[2 * CORDON_WALK_DEPTH_MAX + 16] = "ws/deep";
	struct err err;

	prepare();
	scratch_dir("ws/clone");
	scratch_dir("ws/clone/sub");
	scratch_dir("ws/clone/sub/.git");
	refused("clone", 5, CHANGE_DELETED, TYPE_DIR);
	refused("clone", 5, CHANGE_MODIFIED, TYPE_FILE);
	struct result *r = begin();
	add(r, "clone", 5, CHANGE_MODIFIED, TYPE_DIR, 0755, true);
	ok(commit(r, &err) == 0 && r->changes[0].note, "nor by a directory in its place");
	result_done(r);
	ok(scratch_exists("ws/clone/sub/.git"), "the repository is there");
	scratch_must(rename("ws/clone/sub/.git", "ws/clone/sub/__pycache__") == 0, "rename");
	if (geteuid() != 0) {
		scratch_must(chmod("ws/clone/sub", 0) == 0, "closing");
		refused("clone", 5, CHANGE_DELETED, TYPE_DIR);
		refused("clone/sub", 9, CHANGE_DELETED, TYPE_DIR);
		scratch_must(chmod("ws/clone/sub", 0755) == 0, "opening");
	}
	r = begin();
	add(r, "clone", 5, CHANGE_DELETED, TYPE_DIR, 0755, false);
	ok(commit(r, &err) == 0 && !scratch_exists("ws/clone"),
	   "compiled code goes with its directory");
	result_done(r);
	scratch_dir(deep);
	for (int i = 0; i < CORDON_WALK_DEPTH_MAX; i++)
		scratch_dir(strcat(deep, "/d"));
	refused("deep", 4, CHANGE_DELETED, TYPE_DIR);
}

static void test_protected(void)
{
	prepare();
	scratch_dir("upper/AGENTS");
	scratch_dir("ws/AGENTS");
	for (size_t i = 0; i < ARRAY_SIZE(protected); i++)
		refused(protected[i], strlen(protected[i]), CHANGE_ADDED, TYPE_FILE);
	struct err err;
	struct result *r = begin();
	char path[64];
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++) {
		snprintf(path, sizeof(path), "upper/%s", harmless[i]);
		scratch_file(path, "x", 0644);
		file_change(r, harmless[i], 0644);
	}
	ok(commit(r, &err) == 0, "names that only look alike are committed: %s", err.message);
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++) {
		snprintf(path, sizeof(path), "ws/%s", harmless[i]);
		ok(scratch_exists(path), "%s is there", harmless[i]);
	}
	result_done(r);
}

/* Python looks for util.so before util.py: the source stays as it was, and other code runs. */
static void test_compiled_beside_source(void)
{
	prepare();
	scratch_file("ws/util.py", "x = 1\n", 0644);
	scratch_file("ws/dir/__init__.py", "", 0644);
	refused("util.so", 7, CHANGE_ADDED, TYPE_FILE);
	refused("util.abi3.so", 12, CHANGE_ADDED, TYPE_FILE);
	refused("util.cpython-311-x86_64-linux-gnu.so", 36, CHANGE_ADDED, TYPE_FILE);
	refused("dir/__init__.so", 15, CHANGE_ADDED, TYPE_FILE);
}

/* Git takes a directory with HEAD, objects and refs for a repository, and runs what its config says. */
static void test_bare_repository(void)
{
	static const char *const parts[] = {"bare/config",	    "bare/config.worktree",
					    "bare/commondir",	    "bare/hooks/post-update",
					    "bare/info/attributes", "bare/modules/x/config",
					    "bare/objects/info/x",  "bare/refs/heads/x",
					    "bare/worktrees/x",	    "link/config"};
	struct err err;

	prepare();
	refused("HEAD", 4, CHANGE_ADDED, TYPE_FILE);
	refused("a/HEAD/x", 8, CHANGE_ADDED, TYPE_FILE);
	refused("a/b/HEAD", 8, CHANGE_MODIFIED, TYPE_FILE);
	scratch_dir("ws/bare");
	scratch_file("ws/bare/HEAD", "ref: refs/heads/x", 0644);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		refused(parts[i], strlen(parts[i]), CHANGE_ADDED, TYPE_FILE);
	struct result *r = begin();
	scratch_dir("upper/head");
	scratch_file("upper/head/config", "x", 0644);
	add(r, "head", 4, CHANGE_ADDED, TYPE_DIR, 0755, false);
	file_change(r, "head/config", 0644);
	ok(commit(r, &err) == 0 && scratch_exists("ws/head/config"),
	   "config elsewhere is a file like any other");
	result_done(r);
}

int main(void)
{
	const char *dir = scratch_enter();

	test_protected();
	test_home();
	test_kept_repository();
	test_compiled_beside_source();
	test_bare_repository();
	scratch_leave(dir);
	return tap_done();
}
