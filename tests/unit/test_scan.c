/* SPDX-License-Identifier: MIT
 *
 * The word "scan" without a command line: rules are started as every door starts them, bytes go in,
 * and a sink is told. What each kind of bytes becomes, what the verdict is when something could not
 * be looked at, and that a caller that wants no messages still gets the verdict.
 */
#include <stdlib.h>

#include "detect/packs.h"
#include "detect/scan.h"
#include "read/view.h"
#include "scratch.h"
#include "tap.h"

#define HEAD(id, severity)                                                                         \
	"id: ATR-2026-9000" id "\ntitle: T\nseverity: " severity "\nmaturity: stable\n"            \
	"status: stable\ntags: {scan_target: both, confidence: high}\n"                            \
	"agent_source: {type: llm_io}\ndetection:\n  condition: any\n  conditions:\n"
#define MATCH(value) "    - {field: content, operator: regex, value: '" value "'}\n"

enum { SAID = 1024 };

/* What a sink was told, in a word each. */
struct told {
	char findings[SAID], errors[SAID], notes[SAID];
	size_t effects;
};

static void add(char *to, const char *word)
{
	size_t len = strlen(to);

	snprintf(to + len, SAID - len, "%s ", word);
}

static void on_finding(void *context, const struct scan_finding *f)
{
	const char *id = f->finding->rule->id;
	char word[128];

	snprintf(word, sizeof(word), "%s@%s:%zu", id + strlen(id) - 1,
		 scan_kind_name(f->unit->file->kind), f->line);
	add(((struct told *)context)->findings, word);
}

static void on_error(void *context, const char *name, const struct err *err)
{
	(void)name;
	add(((struct told *)context)->errors, err->message);
}

static void on_note(void *context, const char *name, size_t line, const char *words)
{
	(void)name, (void)line;
	add(((struct told *)context)->notes, words);
}

static void on_effects(void *context, const struct scan_file *file, const struct code_view *view)
{
	(void)file;
	((struct told *)context)->effects += view->effectc;
}

static struct packs rules;

static int open_rules(struct packs *set, const char *dir, const char *cache, struct err *err)
{
	struct packs_options options = {.directory = &dir, .directories = 1};
	struct engine_options engine = {0};

	options.places.cache = cache;
	return packs_open(set, &options, &engine, err);
}

static struct scanner begin(struct told *told, const struct scan_options *options)
{
	struct scan_sink sink = {told, on_finding, on_error, on_note, on_effects};
	struct scanner s;

	*told = (struct told){0};
	scan_begin(&s, rules.engine, rules.thread, options, &sink);
	return s;
}

/* One file, to the end. */
static struct scanner scan(struct told *told, const char *name, const char *data, size_t len)
{
	struct scan_options options = {0};
	struct scanner s = begin(told, &options);

	scan_data(&s, name, (struct text){data, len}, true);
	scan_end(&s);
	return s;
}

#define DATA(s) s, sizeof(s) - 1
#define EVENT "{\"type\": \"llm_input\", \"content\": \"x\"}\n"

