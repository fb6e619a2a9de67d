/* SPDX-License-Identifier: MIT */
/*
 * The runner of the attack corpus. It reads two tables (cases.def, mutants.def), lets each attack
 * loose among fresh canaries, and prints TAP. Static and in C, so that it also runs in a virtual
 * machine that has nothing but a kernel. It never counts a missing interpreter as a success: such
 * a case is a SKIP with its reason.
 *
 * With --dev every attack has the profile dev, in which more is allowed inside the box (dev.def). With
 * --live the attacks are starts of live boxes, whose profile that is (live.def, boxes.c).
 *
 * With --every N it runs only each Nth attack, and those with another expectation than in the tier full
 * without a profile. It leaves out a few that take long.
 *
 * With --mutants it uses a test build from which CORDON_WITHOUT takes layers out, and demands that
 * the attack is then seen to succeed: a test that cannot fail proves nothing.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const tier_names[TIER_COUNT] = {"full", "no-cgroup", "no-userns"};

#define ALL(x)                                                                                     \
	{                                                                                          \
		x, x, x                                                                            \
	}
#define NS(x)                                                                                      \
	{                                                                                          \
		x, x, NULL                                                                         \
	}
#define EACH(...)                                                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define CASE(name, lang, what, args, flags, expect, layers, look)                                  \
	{name, lang, what, args, flags, expect, layers, look, 0},
#define TTY_CASE(name, lang, what, args, flags, expect, layers, look)                              \
	{name, lang, what, args, flags, expect, layers, look, 1},
#define KILLED_CALL(call)                                                                          \
	CASE("call-" #call, "binary", "call", "call=" #call, "", ALL("killed"), "seccomp", NULL)
#define SHUT_CALL(call)                                                                            \
	CASE("call-" #call, "binary", "call", "call=" #call, "", ALL("held"), "seccomp", NULL)

const struct attack attacks[] = {
#include "cases.def"
	{.name = NULL},
};

#define DEV(attack, expect) {attack, expect},
static const struct dev_row dev_rows[] = {
#include "dev.def"
	{.attack = NULL},
};

#define LIVE(attack, expect) {attack, expect},
static const struct dev_row live_rows[] = {
#include "live.def"
	{.attack = NULL},
};

#define MUTANT(without, attack, sees, tiers) {without, attack, sees, tiers},
const struct mutant mutants[] = {
#include "mutants.def"
	{.without = NULL},
};

struct tally {
	int number, failed;
};

static const struct {
	const char *lang, *program;
} interpreters[] = {
	{"python", "/usr/bin/python3"},
	{"bash", "/bin/bash"},
	{"node", "/usr/bin/node"},
	{"ruby", "/usr/bin/ruby"},
};

const char *find_interpreter(const char *lang)
{
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(interpreters[0]); i++)
		if (strcmp(lang, interpreters[i].lang) == 0)
			return interpreters[i].program;
	return NULL;
}

/* What the row needs of the host and the host does not have: NULL if nothing. */
static const char *missing_program(const struct attack *attack)
{
	static char path[MAX_PATH];
	const char *cells[] = {attack->args, attack->flags};
	const char *const marks[] = {"path=/usr/", "--exec /usr/", "path=/bin/"};

	const char *interpreter = find_interpreter(attack->lang);

	if (interpreter && access(interpreter, X_OK) < 0)
		return interpreter;
	for (size_t i = 0; i < 6; i++) {
		const char *at = strstr(cells[i % 2], marks[i / 2]);

		if (at && sscanf(strchr(at, '/'), "%255[^ ]", path) == 1 && access(path, F_OK) < 0)
			return path;
	}
	return NULL;
}

static void report(struct tally *tally, int failed, const char *name, const char *tier,
		   const char *why)
{
	tally->number++;
	tally->failed += failed != 0;
	printf("%s %d - attack %s [%s, uid %d]\n", failed ? "not ok" : "ok", tally->number, name,
	       tier, (int)geteuid());
	if (failed)
		printf("# %s\n", why);
	fflush(stdout);
}

/* Runs one attack; 0 when all went as the row says. The texts tell the two kinds of failure. */
static int attack_once(const struct options *options, const struct attack *attack,
		       const char *expect, struct outcome *outcome, char *why_outcome,
		       char *why_canary)
{
	struct world world;

	why_outcome[0] = why_canary[0] = '\0';
	*outcome = (struct outcome){.exit_code = -1};
	if (world_open(&world, why_outcome) < 0 ||
	    (options->live && live_prepare(options, attack, &world, why_outcome) < 0) ||
	    launch(options, attack, &world, outcome, why_outcome) < 0) {
		world_close(&world);
		return -1;
	}
	if (outcome->exit_code == -1)
		kill(-world.leader, SIGKILL);
	if (options->live)
		live_settle(options, attack, &world, outcome);
	int wrong = judge(expect, outcome, why_outcome);
	int touched = canaries_check(&world, outcome, attack, why_canary);

	if (!touched && attack->check)
		touched = attack->check(&world, outcome, why_canary);
	world_close(&world);
	return wrong || touched ? -1 : 0;
}

