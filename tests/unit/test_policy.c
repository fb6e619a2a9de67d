/* SPDX-License-Identifier: MIT
 *
 * The policy file: what is read, what is refused with which words on which line, every maximum at
 * its value and one beyond, and the hash: the same for what means the same, another for every
 * change that could change a decision.
 */
#include "policy/policy.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/scope.h"
#include "tap.h"

#define V "version: 2\n"
#define SECRET "secrets:\n- {name: A, host: 'a.example:443', env: X}\n"
#define ONLY "secrets:\n- {name: A, host: 'a.example:443', env: X, "

struct row {
	const char *text, *words; /* WORDS NULL: it is read */
	unsigned line;
};

static const struct row rows[] = {
	{V, NULL, 0},
	{V "profile: strict\n", NULL, 0},
	{V "clean: {write: deny, net: allow, secret: listed}\n", NULL, 0},
	{V "exposed: {write: deny, net: ask, secret: deny}\n", NULL, 0},
	{V "exposed: {tier: full, limits: {time: 5s, memory: 64M, pids: 8}}\n", NULL, 0},
	{V "net: {allow: ['*.example.org:443', 192.0.2.0/24:80], deny: [example.com]}\n", NULL, 0},
	{V "net: {trusted: ['docs.example.org:443'], sni: true}\n", NULL, 0},
	{V "grants: []\n", NULL, 0},
	{V "grants:\n- {directory: /srv/a, write: [src, .], net: ['a.example:443'],\n"
	   "   secret: ['A=GET:a.example:443/v1']}\n",
	 NULL, 0},
	{V "rules: {A-1: none, A-2: shown, A-3: asks, A-4: denies}\n", NULL, 0},
	{V "approval: {wait: 1s, ttl: 24h, approvers: 9}\n", NULL, 0},
	{V "confirmation: {write: yes, net: no, secret: yes}\n", NULL, 0},
	{"{\"version\": 2, \"rules\": {\"A-1\": \"shown\"}}", NULL, 0},
	/* the whole */
	{"", "the document is empty", 1},
	{"[]", "a policy is a map, not a list", 1},
	{"profile: strict\n", "policy: version is missing", 1},
	{"version: 1\n", "version: only 2 is known", 1},
	{"version: 3\n", "version: only 2 is known", 1},
	{"version: '2'\n", "version: only 2 is known", 1},
	{"version: 1\nrules:\n- {id: a, when: {}, then: ask}\n", "version: only 2 is known", 1},
	{"origins: {undeclared: derived}\nversion: 1\n", "version: only 2 is known", 2},
	{V "profil: strict\n",
	 "there is no key \"profil\" in a policy (there are: version, profile", 2},
	{V "profile: strict\nprofile: strict\n", "\"profile\" is a duplicate of line 2", 3},
	{V "profile: lax\n", "profile: there is no \"lax\" (strict, balanced or observe)", 2},
	{V "profile: 1\n", "profile takes a word, not a number", 2},
	{V "profile: [strict]\n", "profile takes a word, not a list", 2},
	{V "profile: &x strict\n", "&x: an anchor is not allowed here", 2},
	{V "net: {allow: [*x]}\n",
	 "*x: an alias is not allowed here; put a word that begins so in quotes", 2},
	{V "net:\n  <<: {allow: []}\n", "<<: a merge is not allowed here", 3},
	{V "profile: !!str strict\n", "a tag is not allowed here", 2},
	{V "profile: ! strict\n", "a tag is not allowed here", 2},
	{V "grants: !!seq []\n", "a tag is not allowed here", 2},
	{V "---\n" V, "a second document", 2},
	{V "confirmation: {write: perhaps}\n", "there is no \"perhaps\"", 2},
	{V "confirmation: yes\n", "confirmation is a map, not a string", 2},
	{V "single_user: true\n", "there is no key \"single_user\"", 2},
	/* effects */
	{V "clean: allow\n", "clean is a map, not a string", 2},
	{V "clean: {write: yes please}\n",
	 "write: there is no \"yes please\" (deny, ask, listed or allow)", 2},
	{V "clean: {write: [ask]}\n", "write takes a word, not a list", 2},
	{V "clean: {host: ask}\n",
	 "there is no key \"host\" in clean (there are: write, net, secret)", 2},
	{V "clean: {write: ask, write: ask}\n", "\"write\" is a duplicate", 2},
	{V "clean: {tier: full}\n", "there is no key \"tier\" in clean", 2},
	{V "exposed: {write: allow}\n",
	 "exposed: write: allow: only ask and deny; write a grant instead", 2},
	{V "profile: observe\nexposed:\n  net: listed\n",
	 "exposed: net: listed: only ask and deny; write a grant instead", 4},
	{V "exposed: {secret: allow}\n", "write a grant instead", 2},
	/* limits and approvals */
	{V "exposed: {tier: none}\n", "tier: there is no \"none\" (full, no-cgroup or no-userns)",
	 2},
	{V "exposed: {limits: {time: 0}}\n", "time: \"0\" is not a value (write it like 30s", 2},
	{V "exposed: {limits: {memory: 5s}}\n", "memory: \"5s\" is not a value", 2},
	{V "exposed: {limits: {speed: 5s}}\n", "there is no limit \"speed\"", 2},
	{V "exposed: {limits: [5s]}\n", "limits takes a map of limits", 2},
	{V "exposed: {limits: {time: [5s]}}\n", "limits takes a map of limits, not a list", 2},
	{V "approval: {ttl: 25h}\n", "ttl: \"25h\" is not between 1s and 24h", 2},
	{V "approval: {wait: 25h}\n", "wait: \"25h\" is not between 1s and 24h", 2},
	{V "approval: {ttl: 999ms}\n", "is not between 1s and 24h", 2},
	{V "approval: {ttl: true}\n", "ttl takes a duration, not a truth value", 2},
	{V "approval: {approvers: 0}\n", "approvers: a number from 1 to 9", 2},
	{V "approval: {approvers: 10}\n", "approvers: a number from 1 to 9", 2},
	{V "approval: {approvers: two}\n", "approvers: a number from 1 to 9", 2},
	{V "approval: {scope: once}\n", "there is no key \"scope\" in approval", 2},
	/* rules */
	{V "rules: []\n", "rules takes a map of rule ids to grades", 2},
	{V "rules:\n- {id: a, when: {}, then: ask}\n", "rules takes a map of rule ids to grades",
	 3},
	{V "rules: {A-1: deny}\n", "rules: there is no \"deny\" (none, shown, asks or denies)", 2},
	{V "rules: {A-1: 1}\n", "rules takes a map of rule ids to grades, not a number", 2},
	{V "rules:\n  A-1: shown\n  A-1: asks\n", "\"A-1\" is a duplicate of line 3", 4},
	/* grants */
	{V "grants: {directory: /a}\n", "grants takes a list of maps", 2},
	{V "grants:\n- /a\n", "grant is a map, not a string", 3},
	{V "grants:\n- {write: [.]}\n", "grant: directory is missing", 3},
	{V "grants:\n- {directory: a, write: [.]}\n", "directory: \"a\" is not an absolute path",
	 3},
	{V "grants:\n- {directory: /a, write: src}\n", "write takes a list of paths", 3},
	{V "grants:\n- {directory: /a, write: ['']}\n", "write: it is empty", 3},
	{V "grants:\n- {directory: /a, write: [., a, a/b, .a, ..a, a.]}\n", NULL, 0},
	{V "grants:\n- directory: /a\n  write:\n  - a\n  - ../x\n",
	 "\"../x\" is not a path below the directory", 6},
	{V "grants:\n- {directory: /a, write: [/abs]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [a//b]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [a/./b]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [a/..]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [a/, ./a, ./a/b/, ./]}\n", NULL, 0},
	{V "grants:\n- {directory: /a, write: [/]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [.//]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [././a]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [.//a]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [a//]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [./..]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [../]}\n", "is not a path below the directory", 3},
	{V "grants:\n- {directory: /a, write: [\"a\\0b\"]}\n", "write: it holds a NUL", 3},
	{V "grants:\n- {directory: /a, net: ['*.a.example:443']}\n",
	 "net: \"*.a.example:443\" is not one host and one port: it is a pattern of names", 3},
	{V "grants:\n- {directory: /a, net: ['a.example:1-2']}\n",
	 "is not one host and one port: it is a range of ports", 3},
	{V "grants:\n- {directory: /a, net: ['127.0.0.1:*']}\n", "it is a range of ports", 3},
	{V "grants:\n- {directory: /a, net: [192.0.2.0/24:80]}\n",
	 "is not one host and one port: it is a network", 3},
	{V "grants:\n- {directory: /a, net: ['[2001:db8::/127]:80']}\n", "it is a network", 3},
	{V "grants:\n- {directory: /a, net: ['127.0.0.1:80', '[2001:db8::1]:80']}\n", NULL, 0},
	{V "grants:\n- {directory: /a, net: [a.example]}\n", "has no port", 3},
	{V "grants:\n- {directory: /a, for: 8h}\n", "there is no key \"for\" in grant", 3},
	/* the network */
	{V "net: {allow: [example.org]}\n", "has no port: write example.org:443", 2},
	{V "net: {trusted: [example.org]}\n", "has no port: write example.org:443", 2},
	{V "net: {allow: example.org:443}\n", "allow takes a list of HOST:PORT", 2},
	{V "net:\n  allow:\n  - a.example:443\n  - b.example:0\n", "\"0\" is not a port", 5},
	{V "net: {allow: [A.example:443, a.EXAMPLE:443]}\n", "an entry is there twice", 2},
	{V "net: {sni: 1}\n", "sni: true or false", 2},
	/* secrets */
	{V SECRET "- {name: B, host: 'b.example:443', file: /x}\n", NULL, 0},
	{V SECRET "- {name: A, host: 'b.example:443', env: Y}\n", "there are two secrets A", 4},
	{V SECRET "- {name: B, host: 'A.example:8443', env: X}\n",
	 "there are two secrets for a.example", 4},
	{V "secrets:\n- {name: A, host: 'a.example:443', env: X, file: /x}\n",
	 "a secret needs exactly one of env, file and command", 3},
	{V "secrets:\n- {name: A, host: 'a.example:443'}\n",
	 "a secret needs exactly one of env, file and command", 3},
	{V "secrets:\n- {host: 'a.example:443', env: X}\n", "secret: name is missing", 3},
	{V "secrets:\n- {name: A b, host: 'a.example:443', env: X}\n",
	 "has more than letters, digits, _ and -", 3},
	{V "secrets:\n- {name: A, host: '*.a.example:443', env: X}\n",
	 "is not one host and one port", 3},
	{V ONLY "methods: [GET, POST], path: /v1}\n", NULL, 0},
	{V ONLY "methods: GET}\n", "methods takes a list of words", 3},
	{V ONLY "methods: []}\n", "methods: it is empty", 3},
	{V ONLY "methods: [get]}\n", "write methods like [GET, POST]", 3},
	{V ONLY "methods: ['*']}\n", "write methods like [GET, POST]", 3},
	{V ONLY "methods: ['GET:a.example:443/x']}\n", "write methods like", 3},
	{V ONLY "path: v1}\n", "path like /v1", 3},
	{V ONLY "path: 0/v1}\n", "path like /v1", 3},
	{V ONLY "path: /v1/../x}\n", "path like /v1", 3},
	{V ONLY "path: [/v1]}\n", "path takes a path, not a list", 3},
	{V "grants:\n- {directory: /a, secret: [A]}\n",
	 "\"A\" does not name methods, host and path of a secret", 3},
	{V "grants:\n- {directory: /a, secret: ['A=GET:*.a.example:443/']}\n",
	 "is not one host and one port", 3},
};

