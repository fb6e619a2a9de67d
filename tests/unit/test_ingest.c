/* SPDX-License-Identifier: MIT
 *
 * What an agent reads is scanned, recorded and only then released. Rules of the test's own say what
 * is hostile; whatever the bytes say of themselves, and however they hide it, the finding's grade
 * is the source's. What cannot be recorded gives nothing back.
 */
#include "flow/ingest.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/scope.h"
#include "scratch.h"
#include "tap.h"

#define RULE(maturity, value)                                                                      \
	"title: T\nseverity: critical\nmaturity: " maturity "\nstatus: stable\n"                   \
	"tags: {scan_target: both, confidence: high}\nagent_source: {type: llm_io}\ndetection:\n"  \
	"  condition: any\n  conditions:\n    - {field: content, operator: regex, value: '" value  \
	"'}\n"

static char state[128];
static struct packs rules;
static struct gate_state gate = STATE_CLOSED;

static void must_do(bool done, const struct err *err, const char *what)
{
	if (!done)
		printf("# %s: %s\n", err->message, err->cause);
	scratch_must(done, what);
}

static struct conversation begin(void)
{
	struct conversation c;
	struct err err = {0};

	conversation_init(&c, gate.principal, "test", 1);
	must_do(conversation_begin(&gate.keeper, &c, &err) == 0, &err, "a conversation");
	return c;
}

#define AUTO_REPORT __attribute__((cleanup(ingest_done)))

/* *REPORT is zeroed at first, or of the last time. */
static int read_bytes(struct conversation *c, enum source_kind kind, const char *name,
		      struct text data, struct ingest_report *report, struct err *err)
{
	struct ingest_in in = {.kind = kind, .name = name, .name_len = strlen(name), .data = data};

	memset(err, 0, sizeof(*err));
	ingest_done(report);
	return ingest(&gate, &rules, c, &in, report, err);
}

static const char utf16[] = "\xff\xfem\0o\0o\0n\0s\0t\0o\0n\0e\0 \0w\0o\0r\0d\0\n\0";

static const char picture[256] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\0\0\0";

/* GRADE of what the rules make of it. */
static const struct {
	const char *what, *name;
	enum source_kind kind;
	const char *data;
	size_t len; /* 0: the text's */
	enum grade grade;
} rows[] = {
	{"nothing in it", "a.txt", FROM_WEB, "plain words", 0, GRADE_NONE},
	{"a mature rule", "a.txt", FROM_WEB, "a moonstone word", 0, GRADE_DENIES},
	{"in a file", "a.csv", FROM_FILE, "a,b\n1,moonstone word\n", 0, GRADE_DENIES},
	{"in a tool's answer", "tool", FROM_TOOL_RESULT, "moonstone word", 0, GRADE_DENIES},
	{"in what it says of itself", "tool", FROM_TOOL_META, "moonstone word", 0, GRADE_DENIES},
	{"in a resource", "r", FROM_RESOURCE, "moonstone word", 0, GRADE_DENIES},
	{"in a prompt", "p", FROM_PROMPT, "moonstone word", 0, GRADE_DENIES},
	{"in instructions", "i", FROM_INSTRUCTIONS, "moonstone word", 0, GRADE_DENIES},
	{"in an output", "o", FROM_RUN_OUTPUT, "moonstone word", 0, GRADE_DENIES},
	{"a rule of the middle lane", "a", FROM_WEB, "a sunstone", 0, GRADE_ASKS},
	{"a rule of the widest", "a", FROM_WEB, "a pebble", 0, GRADE_SHOWN},
	{"all of them: the worst", "a", FROM_WEB, "pebble sunstone moonstone word", 0,
	 GRADE_DENIES},
	{"in base64", "a", FROM_WEB, "see bW9vbnN0b25lIHdvcmQgaGVyZQ== there", 0, GRADE_DENIES},
	{"in UTF-16", "a", FROM_WEB, utf16, sizeof(utf16) - 1, GRADE_DENIES},
	{"escaped in JSON", "a.json", FROM_WEB, "{\"a\": \"moonstone\\u0020word\"}", 0,
	 GRADE_DENIES},
	{"what says that it is an event", "a.json", FROM_WEB,
	 "{\"type\": \"llm_output\", \"content\": \"x\", \"metadata\": {\"y\": \"moonstone "
	 "word\"}}",
	 0, GRADE_DENIES},
	{"or many, one a line", "a.jsonl", FROM_WEB,
	 "{\"type\": \"tool_call\", \"content\": \"x\"}\n"
	 "{\"type\": \"tool_call\", \"fields\": {\"y\": \"moonstone word\"}, \"content\": \"\"}\n",
	 0, GRADE_DENIES},
	{"or is a broken one", "a.json", FROM_WEB,
	 "{\"type\": \"tool_call\", \"content\": 5, \"y\": \"pebble\"}", 0, GRADE_SHOWN},
	{"no text at all", "a.png", FROM_WEB, picture, sizeof(picture) - 1, GRADE_ASKS},
	{"nothing", "a", FROM_WEB, "", 0, GRADE_NONE},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text data = {rows[i].data, rows[i].len ? rows[i].len : strlen(rows[i].data)};
		struct conversation c = begin();
		AUTO_REPORT struct ingest_report r = {0};
		struct err err;
		bool hostile = rows[i].grade == GRADE_DENIES;
		int done = read_bytes(&c, rows[i].kind, rows[i].name, data, &r, &err);

		ok(done == 0 && r.released.source.grade == rows[i].grade &&
			   r.released.source.trust ==
				   (hostile ? SOURCE_HOSTILE : SOURCE_UNTRUSTED) &&
			   c.exposed_us && strstr(c.cause, rows[i].name),
		   "%s: %s %s", rows[i].what, grade_name(r.released.source.grade), err.message);
		ok(r.released.data == data.s && r.released.len == data.len,
		   "%s: the bytes come back as they are", rows[i].what);
	}
}

