/* SPDX-License-Identifier: MIT
 *
 * Stamps are compared whole: any difference is a change.
 */
#include "base/stamp.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "base/io.h"
#include "base/scope.h"

enum { BOOT_LENGTH = 36 };

static int64_t nanoseconds(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

struct stamp stamp_of(const struct stat *st)
{
	return (struct stamp){
		.dev = st->st_dev,
		.ino = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mode = st->st_mode,
		.modified = nanoseconds(st->st_mtim),
		.changed = nanoseconds(st->st_ctim),
	};
}

bool stamp_is_same(const struct stamp *a, const struct stamp *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

int64_t stamp_now(void)
{
	struct timespec t = {0};

	clock_gettime(CLOCK_REALTIME_COARSE, &t);
	return nanoseconds(t);
}

bool stamp_is_settled(const struct stamp *s, int64_t now)
{
	return s->modified < now - STAMP_TICK_NS && s->changed < now - STAMP_TICK_NS;
}

void stamp_boot(char ret[STAMP_BOOT])
{
	AUTO_CLOSE int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	memset(ret, 0, STAMP_BOOT);
	if (fd >= 0 && io_read_full(fd, ret, BOOT_LENGTH) != BOOT_LENGTH)
		memset(ret, 0, STAMP_BOOT);
}
