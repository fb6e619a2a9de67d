/* SPDX-License-Identifier: MIT */
/*
 * Runs one attack: builds the command line, starts "cordon run" with the canaries within reach (a
 * leaked descriptor, a secret in the environment, a controlling terminal) and collects what comes
 * back. Between the runner and cordon stands a session leader that outlives the run: a terminal
 * is flushed when its leader dies, and the typed-ahead bytes would go unseen.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUT, ERR, REPORT, HOLD, PIPES };

struct report {
	int status;
	long memory_kb;
};

/* Appends key and value as one word. */
static void add_pair(struct command *command, const char *key, const char *value)
{
	char *word = NULL;

	if (command->argc < MAX_ARGV - 1 && asprintf(&word, "%s%s", key, value) >= 0)
		command->argv[command->argc++] = word;
}

void command_add(struct command *command, const char *word)
{
	add_pair(command, "", word);
}

static void add_number(struct command *command, const char *key, unsigned long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", value);
	add_pair(command, key, text);
}

/* Words of a table cell; %w is the workspace, %o the canary directory. */
void command_add_words(struct command *command, const char *cell, const struct world *world)
{
	char copy[1024], *rest = copy, *word;
	char expanded[1024];

	snprintf(copy, sizeof(copy), "%s", cell);
	while ((word = strsep(&rest, " "))) {
		char *sign = strchr(word, '%');

		if (!*word)
			continue;
		if (sign && (sign[1] == 'w' || sign[1] == 'o')) {
			snprintf(expanded, sizeof(expanded), "%.*s%s%s", (int)(sign - word), word,
				 sign[1] == 'w' ? world->workspace : world->outside, sign + 2);
			word = expanded;
		}
		command_add(command, word);
	}
}

static void add_canaries(struct command *command, const struct world *world)
{
	add_pair(command, "secret=", world->secret);
	add_pair(command, "outside=", world->outside);
	add_pair(command, "home=", world->home);
	add_pair(command, "unix=", world->unix_path);
	add_pair(command, "abstract=", world->marker);
	add_pair(command, "marker=", world->marker);
	add_pair(command, "shmname=", world->marker);
	add_pair(command, "hostname=", world->hostname);
	add_pair(command, "tty=", world->tty);
	add_number(command, "tcp=", (unsigned long)world->tcp_port);
	add_number(command, "udp=", (unsigned long)world->udp_port);
	add_number(command, "victim=", (unsigned long)world->victim);
	add_number(command, "vaddr=", world->victim_address);
	add_number(command, "shmkey=", (unsigned long)world->shm_key);
}

/* Through cordon run: a box of its own. */
static void build_cold(struct command *command, const struct options *options,
		       const struct attack *attack, const struct world *world)
{
	char path[2 * MAX_PATH];

	command_add(command, "run");
	if (!attack->on_tty)
		command_add(command, "--json");
	command_add(command, "--tier");
	command_add(command, tier_names[options->tier]);
	command_add_words(command, attack->flags, world);
	if (options->dev && !strstr(attack->flags, "--profile"))
		command_add_words(command, "--profile dev", world);
	command_add_words(command, "--user --rules", world);
	snprintf(path, sizeof(path), "%s/rules", options->stage);
	command_add(command, path);
	snprintf(path, sizeof(path), "%s/policy", options->stage);
	command_add(command, "--policy");
	command_add(command, path);
	command_add(command, "--lang");
	command_add(command, attack->lang);
}

/* One more start of the live box, which was created with the row's flags. */
static void build_start(struct command *command, const struct options *options,
			const struct attack *attack)
{
	command_add(command, "box");
	command_add(command, "exec");
	command_add(command, options->live->name);
	command_add(command, "--exposed");
	command_add(command, attack->on_tty ? "--no-tty" : "--json");
	if (!strstr(attack->flags, "--workspace")) {
		command_add(command, "--cwd");
		command_add(command, "/tmp");
	}
}

