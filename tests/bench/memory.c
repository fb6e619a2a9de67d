/* SPDX-License-Identifier: MIT
 *
 * Memory of one live sandbox: PSS and private dirty pages summed over all its processes.
 * The measuring process is a subreaper, so a sandbox's processes stay its descendants even after
 * their parent left; whatever descends from it while one sandbox lives belongs to that sandbox.
 * Must never report a sum with processes missing as if it were whole: unreadable ones are counted.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define SETTLE_US 1000000
#define DEPTH_MAX 32

/* 0 for a process that is gone or a zombie: neither has memory nor living children. */
static pid_t parent_of(pid_t pid)
{
	char path[64], line[512];
	int parent = 0;
	char state = 'Z';
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	/* The name may hold blanks and brackets: fields count from the last bracket. */
	char *at = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	if (at)
		sscanf(at + 1, " %c %d", &state, &parent);
	fclose(f);
	return state == 'Z' ? 0 : parent;
}

static bool is_descendant(pid_t pid, pid_t of)
{
	for (int depth = 0; pid > 1 && depth < DEPTH_MAX; depth++) {
		pid = parent_of(pid);
		if (pid == of)
			return true;
	}
	return false;
}

static void memory_add(struct memory *m, pid_t pid)
{
	char path[64], line[256];
	long kb;
	bool seen = false;
	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Pss: %ld", &kb) == 1) {
			m->pss_kb += kb;
			seen = true;
		} else if (sscanf(line, "Private_Dirty: %ld", &kb) == 1) {
			m->dirty_kb += kb;
		}
	}
	if (f)
		fclose(f);
	m->processes++;
	m->unreadable += !seen;
}

static struct memory memory_of_descendants(void)
{
	struct memory m = {0};
	pid_t self = getpid();
	DIR *d = opendir("/proc");
	struct dirent *e;
	while (d && (e = readdir(d))) {
		pid_t pid = (pid_t)atoi(e->d_name);
		if (pid > 0 && is_descendant(pid, self))
			memory_add(&m, pid);
	}
	if (d)
		closedir(d);
	return m;
}

void measure_memory(struct bench *b)
{
	struct plan p;
	char why[REASON_BYTES_MAX] = "";
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (size_t i = 0; i < tools_count; i++) {
		struct outcome *o = &b->out[i];
		pid_t pid = -1;
		if (o->state != STATE_RAN || plan_make(&p, b, &tools[i], &works[WORK_SLEEP]) < 0 ||
		    spawn_start(&p, -1, b->err_fd, &pid) < 0)
			continue;
		usleep(SETTLE_US);
		o->memory = memory_of_descendants();
		if (spawn_finish(pid, why) < 0 && !o->failures++) {
			snprintf(o->reason, sizeof(o->reason), "sleep: %.400s", why);
			spawn_blame(b->err_fd, o->reason);
		}
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}
