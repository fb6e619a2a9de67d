/* SPDX-License-Identifier: MIT
 *
 * What the executor reads of its client's parameters: paths, bytes, and what the agent's sandbox takes away.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "door/executor/rpc.h"
#include "door/executor/wish.h"
#include "tap.h"

static const struct {
	const char *uri, *path; /* NULL: refused */
} paths[] = {
	{"file:///", "/"},
	{"file:///a/b", "/a/b"},
	{"file://localhost/a", "/a"},
	{"file:///a%20b%23%25", "/a b#%"},
	{"file:///%c3%A4", "/\xc3\xa4"},
	{"file:///a//b/./../c/", "/a/c"},
	{"file:///../../..", "/"},
	{"file:///a/%2e%2e/b", "/b"},
	{"file:///a%2fb", "/a/b"},
	{"/a", NULL},
	{"", NULL},
	{"file:a", NULL},
	{"file://host/a", NULL},
	{"file:///a?b", NULL},
	{"file:///a#b", NULL},
	{"file:///a%", NULL},
	{"file:///a%4", NULL},
	{"file:///a%gg", NULL},
	{"file:///a%00b", NULL},
	{"http:///a", NULL},
};

static void test_paths(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		AUTO_FREE char *path = rpc_path(paths[i].uri);
		ok(path && paths[i].path ? strcmp(path, paths[i].path) == 0 : path == paths[i].path,
		   "%s: %s", paths[i].uri, path ? path : "refused");
	}
	for (int c = 1; c < 256; c++) {
		const char name[] = {'/', (char)c, '\0'};
		AUTO_FREE char *uri = rpc_uri(name), *back = uri ? rpc_path(uri) : NULL;
		if (c != '/' && c != '.' && !(back && strcmp(back, name) == 0))
			ok(false, "byte %d", c);
	}
	ok(rpc_path(NULL) == NULL, "no path");
}

static void test_bytes(void)
{
	static const char *const bad[] = {
		"!", "a", "aGk", "aGkK=", "aG kK", "aGk-", "aGkK\n", "aGk\xff", "\xc3\xa4==",
	};
	size_t len;
	AUTO_FREE char *data = rpc_bytes("aGkK", 4, &len), *none = rpc_bytes("", 0, &len);

	ok(data && strcmp(data, "hi\n") == 0, "bytes");
	ok(none && len == 0, "no bytes");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ok(rpc_bytes(bad[i], strlen(bad[i]), &len) == NULL, "no base64: %s", bad[i]);
}

#define MANAGED(network, entries)                                                                  \
	"{\"permissions\":{\"type\":\"managed\",\"file_system\":{\"type\":\"restricted\","         \
	"\"entries\":[" entries "]},\"network\":\"" network "\"}}"
#define ENTRY(kind, access)                                                                        \
	"{\"path\":{\"type\":\"special\",\"value\":{\"kind\":\"" kind "\"}},\"access\":\"" access  \
	"\"}"
#define BELOW(access)                                                                              \
	"{\"path\":{\"type\":\"special\",\"value\":{\"kind\":\"project_roots\",\"subpath\":"       \
	"\".git\"}},\"access\":\"" access "\"}"
#define PATH(path, access)                                                                         \
	"{\"path\":{\"type\":\"path\",\"path\":\"file://" path "\"},\"access\":\"" access "\"}"
#define READS ENTRY("root", "read")
enum { REFUSED = -1, ALL = WISH_NO_WRITE | WISH_NO_NET };

static const struct {
	const char *sandbox;
	int wish;
} wishes[] = {
	{"null", 0},
	{"{\"permissions\":{\"type\":\"disabled\"}}", 0},
	{MANAGED("restricted", READS), ALL},
	{MANAGED("enabled", READS), WISH_NO_WRITE},
	{MANAGED("restricted", READS "," ENTRY("project_roots", "write")), WISH_NO_NET},
	{MANAGED("enabled", READS "," ENTRY("project_roots", "write") "," BELOW("read")), 0},
	{MANAGED("enabled", ENTRY("root", "write")), 0},
	{MANAGED("enabled", READS "," BELOW("write")), WISH_NO_WRITE},
	{MANAGED("enabled", READS "," ENTRY("slash_tmp", "write")), WISH_NO_WRITE},
	{MANAGED("enabled", READS "," PATH("/srv", "write")), 0},
	{MANAGED("enabled", READS "," PATH("/srv/app", "write")), 0},
	{MANAGED("enabled", READS "," PATH("/srv/app/src", "write")), WISH_NO_WRITE},
	{MANAGED("enabled", READS "," PATH("/srv/apple", "write")), WISH_NO_WRITE},
	{MANAGED("enabled", READS "," PATH("/srv/app/key", "none")), REFUSED},
	{MANAGED("enabled", READS "," PATH("/srv", "deny")), REFUSED},
	{MANAGED("enabled", ENTRY("root", "write") "," PATH("/etc/key", "none")), 0},
	{MANAGED("enabled", ENTRY("glob", "none")), REFUSED},
	{MANAGED("something", ENTRY("root", "write")), WISH_NO_NET},
	{"{\"permissions\":{\"type\":\"managed\",\"file_system\":{\"type\":\"unrestricted\"},"
	 "\"network\":\"restricted\"}}",
	 WISH_NO_NET},
	{"{\"permissions\":{\"type\":\"external\",\"network\":\"restricted\"}}", WISH_NO_NET},
	{"{\"permissions\":{\"type\":\"new\"}}", ALL},
	{"{}", ALL},
	{"[]", ALL},
	{"\"text\"", ALL},
};

static void test_wishes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(wishes); i++) {
		json_t *sandbox = json_loads(wishes[i].sandbox, JSON_DECODE_ANY, NULL);
		unsigned wish = 99;
		struct err err = {0};
		int r = wish_read(sandbox, "/srv/app", &wish, &err);
		ok(sandbox && (r < 0 ? wishes[i].wish == REFUSED && err.cure[0]
				     : (int)wish == wishes[i].wish),
		   "row %zu: %d, %u", i, r, wish);
		json_decref(sandbox);
	}
	unsigned wish = 99;
	ok(wish_read(NULL, "/srv/app", &wish, NULL) == 0 && wish == 0, "none");
}

int main(void)
{
	test_paths();
	test_bytes();
	test_wishes();
	return tap_done();
}
