/* SPDX-License-Identifier: MIT
 *
 * What is taken out of a text before it is hashed: a row for each kind of secret, what must stay,
 * that whatever the text is, doing it twice changes nothing more, and that it takes time in
 * proportion. No row is anybody's secret.
 */
#include "store/redact.h"

#include <stdlib.h>

#include "steps.h"
#include "tap.h"

#define LONG "0123456789abcdefABCDEF0123456789abcdefABCDEF"

static const struct {
	const char *what, *in, *out;
} rows[] = {
	{"a password in a setting", "password=hunter2", "password=[redacted:password]"},
	{"in quotes", "db_password = \"hunter 2\", x", "db_password = \"[redacted:password]\", x"},
	{"in JSON", "{\"passwd\": \"hunter2\"}", "{\"passwd\": \"[redacted:password]\"}"},
	{"in JSON in a string", "{\\\"passwd\\\": \\\"hunter2\\\"}",
	 "{\\\"passwd\\\": \\\"[redacted:password]\"}"},
	{"in capitals", "PASSWORD: x1", "PASSWORD: [redacted:password]"},
	{"as an option", "mysql --password hunter2 -h a",
	 "mysql --password [redacted:password] -h a"},
	{"in a query", "https://a/?token=abc&b=1", "https://a/?token=[redacted:token]&b=1"},
	{"with more of a name", "API_KEY_2='k' # c", "API_KEY_2='[redacted:api-key]' # c"},
	{"a cloud's secret", "aws_secret_access_key = " LONG,
	 "aws_secret_access_key = [redacted:secret]"},
	{"a cloud's key", "id AKIA0123456789ABCDEF.", "id [redacted:aws-key]"},
	{"a bearer", "curl -H 'X: bearer " LONG "'", "curl -H 'X: bearer [redacted:bearer]'"},
	{"a header", "Authorization: Basic dTpw\r\nHost: a",
	 "Authorization: [redacted:authorization]\r\nHost: a"},
	{"a cookie", "Set-Cookie: a=b; c=d\nHost: a", "Set-Cookie: [redacted:cookie]\nHost: a"},
	{"a URL", "postgres://me:pw@host/db", "postgres://me:[redacted:url-password]@host/db"},
	{"a URL whose user is a token", "https://ghp_" LONG ":x@host/a.git",
	 "https://[redacted:github-token]:[redacted:url-password]@host/a.git"},
	{"a name that is a token", "password-ghp_0123456789abcdefghij: x",
	 "password-[redacted:github-token]: [redacted:password]"},
	{"a token of GitHub", "x ghp_" LONG " y", "x [redacted:github-token] y"},
	{"a JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMDEyMzQ1", "[redacted:jwt]"},
	{"a private key",
	 "a\n-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb",
	 "a\n[redacted:private-key]\nb"},
	{"a private key without an end", "-----BEGIN PRIVATE KEY-----\nMII",
	 "[redacted:private-key]"},
	{"two of them", "pwd=a;pwd=b;", "pwd=[redacted:password];pwd=[redacted:password];"},
	{"a signed address", "https://a.blob.net/c?sv=2&sig=a%2Bb%3D&se=1",
	 "https://a.blob.net/c?sv=2&sig=[redacted:signature]&se=1"},
	{"another cloud's", "https://b/k?X-Amz-Date=1&X-Amz-Signature=0f9e",
	 "https://b/k?X-Amz-Date=1&X-Amz-Signature=[redacted:signature]"},
	{"an account's key", "AccountName=n;AccountKey=ab/+c==;EndpointSuffix=core",
	 "AccountName=n;AccountKey=[redacted:account-key];EndpointSuffix=core"},
	{"curl's user", "curl -s -u me:hunter2 https://a/",
	 "curl -s -u me:[redacted:password] https://a/"},
	{"by its long name", "curl --user 'me:hunter 2' a",
	 "curl --user 'me:[redacted:password]' a"},
	{"in a list of words", "[\"curl\", \"-u\", \"me:hunter2\", \"a\"]",
	 "[\"curl\", \"-u\", \"me:[redacted:password]\", \"a\"]"},
	{"mysql's password", "mysqldump -uroot -phunter2 db",
	 "mysqldump -uroot -p[redacted:password] db"},
	{"in quotes too", "mysql -p'hunter 2' db", "mysql -p'[redacted:password]' db"},
	{"sshpass's", "sshpass -p hunter2 ssh -p 22 a",
	 "sshpass -p [redacted:password] ssh -p [redacted:password] a"},
	{"and attached", "sshpass -phunter2 ssh a", "sshpass -p[redacted:password] ssh a"},
	/* What stays. */
	{"a signal", "sig=9; signal -u a:b", "sig=9; signal -u a:b"},
	{"another program's options", "date -u +%H:%M; mkdir -p a; ls\ncp -p x y",
	 "date -u +%H:%M; mkdir -p a; ls\ncp -p x y"},
	{"a database's name", "mysql -p db", "mysql -p db"},
	{"who calls itself", "curl --user-agent a:b -u me x", "curl --user-agent a:b -u me x"},
	{"a certificate", "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
	 "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----"},
	{"the word alone", "the password is good, no secret", "the password is good, no secret"},
	{"a hash", "sha256 " LONG, "sha256 " LONG},
	{"a URL without one", "https://user@host:80/a:b@c", "https://user@host:80/a:b@c"},
	{"a short one that looks alike", "task-list sk-1 AKIA1", "task-list sk-1 AKIA1"},
	{"the bearer of news", "bearer of news", "bearer of news"},
	{"nothing", "", ""},
};

