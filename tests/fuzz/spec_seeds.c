/* SPDX-License-Identifier: MIT
 *
 * Each seed is a valid spec that sets other fields than its neighbours, so that every record kind
 * is in at least one. They are small: a mutation in a large file seldom hits what matters.
 */
#include "seeds.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "model/spec.h"

const int seed_rounds = 200000;

static void seed_plain(struct spec *s)
{
	s->argv[s->argc++] = "true";
}

static void seed_python(struct spec *s)
{
	s->payload = PAYLOAD_FILE;
	s->payload_target = "/cordon/main.py";
	memset(s->payload_sha256, 0xa5, sizeof(s->payload_sha256));
	s->argv[s->argc++] = "/usr/bin/python3";
	s->argv[s->argc++] = "/cordon/main.py";
	s->env[s->envc++] = "PATH=/usr/bin:/bin";
	s->env[s->envc++] = "EMPTY=";
	s->bind[s->bindc++] =
		(struct spec_bind){"/usr/lib", "/usr/lib", BIND_CODE | BIND_OPTIONAL, {1, 2, 3}};
	s->bind[s->bindc++] = (struct spec_bind){"/", "/root", 0, {0}};
	s->file[s->filec++] = (struct spec_file)SPEC_TEXT("/etc/hosts", "127.0.0.1 localhost\n");
	s->file[s->filec++] = (struct spec_file){"/lib", "usr/lib", true, 7};
}

static void seed_workspace(struct spec *s)
{
	s->tier = TIER_NO_CGROUP;
	s->flags = SPEC_EXEC | SPEC_DIFF | SPEC_KEEP_UPPER;
	s->payload = PAYLOAD_PROGRAM;
	s->workspace = WORKSPACE_OVERLAY;
	s->workspace_path = "/home/user/project";
	s->saved_path = "/home/user/.local/state/cordon/tree";
	s->cwd = "/workspace";
	s->argv[s->argc++] = "";
	s->exec[s->programc++] = "/usr/bin/cat";
	s->exec[s->programc++] = "/usr/bin/ls";
	s->mask[s->maskc++] = (struct spec_mask){"/workspace/.cache/cordon", {1, 2, 0}, true, 0};
}

static void seed_private(struct spec *s)
{
	s->tier = TIER_NO_USERNS;
	s->flags = SPEC_PROC_FULL;
	s->private_dir = s->cwd = "/tmp/cordon-abcdef";
	s->argv[s->argc++] = "node";
	for (int i = 0; i < LIMIT_COUNT; i++)
		s->limit[i] = limit_row((enum limit_id)i)->max;
}

static void seed_sweep(struct spec *s)
{
	s->job = JOB_SWEEP;
	s->argv[s->argc++] = "sweep";
}

static void seed_live(struct spec *s)
{
	s->flags = SPEC_LIVE | SPEC_EXEC | SPEC_DEV;
	s->argv[s->argc++] = "live";
}

static void seed_start(struct spec *s)
{
	s->job = JOB_START;
	s->program = "make";
	s->argv[s->argc++] = "make";
	s->argv[s->argc++] = "-j2";
	s->env[s->envc++] = "PATH=/usr/bin:/bin";
}

static void (*const shapes[])(struct spec *s) = {
	seed_plain, seed_python, seed_workspace, seed_private, seed_sweep, seed_live, seed_start};

uint8_t *seed_make(unsigned i, size_t *ret_len)
{
	AUTO_FREE struct spec *s = calloc(1, sizeof(*s));
	uint8_t *data = NULL;
	struct err err;

	if (!s || i >= ARRAY_SIZE(shapes))
		return NULL;
	s->cwd = "/tmp";
	s->program = "/usr/bin/true";
	for (int l = 0; l < LIMIT_COUNT; l++)
		s->limit[l] = limit_row((enum limit_id)l)->fallback;
	shapes[i](s);
	return spec_encode(s, &data, ret_len, &err) == 0 ? data : NULL;
}
