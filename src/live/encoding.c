/* SPDX-License-Identifier: MIT
 *
 * See encoding.h. Python takes the encoding from a comment in the first two lines (PEP 263). Its
 * versions differ in whether a carriage return ends a line, so the check reads the code both ways.
 */
#include "live/encoding.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "base/utf8.h"

enum { NAME_MAX_SHOWN = 32 };

/* UTF-32 first: its little-endian mark begins with that of UTF-16. */
static const struct {
	const char *mark;
	size_t len;
	const char *encoding;
} marks[] = {
	{"\xff\xfe\0\0", 4, "UTF-32"},
	{"\0\0\xfe\xff", 4, "UTF-32"},
	{"\xff\xfe", 2, "UTF-16"},
	{"\xfe\xff", 2, "UTF-16"},
};

/* Python's names of UTF-8 and of its subset ASCII. */
static const char *const utf8_names[] = {"utf-8",     "utf8",	   "utf_8", "u8",      "utf",
					 "utf-8-sig", "utf_8_sig", "ascii", "us-ascii"};

static bool is_utf8_name(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(utf8_names); i++)
		if (strlen(utf8_names[i]) == len && strncasecmp(name, utf8_names[i], len) == 0)
			return true;
	return false;
}

/* The first encoding in a comment that is not UTF-8, or NULL. */
static const char *find_encoding(const char *line, size_t len, size_t *ret_len)
{
	static const char word[] = "coding", letters[] = "abcdefghijklmnopqrstuvwxyz"
							 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	const char *end = line + len, *at = line;

	while ((at = memmem(at, (size_t)(end - at), word, sizeof(word) - 1))) {
		at += sizeof(word) - 1;
		if (at == end || (*at != ':' && *at != '='))
			continue;
		for (at++; at < end && (*at == ' ' || *at == '\t'); at++)
			;
		const char *name = at;
		while (at < end && *at && strchr(letters, *at))
			at++;
		*ret_len = (size_t)(at - name);
		if (*ret_len && !is_utf8_name(name, *ret_len))
			return name;
	}
	return NULL;
}

/* As in PEP 263, for lines that end at one of ENDS. The second line counts only if the first has
 * no code. */
static const char *cookie(const char *code, size_t len, const char *ends, size_t *ret_len)
{
	const char *at = code, *end = code + len;

	for (int line = 0; line < 2 && at < end; line++) {
		const char *start = at, *first;
		while (at < end && !strchr(ends, *at))
			at++;
		for (first = start; first < at && strchr(" \t\f\r", *first); first++)
			;
		if (first < at && *first != '#')
			return NULL;
		const char *name = find_encoding(first, (size_t)(at - first), ret_len);
		if (name)
			return name;
		if (at + 1 < end && at[0] == '\r' && at[1] == '\n' && strchr(ends, '\r'))
			at++;
		at++;
	}
	return NULL;
}

static size_t line_of(const char *code, size_t at)
{
	size_t line = 1;

	for (size_t i = 0; i < at; i++)
		line += code[i] == '\n';
	return line;
}

static int refuse(struct err *err, const char *name, const char *from)
{
	err_set(err, ERR_INPUT, "%.200s is not UTF-8: Cordon runs only UTF-8 code", name);
	err_cure(err, "iconv -f %.40s -t UTF-8 FILE", from);
	return -1;
}

static int check_cookie(const char *name, const char *code, size_t len, struct err *err)
{
	size_t name_len = 0;
	const char *encoding = cookie(code, len, "\n", &name_len);

	if (!encoding)
		encoding = cookie(code, len, "\r\n", &name_len);
	if (!encoding)
		return 0;
	int shown = name_len < NAME_MAX_SHOWN ? (int)name_len : NAME_MAX_SHOWN;
	err_set(err, ERR_INPUT, "%.200s names the encoding %.*s: Cordon runs only UTF-8 code", name,
		shown, encoding);
	err_cause(err,
		  "line %zu: Python would read a different text than the one that Cordon checks",
		  line_of(code, (size_t)(encoding - code)));
	err_cure(err, "iconv -f %.*s -t UTF-8 FILE, and remove the encoding from that line", shown,
		 encoding);
	return -1;
}

static int check_text(const char *name, const char *code, size_t len, struct err *err)
{
	for (size_t at = 0; at < len;) {
		struct utf8_char c = utf8_next(code, len, at);
		if (c.broken) {
			refuse(err, name, "ISO-8859-1");
			err_cause(err, "line %zu: the byte 0x%02x", line_of(code, at),
				  (unsigned char)code[at]);
			return -1;
		}
		if (c.value == 0) {
			err_set(err, ERR_INPUT, "%.200s contains a NUL byte: it is not text", name);
			err_cause(err, "line %zu", line_of(code, at));
			err_cure(err, "tr -d '\\000' <FILE, if the rest is code");
			return -1;
		}
		at += c.len;
	}
	return 0;
}

int encoding_check(const struct profile *profile, const char *name, const char *code, size_t len,
		   struct err *err)
{
	static const char bom[] = "\xef\xbb\xbf";
	size_t skip = len >= 3 && memcmp(code, bom, 3) == 0 ? 3 : 0;

	for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
		if (len >= marks[i].len && memcmp(code, marks[i].mark, marks[i].len) == 0) {
			refuse(err, name, marks[i].encoding);
			err_cause(err, "line 1: it begins with the byte order mark of %s",
				  marks[i].encoding);
			return -1;
		}
	if (check_text(name, code, len, err) < 0)
		return -1;
	return profile->reads_cookie ? check_cookie(name, code + skip, len - skip, err) : 0;
}
