/* SPDX-License-Identifier: MIT
 *
 * cordon-box: the program that holds privilege. It gets one plain-data spec and a few descriptors, and
 * answers over a socket. It parses no text, links no parser, and prints nothing, because its standard
 * streams belong to the program in the box.
 */
#include "base/io.h"
#include "base/pages.h"
#include "box/supervise.h"
#include "box/tree.h"

static int run_program(struct box *b, struct err *err)
{
	struct run *r = pages_new(sizeof(*r)); /* never freed */

	if (!r)
		return err_memory(err);
	r->box = b;
	r->pidfd = -1;
	listener_init(&r->listener);
	starts_init(&r->starts);
	r->result.limit = LIMIT_NONE;
	if (run_is_live(r) && starts_open(&r->starts, &b->starts, err) < 0)
		return -1;
	if (run_start(r, err) < 0 || run_release(r, err) < 0 || run_open_cgroup(r, err) < 0) {
		run_receive_error(r, err);
		run_bury(r);
		return -1;
	}
	return supervise(r, err);
}

static int run(struct box *b, struct spec *spec, struct err *err)
{
	if (!spec)
		return err_memory(err);
	if (intake_receive(spec, err) < 0)
		return -1;
	b->spec = spec;
	switch (spec->job) {
	case JOB_SWEEP:
		tree_sweep(RESULT_FD); /* cordon's only children are from dead boxes */
		cgroup_sweep(&cgroup_host_real);
		return 0;
	case JOB_PROBE:
	case JOB_START:
		return err_set(err, ERR_INPUT, "this job is not for cordon-box");
	case JOB_RUN:
		break;
	}
	return run_program(b, err);
}

int main(void)
{
	struct box box = BOX_INIT;
	struct spec *spec = pages_new(sizeof(*spec)); /* never freed */
	struct wire_error msg = {.kind = WIRE_ERROR};

#ifdef CORDON_MUTANT
	mutant_configure(&box);
#endif
	if (inherit_reset(&box, "cordon-box is started by cordon; see cordon(1)\n") < 0)
		return 125;
	if (run(&box, spec, &msg.err) == 0)
		return 0;
	io_send(RESULT_FD, &msg, sizeof(msg), -1);
	return 125;
}
