/* SPDX-License-Identifier: MIT
 *
 * The tables of the language profiles, and of the two profiles of execution. In the profile snippet
 * only listed programs may be executed. Where that list is not empty, only library directories are
 * shown and not all of /usr/lib: the dynamic loader must be startable then, and it would run any
 * program it can read. In the profile dev everything that the box shows may be executed.
 */
#include "conf/profile.h"

#include <string.h>

#include "base/scope.h"
#include "model/egress_message.h"

#if defined(__x86_64__)
#define TRIPLET "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define TRIPLET "aarch64-linux-gnu"
#else
#error "Cordon runs on x86_64 and aarch64"
#endif

#define CODE (BIND_CODE | BIND_OPTIONAL)
#define DATA BIND_OPTIONAL
#define PROGRAMS (CODE | BIND_PROGRAM)

const char *const profile_loaders[] = {
#if defined(__x86_64__)
	"/lib64/ld-linux-x86-64.so.2",
#else
	"/lib/ld-linux-aarch64.so.1",
#endif
	NULL};

/* A symbolic link on the host becomes the same link in the box. */
const struct profile_bind profile_common_binds[] = {
	{"/bin", CODE | BIND_HIDDEN | WHEN_FLAGS},
	{"/sbin", DATA | WHEN_FLAGS},
	{"/lib", CODE},
	{"/lib64", CODE},
	{"/usr/lib", CODE | WHEN_NO_EXEC},
	{"/usr/lib/" TRIPLET, CODE | WHEN_EXEC},
	{"/usr/lib/ld-linux-aarch64.so.1", CODE | WHEN_EXEC},
	{"/usr/lib64", CODE},
	{"/usr/lib/locale", DATA | WHEN_EXEC},
	{"/etc/ld.so.cache", DATA},
	{NULL, 0}};

/* Of /etc only what no system keeps a secret in: not npmrc, pip.conf or gitconfig, which may have tokens. */
const struct profile_bind profile_dev_binds[] = {{"/bin", PROGRAMS},
						 {"/sbin", PROGRAMS},
						 {"/lib", PROGRAMS},
						 {"/lib64", PROGRAMS},
						 {"/usr", PROGRAMS},
						 {"/opt", PROGRAMS},
						 {"/etc/alternatives", DATA},
						 {"/etc/debian_version", DATA},
						 {"/etc/fonts", DATA},
						 {"/etc/groff", DATA},
						 {"/etc/inputrc", DATA},
						 {"/etc/ld.so.cache", DATA},
						 {"/etc/ld.so.conf", DATA},
						 {"/etc/ld.so.conf.d", DATA},
						 {"/etc/localtime", DATA},
						 {"/etc/magic", DATA},
						 {"/etc/java-11-openjdk", DATA},
						 {"/etc/java-17-openjdk", DATA},
						 {"/etc/java-21-openjdk", DATA},
						 {"/etc/manpath.config", DATA},
						 {"/etc/matplotlibrc", DATA},
						 {"/etc/mime.types", DATA},
						 {"/etc/os-release", DATA},
						 {"/etc/perl", DATA},
						 {"/etc/protocols", DATA},
						 {"/etc/python3", DATA},
						 {"/etc/services", DATA},
						 {"/etc/ssl/certs", DATA},
						 {"/etc/ssl/openssl.cnf", DATA},
						 {"/etc/terminfo", DATA},
						 {"/etc/timezone", DATA},
						 {"/sys/devices/system/cpu", DATA},
						 {NULL, 0}};

/* Directories that hold programs and nothing else: registries, caches and credentials lie beside them. */
const struct profile_toolchain profile_toolchains[] = {{".bun/bin", "", NULL},
						       {".cargo/bin", "", NULL},
						       {".deno/bin", "", NULL},
						       {".nvm/versions", NULL, NULL},
						       {".pyenv", "shims", "PYENV_ROOT"},
						       {".rbenv", "shims", "RBENV_ROOT"},
						       {".rustup", NULL, "RUSTUP_HOME"},
						       {".sdkman/candidates", NULL, NULL},
						       {".volta/bin", "", NULL},
						       {NULL, NULL, NULL}};

