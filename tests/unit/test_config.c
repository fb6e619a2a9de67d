/* SPDX-License-Identifier: MIT
 *
 * The configuration's loader: what is read, what is refused with which words on which line, every key with
 * every wrong type, the accounts that may change a file, which place wins, and what is enforced.
 */
#include "conf/config.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/root_file.h"
#include "base/scope.h"
#include "conf/config_private.h"
#include "scratch.h"
#include "tap.h"

#define V "version: 1\n"
#define E V "enforced:\n"

static const struct row {
	bool is_operator;
	const char *text, *words; /* WORDS NULL: it is read */
	unsigned line;
	const char *cure;
} rows[] = {
	{false, V, NULL, 0, NULL},
	{false, V "tier: no-userns\npolicy: /a/p.yaml\nstate: /s\nrules: [/r, /q]\n", NULL, 0,
	 NULL},
	{false, V "limits: {time: 5s, memory: 64M, pids: 8, cpu: 150%, cpu-time: 2}\n", NULL, 0,
	 NULL},
	{false, V "notify: {command: [notify-send, Cordon]}\nlog: {keep: 90d}\n", NULL, 0, NULL},
	{false, V "heads: {url: 'https://a.example/x', secret_file: /s}\n", NULL, 0, NULL},
	{true, V "tier: no-cgroup\nenforced: {tier: no-userns, limits: {time: 5s}}\n", NULL, 0,
	 NULL},
	{true, E "  policy: /etc/passwd\n  rules: [/etc]\n  state: /s\n  log: {keep: 1h}\n", NULL,
	 0, NULL},
	{false, "{\"version\": 1, \"tier\": \"full\"}", NULL, 0, NULL},
	/* the whole */
	{false, "", "the document is empty", 1, NULL},
	{false, "# nothing\n", "the document is empty", 2, NULL},
	{false, "[]", "a configuration is a map, not a list", 1, NULL},
	{false, "tier: full\n", "version is missing", 1, "version: 1"},
	{false, "version: 2\n", "version: only 1 is known", 1, NULL},
	{false, "version: '1'\n", "version: only 1 is known", 1, NULL},
	{false, V "tier: full\n---\n" V, "a second document", 3, NULL},
	{false, V "tier: full\ntier: no-cgroup\n", "\"tier\" is a duplicate of line 2", 3, NULL},
	{false, V "limits:\n  time: 5s\n  time: 6s\n", "\"time\" is a duplicate", 4, NULL},
	{false, V "tier: &x full\n", "&x: an anchor is not allowed here", 2, NULL},
	{false, V "<<: {tier: full}\n", "a merge is not allowed here", 2, NULL},
	{false, V "tier: !!str full\n", "a tag is not allowed here", 2, NULL},
	{false, V "tier: [full\n", "not YAML", 3, NULL},
	{false, V "limits: {time: 5s,\n", "not YAML", 3, NULL},
	{false, V "tier: f\xffll\n", "it holds", 2, NULL},
	{false, V "tier: \xc3", "it holds", 2, NULL},
	{false, V "policy: \"/a\\0b\"\n", "policy holds a NUL", 2, NULL},
	{false, V "\"tier\\0\": full\n", "there is no key", 2, NULL},
	{false, V "limits: {\"time\\0x\": 5s}\n", "there is no key", 2, NULL},
	/* keys that are like others */
	{false, V "teir: full\n", "there is no key \"teir\"", 2, "did you mean \"tier\"?"},
	{false, V "Policy: /a\n", "there is no key \"Policy\"", 2, "did you mean \"policy\"?"},
	{false, V "limit: {time: 5s}\n", "there is no key \"limit\"", 2,
	 "did you mean \"limits\"?"},
	{false, V "limits: {cpu_time: 5s}\n", "there is no key \"limits.cpu_time\"", 2,
	 "did you mean \"limits.cpu-time\"?"},
	{false, V "notify: {comand: [x]}\n", "there is no key \"notify.comand\"", 2,
	 "did you mean \"notify.command\"?"},
	{false, V "log: {kep: 1d}\n", "there is no key \"log.kep\"", 2,
	 "did you mean \"log.keep\"?"},
	{false, V "log.keep: 1d\n", "there is no key \"log.keep\"", 2, NULL},
	{false, V "zzzzzz: 1\n", "there is no key \"zzzzzz\"", 2, "lists the keys"},
	{true, V "enforce: {tier: full}\n", "there is no key \"enforce\"", 2,
	 "did you mean \"enforced\"?"},
	{true, E "  teir: full\n", "there is no key \"teir\"", 3, "did you mean \"tier\"?"},
	{true, E "  enforced: {tier: full}\n", "there is no key \"enforced\"", 3, NULL},
	{true, E "  version: 1\n", "there is no key \"version\"", 3, NULL},
	{false, E "  tier: full\n", "enforced can only be in /etc/cordon/config.yaml", 2, NULL},
	{false, "enforced: {}\n", "enforced can only be in", 1, NULL},
	/* values */
	{false, V "tier: ful\n", "tier: there is no \"ful\" (full, no-cgroup or no-userns)", 2,
	 NULL},
	{false, V "policy: policy.yaml\n", "\"policy.yaml\" is not an absolute path", 2,
	 "from the root"},
	{false, V "state: ~/x\n", "\"~/x\" is not an absolute path", 2, NULL},
	{false, V "state: /a/../b\n", "is not an absolute path", 2, NULL},
	{false, V "rules: [/a, b]\n", "rules: \"b\" is not an absolute path", 2, NULL},
	{false, V "rules: []\n", "rules: 1 to 256 directories", 2, NULL},
	{false, V "limits: {time: 5x}\n", "limits.time: \"5x\" is not a value", 2, NULL},
	{false, V "limits: {time: 0s}\n", "limits.time: 0s is out of range", 2, NULL},
	{false, V "limits: {pids: -1}\n", "limits.pids takes", 2, NULL},
	{false, V "log: {keep: 999ms}\n", "log.keep: \"999ms\" is not a duration of at least 1s", 2,
	 NULL},
	{false, V "notify: {}\ntier: ful\n", "tier: there is no", 3, NULL},
	{false, V "notify: {command: []}\n", "notify.command: 1 to 32 words", 2, NULL},
	{false, V "notify: {url: 'ftp://a'}\n", "is not a URL like https://", 2, NULL},
	{false, V "notify: {url: 'https://a b'}\n", "is not a URL like https://", 2, NULL},
	{false, V "notify: {url: 'https://a'}\n", "notify must be a command, or a url with", 2,
	 NULL},
	{false, V "heads: {secret_file: /s}\n", "heads must be a command, or a url with", 2, NULL},
	{false, V "heads: {command: [x], secret_file: /s}\n", "heads must be a command, or a url",
	 2, NULL},
	/* what is enforced belongs to root alone */
	{true, E "  notify: {command: [notify-send]}\n", "is not an absolute path", 3, NULL},
	{true, E "  policy: /nowhere/policy.yaml\n", "No such file", 3, NULL},
	{true, E "  rules: [/tmp]\n", "users other than root can change it", 3, "chmod go-w"},
	{true, E "  rules: [/proc/self/cwd]\n", "is a link", 3, NULL},
};