static int parse(const char *text, size_t len, struct policy *p, struct err *err)
{
	memset(err, 0, sizeof(*err));
	return policy_parse(p, "file", text, len, err);
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		char place[32];
		struct policy p;
		struct err err;
		int result = parse(row->text, strlen(row->text), &p, &err);
		bool good = result == 0;

		snprintf(place, sizeof(place), "file:%u: ", row->line);
		if (row->words)
			good = result < 0 && strncmp(err.message, place, strlen(place)) == 0 &&
			       strstr(err.message, row->words);
		if (!ok(good, "row %zu: %s", i, row->words ? row->words : "it is read"))
			printf("# %s\n", result < 0 ? err.message : "it was read");
		policy_done(&p);
	}
}

/* BEFORE, then COUNT times PIECE, in which %zu is its number, then AFTER. */
static char *repeat(const char *before, const char *piece, size_t count, const char *after)
{
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		abort();
	fputs(before, to);
	for (size_t i = 0; i < count; i++) {
		const char *hole = strchr(piece, '%');
		fprintf(to, "%.*s", hole ? (int)(hole - piece) : (int)strlen(piece), piece);
		if (hole)
			fprintf(to, "%zu%s", i, hole + 1);
	}
	fputs(after, to);
	if (fclose(to) != 0)
		abort();
	return text;
}

