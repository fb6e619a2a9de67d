/* SPDX-License-Identifier: MIT
 *
 * Characters, numbers, group names, escapes and classes of an expression. Groups are counted before
 * the rest is read, because the meaning of \2 depends on groups that come later. Without the flag u
 * almost any character may follow a backslash and means itself; with u only listed ones may. A class
 * is built as a set, folded, then negated: JavaScript uses the same order.
 */
#include "scan/regex/parse.h"

#include <string.h>
#include <utf8proc.h>

#include "base/scope.h"
#include "base/utf8.h"

bool js_decode(const char *source, size_t len, bool unicode, uint32_t *out, size_t *ret)
{
	size_t n = 0;

	for (size_t at = 0; at < len;) {
		struct utf8_char c = utf8_next(source, len, at);
		if (c.broken)
			return false;
		at += c.len;
		if (c.value > JS_UNIT_MAX && !unicode) {
			out[n++] = utf8_high(c.value);
			out[n++] = utf8_low(c.value);
		} else {
			out[n++] = c.value;
		}
	}
	*ret = n;
	return true;
}

uint32_t js_refuse(struct js_parser *p, const char *why)
{
	err_set(p->err, ERR_INPUT, "regular expression, character %zu: %s", p->pos, why);
	return JS_NONE;
}

uint32_t js_made(struct js_parser *p, uint32_t node)
{
	if (node == JS_NONE)
		err_set(p->err, ERR_LIMIT, "regular expression, character %zu: too large", p->pos);
	return node;
}

bool js_decimal(struct js_parser *p, uint32_t *ret)
{
	uint64_t value = 0;
	size_t start = p->pos;

	for (uint32_t c; (c = js_peek(p, 0)) - '0' < 10; p->pos++)
		value = value < UINT32_MAX ? value * 10 + (c - '0') : value;
	*ret = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX - 1;
	return p->pos > start;
}

static bool is_name_char(uint32_t c, bool first)
{
	return c - 'a' < 26 || c - 'A' < 26 || c == '_' || c == '$' || (c >= 128 && c != JS_EOF) ||
	       (!first && c - '0' < 10);
}

bool js_group_name(struct js_parser *p, struct js_name *ret)
{
	ret->start = p->pos;
	while (is_name_char(js_peek(p, 0), p->pos == ret->start))
		p->pos++;
	ret->len = p->pos - ret->start;
	return ret->len > 0 && js_eat(p, '>');
}

static bool same_name(const struct js_parser *p, const struct js_name *a, const struct js_name *b)
{
	return a->len == b->len &&
	       !memcmp(p->src + a->start, p->src + b->start, a->len * sizeof(*p->src));
}

/* Records the name of the group being counted. */
static bool note_name(struct js_parser *p)
{
	struct js_name name = {.group = p->groups_total};

	if (!js_group_name(p, &name))
		return js_refuse(p, "invalid group name"), false;
	for (size_t i = 0; i < p->names; i++)
		if (same_name(p, &p->name[i], &name))
			return js_refuse(p, "two groups have the same name"), false;
	if (p->names == JS_NAME_MAX)
		return js_refuse(p, "too many named groups"), false;
	p->name[p->names++] = name;
	return true;
}

static bool count_group(struct js_parser *p)
{
	bool named = js_peek(p, 0) == '?' && js_peek(p, 1) == '<' && js_peek(p, 2) != '=' &&
		     js_peek(p, 2) != '!';

	if (js_peek(p, 0) == '?' && !named)
		return true;
	p->groups_total++;
	if (!named)
		return true;
	p->pos += 2;
	return note_name(p);
}

bool js_count_groups(struct js_parser *p)
{
	bool in_class = false;

	for (uint32_t c; (c = js_peek(p, 0)) != JS_EOF;) {
		p->pos++;
		if (c == '\\')
			p->pos++;
		else if (c == '[' || c == ']')
			in_class = c == '[';
		else if (c == '(' && !in_class && !count_group(p))
			return false;
	}
	p->pos = 0;
	if (p->groups_total > JS_GROUPS_MAX)
		return js_refuse(p, "too many groups"), false;
	return true;
}

enum { CATEGORY_NAME_MAX = 24 };

uint32_t js_class_node(struct js_parser *p, struct js_set *set, bool negative)
{
	uint32_t node = JS_NONE;

	if (p->ast->flags & JS_IGNORE_CASE)
		js_set_fold(set, js_is_unicode(p));
	else
		js_set_close(set);
	if (negative)
		js_set_negate(set, js_char_max(p->ast));
	if (!set->failed)
		node = js_node_add_class(p->ast, set->range, set->count);
	js_set_done(set);
	return js_made(p, node);
}

