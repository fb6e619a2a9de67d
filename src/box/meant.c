/* SPDX-License-Identifier: MIT
 *
 * Is this the file that was decided on? A name may have been given to another one since; the
 * descriptor that will be used is asked, never the name once more.
 */
#include <sys/stat.h>

#include "box/box.h"

bool box_is_meant(int fd, const struct spec_meant *m)
{
	struct stat st;

	if (!m->ino)
		return true;
	if (fstat(fd, &st) < 0 || st.st_dev != m->dev || st.st_ino != m->ino)
		return false;
	uint64_t changed_ns =
		(uint64_t)st.st_ctim.tv_sec * 1000000000U + (uint64_t)st.st_ctim.tv_nsec;
	return !m->changed_ns || m->changed_ns == changed_ns;
}

struct spec_meant box_meant_by(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return (struct spec_meant){.dev = UINT64_MAX, .ino = UINT64_MAX}; /* no file is */
	return (struct spec_meant){.dev = st.st_dev, .ino = st.st_ino};
}