static void build(struct command *command, const struct options *options,
		  const struct attack *attack, const struct world *world)
{
	int is_binary = strcmp(attack->lang, "binary") == 0;
	char path[2 * MAX_PATH];

	*command = (struct command){.argc = 0};
	command_add(command, options->cordon);
	if (options->live)
		build_start(command, options, attack);
	else
		build_cold(command, options, attack, world);
	if (!strstr(attack->flags, "--time "))
		command_add_words(command, options->slow > 1 ? "--time 600s" : "--time 120s",
				  world);
	snprintf(path, sizeof(path), "%s/state", options->stage);
	command_add(command, "--state");
	command_add(command, path);
	if (options->live) {
		command_add(command, "--");
		if (!is_binary)
			command_add(command, find_interpreter(attack->lang));
	}
	snprintf(path, sizeof(path), "%s/%s", options->dir, attack->what);
	command_add(command, is_binary ? options->probes : path);
	if (!options->live)
		command_add(command, "--");
	if (is_binary)
		command_add(command, attack->what);
	command_add_words(command, attack->args, world);
	add_canaries(command, world);
}

void command_free(struct command *command)
{
	while (command->argc > 0)
		free(command->argv[--command->argc]);
}

/* What a careless caller leaves to cordon: descriptors and a secret. */
void plant_in_process(const struct options *options, const struct world *world)
{
	/* Moved away first: theirs may be what they are copied from. Above the numbers that cordon-box
	 * itself uses, which it would close without meaning to. */
	int secret = fcntl(world->leaked, F_DUPFD, 100);
	int directory = fcntl(world->leaked_dir, F_DUPFD, 100);

	dup2(secret, LEAKED_FILE_FD);
	dup2(directory, LEAKED_DIRECTORY_FD);
	close(secret);
	close(directory);
	setenv("SECRET_TOKEN", world->token, 1);
	setenv("HOME", world->home, 1);
	if (options->without)
		setenv("CORDON_WITHOUT", options->without, 1);
}

static void become_cordon(const struct command *command, const struct options *options,
			  const struct world *world, int on_tty, int pipes[PIPES][2])
{
	dup2(world->slave, STDIN_FILENO);
	dup2(on_tty ? world->slave : pipes[OUT][1], STDOUT_FILENO);
	dup2(on_tty ? world->slave : pipes[ERR][1], STDERR_FILENO);
	plant_in_process(options, world);
	execv(command->argv[0], command->argv);
	dprintf(STDERR_FILENO, "cannot start %s: %s\n", command->argv[0], strerror(errno));
	_exit(127);
}

