/* SPDX-License-Identifier: MIT
 *
 * Characters and classes as PCRE2 is to read them. Case in the wide form is written out ([sS])
 * wherever PCRE2 would take more for equal than JavaScript does, and for the rest (?i) is switched on
 * and off where it stands. In the form of ASCII nothing beyond it is written.
 */
#include "scan/js_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan/js_set.h"

static void put_bytes(struct emitter *e, const char *s, size_t len)
{
	if (e->len + len + 1 > e->room) {
		size_t room = e->room ? e->room : 256;
		while (room < e->len + len + 1)
			room *= 2;
		char *grown = room <= JS_PATTERN_MAX ? realloc(e->text, room) : NULL;
		if (!grown) {
			e->failed = true;
			return;
		}
		e->text = grown;
		e->room = room;
	}
	memcpy(e->text + e->len, s, len);
	e->len += len;
	e->text[e->len] = '\0';
}

void js_put(struct emitter *e, const char *s)
{
	put_bytes(e, s, strlen(s));
}

static void put_char(struct emitter *e, uint32_t c)
{
	char buf[16];
	bool alnum = c - '0' < 10 || (c | 32) - 'a' < 26;

	snprintf(buf, sizeof(buf), alnum || c == ' ' ? "%c" : "\\x{%x}", c);
	js_put(e, buf);
}

bool js_ignores_case(const struct emitter *e)
{
	return e->ast->flags & JS_IGNORE_CASE;
}

void js_put_fold(struct emitter *e, bool on)
{
	if (e->form != JS_WIDE || e->folding == on || !js_ignores_case(e))
		return;
	js_put(e, on ? "(?i)" : "(?-i)");
	e->folding = on;
}

static void put_ranges(struct emitter *e, const struct js_range *r, size_t count, bool negative)
{
	js_put(e, negative ? "[^" : "[");
	for (size_t i = 0; i < count; i++) {
		put_char(e, r[i].low);
		if (r[i].high > r[i].low + 1)
			js_put(e, "-");
		if (r[i].high > r[i].low)
			put_char(e, r[i].high);
	}
	js_put(e, "]");
}

/* A class of what PCRE2 is to match, whatever its case. */
static void put_set(struct emitter *e, const struct js_range *r, size_t count)
{
	uint32_t max = e->form == JS_ASCII ? JS_ASCII_MAX : js_char_max(e->ast);
	struct js_set not = {0};

	js_put_fold(e, false);
	for (size_t i = 0; i < count; i++)
		js_set_add(&not, r[i].low, r[i].high);
	js_set_negate(&not, max);
	e->failed |= not .failed;
	bool open = count && r[count - 1].high == max;
	if (!count)
		js_put(e, "(?:(?!))");
	else if (!not .count)
		js_put(e, ".");
	else if (open && not .count <= count)
		put_ranges(e, not .range, not .count, true);
	else if (count == 1 && r[0].low == r[0].high)
		put_char(e, r[0].low);
	else
		put_ranges(e, r, count, false);
	js_set_done(&not );
}

/* Ranges up to 0x7f, with room for all. */
static size_t clip(const struct js_range *r, size_t count, struct js_range *out)
{
	size_t n = 0;

	for (size_t i = 0; i < count && r[i].low <= JS_ASCII_MAX; i++)
		out[n++] = (struct js_range){r[i].low,
					     r[i].high < JS_ASCII_MAX ? r[i].high : JS_ASCII_MAX};
	return n;
}

void js_put_class(struct emitter *e, const struct js_node *n)
{
	struct js_range ascii[JS_ASCII_MAX + 1];
	const struct js_range *r = n->count ? e->ast->range + n->first : NULL;
	size_t count = n->count;

	if (e->form == JS_ASCII) {
		count = clip(r, count, ascii);
		r = ascii;
	}
	/* [sS] under PCRE2_CASELESS is s. */
	if (e->form == JS_ASCII && js_ignores_case(e) && count == 2 && r[0].low == r[0].high &&
	    r[1].low == r[1].high && (r[0].low | 32) == r[1].low && r[1].low - 'a' < 26)
		put_char(e, r[1].low);
	else
		put_set(e, r, count);
}

/* All characters a literal stands for, as closed ranges. */
size_t js_literal_set(const struct emitter *e, uint32_t c, struct js_range out[JS_CASE_MAX])
{
	uint32_t all[JS_CASE_MAX] = {c};
	size_t n = js_ignores_case(e) ? js_case_all(c, e->ast->flags & JS_UNICODE, all) : 1;
	struct js_set set = {0};

	for (size_t i = 0; i < n; i++)
		if (e->form == JS_WIDE || all[i] <= JS_ASCII_MAX)
			js_set_add(&set, all[i], all[i]);
	js_set_close(&set);
	n = set.count;
	for (size_t i = 0; i < n; i++)
		out[i] = set.range[i];
	js_set_done(&set);
	return n;
}

void js_put_literal(struct emitter *e, const struct js_node *n)
{
	struct js_range set[JS_CASE_MAX];
	uint32_t letter = n->value | 32;
	bool ascii = n->value <= JS_ASCII_MAX;

	if (ascii && letter - 'a' >= 26) {
		put_char(e, n->value);
		return;
	}
	/* PCRE2 in UTF mode takes the long s for an s and the Kelvin sign for a k. */
	if (ascii && js_ignores_case(e) &&
	    (e->form == JS_ASCII || (letter != 's' && letter != 'k'))) {
		js_put_fold(e, true);
		put_char(e, letter);
		return;
	}
	put_set(e, set, js_literal_set(e, n->value, set));
}
