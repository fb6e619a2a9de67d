/* SPDX-License-Identifier: MIT */
/*
 * Prepares the run: copies the programs and scripts to a directory of its own, so that an ordinary
 * user can start them wherever the checkout lies, and drops to that user if asked to. All that
 * happens later, canaries included, is done as that user.
 */
#include "../harmless.h"
#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy_file(const char *from, const char *to, mode_t mode)
{
	char block[65536];
	long got = -1;
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	while (out >= 0 && (got = read(in, block, sizeof(block))) > 0)
		if (write(out, block, (size_t)got) != got)
			break;
	if (out >= 0)
		fchmod(out, mode);
	close(in);
	close(out);
	return out >= 0 && got == 0 ? 0 : -1;
}

static int is_script(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (strcmp(dot, ".py") == 0 || strcmp(dot, ".sh") == 0 ||
		       strcmp(dot, ".js") == 0 || strcmp(dot, ".rb") == 0);
}

static int copy_scripts(const char *from, const char *to)
{
	char source[PATH_MAX], target[PATH_MAX];
	DIR *dir = opendir(from);
	struct dirent *entry;
	int rc = 0;

	while (dir && rc == 0 && (entry = readdir(dir))) {
		snprintf(source, sizeof(source), "%s/%s", from, entry->d_name);
		snprintf(target, sizeof(target), "%s/%s", to, entry->d_name);
		if (is_script(entry->d_name))
			rc = copy_file(source, target, 0644);
	}
	if (dir)
		closedir(dir);
	return rc;
}

/* cordon looks for the others beside itself: all are copied, from beside each other. */
static int copy_cordon(struct options *options)
{
	static const char *const others[] = {"cordon-box", "cordon-keeper"};
	char source[PATH_MAX], target[2 * MAX_PATH];
	const char *slash = strrchr(options->cordon, '/');

	for (int i = 0; i < (options->live ? 2 : 1); i++) {
		snprintf(source, sizeof(source), "%.*s%s",
			 slash ? (int)(slash - options->cordon + 1) : 0, options->cordon,
			 others[i]);
		snprintf(target, sizeof(target), "%s/%s", options->stage, others[i]);
		if (copy_file(source, target, 0755) < 0)
			return -1;
	}
	snprintf(target, sizeof(target), "%s/cordon", options->stage);
	if (copy_file(options->cordon, target, 0755) < 0)
		return -1;
	options->cordon = strdup(target);
	return 0;
}

static int become(long uid)
{
	gid_t gid = (gid_t)uid;

	if (uid < 0)
		return 0;
	return setgroups(1, &gid) < 0 || setgid(gid) < 0 || setuid((uid_t)uid) < 0 ? -1 : 0;
}

/* As much as the gate gives: what is tested is the box. */
static int write_policy(const char *stage)
{
	char path[2 * MAX_PATH];

	snprintf(path, sizeof(path), "%s/policy", stage);
	FILE *file = fopen(path, "we");
	if (!file)
		return -1;
	int written = fputs("version: 2\nprofile: observe\n", file);
	return fclose(file) == 0 && written >= 0 ? 0 : -1;
}

int stage_open(struct options *options)
{
	char target[2 * MAX_PATH], rules[2 * MAX_PATH], programs[MAX_PATH];

	umask(022);
	snprintf(options->stage, sizeof(options->stage), "/tmp/cordon-stage-XXXXXX");
	if (!mkdtemp(options->stage) || chmod(options->stage, 0755) < 0)
		return -1;
	if (options->uid >= 0 &&
	    chown(options->stage, (uid_t)options->uid, (gid_t)options->uid) < 0)
		return -1;
	/* What a live box shows: nothing else of the stage. */
	snprintf(programs, sizeof(programs), "%.200s/programs", options->stage);
	snprintf(target, sizeof(target), "%s/probes", programs);
	snprintf(rules, sizeof(rules), "%s/rules", options->stage);
	if (mkdir(programs, 0755) < 0 || mkdir(rules, 0755) < 0 || harmless_write(rules) < 0 ||
	    write_policy(options->stage) < 0 || copy_cordon(options) < 0 ||
	    copy_file(options->probes, target, 0755) < 0 ||
	    (!options->only_binary && copy_scripts(options->dir, programs) < 0))
		return -1;
	/* The attacker owns his own program: only the box keeps him from rewriting it. */
	if (options->uid >= 0 && chown(target, (uid_t)options->uid, (gid_t)options->uid) < 0)
		return -1;
	options->probes = strdup(target);
	options->dir = strdup(programs);
	return become(options->uid);
}

static void remove_flat(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

void stage_close(const struct options *options)
{
	char path[2 * MAX_PATH];

	snprintf(path, sizeof(path), "%s/state", options->stage);
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	snprintf(path, sizeof(path), "%s/rules", options->stage);
	remove_flat(path);
	remove_flat(options->dir);
	remove_flat(options->stage);
}
