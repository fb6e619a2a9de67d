/* SPDX-License-Identifier: MIT
 *
 * Fields of a result in JSON that are hard to produce by a run: lists that were cut, an unknown
 * hash.
 */
#include <jansson.h>

#include "show/run_json.h"
#include "tap.h"

static bool is(struct result *r, const char *field, int type)
{
	json_t *o = run_json(r, TIER_FULL);
	bool same = (int)json_typeof(json_object_get(o, field)) == type;

	json_decref(o);
	return same;
}

int main(void)
{
	static struct result r;

	result_init(&r);
	ok(is(&r, "denials_cut", JSON_FALSE), "denials_cut: all denials are listed");
	r.wire.denials_cut = 1;
	ok(is(&r, "denials_cut", JSON_TRUE), "denials_cut: there are more denials than listed");
	ok(is(&r, "changes_cut", JSON_FALSE), "changes_cut: all changes are listed");
	r.changes_cut = true;
	ok(is(&r, "changes_cut", JSON_TRUE), "changes_cut: there are more changes than listed");
	ok(is(&r, "code_sha256", JSON_NULL), "code_sha256: not known");
	r.has_sha256 = true;
	ok(is(&r, "code_sha256", JSON_STRING), "code_sha256: known");
	result_done(&r);
	return tap_done();
}
