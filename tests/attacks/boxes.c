/* SPDX-License-Identifier: MIT */
/*
 * Live boxes for the attacks. An attack whose row has no flags is one more start of a box that many
 * attacks share; others have a box of their own, created with these flags. After an attack the shared
 * box is asked what is in it: if that is not what was there at first, it ends, and the next attack
 * gets a new one. The canaries are looked at after that, so a process that is still there then is
 * one that outlived its box.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the box holds that a start may have left: files and processes. */
static const char rest_script[] =
	"shopt -s nullglob dotglob; f=(/tmp/* /dev/shm/*); echo \"files ${#f[@]}\"; "
	"for p in /proc/[0-9]*/comm; do read -r c 2>/dev/null <$p && echo \"$c\"; done";

static const char no_flags[] = "";

static int has_own_box(const struct attack *attack)
{
	return attack->flags[0] != '\0';
}

/* ARGV ends with NULL. The output of cordon box ARGV, cut to the capture's size. */
static int run_box(const struct options *options, const struct world *world,
		   const char *const *argv, char *ret_text, size_t size)
{
	struct command command = {.argc = 0};
	int pipes[2], status = -1;
	size_t used = 0;
	long got;

	command_add(&command, options->cordon);
	command_add(&command, "box");
	for (; *argv; argv++)
		command_add(&command, *argv);
	command.argv[command.argc] = NULL;
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

		alarm(HARD_DEADLINE_S);
		dup2(null, STDIN_FILENO);
		dup2(pipes[1], STDOUT_FILENO);
		dup2(pipes[1], STDERR_FILENO);
		plant_in_process(options, world);
		execv(command.argv[0], command.argv);
		_exit(127);
	}
	close(pipes[1]);
	while (used < size - 1 && (got = read(pipes[0], ret_text + used, size - 1 - used)) > 0)
		used += (size_t)got;
	ret_text[used] = '\0';
	close(pipes[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	command_free(&command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int ask_rest(const struct options *options, const struct world *world, char *ret_text,
		    size_t size)
{
	const struct live *live = options->live;
	const char *const argv[] = {"exec", live->name, "--exposed", "--state",	  live->state,
				    "--",   "bash",	"-c",	     rest_script, NULL};

	return run_box(options, world, argv, ret_text, size);
}

static void stop(const struct options *options, const struct world *world)
{
	struct live *live = options->live;
	const char *const argv[] = {"stop", live->name, "--state", live->state, NULL};
	char text[4096];

	if (live->serves)
		run_box(options, world, argv, text, sizeof(text));
	live->serves = 0;
}

static int create(const struct options *options, const struct world *world, const char *flags,
		  char *why)
{
	struct live *live = options->live;
	char text[4096], rules[2 * MAX_PATH], policy[2 * MAX_PATH], ro[2 * MAX_PATH];
	struct command command = {.argc = 0};
	const char *argv[MAX_ARGV];
	int count = 0;

	snprintf(live->name, sizeof(live->name), "live-%d", ++live->boxes);
	snprintf(live->state, sizeof(live->state), "%s/state", options->stage);
	snprintf(rules, sizeof(rules), "%s/rules", options->stage);
	snprintf(policy, sizeof(policy), "%s/policy", options->stage);
	snprintf(ro, sizeof(ro), "%s:ro", options->dir);
	const char *const head[] = {"create",	 live->name, "--tier",	 tier_names[options->tier],
				    "--exposed", "--rules",  rules,	 "--policy",
				    policy,	 "--state",  live->state};

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		command_add(&command, head[i]);
	if (strstr(flags, "--workspace")) {
		command_add(&command, "--ro");
		command_add(&command, options->dir);
	} else {
		command_add(&command, "--workspace");
		command_add(&command, ro);
	}
	command_add_words(&command, flags, world);
	for (int i = 0; i < command.argc; i++)
		if (strcmp(command.argv[i], "--diff") != 0 &&
		    strcmp(command.argv[i], "--apply") != 0)
			argv[count++] = command.argv[i];
	argv[count] = NULL;
	int status = run_box(options, world, argv, text, sizeof(text));

	command_free(&command);
	live->serves = status == 0;
	live->runs = 0;
	if (status == 0)
		return 0;
	snprintf(why, MAX_WHY, "no live box (%d): %.400s", status, text);
	return -1;
}

int live_prepare(const struct options *options, const struct attack *attack,
		 const struct world *world, char *why)
{
	struct live *live = options->live;

	if (has_own_box(attack)) {
		stop(options, world);
		return create(options, world, attack->flags, why);
	}
	if (live->serves)
		return 0;
	if (create(options, world, no_flags, why) < 0)
		return -1;
	if (ask_rest(options, world, live->rest, sizeof(live->rest)) == 0)
		return 0;
	snprintf(why, MAX_WHY, "a start in a new live box: %.400s", live->rest);
	return -1;
}

/* The changes of the workspace, as a cold run has them in its result. */
static void take_changes(const struct options *options, const struct world *world,
			 struct outcome *outcome)
{
	static char text[1 << 20];
	const struct live *live = options->live;
	const char *const argv[] = {"diff", live->name, "--json", "--state", live->state, NULL};

	run_box(options, world, argv, text, sizeof(text));
	json_t *diff = json_loads(text, 0, NULL);
	json_t *changes = json_object_get(diff, "changes");

	if (changes && outcome->result)
		json_object_set(outcome->result, "changes", changes);
	json_decref(diff);
}

void live_settle(const struct options *options, const struct attack *attack,
		 const struct world *world, struct outcome *outcome)
{
	struct live *live = options->live;
	char text[4096];

	live->attacks++;
	if (has_own_box(attack)) {
		char policy[2 * MAX_PATH];
		const char *const apply[] = {"apply",	 live->name, "--state", live->state,
					     "--policy", policy,     NULL};

		snprintf(policy, sizeof(policy), "%s/policy", options->stage);
		if (strstr(attack->flags, "--diff"))
			take_changes(options, world, outcome);
		if (strstr(attack->flags, "--apply"))
			run_box(options, world, apply, text, sizeof(text));
		stop(options, world);
		return;
	}
	if (++live->runs > live->most)
		live->most = live->runs;
	if (ask_rest(options, world, text, sizeof(text)) != 0 || strcmp(text, live->rest) != 0)
		stop(options, world);
}

void live_finish(const struct options *options)
{
	static const struct world nowhere = {.leaked = -1, .leaked_dir = -1};

	stop(options, &nowhere);
}
