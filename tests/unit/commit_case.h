/* SPDX-License-Identifier: MIT
 *
 * A workspace, an upper directory as the overlay would leave it, and the list of changes that
 * cordon-box would tell: what the tests of a commit begin with. Included once per program.
 */
#ifndef CORDON_UNIT_COMMIT_CASE_H
#define CORDON_UNIT_COMMIT_CASE_H

#include "base/scope.h"
#include "flow/commit.h"
#include "scratch.h"
#include "tap.h"

/* One fresh pair of directories with something of the user's in it. */
static inline void prepare(void)
{
	scratch_must(
		system("chmod -R u+rwx upper ws outside 2>/dev/null; rm -rf upper ws outside") == 0,
		"clearing");
	scratch_dir("upper");
	scratch_dir("ws");
	scratch_dir("outside");
	scratch_file("outside/file", "outside", 0600);
	scratch_file("ws/old", "old", 0644);
	scratch_dir("ws/dir");
	scratch_file("ws/dir/kept", "kept", 0644);
	scratch_must(symlink("../outside", "ws/link") == 0, "link");
}

static inline void add(struct result *r, const char *path, size_t len, enum change_kind change,
		       enum change_type type, unsigned mode, bool opaque)
{
	static struct wire_change c;

	c = (struct wire_change){.change = change,
				 .type = type,
				 .mode = mode,
				 .opaque = opaque,
				 .path_len = (uint32_t)len};
	memcpy(c.path, path, len < sizeof(c.path) ? len : sizeof(c.path));
	result_add_change(r, &c);
}

static struct conflict_mark mark;
static struct spec spec;

/* What is done to the workspace after this is done during the run. */
static inline struct result *begin(void)
{
	static struct result r;
	struct err err;
	AUTO_CLOSE int ws = open("ws", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	scratch_must(conflict_mark(ws, &mark, &err) == 0, "marking the beginning");

	memset(&r, 0, sizeof(r));
	result_init(&r);
	r.upper = open("upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return &r;
}

static inline int commit(struct result *r, struct err *err)
{
	AUTO_CLOSE int ws = open("ws", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	memset(err, 0, sizeof(*err));
	spec.limit[LIMIT_DISK] = 1ULL << 40;
	return commit_changes(r, ws, &mark, &spec, err);
}

static inline void file_change(struct result *r, const char *path, unsigned mode)
{
	add(r, path, strlen(path), CHANGE_ADDED, TYPE_FILE, mode, false);
}

/* A run that has made one file. */
static inline struct result *begin_with_new(void)
{
	prepare();
	scratch_file("upper/new", "new", 0644);
	struct result *r = begin();
	file_change(r, "new", 0644);
	return r;
}

/* Refused with a reason, and the effect is not there. */
static inline void refused(const char *path, size_t len, enum change_kind change,
			   enum change_type type)
{
	struct err err;
	struct result *r = begin();

	add(r, path, len, change, type, 0755, false);
	int result = commit(r, &err);
	ok(result == 0 && r->changec == 1 && r->changes[0].note,
	   "%s is not committed, and that is told", path);
	result_done(r);
}

#endif
