/* SPDX-License-Identifier: MIT
 *
 * The fuzz target of the database. The first byte has the flags; regular expressions follow, one a
 * line, up to the first NUL; then a text. The scan must give each the same answer as the
 * expression alone on the whole text, in both matchers, unless one of them reached a limit. A
 * broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/find/pattern_db.h"

enum { PATTERNS_MAX = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static bool has(const uint32_t *list, size_t count, size_t number)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

static void compare(const struct db *db, struct db_scratch *s, const struct scan_text *text)
{
	struct db_hits hits;
	struct err err;

	must(db_scan(db, s, text, NULL, &hits, &err) == 0);
	for (size_t i = 0; i < db_count(db); i++) {
		enum match_answer answer = db_match(db, s, i, text, NULL);
		for (int way = 0; way < DB_LINEARS; way++) {
			enum match_answer linear = db_match_linear(db, s, i, text, way);
			must(answer == MATCH_UNDECIDED || linear == MATCH_UNDECIDED ||
			     linear == answer);
		}
		if (answer == MATCH_UNDECIDED || has(hits.undecided, hits.undecidedc, i))
			continue;
		must(has(hits.yes, hits.yesc, i) == (answer == MATCH_YES));
	}
}

static size_t split(const char *source, size_t len, unsigned flags, struct db_pattern *ret)
{
	size_t count = 0;

	for (size_t at = 0; at <= len && count < PATTERNS_MAX; count++) {
		const char *end = at < len ? memchr(source + at, '\n', len - at) : NULL;
		size_t n = end ? (size_t)(end - source) - at : len - at;
		ret[count] = (struct db_pattern){source + at, n, flags};
		at += n + 1;
	}
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct match_limits limits = {
		.steps = 20000, .depth = 20000, .heap_kb = 1024, .text_steps = 100000};
	struct db_pattern pattern[PATTERNS_MAX];
	struct scan_text raw, folded;
	struct db *db = NULL;
	struct err err = {0};

	if (len < 2)
		return 0;
	/* In a buffer of its exact size, so that the sanitizer sees a read past the end. */
	const uint8_t *end = memchr(data + 1, 0, len - 1);
	size_t source_len = end ? (size_t)(end - data) - 1 : len - 1;
	size_t text_len = end ? len - source_len - 2 : 0;
	AUTO_FREE char *text = malloc(text_len ? text_len : 1);
	must(text != NULL);
	if (text_len)
		memcpy(text, end + 1, text_len);
	size_t count = split((const char *)data + 1, source_len, data[0] & 15, pattern);
	must(db_build(pattern, count, NULL, NULL, &db, &err) == 0);
	struct db_scratch *s = db_scratch_new(db, &limits, &err);
	must(s != NULL);
	must(normal_decode(text, text_len, &raw, &err) == 0);
	must(normal_fold(&raw, &folded, &err) == 0);
	compare(db, s, &raw);
	compare(db, s, &folded);
	normal_done(&folded);
	normal_done(&raw);
	db_scratch_free(s);
	db_free(db);
	return 0;
}
