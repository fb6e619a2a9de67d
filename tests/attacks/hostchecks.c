/* SPDX-License-Identifier: MIT */
/*
 * Further looks from the outside that only single attacks need: how long it took, how much memory
 * the supervisor grew to, what the diff says, what a commit left in the workspace.
 */
#include "run.h"

#include <ctype.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int no(char *why, const char *text)
{
	snprintf(why, MAX_WHY, "%s", text);
	return -1;
}

/* Far below the half minute that the probes would stay. */
int check_quick(const struct world *world, const struct outcome *outcome, char *why)
{
	(void)world;
	if (outcome->elapsed_ms < 15000)
		return 0;
	snprintf(why, MAX_WHY, "it took %ld ms", outcome->elapsed_ms);
	return -1;
}

int check_bounded_memory(const struct world *world, const struct outcome *outcome, char *why)
{
	if (outcome->memory_kb > 64 << 10) {
		snprintf(why, MAX_WHY, "cordon grew to %ld KiB", outcome->memory_kb);
		return -1;
	}
	return check_quick(world, outcome, why);
}

/* The stream was cut, and the result says so and by how much. */
int check_truncated(const struct world *world, const struct outcome *outcome, char *why)
{
	json_t *cut = json_object_get(outcome->result, "truncated");

	/* 1 MiB of each stream; one byte may become six (\u0000) in JSON. */
	if (outcome->out.length + outcome->out.dropped > 14 << 20)
		return no(why, "more than 14 MiB of result came out");
	if (json_object_size(cut) == 0)
		return no(why, "the result does not say that output was cut");
	return check_bounded_memory(world, outcome, why);
}

/* The program printed a whole result of its own: only ours counts, and it is one. */
int check_one_object(const struct world *world, const struct outcome *outcome, char *why)
{
	(void)world;
	if (!outcome->result)
		return no(why, "the output is not exactly one JSON object");
	if (json_object_get(outcome->result, "forged"))
		return no(why, "the program forged a field");
	if (strcmp(outcome_word(outcome, "tier"), "") == 0 ||
	    strcmp(outcome_word(outcome, "tier"), "forged") == 0)
		return no(why, "the program forged the tier");
	return 0;
}

/* Every planted name is one entry of its own, and none is called "forged". */
int check_names(const struct world *world, const struct outcome *outcome, char *why)
{
	json_t *change, *changes = json_object_get(outcome->result, "changes");
	size_t i;

	json_array_foreach (changes, i, change) {
		const char *path = json_string_value(json_object_get(change, "path"));

		if (!path || strcmp(path, "forged") == 0)
			return no(why, "a file name forged an entry of the diff");
	}
	if (json_array_size(changes) != 4) {
		snprintf(why, MAX_WHY, "%zu changes instead of 4", json_array_size(changes));
		return -1;
	}
	return check_one_object(world, outcome, why);
}

/* The colour of our own prefix, and its end after the prefix and one of our words. */
static int is_our_colour(const char *at, const char *start)
{
	size_t length = 2 + strspn(at + 2, "0123456789;");
	const char *label = at;

	if (at[0] != 0x1b || at[1] != '[' || at[length] != 'm')
		return 0;
	if (strncmp(at + length + 1, "cordon: ", 8) == 0)
		return 1;
	while (label > start &&
	       (label[-1] == ' ' || label[-1] == ':' || islower((unsigned char)label[-1])))
		label--;
	return strncmp(label, "mcordon: ", 9) == 0; /* m ends the colour's beginning */
}

/* What a person sees carries no byte that a terminal obeys, but tab, line ends and our colour. */
int check_no_escapes(const struct world *world, const struct outcome *outcome, char *why)
{
	(void)world;
	for (size_t i = 0; i < outcome->tty.length; i++) {
		unsigned char c = (unsigned char)outcome->tty.bytes[i];
		unsigned char before = i ? (unsigned char)outcome->tty.bytes[i - 1] : 0;
		int is_c1 = c >= 0x80 && c < 0xa0 && (before == 0xc2 || before < 0x80);

		if (is_our_colour(outcome->tty.bytes + i, outcome->tty.bytes))
			continue;
		if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f || is_c1) {
			snprintf(why, MAX_WHY, "byte 0x%02x reached the terminal", c);
			return -1;
		}
	}
	return 0;
}