static void at_most(const char *what, char *text, bool fits)
{
	struct policy p;
	struct err err;
	int result = parse(text, strlen(text), &p, &err);

	if (!ok(fits ? result == 0 : result < 0 && err.code == ERR_LIMIT, "%s: %s", what,
		fits ? "the maximum is read" : "one more is refused"))
		printf("# %.200s\n", result < 0 ? err.message : "it was read");
	policy_done(&p);
	free(text);
}

static void test_maxima(void)
{
	static const char grant[] = "- {directory: /d%}\n";
	static const char write[] = V "grants:\n- {directory: /a, write: [";

	for (int more = 0; more < 2; more++) {
		size_t n = (size_t)more;
		at_most("bytes", repeat(V "#", "x", POLICY_BYTES_MAX - strlen(V "#") + n, ""), !n);
		at_most("rules", repeat(V "rules:\n", "  r%: asks\n", POLICY_RULES_MAX + n, ""),
			!n);
		at_most("a rule's id", repeat(V "rules: {", "x", POLICY_ID_MAX + n, ": asks}\n"),
			!n);
		at_most("grants", repeat(V "grants:\n", grant, POLICY_GRANTS_MAX + n, ""), !n);
		at_most("paths of a grant", repeat(write, "p%,", POLICY_LIST_MAX + n, "]}\n"), !n);
		at_most("a path", repeat(write, "x", POLICY_TEXT_MAX + n, "]}\n"), !n);
		at_most("hosts",
			repeat(V "net: {allow: [", "h%.example:443,", POLICY_NET_MAX + n, "]}\n"),
			!n);
	}
}

