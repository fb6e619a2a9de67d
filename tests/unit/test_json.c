/* SPDX-License-Identifier: MIT
 *
 * What a result says in JSON where no run can easily be made to say it: lists that were cut, a
 * hash that is not known.
 */
#include <jansson.h>

#include "cli/cli.h"
#include "tap.h"

static bool is(struct result *r, const char *field, int type)
{
	json_t *o = cli_json(r, TIER_FULL);
	bool same = (int)json_typeof(json_object_get(o, field)) == type;

	json_decref(o);
	return same;
}

int main(void)
{
	static struct result r;

	result_init(&r);
	ok(is(&r, "denials_cut", JSON_FALSE), "denials_cut: all that was refused is listed");
	r.wire.denials_cut = 1;
	ok(is(&r, "denials_cut", JSON_TRUE), "denials_cut: more was refused than is listed");
	ok(is(&r, "changes_cut", JSON_FALSE), "changes_cut: all that changed is listed");
	r.changes_cut = true;
	ok(is(&r, "changes_cut", JSON_TRUE), "changes_cut: more changed than is listed");
	ok(is(&r, "code_sha256", JSON_NULL), "code_sha256: not known");
	r.has_sha256 = true;
	ok(is(&r, "code_sha256", JSON_STRING), "code_sha256: known");
	result_done(&r);
	return tap_done();
}
