/* SPDX-License-Identifier: MIT
 *
 * A saved tree in the spec: once, with a clean path, and only with an overlay that it can lie under.
 */
#include "model/spec.h"

#include <stdlib.h>

#include "base/scope.h"
#include "tap.h"

static const struct row {
	const char *what, *path;
	enum workspace_mode workspace;
	enum tier tier;
	bool taken;
} rows[] = {{"with an overlay", "/s", WORKSPACE_OVERLAY, TIER_FULL, true},
	    {"a relative path", "s", WORKSPACE_OVERLAY, TIER_FULL, false},
	    {"a path with ..", "/s/../t", WORKSPACE_OVERLAY, TIER_FULL, false},
	    {"an empty path", "", WORKSPACE_OVERLAY, TIER_FULL, false},
	    {"read-only", "/s", WORKSPACE_RO, TIER_FULL, false},
	    {"read-write", "/s", WORKSPACE_RW, TIER_FULL, false},
	    {"without a workspace", "/s", WORKSPACE_NONE, TIER_FULL, false},
	    {"without mounts", "/s", WORKSPACE_OVERLAY, TIER_NO_USERNS, false}};

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		AUTO_FREE struct spec *s = calloc(1, sizeof(*s)), *ret = calloc(1, sizeof(*ret));
		AUTO_FREE uint8_t *data = NULL;
		struct err err = {0};
		size_t len;
		s->tier = r->tier;
		s->workspace = r->workspace;
		s->workspace_path = "/w";
		s->saved_path = r->path;
		s->private_dir = r->tier == TIER_NO_USERNS ? "/p" : NULL;
		s->cwd = s->program = s->argv[s->argc++] = "/x";
		for (int l = 0; l < LIMIT_COUNT; l++)
			s->limit[l] = limit_row((enum limit_id)l)->fallback;
		bool taken = spec_encode(s, &data, &len, &err) == 0 &&
			     spec_decode(data, len, ret, &err) == 0;
		ok(taken == r->taken && (taken ? !strcmp(ret->saved_path, r->path)
					       : strstr(err.message, "saved") != NULL),
		   "a saved tree, %s, is %s: %s", r->what, r->taken ? "taken" : "refused",
		   err.message);
	}
	return tap_done();
}
