/* SPDX-License-Identifier: MIT
 *
 * cordon-notify: sends one message to one URL, signed as Standard Webhooks says (webhook-id,
 * webhook-timestamp, webhook-signature: v1 and the HMAC-SHA256 of id.timestamp.body). Started by
 * cordon, which does not link an HTTP client; see notify.h. It must never follow a redirect,
 * speak another protocol than http and https, send a name and password, use a proxy, or print the
 * URL or the secret.
 */
#include "notify/notify.h"

#include <curl/curl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/io.h"
#include "base/scope.h"

enum { HMAC_BYTES = 32, BASE64_OF_HMAC = 44, HEADER_MAX = 512, FAILED = 1 };

struct message {
	char words[NOTIFY_WORDS_MAX + 1];
	char *url, *event, *id, *time, *secret;
	char *body;
	size_t len;
};

static int fail(const char *why)
{
	fprintf(stderr, "%s\n", why);
	return -1;
}

static char *take_line(char **rest)
{
	char *line = *rest, *end = line ? strchr(line, '\n') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return line;
}

static int take_message(struct message *m)
{
	ssize_t n = io_read_full(NOTIFY_WORDS_FD, m->words, NOTIFY_WORDS_MAX);
	char *rest = m->words;

	if (n < 0 || memchr(m->words, '\0', (size_t)n))
		return fail("the request on descriptor 3 is malformed");
	m->url = take_line(&rest);
	m->event = take_line(&rest);
	m->id = take_line(&rest);
	m->time = take_line(&rest);
	m->secret = take_line(&rest);
	if (!m->secret || *rest)
		return fail("the request on descriptor 3 is malformed");
	m->body = malloc(NOTIFY_BODY_MAX + 1);
	n = m->body ? io_read_full(STDIN_FILENO, m->body, NOTIFY_BODY_MAX + 1) : -1;
	if (n < 0 || n > NOTIFY_BODY_MAX)
		return fail("the message cannot be read, or is too long");
	m->len = (size_t)n;
	return 0;
}

/* Decodes the secret. Returns its length; -1: it is malformed. */
static int decode_key(const char *secret, uint8_t *ret)
{
	const char *text = secret + sizeof(NOTIFY_SECRET_PREFIX) - 1;

	if (strncmp(secret, NOTIFY_SECRET_PREFIX, sizeof(NOTIFY_SECRET_PREFIX) - 1) != 0)
		return -1;
	size_t len = strlen(text);
	if (len % 4 != 0 || len > (size_t)(NOTIFY_KEY_MOST + 2) / 3 * 4)
		return -1;
	int n = EVP_DecodeBlock(ret, (const unsigned char *)text, (int)len);
	for (size_t i = len; n > 0 && i > 0 && text[i - 1] == '='; i--)
		n--; /* it counts padding too */
	return n < NOTIFY_KEY_LEAST || n > NOTIFY_KEY_MOST ? -1 : n;
}

static int sign(const struct message *m, char ret[BASE64_OF_HMAC + 1])
{
	uint8_t key[(NOTIFY_KEY_MOST + 2) / 3 * 3], sum[HMAC_BYTES];
	unsigned n = 0;
	int keylen = decode_key(m->secret, key);
	size_t head = strlen(m->id) + strlen(m->time) + 2;
	AUTO_FREE char *text = malloc(head + m->len + 1);

	if (keylen < 0)
		return fail("the secret is not " NOTIFY_SECRET_PREFIX
			    " and the base64 of 24 to 64 bytes");
	if (!text)
		return fail("out of memory");
	snprintf(text, head + 1, "%s.%s.", m->id, m->time);
	memcpy(text + head, m->body, m->len);
	bool made = HMAC(EVP_sha256(), key, keylen, (unsigned char *)text, head + m->len, sum, &n);
	explicit_bzero(key, sizeof(key));
	if (!made || n != HMAC_BYTES)
		return fail("the message cannot be signed");
	EVP_EncodeBlock((unsigned char *)ret, sum, HMAC_BYTES);
	return 0;
}