static const struct dev_row *find_row(const struct dev_row *rows, const char *attack)
{
	for (const struct dev_row *row = rows; row->attack; row++)
		if (strcmp(row->attack, attack) == 0)
			return row;
	return NULL;
}

static int is_proof(const struct options *options, const struct mutant *mutant)
{
	int dev = strstr(mutant->tiers, "dev") != NULL;

	return strstr(mutant->tiers, tier_names[options->tier]) && dev <= options->dev &&
	       !(options->dev && !dev && find_row(dev_rows, mutant->attack));
}

/* In every profile no canary may be touched; what is allowed in the box itself differs. */
static const char *expectation(const struct options *options, const struct attack *attack)
{
	const struct dev_row *const rows[] = {options->live ? live_rows : NULL,
					      options->dev ? dev_rows : NULL};

	for (size_t i = 0; i < 2; i++) {
		const struct dev_row *row = rows[i] ? find_row(rows[i], attack->name) : NULL;

		if (row && row->expect[options->tier] && attack->expect[options->tier])
			return row->expect[options->tier];
	}
	return attack->expect[options->tier];
}

static int takes_long(const char *name)
{
	return strncmp(name, "flood-", 6) == 0 || strcmp(name, "py-flood") == 0 ||
	       strcmp(name, "many-files-workspace") == 0;
}

static int is_left_out(const struct options *options, const struct attack *attack)
{
	const char *expect = attack->expect[TIER_FULL];

	if (!options->every)
		return 0;
	if (takes_long(attack->name))
		return 1;
	if (!expect || strcmp(expect, expectation(options, attack)) != 0)
		return 0;

	/* Root and an ordinary user take turns. */
	long turn = (attack - attacks) + (options->uid >= 0);

	return turn % options->every != 0;
}

static void run_attack(const struct options *options, const struct attack *attack,
		       struct tally *tally)
{
	char why[MAX_WHY], canary[MAX_WHY], both[2 * MAX_WHY + 8];
	const char *expect = expectation(options, attack);
	const char *missing = missing_program(attack);
	struct outcome outcome;

	if (missing) {
		printf("ok %d - attack %s # SKIP no %s\n", ++tally->number, attack->name, missing);
		return;
	}
	int failed = attack_once(options, attack, expect, &outcome, why, canary);

	snprintf(both, sizeof(both), "%s%s%s", canary, canary[0] && why[0] ? "; " : "", why);
	report(tally, failed, attack->name, tier_names[options->tier], both);
	if (failed && outcome.err.length)
		printf("# stderr: %.300s\n", outcome.err.bytes);
	if (options->verbose && outcome.out.bytes)
		printf("# %.2000s\n", outcome.out.bytes);
	outcome_done(&outcome);
}

static const struct attack *find_attack(const char *name)
{
	for (const struct attack *attack = attacks; attack->name; attack++)
		if (strcmp(attack->name, name) == 0)
			return attack;
	return NULL;
}

/* What must be seen with the layer gone. A run that did not start shows nothing, unless that is
 * what the row says. */
static int mutant_is_seen(const struct mutant *mutant, const struct outcome *outcome,
			  const char *canary, char *why)
{
	if (strcmp(mutant->sees, "canary") == 0) {
		if (canary[0])
			return 0;
		judge("canary", outcome, why);
		return -1;
	}
	return judge(mutant->sees, outcome, why);
}

static void run_mutant(const struct options *given, const struct mutant *mutant,
		       struct tally *tally)
{
	char why[MAX_WHY] = "no such attack", canary[MAX_WHY] = "", name[256];
	const struct attack *attack = find_attack(mutant->attack);
	struct options options = *given;
	struct outcome outcome = {.exit_code = -1};

	options.without = mutant->without;
	snprintf(name, sizeof(name), "%s without %s: %s", mutant->attack, mutant->without,
		 mutant->sees);
	if (attack && missing_program(attack)) {
		printf("ok %d - mutant %s # SKIP no %s\n", ++tally->number, name,
		       missing_program(attack));
		return;
	}
	int failed = -1;

	if (attack) {
		attack_once(&options, attack, "held", &outcome, why, canary);
		failed = mutant_is_seen(mutant, &outcome, canary, why);
	}
	report(tally, failed, name, tier_names[options.tier], why);
	if (failed && outcome.err.length)
		printf("# stderr: %.300s\n", outcome.err.bytes);
	outcome_done(&outcome);
}

