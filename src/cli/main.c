/* SPDX-License-Identifier: MIT
 *
 * cordon: finds the command's row, reads its options, runs it.
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
#include "cli/cli.h"
#include "rule/vocab.h"

static int help(struct cli_call *call);

static const struct cli_command commands[] = {
	{"run", "[options] FILE|- [-- ARG...]", "run code in the box and give back what it did",
	 "cordon run --time 5s --workspace .:overlay --diff job.py -- input.csv", cli_run_options,
	 cli_run, true, 0, cli_beside_options, cli_run_ahead},
	{"doctor", "[--json]", "prove every layer of the box on this machine", "cordon doctor",
	 cli_doctor_options, cli_doctor, false, 0, NULL, NULL},
	{"scan", "[options] FILE|DIR|-...", "look for attacks on agents in texts, code and events",
	 "cordon scan --lane alert --fail-on high skills/", cli_scan_options, cli_scan, true, 2,
	 NULL, NULL},
	{"rules", "list|stats|show ID|check DIR...|test DIR...|fetch [VERSION] [options]",
	 "look at rules, check, test and fetch them", "cordon rules test rules", cli_rules_options,
	 cli_rules, true, 2, NULL, NULL},
	{"policy", "check FILE|show [options]", "check a policy file; show the policy in force",
	 "cordon policy show --policy policy.yaml", cli_policy_options, cli_policy, true, 2, NULL,
	 NULL},
	{"approvals",
	 "list|(show|approve|deny|export|add|sign) ID|read FILE|key (new|add|list|remove) "
	 "[options]",
	 "see what waits for a person, and answer", "cordon approvals list --all",
	 cli_approvals_options, cli_approvals, true, 2, NULL, NULL},
	{"conversation", "new|list|show ID|end ID [options]",
	 "begin a conversation; see what exposed it; end it", "C=$(cordon conversation new)",
	 cli_conversation_options, cli_conversation, true, 2, NULL, NULL},
	{"trust", "DIR|list [options]", "trust a directory; list those that are trusted or marked",
	 "cordon trust ~/app", cli_trust_options, cli_trust, true, 2, NULL, NULL},
	{"untrust", "DIR [options]", "trust a directory no longer", "cordon untrust ~/app",
	 cli_untrust_options, cli_untrust, true, 2, NULL, NULL},
	{"grant", "[options] | list | revoke ID", "allow exposed code some effects for a time",
	 "cordon grant --directory ~/app --write . --for 8h", cli_grant_options, cli_grant, true, 2,
	 NULL, NULL},
	{"diff", "--conversation ID [DIR]", "show the pending changes of a directory",
	 "cordon diff --conversation $C ~/app", cli_changes_options, cli_diff, true, 2, NULL, NULL},
	{"apply", "--conversation ID [DIR]", "apply the pending changes of a directory",
	 "cordon apply --conversation $C ~/app", cli_apply_options, cli_apply, true, 2, NULL, NULL},
	{"reset", "--conversation ID [DIR]", "drop the pending changes of a directory",
	 "cordon reset --conversation $C ~/app", cli_changes_options, cli_reset, true, 2, NULL,
	 NULL},
	{"ingest", "--conversation ID --kind K --name URI [options] FILE|-",
	 "record what an agent reads before it reads it",
	 "cordon ingest --conversation $C --kind web --name https://example.org/ --release - "
	 "page.html",
	 cli_ingest_options, cli_ingest, true, 2, NULL, NULL},
	{"plan", "--conversation ID [options] FILE|- [-- ARG...]",
	 "fix a program and its effects while the conversation is clean",
	 "P=$(cordon plan --conversation $C --policy policy.yaml --net example.org:443 report.py)",
	 cli_plan_options, cli_plan, true, 2, cli_beside_options, NULL},
	{"audit",
	 "tail|verify|trace RUN|export|checkpoint|key|rotate|accept|prove RECORD|check FILE "
	 "[options]",
	 "read the log, check it, and ask which documents led to a run",
	 "cordon audit verify --checkpoint kept.txt --key kept.pub", cli_audit_options, cli_audit,
	 true, 2, NULL, NULL},
	{"version", "", "print the version", "cordon version", cli_no_options, cli_version, false,
	 0, NULL, NULL},
	{"man", "", "print the manual page", "cordon man | man -l -", cli_no_options, cli_man,
	 false, 0, NULL, NULL},
	{"completion", "[bash|zsh]",
	 "print the completion script for a shell; for bash, if none is named",
	 "source <(cordon completion bash)", cli_no_options, cli_completion, true, 0, NULL, NULL},
	{"help", "[COMMAND]", "show a command's options, example and exit status",
	 "cordon help run", cli_no_options, help, true, 0, NULL, NULL},
};

const struct cli_command *cli_command_at(unsigned i)
{
	return i < ARRAY_SIZE(commands) ? &commands[i] : NULL;
}

int cli_version(struct cli_call *call)
{
	(void)call;
	puts("cordon " CORDON_VERSION);
	return 0;
}

static const struct cli_command *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static int help(struct cli_call *call)
{
	const struct cli_command *cmd = call->argc == 1 ? find(call->argv[0]) : NULL;
	struct err err;

	if (cmd)
		cli_help(stdout, cmd);
	else if (call->argc == 0)
		cli_help_all(stdout);
	if (cmd || call->argc == 0)
		return 0;
	err_set(&err, ERR_USAGE, "there is no command \"%.64s\"", call->argv[call->argc - 1]);
	err_cure(&err, "cordon help lists them");
	return cli_fail(call, &err);
}

/* A wrong word may come before the one that asks for JSON. */
static void look_for_json(struct cli_call *call, int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		call->json = call->json || strcmp(argv[i], "--json") == 0;
		call->events = call->events || strcmp(argv[i], "--events") == 0;
	}
}