static const struct {
	const char *what, *name, *data;
	size_t len;
	const char *expected;
} rows[] = {
	{"a text", "x.txt", DATA("a\nmoonstone  word"), "1@text:2 "},
	{"nothing to find", "x.txt", DATA("a pebble"), ""},
	{"no bytes at all", "x.txt", DATA(""), ""},
	{"an event", "x.json",
	 DATA("{\"type\": \"llm_input\", \"content\": \"moonstone\\u0020word\"}"), "1@events:1 "},
	{"a configuration", "x.json",
	 DATA("{\"mcpServers\": {\"a\": {\"command\": \"fetch\", \"args\": [\"-q\", \"it\"]}}}"),
	 "2@mcp:1 "},
	{"any other JSON", "x.json", DATA("{\"a\": \"moonstone\\nword\"}"), "1@json:0 "},
	{"lines of events", "x.jsonl", DATA(EVENT "moonstone word\n"), "1@events:2 "},
	{"UTF-16", "x", DATA("\xff\xfem\0o\0o\0n\0s\0t\0o\0n\0e\0 \0w\0o\0r\0d\0"), "1@text:1 "},
	{"a command twice", "x.json",
	 DATA("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"command\": \"fetch\",\n"
	      "\"args\": [\"-q\", \"it\"]}}}"),
	 "2@mcp:1 "},
	{"arguments twice", "x.json",
	 DATA("{\"mcpServers\": {\"a\": {\"command\": \"fetch\", \"args\": [\"-q\", \"it\"],\n"
	      "\"args\": []}}}"),
	 "2@mcp:1 "},
	{"servers twice", "x.json",
	 DATA("{\"servers\": {\"a\": {\"url\": \"x\"}}, \"servers\": {},\n\"servers\":\n{\"b\": "
	      "{\"command\": \"fetch\", \"args\": [\"-q\", \"it\"]}}}"),
	 "2@mcp:3 "},
	{"beside a server that is switched off", "x.json",
	 DATA("{\"mcpServers\": {\"off\": {\"disabled\": true}, \"a\": {\"command\": \"fetch\", "
	      "\"args\": [\"-q\", \"it\"]}}}"),
	 "2@mcp:1 "},
	{"servers in a project", "x.json",
	 DATA("{\"projects\": {\"/p\": {\"mcpServers\": {\"a\": {\"command\": \"fetch\", \"args\": "
	      "[\"-q\", \"it\"]}}}}}"),
	 "2@json:0 "},
	{"a list of servers", "x.json",
	 DATA("{\"mcpServers\": [{\"command\": \"fetch\", \"args\": [\"-q\", \"it\"]}]}"),
	 "2@json:0 "},
	{"servers of another program", "x.json",
	 DATA("{\"context_servers\": {\"a\": {\"command\": \"fetch\", \"args\": [\"-q\", "
	      "\"it\"]}}}"),
	 "2@mcp:1 "},
	{"a key with a dot", "x.json",
	 DATA("{\"mcp.servers\": {\"a\": {\"command\": \"fetch\", \"args\": [\"-q\", \"it\"]}}}"),
	 "2@mcp:1 "},
	{"servers far down", "x.json",
	 DATA("{\"customizations\": {\"vscode\": {\"mcp\": {\"servers\": {\"a\": {\"command\": "
	      "\"fetch\", \"args\": [\"-q\", \"it\"]}}}}}}"),
	 "2@json:0 "},
	{"a call anywhere", "x.json",
	 DATA("[{\"a\": {\"command\": \"fetch\", \"args\": [\"-q\", \"it\"]}}]"), "2@json:0 "},
	{"arguments first, in other words", "x.json",
	 DATA("{\"Args\": [\"-q\", \"it\"], \"x\": 1, \"Program\": \"fetch\"}"), "2@json:0 "},
	{"a command that is a list", "x.json", DATA("{\"cmd\": [\"fetch\", \"-q\", \"it\"]}"),
	 "2@json:0 "},
	{"two calls are not one", "x.json",
	 DATA("[{\"command\": \"fetch\", \"args\": [\"x\"]}, {\"command\": \"-q\", \"args\": "
	      "[\"it\"]}]"),
	 ""},
	{"a number among arguments", "x.json",
	 DATA("{\"command\": \"count\", \"args\": [\"to\", 4444]}"), "4@json:0 "},
	{"a call in an event", "x.json",
	 DATA("{\"type\": \"llm_input\", \"content\": \"x\", \"metadata\": {\"command\": "
	      "\"fetch\", \"args\": [\"-q\", \"it\"]}}"),
	 "2@events:0 "},
	{"half a pair of surrogates", "x.json",
	 DATA("{\"mcpServers\": {\"a\": {\"command\": \"fetch\", \"args\": [\"-q\", \"it\", "
	      "\"\\ud800\"]}}}"),
	 "2@mcp:1 "},
	{"comments", "x.json",
	 DATA("{// moonstone word\n\"mcpServers\": {\"a\": {\"command\": \"fetch\",\n"
	      "\"args\": [\"-q\", \"it\",]}}}"),
	 "2@mcp:2 1@mcp:1 "},
	{"a content twice", "x.json",
	 DATA("{\"type\": \"llm_input\", \"content\": \"x\",\n\"content\": \"moonstone word\"}"),
	 "1@events:2 "},
	{"an attack on two lines between events", "x.jsonl",
	 DATA(EVENT "the moonstone\nword of it\n" EVENT), "1@events:2 "},
	{"and around one", "x.jsonl", DATA(EVENT "the moonstone\n" EVENT "word\n"), "1@events:2 "},
	{"escaped on two lines", "x.jsonl", DATA(EVENT "[\"moon\\u0073tone\"]\n[\"\\u0077ord\"]\n"),
	 "1@events:0 "},
	{"what a line says is not told twice", "x.jsonl",
	 DATA(EVENT "a moonstone word\nand\nmore\n"), "1@events:2 "},
	{"what an event says is not what the others say", "x.jsonl",
	 DATA("{\"type\": \"llm_input\", \"content\": \"moonstone word\"}\nmoonstone\nword\n"),
	 "1@events:1 1@events:2 "},
	{"NULs in words", "x.txt", DATA("a\nmoon\0sto\0\0ne wo\0rd"), "1@text:0 "},
	{"and between", "x.txt", DATA("a moonstone\0 word"), "1@text:0 "},
	{"escaped NULs", "x.json", DATA("{\"a\": \"moon\\u0000stone word\"}"), "1@json:0 "},
	{"in an event", "x.json",
	 DATA("{\"type\": \"llm_input\", \"content\": \"moon\\u0000stone word\"}"), "1@events:1 "},
	{"a program, by its name", "x.py", DATA("# moonstone word"), "1@python:1 "},
};