static void test_findings(void)
{
	struct conversation c = begin();
	AUTO_REPORT struct ingest_report r = {0};
	struct err err;

	read_bytes(&c, FROM_WEB, "a", (struct text){"sunstone moonstone word", 23}, &r, &err);
	ok(r.inspection.findings >= 2 && r.inspection.listed == 2, "each rule is listed once");
	bool denies = false, asks = false;
	for (size_t i = 0; i < r.inspection.listed; i++) {
		denies |= r.inspection.finding[i].grade == GRADE_DENIES &&
			  !strcmp(r.inspection.finding[i].rule, "ATR-2026-90001");
		asks |= r.inspection.finding[i].grade == GRADE_ASKS &&
			!strcmp(r.inspection.finding[i].rule, "ATR-2026-90002");
	}
	ok(denies && asks, "with what it may do");
}

/* Words that only the rules 0 to N-1 of the many look for, and one that denies. */
static void test_many(void)
{
	static char text[REPORT_FINDINGS_MAX * 16 + 64];
	struct conversation c = begin();
	AUTO_REPORT struct ingest_report r = {0};
	struct err err;
	size_t len = 0;

	for (int i = 0; i < REPORT_FINDINGS_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "gravel%02dx ", i);
	read_bytes(&c, FROM_WEB, "a", (struct text){text, len}, &r, &err);
	ok(r.inspection.listed == REPORT_FINDINGS_MAX &&
		   r.inspection.findings >= REPORT_FINDINGS_MAX,
	   "so many rules are listed: %zu", r.inspection.listed);
	len += (size_t)snprintf(text + len, sizeof(text) - len, "quartz");
	read_bytes(&c, FROM_WEB, "a", (struct text){text, len}, &r, &err);
	bool denies = false;
	for (size_t i = 0; i < r.inspection.listed; i++)
		denies |= r.inspection.finding[i].grade == GRADE_DENIES;
	ok(r.inspection.listed == REPORT_FINDINGS_MAX &&
		   r.inspection.findings > REPORT_FINDINGS_MAX && denies,
	   "of one more the mildest gives way");
}