/* In the box, files of other accounts belong to the account "nobody". */
#define USERS(home, shell)                                                                         \
	SPEC_TEXT("/etc/passwd", "root:x:0:0:root:/:/usr/sbin/nologin\n"                           \
				 "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n"               \
				 "agent:x:1000:1000:agent:" home ":" shell "\n")

const struct spec_file profile_common_files[] = {
	USERS("/tmp", "/bin/sh"),
	SPEC_TEXT("/etc/group", "root:x:0:\nnogroup:x:65534:\nagent:x:1000:\n"),
	SPEC_TEXT("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns files\n"),
	SPEC_TEXT("/etc/hosts", "127.0.0.1 localhost cordon\n"),
	SPEC_TEXT("/etc/hostname", "cordon\n"),
	{NULL, NULL, false, 0}};

const struct spec_file profile_dev_files[] = {USERS("/home", "/bin/bash"), {NULL, NULL, false, 0}};

const struct spec_file profile_kept_files[] = {USERS(SPEC_KEPT_HOME, "/bin/bash"),
					       {NULL, NULL, false, 0}};

/* The resolver, and the certificate authorities. */
const struct spec_file profile_net_files[] = {
	SPEC_TEXT("/etc/resolv.conf",
		  "nameserver " EGRESS_RESOLVER "\noptions timeout:30 attempts:1\n"),
	SPEC_TEXT("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
	{NULL, NULL, false, 0}};

const struct profile_bind profile_net_binds[] = {{"/etc/ssl/certs", DATA},
						 {"/etc/ssl/openssl.cnf", DATA},
						 {"/usr/lib/ssl", DATA},
						 {"/usr/share/ca-certificates", DATA},
						 {"/usr/local/share/ca-certificates", DATA},
						 {"/etc/services", DATA},
						 {NULL, 0}};

const char *const profile_common_env[] = {
	"PATH=/usr/bin:/bin", "HOME=@",	       "LANG=C.UTF-8", "TMPDIR=%",
	"USER=agent",	      "LOGNAME=agent", NULL,
};

/* PATH begins with the toolchains. */
const char *const profile_dev_env[] = {
	"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
	"HOME=@",
	"LANG=C.UTF-8",
	"TMPDIR=%",
	"USER=agent",
	"LOGNAME=agent",
	"SHELL=/bin/bash",
	NULL,
};

static const struct profile_bind no_binds[] = {{NULL, 0}};

static const struct profile_bind python_binds[] = {
	{"/usr/lib/python3", CODE | WHEN_EXEC}, /* Debian's packages */
	{"/usr/lib/@", CODE | WHEN_EXEC},	/* the standard library */
	{"/usr/local/lib/@", CODE},
	{"/usr/share", DATA},
	{"/etc/alternatives", DATA}, /* which BLAS */
	{"/etc/matplotlibrc", DATA},
	{"/etc/fonts", DATA},
	{"/etc/localtime", DATA},
	{"/sys/devices/system/cpu", DATA},
	{NULL, 0}};

static const struct profile_bind node_binds[] = {
	{"/usr/lib/node_modules", CODE | WHEN_EXEC},
	{"/usr/lib/nodejs", CODE | WHEN_EXEC},
	{"/usr/share/nodejs", DATA},
	{"/usr/share/zoneinfo", DATA},
	{"/etc/localtime", DATA},
	{"/etc/ssl/openssl.cnf", DATA},
	{"/sys/devices/system/cpu", DATA},
	{NULL, 0},
};

static const struct profile_bind bash_binds[] = {
	{"/usr/bin", CODE | BIND_HIDDEN}, {"/etc/alternatives", DATA},	     {"/usr/share", DATA},
	{"/etc/localtime", DATA},	  {"/sys/devices/system/cpu", DATA}, {NULL, 0},
};

/* The usual programs of shell scripts, in the profile snippet. */
/* clang-format off */
static const char *const bash_programs[] = {
	"/usr/bin/bash",     "/usr/bin/dash",	  "/usr/bin/cat",      "/usr/bin/ls",
	"/usr/bin/cp",	     "/usr/bin/mv",	  "/usr/bin/rm",       "/usr/bin/mkdir",
	"/usr/bin/rmdir",    "/usr/bin/touch",	  "/usr/bin/ln",       "/usr/bin/chmod",
	"/usr/bin/head",     "/usr/bin/tail",	  "/usr/bin/sort",     "/usr/bin/uniq",
	"/usr/bin/wc",	     "/usr/bin/cut",	  "/usr/bin/tr",       "/usr/bin/tee",
	"/usr/bin/paste",    "/usr/bin/join",	  "/usr/bin/comm",     "/usr/bin/split",
	"/usr/bin/tac",	     "/usr/bin/rev",	  "/usr/bin/nl",       "/usr/bin/fold",
	"/usr/bin/fmt",	     "/usr/bin/od",	  "/usr/bin/base64",   "/usr/bin/sha256sum",
	"/usr/bin/md5sum",   "/usr/bin/date",	  "/usr/bin/sleep",    "/usr/bin/seq",
	"/usr/bin/expr",     "/usr/bin/test",	  "/usr/bin/true",     "/usr/bin/false",
	"/usr/bin/echo",     "/usr/bin/printf",	  "/usr/bin/env",      "/usr/bin/id",
	"/usr/bin/whoami",   "/usr/bin/pwd",	  "/usr/bin/uname",    "/usr/bin/basename",
	"/usr/bin/dirname",  "/usr/bin/realpath", "/usr/bin/readlink", "/usr/bin/stat",
	"/usr/bin/du",	     "/usr/bin/df",	  "/usr/bin/mktemp",   "/usr/bin/nproc",
	"/usr/bin/timeout",  "/usr/bin/dd",	  "/usr/bin/truncate", "/usr/bin/shuf",
	"/usr/bin/grep",     "/usr/bin/egrep",	  "/usr/bin/fgrep",    "/usr/bin/sed",
	"/usr/bin/awk",	     "/usr/bin/find",	  "/usr/bin/xargs",    "/usr/bin/diff",
	"/usr/bin/cmp",	     "/usr/bin/tar",	  "/usr/bin/gzip",     "/usr/bin/bc",
	NULL};
/* clang-format on */

/* clang-format off */
static const char *const bash_names[] = {
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases",
	"bashrc", "bash.bashrc", ".profile", "profile", ".shrc", ".kshrc", ".mkshrc",
	".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", "zshrc", "zshenv",
	"zprofile", ".envrc", ".xinitrc", ".xsession", ".xprofile", ".xsessionrc",
	"rc.local", "PKGBUILD", "APKBUILD", NULL,
};
static const char *const bash_interpreters[] = {
	"sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "pdksh", "lksh", "yash", "posh",
	"bats", "busybox", NULL,
};
static const char *const python_interpreters[] = {"python", "pythonw", "ipython", "pypy", NULL};
/* clang-format on */

static const char *const python_env[] = {"MPLCONFIGDIR=@/.matplotlib", NULL};

static const struct profile profiles[] = {
	{.name = "python",
	 .help = "/usr/bin/python3 with Debian's packages",
	 .interpreter = "/usr/bin/python3",
	 .args = {"-B", "-s", NULL}, /* no code from a home directory */
	 .isolated = {"-B", "-I", "-S", "-Wignore", NULL},
	 .package = "python3",
	 .target = "/cordon/main",
	 .suffixes = ".py\0",
	 .venv = "bin/python3",
	 .make_venv = "python3 -m venv",
	 .path_env = "PYTHONPATH",
	 .reader = "python",
	 .scanned_suffixes = ".pyw\0.pyi\0.pth\0",
	 .scanned_programs = python_interpreters,
	 .runs_any_bytes = true,
	 .has_boot = true,
	 .reads_cookie = true,
	 .binds = python_binds,
	 .env = python_env},
	{.name = "bash",
	 .help = "/bin/bash, and in the profile dev every program of the system",
	 .interpreter = "/usr/bin/bash",
	 .package = "bash",
	 .target = "/cordon/main",
	 .suffixes = ".sh\0.bash\0",
	 .reader = "bash",
	 .scanned_suffixes = ".ksh\0.zsh\0.dash\0.ash\0.bats\0.command\0",
	 .scanned_names = bash_names,
	 .scanned_programs = bash_interpreters,
	 .is_shell = true,
	 .is_dev = true,
	 .binds = bash_binds,
	 .programs = bash_programs},
	{.name = "node",
	 .help = "/usr/bin/node",
	 .interpreter = "/usr/bin/node",
	 .package = "nodejs",
	 .target = "/cordon/main",
	 .suffixes = ".js\0.mjs\0.cjs\0",
	 .spec_flags = SPEC_PROC_FULL,
	 .binds = node_binds},
	{.name = "ruby",
	 .help = "/usr/bin/ruby with Debian's packages",
	 .interpreter = "/usr/bin/ruby",
	 .package = "ruby",
	 .target = "/cordon/main",
	 .suffixes = ".rb\0",
	 .binds = (const struct profile_bind[]){{"/usr/lib/ruby", CODE | WHEN_EXEC},
						{"/usr/share/rubygems-integration", DATA},
						{"/usr/share/zoneinfo", DATA},
						{"/etc/localtime", DATA},
						{NULL, 0}}},
	{.name = "binary",
	 .help = "an explicit program, given by its path",
	 .target = "/cordon/main",
	 .suffixes = "\0",
	 .binds = no_binds},
};

const struct profile *profile_at(unsigned i)
{
	return i < ARRAY_SIZE(profiles) ? &profiles[i] : NULL;
}

const struct profile *profile_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++)
		if (strcmp(profiles[i].name, name) == 0)
			return &profiles[i];
	return NULL;
}