static bool is(const char *in, size_t len, const char *want, size_t want_len)
{
	AUTO_BUF struct buf out = {.most = REDACT_OUT_MAX};

	redact(&out, in, len);
	bool same = !out.failed && out.len == want_len &&
		    !memcmp(out.data ? (char *)out.data : "", want, want_len);
	if (!same)
		printf("# got: %.*s\n", (int)out.len, out.data ? (char *)out.data : "");
	return same;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

/* Pieces of rows in any order, with anything between them. */
static size_t make_text(char *text, size_t size, uint64_t *state)
{
	static const char glue[] = " =:\"'\\\n\t-_.@/[];,&A";
	size_t len = 0;

	while (len < size / 2) {
		const char *row = rows[next_random(state) % (sizeof(rows) / sizeof(rows[0]))].in;
		size_t from = strlen(row) ? next_random(state) % strlen(row) : 0;
		size_t part = strlen(row + from) ? 1 + next_random(state) % strlen(row + from) : 0;
		part = part > size / 4 ? size / 4 : part;
		memcpy(text + len, row + from, part);
		len += part;
		text[len++] = glue[next_random(state) % (sizeof(glue) - 1)];
	}
	return len;
}

static void test_twice(void)
{
	uint64_t state = 0x9e3779b97f4a7c15ULL;
	int changed = 0;

	for (int i = 0; i < 20000 && changed < 3; i++) {
		AUTO_BUF struct buf once = {.most = REDACT_OUT_MAX},
				    twice = {.most = REDACT_OUT_MAX};
		char text[512];
		size_t len = make_text(text, sizeof(text), &state);
		redact(&once, text, len);
		redact(&twice, (char *)once.data, once.len);
		if (once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0)
			continue;
		printf("# %.*s\n# %.*s\n# %.*s\n", (int)len, text, (int)once.len, (char *)once.data,
		       (int)twice.len, (char *)twice.data);
		changed++;
	}
	ok(changed == 0, "doing it twice changes nothing more, for 20000 texts");
}

static uint64_t steps_for(const char *piece, const char *end, size_t len)
{
	AUTO_BUF struct buf out = {.most = REDACT_OUT_MAX};
	char *text = malloc(len);

	for (size_t i = 0; i < len; i++)
		text[i] = piece[i % strlen(piece)];
	memcpy(text + len - strlen(end), end, strlen(end));
	steps = 0;
	redact(&out, text, len);
	free(text);
	return steps;
}

/* Whoever writes the text must not choose how long it takes. */
static void test_linear(void)
{
	static const struct {
		const char *piece, *end;
	} texts[] = {
		{"_AKIA", ""},
		{"eyJ", ""},
		{"eyJ-", ""},
		{"eyJ-", ".a"},
		{"token=[redacted:", ""},
		{"cookie=[redacted:", ""},
		{"a://b:[redacted:", ""},
		{"-----BEGIN ", ""},
		{"bearer ", ""},
		{"://", ""},
		{"password-", ""},
		{"secret\"", ""},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		uint64_t once = steps_for(texts[i].piece, texts[i].end, 1 << 14),
			 twice = steps_for(texts[i].piece, texts[i].end, 1 << 15);
		ok(once > 1 << 10 && twice < 3 * once,
		   "%s again and again: %llu steps, %llu for twice as much", texts[i].piece,
		   (unsigned long long)once, (unsigned long long)twice);
	}
}

int main(void)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok(is(rows[i].in, strlen(rows[i].in), rows[i].out, strlen(rows[i].out)), "%s",
		   rows[i].what);
	ok(is("a\0password=\0b c", 15, "a\0password=[redacted:password] c", 32),
	   "bytes of zero are bytes like others");
	AUTO_BUF struct buf little = {.most = 8};
	redact(&little, "password=a", 10);
	ok(little.failed, "what does not fit is said");
	test_twice();
	test_linear();
	return tap_done();
}
