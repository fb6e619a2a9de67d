/* SPDX-License-Identifier: MIT
 *
 * A run is decided on again when something was read meanwhile. In a conversation that has read much, that
 * must not mean to read all of it again, or a process that reads all the time is never caught up with. What
 * the store hands out is counted here; and what comes out is what a gate says that has seen nothing yet.
 */
#include <stdlib.h>

#include "base/scope.h"
#include "gate/gate.h"
#include "scratch.h"
#include "store/chain.h"
#include "tap.h"
#include "trust/source_prints.h"

enum { MANY = 300, LARGE = 1500000 };

static const char *root;
static const char code[] = "print('https://one.example/a'); print('https://two.example/b')\n"
			   "print('https://three.example/c')\n";
static struct store_backend counting;
static const struct store_backend *real;

/* Of what a list gives, fingerprints are counted. */
static size_t counted;
struct call {
	store_item_fn *fn;
	void *context;
};

static int count_item(void *context, const struct store_item *item, struct err *err)
{
	const struct call *c = context;

	counted++;
	return c->fn(c->context, item, err);
}

static int count_list(void *self, enum store_kind kind, const struct store_range *range,
		      store_item_fn *fn, void *context, struct err *err)
{
	struct call c = {fn, context};

	if (kind != STORE_FINGERPRINTS)
		return real->list(self, kind, range, fn, context, err);
	return real->list(self, kind, range, count_item, &c, err);
}

static void must(bool done, const struct err *err)
{
	if (!done)
		printf("# %s: %s\n", err->message, err->cause);
	scratch_must(done, "a step");
}

/* Another process. */
static struct gate_state other;
static struct id talk; /* the conversation */
static char talk_hex[ID_HEX];

static struct conversation find(void)
{
	struct conversation c;
	struct err err = {0};

	must(conversation_load(&other.keeper, &talk, &c, &err) == 0, &err);
	return c;
}

static void begin(void)
{
	struct conversation c;
	struct err err = {0};

	conversation_init(&c, other.principal, "test", 1);
	must(conversation_begin(&other.keeper, &c, &err) == 0, &err);
	talk = c.id;
	id_hex(&talk, talk_hex);
}

static void reads(const char *text)
{
	struct origin_text t = {.data = text, .len = strlen(text)};
	struct source_in in = {.text = &t, .count = 1, .kind = FROM_WEB};
	struct source_released r;
	struct conversation c = find();
	struct err err = {0};

	must(source_commit(&other.keeper, &c, &in, &r, &err) == 0, &err);
}

/* One run, as far as it is decided. */
struct one {
	struct request req;
	struct gate gate;
	struct blueprint bp;
	struct report report;
	char state[96];
	struct origin_text text;
};

static struct one *one_new(void)
{
	struct one *o = calloc(1, sizeof(*o));
	struct err err = {0};

	scratch_must(o, "memory");
	request_init(&o->req);
	snprintf(o->state, sizeof(o->state), "%s/state", root);
	o->req.lang = "python";
	o->req.code = code;
	o->req.code_len = sizeof(code) - 1;
	o->req.state = o->state;
	o->req.conversation = talk_hex;
	o->text = (struct origin_text){.data = code, .len = sizeof(code) - 1};
	o->gate.inspection.text = &o->text; /* nothing is scanned */
	o->gate.inspection.textc = 1;
	blueprint_init(&o->bp);
	must(blueprint_begin(&o->bp, &o->req, NULL, &err) == 0 &&
		     payload_hash(&o->bp.payload, &err) == 0 &&
		     gate_open(&o->gate, &o->req, &o->report, &err) == 0 &&
		     gate_open_state(&o->gate, &err) == 0,
	     &err);
	o->gate.state.store->backend = &counting;
	return o;
}

static void one_free(struct one *o)
{
	o->gate.inspection = (struct inspection){0};
	o->gate.state.store->backend = real;
	gate_close(&o->gate);
	blueprint_done(&o->bp);
	report_done(&o->report);
	free(o);
}

/* How many were read for it. */
static size_t decide(struct one *o)
{
	struct err err = {0};

	counted = 0;
	must(gate_facts(&o->gate, &o->bp, &err) == 0 && gate_origin(&o->gate, &err) == 0, &err);
	return counted;
}

/* It is as if all of it were read for the first time. */
static bool is_same(struct one *o)
{
	struct one *fresh = one_new();

	decide(fresh);
	struct gate *a = &o->gate, *b = &fresh->gate;
	bool same = a->facts.sources.count == b->facts.sources.count &&
		    a->report->origin == b->report->origin &&
		    a->origin.ties.count == b->origin.ties.count &&
		    a->origin.ties.more == b->origin.ties.more;
	for (size_t i = 0; same && i < a->facts.sources.count; i++)
		same = id_is_same(&a->facts.sources.id[i], &b->facts.sources.id[i]) &&
		       a->origin.tie[i] == b->origin.tie[i];
	for (size_t i = 0; same && i < a->origin.ties.count; i++)
		same = a->origin.ties.list[i].source == b->origin.ties.list[i].source &&
		       a->origin.ties.list[i].at == b->origin.ties.list[i].at;
	one_free(fresh);
	return same;
}

