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

#define V "version: 1\n"

struct row {
	const char *text, *words; /* WORDS NULL: it is read */
	unsigned line;
};

static const struct row rows[] = {
	{V, NULL, 0},
	{V "profile: strict\n", NULL, 0},
	{V "profile: balanced\norigins: {undeclared: derived}\n", NULL, 0},
	{V "net: {allow: ['*.example.org:443', 192.0.2.0/24:80], deny: [example.com]}\n", NULL, 0},
	{V "contained: {tier: full, limits: {time: 5s, memory: 64M, pids: 8}}\n", NULL, 0},
	{V "approval: {scope: hash, ttl: 24h, approvers: 9}\n", NULL, 0},
	{V "single_user: true\n", NULL, 0},
	{V "single_user: perhaps\n", "single_user: true or false", 2},
	{V "rules: []\n", NULL, 0},
	{V "rules:\n- {id: a, when: {}, then: ask}\n", NULL, 0},
	{"{\"version\": 1, \"rules\": [{\"id\": \"a\", \"when\": {}, \"then\": \"deny\"}]}", NULL,
	 0},
	/* the whole */
	{"", "nothing in it", 1},
	{"[]", "a policy is a map, not a list", 1},
	{"profile: strict\n", "policy: version is missing", 1},
	{"version: 2\n", "version: only 1 is known", 1},
	{"version: '1'\n", "version: only 1 is known", 1},
	{V "profil: strict\n",
	 "there is no key \"profil\" in a policy (there are: version, profile", 2},
	{V "profile: strict\nprofile: strict\n", "\"profile\" is there twice, first on line 2", 3},
	{V "profile: lax\n", "profile: there is no \"lax\" (strict, balanced or observe)", 2},
	{V "profile: 1\n", "profile takes a word, not a number", 2},
	{V "profile: [strict]\n", "profile takes a word, not a list", 2},
	{V "profile: &x strict\n", "&x: an anchor is not taken here", 2},
	{V "net: {allow: [*x]}\n",
	 "*x: an alias is not taken here; a word that begins so goes in quotes", 2},
	{V "net:\n  <<: {allow: []}\n", "<<: a merge is not taken here", 3},
	{V "profile: !!str strict\n", "a tag is not taken here", 2},
	{V "profile: ! strict\n", "a tag is not taken here", 2},
	{V "rules: !!seq []\n", "a tag is not taken here", 2},
	{V "---\n" V, "a second document", 2},
	{V "rules:\n", "rules takes a list of maps", 2},
	{V "origins: {undeclared: agent}\n", "code that nobody vouches for cannot be agent", 2},
	{V "origins: {undeclared: plan}\n", "cannot be plan", 2},
	{V "origins: {agent: user}\n", "there is no key \"agent\" in origins", 2},
	{V "origins: 1\n", "origins is a map, not a number", 2},
	/* limits and approvals */
	{V "contained: {tier: none}\n", "tier: there is no \"none\" (full, no-cgroup or no-userns)",
	 2},
	{V "contained: {limits: {time: 0}}\n", "time: \"0\" is no value (write it like 30s", 2},
	{V "contained: {limits: {memory: 5s}}\n", "memory: \"5s\" is no value", 2},
	{V "contained: {limits: {speed: 5s}}\n", "there is no limit \"speed\"", 2},
	{V "contained: {limits: [5s]}\n", "limits takes a map of limits", 2},
	{V "contained: {limits: {time: [5s]}}\n", "limits takes a map of limits, not a list", 2},
	{V "approval: {ttl: 25h}\n", "ttl: \"25h\" is not between 1s and 24h", 2},
	{V "approval: {wait: 25h}\n", "wait: \"25h\" is not between 1s and 24h", 2},
	{V "approval: {ttl: 999ms}\n", "is not between 1s and 24h", 2},
	{V "approval: {ttl: true}\n", "ttl takes a duration, not a truth value", 2},
	{V "approval: {approvers: 0}\n", "approvers: a number from 1 to 9", 2},
	{V "approval: {approvers: 10}\n", "approvers: a number from 1 to 9", 2},
	{V "approval: {approvers: two}\n", "approvers: a number from 1 to 9", 2},
	{V "approval: {scope: always}\n", "there is no \"always\" (once, domain or hash)", 2},
	/* rules */
	{V "rules:\n- id: a\n  when: {}\n", "rule: then is missing", 3},
	{V "rules:\n- then: ask\n  when: {}\n", "rule: id is missing", 3},
	{V "rules:\n- {id: a, then: ask}\n", "rule: when is missing", 3},
	{V "rules:\n- ask\n", "rule is a map, not a string", 3},
	{V "rules:\n- {id: a, when: {}, then: approve}\n",
	 "then: there is no \"approve\" (deny, ask-two, ask, allow-contained or allow)", 3},
	{V "rules:\n- {id: A b, when: {}, then: ask}\n", "has more than a-z, 0-9 and -", 3},
	{V "rules:\n- {id: -a, when: {}, then: ask}\n", "has more than a-z, 0-9 and -", 3},
	{V "rules:\n- {id: '', when: {}, then: ask}\n", "id: it is empty", 3},
	{V "rules:\n- {id: \"a\\0b\", when: {}, then: ask}\n", "id: it holds a NUL", 3},
	{V "rules:\n- {id: a, when: {}, then: ask}\n- {id: b, when: {}, then: ask}\n"
	   "- {id: a, when: {}, then: deny}\n",
	 "rule a is there twice, first on line 3", 5},
	{V "rules:\n- id: a\n  when:\n    origin: [agent, spy]\n  then: ask\n",
	 "origin: there is no \"spy\"", 5},
	{V "rules:\n- {id: a, when: {origin: []}, then: ask}\n", "origin: an empty list", 3},
	{V "rules:\n- {id: a, when: {caps: [net, net]}, then: ask}\n", "caps: net is there twice",
	 3},
	{V "rules:\n- {id: a, when: {caps: {net: 1}}, then: ask}\n", "caps takes words, not a map",
	 3},
	{V "rules:\n- {id: a, when: {lang: cobol}, then: ask}\n", "lang: there is no \"cobol\"", 3},
	{V "rules:\n- {id: a, when: {colour: red}, then: ask}\n",
	 "there is no key \"colour\" in when (there are: origin, caps, caps_any", 3},
	{V "rules:\n- id: a\n  when: {}\n  then: ask\n  match:\n  - {origin: agent}\n  - {caps: "
	   "net}\n",
	 "example: origin is missing", 8},
	{V "rules:\n- {id: a, when: {}, then: ask, match: {origin: agent}}\n",
	 "match takes a list of maps", 3},
	/* what no rule can give */
	{V "rules:\n- {id: a, when: {origin: [hostile, agent]}, then: ask-two}\n",
	 "rule a: hostile code is denied in every profile, and no rule can change that", 3},
	{V "rules:\n- {id: a, when: {grade: [asks, denies]}, then: ask}\n",
	 "findings of the grade denies make code hostile, and no rule can change that", 3},
	{V "rules:\n- {id: a, when: {origin: hostile, grade: denies}, then: deny}\n", NULL, 0},
	{V "rules:\n- {id: a, when: {origin: derived, caps: net}, then: allow}\n",
	 "rule a: profile balanced gives net to derived code no further than ask, and no rule", 3},
	{V "rules:\n- {id: a, when: {origin: derived, caps: net}, then: ask}\nprofile: strict\n",
	 "rule a: profile strict gives net to derived code no further than ask-two", 3},
	{V "rules:\n- {id: a, when: {origin: agent, caps: compute, grade: asks}, then: allow}\n",
	 "gives compute to agent code no further than allow-contained", 3},
	/* the network */
	{V "net: {allow: [example.org]}\n", "which port? Write example.org:443", 2},
	{V "net: {allow: example.org:443}\n", "allow takes a list of HOST:PORT", 2},
	{V "net:\n  allow:\n  - a.example:443\n  - b.example:0\n", "\"0\" is no port", 5},
	{V "net: {allow: [A.example:443, a.EXAMPLE:443]}\n", "an entry is there twice", 2},
	{V "secrets:\n- {name: A, host: 'a.example:443', env: X}\n"
	   "- {name: B, host: 'b.example:443', file: /x}\n",
	 NULL, 0},
	{V "secrets:\n- {name: A, host: 'a.example:443', env: X}\n"
	   "- {name: A, host: 'b.example:443', env: Y}\n",
	 "there are two secrets A", 4},
	{V "secrets:\n- {name: A, host: 'a.example:443', env: X}\n"
	   "- {name: B, host: 'A.example:8443', env: X}\n",
	 "there are two secrets for a.example", 4},
	{V "secrets:\n- {name: A, host: 'a.example:443', env: X, file: /x}\n",
	 "a secret comes from one of env, file and command", 3},
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
	static const char rule[] = "- {id: r%, when: {}, then: ask}\n";
	static const char id[] = V "rules:\n- {when: {}, then: ask, id: ";
	static const char why[] = V "rules:\n- {id: a, when: {}, then: ask, why: ";
	static const char match[] = V "rules:\n- {id: a, when: {}, then: ask, match: [";

	for (int more = 0; more < 2; more++) {
		size_t n = (size_t)more;
		at_most("bytes", repeat(V "#", "x", POLICY_BYTES_MAX - strlen(V "#") + n, ""), !n);
		at_most("rules", repeat(V "rules:\n", rule, POLICY_RULES_MAX + n, ""), !n);
		at_most("an id", repeat(id, "x", POLICY_ID_MAX + n, "}\n"), !n);
		at_most("a why", repeat(why, "x", POLICY_WHY_MAX + n, "}\n"), !n);
		at_most("examples",
			repeat(match, "{origin: agent},", POLICY_EXAMPLES_MAX + n, "]}\n"), !n);
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

static const char whole[] =
	V "profile: balanced\nsingle_user: false\norigins: {undeclared: exposed}\n"
	  "net: {allow: [a.example:443, b.example:80], deny: [c.example]}\n"
	  "secrets: [{name: A, host: 'a.example:443', command: tell}, "
	  "{name: B, host: 'b.example:444', env: Y, header: X-Key}]\n"
	  "contained: {tier: no-cgroup, limits: {time: 5s}}\n"
	  "approval: {scope: once, ttl: 10m, approvers: 1}\nrules:\n"
	  "- {id: x, when: {origin: [agent, user], caps: net}, then: ask, approval: {ttl: 5m}}\n"
	  "- {id: y, when: {grade: shown, lang: bash, source: web, caps_any: [read, net]}, then: "
	  "ask}\n";

/* The same in other words and another order, with what decides nothing. */
static const char same[] =
	"# a comment\n"
	"rules:\n"
	"- id: y\n  why: because\n  then: ask\n"
	"  when: {caps_any: [net, read], source: [web], lang: [bash], grade: [shown]}\n"
	"  match: [{origin: agent, caps: read, grade: shown, lang: bash, source: web}]\n"
	"- {approval: {ttl: 300s}, id: x, then: ask, when: {caps: [net], origin: [user, agent]}}\n"
	"net: {deny: ['C.example:*'], allow: [b.example:80, a.example:443]}\n"
	"secrets:\n- {command: tell, header: Authorization, host: 'A.example:443', name: A}\n"
	"- {env: Y, header: X-Key, name: B, host: 'b.example:444'}\n"
	"contained: {limits: {time: 5000ms}}\n" V;

static const struct {
	const char *from, *to;
} changes[] = {
	{"balanced", "observe"},
	{"single_user: false", "single_user: true"},
	{"exposed", "derived"},
	{"a.example:443", "a.example:444"},
	{"deny: [c.example]", "deny: []"},
	{"deny: [c.example]", "deny: [c.example], sni: true"},
	{"name: A", "name: C"},
	{"'a.example:443'", "'a.example:1'"},
	{"command: tell", "file: tell"},
	{"env: Y", "env: Z"},
	{"X-Key", "X-Keys"},
	/* One secret whose command reads like two of them. */
	{"tell}, {name: B, host: 'b.example:444', env: Y, header: X-Key}",
	 "\"tell\\nsecret B b.example 444 X-Key env Y\"}"},
	{"no-cgroup", "full"},
	{"time: 5s", "time: 6s"},
	{"once", "hash"},
	{"10m", "11m"},
	{"approvers: 1", "approvers: 2"},
	{"id: x", "id: z"},
	{"[agent, user]", "[agent]"},
	{"then: ask, app", "then: deny, app"},
	{"ttl: 5m", "ttl: 6m"},
	{"ttl: 5m", "wait: 5m"},
	{"grade: shown", "grade: asks"},
	{"bash", "python"},
	{"web", "file"},
	{"caps: net", "caps_any: net"},
	{"[read, net]", "[net]"},
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
		char text[sizeof(whole) + 64];
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

static void count(void *context, const struct policy_report *r)
{
	char *all = context;
	size_t len = strlen(all);

	snprintf(all + len, 512 - len, "%s:%u: %s\n", r->rule->id, r->line, r->words);
}

static void test_check(void)
{
	static const char text[] =
		V "rules:\n"
		  "- id: good\n  when: {origin: agent, caps: net}\n  then: ask\n"
		  "  match: [{origin: agent, caps: net, verdict: ask}]\n"
		  "  not_match: [{origin: agent}, {origin: user, caps: net, verdict: allow}]\n"
		  "- id: bad\n  when: {origin: agent, caps: write}\n  then: ask\n"
		  "  match:\n  - {origin: user, caps: write}\n"
		  "  - {origin: agent, caps: write, verdict: allow}\n"
		  "  not_match:\n  - {origin: agent, caps: write}\n"
		  "- {id: none, when: {caps: host}, then: deny}\n";
	char said[512] = "";
	struct policy p;
	struct err err;

	if (parse(text, strlen(text), &p, &err) < 0)
		abort();
	ok(policy_check(&p, count, said) == 4, "four examples do not hold");
	if (!ok(strcmp(said, "bad:12: the rule is not for this match example\n"
			     "bad:13: the verdict is ask, not allow, by rule/bad\n"
			     "bad:15: the rule is for this not_match example\n"
			     "none:16: it has no match example\n") == 0,
		"each is told with its line"))
		printf("# %s\n", said);
	ok(policy_check(&p, NULL, NULL) == 4, "they can be counted in silence");
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
		   p.contained.tier == TIER_NO_USERNS && strcmp(p.file, name) == 0,
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
	test_check();
	test_file();
	test_keys();
	return tap_done();
}
