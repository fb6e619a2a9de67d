/* SPDX-License-Identifier: MIT
 *
 * The process that becomes the untrusted program. It shares init's memory until the exec (vfork),
 * so it allocates nothing and returns nowhere. When it reads the program's first byte, every
 * layer is in place and the filter has been tried out.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/sys.h"

static void __attribute__((noreturn)) give_up(struct box *b, const struct err *err)
{
	struct wire_error msg = {.kind = WIRE_ERROR, .err = *err};

	io_send(b->ctl, &msg, sizeof(msg), -1);
	_exit(127);
}

static int leave_session(struct box *b, struct err *err)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!box_wants(b, LAYER_SESSION))
		return 0;
	if (setsid() < 0) {
		err_errno(err, ERR_LAYER, "leaving the caller's session");
		err_blame(err, "session");
		return -1;
	}
	box_mark(b, LAYER_SESSION);
	return 0;
}

/* They close with the exec, not now: until then errors must get out. */
static int close_inherited(struct box *b, struct err *err)
{
	if (!box_wants(b, LAYER_FDS))
		return 0;
	if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) < 0) {
		err_errno(err, ERR_LAYER, "closing inherited descriptors");
		err_blame(err, "fds");
		return -1;
	}
	box_mark(b, LAYER_FDS);
	return 0;
}

/* When memory runs out, on the host or in the box, the program goes and not init. */
static void volunteer(void)
{
	(void)!io_write_text(AT_FDCWD, "/proc/self/oom_score_adj", "1000");
}

static int enter_cwd(struct box *b, struct err *err)
{
	if (chdir(b->spec->cwd) < 0)
		return err_errno(err, ERR_INPUT, "entering %s", b->spec->cwd);
	return 0;
}

/* From here on the filter is on: what follows may use allowed calls only. */
static int hand_over_listener(struct box *b, int listener, struct err *err)
{
	struct wire_listener msg = {WIRE_LISTENER, b->layers};

	if (listener < 0) /* a mutant without seccomp */
		return 0;
	if (io_send(b->ctl, &msg, sizeof(msg), listener) < 0)
		return err_errno(err, ERR_SYSTEM, "handing over the listener");
	close(listener);
	return seccomp_self_test(box_may_exec(b), err);
}

static char **program_env(struct box *b)
{
#ifdef CORDON_MUTANT
	if (!box_wants(b, LAYER_ENV))
		return environ;
#endif
	box_mark(b, LAYER_ENV);
	return (char **)b->spec->env;
}

/* Where there is no own root, a bind's target is its source. */
static const char *program_path(const struct box *b)
{
	const struct spec *s = b->spec;

	for (size_t i = 0; !(b->layers & LAYER_BIT(LAYER_NEWROOT)) && i < s->bindc; i++)
		if (strcmp(s->bind[i].target, s->program) == 0)
			return s->bind[i].source;
	return s->program;
}

void program_main(struct box *b)
{
	const struct spec *s = b->spec;
	char **env = program_env(b);
	int listener = -1;
	struct err err;

	if (b->joinc == 0) /* otherwise init is not in the program's cgroup */
		volunteer();
	if (cgroup_join(b->joins, b->joinc, &err) < 0 || leave_session(b, &err) < 0 ||
	    close_inherited(b, &err) < 0 || enter_cwd(b, &err) < 0 || creds_limit(b, &err) < 0 ||
	    creds_drop(b, &err) < 0 || landlock_restrict(b, &err) < 0 ||
	    seccomp_load(b, &listener, &err) < 0 || hand_over_listener(b, listener, &err) < 0 ||
	    aide_wait(b, &err) < 0 || creds_limit_files(b, &err) < 0)
		give_up(b, &err);
	execve(program_path(b), (char **)s->argv, env);
	err_errno(&err, ERR_INPUT, "starting %s", s->program);
	if (errno == ENOENT)
		err_cause(&err, "the program, or the interpreter it names, is not in the box");
	give_up(b, &err);
}
