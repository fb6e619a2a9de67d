/* SPDX-License-Identifier: MIT
 *
 * What is known of files on the host: whatever a run could write has the label of that run, for any
 * later run that is given it. A directory is marked before the run that may write into it starts,
 * and those above it too, so that neither a smaller nor a larger part of the tree is clean. Where a
 * file is, its descriptor says and not the name that somebody gave it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/above.h"
#include "base/scope.h"
#include "flow/gate.h"
#include "flow/workspace.h"

enum { HASH_BYTES_MAX = 256 << 20 };

void gate_join_input(struct gate *g, const struct label *label, const char *why)
{
	label_join(&g->inputs, label);
	g->has_inputs = true;
	if (why && !g->inputs_why)
		g->inputs_why = why;
}

int gate_join_mark(struct gate *g, enum dir_mark mark, const struct stat *st, struct err *err)
{
	struct label label;
	bool known = false;

	if (dir_label_find(&g->state.keeper, mark, st->st_dev, st->st_ino, &label, &known, err) < 0)
		return -1;
	if (known)
		gate_join_input(g, &label, NULL);
	return 0;
}

/* What a run had that could write into DIR or above it. ALL: also into what is below. */
static int join_tree(struct gate *g, int dir, const char *path, bool all, struct err *err)
{
	struct above above;

	if (above_walk(dir, path, &above, err) < 0 ||
	    (all && gate_join_mark(g, DIR_ABOVE, &above.at[0], err) < 0))
		return -1;
	for (size_t i = 0; i < above.count; i++)
		if (gate_join_mark(g, DIR_WRITTEN, &above.at[i], err) < 0)
			return -1;
	return 0;
}

static int join_dir(struct gate *g, int dir, const char *path, struct err *err)
{
	return join_tree(g, dir, path, true, err) < 0 ? -1 : gate_join_known(g, dir, err);
}

static int open_dir(const char *path, struct err *err)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? err_errno(err, ERR_INPUT, "%s", path) : fd;
}

/* Nobody knows where it is, or where else: then it may be what an untrusted run wrote, if any could
 * write into a directory at all. */
static int doubt(struct gate *g, const char *why, struct err *err)
{
	struct label unknown = label_unknown();
	bool any = false;

	if (dir_label_any(&g->state.keeper, &any, err) < 0)
		return -1;
	if (any)
		gate_join_input(g, &unknown, why);
	return 0;
}

/* FD is open. NAME: what somebody called it. */
static int join_place(struct gate *g, const char *name, int fd, const struct stat *st,
		      struct err *err)
{
	gate_join_lost(g, st);
	if (st->st_nlink > 1 &&
	    doubt(g, "a file it is given has another name, maybe where an untrusted run writes",
		  err) < 0)
		return -1;
	AUTO_CLOSE int dir = above_open_parent(fd, st);
	if (dir < 0)
		return doubt(g, "nobody knows where a file it is given is", err);
	return join_tree(g, dir, name, false, err);
}

