/* SPDX-License-Identifier: MIT
 *
 * Which scripts of sed and awk may run something. Of sed itself is asked whether it agrees: what is
 * harmless here must hold nothing that it refuses in its sandbox.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scope.h"
#include "flow/shell_awk.h"
#include "flow/shell_sed.h"
#include "tap.h"

static void test_sed(void)
{
	static const struct {
		const char *command;
		bool runs;
	} rows[] = {
		{"", false},
		{" -n '1,3p;$d' x", false},
		{" 's/a[^,]*/b/g' x", false},
		{" 's/[[:space:]]*$//' x", false},
		{" -E -e s,a,b, -e '/x/d' x >y", false},
		{" '--expression=s/a/b/2p' --quiet x", false},
		{" -ne '/a/,/b/p' x 2>&1", false},
		{" -i.bak 's/e/e/' x", false},
		{" p a*.csv", false},
		{" --sandbox \"$x\" y", false},
		{" -n --sandbox -f x y", false},
		{" -l 70 's/^/ /e' x", true},
		{" --line-length 70 's/^/ /e' x", true},
		{" -l --sandbox e x", true},
		{" --e='s/^/ /e' x", true},
		{" --sandb p x", true},
		{" e --sandbox x", true},
		{" -e p --expression=e --sandbox x", true},
		{" ':a e cmd' x", true},
		{" 's/[/]/a/e' x", true},
		{" 's/[/]/a/' x", true},
		{" 's/[a/b/' x", true},
		{" 's/[[:a/:]]/b/' x", true},
		{" 's/a\\/b/c/' x", true},
		{" 's/a/b/w x' y", true},
		{" 's/a/b/ e' x", true},
		{" '1e' x", true},
		{" '{p}' x", true},
		{" 'y/a/b/' x", true},
		{" 'p\ne' x", true},
		{" 'p'e x", true},
		{" \"p$x\" y", true},
		{" p *.csv", true},
		{" p <(cat x) -e e", true},
		{" p x -e e", true},
		{" p x -s -fx", true},
		{" -nes/a/b/ x", true},
		{" 's/\xc3\xa9/e/' x", true},
		{" p `cat x`", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *at = rows[i].command;
		ok(shell_sed_runs(&at) == rows[i].runs, "sed%s", rows[i].command);
	}
}

static void test_awk(void)
{
	static const struct {
		const char *command;
		bool runs;
	} rows[] = {
		{" -F, '{ s += $2 } END { print s / NR, (s + 1) / 2 }' x", false},
		{" -F '|' -v n=2 '/a|b/ || $1 > n { print $2 }' x", false},
		{" '{ n[$1]++ } END { for (k in n) printf \"%s|%d\\n\", k, n[k] }' x >y", false},
		{" 'NR > 1 && $1 ~ /^[a-z]+$/ { gsub(/ /, \"\"); print length($0) } # it' x",
		 false},
		{" '{ print }' *.csv", true},
		{" '{ print }' a*.csv", false},
		{" -f x", true},
		{" -i x '{}' y", true},
		{" -l x '{}' y", true},
		{" -e '{}' y", true},
		{" --include=x '{}' y", true},
		{" --inc x '{}' y", true},
		{" -E x", true},
		{" -vx '{}' y", true},
		{" -v PROCINFO=1 '{}' y", true},
		{" -v \"$x\" '{}' y", true},
		{" \"$x\" y", true},
		{" '{ system($0) }' x", true},
		{" '{ system ($0) }' x", true},
		{" '{ print | \"sh\" }' x", true},
		{" '{ print |$0 }' x", true},
		{" '{ print|$0 }' x", true},
		{" '{ print |& $0 }' x", true},
		{" '{ $0 | getline }' x", true},
		{" '{ f = $1; @f() }' x", true},
		{" '@include \"y\"' x", true},
		{" '{ extension($1) }' x", true},
		{" '{ if (1) /\"/; print | \"sh\"; /\"/ }' x", true},
		{" '{ print /\"/; print | \"sh\"; x = /\"/ }' x", true},
		{" '/[/\"]/ { print | \"sh\" }' x", true},
		{" '/[]/]/ { print }' x", true},
		{" '/\\\\[/]/ { print }' x", true},
		{" '{ PROCINFO[\"sorted_in\"] = $1 }' x", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *at = rows[i].command;
		ok(shell_awk_runs(&at) == rows[i].runs, "awk%s", rows[i].command);
	}
}

/* Does the installed sed refuse something of it? */
static bool is_refused(const char *option, const char *script)
{
	char said[512] = "";
	int fd[2];
	ssize_t n;

	if (pipe(fd) < 0)
		return true;
	pid_t pid = fork();
	if (pid == 0) {
		if (!freopen("/dev/null", "r", stdin) || dup2(fd[1], STDERR_FILENO) < 0)
			_exit(1);
		setenv("LC_ALL", "C", 1);
		execlp("sed", "sed", "--sandbox", option, script, (char *)NULL);
		_exit(1);
	}
	close(fd[1]);
	for (size_t len = 0;
	     len < sizeof(said) - 1 && (n = read(fd[0], said + len, sizeof(said) - 1 - len)) > 0;)
		len += (size_t)n;
	close(fd[0]);
	waitpid(pid, NULL, 0);
	return strstr(said, "sandbox") != NULL;
}

static void make_script(uint32_t *seed, char *ret, size_t size)
{
	static const char *const parts[] = {
		"s/", "s,", "s|", "/",	    "/",   "/",	   ",",	    "|", ";", ";",  "p",
		"d",  "q",  "=",  "e",	    "w",   "r",	   "[",	    "]", "^", "\\", "a",
		"1",  "$",  "g",  ":",	    "{",   "}",	   "#",	    "!", "&", "n",  " ",
		"i",  "c",  "y/", "s/a/b/", "/a/", "s:a:", "[:a:]", "\n"};
	size_t len = 0;

	for (int i = 0; i < 9; i++) {
		*seed = *seed * 1664525 + 1013904223;
		if (i > 2 && *seed >> 30 == 0)
			break;
		len += (size_t)snprintf(ret + len, size - len, "%s",
					parts[(*seed >> 8) % ARRAY_SIZE(parts)]);
	}
}

static void test_agrees(void)
{
	enum { SCRIPTS = 200000, LEAST = 300 };
	static const char *const options[] = {"-n", "-E", "-z", "-s"};
	char script[128], wrong[128] = "";
	uint32_t seed = 7;
	size_t harmless = 0;

	ok(is_refused("-n", "s/a/b/e") && is_refused("-n", "1r x") && !is_refused("-n", "p"),
	   "sed says what its sandbox refuses");
	for (int i = 0; i < SCRIPTS; i++) {
		make_script(&seed, script, sizeof(script));
		if (!strpbrk(script, "sewr") || shell_sed_script_runs(script))
			continue;
		harmless++;
		if (is_refused(options[i % 4], script))
			snprintf(wrong, sizeof(wrong), "%s", script);
	}
	ok(!wrong[0], "sed refuses nothing that is harmless here: %s", wrong);
	ok(harmless > LEAST, "of so many: %zu", harmless);
}

int main(void)
{
	test_sed();
	test_awk();
	test_agrees();
	return tap_done();
}
