/* SPDX-License-Identifier: MIT
 *
 * Finds atoms in three steps, each of which reads its bytes a fixed number of times: chunks without
 * spaces and quotes; a URL, an e-mail address or an IPv6 address in a chunk; hosts, IPv4, paths and
 * tokens in the rest. Then the same for words that were disguised (atom_refang.h).
 */
#include "trust/evidence/atoms.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/scope.h"
#include "trust/evidence/atom_refang.h"
#include "trust/evidence/fingerprint.h"

enum {
	SCHEME_MIN = 2,
	SCHEME_MAX = 12,
	LABEL_MAX = 63,
	CHUNK_MAX = ATOM_REFANGED_MAX,
	URLS_MAX = 8, /* nested: redirects, archives */
	TLD_MAX = 24,
	DISTINCT_MIN = 8
};

/* Classes of characters. */
enum { NAME = 1, PIECE = 2, CHUNK = 4, LOCAL = 8, HEX = 16 };

static uint8_t class_of(char c)
{
	unsigned char u = (unsigned char)c;

	if (u >= 0x80)
		return 0;
	if (isdigit(u) || (u | 32U) - 'a' < 6)
		return NAME | PIECE | CHUNK | LOCAL | HEX;
	if (isalpha(u) || c == '_' || c == '-')
		return NAME | PIECE | CHUNK | LOCAL;
	if (c == '.')
		return PIECE | CHUNK | LOCAL | HEX;
	if (c == '/' || c == '~')
		return PIECE | CHUNK;
	if (c == ':')
		return CHUNK | HEX;
	if (c == '%' || c == '+')
		return CHUNK | LOCAL;
	return c && strchr("@=&?#$!", c) ? CHUNK : 0;
}

struct finder {
	uint8_t class[256];
	const char *text;
	const struct atom_refanged *refanged; /* TEXT is its result; or NULL */
	enum atom_reading reading;
	char quote; /* of the string around this place; 0: no string */
	atom_fn *fn;
	void *context;
};

struct range {
	size_t from, to;
};

static struct range run_at(const struct finder *f, size_t at, size_t end, unsigned class)
{
	struct range r = {at, at};

	while (r.to < end && f->class[(uint8_t)f->text[r.to]] & class)
		r.to++;
	return r;
}

/* PLAIN is the normal form. */
static void emit_as(const struct finder *f, enum atom_kind kind, struct range r, const char *plain,
		    size_t len)
{
	size_t typed = r.to - r.from;
	struct atom a = {kind, r.from, typed, typed, kind + 1};

	if (atom_is_common(kind, plain, len) ||
	    (f->refanged && !atom_refanged_place(f->refanged, &a.at, &a.len)))
		return;
	a.hash = prints_mix(hash_bytes(a.hash, plain, len));
	f->fn(f->context, &a);
}

/* The first LOWER characters are put in lower case. */
static void emit(const struct finder *f, enum atom_kind kind, struct range r, size_t lower)
{
	char plain[ATOM_MAX] = "";
	size_t len = r.to - r.from < ATOM_MAX ? r.to - r.from : ATOM_MAX;

	for (size_t i = 0; i < len; i++) {
		char c = f->text[r.from + i];
		plain[i] = (char)(i < lower && c >= 'A' && c <= 'Z' ? c + 32 : c);
	}
	emit_as(f, kind, r, plain, len);
}

/* An address has many forms: 203.0.113.77 is also 3405803853, 0xcb00714d and 0313.0.0161.0115 to every
 * program that connects, and zeros of IPv6 can be left out. */
static bool address_of(const char *p, size_t len, char ret[INET6_ADDRSTRLEN])
{
	struct in6_addr six;
	struct in_addr four;
	char text[64];

	if (!len || len >= sizeof(text))
		return false;
	memcpy(text, p, len);
	text[len] = '\0';
	if (isdigit((unsigned char)text[0]) && inet_aton(text, &four))
		return inet_ntop(AF_INET, &four, ret, INET6_ADDRSTRLEN) != NULL;
	return inet_pton(AF_INET6, text, &six) == 1 &&
	       inet_ntop(AF_INET6, &six, ret, INET6_ADDRSTRLEN) != NULL;
}

static void emit_address(const struct finder *f, struct range r)
{
	char plain[INET6_ADDRSTRLEN];

	if (address_of(f->text + r.from, r.to - r.from, plain))
		emit_as(f, ATOM_IP, r, plain, strlen(plain));
	else
		emit(f, ATOM_IP, r, r.to - r.from);
}

