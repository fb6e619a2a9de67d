/* SPDX-License-Identifier: MIT
 *
 * What a grant says of a secret: the texts that are taken, the one way to write them, and for which
 * secret of the policy each is.
 */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "policy/policy.h"
#include "tap.h"

static const struct {
	const char *text, *form; /* NULL: refused */
} rows[] = {
	{"KEY=GET:api.example:443/v1", "KEY=GET:api.example:443/v1"},
	{"KEY=GET,POST:API.Example:443/", "KEY=GET,POST:api.example:443/"},
	{"my-key_2=M:a.example:1/a.b/-/~x:y@z+/...", "my-key_2=M:a.example:1/a.b/-/~x:y@z+/..."},
	/* a part is missing */
	{"", NULL},
	{"KEY", NULL},
	{"KEY=", NULL},
	{"KEY=GET", NULL},
	{"KEY=GET:api.example:443", NULL},
	{"KEY=api.example:443/v1", NULL},
	{"KEY:GET:api.example:443/v1", NULL},
	{"=GET:api.example:443/v1", NULL},
	{"KEY=:api.example:443/v1", NULL},
	{"KEY=GET:/v1", NULL},
	/* names and methods */
	{"K Y=GET:api.example:443/v1", NULL},
	{"KEY=get:api.example:443/v1", NULL},
	{"KEY=*:api.example:443/v1", NULL},
	{"KEY=GET,:api.example:443/v1", NULL},
	{"KEY=,GET:api.example:443/v1", NULL},
	{"KEY=GET,,PUT:api.example:443/v1", NULL},
	{"KEY=GET, PUT:api.example:443/v1", NULL},
	/* one host and one port */
	{"KEY=GET:*.api.example:443/v1", NULL},
	{"KEY=GET:api.example:*/v1", NULL},
	{"KEY=GET:api.example:1-9/v1", NULL},
	{"KEY=GET:api.example/v1", NULL},
	{"KEY=GET:192.0.2.1:443/v1", NULL},
	{"KEY=GET:[2001:db8::1]:443/v1", NULL},
	/* paths with one meaning */
	{"KEY=GET:api.example:443//", NULL},
	{"KEY=GET:api.example:443//v1", NULL},
	{"KEY=GET:api.example:443/v1/", NULL},
	{"KEY=GET:api.example:443/v1//x", NULL},
	{"KEY=GET:api.example:443/.", NULL},
	{"KEY=GET:api.example:443/v1/..", NULL},
	{"KEY=GET:api.example:443/v1/../x", NULL},
	{"KEY=GET:api.example:443/v1/./x", NULL},
	{"KEY=GET:api.example:443/v%31", NULL},
	{"KEY=GET:api.example:443/v1?x", NULL},
	{"KEY=GET:api.example:443/v1#x", NULL},
	{"KEY=GET:api.example:443/v1 x", NULL},
	{"KEY=GET:api.example:443/v1\\x", NULL},
	{"KEY=GET:api.example:443/v1;x", NULL},
	{"KEY=GET:api.example:443/v1\n", NULL},
	{"KEY=GET:api.example:443/\303\244", NULL},
};

static void test_rows(void)
{
	struct arena a = {0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy_use use;
		struct err err = {0};
		int r = policy_use_parse(rows[i].text, &use, &err);
		ok(rows[i].form ? r == 0 && strcmp(policy_use_format(&use, &a), rows[i].form) == 0
				: r < 0 && err.code == ERR_INPUT && err.message[0],
		   "row %zu is %s", i, rows[i].form ? "taken" : "refused");
	}
	arena_done(&a);
}

static void test_secret(void)
{
	static const struct policy_secret key = {.name = "KEY", .host = "api.example", .port = 443};
	static const struct {
		const char *text;
		bool is;
	} of[] = {
		{"KEY=GET:api.example:443/v1", true},	 {"KEY=PUT:Api.Example:443/", true},
		{"KEY=GET:api.example:444/v1", false},	 {"KEY=GET:b.example:443/v1", false},
		{"KEY=GET:x.api.example:443/v1", false}, {"KEY2=GET:api.example:443/v1", false},
		{"key=GET:api.example:443/v1", false},	 {"KEY", false},
	};
	struct policy_use use;

	for (size_t i = 0; i < ARRAY_SIZE(of); i++)
		ok(policy_use_is_of(of[i].text, &key, &use) == of[i].is, "%s is %s", of[i].text,
		   of[i].is ? "for this secret" : "not for this secret");
}

/* N letters in the name, the methods or the path. */
static bool fits(size_t name, size_t methods, size_t path)
{
	char letters[EGRESS_PATH_MAX + 2], text[POLICY_TEXT_MAX];
	struct policy_use use;
	struct err err;

	memset(letters, 'X', sizeof(letters));
	snprintf(text, sizeof(text), "%.*s=%.*s:api.example:443/%.*s", (int)name, letters,
		 (int)methods, letters, (int)path, letters);
	return policy_use_parse(text, &use, &err) == 0;
}

int main(void)
{
	test_rows();
	test_secret();
	ok(fits(POLICY_ID_MAX - 1, 1, 1) && !fits(POLICY_ID_MAX, 1, 1), "a name has its maximum");
	ok(fits(1, EGRESS_METHODS_MAX - 1, 1) && !fits(1, EGRESS_METHODS_MAX, 1),
	   "so have methods");
	ok(fits(1, 1, EGRESS_PATH_MAX - 2) && !fits(1, 1, EGRESS_PATH_MAX - 1), "so has a path");
	return tap_done();
}
