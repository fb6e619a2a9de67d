/* SPDX-License-Identifier: MIT
 *
 * Which name a mistyped word is taken for, and which words are like none.
 */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "tap.h"

static const char *const names[] = {"run",    "rules",	   "reset", "approvals", "conversation",
				    "policy", "workspace", "net",   "exec",	 "sent-max"};

static const char *name_at(unsigned i)
{
	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

static const struct {
	const char *word, *want; /* NULL: none */
} rows[] = {
	{"run", "run"},
	{"rn", "run"},
	{"urn", "run"},
	{"rnu", "run"},
	{"runn", "run"},
	{"RUN", "run"},
	{"r", NULL},
	{"", NULL},
	{"ls", NULL},
	{"rule", "rules"},
	{"rulse", "rules"},
	{"rest", "reset"},
	{"aprovals", "approvals"},
	{"approvel", "approvals"},
	{"aprovel", "approvals"},
	{"aprove", NULL},
	{"approve", "approvals"},
	{"conv", "conversation"},
	{"co", NULL},
	{"converstaion", "conversation"},
	{"workspcae", "workspace"},
	{"work-space", "workspace"},
	{"sent_max", "sent-max"},
	{"nte", "net"},
	{"network", NULL},
	{"exce", "exec"},
	{"frobnicate", NULL},
	{"policy\x1b[2J", NULL},
};

static void test_length(void)
{
	char word[NEAREST_MAX + 2], name[NEAREST_MAX + 2];
	struct nearest n;

	memset(word, 'a', sizeof(word));
	memset(name, 'a', sizeof(name));
	word[NEAREST_MAX] = name[NEAREST_MAX] = '\0';
	word[7] = 'b';
	n = nearest_begin(word, NEAREST_MAX);
	nearest_try(&n, name);
	ok(n.name == name && n.distance == 1, "a word of the greatest length");
	n = nearest_begin(word, sizeof(word));
	nearest_try(&n, name);
	ok(!n.name, "a longer word is like no name");
	name[NEAREST_MAX] = 'a';
	name[NEAREST_MAX + 1] = '\0';
	n = nearest_begin(word, NEAREST_MAX);
	nearest_try(&n, name);
	ok(!n.name, "no word is like a longer name");
}

int main(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *got = nearest(rows[i].word, strlen(rows[i].word), name_at);
		bool same =
			got && rows[i].want ? strcmp(got, rows[i].want) == 0 : got == rows[i].want;
		ok(same, "row %zu: %s gives %s", i, rows[i].word[0] ? "a word" : "nothing",
		   got ? got : "none");
	}
	ok(!nearest("run\0run", 7, name_at), "a word with a NUL");
	test_length();
	return tap_done();
}