/* In lower case up to the path, with the host in normal form. */
static void emit_url(const struct finder *f, struct range r, struct range host, size_t path)
{
	char plain[ATOM_MAX + INET6_ADDRSTRLEN] = "", address[INET6_ADDRSTRLEN];
	bool is_address = address_of(f->text + host.from, host.to - host.from, address);
	size_t len = 0, dots = host.to;

	while (dots < path && f->text[dots] == '.')
		dots++;
	for (size_t i = r.from; i < r.to && len < ATOM_MAX; i++) {
		char c = f->text[i];
		if (i == host.from && is_address)
			len += (size_t)snprintf(plain + len, sizeof(plain) - len, "%s", address);
		if ((i >= host.from && i < host.to && is_address) || (i >= host.to && i < dots))
			continue;
		plain[len++] = (char)(i < path && c >= 'A' && c <= 'Z' ? c + 32 : c);
	}
	emit_as(f, ATOM_URL, r, plain, len < ATOM_MAX ? len : ATOM_MAX);
}

/* Punctuation at the end belongs to the sentence around it. */
static struct range trim(const struct finder *f, struct range r, const char *signs)
{
	while (r.to > r.from && strchr(signs, f->text[r.to - 1]))
		r.to--;
	return r;
}

static bool is_ipv4(const char *p, size_t len)
{
	unsigned parts = 0, digits = 0, value = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i == len || p[i] == '.') {
			if (!digits || digits > 3 || value > 255)
				return false;
			parts++;
			digits = value = 0;
		} else if (isdigit((unsigned char)p[i])) {
			digits++;
			value = value < 1000 ? value * 10 + (unsigned)(p[i] - '0') : value;
		} else {
			return false;
		}
	}
	return parts == 4;
}

/* Two labels or more; the last has letters only. */
static bool is_name(const char *p, size_t len, size_t *ret_last)
{
	size_t labels = 0, begin = 0;

	if (len > ATOM_HOST_MAX)
		return false;
	for (size_t i = 0; i <= len; i++) {
		if (i < len && p[i] != '.')
			continue;
		if (i == begin || i - begin > LABEL_MAX || p[begin] == '-')
			return false;
		labels++;
		*ret_last = begin;
		begin = i + 1;
	}
	if (labels < 2 || len - *ret_last < 2)
		return false;
	if (len - *ret_last > 4 && strncasecmp(p + *ret_last, "xn--", 4) == 0)
		return true;
	if (len - *ret_last > TLD_MAX)
		return false;
	for (size_t i = *ret_last; i < len; i++)
		if (!isalpha((unsigned char)p[i]))
			return false;
	return true;
}

/* BESIDE: before a port or path, or after @. IN_URL: at the place of a host. */
enum host_place { ALONE, BESIDE, IN_URL };

/* LAST is the last label. */
static bool may_be_host(const struct finder *f, struct range last, enum host_place place)
{
	char label[TLD_MAX] = "";
	size_t len = last.to - last.from;

	if (place == IN_URL || f->reading == ATOM_DOCUMENT)
		return true;
	if (f->reading == ATOM_PROGRAM && !f->quote)
		return false;
	if (place == BESIDE || len > sizeof(label))
		return true;
	for (size_t i = 0; i < len; i++)
		label[i] = (char)tolower((unsigned char)f->text[last.from + i]);
	return !atom_is_file_end(label, len);
}

static bool find_host(const struct finder *f, struct range r, enum host_place place)
{
	const char *p = f->text + r.from;
	size_t len = r.to - r.from, last;
	char ignored[INET6_ADDRSTRLEN];

	if (is_ipv4(p, len) || (place == IN_URL && address_of(p, len, ignored))) {
		emit_address(f, r);
		return true;
	}
	if (!is_name(p, len, &last) || !may_be_host(f, (struct range){r.from + last, r.to}, place))
		return false;
	emit(f, ATOM_HOST, r, len);
	return true;
}

/* A secret, id or key: the kind of character changes more often than in words. */
static bool is_token(const char *p, size_t len)
{
	uint64_t seen[4] = {0};
	unsigned changes = 0, digits = 0, distinct = 0;
	int before = 0;

	if (len < ATOM_TOKEN_MIN)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];
		int class = isdigit(c) ? 1 : isupper(c) ? 2 : islower(c) ? 3 : 0;
		digits += class == 1;
		/* A capital that begins a word does not count as a change. */
		changes += class && before && class != before && !(before == 2 && class == 3);
		before = class ? class : before;
		distinct += !(seen[c / 64] >> c % 64 & 1);
		seen[c / 64] |= 1ULL << c % 64;
	}
	return distinct >= DISTINCT_MIN &&
	       (digits == len || (digits >= 2 && changes >= 4 && changes >= len / 8));
}

