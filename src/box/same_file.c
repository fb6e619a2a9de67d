/* SPDX-License-Identifier: MIT
 *
 * Checks that a file is the one that cordon decided on. The name may lead to another file by now, so it
 * asks the descriptor that will be used, and never looks up the name again.
 */
#include <sys/stat.h>

#include "box/box.h"

bool same_file(int fd, const struct spec_identity *m)
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

struct spec_identity same_file_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return (struct spec_identity){.dev = UINT64_MAX,
					      .ino = UINT64_MAX}; /* matches no file */
	return (struct spec_identity){.dev = st.st_dev, .ino = st.st_ino};
}
