/* SPDX-License-Identifier: MIT */
/*
 * The runner's nouns: an attack (one row of cases.def), the world of canaries it is let loose in,
 * and the outcome. An attack passes only if the outcome is the expected one AND every canary is
 * untouched; a box that says "denied" while the effect happened is a failure.
 */
#ifndef ATTACKS_RUN_H
#define ATTACKS_RUN_H

#include <jansson.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

#include "leaked.h"

enum tier { TIER_FULL, TIER_NO_CGROUP, TIER_NO_USERNS, TIER_COUNT };

enum {
	MAX_PATH = 256,
	MAX_WHY = 512,
	MAX_CAPTURE = 32 << 20, /* of each stream; more is thrown away and counted */
	MAX_ARGV = 96,
	HARD_DEADLINE_S = 60, /* a run that takes longer has hung */
};

struct world {
	char base[MAX_PATH], secret[MAX_PATH], outside[MAX_PATH], home[MAX_PATH];
	char workspace[MAX_PATH], unix_path[MAX_PATH], tty[MAX_PATH], hostname[MAX_PATH];
	char marker[64], token[64];
	int tcp, udp, unix_socket, unix_near, abstract, leaked, leaked_dir;
	int tcp_port, udp_port;
	int master, slave;
	pid_t leader; /* of the terminal's session; ends when release is closed */
	int release;
	struct termios settings;
	pid_t victim;
	unsigned long victim_address;
	int shm, shm_key;
	unsigned long long tree, home_tree;
	long clock_skew;
	int cgroups;
};

struct capture {
	char *bytes; /* always terminated */
	size_t length, dropped;
};

struct outcome {
	struct capture out, err, tty; /* of the cordon process itself */
	int exit_code;		      /* of the cordon process; 128 + N for a signal, -1 hung */
	int still_open;		      /* a process held the pipe after cordon had ended */
	long elapsed_ms, memory_kb;
	json_t *result; /* NULL if it printed no JSON object */
	char *text;	/* the program's standard output, decoded */
	size_t text_length;
};

/* The live box that serves now. */
struct live {
	char name[32], state[2 * MAX_PATH];
	char rest[4096]; /* what was in the box at first */
	int serves;
	int runs;		  /* attacks in this one */
	int boxes, attacks, most; /* all boxes and attacks, and most attacks in one box */
};

struct command {
	char *argv[MAX_ARGV];
	int argc;
};

struct options {
	const char *cordon, *probes, *dir, *only, *without;
	char stage[MAX_PATH]; /* where the copies of the programs lie */
	enum tier tier;
	long uid;
	int only_binary, mutants, verbose, list, dev;
	struct live *live; /* NULL: each attack has a box of its own */
	int slow;	   /* how many times slower than usual this machine is */
	long every;	   /* the short form: one attack of so many, see is_left_out; 0: all */
};

typedef int check_fn(const struct world *world, const struct outcome *outcome, char *why);

struct attack {
	const char *name, *lang, *what, *args, *flags;
	const char *expect[TIER_COUNT]; /* NULL: not run in this tier */
	const char *layers;		/* what stops it: first (second) */
	check_fn *check;
	int on_tty;
};

/* What an attack does in the profile dev, if not what its own row says. */
struct dev_row {
	const char *attack;
	const char *expect[TIER_COUNT]; /* NULL: as its own row */
};

struct mutant {
	const char *without, *attack, *sees, *tiers;
};

extern const struct attack attacks[];
extern const struct mutant mutants[];
extern const char *const tier_names[TIER_COUNT];

/* run.c: the interpreter of the language, or NULL */
const char *find_interpreter(const char *lang);

/* stage.c: copies of the programs, and the user to be */
int stage_open(struct options *options);
void stage_close(const struct options *options);

/* world.c */
int world_open(struct world *world, char *why);
void world_close(struct world *world);
unsigned long long tree_hash(const char *path);
int cgroup_count(void);
long clock_skew(void);

/* canaries.c: 0, or -1 and why */
int canaries_check(const struct world *world, const struct outcome *outcome,
		   const struct attack *attack, char *why);

/* launch.c */
int launch(const struct options *options, const struct attack *attack, struct world *world,
	   struct outcome *outcome, char *why);
void command_add(struct command *command, const char *word);
void command_add_words(struct command *command, const char *cell, const struct world *world);
void command_free(struct command *command);
void plant_in_process(const struct options *options, const struct world *world);

/* boxes.c: live boxes. Before the attack: -1 and why. */
int live_prepare(const struct options *options, const struct attack *attack,
		 const struct world *world, char *why);
/* After it. */
void live_settle(const struct options *options, const struct attack *attack,
		 const struct world *world, struct outcome *outcome);
void live_finish(const struct options *options);

/* outcome.c */
void outcome_read(struct outcome *outcome, int on_tty);
void outcome_done(struct outcome *outcome);
const char *outcome_word(const struct outcome *outcome, const char *key);
long outcome_number(const struct outcome *outcome, const char *key);
/* The last line the program printed, without its newline. */
void outcome_last_line(const struct outcome *outcome, char *ret_line, size_t size);

/* judge.c: 0, or -1 and why */
int judge(const char *expect, const struct outcome *outcome, char *why);

/* hostchecks.c: further looks at single cases */
check_fn check_quick, check_bounded_memory, check_one_object, check_names, check_no_escapes,
	check_workspace_changed, check_commit_links, check_commit_setuid, check_truncated,
	check_no_forged_line, check_commit_hooks;

#endif