static int is_wanted(const struct options *options, const char *name)
{
	return !options->only || fnmatch(options->only, name, 0) == 0;
}

/* If each attack had a box of its own, this would test nothing but cold boxes. */
static void report_boxes(const struct options *options, struct tally *tally)
{
	const struct live *live = options->live;

	printf("# %d attacks in %d live boxes, up to %d in one\n", live->attacks, live->boxes,
	       live->most);
	report(tally, !options->only && live->most < 10, "many starts in one box",
	       tier_names[options->tier], "no live box outlived 10 attacks");
}

static int run_all(const struct options *options)
{
	struct tally tally = {0, 0};

	for (const struct attack *attack = attacks; !options->mutants && attack->name; attack++) {
		const char *expect = expectation(options, attack);

		if (expect && *expect && is_wanted(options, attack->name) &&
		    !is_left_out(options, attack) &&
		    (!options->only_binary || strcmp(attack->lang, "binary") == 0))
			run_attack(options, attack, &tally);
	}
	for (const struct mutant *mutant = mutants; options->mutants && mutant->without; mutant++)
		if (is_proof(options, mutant) && is_wanted(options, mutant->attack))
			run_mutant(options, mutant, &tally);
	if (options->live)
		report_boxes(options, &tally);
	printf("1..%d\n", tally.number);
	return tally.failed || !tally.number ? 1 : 0;
}

static int list_all(void)
{
	for (const struct attack *attack = attacks; attack->name; attack++)
		printf("%-28s %-7s %-40s %s\n", attack->name, attack->lang, attack->layers,
		       attack->expect[0]);
	return 0;
}

static void usage(void)
{
	fprintf(stderr,
		"usage: attacks-run --cordon PATH --probes PATH [--dir DIR] [--tier T]\n"
		"       [--only GLOB] [--only-binary] [--uid N] [--mutants] [--dev | --live] "
		"[--verbose] [--slow N] [--every N]\n"
		"       attacks-run --list\n");
	exit(2);
}

static const struct option long_options[] = {
	{"cordon", required_argument, NULL, 'c'},
	{"probes", required_argument, NULL, 'p'},
	{"dir", required_argument, NULL, 'd'},
	{"tier", required_argument, NULL, 't'},
	{"only", required_argument, NULL, 'o'},
	{"uid", required_argument, NULL, 'u'},
	{"only-binary", no_argument, NULL, 'b'},
	{"mutants", no_argument, NULL, 'm'},
	{"verbose", no_argument, NULL, 'v'},
	{"slow", required_argument, NULL, 's'},
	{"every", required_argument, NULL, 'e'},
	{"list", no_argument, NULL, 'l'},
	{"dev", no_argument, NULL, 'D'},
	{"live", no_argument, NULL, 'L'},
	{NULL, 0, NULL, 0},
};

static enum tier parse_tier(const char *name)
{
	for (int i = 0; i < TIER_COUNT; i++)
		if (strcmp(tier_names[i], name) == 0)
			return (enum tier)i;
	usage();
	return TIER_FULL;
}

static void parse(int argc, char **argv, struct options *options, struct live *live)
{
	int option;

	*options = (struct options){.dir = "tests/attacks", .tier = TIER_FULL, .uid = -1};
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (option) {
		case 'c':
			options->cordon = optarg;
			break;
		case 'p':
			options->probes = optarg;
			break;
		case 'd':
			options->dir = optarg;
			break;
		case 't':
			options->tier = parse_tier(optarg);
			break;
		case 'o':
			options->only = optarg;
			break;
		case 'u':
			options->uid = strtol(optarg, NULL, 10);
			break;
		case 'b':
			options->only_binary = 1;
			break;
		case 'm':
			options->mutants = 1;
			break;
		case 'v':
			options->verbose = 1;
			break;
		case 's':
			options->slow = atoi(optarg);
			break;
		case 'e':
			options->every = strtol(optarg, NULL, 10);
			break;
		case 'D':
			options->dev = 1;
			break;
		case 'L':
			options->dev = 1;
			options->live = live;
			break;
		case 'l':
			options->list = 1;
			break;
		default:
			usage();
		}
	}
	if (optind != argc || (!options->list && (!options->cordon || !options->probes)))
		usage();
}

int main(int argc, char **argv)
{
	struct options options;
	struct live live = {0};
	int rc;

	parse(argc, argv, &options, &live);
	if (options.list)
		return list_all();
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (stage_open(&options) < 0) {
		printf("Bail out! cannot prepare: %s\n", strerror(errno));
		return 1;
	}
	rc = run_all(&options);
	if (options.live)
		live_finish(&options);
	stage_close(&options);
	return rc;
}