static int parse(struct config *c, bool is_operator, const char *text, size_t len, struct err *err)
{
	*err = (struct err){0};
	return config_parse(c, "file", text, len, is_operator, err);
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *row = &rows[i];
		struct config c;
		struct err err;
		char place[32];
		int result = parse(&c, row->is_operator, row->text, strlen(row->text), &err);
		bool good = result == 0;

		snprintf(place, sizeof(place), "file:%u: ", row->line);
		if (row->words)
			good = result < 0 && strncmp(err.message, place, strlen(place)) == 0 &&
			       strstr(err.message, row->words) &&
			       (!row->cure || strstr(err.cure, row->cure));
		if (!ok(good, "row %zu: %s", i, row->words ? row->words : "it is read"))
			printf("# %s; %s\n", result < 0 ? err.message : "it was read", err.cure);
		config_done(&c);
	}
}

/* "a.b" with VALUE: a: {b: VALUE}. */
static char *document(const char *name, const char *value)
{
	const char *dot = strchr(name, '.');
	char *text = NULL;
	int len =
		dot ? asprintf(&text, V "%.*s: {%s: %s}\n", (int)(dot - name), name, dot + 1, value)
		    : asprintf(&text, V "%s: %s\n", name, value);

	if (len < 0)
		abort();
	return text;
}