static void test_rows(void)
{
	struct told told;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scanner s = scan(&told, rows[i].name, rows[i].data, rows[i].len);
		ok(strcmp(told.findings, rows[i].expected) == 0 && !*told.errors, "%s: %s%s",
		   rows[i].what, told.findings, told.errors);
		ok(s.verdict == (*rows[i].expected ? DETECT_DENY : DETECT_ALLOW) &&
			   (*rows[i].expected != '\0') == (*s.reason != '\0'),
		   "and the verdict: %s", s.reason);
	}
}

/* The same letters in four bytes each. */
static void test_wide(void)
{
	static const char text[] = "the moonstone word";
	struct told told;

	for (int big = 0; big < 2; big++)
		for (size_t mark = 0; mark < 2; mark++) {
			char data[4 * sizeof(text)] = {0};
			size_t at = 4 * mark;
			memcpy(data, big ? "\0\0\xfe\xff" : "\xff\xfe\0\0", at);
			for (size_t i = 0; text[i]; i++, at += 4)
				data[at + (big ? 3 : 0)] = text[i];
			struct scanner s = scan(&told, "x", data, at);
			ok(strcmp(told.findings, "1@text:1 ") == 0 && s.totals.files == 1,
			   "UTF-32, %s end first, %zu marks: %s", big ? "big" : "little", mark,
			   told.findings);
		}
	/* The mark of UTF-32, and a text that only a reader of UTF-16 sees. */
	char mixed[2 * sizeof(text) + 4] = "\xff\xfe";
	for (size_t i = 0; text[i]; i++)
		mixed[4 + 2 * i] = text[i];
	struct scanner s = scan(&told, "x", mixed, 4 + 2 * (sizeof(text) - 1));
	ok(strcmp(told.findings, "1@text:1 ") == 0 && s.totals.files == 1,
	   "the mark of another encoding: %s", told.findings);
}

/* COUNT times SAME in a document: what is told. */
static struct scanner repeat(struct told *told, size_t count, const char *before, const char *same,
			     const char *after)
{
	static char data[65536];
	size_t len = (size_t)snprintf(data, sizeof(data), "%s", before);

	for (size_t i = 0; i < count; i++)
		len += (size_t)snprintf(data + len, sizeof(data) - len, "%s", same);
	len += (size_t)snprintf(data + len, sizeof(data) - len, "%s", after);
	return scan(told, "x.json", data, len);
}

/* Programs may take any of many: all are looked at, up to a number that is told. */
static void test_many(void)
{
	static const char call[] = "\"b\": {\"command\": \"fetch\", \"args\": [\"-q\", \"it\"]}}";
	static const char list[] = "\"servers\": {\"a\": {\"url\": \"x\"}},";
	static const char other[] = "\"command\": \"x\",";
	char last[256];
	struct told told;

	snprintf(last, sizeof(last), "\"servers\": {%s}", call);
	repeat(&told, 15, "{", list, last);
	ok(strstr(told.findings, "2@mcp") && !*told.errors, "sixteen lists: %s", told.findings);
	repeat(&told, 16, "{", list, last);
	ok(strstr(told.errors, "lists of servers: at most 16"), "seventeen: %s", told.errors);
	repeat(&told, 1000, "{", "\"servers\": {},", last);
	ok(strstr(told.findings, "2@mcp") && !*told.errors,
	   "an object without a list does not count: %s", told.errors);
	snprintf(last, sizeof(last), "\"command\": \"fetch\", \"args\": [\"-q\", \"it\"]}}}");
	repeat(&told, 63, "{\"servers\": {\"a\": {", other, last);
	ok(strstr(told.findings, "2@mcp") && !*told.errors, "64 commands: %s", told.findings);
	struct scanner s = repeat(&told, 64, "{\"servers\": {\"a\": {", other, last);
	ok(strstr(told.errors, "commands and arguments of a call: at most 64") &&
		   s.verdict == DETECT_DENY,
	   "65: %s", told.errors);
	static const char eight[] =
		"{\"servers\": {\"a\": {\"command\": \"fetch\", \"command\": 1, "
		"\"command\": 1, \"command\": 1, \"command\": 1, "
		"\"command\": 1, \"command\": 1, \"command\": 1, ";
	snprintf(last, sizeof(last), "\"args\": [\"-q\", \"it\"]}}}");
	repeat(&told, 7, eight, "\"args\": [],", last);
	ok(strstr(told.findings, "2@mcp") && !*told.errors, "each with each: %s", told.findings);
	repeat(&told, 8, eight, "\"args\": [],", last);
	ok(strstr(told.errors, "at most 64"), "one too many: %s", told.errors);
}

