/* SPDX-License-Identifier: MIT
 *
 * A file's metadata, to notice changes without reading the file. Two equal stamps mean that the
 * file did not change in between, if the file was settled at the first: two changes within one tick
 * of the clock give the same stamp. The stamp includes ctime, which cannot be set, so a reset mtime
 * is noticed.
 */
#ifndef CORDON_BASE_STAMP_H
#define CORDON_BASE_STAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The longest tick of a file system's clock (FAT). */
#define STAMP_TICK_NS 2000000000LL

/* Without padding, because it is stored in files. */
struct stamp {
	uint64_t dev, ino, size, mode;
	int64_t modified, changed; /* nanoseconds since 1970 */
};

struct stamp stamp_of(const struct stat *st);
bool stamp_is_same(const struct stamp *a, const struct stamp *b);
/* Nanoseconds since 1970, by the clock of file times. */
int64_t stamp_now(void);
/* Was the file last changed more than a tick before NOW? False for a time in the future. */
bool stamp_is_settled(const struct stamp *s, int64_t now);

enum { STAMP_BOOT = 40 };
/* The id of the present boot, or "". After a crash a file may have an old stamp and other bytes. */
void stamp_boot(char ret[STAMP_BOOT]);

#endif
