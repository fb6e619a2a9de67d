/* SPDX-License-Identifier: MIT
 *
 * One row for each kind of secret: the text it begins with and how its end is found. Matchers are
 * written by hand and look ahead a bounded way only, so the cost is linear whatever the text is. A
 * matcher must leave alone what is redacted already.
 */
#include "store/redact.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/scope.h"

#define MARK "[redacted:"

enum {
	NAME_TAIL_MAX = 32,
	SPACES_MAX = 8,
	SIGNS_MAX = 3,
	PEM_NAME_MAX = 64,
	PROGRAM_BACK_MAX = 256, /* bytes from an option back to its program */
	JWT_HEAD_MAX = 512	/* bytes before the first dot: a kind of key and its name */
};

struct text {
	const char *p;
	size_t len;
};

/* The part to be taken out; to <= from: none. */
struct part {
	size_t from, to;
};

struct row {
	const char *name, *begins; /* BEGINS in small letters when FOLD */
	bool fold;
	size_t least; /* characters of a token */
	struct part (*match)(const struct row *row, struct text t, size_t at);
};

static char low(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (low(c) >= 'a' && low(c) <= 'z') || c == '_';
}

static bool is_token(char c)
{
	return is_word(c) || (c && strchr("-.~+/=", c));
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static bool begins(struct text t, size_t at, const char *with, bool fold)
{
	for (; *with; with++, at++)
		if (at >= t.len || (fold ? low(t.p[at]) : t.p[at]) != *with)
			return false;
	return true;
}

static size_t token_end(struct text t, size_t at)
{
	while (at < t.len && is_token(t.p[at]))
		at++;
	return at;
}

static size_t skip_spaces(struct text t, size_t at)
{
	for (int i = 0; i < SPACES_MAX && at < t.len && is_space(t.p[at]); i++)
		at++;
	return at;
}

/* A quote, also as it is written inside of one. */
static size_t skip_quote(struct text t, size_t at, char *ret)
{
	size_t q = at + (at < t.len && t.p[at] == '\\');

	if (q < t.len && (t.p[q] == '"' || t.p[q] == '\'')) {
		*ret = t.p[q];
		return q + 1;
	}
	return at;
}

/* Asked before the end is looked for: a text of nothing but marks would be gone over for each. */
static bool is_redacted(struct text t, size_t from)
{
	return begins(t, from, MARK, false);
}

static bool is_inside_word(struct text t, size_t at)
{
	return at > 0 && is_word(t.p[at - 1]);
}

/* Something that is a secret by its own looks. Where a word goes on it is none, and its end, which
 * may be far, is not looked for. */
static struct part match_token(const struct row *row, struct text t, size_t at)
{
	size_t to = is_inside_word(t, at) ? at : token_end(t, at);

	return to - at < strlen(row->begins) + row->least ? (struct part){0, 0}
							  : (struct part){at, to};
}

/* Three parts with dots between them; the first is short. */
static struct part match_jwt(const struct row *row, struct text t, size_t at)
{
	size_t dot = at, end;

	if (is_inside_word(t, at))
		return (struct part){0, 0};
	while (dot < t.len && dot - at < JWT_HEAD_MAX && t.p[dot] != '.' && is_token(t.p[dot]))
		dot++;
	if (dot == t.len || t.p[dot] != '.')
		return (struct part){0, 0};
	end = token_end(t, ++dot);
	return memchr(t.p + dot, '.', end - dot) ? match_token(row, t, at) : (struct part){0, 0};
}

static struct part match_scheme(const struct row *row, struct text t, size_t at)
{
	size_t name = at + strlen(row->begins), from = skip_spaces(t, name);
	size_t to = token_end(t, from);

	if (from == name || to - from < row->least)
		return (struct part){0, 0};
	return (struct part){from, to};
}

static size_t value_end(struct text t, size_t at, char quote)
{
	while (at < t.len && t.p[at] != '\n' &&
	       (quote ? t.p[at] != quote : !strchr(" \t\r&;,'\")}]", t.p[at]) || !t.p[at]))
		at++;
	return at;
}

/* Between a name and its value: the end of a quoted name, spaces, a sign, spaces. 0: it has none. */
static size_t skip_sign(struct text t, size_t at, bool is_option)
{
	char quote = 0;
	size_t sign = skip_spaces(t, skip_quote(t, at, &quote)), after = sign;

	for (int i = 0; i < SIGNS_MAX && after < t.len && t.p[after] && strchr(":=>", t.p[after]);
	     i++)
		after++;
	if (after == sign && !(is_option && sign > at))
		return 0;
	return skip_spaces(t, after);
}

/* password = "…", "token": "…", --secret …, API_KEY_2=… */
static struct part match_named(const struct row *row, struct text t, size_t at)
{
	size_t name = at + strlen(row->begins);
	bool is_option = at >= 2 && t.p[at - 1] == '-' && t.p[at - 2] == '-';
	char quote = 0;

	for (int i = 0;
	     i < NAME_TAIL_MAX && name < t.len && (is_word(t.p[name]) || t.p[name] == '-'); i++)
		name++;
	size_t from = skip_sign(t, name, is_option);
	if (!from)
		return (struct part){0, 0};
	from = skip_quote(t, from, &quote);
	return is_redacted(t, from) ? (struct part){0, 0}
				    : (struct part){from, value_end(t, from, quote)};
}

/* A header's value is the rest of its line, or of the text that it is quoted in. */
static struct part match_header(const struct row *row, struct text t, size_t at)
{
	size_t from = skip_sign(t, at + strlen(row->begins), false);
	char quote = 0;

	if (!from)
		return (struct part){0, 0};
	from = skip_quote(t, from, &quote);
	size_t to = from;
	if (is_redacted(t, from))
		return (struct part){0, 0};
	while (to < t.len && t.p[to] != '\n' && t.p[to] != '\r' && t.p[to] != '"' &&
	       t.p[to] != '\'')
		to++;
	return (struct part){from, to};
}

/* scheme://user:SECRET@host. No limit is needed: the next "://" ends the search. A user that was a
 * secret has a colon in its mark. */
static struct part match_url(const struct row *row, struct text t, size_t at)
{
	size_t from = 0, i = at + strlen(row->begins);

	for (; i < t.len && t.p[i] != '@'; i++) {
		if (!from && is_redacted(t, i)) {
			i += strlen(MARK) - 1;
			continue;
		}
		if (t.p[i] == '/' || (uint8_t)t.p[i] <= ' ' || t.p[i] == '"' || t.p[i] == '\'')
			return (struct part){0, 0};
		if (t.p[i] == ':' && !from)
			from = i + 1;
	}
	if (!from || i >= t.len || is_redacted(t, from))
		return (struct part){0, 0};
	return (struct part){from, i};
}

static bool is_label(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ';
}

/* ?sig=…, &X-Amz-Signature=…: who has the address has what it signs. Elsewhere the word says nothing. */
static struct part match_query(const struct row *row, struct text t, size_t at)
{
	size_t from = at + strlen(row->begins);

	if (at == 0 || !strchr("?&;", t.p[at - 1]) || !t.p[at - 1] || is_redacted(t, from))
		return (struct part){0, 0};
	return (struct part){from, value_end(t, from, 0)};
}

/* Is this an option of PROGRAM, named not far before in the same line? */
static bool is_option_of(struct text t, size_t at, const char *program)
{
	size_t len = strlen(program), back = at < PROGRAM_BACK_MAX ? 0 : at - PROGRAM_BACK_MAX;

	if (at == 0 || !(is_space(t.p[at - 1]) || t.p[at - 1] == '"' || t.p[at - 1] == '\''))
		return false;
	for (size_t i = at; i-- > back && t.p[i] != '\n';)
		if (at - i >= len && memcmp(t.p + i, program, len) == 0 && !is_inside_word(t, i))
			return true;
	return false;
}

/* From an option to its value, in a shell's line or in a list of words. 0: it has none. */
static size_t skip_gap(struct text t, size_t at, char *ret_quote)
{
	size_t from = skip_quote(t, at, ret_quote);

	from = skip_spaces(t, from + (from < t.len && (t.p[from] == ',' || t.p[from] == '=')));
	*ret_quote = 0;
	return from == at ? 0 : skip_quote(t, from, ret_quote);
}

/* curl -u user:SECRET. A user that was a secret has a colon in its mark. */
static struct part match_curl(const struct row *row, struct text t, size_t at)
{
	char quote = 0;

	if (!is_option_of(t, at, "curl"))
		return (struct part){0, 0};
	size_t from = skip_gap(t, at + strlen(row->begins), &quote);
	size_t to = from ? value_end(t, from, quote) : 0;
	while (from < to && t.p[from] != ':' && !is_redacted(t, from))
		from++;
	if (from >= to || t.p[from] != ':' || is_redacted(t, from + 1))
		return (struct part){0, 0};
	return (struct part){from + 1, to};
}

/* mysql -pSECRET: what stands apart is a database's name */
static struct part match_mysql(const struct row *row, struct text t, size_t at)
{
	size_t from = at + strlen(row->begins);
	char quote = 0;

	if ((!is_option_of(t, at, "mysql") && !is_option_of(t, at, "mariadb")) ||
	    is_redacted(t, skip_quote(t, from, &quote)))
		return (struct part){0, 0};
	quote = 0;
	from = skip_quote(t, from, &quote);
	return (struct part){from, value_end(t, from, quote)};
}

/* sshpass -p SECRET, and -pSECRET */
static struct part match_sshpass(const struct row *row, struct text t, size_t at)
{
	size_t end = at + strlen(row->begins), from;
	char quote = 0;

	if (!is_option_of(t, at, "sshpass"))
		return (struct part){0, 0};
	from = skip_gap(t, end, &quote);
	from = from ? from : end;
	return is_redacted(t, from) ? (struct part){0, 0}
				    : (struct part){from, value_end(t, from, quote)};
}

/* To its last line; to the end of the text when that is missing. */
static struct part match_pem(const struct row *row, struct text t, size_t at)
{
	size_t name = at + strlen(row->begins), len = 0;

	while (len < PEM_NAME_MAX && name + len < t.len && is_label(t.p[name + len]))
		len++;
	if (!memmem(t.p + name, len, "PRIVATE KEY", 11))
		return (struct part){0, 0};
	const char *last = memmem(t.p + name, t.len - name, "-----END ", 9);
	if (!last)
		return (struct part){at, t.len};
	size_t to = (size_t)(last - t.p) + 9;
	const char *dashes = memmem(t.p + to, t.len - to, "-----", 5);
	return (struct part){at, dashes ? (size_t)(dashes - t.p) + 5 : t.len};
}

/* The first that matches is taken: headers before what may stand in them. */
static const struct row rows[] = {
	{"private-key", "-----BEGIN ", false, 0, match_pem},
	{"authorization", "authorization", true, 0, match_header},
	{"cookie", "cookie", true, 0, match_header},
	{"bearer", "bearer", true, 16, match_scheme},
	{"jwt", "eyJ", false, 30, match_jwt},
	{"aws-key", "AKIA", false, 16, match_token},
	{"aws-key", "ASIA", false, 16, match_token},
	{"github-token", "ghp_", false, 20, match_token},
	{"github-token", "gho_", false, 20, match_token},
	{"github-token", "ghu_", false, 20, match_token},
	{"github-token", "ghs_", false, 20, match_token},
	{"github-token", "ghr_", false, 20, match_token},
	{"github-token", "github_pat_", false, 20, match_token},
	{"gitlab-token", "glpat-", false, 16, match_token},
	{"slack-token", "xoxb-", false, 16, match_token},
	{"slack-token", "xoxp-", false, 16, match_token},
	{"slack-token", "xoxa-", false, 16, match_token},
	{"npm-token", "npm_", false, 30, match_token},
	{"pypi-token", "pypi-", false, 40, match_token},
	{"google-key", "AIza", false, 30, match_token},
	{"api-key", "sk-", false, 20, match_token},
	{"api-key", "sk_live_", false, 16, match_token},
	{"url-password", "://", false, 0, match_url},
	{"password", "password", true, 0, match_named},
	{"password", "passwd", true, 0, match_named},
	{"password", "passphrase", true, 0, match_named},
	{"password", "pwd", true, 0, match_named},
	{"secret", "secret", true, 0, match_named},
	{"token", "token", true, 0, match_named},
	{"api-key", "api_key", true, 0, match_named},
	{"api-key", "api-key", true, 0, match_named},
	{"api-key", "apikey", true, 0, match_named},
	{"access-key", "access_key", true, 0, match_named},
	{"access-key", "access-key", true, 0, match_named},
	{"access-key", "accesskey", true, 0, match_named},
	{"private-key", "private_key", true, 0, match_named},
	{"credential", "credential", true, 0, match_named},
	{"account-key", "accountkey", true, 0, match_named},
	{"account-key", "account_key", true, 0, match_named},
	{"signature", "sig=", true, 0, match_query},
	{"signature", "signature=", true, 0, match_query},
	{"signature", "x-amz-signature=", true, 0, match_query},
	{"signature", "x-goog-signature=", true, 0, match_query},
	{"password", "-u", false, 0, match_curl},
	{"password", "--user", false, 0, match_curl},
	{"password", "-p", false, 0, match_mysql},
	{"password", "-p", false, 0, match_sshpass},
};

static const struct row *find(struct text t, size_t at, struct part *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!begins(t, at, rows[i].begins, rows[i].fold))
			continue;
		*ret = rows[i].match(&rows[i], t, at);
		if (ret->to > ret->from)
			return &rows[i];
	}
	return NULL;
}