/* Every key with everything that no key takes. */
static void test_types(void)
{
	static const char *const bad[] = {"null", "true", "1.5", "[]",	   "{}",
					  "''",	  "-1",	  "[1]", "{a: b}", "[[/a]]"};
	struct arena arena = {0};
	struct config_key key;
	unsigned keys = 0;

	for (; config_key_at(keys, &arena, &key); keys++)
		for (size_t i = 0; i < ARRAY_SIZE(bad) && strcmp(key.name, "version") != 0; i++) {
			AUTO_FREE char *text = document(key.name, bad[i]);
			struct config c;
			struct err err;
			int result = parse(&c, false, text, strlen(text), &err);
			ok(result < 0 && strncmp(err.message, "file:2: ", 8) == 0 &&
				   strstr(err.message, key.name),
			   "%s takes no %s: %s", key.name, bad[i], err.message);
			config_done(&c);
		}
	ok(keys == 13 + LIMIT_COUNT, "there are %u keys", keys);
	arena_done(&arena);
}

static void test_values(void)
{
	static const char text[] =
		V "tier: no-cgroup\npolicy: /a/p.yaml\nrules: [/r, /q]\n"
		  "limits: {time: 5s, pids: 8}\nlog: {keep: 90d}\nnotify: {command: [a, b]}\n"
		  "heads:\n  secret_file: /s\n  url: https://a.example/x\n";
	struct config c;
	struct err err;

	ok(parse(&c, false, text, sizeof(text) - 1, &err) == 0, "it is read");
	ok(c.now.tier == TIER_NO_CGROUP && c.from[CONFIG_TIER] == CONFIG_USER &&
		   strcmp(c.now.where[CONFIG_TIER], "file:2") == 0,
	   "the tier, and where it stands");
	ok(strcmp(c.now.policy, "/a/p.yaml") == 0 && !c.now.state && !c.now.where[CONFIG_STATE] &&
		   c.from[CONFIG_STATE] == CONFIG_DEFAULT,
	   "the policy; no state");
	ok(c.now.rules.count == 2 && strcmp(c.now.rules.text[1], "/q") == 0, "the rules");
	ok(c.now.limit[LIMIT_TIME] == 5000 && c.now.limit[LIMIT_PIDS] == 8 &&
		   c.now.limit[LIMIT_MEMORY] == limit_row(LIMIT_MEMORY)->fallback,
	   "the limits");
	ok(strcmp(c.now.where[CONFIG_LIMIT + LIMIT_PIDS], "file:5") == 0 &&
		   !c.now.where[CONFIG_LIMIT + LIMIT_MEMORY],
	   "each limit has a place of its own");
	ok(c.now.keep_ms == 90ULL * 86400000, "how long the log is kept");
	ok(c.now.notify.commandc == 2 && strcmp(c.now.notify.command[0], "a") == 0, "notify");
	ok(strcmp(c.now.heads.url, "https://a.example/x") == 0 &&
		   strcmp(c.now.heads.secret_file, "/s") == 0 &&
		   strcmp(c.now.where[CONFIG_HEADS], "file:9") == 0,
	   "heads, by its first key");
	config_done(&c);
}

