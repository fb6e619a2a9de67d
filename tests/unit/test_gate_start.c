/* SPDX-License-Identifier: MIT
 *
 * From the look to the start: whatever was read, written or moved meanwhile, the start's transaction
 * fails and nothing of it is on record, or it is about what the box really gets. Then to the result. No race
 * is waited for: each step of the gate is one call here, and what others do comes between two of them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/scope.h"
#include "flow/gate.h"
#include "scratch.h"
#include "tap.h"

static const char code[] = "print(1)\n";
static char state[96], place[96];

/* One run, decided on and not started. */
struct started {
	struct gate gate;
	struct blueprint bp;
	struct request request;
	struct report report;
	char handle[HANDLE_MAX];
};

static void must(bool done, const struct err *err)
{
	if (!done)
		printf("# %s: %s\n", err->message, err->cause);
	scratch_must(done, "a step");
}

static void talk(struct started *s)
{
	AUTO_STATE struct gate_state st = STATE_CLOSED;
	struct gate_state_options o = {.path = state};
	struct host_event e = {.authenticated = true, .what = "test"};
	struct domain ignored;
	struct err err = {0};

	must(gate_state_open(&st, &o, &err) == 0, &err);
	e.principal = st.principal;
	must(domain_new(&st.keeper, &e, s->handle, &ignored, &err) == 0, &err);
}

static void read_page(struct gate_state *st, struct domain *d)
{
	static const char page[] = "whatever this page says, it was not there before";
	struct origin_text t = {.data = page, .len = sizeof(page) - 1};
	struct source_in in = {.text = &t, .count = 1, .kind = FROM_WEB, .label = label_unknown()};
	struct source_released r;
	struct err err = {0};

	must(source_commit(&st->keeper, d, &in, &r, &err) == 0, &err);
}

/* Everything up to the start. ORIGIN_COUNT: nobody says where it came from. HANDLE: or NULL, it is a
 * conversation of its own. */
static struct started *decide_in(const char *handle, enum origin declared)
{
	struct started *s = calloc(1, sizeof(*s));
	struct err err = {0};

	scratch_must(s != NULL, "memory");
	if (handle)
		snprintf(s->handle, sizeof(s->handle), "%s", handle);
	else
		talk(s);
	request_init(&s->request);
	s->request.lang = "python";
	s->request.code = code;
	s->request.code_len = sizeof(code) - 1;
	s->request.state = state;
	s->request.domain = s->handle;
	s->request.declared = declared;
	s->request.workspace = place;
	s->request.workspace_mode = WORKSPACE_RW;
	blueprint_init(&s->bp);
	must(blueprint_begin(&s->bp, &s->request, NULL, &err) == 0 &&
		     payload_know(&s->bp.payload, &err) == 0 &&
		     gate_open(&s->gate, &s->request, &s->report, &err) == 0 &&
		     gate_open_state(&s->gate, &err) == 0 &&
		     gate_facts(&s->gate, &s->bp, &err) == 0 && gate_origin(&s->gate, &err) == 0 &&
		     gate_decide(&s->gate, &err) == 0,
	     &err);
	s->bp.workspace = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
	must(gate_check_given(&s->gate, &err) == 0, &err);
	return s;
}

static struct started *decide(enum origin declared)
{
	return decide_in(NULL, declared);
}

static void done(struct started *s)
{
	gate_close(&s->gate);
	blueprint_done(&s->bp);
	report_done(&s->report);
	free(s);
}

/* ERR_NONE: it has started. */
static enum err_code start(struct started *s, uint64_t *ret_records)
{
	uint64_t before = 0, after = 0;
	struct err err = {0};

	must(store_size(s->gate.state.store, &before, &err) == 0, &err);
	enum err_code code_of = gate_log_start(&s->gate, &err) == 0 ? ERR_NONE : err.code;
	must(store_size(s->gate.state.store, &after, &err) == 0, &err);
	*ret_records = after - before;
	return code_of;
}

static void test_nothing(void)
{
	struct started *s = decide(ORIGIN_COUNT);
	uint64_t records = 0;
	struct err err = {0};

	ok(s->gate.origin.origin == ORIGIN_AGENT && start(s, &records) == ERR_NONE && records >= 3,
	   "nothing happens meanwhile: it starts, with its records");
	must(gate_facts(&s->gate, &s->bp, &err) == 0, &err);
	ok(s->gate.domain.floor.integrity == INTEGRITY_UNTRUSTED,
	   "what it prints of files that nobody knows has been read then");
	ok(s->gate.domain.sources == 0 && !gate_label_of_files(&s->gate).more,
	   "and is no source yet: none is missing where all are named");
	done(s);
}

