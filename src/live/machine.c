/* SPDX-License-Identifier: MIT
 *
 * See machine.h. Of the host's /proc/cpuinfo only the first processor is read: the kernel measures the
 * clock of each one that is read, which takes milliseconds.
 */
#include "live/machine.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

enum { CPUS_MAX = 64, BLOCK_MAX = 4096, FILE_MAX = CPUS_MAX * (BLOCK_MAX / 4) };

static unsigned count_cpus(const struct request *r)
{
	cpu_set_t set;
	unsigned have = sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : (unsigned)CPU_COUNT(&set);
	uint64_t may = (r->limit[LIMIT_CPU] + 99) / 100;

	have = have > CPUS_MAX ? CPUS_MAX : have;
	return may && may < have ? (unsigned)may : have;
}

/* The lines of the first processor, without the one with its number. */
static void read_block(char block[BLOCK_MAX])
{
	AUTO_CLOSE int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, block, BLOCK_MAX - 1);

	block[n < 0 ? 0 : n] = '\0';
	char *end = strstr(block, "\n\n");
	if (end)
		end[1] = '\0';
	char *line = strchr(block, '\n');
	if (strncmp(block, "processor", strlen("processor")) == 0 && line)
		memmove(block, line + 1, strlen(line + 1) + 1);
	/* Half a line at the end of what was read. */
	if (!end)
		*(strrchr(block, '\n') ? strrchr(block, '\n') + 1 : block) = '\0';
}

static char *cpuinfo(unsigned cpus, struct arena *a)
{
	char block[BLOCK_MAX];
	char *all = arena_dup(a, "");

	read_block(block);
	for (unsigned i = 0; i < cpus && strlen(all) + strlen(block) + 64 < FILE_MAX; i++)
		all = arena_printf(a, "%sprocessor\t: %u\n%s\n", all, i, block);
	return all;
}

static char *meminfo(uint64_t bytes, struct arena *a)
{
	unsigned long long kb = bytes / 1024;

	return arena_printf(a,
			    "MemTotal:       %8llu kB\nMemFree:        %8llu kB\n"
			    "MemAvailable:   %8llu kB\nBuffers:               0 kB\n"
			    "Cached:                0 kB\nSwapCached:            0 kB\n"
			    "Active:                0 kB\nInactive:              0 kB\n"
			    "SwapTotal:             0 kB\nSwapFree:              0 kB\n"
			    "Shmem:                 0 kB\nSlab:                  0 kB\n",
			    kb, kb, kb);
}

static char *stat_file(unsigned cpus, struct arena *a)
{
	char *all = arena_dup(a, "cpu  0 0 0 0 0 0 0 0 0 0\n");

	for (unsigned i = 0; i < cpus; i++)
		all = arena_printf(a, "%scpu%u 0 0 0 0 0 0 0 0 0 0\n", all, i);
	return arena_printf(a,
			    "%sintr 0\nctxt 0\nbtime %lld\nprocesses 1\nprocs_running 1\n"
			    "procs_blocked 0\n",
			    all, (long long)time(NULL));
}

void machine_files(const struct request *r, struct arena *a, struct spec_file ret[MACHINE_FILES])
{
	unsigned cpus = count_cpus(r);

	ret[0] = (struct spec_file){SPEC_PROC_OWN "cpuinfo", cpuinfo(cpus, a), false, 0};
	ret[1] = (struct spec_file){SPEC_PROC_OWN "meminfo", meminfo(r->limit[LIMIT_MEMORY], a),
				    false, 0};
	ret[2] = (struct spec_file){SPEC_PROC_OWN "stat", stat_file(cpus, a), false, 0};
	for (int i = 0; i < MACHINE_FILES; i++)
		ret[i].len = strlen(ret[i].content);
}