/* Does CODE tie to what C has read? */
static enum tie tie_of(struct conversation *c, const char *code)
{
	struct source_set set = {0};
	struct origin_text text = {.data = code, .len = strlen(code)};
	static struct attribution a;
	enum tie tie[8] = {TIE_NONE};
	struct err err = {0};

	must_do(source_set_load(&gate.keeper, c, &set, &err) == 0 && set.count <= 8 &&
			attribute(&text, 1, set.index, set.count, tie, &a, &err) == 0,
		&err, "ties");
	enum tie most = TIE_NONE;
	for (size_t i = 0; i < set.count; i++)
		most = tie[i] > most ? tie[i] : most;
	source_set_done(&set);
	return most;
}

static void test_recognised(void)
{
	static const char code[] = "open('/srv/ledger/2041/accounts.db').read().split(';')";
	static const char wrapped[] =
		"cGF5bG9hZCA9IG9wZW4oJy9zcnYvbGVkZ2VyLzIwNDEvYWNjb3VudHMuZGInKS5y"
		"ZWFkKCkuc3BsaXQoJzsnKQ==";
	static const char split[] = "f = '/srv/' + 'ledger/' + '2041/' + 'accounts.db'\nprint(f)\n";
	AUTO_REPORT struct ingest_report r = {0};
	struct err err;
	struct conversation c = begin();

	ok(tie_of(&c, code) == TIE_NONE, "what was not read is not recognised");
	read_bytes(&c, FROM_WEB, "a", (struct text){wrapped, strlen(wrapped)}, &r, &err);
	ok(tie_of(&c, code) >= TIE_SPAN, "what was read in base64 is");
	c = begin();
	read_bytes(&c, FROM_FILE, "a.py", (struct text){split, strlen(split)}, &r, &err);
	ok(r.inspection.unread || tie_of(&c, "open('/srv/ledger/2041/accounts.db')") >= TIE_ATOM ||
		   r.released.source.grade == GRADE_ASKS,
	   "what a program puts together is, where there is a box to read it in");
}

static void test_bounds(void)
{
	AUTO_FREE char *big = malloc(INGEST_BYTES_MAX + 2);
	struct conversation c = begin();
	AUTO_REPORT struct ingest_report r = {0};
	struct err err;

	memset(big, 'a', INGEST_BYTES_MAX + 1);
	big[INGEST_BYTES_MAX + 1] = '\0';
	ok(read_bytes(&c, FROM_WEB, "a", (struct text){big, INGEST_BYTES_MAX + 1}, &r, &err) < 0 &&
		   err.code == ERR_LIMIT && err.cure[0] && !r.released.data,
	   "one byte too many is not released");
	big[INGEST_BYTES_MAX] = '\0';
	ok(read_bytes(&c, FROM_WEB, "a", (struct text){big, INGEST_BYTES_MAX}, &r, &err) == 0 &&
		   r.released.len == INGEST_BYTES_MAX,
	   "the longest is: %s", err.message);
	ok(read_bytes(&c, FROM_COUNT, "a", (struct text){"x", 1}, &r, &err) < 0, "no such kind");
}

/* The store takes nothing more: the bytes stay here. */
static void test_not_recorded(void)
{
	struct conversation c = begin();
	uint64_t sources = c.sources;
	AUTO_REPORT struct ingest_report r = {0};
	struct err err;
	struct rlimit most, none = {0};

	scratch_must(getrlimit(RLIMIT_FSIZE, &most) == 0, "getrlimit");
	none.rlim_max = most.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	scratch_must(setrlimit(RLIMIT_FSIZE, &none) == 0, "setrlimit");
	int done = read_bytes(&c, FROM_WEB, "a", (struct text){"words", 5}, &r, &err);
	scratch_must(setrlimit(RLIMIT_FSIZE, &most) == 0, "setrlimit");
	ok(done < 0 && !r.released.data && !r.released.len,
	   "what cannot be recorded is not released: %s", err.message);
	must_do(conversation_load(&gate.keeper, &c.id, &c, &err) == 0, &err, "the conversation");
	ok(c.sources == sources && !c.exposed_us, "and was not read");
}

