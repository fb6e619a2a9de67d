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
#include "origin/origin.h"
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

static struct domain new_domain(void)
{
	struct host_event e = {.authenticated = true, .principal = gate.principal};
	char handle[HANDLE_MAX];
	struct domain d;
	struct err err = {0};

	must_do(domain_new(&gate.keeper, &e, handle, &d, &err) == 0, &err, "a domain");
	return d;
}

#define AUTO_REPORT __attribute__((cleanup(ingest_done)))

/* *REPORT is zeroed at first, or of the last time. */
static int read_bytes(struct domain *d, enum source_kind kind, const char *name, struct text data,
		      struct ingest_report *report, struct err *err)
{
	struct ingest_in in = {.kind = kind,
			       .name = name,
			       .name_len = strlen(name),
			       .data = data,
			       .label = label_unknown()};

	memset(err, 0, sizeof(*err));
	ingest_done(report);
	return ingest(&gate, &rules, d, &in, report, err);
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
		struct domain d = new_domain();
		AUTO_REPORT struct ingest_report r = {0};
		struct err err;
		bool hostile = rows[i].grade == GRADE_DENIES;
		int done = read_bytes(&d, rows[i].kind, rows[i].name, data, &r, &err);

		ok(done == 0 && r.released.source.grade == rows[i].grade &&
			   r.released.source.label.integrity ==
				   (hostile ? INTEGRITY_HOSTILE : INTEGRITY_UNTRUSTED) &&
			   d.floor.integrity == r.released.source.label.integrity,
		   "%s: %s %s", rows[i].what, grade_name(r.released.source.grade), err.message);
		ok(r.released.data == data.s && r.released.len == data.len,
		   "%s: the bytes come back as they are", rows[i].what);
	}
}

static void test_findings(void)
{
	struct domain d = new_domain();
	AUTO_REPORT struct ingest_report r = {0};
	struct err err;

	read_bytes(&d, FROM_WEB, "a", (struct text){"sunstone moonstone word", 23}, &r, &err);
	ok(r.look.findings >= 2 && r.look.listed == 2, "each rule is told once");
	bool denies = false, asks = false;
	for (size_t i = 0; i < r.look.listed; i++) {
		denies |= r.look.finding[i].grade == GRADE_DENIES &&
			  !strcmp(r.look.finding[i].rule, "ATR-2026-90001");
		asks |= r.look.finding[i].grade == GRADE_ASKS &&
			!strcmp(r.look.finding[i].rule, "ATR-2026-90002");
	}
	ok(denies && asks, "with what it may do");
}

/* Words that only the rules 0 to N-1 of the many look for, and one that denies. */
static void test_many(void)
{
	static char text[REPORT_FINDINGS_MAX * 16 + 64];
	struct domain d = new_domain();
	AUTO_REPORT struct ingest_report r = {0};
	struct err err;
	size_t len = 0;

	for (int i = 0; i < REPORT_FINDINGS_MAX; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "gravel%02dx ", i);
	read_bytes(&d, FROM_WEB, "a", (struct text){text, len}, &r, &err);
	ok(r.look.listed == REPORT_FINDINGS_MAX && r.look.findings >= REPORT_FINDINGS_MAX,
	   "so many rules are listed: %zu", r.look.listed);
	len += (size_t)snprintf(text + len, sizeof(text) - len, "quartz");
	read_bytes(&d, FROM_WEB, "a", (struct text){text, len}, &r, &err);
	bool denies = false;
	for (size_t i = 0; i < r.look.listed; i++)
		denies |= r.look.finding[i].grade == GRADE_DENIES;
	ok(r.look.listed == REPORT_FINDINGS_MAX && r.look.findings > REPORT_FINDINGS_MAX && denies,
	   "of one more the mildest gives way");
}

/* Does CODE tie to what D has read? */
static enum tie tie_of(struct domain *d, const char *code)
{
	AUTO_SOURCES struct source_set set = {0};
	struct origin_text text = {.data = code, .len = strlen(code)};
	static struct attribution a;
	enum tie tie[8] = {TIE_NONE};
	struct err err = {0};

	must_do(source_set_load(&gate.keeper, d, &set, &err) == 0 && set.count <= 8 &&
			attribute(&text, 1, set.index, set.count, tie, &a, &err) == 0,
		&err, "ties");
	enum tie most = TIE_NONE;
	for (size_t i = 0; i < set.count; i++)
		most = tie[i] > most ? tie[i] : most;
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
	struct domain d = new_domain();

	ok(tie_of(&d, code) == TIE_NONE, "what was not read is not recognised");
	read_bytes(&d, FROM_WEB, "a", (struct text){wrapped, strlen(wrapped)}, &r, &err);
	ok(tie_of(&d, code) >= TIE_SPAN, "what was read in base64 is");
	d = new_domain();
	read_bytes(&d, FROM_FILE, "a.py", (struct text){split, strlen(split)}, &r, &err);
	ok(r.look.unread || tie_of(&d, "open('/srv/ledger/2041/accounts.db')") >= TIE_ATOM ||
		   r.released.source.grade == GRADE_ASKS,
	   "what a program puts together is, where there is a box to read it in");
}

static void test_bounds(void)
{
	AUTO_FREE char *big = malloc(INGEST_BYTES_MAX + 2);
	struct domain d = new_domain();
	AUTO_REPORT struct ingest_report r = {0};
	struct err err;

	memset(big, 'a', INGEST_BYTES_MAX + 1);
	big[INGEST_BYTES_MAX + 1] = '\0';
	ok(read_bytes(&d, FROM_WEB, "a", (struct text){big, INGEST_BYTES_MAX + 1}, &r, &err) < 0 &&
		   err.code == ERR_LIMIT && err.cure[0] && !r.released.data,
	   "one byte too many is not released");
	big[INGEST_BYTES_MAX] = '\0';
	ok(read_bytes(&d, FROM_WEB, "a", (struct text){big, INGEST_BYTES_MAX}, &r, &err) == 0 &&
		   r.released.len == INGEST_BYTES_MAX,
	   "the longest is: %s", err.message);
	ok(read_bytes(&d, FROM_COUNT, "a", (struct text){"x", 1}, &r, &err) < 0, "no such kind");
}

/* The store takes nothing more: the bytes stay here. */
static void test_not_recorded(void)
{
	struct domain d = new_domain();
	uint64_t sources = d.sources;
	AUTO_REPORT struct ingest_report r = {0};
	struct err err;
	struct rlimit most, none = {0};

	scratch_must(getrlimit(RLIMIT_FSIZE, &most) == 0, "getrlimit");
	none.rlim_max = most.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	scratch_must(setrlimit(RLIMIT_FSIZE, &none) == 0, "setrlimit");
	int done = read_bytes(&d, FROM_WEB, "a", (struct text){"words", 5}, &r, &err);
	scratch_must(setrlimit(RLIMIT_FSIZE, &most) == 0, "setrlimit");
	ok(done < 0 && !r.released.data && !r.released.len,
	   "what cannot be recorded is not released: %s", err.message);
	must_do(domain_load(&gate.keeper, &d.id, &d, &err) == 0, &err, "the domain");
	ok(d.sources == sources, "and was not read");
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
	must_do(look_rules(&rules, &packs, &err) == 0, &err, "rules");
	must_do(gate_state_open(&gate, &o, &err) == 0, &err, "the state");
	test_rows();
	test_findings();
	test_many();
	test_recognised();
	test_bounds();
	test_not_recorded();
	gate_state_close(&gate);
	packs_done(&rules);
	scratch_leave(dir);
	return tap_done();
}