static bool starts(struct one *o)
{
	struct err err = {0};
	bool started = gate_decide(&o->gate, &err) == 0 && gate_log_start(&o->gate, &err) == 0;

	scratch_must(started || err.code == ERR_CONFLICT || err.code == ERR_REFUSED, err.message);
	return started;
}

static void test_again(void)
{
	struct one *o = one_new();
	char text[96];

	for (int i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "page %d of the long story of host%d.example", i, i);
		reads(text);
	}
	ok(decide(o) == MANY && o->report.origin == ORIGIN_EXPOSED, "all is read, once");
	reads("page of nothing that this code has, another.example");
	ok(!starts(o), "what was read meanwhile is decided on again");
	ok(decide(o) == 1 && o->report.origin == ORIGIN_EXPOSED && is_same(o),
	   "and only that is read");
	reads("see https://one.example/a");
	ok(decide(o) == 1 && o->report.origin == ORIGIN_DERIVED && is_same(o),
	   "it ties where it must");
	reads("see https://two.example/b");
	ok(decide(o) == 1 && o->gate.origin.ties.count >= 2 && is_same(o), "also to more of them");
	ok(decide(o) == 0 && is_same(o), "where nothing is new, nothing is read");
	one_free(o);
}

static uint64_t long_ago(void)
{
	return 1;
}

/* A clock that was set back, or a process that was stopped between its stamp and its commit. */
static void test_stamped(void)
{
	uint64_t (*now)(void) = other.keeper.now_us;
	struct one *o = one_new();

	decide(o);
	other.keeper.now_us = long_ago;
	reads("seen before all others: https://one.example/a");
	other.keeper.now_us = now;
	ok(decide(o) == 1 && o->gate.origin.tie[0] != TIE_NONE && is_same(o),
	   "what was stamped earlier and comes later is new, and stands where it belongs");
	one_free(o);
}

/* A large source has several items, and is met while they are written. */
static void test_large(void)
{
	AUTO_FREE char *text = malloc(LARGE + 64);
	AUTO_INDEX struct index ix = {0};
	AUTO_SOURCE_PRINTS struct source_prints p = {0};
	AUTO_TX struct store_tx tx = {0};
	struct one *o = one_new();
	struct conversation c = find();
	struct source s = {.conversation = c.id, .time_us = other.keeper.now_us()};
	uint64_t random = 88172645463325252ULL;
	struct err err = {0};

	scratch_must(text, "memory");
	for (size_t i = 0; i < LARGE; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		text[i] = (char)(i % 40 ? 'a' + (random >> 33) % 26 : '\n');
	}
	size_t len = LARGE + (size_t)sprintf(text + LARGE, "\nhttps://three.example/c\n");
	struct origin_text t = {.data = text, .len = len};
	id_random(&s.id);
	must(index_build(&t, 1, &ix, &err) == 0, &err);
	decide(o);
	must(source_prints_put(&other.keeper, &s, &ix, &p, &err) == 0, &err);
	size_t before = o->gate.origin.ties.count, half = decide(o);
	ok(half > 0 && o->gate.origin.ties.count == before && is_same(o),
	   "half of it ties to nothing");
	source_prints_put_last(&p, &tx);
	c.sources++;
	conversation_put(&c, &tx);
	must(store_commit(other.keeper.store, &tx, &err) == 0, &err);
	size_t rest = decide(o);
	ok(rest == half + 1 && o->gate.origin.ties.count > before && is_same(o),
	   "and is held against the code again when it has grown");
	one_free(o);
}

/* What is not only more is read as a whole. */
static void test_changed(void)
{
	struct one *o = one_new();
	struct err err = {0};

	size_t all = decide(o);
	struct conversation c = find();
	must(source_evict(&other.keeper, &c, c.print_bytes / 2, &err) == 0, &err);
	ok(decide(o) < all && is_same(o), "what was forgotten is gone");
	ok(o->gate.facts.exposed, "and the conversation stays exposed");
	one_free(o);
}

int main(void)
{
	struct gate_state_options options = {0};
	struct err err = {0};
	char state[96];

	root = scratch_enter();
	snprintf(state, sizeof(state), "%s/state", root);
	options.path = state;
	other = (struct gate_state)STATE_CLOSED;
	must(gate_state_open(&other, &options, &err) == 0, &err);
	real = other.store->backend;
	counting = *real;
	counting.list = count_list;
	begin();
	test_again();
	test_stamped();
	test_large();
	test_changed();
	gate_state_close(&other);
	scratch_leave(root);
	return tap_done();
}