static void test_size(void)
{
	for (int more = 0; more < 2; more++) {
		size_t len = CONFIG_BYTES_MAX + (size_t)more;
		AUTO_FREE char *text = malloc(len);
		struct config c;
		struct err err;

		memset(text, '#', len);
		memcpy(text, V, strlen(V));
		int result = parse(&c, false, text, len, &err);
		ok(more ? result < 0 && err.code == ERR_LIMIT : result == 0, "%zu bytes", len);
		config_done(&c);
	}
}

/* What an option says where something is enforced. */
static const struct bound {
	const char *enforced;
	enum config_id id;
	struct config_values said;
	bool refused;
} bounds[] = {
	{"tier: no-cgroup", CONFIG_TIER, {.tier = TIER_FULL}, false},
	{"tier: no-cgroup", CONFIG_TIER, {.tier = TIER_NO_CGROUP}, false},
	{"tier: no-cgroup", CONFIG_TIER, {.tier = TIER_NO_USERNS}, true},
	{"tier: full", CONFIG_TIER, {.tier = TIER_NO_CGROUP}, true},
	{"policy: /etc/passwd", CONFIG_POLICY, {.policy = "/etc/passwd"}, false},
	{"policy: /etc/passwd", CONFIG_POLICY, {.policy = "/etc//passwd"}, true},
	{"policy: /etc/passwd", CONFIG_POLICY, {.policy = "/etc/group"}, true},
	{"state: /s", CONFIG_STATE, {.state = "/s"}, false},
	{"state: /s", CONFIG_STATE, {.state = "/t"}, true},
	{"rules: [/etc]", CONFIG_RULES, {.rules = {1, {"/etc"}}}, false},
	{"rules: [/etc]", CONFIG_RULES, {.rules = {2, {"/etc", "/usr"}}}, true},
	{"rules: [/etc]", CONFIG_RULES, {.rules = {1, {"/usr"}}}, true},
	{"limits: {time: 5s}", CONFIG_LIMIT + LIMIT_TIME, {.limit = {[LIMIT_TIME] = 5000}}, false},
	{"limits: {time: 5s}", CONFIG_LIMIT + LIMIT_TIME, {.limit = {[LIMIT_TIME] = 5001}}, true},
	{"limits: {time: 5s}", CONFIG_LIMIT + LIMIT_PIDS, {.limit = {[LIMIT_PIDS] = 999}}, false},
	{"log: {keep: 90d}", CONFIG_LOG_KEEP, {.keep_ms = 90ULL * 86400000}, false},
	{"log: {keep: 90d}", CONFIG_LOG_KEEP, {.keep_ms = 91ULL * 86400000}, true},
	{"log: {keep: 90d}", CONFIG_LOG_KEEP, {.keep_ms = 1ULL * 86400000}, true},
	{"notify: {command: [/etc/group]}", CONFIG_NOTIFY, {.notify = {.url = "x"}}, true},
	{"heads: {command: [/etc/group, a]}",
	 CONFIG_HEADS,
	 {.heads = {.commandc = 1, .command = {"/etc/group"}}},
	 true},
};

static void test_enforced(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++) {
		AUTO_FREE char *text = NULL;
		struct config_values said = bounds[i].said;
		struct config c;
		struct err err;

		if (asprintf(&text, V "enforced: {%s}\n", bounds[i].enforced) < 0)
			abort();
		said.where[bounds[i].id] = "--it";
		if (!ok(parse(&c, true, text, strlen(text), &err) == 0, "%s", bounds[i].enforced))
			printf("# %s\n", err.message);
		int result = config_add_flags(&c, &said, &err);
		ok(bounds[i].refused ? result < 0 && err.code == ERR_REFUSED &&
					       strncmp(err.message, "--it: ", 6) == 0 &&
					       strstr(err.cause, "file:2 enforces") &&
					       strstr(err.cure, "root")
				     : result == 0,
		   "bound %zu: %s", i, result < 0 ? err.cause : "it is taken");
		config_done(&c);
	}
}

