/* SPDX-License-Identifier: MIT
 *
 * See view_parse.h. One table row for each key; only "effect" may occur more than once. It must
 * never read past LEN or keep a pointer into DATA.
 */
#include "read/view_parse.h"

#include <ctype.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"

enum { KEY_MAX = 8, DIGITS_MAX = 8 };

struct reader {
	const char *data;
	size_t len, at;
	unsigned seen; /* a bit per row of keys */
	struct code_effect *effect;
	struct code_view *view;
};

struct record {
	const char *bytes;
	size_t len;
};

static int garbled(struct err *err, const char *what)
{
	err_set(err, ERR_LIMIT, "the reader of the code gave an invalid answer");
	err_cause(err, "%s", what);
	return -1;
}

/* UTF-8 without NUL. A LINE may be written to a terminal, so it has no control characters. */
static bool is_text(const char *s, size_t len, bool line)
{
	for (size_t at = 0; at < len;) {
		struct utf8_char c = utf8_next(s, len, at);
		if (c.broken || c.value == 0)
			return false;
		if (line && (c.value < 0x20 || (c.value >= 0x7f && c.value < 0xa0)))
			return false;
		at += c.len;
	}
	return true;
}

/* Reads a decimal number at *AT and moves *AT behind it. */
static int read_number(const char *s, size_t len, size_t *at, size_t *ret)
{
	size_t n = 0, start = *at;

	while (*at < len && isdigit((unsigned char)s[*at]) && *at - start < DIGITS_MAX)
		n = n * 10 + (size_t)(s[(*at)++] - '0');
	*ret = n;
	return *at > start ? 0 : -1;
}

static const char *copy(struct reader *r, struct record v)
{
	char *s = arena_alloc(&r->view->arena, v.len + 1);

	if (r->view->arena.failed)
		return "";
	memcpy(s, v.bytes, v.len);
	s[v.len] = '\0';
	return s;
}

static bool is_word(struct record v, const char *word)
{
	return v.len == strlen(word) && memcmp(v.bytes, word, v.len) == 0;
}

static int take_status(struct reader *r, struct record v, struct err *err)
{
	static const char *const names[] = {
		[CODE_VIEW_NONE] = "none", [CODE_VIEW_PART] = "part", [CODE_VIEW_WHOLE] = "whole"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (is_word(v, names[i])) {
			r->view->state = (enum code_view_state)i;
			return 0;
		}
	return garbled(err, "an unknown status");
}

static int take_line(struct reader *r, struct record v, struct err *err)
{
	size_t at = 0, n;

	if (read_number(v.bytes, v.len, &at, &n) < 0 || at != v.len)
		return garbled(err, "a line that is not a number");
	r->view->line = (unsigned)n;
	return 0;
}

static int take_reason(struct reader *r, struct record v, struct err *err)
{
	if (v.len > VIEW_VALUE_MAX || !is_text(v.bytes, v.len, true))
		return garbled(err, "a reason that is not text");
	r->view->reason = copy(r, v);
	return 0;
}

static int take_limit(struct reader *r, struct record v, struct err *err)
{
	if (v.len)
		return garbled(err, "a limit with a value");
	r->view->limited = true;
	return 0;
}

static int take_text(struct reader *r, struct record v, struct err *err)
{
	if (v.len > VIEW_TEXT_MAX || !is_text(v.bytes, v.len, false))
		return garbled(err, "a text that is too long or not text");
	r->view->text = copy(r, v);
	r->view->text_len = v.len;
	return 0;
}

/* "kind line value" */
static int take_effect(struct reader *r, struct record v, struct err *err)
{
	struct code_effect *e = &r->effect[r->view->effectc];
	size_t at = 0, line;
	int kind = 0;

	if (r->view->effectc == VIEW_EFFECTS_MAX)
		return garbled(err, "too many effects");
	while (at < v.len && v.bytes[at] != ' ')
		at++;
	while (kind < EFFECT_KINDS &&
	       !is_word((struct record){v.bytes, at}, effect_name((enum effect_kind)kind)))
		kind++;
	at++;
	if (kind == EFFECT_KINDS || at >= v.len || read_number(v.bytes, v.len, &at, &line) < 0 ||
	    at >= v.len || v.bytes[at] != ' ')
		return garbled(err, "an unknown effect");
	struct record value = {v.bytes + at + 1, v.len - at - 1};
	if (!value.len || value.len > VIEW_VALUE_MAX || !line ||
	    !is_text(value.bytes, value.len, true))
		return garbled(err, "an effect that is not text");
	*e = (struct code_effect){(enum effect_kind)kind, (unsigned)line, copy(r, value)};
	r->view->effectc++;
	return 0;
}

static int take_end(struct reader *r, struct record v, struct err *err)
{
	if (v.len || r->at != r->len)
		return garbled(err, "data after its end");
	return 0;
}

static const struct {
	const char *key;
	int (*take)(struct reader *r, struct record v, struct err *err);
	bool many;
} keys[] = {{"status", take_status, false}, {"line", take_line, false},
	    {"reason", take_reason, false}, {"limit", take_limit, false},
	    {"text", take_text, false},	    {"effect", take_effect, true},
	    {"end", take_end, false}};
enum { STATUS_ROW = 0, END_ROW = ARRAY_SIZE(keys) - 1 };

/* The key's row, or -1. */
static int read_key(struct reader *r)
{
	char key[KEY_MAX + 1];
	size_t n = 0;

	while (r->at < r->len && n < KEY_MAX && r->data[r->at] != ' ')
		key[n++] = r->data[r->at++];
	key[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strcmp(keys[i].key, key) == 0)
			return (int)i;
	return -1;
}

static bool take_byte(struct reader *r, char c)
{
	if (r->at >= r->len || r->data[r->at] != c)
		return false;
	r->at++;
	return true;
}

static int read_record(struct reader *r, int *ret_row, struct err *err)
{
	int row = read_key(r);
	size_t len;

	if (row < 0 || (!keys[row].many && (r->seen & (1U << row))))
		return garbled(err, "an unknown or repeated key");
	if (!take_byte(r, ' ') || read_number(r->data, r->len, &r->at, &len) < 0 ||
	    !take_byte(r, '\n') || len >= r->len - r->at)
		return garbled(err, "a wrong length");
	struct record v = {r->data + r->at, len};
	r->at += len;
	if (!take_byte(r, '\n'))
		return garbled(err, "a wrong length");
	r->seen |= 1U << row;
	*ret_row = row;
	return keys[row].take(r, v, err);
}

int view_parse(const char *data, size_t len, struct code_view *ret, struct err *err)
{
	struct reader r = {.data = data, .len = len, .view = ret};
	int row = STATUS_ROW;

	ret->text = ret->reason = "";
	r.effect = arena_alloc(&ret->arena, VIEW_EFFECTS_MAX * sizeof(*r.effect));
	if (ret->arena.failed)
		return err_memory(err);
	while (row != END_ROW) {
		if (r.at == r.len)
			return garbled(err, "it ends too early");
		if (read_record(&r, &row, err) < 0)
			return -1;
	}
	ret->effect = r.effect;
	if (!(r.seen & (1U << STATUS_ROW)))
		return garbled(err, "it has no status");
	if ((ret->state != CODE_VIEW_WHOLE || ret->limited) && !*ret->reason)
		return garbled(err, "it does not say why it is incomplete");
	return ret->arena.failed ? err_memory(err) : 0;
}