static void test_read(void)
{
	struct started *s = decide(ORIGIN_COUNT);
	struct domain d = s->gate.domain;
	uint64_t records = 0;
	struct err err = {0};

	read_page(&s->gate.state, &d);
	ok(start(s, &records) == ERR_CONFLICT && records == 0,
	   "something is read meanwhile: no start, and nothing on record");
	must(gate_facts(&s->gate, &s->bp, &err) == 0 && gate_origin(&s->gate, &err) == 0, &err);
	ok(s->gate.origin.origin == ORIGIN_EXPOSED, "and the next look knows of it");
	done(s);
}

static void test_known(void)
{
	struct started *s = decide(ORIGIN_COUNT);
	uint8_t sha256[KEEPER_SHA256] = {1};
	struct label label = label_unknown();
	struct file_key file = {.sha256 = sha256, .bytes = 100};
	uint64_t records = 0;
	struct err err = {0};

	must(file_labels_commit(&s->gate.state.keeper, &file, 1, &label, &err) == 0, &err);
	ok(start(s, &records) == ERR_CONFLICT && records == 0,
	   "bytes become known meanwhile: no start, and nothing on record");
	done(s);
}

static bool is_marked(struct started *s, const struct stat *st)
{
	struct label label;
	bool known = false;
	struct err err = {0};

	must(dir_label_find(&s->gate.state.keeper, DIR_WRITTEN, st->st_dev, st->st_ino, &label,
			    &known, &err) == 0,
	     &err);
	return known;
}

/* Another directory has its name when the start is written; the box has the one that was looked at. */
static void test_moved(void)
{
	struct started *s = decide(ORIGIN_EXPOSED);
	struct stat given, other;
	uint64_t records = 0;

	scratch_must(rename("place", "moved") == 0 && mkdir("place", 0755) == 0 &&
			     stat("moved", &given) == 0 && stat("place", &other) == 0,
		     "moving it");
	ok(start(s, &records) == ERR_NONE && is_marked(s, &given),
	   "its workspace is moved meanwhile: what it writes into is marked");
	ok(!is_marked(s, &other), "and not what has its name now");
	done(s);
}

/* Made with the right key, and of no conversation that this store knows. */
static void test_no_domain(void)
{
	AUTO_STATE struct gate_state st = STATE_CLOSED;
	struct gate_state_options o = {.path = state};
	char handle[HANDLE_MAX];
	struct err err = {0};
	struct id id;

	must(gate_state_open(&st, &o, &err) == 0, &err);
	id_random(&id);
	handle_write(&st.keeper, st.principal, &id, handle);
	struct started *s = decide_in(handle, ORIGIN_COUNT);
	ok(!s->gate.has_domain && s->gate.origin.origin == ORIGIN_EXPOSED,
	   "a handle whose domain is not in the store is none");
	ok(s->report.reasonc && strstr(s->report.reason[0], "not in this store"),
	   "and that is said: %s", s->report.reason[0]);
	done(s);
}

/* Nothing is less trusted by it, but more secret. */
static void test_secret(void)
{
	struct started *s = decide(ORIGIN_COUNT);
	uint64_t records = 0;
	struct err err = {0};

	read_page(&s->gate.state, &s->gate.domain);
	must(gate_facts(&s->gate, &s->bp, &err) == 0 && gate_origin(&s->gate, &err) == 0 &&
		     gate_decide(&s->gate, &err) == 0,
	     &err);
	s->gate.decision.granted |= CAP_BIT(CAP_SECRET);
	scratch_must(start(s, &records) == ERR_NONE, "a start");
	must(gate_facts(&s->gate, &s->bp, &err) == 0, &err);
	ok(s->gate.domain.floor.secrecy == SECRECY_SECRET,
	   "who may use secrets makes the conversation secret");
	done(s);
}

/* Asked twice it would say two things. */
static int asked;
bool __wrap_payload_is_same(int fd, const struct stat *before);