static void test_exposes(void)
{
	struct conversation c = begin(), same = c, got;
	AUTO_REPORT struct ingest_report r = {0};
	struct ingest_in in = {
		.kind = FROM_FILE, .name = "a.txt", .name_len = 5, .data = {"plain words", 11}};
	struct err err = {0};

	ok(ingest(&gate, &rules, &c, &in, &r, &err) == 0 && c.exposed_us &&
		   r.released.source.trust == SOURCE_UNTRUSTED && c.sources == 1,
	   "what is read exposes the conversation");
	ingest_done(&r);
	in.data = (struct text){"moonstone word", 14};
	ok(ingest(&gate, &rules, &c, &in, &r, &err) == 0 && c.exposed_us &&
		   r.released.source.trust == SOURCE_HOSTILE,
	   "it is hostile if a rule of the deny grade finds something");
	ingest_done(&r);
	in.data = (struct text){"plain words", 11};
	ok(ingest(&gate, &rules, &same, &in, &r, &err) == 0 && same.sources == 3 &&
		   same.exposed_us == c.exposed_us && strcmp(same.cause, c.cause) == 0,
	   "a process that read the conversation before sees what others did");
	must_do(conversation_end(&gate.keeper, &c.id, "enough", &got, &err) == 0, &err, "its end");
	ok(read_bytes(&got, FROM_WEB, "a", (struct text){"words", 5}, &r, &err) < 0 &&
		   !r.released.data,
	   "nothing enters an ended conversation: %s", err.message);
	ok(read_bytes(&c, FROM_WEB, "a", (struct text){"words", 5}, &r, &err) < 0 &&
		   !r.released.data,
	   "also when it ended meanwhile: %s", err.message);
}

static void write_rules(void)
{
	char path[64], text[1024];

	scratch_dir("r");
	scratch_file("r/a.yaml", "id: ATR-2026-90001\n" RULE("stable", "moonstone word"), 0644);
	scratch_file("r/b.yaml", "id: ATR-2026-90002\n" RULE("test", "sunstone"), 0644);
	scratch_file("r/c.yaml", "id: ATR-2026-90003\n" RULE("experimental", "pebble"), 0644);
	/* The last of all findings, and the gravest. */
	scratch_file("r/z.yaml",
		     "id: ATR-2026-90009\ntitle: T\nseverity: informational\nmaturity: stable\n"
		     "status: stable\ntags: {scan_target: both, confidence: low}\n"
		     "agent_source: {type: llm_io}\ndetection:\n  condition: any\n  conditions:\n"
		     "    - {field: content, operator: regex, value: 'quartz'}\n",
		     0644);
	for (int i = 0; i < REPORT_FINDINGS_MAX; i++) {
		snprintf(path, sizeof(path), "r/m%02d.yaml", i);
		snprintf(text, sizeof(text),
			 "id: ATR-2026-91%03d\ntitle: T\nseverity: low\nmaturity: experimental\n"
			 "status: stable\ntags: {scan_target: both, confidence: high}\n"
			 "agent_source: {type: llm_io}\ndetection:\n  condition: any\n  "
			 "conditions:\n"
			 "    - {field: content, operator: regex, value: 'gravel%02dx'}\n",
			 i, i);
		scratch_file(path, text, 0644);
	}
}

int main(void)
{
	const char *dir = scratch_enter(), *where = "r";
	struct packs_options packs = {.directory = &where, .directories = 1};
	struct gate_state_options o = {.path = state};
	struct err err = {0};

	unsetenv(STATE_URL_VARIABLE);
	snprintf(state, sizeof(state), "%s/state", dir);
	write_rules();
	must_do(inspect_open_rules(&rules, &packs, &err) == 0, &err, "rules");
	must_do(gate_state_open(&gate, &o, &err) == 0, &err, "the state");
	test_rows();
	test_findings();
	test_many();
	test_recognised();
	test_bounds();
	test_not_recorded();
	test_exposes();
	gate_state_close(&gate);
	packs_done(&rules);
	scratch_leave(dir);
	return tap_done();
}
