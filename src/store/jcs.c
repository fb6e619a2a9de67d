/* SPDX-License-Identifier: MIT
 *
 * The writer of canonical JSON. It does not rely on its callers: the finished text must pass the
 * reader (jcs_read.c).
 */
#include "store/jcs.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "store/redact.h"

void jcs_init(struct jcs *j, size_t most)
{
	*j = (struct jcs){.out.most = most, .depth = 0, .closer = {'}'}};
	buf_add(&j->out, "{", 1);
}

static void begin(struct jcs *j, const char *name)
{
	if (j->follows[j->depth])
		buf_add(&j->out, ",", 1);
	j->follows[j->depth] = true;
	if ((name != NULL) != (j->closer[j->depth] == '}'))
		j->failed = true;
	if (!name)
		return;
	buf_add(&j->out, "\"", 1);
	buf_str(&j->out, name);
	buf_add(&j->out, "\":", 2);
}

static void deeper(struct jcs *j, const char *name, char opener, char closer)
{
	begin(j, name);
	if (j->depth == JCS_DEPTH_MAX) {
		j->failed = true;
		return;
	}
	buf_add(&j->out, &opener, 1);
	j->depth++;
	j->closer[j->depth] = closer;
	j->follows[j->depth] = false;
}

void jcs_object(struct jcs *j, const char *name)
{
	deeper(j, name, '{', '}');
}

void jcs_list(struct jcs *j, const char *name)
{
	deeper(j, name, '[', ']');
}

void jcs_end(struct jcs *j)
{
	if (j->depth == 0) {
		j->failed = true;
		return;
	}
	buf_add(&j->out, &j->closer[j->depth], 1);
	j->depth--;
}

static const char *short_escape(unsigned char c)
{
	static const struct {
		char c;
		const char *text;
	} rows[] = {{'"', "\\\""}, {'\\', "\\\\"}, {'\b', "\\b"}, {'\t', "\\t"},
		    {'\n', "\\n"}, {'\f', "\\f"},  {'\r', "\\r"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((unsigned char)rows[i].c == c)
			return rows[i].text;
	return NULL;
}

static void escape(struct buf *out, unsigned char c)
{
	const char *text = short_escape(c);

	if (text)
		buf_str(out, text);
	else
		buf_printf(out, "\\u%04x", c);
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

void jcs_write_string(struct buf *out, const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text, *end = p + len;

	buf_add(out, "\"", 1);
	while (p < end) {
		const unsigned char *from = p;
		while (p < end && is_plain(*p))
			p++;
		buf_add(out, from, (size_t)(p - from));
		if (p == end)
			break;
		struct utf8_char c =
			utf8_next(text, len, (size_t)(p - (const unsigned char *)text));
		if (c.broken)
			buf_str(out, "\xef\xbf\xbd");
		else if (c.len == 1)
			escape(out, *p);
		else
			buf_add(out, p, c.len);
		p += c.broken ? 1 : c.len; /* each broken byte becomes one character */
	}
	buf_add(out, "\"", 1);
}

/* Cuts where a character begins, and never inside an open mark: part of one could not be sealed. */
static size_t cut_at(const uint8_t *text, size_t len)
{
	if (len <= JCS_TEXT_MAX)
		return len;
	len = JCS_TEXT_MAX;
	const uint8_t *last = memrchr(text + len - REDACT_OPEN_MAX, '[', REDACT_OPEN_MAX);
	if (last && !memchr(last, ']', (size_t)(text + len - last)))
		return (size_t)(last - text);
	while (len > JCS_TEXT_MAX - 4 && (text[len] & 0xc0) == 0x80)
		len--;
	return len;
}

void jcs_text(struct jcs *j, const char *name, const char *text, size_t len)
{
	AUTO_BUF struct buf clean = {.most = REDACT_OUT_MAX};

	begin(j, name);
	/* Redact before cutting: part of a secret may look harmless. */
	redact(&clean, text, len);
	if (clean.failed) {
		j->failed = true;
		return;
	}
	size_t kept = cut_at(clean.data, clean.len);
	if (kept < clean.len) {
		size_t gone = clean.len - kept;
		clean.len = kept;
		buf_printf(&clean, "[cut: %zu bytes]", gone);
	}
	jcs_write_string(&j->out, (const char *)clean.data, clean.len);
}

void jcs_str(struct jcs *j, const char *name, const char *text)
{
	jcs_text(j, name, text, strlen(text));
}

void jcs_word(struct jcs *j, const char *name, const char *word)
{
	begin(j, name);
	jcs_write_string(&j->out, word, strnlen(word, JCS_TEXT_MAX));
}

void jcs_int(struct jcs *j, const char *name, int64_t value)
{
	begin(j, name);
	buf_printf(&j->out, "%lld", (long long)value);
}

void jcs_bool(struct jcs *j, const char *name, bool value)
{
	begin(j, name);
	buf_str(&j->out, value ? "true" : "false");
}

void jcs_hex(struct jcs *j, const char *name, const uint8_t *data, size_t len)
{
	begin(j, name);
	buf_add(&j->out, "\"", 1);
	buf_hex(&j->out, data, len);
	buf_add(&j->out, "\"", 1);
}

int jcs_finish(struct jcs *j, struct err *err)
{
	while (j->depth > 0)
		jcs_end(j);
	buf_add(&j->out, "}", 1);
	if (j->out.failed)
		return err_set(err, ERR_LIMIT, "a record's body is over %zu bytes", j->out.most);
	if (j->failed || jcs_value(j->out.data, j->out.len) != j->out.len)
		return err_set(err, ERR_INPUT,
			       "a record's body is not canonical: a name out of order or twice, "
			       "a number over 2^53, or too many levels");
	return 0;
}

void jcs_done(struct jcs *j)
{
	buf_done(&j->out);
}