/* Most characters begin nothing. */
static void mark_firsts(bool first[256])
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint8_t c = (uint8_t)rows[i].begins[0];
		first[c] = true;
		if (rows[i].fold)
			first[c - 'a' + 'A'] = true;
	}
}

/* Returns whether there was one. */
static bool redact_once(struct buf *out, struct text t, const bool first[256])
{
	size_t done = 0;

	for (size_t at = 0; at < t.len;) {
		struct part part = {0};
		const struct row *row = first[(uint8_t)t.p[at]] ? find(t, at, &part) : NULL;
		if (!row) {
			at++;
			continue;
		}
		buf_add(out, t.p + done, part.from - done);
		buf_str(out, MARK);
		buf_str(out, row->name);
		buf_add(out, "]", 1);
		done = at = part.to;
	}
	buf_add(out, t.p + done, t.len - done);
	return done > 0;
}

/* The second time for what only the first has laid open: a user before a password may be a token, and
 * where one with a slash was taken out of a URL, the URL has a password. */
void redact(struct buf *out, const char *text, size_t len)
{
	AUTO_BUF struct buf once = {.most = REDACT_OUT_MAX};
	bool first[256] = {false};

	mark_firsts(first);
	if (redact_once(&once, (struct text){text, len}, first))
		redact_once(out, (struct text){(char *)once.data, once.len}, first);
	else
		buf_add(out, text, len);
	out->failed |= once.failed;
}