/* What Cordon, the code view and the program need of the shell's own limits. Below that one of them dies: it
 * would look like the program's own death, or the code would run unread. */
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

/* A soft limit is ours to raise. */
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

	err_set(&err, ERR_USAGE, "there is no command \"%.64s\"", word);
	err_cure(&err, "cordon --help lists them");
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
	call->scan.fail_on = SEVERITY_INFORMATIONAL;
	if (cli_parse(cmd, argc, argv, call, &err) < 0) {
		look_for_json(call, argc, argv);
		int status = cli_fail(call, &err);
		return err.code == ERR_USAGE && cmd->usage_status ? cmd->usage_status : status;
	}
	if (call->help) {
		cli_help(stdout, cmd);
		return 0;
	}
	return able < 0 ? cli_fail(call, &too_low) : cmd->run(call);
}

static int dispatch(const char *word, int argc, char **argv, bool input)
{
	const struct cli_command *cmd = find(strcmp(word, "--version") == 0 ? "version" : word);
	struct cli_call *call = pages_new(sizeof(*call)); /* for as long as we live */

	if (!call)
		return 125;
	call->no_input = !input;
	call->box = LAUNCH_NONE;
	if (!cmd)
		return fail_unknown(call, word, argc, argv);
	int status = obey(cmd, call, argc, argv);
	launch_abandon(&call->box);
	cli_free_words(call);
	arena_done(&call->arena);
	return status;
}

/* A closed standard stream's number would go to the next file we open, and our output into it.
 * Returns whether there is an input. */
static bool open_streams(void)
{
	bool input = fcntl(STDIN_FILENO, F_GETFD) >= 0;

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			_exit(125);
	return input;
}

static int speak(int argc, char **argv, bool input)
{
	const char *word = argc < 2 ? "--help" : argv[1];

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		cli_help_all(stdout);
		return 0;
	}
	return dispatch(word, argc - 2, argv + 2, input);
}

int main(int argc, char **argv)
{
	static char room[BUFSIZ]; /* printing allocates nothing, so what is printed is whole */
	bool input = open_streams();
	/* A file beyond the shell's limit is then an error like any other. */
	signal(SIGXFSZ, SIG_IGN);
	setvbuf(stdout, room, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof(room));
	int status = speak(argc, argv, input);
	struct err err;

	/* Half an answer must not look like a whole one. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		cli_print_lost();
		return 125;
	}
	if (memory_check(&err) < 0)
		cli_print_error(&err);
	return memory_was_out() ? 125 : status;
}