/* The hash of a policy that must be read. */
static void hash(const char *text, uint8_t ret[POLICY_SHA256])
{
	struct policy p;
	struct err err;

	if (parse(text, strlen(text), &p, &err) < 0) {
		printf("# %s\n", err.message);
		abort();
	}
	memcpy(ret, p.sha256, POLICY_SHA256);
	policy_done(&p);
}

#define USE "'B=GET:b.example:444/v1'"
static const char whole[] = V
	"profile: balanced\nconfirmation: {write: yes, net: yes, secret: no}\nclean: {write: ask, "
	"net: listed, secret: deny}\n"
	"exposed: {write: ask, net: ask, secret: deny, tier: no-cgroup, limits: {time: 5s}}\n"
	"net: {allow: [a.example:443, b.example:80], deny: [c.example], trusted: [d.example:1]}\n"
	"secrets: [{name: A, host: 'a.example:443', command: tell}, "
	"{name: B, host: 'b.example:444', env: Y, header: X-Key, methods: [GET, PUT], path: /v1}]\n"
	"grants:\n- {directory: /one, write: [src, doc], net: ['e.example:443'], secret: [" USE
	"]}\n"
	"rules: {R-1: shown}\napproval: {wait: 5m, ttl: 10m, approvers: 1}\n";

/* The same in other words and another order, with what decides nothing. */
static const char same[] =
	"# a comment\n"
	"rules:\n  R-1: 'shown'\n"
	"net: {trusted: [D.example:1], deny: ['C.example:*'], allow: [b.example:80, "
	"a.example:443]}\n"
	"secrets:\n- {command: tell, header: Authorization, host: 'A.example:443', name: A}\n"
	"- {env: Y, header: X-Key, path: /v1, methods: [GET, PUT], name: B, host: "
	"'b.example:444'}\n"
	"grants: [{net: ['E.example:443'], secret: ['B=GET:B.example:444/v1'], write: [src, doc], "
	"directory: /one}]\n"
	"exposed: {limits: {time: 5000ms}}\nclean: {secret: deny, write: ask}\n"
	"approval: {wait: 300s}\n" V;