static void find_tokens(const struct finder *f, struct range r)
{
	for (size_t at = r.from; at < r.to;) {
		struct range t = run_at(f, at, r.to, NAME);
		if (is_token(f->text + t.from, t.to - t.from))
			emit(f, ATOM_TOKEN, t, 0);
		at = t.to + 1;
	}
}

/* ~/.ssh/id, $HOME/.ssh/id and /root/.ssh/id are the same place: the atom begins at the dot. */
static bool find_dot_path(const struct finder *f, struct range r)
{
	for (size_t i = r.from; i + 4 < r.to; i++) {
		const char *p = f->text + i;
		if (p[0] == '/' && p[1] == '.' && isalpha((unsigned char)p[2])) {
			emit(f, ATOM_PATH, (struct range){i + 1, r.to}, 0);
			return true;
		}
	}
	return false;
}

/* A path has at least two names. */
static bool find_path(const struct finder *f, struct range r)
{
	const char *p = f->text + r.from;
	size_t len = r.to - r.from, slashes = 0;

	if (find_dot_path(f, r))
		return true;
	if (len < ATOM_PATH_MIN || p[0] != '/' || p[1] == '/')
		return false;
	for (size_t i = 0; i < len; i++)
		slashes += p[i] == '/';
	if (slashes >= 2)
		emit(f, ATOM_PATH, r, 0);
	return true;
}

/* A piece has names, dots and slashes. AFTER and NEXT follow it in the text. */
static void find_in_piece(const struct finder *f, struct range r, char after, char next)
{
	r = trim(f, r, "./~-_");
	if (r.to - r.from > 2 && f->text[r.from] == '/' && f->text[r.from + 1] == '/')
		r.from += 2; /* a URL without scheme, or a comment */
	/* A slash of JSON: http:\/\/host\/path is three pieces. */
	bool escaped =
		r.from && r.from < r.to && f->text[r.from - 1] == '\\' && f->text[r.from] == '/';
	r.from += escaped;
	if (r.to - r.from < 4)
		return;
	if (!find_path(f, r)) {
		const char *slash = memchr(f->text + r.from, '/', r.to - r.from);
		struct range name = {r.from, slash ? (size_t)(slash - f->text) : r.to};
		while (name.from < name.to && f->text[name.from] == '.')
			name.from++; /* $(id).evil.example */
		bool port = after == ':' && isdigit((unsigned char)next);
		if (after != '(' || slash)
			find_host(f, name, slash || port || escaped ? BESIDE : ALONE);
	}
	find_tokens(f, r);
}

/* Groups of hex digits between colons: all eight, or a gap and at least three. */
static bool is_ipv6(const char *p, size_t len)
{
	size_t groups = 0, digits = 0, gaps = 0, decimals = 0;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && p[i] != ':') {
			if (p[i] == '.' || ++digits > 4)
				return false;
			decimals += isdigit((unsigned char)p[i]) != 0;
			continue;
		}
		groups += digits > 0;
		gaps += i + 1 < len && p[i] == ':' && p[i + 1] == ':';
		digits = 0;
	}
	return decimals && gaps < 2 && (gaps ? groups >= 3 && groups < 8 : groups == 8);
}

static bool find_ipv6(const struct finder *f, struct range chunk)
{
	for (size_t at = chunk.from; at < chunk.to;) {
		struct range r = run_at(f, at, chunk.to, HEX);
		if (is_ipv6(f->text + r.from, r.to - r.from)) {
			emit_address(f, r);
			return true;
		}
		at = r.to + 1;
	}
	return false;
}

static void find_in_rest(const struct finder *f, struct range r, size_t end)
{
	if (memchr(f->text + r.from, ':', r.to - r.from) && find_ipv6(f, r))
		return;
	for (size_t at = r.from; at < r.to;) {
		struct range piece = run_at(f, at, r.to, PIECE);
		if (piece.to > piece.from)
			find_in_piece(f, piece, (char)(piece.to < end ? f->text[piece.to] : ' '),
				      (char)(piece.to + 1 < end ? f->text[piece.to + 1] : ' '));
		at = piece.to + 1;
	}
}

/* NAME@HOST: an e-mail address, or an account on a machine. */
static bool find_email(const struct finder *f, struct range chunk)
{
	const char *at = memchr(f->text + chunk.from, '@', chunk.to - chunk.from);
	struct range host, all;

	if (!at)
		return false;
	host = run_at(f, (size_t)(at - f->text) + 1, chunk.to, NAME | LOCAL);
	host = trim(f, host, ".-_%+");
	all = (struct range){(size_t)(at - f->text), host.to};
	while (all.from > chunk.from && f->class[(uint8_t)f->text[all.from - 1]] & LOCAL)
		all.from--;
	const char *p = f->text + host.from;
	size_t last;
	if (all.from + 1 >= host.from ||
	    (!is_name(p, host.to - host.from, &last) && !is_ipv4(p, host.to - host.from)))
		return false;
	if (find_host(f, host, BESIDE))
		emit(f, ATOM_EMAIL, all, all.to - all.from);
	return true;
}

