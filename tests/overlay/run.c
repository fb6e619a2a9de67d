/* SPDX-License-Identifier: MIT
 *
 * run STATE DIRECTORY FILE|apply [SAVED]: runs FILE in a box whose workspace is DIRECTORY under the overlay
 * that STATE has for it, or applies that overlay. It prints the program's output, what cordon-box
 * says has changed, and the pending diff. It looks for cordon-box beside itself.
 * SAVED: the saved tree's path, if a wrong one is to be told.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"
#include "base/scope.h"
#include "live/enclose.h"
#include "overlay/overlay.h"

static int fail(const char *what, const struct err *err)
{
	printf("%s: %s; %s; %s\n", what, err->message, err->cause, err->cure);
	return 1;
}

static void print_output(void *ctx, int stream, const char *data, size_t len)
{
	(void)ctx;
	(void)stream;
	fwrite(data, 1, len, stdout);
}

static int run(struct overlay *o, const char *saved, const struct request *req,
	       struct blueprint *bp, struct result *result, struct err *err)
{
	struct launch box = LAUNCH_NONE;
	const struct launch_sink sink = {.output = print_output};

	if (launch_begin(&box, err) < 0 || blueprint_begin(bp, req, NULL, err) < 0 ||
	    blueprint_make(bp, req, err) < 0 || 0)
		return -1;
	bp->saved = overlay_open_tree(o);
	bp->spec.saved_path = bp->saved >= 0 ? saved : NULL;
	bp->spec.flags |= SPEC_KEEP_UPPER;
	if (enclose(bp, &box, &sink, result, err) < 0)
		return -1;
	for (size_t i = 0; i < result->changec; i++)
		printf("%s %s\n",
		       (const char *[]){"created", "modified",
					"deleted"}[result->changes[i].change],
		       result->changes[i].path);
	if (result->status != STATUS_EXITED || result->upper < 0) {
		*err = result->err;
		return -1;
	}
	struct overlay_losses lost;
	return overlay_save(o, result->upper, bp->workspace, bp->began, &lost, err);
}

static int print_pending(const struct overlay *o, int workspace, bool applies, struct err *err)
{
	AUTO_DIFF struct overlay_diff d = {0};

	if (overlay_diff(o, workspace, &d, err) < 0)
		return -1;
	AUTO_FREE bool *chosen = calloc(d.count + 1, sizeof(*chosen));
	for (size_t i = 0; i < d.count; i++) {
		chosen[i] = d.entry[i].rule == OVERLAY_FREE;
		printf("pending %s%s\n", d.entry[i].path, d.entry[i].moved ? " moved" : "");
	}
	return applies ? overlay_apply((struct overlay *)o, workspace, &d, chosen, err) : 0;
}

int main(int argc, char **argv)
{
	static const uint8_t conversation[OVERLAY_CONVERSATION] = {1};
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	AUTO_CLOSE int state = argc >= 4 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	AUTO_CLOSE int dir = state < 0 ? -1 : open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	static struct result result;
	static struct request req;
	char saved[4096];
	struct err err = {0};

	if (dir < 0)
		return 2;
	if (overlay_open(&o, state, conversation, dir, &err) < 0)
		return fail("open", &err);
	bool applies = strcmp(argv[3], "apply") == 0;
	if (!applies) {
		struct blueprint *bp = pages_new(sizeof(*bp));
		request_init(&req);
		result_init(&result);
		req.file = argv[3];
		req.workspace = argv[2];
		req.workspace_mode = WORKSPACE_OVERLAY;
		req.state = argv[1];
		req.diff = true;
		req.tier = geteuid() == 0 ? TIER_FULL : TIER_NO_CGROUP;
		if (!bp)
			return 2;
		blueprint_init(bp);
		snprintf(saved, sizeof(saved), "%s/%s", argv[1], o.tree);
		if (run(&o, argc > 4 ? argv[4] : saved, &req, bp, &result, &err) < 0)
			return fail("run", &err);
	}
	return print_pending(&o, dir, applies, &err) < 0 ? fail("diff", &err) : 0;
}