/* Leads the terminal's session, waits for cordon, reports, and stays until it is released. */
static void lead(const struct command *command, const struct options *options,
		 const struct world *world, int on_tty, int pipes[PIPES][2])
{
	struct report report = {.status = -1};
	struct rusage usage;
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	ioctl(world->slave, TIOCSCTTY, 1);
	pid_t pid = fork();

	if (pid == 0)
		become_cordon(command, options, world, on_tty, pipes);
	close(pipes[OUT][1]);
	close(pipes[ERR][1]);
	close(pipes[HOLD][1]);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	if (wait4(pid, &report.status, 0, &usage) == pid)
		report.memory_kb = usage.ru_maxrss;
	if (write(pipes[REPORT][1], &report, sizeof(report)) < 0)
		_exit(1);
	_exit(read(pipes[HOLD][0], &byte, 1) == 0 ? 0 : 1);
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 1: got some; 0: end of file; -1: nothing now. */
static int take(int fd, struct capture *capture)
{
	char block[65536];
	long got = read(fd, block, sizeof(block));

	if (got <= 0)
		return got < 0 && (errno == EAGAIN || errno == EINTR) ? -1 : 0;
	size_t keep = (size_t)got;

	if (capture->length + keep > MAX_CAPTURE)
		keep = MAX_CAPTURE - capture->length;
	memcpy(capture->bytes + capture->length, block, keep);
	capture->length += keep;
	capture->dropped += (size_t)got - keep;
	capture->bytes[capture->length] = '\0';
	return 1;
}

/* Reads until cordon has ended, not until the pipes are closed: a survivor may hold them. */
static int collect(const struct world *world, int pipes[PIPES][2], struct outcome *outcome)
{
	struct capture *const captures[] = {&outcome->out, &outcome->err, NULL, &outcome->tty};
	struct pollfd poll_for[] = {{pipes[OUT][0], POLLIN, 0},
				    {pipes[ERR][0], POLLIN, 0},
				    {pipes[REPORT][0], POLLIN, 0},
				    {world->master, POLLIN, 0}};
	long end = now_ms() + HARD_DEADLINE_S * 1000L;

	while (now_ms() < end && poll(poll_for, 4, 1000) >= 0) {
		for (int i = 0; i < 4; i++)
			if (captures[i] && poll_for[i].revents &&
			    take(poll_for[i].fd, captures[i]) == 0)
				poll_for[i].fd = -1;
		if (poll_for[REPORT].revents)
			break;
	}
	for (int i = 0; i < 4; i++) {
		int more = captures[i] && poll_for[i].fd >= 0;

		while (more && (more = take(poll_for[i].fd, captures[i])) > 0)
			;
		if (more < 0 && i < REPORT)
			outcome->still_open = 1;
	}
	return poll_for[REPORT].revents ? 0 : -1;
}

static int open_pipes(int pipes[PIPES][2])
{
	for (int i = 0; i < PIPES; i++)
		if (pipe2(pipes[i], O_CLOEXEC) < 0)
			return -1;
	fcntl(pipes[OUT][0], F_SETFL, O_NONBLOCK);
	fcntl(pipes[ERR][0], F_SETFL, O_NONBLOCK);
	return 0;
}

static void finish(struct outcome *outcome, int report_fd, int hung)
{
	struct report report = {.status = -1};

	outcome->exit_code = -1;
	if (hung || read(report_fd, &report, sizeof(report)) != sizeof(report))
		return;
	outcome->memory_kb = report.memory_kb;
	outcome->exit_code = WIFEXITED(report.status) ? WEXITSTATUS(report.status)
						      : 128 + WTERMSIG(report.status);
}

static void run_command(const struct command *command, const struct options *options,
			struct world *world, int on_tty, struct outcome *outcome)
{
	int pipes[PIPES][2];
	long start = now_ms();

	outcome->exit_code = -1;
	if (open_pipes(pipes) < 0 || (world->leader = fork()) < 0)
		return;
	if (world->leader == 0)
		lead(command, options, world, on_tty, pipes);
	close(pipes[OUT][1]);
	close(pipes[ERR][1]);
	close(pipes[REPORT][1]);
	close(pipes[HOLD][0]);
	int hung = collect(world, pipes, outcome) < 0;

	finish(outcome, pipes[REPORT][0], hung);
	outcome->elapsed_ms = (now_ms() - start) / (options->slow > 1 ? options->slow : 1);
	for (int i = 0; i < REPORT + 1; i++)
		close(pipes[i][0]);
	world->release = pipes[HOLD][1];
}

int launch(const struct options *options, const struct attack *attack, struct world *world,
	   struct outcome *outcome, char *why)
{
	struct command command;
	struct capture *const captures[] = {&outcome->out, &outcome->err, &outcome->tty};

	*outcome = (struct outcome){.exit_code = -1};
	for (int i = 0; i < 3; i++)
		if (!(captures[i]->bytes = calloc(1, MAX_CAPTURE + 1))) {
			snprintf(why, MAX_WHY, "out of memory");
			return -1;
		}
	build(&command, options, attack, world);
	if (options->verbose)
		for (int i = 0; i < command.argc; i++)
			printf("%s%s%s", i ? " " : "# ", command.argv[i],
			       i == command.argc - 1 ? "\n" : "");
	run_command(&command, options, world, attack->on_tty, outcome);
	command_free(&command);
	outcome_read(outcome, attack->on_tty);
	return 0;
}
