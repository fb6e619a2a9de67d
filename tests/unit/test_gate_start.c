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
#include "gate/gate.h"
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
	char conversation[ID_HEX];
};

static void must(bool done, const struct err *err)
{
	if (!done)
		printf("# %s: %s\n", err->message, err->cause);
	scratch_must(done, "a step");
}

static void begin(struct started *s)
{
	AUTO_STATE struct gate_state st = STATE_CLOSED;
	struct gate_state_options o = {.path = state};
	struct conversation c;
	struct err err = {0};

	must(gate_state_open(&st, &o, &err) == 0, &err);
	conversation_init(&c, st.principal, "test", 1);
	must(conversation_begin(&st.keeper, &c, &err) == 0, &err);
	id_hex(&c.id, s->conversation);
}

static void read_page(struct gate_state *st, struct conversation *c)
{
	static const char page[] = "whatever this page says, it was not there before";
	struct origin_text t = {.data = page, .len = sizeof(page) - 1};
	struct source_in in = {.text = &t, .count = 1, .kind = FROM_WEB};
	struct source_released r;
	struct err err = {0};

	must(source_commit(&st->keeper, c, &in, &r, &err) == 0, &err);
}

/* A person's act on the directory of the runs. */
static void set_trust(struct gate_state *st, bool trusted)
{
	__attribute__((cleanup(directories_done))) struct directories dirs = {0};
	AUTO_TX struct store_tx tx = {0};
	AUTO_FREE struct directory_place *at = calloc(1, sizeof(*at));
	AUTO_CLOSE int fd = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct err err = {0};

	must(directories_load(&st->keeper, &dirs, &err) == 0 &&
		     directory_find(fd, place, at, &err) == 0 &&
		     directory_set(&dirs, at, trusted, "anna", st->keeper.now_us(), &err) == 0,
	     &err);
	directories_put(&dirs, &tx);
	must(store_commit(st->store, &tx, &err) == 0, &err);
}

static void trust_place(bool trusted)
{
	AUTO_STATE struct gate_state st = STATE_CLOSED;
	struct gate_state_options o = {.path = state};
	struct err err = {0};

	must(gate_state_open(&st, &o, &err) == 0, &err);
	set_trust(&st, trusted);
}

/* All that is decided, again after a conflict. */
static int look(struct started *s, struct err *err)
{
	return gate_facts(&s->gate, &s->bp, err) < 0 || gate_origin(&s->gate, err) < 0 ||
			       gate_decide(&s->gate, err) < 0
		       ? -1
		       : 0;
}

/* Everything up to the start, in a conversation of its own that has begun. EXPOSED: the host says so. */
static struct started *decide(bool exposed)
{
	struct started *s = calloc(1, sizeof(*s));
	struct err err = {0};

	scratch_must(s != NULL, "memory");
	begin(s);
	request_init(&s->request);
	s->request.lang = "python";
	s->request.code = code;
	s->request.code_len = sizeof(code) - 1;
	s->request.state = state;
	s->request.conversation = s->conversation;
	s->request.is_exposed = exposed;
	s->request.workspace = place;
	s->request.workspace_mode = WORKSPACE_OVERLAY;
	blueprint_init(&s->bp);
	must(blueprint_begin(&s->bp, &s->request, NULL, &err) == 0 &&
		     payload_hash(&s->bp.payload, &err) == 0 &&
		     gate_open(&s->gate, &s->request, &s->report, &err) == 0 &&
		     gate_open_state(&s->gate, &err) == 0 && look(s, &err) == 0,
	     &err);
	s->bp.workspace = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
	must(gate_check_inputs(&s->gate, &err) == 0, &err);
	return s;
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

static struct conversation now(struct started *s)
{
	struct conversation c;
	struct err err = {0};

