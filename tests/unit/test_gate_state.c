/* SPDX-License-Identifier: MIT
 *
 * What the gate remembers is opened whole or not at all; a command that only reads leaves no file behind; the
 * address of a database server comes from where only the owner can write it.
 */
#include "gate/gate_state.h"
#include "scratch.h"
#include "tap.h"

static char state[128];

static int open_it(struct gate_state *s, bool read_only, struct err *err)
{
	struct gate_state_options o = {.path = state, .read_only = read_only};

	memset(err, 0, sizeof(*err));
	return gate_state_open(s, &o, err);
}

static void test_open(void)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	char principal[64];
	struct err err;

	ok(open_it(&s, true, &err) < 0 && err.code == ERR_INPUT && err.cure[0] &&
		   !scratch_exists(state),
	   "who only looks makes no directory");
	ok(s.dir == -1 && !s.store, "and has nothing");
	ok(open_it(&s, false, &err) == 0, "it is made: %s", err.message);
	snprintf(principal, sizeof(principal), "uid:%u", geteuid());
	ok(s.dir >= 0 && s.keeper.store == s.store && s.store, "with all its parts");
	ok(strcmp(s.principal, principal) == 0 && strcmp(s.path, state) == 0, "whose, and where");
	ok(scratch_exists("state/log.key") && scratch_exists("state/log.db"), "and its key");
	gate_state_close(&s);
	ok(s.dir == -1 && !s.store, "closed");
	ok(open_it(&s, true, &err) == 0 && s.store, "a reader opens what is there");
}

static void test_refused(void)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct gate_state_options o = {.path = "state"};
	struct err err = {0};

	ok(gate_state_open(&s, &o, &err) < 0 && err.code == ERR_USAGE, "a relative path");
	scratch_must(chmod("state", 0750) == 0, "chmod");
	ok(open_it(&s, false, &err) < 0 && err.code == ERR_REFUSED && err.cure[0],
	   "a directory that others may enter");
	scratch_must(chmod("state", 0700) == 0 && rename("state/log.key", "log.key") == 0,
		     "moving a key");
	scratch_file("state/log.key", "nonsense\n", 0600);
	ok(open_it(&s, false, &err) < 0 && s.dir == -1 && !s.store,
	   "a damaged key: nothing is open");
	scratch_must(rename("log.key", "state/log.key") == 0, "moving it back");
	scratch_must(link("state/log.key", "log.key") == 0, "a second name");
	ok(open_it(&s, false, &err) < 0 && err.code == ERR_REFUSED && strstr(err.cause, "2 names"),
	   "a key with a second name: %s", err.cause);
	scratch_must(unlink("log.key") == 0, "one name");
	ok(open_it(&s, false, &err) == 0, "with one name it is used");
	gate_state_close(&s);
	scratch_must(mkdir("away", 0700) == 0 && system("mv state/log.db* away") == 0,
		     "moving the log");
	ok(open_it(&s, false, &err) < 0 && err.code == ERR_REFUSED, "the log is gone: %s",
	   err.message);
	scratch_must(system("rm -f state/log.db*; mv away/* state") == 0, "moving it back");
}

static void test_nowhere(void)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct gate_state_options o = {0};
	struct err err = {0};

	unsetenv("HOME");
	unsetenv("XDG_STATE_HOME");
	/* Root has a place of its own. */
	scratch_must(geteuid() != 0 || seteuid(65534) == 0, "seteuid");
	ok(gate_state_open(&s, &o, &err) < 0 && err.code == ERR_INPUT &&
		   strstr(err.cure, "--state"),
	   "without HOME there is no place");
	scratch_must(getuid() != 0 || seteuid(0) == 0, "seteuid");
}

/* A URL of LEN bytes that no server answers. */
static void url_file(size_t len, mode_t mode)
{
	static char text[STATE_URL_MAX + 8];
	int n = snprintf(text, sizeof(text), "postgres://u:geheim@/x?host=/nonexistent&options=");

	memset(text + n, 'a', sizeof(text) - (size_t)n);
	text[len] = '\n';
	text[len + 1] = '\0';
	scratch_file("state/" STATE_URL_FILE, text, mode);
}

static void test_url(void)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct err err;

	url_file(200, 0644);
	ok(open_it(&s, false, &err) < 0 && err.code == ERR_REFUSED && err.cure[0],
	   "an address that others can read");
	url_file(STATE_URL_MAX + 1, 0600);
	ok(open_it(&s, false, &err) < 0 && err.code == ERR_INPUT && strstr(err.message, "one line"),
	   "one that is too long");
	url_file(STATE_URL_MAX, 0600);
	ok(open_it(&s, false, &err) < 0 && !strstr(err.message, "one line") &&
		   !strstr(err.message, "geheim") && !strstr(err.cause, "geheim"),
	   "the longest goes to the store, and no password into a message: %s", err.message);
	scratch_file("state/" STATE_URL_FILE, "\n", 0600);
	ok(open_it(&s, false, &err) < 0 && err.code == ERR_INPUT, "an empty one is no default");
	scratch_file("state/" STATE_URL_FILE, "postgres://a\npostgres://b\n", 0600);
	ok(open_it(&s, false, &err) < 0 && err.code == ERR_INPUT, "two lines");
	scratch_file("state/" STATE_URL_FILE, "mysql://a\n", 0600);
	ok(open_it(&s, false, &err) < 0 && err.code == ERR_USAGE, "no address of ours");
	scratch_must(unlink("state/" STATE_URL_FILE) == 0, "unlink");
	setenv(STATE_URL_VARIABLE, "mysql://a", 1);
	ok(open_it(&s, false, &err) < 0 && err.code == ERR_USAGE, "the same from the environment");
	setenv(STATE_URL_VARIABLE, "", 1);
	ok(open_it(&s, false, &err) == 0, "an empty variable counts as unset: %s", err.message);
	unsetenv(STATE_URL_VARIABLE);
}

int main(void)
{
	const char *dir = scratch_enter();

	unsetenv(STATE_URL_VARIABLE);
	snprintf(state, sizeof(state), "%s/state", dir);
	test_open();
	test_refused();
	test_url();
	test_nowhere();
	scratch_leave(dir);
	return tap_done();
}
