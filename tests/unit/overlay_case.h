/* SPDX-License-Identifier: MIT
 *
 * A user's directory, an upper directory as a run would leave it, and a state directory: what the tests of
 * overlays begin with. Included once per program.
 */
#ifndef CORDON_UNIT_OVERLAY_CASE_H
#define CORDON_UNIT_OVERLAY_CASE_H

#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "base/scope.h"
#include "overlay/overlay.h"
#include "scratch.h"

static const uint8_t conversation[OVERLAY_CONVERSATION] = {1, 2, 3};
static const struct timespec never = {.tv_sec = INT64_MAX};

static inline void shell(const char *command)
{
	scratch_must(system(command) == 0, command);
}

static inline void clear_upper(void)
{
	shell("rm -rf upper; mkdir upper");
}

static inline void prepare(void)
{
	shell("chmod -R u+rwx ws upper state outside 2>/dev/null; rm -rf ws upper state outside; "
	      "mkdir ws upper outside ws/dir ws/dir/sub; mkdir -m 700 state; umask 022; "
	      "echo old >ws/old; echo kept >ws/dir/kept; echo deep >ws/dir/sub/deep; "
	      "echo tool >ws/tool; chmod 755 ws/tool; ln -s old ws/link; echo x >outside/file");
}

/* Can the scratch directory hold what an overlay writes? A tmpfs before Linux 6.6 cannot. */
static inline bool holds_signs(void)
{
	scratch_must(mkdir("signs", 0700) == 0, "signs");
	bool holds = setxattr("signs", "user.overlay.opaque", "y", 1, 0) == 0;
	scratch_must(rmdir("signs") == 0, "signs");
	return holds;
}

static inline void whiteout(const char *path)
{
	scratch_must(mknod(path, S_IFCHR, makedev(0, 0)) == 0, path);
}

static inline void opaque(const char *path)
{
	scratch_must(setxattr(path, "user.overlay.opaque", "y", 1, 0) == 0, path);
}

static inline int open_dir(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	scratch_must(fd >= 0, path);
	return fd;
}

static inline int open_overlay(struct overlay *ret, struct err *err)
{
	AUTO_CLOSE int state = open_dir("state"), ws = open_dir("ws");

	memset(err, 0, sizeof(*err));
	return overlay_open(ret, state, conversation, ws, err);
}

static struct overlay_losses losses;

static inline int save_in(struct overlay *o, struct err *err)
{
	AUTO_CLOSE int upper = open_dir("upper"), ws = open_dir("ws");

	return overlay_save(o, upper, ws, never, &losses, err);
}

/* A run has left what is in upper. */
static inline int save(struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;

	return open_overlay(&o, err) < 0 ? -1 : save_in(&o, err);
}

/* One word for each entry: + created, - deleted, = modified, % mode; then * moved, ! only if named, # never;
 * then the path. */
static inline const char *show(const struct overlay_diff *d)
{
	static char text[1 << 16];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < d->count && len < sizeof(text); i++) {
		const struct overlay_entry *e = &d->entry[i];
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%c%s%s%s", i ? " " : "",
					"+=-%"[e->change], e -> moved ? "*" : "",
					(const char *[]){"#", "!", ""}[e->rule], e->path);
	}
	return text;
}

static inline const char *pending(void)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	AUTO_CLOSE int ws = open_dir("ws");
	AUTO_DIFF struct overlay_diff d = {0};
	static struct err err;

	return open_overlay(&o, &err) < 0 || overlay_diff(&o, ws, &d, &err) < 0 ? err.message
										: show(&d);
}

/* All entries but those of the rule NEVER, or only the one with this path. */
static inline int apply(const char *only, struct err *err)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	AUTO_CLOSE int ws = open_dir("ws");
	AUTO_DIFF struct overlay_diff d = {0};

	if (open_overlay(&o, err) < 0 || overlay_diff(&o, ws, &d, err) < 0)
		return -1;
	bool chosen[64] = {false};
	scratch_must(d.count <= ARRAY_SIZE(chosen), "more entries than expected");
	for (size_t i = 0; i < d.count; i++)
		chosen[i] =
			only ? !strcmp(only, d.entry[i].path) : d.entry[i].rule != OVERLAY_NEVER;
	return overlay_apply(&o, ws, &d, chosen, err);
}

#endif