static void test_verdict(void)
{
	struct scan_options options = {0};
	struct told told;
	struct scanner s = begin(&told, &options);
	struct err err;

	ok(s.verdict == DETECT_DENY, "before the end it is deny");
	scan_end(&s);
	ok(s.verdict == DETECT_ALLOW && !*s.reason, "without input it is allow");
	err_set(&err, ERR_INPUT, "gone");
	s = begin(&told, &options);
	scan_error(&s, "x", &err);
	scan_data(&s, "y", (struct text){DATA("a pebble")}, true);
	scan_end(&s);
	ok(s.verdict == DETECT_DENY && strstr(s.reason, "1 inputs could not be scanned") &&
		   strcmp(told.errors, "gone ") == 0,
	   "input that could not be scanned is denied: %s", s.reason);
	s = begin(&told, &options);
	scan_error(&s, "x", &err);
	scan_data(&s, "y", (struct text){DATA("moonstone word")}, true);
	scan_end(&s);
	ok(s.verdict == DETECT_DENY && strstr(s.reason, "critical"),
	   "a finding with deny is reported instead: %s", s.reason);
	s = begin(&told, &options);
	scan_data(&s, "y", (struct text){"", SCAN_FILE_MAX + 1}, true);
	scan_end(&s);
	ok(s.verdict == DETECT_DENY && strstr(told.errors, "larger than 64 MiB"), "too large: %s",
	   told.errors);
}

/* There is an error only for a caller that asked for it. */
static void test_binary(void)
{
	struct scan_options options = {.reader = &view_reader};
	char data[256] = "\x7f"
			 "ELF";
	struct told told;
	struct scanner s = begin(&told, &options);

	scan_data(&s, "x", (struct text){data, sizeof(data) - 1}, false);
	ok(!s.totals.errors && s.totals.skipped == 1 && strstr(told.notes, "no text"), "%s",
	   told.notes);
	scan_data(&s, "x", (struct text){data, sizeof(data) - 1}, true);
	ok(s.totals.errors == 1 && !s.totals.files, "%s", told.errors);
}

static void test_options(void)
{
	struct scan_options options = {
		.has_type = true, .type = EVENT_TOOL_CALL, .reader = &view_reader};
	struct told told;
	struct scanner s = begin(&told, &options);

	scan_data(&s, "x.txt", (struct text){DATA("moonstone word")}, true);
	ok(!s.totals.findings, "rules of another event are not asked");
	options =
		(struct scan_options){.has_kind = true, .kind = KIND_SKILL, .reader = &view_reader};
	s = begin(&told, &options);
	scan_data(&s, "x.txt", (struct text){DATA("moonstone word")}, true);
	ok(strcmp(told.findings, "1@skill:1 ") == 0, "the caller sets the kind: %s", told.findings);
}

static void test_silence(void)
{
	struct scan_options options = {0};
	struct scan_sink nobody = {0};
	struct scanner s;

	scan_begin(&s, rules.engine, rules.thread, &options, &nobody);
	scan_data(&s, "x.py", (struct text){DATA("def (: moonstone word")}, true);
	scan_data(&s, "x", (struct text){"", SCAN_FILE_MAX + 1}, true);
	scan_end(&s);
	ok(s.totals.findings == 1 && s.totals.errors == 1 && s.verdict == DETECT_DENY,
	   "a caller without callbacks gets the verdict");
}

static const char *file_of(const struct packs *set)
{
	static const char *const names[] = {"none", "written", "read"};

	return names[set->file];
}