/* The operator's own defaults stay within what they enforce, without a message. */
static void test_operator(void)
{
	static const char text[] = V "tier: no-userns\nlimits: {time: 1h, pids: 4}\n"
				     "enforced: {tier: full, limits: {time: 5s, cpu-time: 9s}}\n";
	struct config c;
	struct err err;

	ok(parse(&c, true, text, sizeof(text) - 1, &err) == 0, "it is read");
	ok(c.now.tier == TIER_FULL && c.now.limit[LIMIT_TIME] == 5000 &&
		   c.now.limit[LIMIT_PIDS] == 4,
	   "what is enforced holds");
	ok(c.now.limit[LIMIT_CPU_TIME] == 9000, "also where there is no limit by default");
	ok(strcmp(c.now.where[CONFIG_TIER], "file:4") == 0, "and says where it stands");
	config_done(&c);
}

static int open_user(const char *path, struct err *err)
{
	AUTO_FREE char *data = NULL;
	size_t len;

	*err = (struct err){0};
	int result = config_file_user(path, &data, &len, err);
	return result < 0 ? -1 : data != NULL;
}

static void test_files(void)
{
	const char *dir = scratch_enter();
	struct err err;

	scratch_must(system("umask 022; echo 'version: 1' >good; cp good group; chmod 664 group; "
			    "cp good "
			    "other; chmod 646 other; ln -s good link; mkfifo pipe; mkdir dir; "
			    "head -c 262144 /dev/zero >max; head -c 262145 /dev/zero >more") == 0,
		     "files");
	ok(open_user("good", &err) == 1 && open_user("link", &err) == 1,
	   "a file, and a link to it");
	ok(open_user("none", &err) == 0 && open_user("good/none", &err) == 0, "none");
	ok(open_user("group", &err) == -1 && err.code == ERR_REFUSED && strstr(err.cure, "chmod"),
	   "a group can write: %s", err.message);
	ok(open_user("other", &err) == -1 && err.code == ERR_REFUSED, "others can write");
	ok(open_user("pipe", &err) == -1 && open_user("dir", &err) == -1, "no file");
	ok(open_user("max", &err) == 1 && open_user("more", &err) == -1 && err.code == ERR_LIMIT,
	   "as large as it may be, and larger");
	if (geteuid() == 0)
		ok(chown("good", 12345, 0) == 0 && open_user("good", &err) == -1 &&
			   strstr(err.cause, "12345"),
		   "another account's");
	else
		ok(open_user("/etc/passwd", &err) == 1, "root's");
	scratch_leave(dir);
}

static bool rooted(const char *path, struct err *err)
{
	AUTO_CLOSE int fd = root_file_open(path, O_RDONLY | O_NONBLOCK, err);

	return fd >= 0;
}

static void test_rooted(void)
{
	struct err err;

	ok(rooted("/etc/passwd", &err) && rooted("/etc//passwd", &err) && rooted("/etc", &err),
	   "root's: %s", err.message);
	ok(!rooted("/etc/nothing", &err) && err.code == ERR_INPUT, "none");
	ok(!rooted("/tmp/x", &err) && err.code == ERR_REFUSED && strstr(err.cause, "/tmp"),
	   "where others can write: %s", err.cause);
	ok(!rooted("/proc/self/stat", &err) && strstr(err.message, "link"), "behind a link");
	ok(!rooted("etc/passwd", &err) && !rooted("", &err), "no whole path");
}

int main(void)
{
	test_rows();
	test_types();
	test_values();
	test_size();
	test_enforced();
	test_operator();
	test_files();
	test_rooted();
	return tap_done();
}
