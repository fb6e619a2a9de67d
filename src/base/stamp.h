/* SPDX-License-Identifier: MIT
 *
 * What the kernel says of a file without reading it. Two equal stamps mean that nobody changed the
 * file in between, but only if the first was taken when the file had settled: a clock has ticks,
 * and two changes within one leave the same stamp. The time of change (ctime) cannot be set, so
 * whoever puts a file's date back is seen too.
 */
#ifndef CORDON_BASE_STAMP_H
#define CORDON_BASE_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* No tick of a file system's clock is longer: FAT's. */
#define STAMP_TICK_NS 2000000000LL

/* Without gaps, as it stands in files. */
struct stamp {
	uint64_t dev, ino, size, mode;
	int64_t modified, changed; /* nanoseconds since 1970 */
};

struct stamp stamp_of(const struct stat *st);
bool stamp_is_same(const struct stamp *a, const struct stamp *b);
/* Nanoseconds since 1970 by the clock that files get their times from. */
int64_t stamp_now(void);
/* Was it last changed more than a tick before NOW? A time of tomorrow is not settled. */
bool stamp_is_settled(const struct stamp *s, int64_t now);

enum { STAMP_BOOT = 40 };
/* A name for the time since the machine was started; "" when there is none. What was written before
 * a crash may have a file's stamp and not its bytes. */
void stamp_boot(char ret[STAMP_BOOT]);

#endif