static const struct {
	const char *from, *to;
} changes[] = {
	{"balanced", "strict"},
	{"write: yes, net: yes", "write: no, net: yes"},
	{"net: yes, secret: no", "net: no, secret: no"},
	{"secret: no", "secret: yes"},
	{"clean: {write: ask", "clean: {write: allow"},
	{"net: listed", "net: ask"},
	{"secret: deny}\nexposed", "secret: ask}\nexposed"},
	{"exposed: {write: ask", "exposed: {write: deny"},
	{"net: ask", "net: deny"},
	{"no-cgroup", "full"},
	{"time: 5s", "time: 6s"},
	{"a.example:443", "a.example:444"},
	{"deny: [c.example]", "deny: []"},
	{"trusted: [d.example:1]", "trusted: []"},
	{"trusted: [d.example:1]", "trusted: [d.example:1], sni: true"},
	{"name: A", "name: C"},
	{"'a.example:443'", "'a.example:1'"},
	{"command: tell", "file: tell"},
	{"env: Y", "env: Z"},
	{"X-Key", "X-Keys"},
	/* One secret whose command reads like two of them. */
	{"tell}, {name: B, host: 'b.example:444', env: Y, header: X-Key, methods: [GET, PUT], "
	 "path: /v1}",
	 "\"tell\\nsecret B b.example 444 X-Key GET,PUT /v1 env 1 Y\"}"},
	{"[GET, PUT]", "[GET]"},
	{", methods: [GET, PUT]", ""},
	{"path: /v1}", "path: /v2}"},
	{", path: /v1}", "}"},
	{"/one", "/two"},
	{"src, doc", "src"},
	{"'e.example:443'", "'f.example:443'"},
	{"secret: [" USE "]", "secret: []"},
	{"'B=GET", "'B=PUT"},
	{":444/v1'", ":444/v2'"},
	/* A path that reads like two of them. */
	{"src, doc", "\"src\\ngives 0 3 doc\""},
	/* A host, and the same as a path to write. */
	{"write: [src, doc], net: ['e.example:443']", "write: [src, doc, 'e.example:443']"},
	{"R-1: shown", "R-1: asks"},
	{"R-1: shown", "R-2: shown"},
	{"wait: 5m", "wait: 6m"},
	{"ttl: 10m", "ttl: 11m"},
	{"approvers: 1", "approvers: 2"},
};

static void test_hash(void)
{
	uint8_t one[POLICY_SHA256], two[POLICY_SHA256];
	struct policy p;
	struct err err;

	hash(whole, one);
	hash(same, two);
	ok(memcmp(one, two, sizeof(one)) == 0, "what means the same has the same hash");
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		const char *at = strstr(whole, changes[i].from);
		char text[sizeof(whole) + 128];
		if (!at)
			abort();
		snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - whole), whole, changes[i].to,
			 at + strlen(changes[i].from));
		hash(text, two);
		ok(memcmp(one, two, sizeof(one)) != 0, "%s and %s differ", changes[i].from,
		   changes[i].to);
	}
	hash(V, one);
	ok(policy_init(&p, POLICY_BALANCED, &err) == 0 && memcmp(one, p.sha256, sizeof(one)) == 0,
	   "a policy that says nothing is the built-in one");
	policy_done(&p);
}

/* Read again from its own words: the canonical form of the built-in profiles does not move unseen. */
static void test_canonical(void)
{
	for (unsigned i = 0; i < POLICY_PROFILES; i++) {
		struct policy p;
		struct err err;
		size_t len = 0;
		if (policy_init(&p, (enum policy_profile)i, &err) < 0)
			abort();
		AUTO_FREE char *one = policy_canonical(&p, &len);
		AUTO_FREE char *two = policy_canonical(&p, &len);
		ok(one && two && strcmp(one, two) == 0 && len == strlen(one) &&
			   strncmp(one, "cordon policy 2\nprofile ", 24) == 0 &&
			   strstr(one, "cell exposed secret "),
		   "%s has a canonical form with every cell", policy_profile_name(i));
		policy_done(&p);
	}
}