static const struct profile *find_program(const char *name, size_t len)
{
	while (len && strchr("0123456789.", name[len - 1]))
		len--;
	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++) {
		const struct profile *p = &profiles[i];
		bool is_sh = p->is_shell && len == 2 && strncmp(name, "sh", 2) == 0;
		if (is_sh ||
		    (p->interpreter && strlen(p->name) == len && strncmp(p->name, name, len) == 0))
			return p;
	}
	return NULL;
}

const struct profile *profile_guess_program(const char *words)
{
	const char *gaps = " \t\r", *at = words + strspn(words, gaps);

	for (; *at; at += strcspn(at, gaps), at += strspn(at, gaps)) {
		size_t len = strcspn(at, gaps);
		const char *slash = memrchr(at, '/', len), *name = slash ? slash + 1 : at;
		len -= (size_t)(name - at);
		/* env has options and variables before the program. */
		if (*name != '-' && !memchr(name, '=', len) &&
		    !(len == 3 && strncmp(name, "env", 3) == 0))
			return find_program(name, len);
	}
	return NULL;
}

bool profile_is_dev(const struct profile *p, const struct request *r)
{
	return !r->isolated &&
	       (r->execution == EXECUTION_DEV || (r->execution == EXECUTION_OF_LANG && p->is_dev));
}

const struct profile *profile_guess(const char *file)
{
	size_t len = strlen(file);

	for (size_t i = 0; i < ARRAY_SIZE(profiles); i++)
		for (const char *s = profiles[i].suffixes; *s; s += strlen(s) + 1)
			if (len > strlen(s) && strcmp(file + len - strlen(s), s) == 0)
				return &profiles[i];
	return NULL;
}
