/* SPDX-License-Identifier: MIT
 *
 * cordon: finds the command, reads its options, runs it.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pages.h"
#include "base/scope.h"
#include "door/cli/cli.h"
#include "flow/run.h"
#include "gate/heads_send.h"
#include "show/terminal.h"

/* An error in a word before --json must still be printed as JSON. */
static void look_for_json(struct cli_call *call, int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		call->json = call->json || strcmp(argv[i], "--json") == 0;
		call->events = call->events || strcmp(argv[i], "--events") == 0;
	}
}

/* The least resource limits that Cordon, the code view and the program need. With less, one of
 * them is killed: that would look like a crash of the program, or the code would run without a
 * view. */
static const struct {
	int resource;
	rlim_t least, unit;
	const char *what, *cure;
} shell_limits[] = {
	{RLIMIT_NOFILE, 64, 1, "open files (ulimit -n)", "ulimit -n 1024"},
	{RLIMIT_FSIZE, 16 << 20, 1024, "KB in a file (ulimit -f)", "ulimit -f unlimited"},
	{RLIMIT_STACK, 2 << 20, 1024, "KB of stack (ulimit -s)", "ulimit -s 8192"},
	{RLIMIT_AS, 192 << 20, 1024, "KB of memory (ulimit -v)", "ulimit -v unlimited"},
	{RLIMIT_DATA, 128 << 20, 1024, "KB of data (ulimit -d)", "ulimit -d unlimited"},
};

/* Raises soft limits that are too low. */
static int need_limits(struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(shell_limits); i++) {
		rlim_t least = shell_limits[i].least, unit = shell_limits[i].unit;
		struct rlimit limit;

		if (getrlimit(shell_limits[i].resource, &limit) < 0 || limit.rlim_cur >= least)
			continue;
		rlim_t allowed = limit.rlim_cur;
		limit.rlim_cur = least;
		if (limit.rlim_max >= least && setrlimit(shell_limits[i].resource, &limit) == 0)
			continue;
		err_set(err, ERR_INPUT, "a limit of this shell is too low");
		err_cause(err, "this shell allows %llu %s, Cordon needs %llu",
			  (unsigned long long)(allowed / unit), shell_limits[i].what,
			  (unsigned long long)(least / unit));
		err_cure(err, "%s, or a new shell where that is refused", shell_limits[i].cure);
		return -1;
	}
	return 0;
}

static int fail_unknown(struct cli_call *call, const char *word, int argc, char **argv)
{
	struct err err;

	cli_no_such_command(cli_commands, word, &err);
	look_for_json(call, argc, argv);
	return cli_fail(call, &err);
}

static int obey(const struct cli_command *cmd, struct cli_call *call, int argc, char **argv)
{
	struct err err, too_low;
	int able = need_limits(&too_low);

	if (able == 0 && cmd->ahead)
		cmd->ahead(call);
	request_init(&call->request);
	if (cli_parse(cmd, argc, argv, call, &err) < 0) {
		look_for_json(call, argc, argv);
		int status = cli_fail(call, &err);
		return err.code == ERR_USAGE && cmd->usage_status ? cmd->usage_status : status;
	}
	if (call->help) {
		cli_help(stdout, cmd);
		return 0;
	}
	if (able < 0)
		return cli_fail(call, &too_low);
	if (cmd->runs_unconfigured)
		return cmd->run(call);
	call->is_configured = cli_configure(call, &err) == 0;
	return call->is_configured ? cmd->run(call) : cli_fail(call, &err);
}

/* Sends the heads that an earlier command could not deliver. A configuration that was only
 * checked (a draft, a broken file) is not used. */
static void send_heads(const struct cli_call *call)
{
	struct err err;

	if (!call->is_configured)
		return;

	fflush(stdout);
	if (heads_send(&call->config.now.heads, call->config.now.state, &err) < 0)
		terminal_print_error(&err);
}

static int dispatch(const char *word, int argc, char **argv)
{
	const struct cli_command *cmd =
		cli_find_command(cli_commands, strcmp(word, "--version") == 0 ? "version" : word);
	struct cli_call *call = pages_new(sizeof(*call)); /* freed at exit */

	if (!call)
		return 125;
	call->box = LAUNCH_NONE;
	call->command = cmd;
	call->commands = cli_commands;
	if (!cmd)
		return fail_unknown(call, word, argc, argv);
	int status = obey(cmd, call, argc, argv);
	flow_drop_box(&call->box);
	send_heads(call);
	config_done(&call->config);
	cli_free_words(call);
	arena_done(&call->arena);
	return status;
}

/* If a standard stream is closed, the next file that cordon opens would get its number, and the
 * output. So open /dev/null in the wrong direction there: reads and writes then fail as on a
 * closed stream. Only messages are lost without an error. */
static void open_streams(void)
{
	static const int flags[] = {
		[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDWR};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) < 0)
			_exit(125);
}

static int speak(int argc, char **argv)
{
	const char *word = argc < 2 ? "--help" : argv[1];

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		cli_help_all(cli_commands, stdout);
		return 0;
	}
	return dispatch(word, argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
	static char room[BUFSIZ]; /* with this buffer printing needs no allocation */

	open_streams();
	/* A write beyond the shell's file size limit then fails with EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
	/* The caller may ignore SIGCHLD: then the exit status of children would be lost. */
	signal(SIGCHLD, SIG_DFL);
	setvbuf(stdout, room, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof(room));
	int status = speak(argc, argv);
	struct err err;

	/* An incomplete answer must not look complete. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		terminal_print_lost();
		return 125;
	}
	if (memory_check(&err) < 0)
		terminal_print_error(&err);
	return memory_was_out() ? 125 : status;
}