static void test_values(void)
{
	struct policy p;
	struct err err;
	uint8_t ignored[POLICY_SHA256];

	hash(whole, ignored);
	if (parse(whole, strlen(whole), &p, &err) < 0)
		abort();
	ok(p.row[STATE_CLEAN].cell[CAP_WRITE] == CELL_ASK &&
		   p.row[STATE_CLEAN].cell[CAP_NET] == CELL_LISTED &&
		   p.row[STATE_EXPOSED].cell[CAP_SECRET] == CELL_DENY && p.tier == TIER_NO_CGROUP &&
		   p.limit[LIMIT_TIME] == 5000,
	   "cells, tier and limits are where they belong");
	ok(p.allow.count == 2 && p.deny.count == 1 && p.trusted.count == 1, "so are hosts");
	ok(p.secretc == 2 && strcmp(p.secret[0].header, "Authorization") == 0 &&
		   p.secret[1].port == 444 && strcmp(p.secret[1].env, "Y") == 0 &&
		   strcmp(p.secret[0].methods, "") == 0 && strcmp(p.secret[0].prefix, "/") == 0 &&
		   strcmp(p.secret[1].methods, "GET,PUT") == 0 &&
		   strcmp(p.secret[1].prefix, "/v1") == 0,
	   "and secrets");
	ok(p.grantc == 1 && strcmp(p.grant[0].directory, "/one") == 0 &&
		   p.grant[0].write.count == 2 && strcmp(p.grant[0].write.text[1], "doc") == 0 &&
		   p.grant[0].net.count == 1 && p.grant[0].secret.count == 1,
	   "and grants");
	ok(policy_grade_of(&p, "R-1", GRADE_DENIES) == GRADE_SHOWN &&
		   policy_grade_of(&p, "R-2", GRADE_DENIES) == GRADE_DENIES,
	   "a rule has the grade that the policy says, else its own");
	ok(p.approval.wait_ms == 300000 && p.approval.ttl_ms == 600000 && p.approval.approvers == 1,
	   "and approvals");
	policy_done(&p);
}

/* What a request of exposed code is left with. */
static void test_confine(void)
{
	static const char text[] = V "exposed: {tier: no-cgroup, limits: {time: 5s, pids: 8}}\n";
	struct request r = {.tier = TIER_NO_CGROUP,
			    .limit = {[LIMIT_TIME] = 9000, [LIMIT_PIDS] = 4}};
	struct policy p;
	struct err err;

	if (parse(text, strlen(text), &p, &err) < 0)
		abort();
	ok(policy_confine(&p, &r, &err) == 0 && r.limit[LIMIT_TIME] == 5000 &&
		   r.limit[LIMIT_PIDS] == 4 && !r.limit[LIMIT_MEMORY],
	   "exposed code gets at most the policy's limits");
	r.tier = TIER_NO_USERNS;
	ok(policy_confine(&p, &r, &err) < 0 && err.code == ERR_REFUSED, "and no weaker box");
	ok(policy_caps_of(&(struct request){0}) == 0 &&
		   policy_caps_of(&(struct request){.netc = 1, .secretc = 1}) ==
			   (CAP_BIT(CAP_NET) | CAP_BIT(CAP_SECRET)) &&
		   policy_caps_of(&(struct request){.workspace = "/a"}) == 0 &&
		   policy_caps_of(&(struct request){.workspace = "/a", .apply = true}) ==
			   CAP_BIT(CAP_WRITE) &&
		   policy_caps_of(
			   &(struct request){.workspace = "/a", .workspace_mode = WORKSPACE_RW}) ==
			   CAP_BIT(CAP_WRITE) &&
		   policy_caps_of(&(struct request){
			   .rw = {"/a", "/b"}, .rwc = 2, .rw_withheld = 1}) == CAP_BIT(CAP_WRITE) &&
		   policy_caps_of(&(struct request){.rw = {"/a"}, .rwc = 1, .rw_withheld = 1}) == 0,
	   "a request wants the effects that its words name");
	policy_done(&p);
}

static void test_file(void)
{
	char name[] = "/tmp/test-policy.XXXXXX";
	int fd = mkstemp(name);
	struct policy p;
	struct err err;

	if (fd < 0 || write(fd, V "profile: observe\n", 28) != 28)
		abort();
	close(fd);
	ok(policy_load(&p, name, &err) == 0 && p.profile == POLICY_OBSERVE &&
		   p.tier == TIER_NO_USERNS && strcmp(p.file, name) == 0,
	   "a file is read");
	policy_done(&p);
	unlink(name);
	ok(policy_load(&p, name, &err) < 0 && strstr(err.message, "No such file"),
	   "a file that is not there is told");
	policy_done(&p);
	ok(policy_load(&p, "/tmp", &err) < 0 && strstr(err.message, "directory"),
	   "a directory is told");
	policy_done(&p);
}

static void test_keys(void)
{
	bool good = true;
	unsigned i = 0;

	for (; policy_key_at(i); i++)
		good = good && *policy_key_at(i)->name && strlen(policy_key_at(i)->help) > 5 &&
		       *policy_key_at(i)->takes;
	ok(good && i > 30, "every key says what it takes and what it is for");
}

int main(void)
{
	test_rows();
	test_maxima();
	test_hash();
	test_canonical();
	test_values();
	test_confine();
	test_file();
	test_keys();
	return tap_done();
}
