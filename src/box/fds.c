/* SPDX-License-Identifier: MIT
 *
 * Closes every descriptor but the named ones. Inherited descriptors are the oldest hole in
 * sandboxes: whatever the caller forgot to mark close-on-exec would be the program's.
 */
#include <limits.h>
#include <unistd.h>

#include "box/box.h"

static int next_kept(const int *keep, size_t count, int from)
{
	int next = INT_MAX;

	for (size_t i = 0; i < count; i++)
		if (keep[i] >= from && keep[i] < next)
			next = keep[i];
	return next;
}

void fds_close_all_but(const int *keep, size_t count)
{
	for (int from = 0;;) {
		int kept = next_kept(keep, count, from);
		if (kept > from)
			close_range((unsigned)from, (unsigned)kept - 1, 0);
		if (kept == INT_MAX)
			return;
		from = kept + 1;
	}
}
