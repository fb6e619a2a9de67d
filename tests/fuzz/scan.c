/* SPDX-License-Identifier: MIT
 *
 * The fuzz target of the regex folder. The first byte has the flags; a regular expression follows
 * up to the first NUL; then a text. An expression must be accepted, or refused with a reason.
 * PCRE2 must compile each accepted one unless it is too large. Both forms must give the same
 * answer for a text that fits both, and normalised text must be UTF-8 of the promised size. A
 * broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"
#include "scan/regex/match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_text(const struct scan_text *t)
{
	size_t utf16 = 0, at = 0;
	bool ascii = true;

	while (at < t->len) {
		struct utf8_char c = utf8_next(t->data, t->len, at);
		must(!c.broken && at + c.len <= t->len);
		ascii &= c.value < 0x80;
		utf16 += 1 + (c.value > 0xffff);
		at += c.len;
	}
	must(t->utf16 == utf16 && t->ascii == ascii);
	must(normal_utf16_at(t->unit, t->unit_len) == utf16);
	must(memchr(t->unit, 0xf0, t->unit_len) == NULL);
}

/* Both forms on a text of ASCII, unless one of them reached a limit. */
static void check_forms(const struct match_code *code, struct match_scratch *s,
			const struct scan_text *text)
{
	struct scan_text wide = *text;
	size_t a = 0, b = 0;

	wide.ascii = false;
	enum match_answer first = match_run(code, s, text, &a);
	enum match_answer second = match_run(code, s, &wide, &b);
	must(a <= text->utf16 && b <= text->utf16);
	if (text->ascii && first != MATCH_UNDECIDED && second != MATCH_UNDECIDED)
		must(first == second && a == b);
}

static void check_regex(const char *source, size_t len, unsigned flags,
			const struct scan_text *text)
{
	static const struct match_limits limits = {.steps = 20000, .depth = 20000, .heap_kb = 1024};
	struct err err = {0};
	struct regex regex;

	if (regex_translate(source, len, flags, &regex, &err) < 0) {
		must(err.code != ERR_NONE && err.message[0]);
		return;
	}
	struct match_code *code = match_compile(&regex, &err);
	struct match_scratch *s = match_scratch_new(&limits, &err);
	must(s != NULL);
	if (code)
		check_forms(code, s, text);
	else
		must(strstr(err.message, "too large") || strstr(err.message, "too long") ||
		     strstr(err.message, "too complicated"));
	match_scratch_free(s);
	match_free(code);
	regex_done(&regex);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct scan_text raw, folded;
	struct err err;

	if (len < 2)
		return 0;
	/* In buffers of their exact sizes, so that the sanitizer sees a read past the end. */
	const uint8_t *end = memchr(data + 1, 0, len - 1);
	size_t source_len = end ? (size_t)(end - data) - 1 : len - 1;
	size_t text_len = end ? len - source_len - 2 : 0;
	AUTO_FREE char *source = malloc(source_len + 1), *text = malloc(text_len ? text_len : 1);
	must(source && text);
	memcpy(source, data + 1, source_len);
	if (text_len)
		memcpy(text, end + 1, text_len);
	must(normal_decode(text, text_len, &raw, &err) == 0);
	must(normal_fold(&raw, &folded, &err) == 0);
	check_text(&raw);
	check_text(&folded);
	must(folded.len <= NORMAL_GROWTH_MAX * raw.len);
	check_regex(source, source_len, data[0] & 15, &raw);
	check_regex(source, source_len, data[0] & 15, &folded);
	normal_done(&folded);
	normal_done(&raw);
	return 0;
}
