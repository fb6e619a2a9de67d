/* SPDX-License-Identifier: MIT
 *
 * A saved tree in the spec: once, with a clean path, and only with an overlay that it can lie under. A
 * writable bind: of a known directory, with nothing mounted in it.
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

static struct spec *plain(enum tier tier)
{
	struct spec *s = calloc(1, sizeof(*s));

	s->tier = tier;
	s->private_dir = tier == TIER_NO_USERNS ? "/p" : NULL;
	s->cwd = s->program = s->argv[s->argc++] = "/x";
	for (int l = 0; l < LIMIT_COUNT; l++)
		s->limit[l] = limit_row((enum limit_id)l)->fallback;
	return s;
}

static bool survives(const struct spec *s, struct spec *ret, uint8_t **data, struct err *err)
{
	size_t len;

	return spec_encode(s, data, &len, err) == 0 && spec_decode(*data, len, ret, err) == 0;
}

static void test_saved(const struct row *r)
{
	AUTO_FREE struct spec *s = plain(r->tier), *ret = calloc(1, sizeof(*ret));
	AUTO_FREE uint8_t *data = NULL;
	struct err err = {0};

	s->workspace = r->workspace;
	s->workspace_path = "/w";
	s->saved_path = r->path;
	bool taken = survives(s, ret, &data, &err);
	ok(taken == r->taken && (taken ? !strcmp(ret->saved_path, r->path)
				       : strstr(err.message, "saved") != NULL),
	   "a saved tree, %s, is %s: %s", r->what, r->taken ? "taken" : "refused", err.message);
}

static const struct writable_row {
	const char *what, *bind, *file, *workspace; /* others, or NULL */
	uint64_t inode;
	enum tier tier;
	const char *words; /* NULL: it is taken */
} writable_rows[] = {
	{"beside others", "/bc", "/bd", "/be/f", 7, TIER_FULL, NULL},
	{"below another", "/", "/etc/x", "/w", 7, TIER_FULL, NULL},
	{"without an identity", "/c", "/d", "/w", 0, TIER_FULL, "identity"},
	{"without mounts", "/c", "/d", "/w", 7, TIER_NO_USERNS, "namespaces"},
	{"with a bind in it", "/b/c", "/d", "/w", 7, TIER_FULL, "a mount in"},
	{"with a bind over it", "/b", "/d", "/w", 7, TIER_FULL, "a mount in"},
	{"with a file in it", "/c", "/b/d", "/w", 7, TIER_FULL, "a mount in"},
	{"with the workspace in it", "/c", "/d", "/b/w", 7, TIER_FULL, "a mount in"},
};

static void test_writable(const struct writable_row *r)
{
	AUTO_FREE struct spec *s = plain(r->tier), *ret = calloc(1, sizeof(*ret));
	AUTO_FREE uint8_t *data = NULL;
	struct err err = {0};

	s->bind[s->bindc++] = (struct spec_bind){"/a", "/b", BIND_WRITABLE, {1, r->inode, 0}};
	s->bind[s->bindc++] = (struct spec_bind){"/a", r->bind, 0, {0}};
	s->file[s->filec++] = (struct spec_file){r->file, "", false, 0};
	s->workspace = WORKSPACE_OVERLAY;
	s->workspace_path = r->workspace;
	bool taken = survives(s, ret, &data, &err);
	ok(r->words ? !taken && strstr(err.message, r->words)
		    : taken && ret->bind[0].flags == BIND_WRITABLE,
	   "a writable bind, %s, is %s: %s", r->what, r->words ? "refused" : "taken", err.message);
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		test_saved(&rows[i]);
	for (size_t i = 0; i < ARRAY_SIZE(writable_rows); i++)
		test_writable(&writable_rows[i]);
	return tap_done();
}