/* No line on the terminal starts with our own prefix and the program's words. */
int check_no_forged_line(const struct world *world, const struct outcome *outcome, char *why)
{
	static const char forged[] = "cordon: forged";
	const char *bytes = outcome->tty.bytes;

	for (size_t i = 0; i + sizeof(forged) <= outcome->tty.length; i++)
		if (strncmp(bytes + i, forged, sizeof(forged) - 1) == 0 &&
		    (i == 0 || bytes[i - 1] == '\n' || bytes[i - 1] == '\r')) {
			snprintf(why, MAX_WHY, "a forged line reached the terminal: %.40s",
				 bytes + i);
			return -1;
		}
	return check_no_escapes(world, outcome, why);
}

/* Nothing that git or Python would run may have come through an apply. */
int check_commit_hooks(const struct world *world, const struct outcome *outcome, char *why)
{
	static const char *const names[] = {".git/hooks/pre-commit",
					    ".git/config",
					    ".git",
					    "__pycache__/util.cpython-311.pyc",
					    "sitecustomize/__init__.py",
					    "util.pyc"};
	char path[2 * MAX_PATH];

	(void)outcome;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct stat info;

		snprintf(path, sizeof(path), "%s/%s", world->workspace, names[i]);
		if (lstat(path, &info) == 0 && S_ISREG(info.st_mode)) {
			snprintf(why, MAX_WHY, "%s was applied", names[i]);
			return -1;
		}
	}
	return 0;
}

/* For rw and apply: the change must have come through, or the test shows nothing. */
int check_workspace_changed(const struct world *world, const struct outcome *outcome, char *why)
{
	(void)outcome;
	return tree_hash(world->workspace) == world->tree ? no(why, "nothing was applied") : 0;
}

/* After an apply nothing in the workspace may point out of it, or be more than a plain file. */
static int walk_workspace(const struct world *world, char *why,
			  int (*look)(const FTSENT *entry, char *why))
{
	char *const roots[] = {(char *)world->workspace, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;
	int rc = 0;

	while (walk && rc == 0 && (entry = fts_read(walk)))
		if (entry->fts_info != FTS_DP)
			rc = look(entry, why);
	if (walk)
		fts_close(walk);
	return rc;
}

static int is_inside(const FTSENT *entry, char *why)
{
	char target[MAX_PATH] = "";

	if (!S_ISLNK(entry->fts_statp->st_mode))
		return 0;
	if (readlink(entry->fts_path, target, sizeof(target) - 1) > 0 &&
	    (target[0] == '/' || strstr(target, ".."))) {
		snprintf(why, MAX_WHY, "%s points to %s", entry->fts_name, target);
		return -1;
	}
	return 0;
}

int check_commit_links(const struct world *world, const struct outcome *outcome, char *why)
{
	(void)outcome;
	return walk_workspace(world, why, is_inside);
}

static int is_plain(const FTSENT *entry, char *why)
{
	mode_t mode = entry->fts_statp->st_mode;

	if (strcmp(entry->fts_name, "host.sock") == 0) /* our own canary */
		return 0;
	if ((mode & 07000) && S_ISREG(mode)) {
		snprintf(why, MAX_WHY, "%s has mode %o", entry->fts_name, mode & 07777);
		return -1;
	}
	if (!S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode)) {
		snprintf(why, MAX_WHY, "%s is no plain file", entry->fts_name);
		return -1;
	}
	return 0;
}

int check_commit_setuid(const struct world *world, const struct outcome *outcome, char *why)
{
	(void)outcome;
	return walk_workspace(world, why, is_plain);
}
