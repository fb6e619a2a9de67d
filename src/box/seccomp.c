/* SPDX-License-Identifier: MIT
 *
 * Loads the compiled filter and tests it. A well-known sandbox once installed an empty filter on one
 * architecture and reported success. So, before it reads any untrusted byte, the program's process tries
 * forbidden calls: the filter alone must refuse one, and the supervisor another. Then the filter, the
 * listener and the supervisor all work.
 */
#include <errno.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/box.h"
#include "box/filter.h"
#include "box/sys.h"

static int fail(struct err *err, const char *what)
{
	err_errno(err, ERR_LAYER, "%s", what);
	err_blame(err, "seccomp");
	diagnose_layer(err, LAYER_SECCOMP);
	return -1;
}

/* A workspace with the host's own files may contain a socket of a server, and Landlock does not control
 * connecting to it: such a box gets no local sockets. The calls of the profile dev reach other processes, so
 * they need a pid namespace. */
static const struct filter_variant *choose(const struct box *b)
{
	const struct spec *s = b->spec;
	bool spaced = s->tier != TIER_NO_USERNS;
	unsigned int sets = box_may_exec(b) ? SET_EXEC : 0;

	if (spaced)
		sets |= SET_SPACED | (s->flags & SPEC_NEAR ? 0 : SET_UNIX) |
			(s->flags & SPEC_DEV ? SET_DEV : 0);
	if (s->tier == TIER_FULL)
		sets |= SET_COUNTED;
	if (s->flags & SPEC_NET)
		sets |= SET_NET;
	return filter_find(sets);
}

int seccomp_load(struct box *b, int *ret_listener, struct err *err)
{
	*ret_listener = -1;
	if (!box_wants(b, LAYER_SECCOMP))
		return 0;
	const struct filter_variant *v = choose(b);
	struct sock_fprog prog = {v->len, (struct sock_filter *)v->insns};
	unsigned flags = SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
	int fd = sys_seccomp(SECCOMP_SET_MODE_FILTER, flags, &prog);
	if (fd < 0)
		return fail(err, "loading the system call filter");
	*ret_listener = fd;
	box_mark(b, LAYER_SECCOMP);
	/* In a box that may execute programs, Landlock's list decides instead. */
	if (!box_may_exec(b))
		box_mark(b, LAYER_EXECGATE);
	return 0;
}

/* NOTIFIED: also try a call that the supervisor answers. In a box where the supervisor answers the exec, that
 * call proves the same. */
int seccomp_self_test(bool notified, struct err *err)
{
	/* Unfiltered: EINVAL for the missing arguments. Filtered: ENOSYS, so that libc falls back. */
	if (syscall(SYS_clone3, NULL, 0) != -1 || errno != ENOSYS)
		return fail(err, "the filter lets a forbidden call pass (clone3)");
	/* Unfiltered: EFAULT. Filtered: as if the file system had no extended attributes. */
	if (syscall(SYS_setxattr, NULL, NULL, NULL, 0, 0) != -1 || errno != ENOTSUP)
		return fail(err, "the filter lets a forbidden call pass (setxattr)");
	/* Unfiltered: succeeds and changes nothing. Filtered: the supervisor answers. */
	if (notified && (personality(0xffffffff) != -1 || errno != EPERM))
		return fail(err, "the filter lets a forbidden call pass (personality)");
	return 0;
}