	must(conversation_load(&s->gate.state.keeper, &s->gate.facts.conversation.id, &c, &err) ==
		     0,
	     &err);
	return c;
}

static void test_nothing(void)
{
	struct started *s = decide(false);
	uint64_t records = 0;

	ok(!s->gate.facts.exposed && s->report.origin == ORIGIN_AGENT &&
		   start(s, &records) == ERR_NONE && records >= 3,
	   "nothing happens meanwhile: it starts, with its records");
	ok(!now(s).exposed_us, "and its conversation is as clean as before");
	done(s);
	s = decide(true);
	ok(s->gate.facts.exposed && start(s, &records) == ERR_NONE && now(s).exposed_us &&
		   strcmp(now(s).cause, "the host says so") == 0,
	   "what an exposed run prints exposes its conversation from the start");
	done(s);
}

static void test_read(void)
{
	struct started *s = decide(false);
	struct conversation c = s->gate.facts.conversation;
	uint64_t records = 0;
	struct err err = {0};

	read_page(&s->gate.state, &c);
	ok(start(s, &records) == ERR_CONFLICT && records == 0,
	   "something is read meanwhile: no start, and nothing on record");
	must(look(s, &err) == 0, &err);
	ok(s->gate.facts.exposed && s->report.origin == ORIGIN_EXPOSED,
	   "and the next look knows of it");
	done(s);
}

static void test_ended(void)
{
	struct started *s = decide(false);
	struct conversation c;
	uint64_t records = 0;
	struct err err = {0};

	must(conversation_end(&s->gate.state.keeper, &s->gate.facts.conversation.id, "a rule", &c,
			      &err) == 0,
	     &err);
	ok(start(s, &records) == ERR_CONFLICT && records == 0,
	   "its conversation ends meanwhile: no start");
	ok(look(s, &err) < 0 && err.code == ERR_REFUSED && strstr(err.message, "has ended"),
	   "and it is refused then");
	done(s);
}

static void test_untrusted(void)
{
	struct started *s = decide(false);
	uint64_t records = 0;
	struct err err = {0};

	set_trust(&s->gate.state, false);
	ok(start(s, &records) == ERR_CONFLICT && records == 0,
	   "its directory is untrusted meanwhile: no start");
	must(look(s, &err) == 0, &err);
	ok(s->gate.facts.exposed && strstr(s->gate.facts.cause, "is untrusted"),
	   "and it is exposed then");
	ok(start(s, &records) == ERR_NONE && now(s).exposed_us,
	   "its conversation is exposed when it starts");
	done(s);
	trust_place(true);
}

/* A grant to write to all of the directory, given by a person. */
static void give(struct started *s, char hex[ID_HEX])
{
	AUTO_TX struct store_tx tx = {0};
	uint64_t from = s->gate.state.keeper.now_us();
	struct ticket t = {.giver = TICKET_GRANT,
			   .by = "anna",
			   .has_conversation = true,
			   .conversation = s->gate.facts.conversation.id,
			   .count = {[CAP_WRITE] = 1},
			   .list = {[CAP_WRITE] = {"."}},
			   .from_us = from,
			   .to_us = from + 3600ULL * 1000000,
			   .runs = 1};
	struct err err = {0};

	must(ticket_give(&s->gate.state.keeper, &t, &tx, &err) == 0, &err);
	id_hex(&t.id, hex);
}

static bool is_marked(struct started *s)
{
	__attribute__((cleanup(directories_done))) struct directories dirs = {0};
	struct err err = {0};

	must(directories_load(&s->gate.state.keeper, &dirs, &err) == 0, &err);
	for (size_t i = 0; i < dirs.count; i++)
		if (dirs.list[i].kind == DIRECTORY_MARK && strcmp(dirs.list[i].path, place) == 0)
			return true;
	return false;
}

static void test_ticket(void)
{
	struct started *s = decide(true);
	uint64_t records = 0;
	struct err err = {0};
	char hex[ID_HEX];

	s->request.workspace_mode = WORKSPACE_RW;
	must(look(s, &err) == 0, &err);
	ok(s->gate.decision.confined.workspace_mode == WORKSPACE_OVERLAY &&
		   s->report.effect[0].outcome == OUTCOME_WITHHELD && s->report.effect[0].command,
	   "an exposed run does not write directly, and the command is told");
	give(s, hex);
	must(look(s, &err) == 0, &err);
	ok(s->report.effect[0].outcome == OUTCOME_TICKET && strstr(s->report.effect[0].by, hex),
	   "under a grant it does");
	must(ticket_revoke(&s->gate.state.keeper, hex, "anna", &err) == 0, &err);
	ok(start(s, &records) == ERR_CONFLICT && records == 0,
	   "the grant is revoked meanwhile: no start");
	must(look(s, &err) == 0, &err);
	ok(s->report.effect[0].outcome == OUTCOME_WITHHELD && !is_marked(s),
	   "and then it gives nothing, and nothing is marked");
	give(s, hex);
	must(look(s, &err) == 0, &err);
	s->gate.decision.confined.workspace_mode =
		WORKSPACE_RW; /* also where it is root's directory */
	ok(start(s, &records) == ERR_NONE && is_marked(s),
	   "before an exposed run writes directly, the directory is marked");
	must(look(s, &err) == 0, &err);
	ok(s->report.effect[0].outcome == OUTCOME_WITHHELD, "the one run of the grant is used up");
	done(s);
	trust_place(true);
}

/* A directory of --rw is replaced between the decision and the box. */
static void test_replaced(void)
{
	struct started *s = decide(false);
	const char *more = arena_printf(&s->bp.arena, "%s.more", place);
	const char *old = arena_printf(&s->bp.arena, "%s.old", place);
	struct err err = {0};

	scratch_must(mkdir(more, 0755) == 0, "mkdir");
	s->request.rw[s->request.rwc++] = more;
	must(look(s, &err) == 0, &err);
	s->bp.rw_at[0] = more;
	must(host_paths_add(&s->bp.host_paths, more, &err) != NULL &&
		     gate_check_inputs(&s->gate, &err) == 0,
	     &err);
	host_paths_close(&s->bp.host_paths);
	scratch_must(rename(more, old) == 0 && mkdir(more, 0755) == 0, "a replaced directory");
	must(host_paths_add(&s->bp.host_paths, more, &err) != NULL, &err);
	ok(gate_check_inputs(&s->gate, &err) < 0 && strstr(err.message, more),
	   "a directory of --rw is replaced meanwhile: no start");
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

/* Another process writes into the program while its result is recorded. */
static void test_result(void)
{
	struct started *s = decide(false);
	struct result *r = calloc(1, sizeof(*r));
	struct body body = {0};
	uint64_t records = 0;
	struct err err = {0};
	char ref[64];

	scratch_must(r && start(s, &records) == ERR_NONE, "a start");
	result_init(r);
	s->bp.payload.is_program = true;
	asked = 0;
	must(gate_log_result(&s->gate, r, &err) == 0, &err);
	snprintf(ref, sizeof(ref), "run:%s", s->report.run);
	must(store_find(s->gate.state.store, ref, 0, 0, copy_result, &body, &err) == 0, &err);
	ok(asked == 1 && is_hash_of_rest(&body, s->report.result_sha256),
	   "the hash of a result is the one of its record, whatever becomes of the program");
	s->bp.payload.is_program = false;
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
	trust_place(true);
	test_nothing();
	test_read();
	test_ended();
	test_untrusted();
	test_ticket();
	test_replaced();
	test_result();
	scratch_leave(root);
	return tap_done();
}