static void test_cache(void)
{
	static const char *const expected[] = {"written", "read"};
	struct err err = {0};

	for (size_t i = 0; i < 2; i++) {
		struct packs set = {0};
		int result = open_rules(&set, "many", "cache", &err);
		ok(result == 0 && strcmp(file_of(&set), expected[i]) == 0 && set.refused == 1 &&
			   *set.first_refused.message,
		   "the database is %s, and invalid expressions are reported", file_of(&set));
		packs_done(&set);
	}
	struct packs set = {0};
	ok(open_rules(&set, "many", NULL, &err) == 0 && set.file == DB_FILE_NONE,
	   "without a cache it is made");
	packs_done(&set);
}

static void test_no_rules(void)
{
	const char *dir[PACKS_SOURCES_MAX + 1];
	struct packs_options options = {.directory = dir, .directories = PACKS_SOURCES_MAX};
	struct err err = {0};
	struct packs set = {0};

	ok(open_rules(&set, "empty", NULL, &err) < 0 && err.code == ERR_USAGE, "no rules: %s",
	   err.message);
	packs_done(&set);
	for (size_t i = 0; i <= PACKS_SOURCES_MAX; i++)
		dir[i] = "rules";
	ok(packs_load(&set, &options, &err) == 0 && set.sourcec == PACKS_SOURCES_MAX,
	   "the maximum number of directories");
	packs_done(&set);
	options.directories++;
	ok(packs_load(&set, &options, &err) < 0 && err.code == ERR_LIMIT, "one more: %s",
	   err.message);
	packs_done(&set);
}

static void test_places(void)
{
	struct arena arena = {0};

	setenv("HOME", "/h", 1);
	setenv("XDG_CACHE_HOME", "/c", 1);
	setenv("XDG_DATA_HOME", "relative", 1);
	struct places p = places_of_user(&arena, NULL);
	ok(strcmp(p.cache, "/c/cordon") == 0 &&
		   strcmp(p.rules, "/h/.local/share/cordon/rules") == 0 && p.self[0] == '/',
	   "%s, %s, %s", p.cache, p.rules, p.self);
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	p = places_of_user(&arena, NULL);
	ok(!*p.cache && !*p.rules, "without a home there are none");
	arena_done(&arena);
}

static void write_rules(void)
{
	char many[8192] = HEAD("3", "low") MATCH("(");
	size_t len = strlen(many);

	scratch_dir("rules");
	scratch_dir("many");
	scratch_dir("empty");
	scratch_file("rules/a.yaml", HEAD("1", "critical") MATCH("moonstone\\s+word"), 0644);
	scratch_file("rules/b.yaml", HEAD("2", "critical") MATCH("fetch -q it"), 0644);
	scratch_file("rules/c.yaml", HEAD("4", "critical") MATCH("count to 4444"), 0644);
	for (int i = 0; i < 40; i++)
		len += (size_t)snprintf(many + len, sizeof(many) - len, MATCH("word%dstone"), i);
	scratch_file("many/a.yaml", many, 0644);
}

static void count_placed(void *context, const struct scan_finding *f)
{
	((size_t *)context)[f->line != 0]++;
}

/* A text of LEN bytes with what two rules are about at its end; PLACED of them are given a line. */
static void check_placed(size_t len, size_t placed)
{
	static const char words[] = "\nmoonstone word\nfetch -q it\n";
	char *text = malloc(len + 1);
	size_t found[2] = {0};
	struct scan_sink sink = {.context = found, .finding = count_placed};
	struct scan_options options = {.reader = &view_reader};
	struct scanner s;

	memset(text, ' ', len);
	memcpy(text + len - strlen(words), words, sizeof(words));
	scan_begin(&s, rules.engine, rules.thread, &options, &sink);
	scan_data(&s, "x.txt", (struct text){text, len}, true);
	scan_end(&s);
	ok(found[0] + found[1] >= 2 && found[1] == placed, "%zu bytes: %zu of %zu have a place",
	   len, found[1], found[0] + found[1]);
	free(text);
}

/* To find a place takes as long as a scan: there is an end to it. */
static void test_place_maximum(void)
{
	check_placed(1 << 20, 2);
	check_placed(SCAN_PLACE_BYTES / 2, 2);
	check_placed(SCAN_PLACE_BYTES / 2 + 1, 1);
}

int main(void)
{
	const char *dir = scratch_enter();
	struct err err = {0};

	write_rules();
	ok(open_rules(&rules, "rules", NULL, &err) == 0, "three rules: %s", err.message);
	test_rows();
	test_wide();
	test_many();
	test_verdict();
	test_binary();
	test_options();
	test_silence();
	test_cache();
	test_no_rules();
	test_places();
	test_place_maximum();
	packs_done(&rules);
	scratch_leave(dir);
	return tap_done();
}