/* R begins with the scheme; SLASHES is the place of its "://". */
static void find_in_url(const struct finder *f, struct range r, size_t slashes)
{
	struct range host = {slashes + 3, slashes + 3};
	size_t user = host.from;

	r = trim(f, r, "./:?&#=!~-_+$%@");
	while (host.to < r.to && !strchr("/?#", f->text[host.to]))
		host.to++;
	for (size_t i = host.from; i < host.to; i++)
		if (f->text[i] == '@')
			user = i + 1;
	if (host.to <= host.from) {
		if (r.to > host.from)
			find_in_piece(f, (struct range){host.from, r.to}, ' ', ' ');
		return;
	}
	size_t path = host.to;
	host.from = user;
	const char *port = memchr(f->text + host.from, ':', host.to - host.from);
	if (port)
		host.to = (size_t)(port - f->text);
	host = trim(f, host, ".");
	emit_url(f, r, host, path);
	find_host(f, host, IN_URL);
}

/* Returns the place of the first scheme in the chunk, or the end of the chunk. */
static size_t find_scheme(const struct finder *f, struct range r, size_t *ret_slashes)
{
	for (size_t i = r.from + SCHEME_MIN; i + 3 < r.to; i++) {
		size_t from = i;
		if (memcmp(f->text + i, "://", 3) != 0)
			continue;
		while (from > r.from && i - from < SCHEME_MAX &&
		       isalpha((unsigned char)f->text[from - 1]))
			from--;
		*ret_slashes = i;
		if (i - from >= SCHEME_MIN)
			return from;
	}
	return r.to;
}

static void find_in_chunk(const struct finder *f, struct range r, size_t end)
{
	size_t slashes = 0, url = find_scheme(f, r, &slashes);

	if (url > r.from && !find_email(f, (struct range){r.from, url}))
		find_in_rest(f, (struct range){r.from, url}, end);
	if (url < r.to)
		find_tokens(f, (struct range){url, r.to});
	for (int i = 0; i < URLS_MAX && url < r.to; i++) {
		find_in_url(f, (struct range){url, r.to}, slashes);
		url = find_scheme(f, (struct range){slashes + 3, r.to}, &slashes);
	}
}

/* Tracks the quotes of strings. Three quotes begin a text of several lines; a quote without a second
 * one on its line is an apostrophe. Returns the number of bytes read. */
static size_t read_quote(struct finder *f, size_t at, size_t len)
{
	const char *p = f->text + at;

	if (*p == '\n')
		f->quote = 0;
	if (!*p || !strchr("\"'`", *p) || (at && p[-1] == '\\'))
		return 1;
	if (len - at > 2 && p[1] == *p && p[2] == *p)
		return 3;
	if (f->quote) {
		f->quote = (char)(f->quote == *p ? 0 : f->quote);
		return 1;
	}
	for (size_t i = 1; i < len - at && p[i] != '\n'; i++)
		if (p[i] == *p) {
			f->quote = *p;
			break;
		}
	return 1;
}

/* A defanged word is never an attribute, so it is read as in a string. */
static void find_refanged(struct finder *f, const struct atom_refanged *w)
{
	f->quote = '"';
	f->text = w->text;
	f->refanged = w;
	find_in_chunk(f, (struct range){0, w->len}, w->len + w->behind);
}

void atoms_find(const char *text, size_t len, enum atom_reading reading, atom_fn *fn, void *context)
{
	struct finder f = {.text = text, .fn = fn, .context = context, .reading = reading};
	struct atom_refanged w = {.len = 0};

	for (unsigned i = 0; i < 256; i++)
		f.class[i] = class_of((char)i);
	for (size_t at = 0; at < len;) {
		size_t most = len - at < CHUNK_MAX ? len : at + CHUNK_MAX;
		struct range r = run_at(&f, at, most, CHUNK);
		if (r.to - r.from > 4)
			find_in_chunk(&f, r, len);
		at = r.to > at ? r.to : at + read_quote(&f, at, len);
	}
	for (size_t at = 0; at < len;) {
		at = atom_refang(&w, text, len, at, f.class, CHUNK);
		if (w.is_other && w.len > 4)
			find_refanged(&f, &w);
	}
}
