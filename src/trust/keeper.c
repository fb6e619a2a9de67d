/* SPDX-License-Identifier: MIT
 *
 * The real clock; tests set their own.
 */
#include "trust/keeper.h"

#include <time.h>

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void keeper_init(struct keeper *k, struct store *store)
{
	*k = (struct keeper){.store = store, .now_us = now_us};
}