bool __wrap_payload_is_same(int fd, const struct stat *before)
{
	(void)fd, (void)before;
	return asked++ == 0;
}

struct body {
	char text[8192];
	size_t len;
};

static int copy_result(void *context, const struct store_row *row, struct err *err)
{
	struct body *b = context;
	struct record r;

	must(record_decode(row->bytes, row->len, &r, err) == 0, err);
	if (r.kind == RECORD_RESULT && r.body.len < sizeof(b->text)) {
		memcpy(b->text, r.body.data, r.body.len);
		b->len = r.body.len;
	}
	return 0;
}

/* Is the hash that the body names the one of all the rest of it? */
static bool is_hash_of_rest(struct body *b, const uint8_t sha256[REPORT_SHA256])
{
	static const char name[] = "\"result_sha256\":\"";
	enum { MEMBER = sizeof(name) - 1 + 2 * REPORT_SHA256 + 2 };
	uint8_t made[REPORT_SHA256];
	char *at = memmem(b->text, b->len, name, sizeof(name) - 1);

	if (!at)
		return false;
	memmove(at, at + MEMBER, b->len - (size_t)(at + MEMBER - b->text));
	digest_of(made, b->text, b->len - MEMBER);
	return memcmp(made, sha256, sizeof(made)) == 0;
}

/* Somebody writes into the program while its result is recorded. */
static void test_result(void)
{
	struct started *s = decide(ORIGIN_COUNT);
	struct result *r = calloc(1, sizeof(*r));
	struct body body = {0};
	uint64_t records = 0;
	struct err err = {0};
	char ref[64];

	scratch_must(r && start(s, &records) == ERR_NONE, "a start");
	result_init(r);
	s->bp.payload.is_program = true;
	asked = 0;
	must(gate_see_written(&s->gate, r, &err) == 0 && gate_log_result(&s->gate, r, &err) == 0,
	     &err);
	snprintf(ref, sizeof(ref), "run:%s", s->report.run);
	must(store_find(s->gate.state.store, ref, 0, 0, copy_result, &body, &err) == 0, &err);
	ok(asked == 1 && is_hash_of_rest(&body, s->report.result_sha256),
	   "the hash of a result is the one of its record, whatever becomes of the program");
	s->bp.payload.is_program = false;
	result_done(r);
	free(r);
	done(s);
}

/* A commit that stopped: the list says what was to be written, and not what was. */
static void test_half(void)
{
	static const char text[] = "written before it failed\n";
	struct change change = {.path = "never", .path_len = 5, .type = TYPE_FILE};
	struct started *s = decide(ORIGIN_EXPOSED);
	struct result *r = calloc(1, sizeof(*r));
	struct lost_run lost;
	struct label label;
	uint8_t sha256[KEEPER_SHA256];
	struct file_key key = {.sha256 = sha256, .bytes = sizeof(text) - 1};
	uint64_t records = 0;
	bool known = false;
	struct err err = {0};

	digest_of(sha256, text, sizeof(text) - 1);
	s->gate.confined.workspace_mode = WORKSPACE_OVERLAY;
	s->gate.confined.commit = true;
	scratch_must(r && start(s, &records) == ERR_NONE && s->gate.opens_lost, "a start");
	result_init(r);
	scratch_file("place/half", text, 0644);
	r->touched = true;
	r->changes = &change;
	r->changec = 1;
	must(gate_see_written(&s->gate, r, &err) == 0 && gate_log_result(&s->gate, r, &err) == 0 &&
		     file_label_find(&s->gate.state.keeper, &key, &label, &known, &err) == 0,
	     &err);
	ok(known && label.integrity < INTEGRITY_TOOL, "what half a commit wrote is known");
	ok(!s->report.lost &&
		   files_lost_find(&s->gate.state.keeper, &s->gate.run, &lost, &err) == 0,
	   "and nothing else is taken for lost");
	r->changes = NULL;
	r->changec = 0;
	result_done(r);
	free(r);
	done(s);
}

int main(void)
{
	const char *root = scratch_enter();

	snprintf(state, sizeof(state), "%s/state", root);
	snprintf(place, sizeof(place), "%s/place", root);
	scratch_dir("place");
	test_nothing();
	test_read();
	test_known();
	test_moved();
	test_no_domain();
	test_secret();
	test_result();
	test_half();
	scratch_leave(root);
	return tap_done();
}
