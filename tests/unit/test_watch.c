/* SPDX-License-Identifier: MIT
 *
 * The watcher's arithmetic: how long a process has been there, what it may have used after the
 * last look, when CPU time is over, when the next look is. The functions are its own, so the source
 * is taken in.
 */
#include "box/watch.c"

#include "tap.h"

static uint64_t boot_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000U + (uint64_t)now.tv_nsec / 1000U;
}

static void test_age(void)
{
	uint64_t tick_us = 1000000U / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t now = boot_us() / tick_us;
	struct tree_row row = {.own_us = 300, .waited_us = 200, .never_slept = true};

	ok(likely_age_us(&row, 1000) == 500, "a process that never slept worked or waited");
	row = (struct tree_row){.own_us = 4000, .threads = 2, .start = now + 1000};
	ok(likely_age_us(&row, 10000) == 6000, "a start that is still to come says nothing");
	ok(likely_age_us(&row, 1000) == 2000,
	   "a process is at least as old as the CPU time of one thread");
	row.start = now - 1000;
	ok(likely_age_us(&row, 10000) >= 900 * tick_us, "an old one is as old as its start");
	row = (struct tree_row){.own_us = 0, .threads = 0, .start = now};
	ok(likely_age_us(&row, 1000000) <= 100 * tick_us, "a new one is as new as its start");
}

static void test_tail(void)
{
	struct tree_row before = {.own_us = 1000}, row = {.own_us = 1000};

	ok(likely_tail_us(&row, &before, 10000) == 0, "nothing is missed of an idle process");
	row.own_us = 5000;
	ok(likely_tail_us(&row, &before, 10000) == 2000, "half of what it did between two looks");
	row.own_us = 500;
	ok(likely_tail_us(&row, &before, 10000) == 0, "a count that went back is nothing");
	row = (struct tree_row){.own_us = 0, .never_slept = true};
	ok(likely_tail_us(&row, NULL, 10000) == 0, "no time, no division");
	row = (struct tree_row){.own_us = 1000, .never_slept = true};
	ok(likely_tail_us(&row, NULL, 10000) == 9000, "one seen once stands for all of them");
}

static void test_cpu(void)
{
	struct sum sum = {.cpu_us = 1000000};

	ok(!cpu_is_over(&sum, 0), "no limit, never over");
	ok(!cpu_is_over(&sum, 1000), "at the limit");
	sum.cpu_us++;
	ok(cpu_is_over(&sum, 1000), "and one more");
	sum = (struct sum){.estimate_us = 1250000};
	ok(!cpu_is_over(&sum, 1000), "an estimate of a quarter more");
	sum.estimate_us++;
	ok(cpu_is_over(&sum, 1000), "and one more");
}

static void test_gone(void)
{
	struct tree_row before[2] = {{.pid = 5, .start = 1, .own_us = 100, .tail_us = 10},
				     {.pid = 6, .start = 1, .own_us = 200, .tail_us = 20}};
	struct tree_row rows[2] = {{.pid = 5, .start = 1, .own_us = 150, .never_slept = true},
				   {.pid = 6, .start = 2, .own_us = 7, .never_slept = true}};
	struct watch w = {.before = before, .beforec = 2};
	struct sum sum = {0};

	count_cpu(&w, rows, 2, 1000, &sum);
	ok(w.gone_us == 220, "an ended process counts with its last value and its tail");
	ok(sum.has_new, "one of the same number and another start is new");
	ok(sum.estimate_us == 157 + 220, "the living and the gone");
}

static void test_pace(void)
{
	struct spec spec = {.tier = TIER_NO_CGROUP};
	struct watch w = {.spec = &spec, .interval_ms = 2, .min_ms = 2, .max_ms = 50};
	struct sum sum = {0};
	int wrong = 0;

	for (int i = 0; i < 1000; i++) {
		uint64_t begin = io_now_ns();
		pace(&w, &sum);
		uint64_t half = (uint64_t)w.interval_ms * 500000U;
		wrong += w.next_ns < begin + half || w.next_ns > io_now_ns() + 3 * half;
	}
	ok(wrong == 0, "between half and one and a half of the interval");
	ok(w.interval_ms == 50, "no longer than the longest");
	sum.memory = 1 << 20;
	pace(&w, &sum);
	ok(w.interval_ms == 2, "the shortest when memory grows");
	spec.limit[LIMIT_CPU_TIME] = 1000;
	for (int i = 0; i < 10; i++)
		pace(&w, &sum);
	ok(w.interval_ms == CPU_MAX_MS, "more often where CPU time is limited");
}

int main(void)
{
	test_age();
	test_tail();
	test_cpu();
	test_gone();
	test_pace();
	return tap_done();
}
