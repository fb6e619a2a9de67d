/* SPDX-License-Identifier: MIT
 *
 * A ruleset from bytes with inconsistent numbers is refused.
 */
#include "engine_kit.h"

/* The place of the number of marks among the counts, which come first (ruleset_file.c). */
enum { MARKS = 10 };

static const char *const rules[] = {HEAD("SEQ", "low", "llm_io") ANY
				    "    - {within: 1m, steps: [{patterns: [one]}, "
				    "{patterns: [two]}, {patterns: [three]}]}\n",
				    NULL};

static bool loads(const struct kit *k, const uint8_t *bytes, size_t len)
{
	struct engine_options options = {.lane = LANE_HUNT};
	struct engine *engine = NULL;
	struct err err = {0};
	bool good = engine_load(bytes, len, &k->pack, k->db, &options, &engine, &err) == 0;

	engine_free(engine);
	return good;
}

/* A sequence marks its steps, then its tools: there must be as many marks. */
static void test_marks(void)
{
	AUTO_FREE uint8_t *bytes = NULL;
	size_t len = 0, taken = 0;
	struct err err = {0};
	uint64_t marks;
	struct kit k;

	ok(set_up(&k, rules, DETECT_STRICT, false), "%s", k.said);
	IS(scan_json(&k, "{\"type\":\"llm_input\",\"content\":\"one two\"}"), "SEQ ", "a sequence");
	scratch_must(engine_save(k.engine, &bytes, &len, &err) == 0, "the bytes");
	uint8_t *at = bytes + MARKS * sizeof(marks);
	memcpy(&marks, at, sizeof(marks));
	ok(marks == 3 && loads(&k, bytes, len), "three steps have a mark each");
	for (uint64_t n = 0; n < marks; n++) {
		memcpy(at, &n, sizeof(n));
		taken += loads(&k, bytes, len);
	}
	ok(taken == 0, "fewer marks are refused: %zu taken", taken);
	tear_down(&k);
}

int main(void)
{
	const char *scratch = scratch_enter();

	test_marks();
	scratch_leave(scratch);
	return tap_done();
}