/* The file that NAME was when WAS was seen of it. What came through a pipe was in none. */
static int join_file(struct gate *g, const char *name, const struct stat *was, struct err *err)
{
	struct stat st;

	if (!name || !was->st_ino || !S_ISREG(was->st_mode))
		return 0;
	AUTO_CLOSE int fd = strcmp(name, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
						   : open(name, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !above_is_same(&st, was))
		return doubt(g, "a file it is given was exchanged meanwhile", err);
	return join_place(g, name, fd, &st, err);
}

/* Bytes that an untrusted run wrote are known as such, wherever they are. */
static int join_bytes(struct gate *g, const char *name, int fd, const struct stat *st,
		      struct err *err)
{
	uint8_t sha256[KEEPER_SHA256];
	struct file_key key = {st->st_dev, st->st_ino, sha256, (uint64_t)st->st_size};
	struct label label;
	bool known = false;

	if (payload_hash_file(fd, sha256, err) < 0 ||
	    file_label_find(&g->state.keeper, &key, &label, &known, err) < 0)
		return -1;
	if (!known)
		return 0;
	label_join(&g->programs, &label);
	g->program[g->programc++] = name;
	return 0;
}

/* What it may start is code as its own is. One that is not there is explained by whoever wants to
 * show it. */
static int join_program(struct gate *g, size_t i, uint64_t *left, struct err *err)
{
	const char *name = g->req->exec[i];
	AUTO_CLOSE int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_read = fd >= 0;
	struct stat st;

	if (!is_read)
		fd = open(name, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	g->exec[i] = st;
	if (join_place(g, name, fd, &st, err) < 0)
		return -1;
	if (!is_read || (uint64_t)st.st_size > *left)
		return doubt(g, "nobody can read all the programs that it may start", err);
	*left -= (uint64_t)st.st_size;
	return join_bytes(g, name, fd, &st, err);
}

static int join_programs(struct gate *g, struct err *err)
{
	uint64_t left = HASH_BYTES_MAX;

	g->programs = label_top();
	g->programc = 0;
	for (size_t i = 0; i < g->req->execc; i++)
		if (join_program(g, i, &left, err) < 0)
			return -1;
	return 0;
}

static int join_code(struct gate *g, struct err *err)
{
	bool had = g->has_inputs;

	g->has_inputs = false;
	if (!g->req->code && join_file(g, g->req->file, &g->bp->payload.from, err) < 0)
		return -1;
	g->is_marked = g->has_inputs;
	g->has_inputs |= had;
	return 0;
}

/* One that is not there is explained by whoever wants to show it, better than here; with it nothing
 * runs. */
static int join_venv(struct gate *g, struct err *err)
{
	struct err ignored;
	AUTO_CLOSE int dir = g->req->venv ? open_dir(g->req->venv, &ignored) : -1;

	if (dir >= 0 && fstat(dir, &g->venv) < 0)
		return err_errno(err, ERR_INPUT, "%s", g->req->venv);
	return dir < 0 ? 0 : join_dir(g, dir, g->req->venv, err);
}

/* What is code, beside the code itself. */
static int join_runnable(struct gate *g, struct err *err)
{
	bool had = g->has_inputs;

	g->has_inputs = false;
	if (join_programs(g, err) < 0 || join_venv(g, err) < 0)
		return -1;
	g->runs_marked = g->has_inputs;
	g->has_inputs |= had;
	return 0;
}

static int join_workspace(struct gate *g, struct err *err)
{
	if (!g->req->workspace)
		return 0;
	AUTO_CLOSE int dir = open_dir(g->req->workspace, err);
	if (dir >= 0 && fstat(dir, &g->workspace) < 0)
		return err_errno(err, ERR_INPUT, "%s", g->req->workspace);
	if (dir >= 0)
		return join_dir(g, dir, g->req->workspace, err);
	workspace_explain(g->req->workspace, err);
	return -1;
}

int gate_check_given(const struct gate *g, struct err *err)
{
	const struct blueprint *bp = g->bp;
	const struct given *venv = givens_find(&bp->given, bp->venv);
	struct stat st;

	if (bp->workspace >= 0 &&
	    (fstat(bp->workspace, &st) < 0 || !above_is_same(&st, &g->workspace)))
		return err_replaced(err, g->req->workspace);
	if (g->confined.venv && (!venv || !above_is_same(&venv->st, &g->venv)))
		return err_replaced(err, g->req->venv);
	for (size_t i = 0; i < g->confined.execc; i++) {
		const struct given *program = givens_find(&bp->given, bp->program_at[i]);
		if (!program || !payload_is_same(program->fd, &g->exec[i]))
			return err_replaced(err, g->req->exec[i]);
	}
	return 0;
}

int gate_join_files(struct gate *g, struct err *err)
{
	g->inputs_why = NULL;
	g->hostilec = 0;
	if (join_code(g, err) < 0 ||
	    join_file(g, g->req->stdin_file, &g->bp->input_file, err) < 0 ||
	    join_runnable(g, err) < 0 || gate_join_words(g, err) < 0)
		return -1;
	return join_workspace(g, err);
}

bool gate_writes(const struct request *r)
{
	return r->workspace && (r->commit || r->workspace_mode == WORKSPACE_RW);
}

int gate_mark_files(struct gate *g, const struct label *label, struct store_tx *tx, bool *ret_adds,
		    struct err *err)
{
	struct above above;

	*ret_adds = g->opens_lost = false;
	clock_gettime(CLOCK_REALTIME_COARSE, &g->began); /* stamps are never older than this */
	if (!gate_writes(&g->confined) || label->integrity >= INTEGRITY_TOOL)
		return 0;
	/* What the box writes into: its name may lead elsewhere by now. */
	if (above_walk(g->bp->workspace, g->confined.workspace, &above, err) < 0)
		return -1;
	for (size_t i = 0; i < above.count; i++) {
		enum dir_mark mark = i ? DIR_ABOVE : DIR_WRITTEN;
		int added = dir_label_add(&g->state.keeper, mark, above.at[i].st_dev,
					  above.at[i].st_ino, label, tx, err);
		if (added < 0)
			return -1;
		*ret_adds |= added;
	}
	gate_open_lost(g, tx);
	return 0;
}