/* clang-format off */
static const struct { char letter; enum js_named name; bool negative; } shorthands[] = {
	{'d', JS_DIGIT, false}, {'D', JS_DIGIT, true}, {'s', JS_SPACE, false},
	{'S', JS_SPACE, true}, {'w', JS_WORDS, false}, {'W', JS_WORDS, true},
};
static const struct { char letter; uint32_t value; } controls[] = {
	{'f', '\f'}, {'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'v', '\v'},
};
/* General categories: the bits are 1 << utf8proc_category_t. */
#define BIT(x) (1U << UTF8PROC_CATEGORY_##x)
static const struct { char name[4], name2[24]; uint32_t bits; } categories[] = {
	{"L", "Letter", BIT(LU) | BIT(LL) | BIT(LT) | BIT(LM) | BIT(LO)},
	{"LC", "Cased_Letter", BIT(LU) | BIT(LL) | BIT(LT)},
	{"Lu", "Uppercase_Letter", BIT(LU)}, {"Ll", "Lowercase_Letter", BIT(LL)},
	{"Lt", "Titlecase_Letter", BIT(LT)}, {"Lm", "Modifier_Letter", BIT(LM)},
	{"Lo", "Other_Letter", BIT(LO)}, {"M", "Mark", BIT(MN) | BIT(MC) | BIT(ME)},
	{"Mn", "Nonspacing_Mark", BIT(MN)}, {"Mc", "Spacing_Mark", BIT(MC)},
	{"Me", "Enclosing_Mark", BIT(ME)}, {"N", "Number", BIT(ND) | BIT(NL) | BIT(NO)},
	{"Nd", "Decimal_Number", BIT(ND)}, {"Nl", "Letter_Number", BIT(NL)},
	{"No", "Other_Number", BIT(NO)}, {"Z", "Separator", BIT(ZS) | BIT(ZL) | BIT(ZP)},
	{"Zs", "Space_Separator", BIT(ZS)}, {"Zl", "Line_Separator", BIT(ZL)},
	{"Zp", "Paragraph_Separator", BIT(ZP)}, {"Cc", "Control", BIT(CC)},
	{"Cf", "Format", BIT(CF)}, {"Cs", "Surrogate", BIT(CS)}, {"Co", "Private_Use", BIT(CO)},
	{"Cn", "Unassigned", BIT(CN)},
	{"C", "Other", BIT(CC) | BIT(CF) | BIT(CS) | BIT(CO) | BIT(CN)},
	{"P", "Punctuation",
	 BIT(PC) | BIT(PD) | BIT(PS) | BIT(PE) | BIT(PI) | BIT(PF) | BIT(PO)},
	{"Pc", "Connector_Punctuation", BIT(PC)}, {"Pd", "Dash_Punctuation", BIT(PD)},
	{"Ps", "Open_Punctuation", BIT(PS)}, {"Pe", "Close_Punctuation", BIT(PE)},
	{"Pi", "Initial_Punctuation", BIT(PI)}, {"Pf", "Final_Punctuation", BIT(PF)},
	{"Po", "Other_Punctuation", BIT(PO)},
	{"S", "Symbol", BIT(SM) | BIT(SC) | BIT(SK) | BIT(SO)}, {"Sm", "Math_Symbol", BIT(SM)},
	{"Sc", "Currency_Symbol", BIT(SC)}, {"Sk", "Modifier_Symbol", BIT(SK)},
	{"So", "Other_Symbol", BIT(SO)},
	{"Any", "Any", UINT32_MAX},
};
#undef BIT
/* clang-format on */

static bool name_is(const uint32_t *src, size_t len, const char *name)
{
	for (size_t i = 0; i < len; i++)
		if ((uint32_t)(unsigned char)name[i] != src[i] || !name[i])
			return false;
	return !name[len];
}

/* After \p or \P: "{Name}". */
static bool property(struct js_parser *p, struct js_set *set, bool negative)
{
	size_t start = p->pos + 1, len = 0;
	uint32_t bits = 0;

	while (len < CATEGORY_NAME_MAX && js_peek(p, 1 + len) != JS_EOF &&
	       js_peek(p, 1 + len) != '}')
		len++;
	for (size_t i = 0; i < ARRAY_SIZE(categories); i++)
		if (name_is(p->src + start, len, categories[i].name) ||
		    name_is(p->src + start, len, categories[i].name2))
			bits = categories[i].bits;
	if (js_peek(p, 0) != '{' || js_peek(p, 1 + len) != '}' || !bits)
		return js_refuse(p, "unknown property: only general categories are supported"),
		       false;
	p->pos += len + 2;
	for (uint32_t c = 0; c <= JS_POINT_MAX; c++) {
		uint32_t first = c;
		while (c <= JS_POINT_MAX &&
		       (bits >> utf8proc_category((utf8proc_int32_t)c) & 1) != negative)
			c++;
		if (c > first)
			js_set_add(set, first, c - 1);
	}
	return true;
}

/* \d and similar, and properties. 1: added to SET, 0: another escape, -1: refused. */
static int shorthand(struct js_parser *p, struct js_set *set)
{
	uint32_t c = js_peek(p, 0);
	bool both = js_is_unicode(p) && p->ast->flags & JS_IGNORE_CASE;

	for (size_t i = 0; i < ARRAY_SIZE(shorthands); i++) {
		if (c == (uint32_t)shorthands[i].letter) {
			p->pos++;
			js_set_add_named(set, shorthands[i].name, shorthands[i].negative, both,
					 js_char_max(p->ast));
			return 1;
		}
	}
	if (!js_is_unicode(p) || (c != 'p' && c != 'P'))
		return 0;
	p->pos++;
	return property(p, set, c == 'P') ? 1 : -1;
}

static bool hex(struct js_parser *p, size_t at, size_t digits, uint32_t *ret)
{
	uint32_t value = 0;

	for (size_t i = 0; i < digits; i++) {
		uint32_t c = js_peek(p, at + i);
		if (c - '0' < 10)
			value = value << 4 | (c - '0');
		else if ((c | 32) - 'a' < 6)
			value = value << 4 | ((c | 32) - 'a' + 10);
		else
			return false;
	}
	*ret = value;
	return true;
}

/* After "\u" with the flag u: {...}, or a pair that is one character. */
static bool unicode_escape(struct js_parser *p, uint32_t *ret)
{
	uint32_t low, digit;

	if (js_eat(p, '{')) {
		for (*ret = 0; hex(p, 0, 1, &digit) && *ret <= JS_POINT_MAX; p->pos++)
			*ret = *ret << 4 | digit;
		return *ret <= JS_POINT_MAX && p->src[p->pos - 1] != '{' && js_eat(p, '}');
	}
	if (!hex(p, 0, 4, ret))
		return false;
	p->pos += 4;
	if (*ret >> 10 == 0xd800 >> 10 && js_peek(p, 0) == '\\' && js_peek(p, 1) == 'u' &&
	    hex(p, 2, 4, &low) && low >> 10 == 0xdc00 >> 10) {
		*ret = 0x10000 + ((*ret & 0x3ff) << 10 | (low & 0x3ff));
		p->pos += 6;
	}
	return true;
}

/* Up to three digits, at most 0377; the first has been consumed. */
static uint32_t octal(struct js_parser *p, uint32_t first)
{
	uint32_t value = first - '0';

	for (int i = 0; i < 2 && js_peek(p, 0) - '0' < 8 && value < 32; i++)
		value = value << 3 | (p->src[p->pos++] - '0');
	return value;
}

/* \c: a control character, or else a backslash followed by the letter c. */
static bool control(struct js_parser *p, bool in_class, uint32_t *ret)
{
	uint32_t c = js_peek(p, 0);
	bool more = in_class && !js_is_unicode(p) && (c - '0' < 10 || c == '_');

	if ((c | 32) - 'a' < 26 || more) {
		*ret = c & 31;
		p->pos++;
		return true;
	}
	p->pos--;
	*ret = '\\';
	return !js_is_unicode(p);
}

static bool hex_escape(struct js_parser *p, uint32_t c, uint32_t *ret)
{
	size_t digits = c == 'x' ? 2 : 4;

	if (js_is_unicode(p) && c == 'u')
		return unicode_escape(p, ret);
	*ret = c;
	if (!hex(p, 0, digits, ret))
		return !js_is_unicode(p);
	p->pos += digits;
	return true;
}

static bool identity(struct js_parser *p, bool in_class, uint32_t c)
{
	static const char syntax[] = "^$\\.*+?()[]{}|/";

	if (!js_is_unicode(p))
		return c != 'k' || !p->names;
	for (size_t i = 0; syntax[i]; i++)
		if (c == (uint32_t)syntax[i])
			return true;
	return in_class && c == '-';
}

/* An escape that is one character. */
static bool character(struct js_parser *p, bool in_class, uint32_t *ret)
{
	uint32_t c = p->src[p->pos++];

	for (size_t i = 0; i < ARRAY_SIZE(controls); i++) {
		if (c == (uint32_t)controls[i].letter) {
			*ret = controls[i].value;
			return true;
		}
	}
	if (c == 'c')
		return control(p, in_class, ret);
	if (c == 'x' || c == 'u')
		return hex_escape(p, c, ret);
	if (c == '0' && js_is_unicode(p))
		return *ret = 0, js_peek(p, 0) - '0' >= 10;
	*ret = c;
	if (c - '0' < 8 && !js_is_unicode(p))
		*ret = octal(p, c);
	else if (c - '0' < 10)
		return !js_is_unicode(p);
	else
		return identity(p, in_class, c);
	return true;
}

static uint32_t backref(struct js_parser *p, uint32_t group)
{
	p->ast->has_backref = true;
	return js_made(p,
		       js_node_add(p->ast, (struct js_node){.kind = JS_BACKREF, .value = group}));
}

static uint32_t named_backref(struct js_parser *p)
{
	struct js_name name;

	p->pos++;
	if (!js_eat(p, '<') || !js_group_name(p, &name))
		return js_refuse(p, "\\k without a name");
	for (size_t i = 0; i < p->names; i++) {
		const struct js_name *n = &p->name[i];
		bool same = n->len == name.len;
		for (size_t k = 0; same && k < n->len; k++)
			same = p->src[n->start + k] == p->src[name.start + k];
		if (same)
			return backref(p, n->group);
	}
	return js_refuse(p, "\\k names an unknown group");
}

uint32_t js_escape(struct js_parser *p)
{
	struct js_set set = {0};
	uint32_t c = js_peek(p, 0), number;
	size_t start = p->pos;

	if (c == JS_EOF)
		return js_refuse(p, "a backslash at the end");
	if (c == 'b' || c == 'B') {
		p->pos++;
		return js_made(p, js_node_add(p->ast, (struct js_node){.kind = JS_WORD,
								       .negative = c == 'B'}));
	}
	if (c - '1' < 9 && js_decimal(p, &number) && number <= p->groups_total)
		return backref(p, number);
	p->pos = start;
	if (c == 'k' && (p->names || js_is_unicode(p)))
		return named_backref(p);
	int found = shorthand(p, &set);
	if (found > 0)
		return js_class_node(p, &set, false);
	if (found < 0 || !character(p, false, &number)) {
		js_set_done(&set);
		return found < 0 ? JS_NONE : js_refuse(p, "unknown escape");
	}
	return js_made(p, js_node_add(p->ast, (struct js_node){.kind = JS_CHAR, .value = number}));
}

/* One member of a class. 1: it is already in SET, 0: it is *RET, -1: refused. */
static int member(struct js_parser *p, struct js_set *set, uint32_t *ret)
{
	*ret = p->src[p->pos++];
	if (*ret != '\\')
		return 0;
	if (js_peek(p, 0) == JS_EOF)
		return js_refuse(p, "a backslash at the end"), -1;
	int found = shorthand(p, set);
	if (found)
		return found;
	if (js_eat(p, 'b')) {
		*ret = '\b';
		return 0;
	}
	if (!character(p, true, ret))
		return js_refuse(p, "unknown escape in a class"), -1;
	return 0;
}

/* A member, or a range of two. */
static bool range(struct js_parser *p, struct js_set *set)
{
	uint32_t low, high;
	int a = member(p, set, &low);

	if (a < 0)
		return false;
	if (js_peek(p, 0) != '-' || js_peek(p, 1) == ']' || js_peek(p, 1) == JS_EOF) {
		if (a == 0)
			js_set_add(set, low, low);
		return true;
	}
	p->pos++;
	int b = member(p, set, &high);
	if (b < 0)
		return false;
	if (a == 0 && b == 0) {
		if (low > high)
			return js_refuse(p, "a range is out of order"), false;
		js_set_add(set, low, high);
		return true;
	}
	if (js_is_unicode(p))
		return js_refuse(p, "a range begins or ends with a class"), false;
	if (a == 0)
		js_set_add(set, low, low);
	if (b == 0)
		js_set_add(set, high, high);
	js_set_add(set, '-', '-');
	return true;
}

uint32_t js_class(struct js_parser *p)
{
	struct js_set set = {0};
	bool negative = js_eat(p, '^');

	while (js_peek(p, 0) != JS_EOF && js_peek(p, 0) != ']') {
		if (!range(p, &set)) {
			js_set_done(&set);
			return JS_NONE;
		}
	}
	if (!js_eat(p, ']')) {
		js_set_done(&set);
		return js_refuse(p, "a class is not closed");
	}
	return js_class_node(p, &set, negative);
}