/* libcurl would send a name and password of the URL. */
static int check_url(const char *url)
{
	CURLU *u = curl_url();
	char *scheme = NULL, *user = NULL, *password = NULL;
	int r = -1;

	if (!u || curl_url_set(u, CURLUPART_URL, url, 0) != CURLUE_OK ||
	    curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK)
		fail("invalid URL");
	else if (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)
		fail("the URL is neither http nor https");
	else if (curl_url_get(u, CURLUPART_USER, &user, 0) != CURLUE_NO_USER ||
		 curl_url_get(u, CURLUPART_PASSWORD, &password, 0) != CURLUE_NO_PASSWORD)
		fail("the URL contains a name or password");
	else
		r = 0;
	curl_free(scheme);
	curl_free(user);
	curl_free(password);
	curl_url_cleanup(u);
	return r;
}

static bool add_header(struct curl_slist **list, const char *name, const char *value)
{
	char text[HEADER_MAX];

	if (snprintf(text, sizeof(text), "%s: %s", name, value) >= HEADER_MAX)
		return false;
	struct curl_slist *longer = curl_slist_append(*list, text);
	if (longer)
		*list = longer;
	return longer;
}

static struct curl_slist *make_headers(const struct message *m, const char *signature)
{
	char signed_as[BASE64_OF_HMAC + 4];
	struct curl_slist *list = NULL;

	snprintf(signed_as, sizeof(signed_as), "v1,%s", signature);
	if (add_header(&list, "content-type", "application/json") &&
	    add_header(&list, "cordon-event", m->event) && add_header(&list, "webhook-id", m->id) &&
	    add_header(&list, "webhook-timestamp", m->time) &&
	    add_header(&list, "webhook-signature", signed_as) && add_header(&list, "expect", ""))
		return list;
	curl_slist_free_all(list);
	return NULL;
}

/* An answer is counted and dropped. */
static size_t drop(char *data, size_t size, size_t count, void *context)
{
	size_t *total = context;

	(void)data;
	*total += size * count;
	return *total <= NOTIFY_ANSWER_MAX ? size * count : 0;
}

#define SET(option, value) (curl_easy_setopt(curl, option, value) == CURLE_OK)

static bool prepare(CURL *curl, const struct message *m, struct curl_slist *headers, size_t *answer)
{
	return SET(CURLOPT_URL, m->url) && SET(CURLOPT_PROTOCOLS_STR, "http,https") &&
	       SET(CURLOPT_FOLLOWLOCATION, 0L) && SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) &&
	       SET(CURLOPT_PROXY, "") && SET(CURLOPT_NOSIGNAL, 1L) &&
	       SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) &&
	       SET(CURLOPT_CONNECTTIMEOUT_MS, (long)NOTIFY_CONNECT_MS) &&
	       SET(CURLOPT_TIMEOUT_MS, (long)NOTIFY_MS) && SET(CURLOPT_USERAGENT, "cordon") &&
	       SET(CURLOPT_POST, 1L) && SET(CURLOPT_POSTFIELDSIZE, (long)m->len) &&
	       SET(CURLOPT_POSTFIELDS, m->body) && SET(CURLOPT_HTTPHEADER, headers) &&
	       SET(CURLOPT_WRITEFUNCTION, drop) && SET(CURLOPT_WRITEDATA, answer);
}

static int perform(CURL *curl)
{
	CURLcode code = curl_easy_perform(curl);
	long status = 0;

	if (code == CURLE_OK)
		code = curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (code != CURLE_OK)
		return fail(curl_easy_strerror(code));
	if (status >= 200 && status < 300)
		return 0;
	fprintf(stderr, "the server answered %ld%s\n", status,
		status >= 300 && status < 400 ? ", and a redirect is not followed" : "");
	return -1;
}

static int send_message(const struct message *m)
{
	char signature[BASE64_OF_HMAC + 1];
	struct curl_slist *headers;
	size_t answer = 0;
	int r = -1;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return fail("libcurl cannot be initialised");
	if (check_url(m->url) < 0 || sign(m, signature) < 0)
		return -1;
	CURL *curl = curl_easy_init();
	headers = make_headers(m, signature);
	if (curl && headers && prepare(curl, m, headers, &answer))
		r = perform(curl);
	else
		fail("libcurl refused an option");
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	return r;
}

int main(void)
{
	static struct message m;
	const struct rlimit none = {0, 0};

	/* No core dump may contain the secret. */
	setrlimit(RLIMIT_CORE, &none);
	if (prctl(PR_SET_DUMPABLE, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return FAILED;
	int r = take_message(&m);
	if (r == 0)
		r = send_message(&m);
	explicit_bzero(m.words, sizeof(m.words));
	free(m.body);
	return r < 0 ? FAILED : 0;
}
