/* SPDX-License-Identifier: MIT
 *
 * The promises about runs, asked of the gate itself: random sequences of reading and of runs with
 * workspaces, input and plan tokens go through the same words as every run (facts, origin, decide, log),
 * and only the box is left out. A model in this file knows, in the plainest way, how low each domain and
 * directory must be; the gate may never be above it. Nothing is scanned: what that would have found is
 * made up. What it does find is in tests/cli/plan.bats.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "base/digest.h"
#include "base/scope.h"
#include "flow/gate.h"
#include "scratch.h"
#include "tap.h"

enum { DOMAINS = 3, PLACES = 3, TOKENS = 24, STEPS = 100, ROUNDS = 12 };

struct token {
	char text[PLAN_TEXT_MAX];
	int domain;
	enum integrity least;
};

struct model {
	uint64_t random, round; /* each has domains and directories of its own */
	struct gate_state state;
	char handle[DOMAINS][HANDLE_MAX];
	enum integrity floor[DOMAINS], place[PLACES];
	struct token token[TOKENS];
	size_t tokenc, plans, exposed, marked; /* what has happened, so that something did */
	unsigned broken[8];
};

static const char *root;
static const char code[] = "print(1)\n";

static unsigned pick(struct model *m, unsigned n)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (unsigned)(m->random >> 33) % n;
}

static void promise(struct model *m, int number, bool kept)
{
	m->broken[number] += !kept;
}

static void must(bool done, const struct err *err)
{
	if (!done)
		printf("# %s: %s\n", err->message, err->cause);
	scratch_must(done, "a step");
}

static struct domain find(struct model *m, int i)
{
	struct domain_ask ask = {.principal = m->state.principal, .handle = m->handle[i]};
	struct domain d;
	struct err err = {0};

	must(domain_find(&m->state.keeper, &ask, &d, &err) == 0, &err);
	return d;
}

/* Another conversation in the place of one; its plans are nobody's. */
static void talk(struct model *m, int i)
{
	struct host_event e = {
		.authenticated = true, .principal = m->state.principal, .what = "test"};
	struct domain ignored;
	struct err err = {0};

	must(domain_new(&m->state.keeper, &e, m->handle[i], &ignored, &err) == 0, &err);
	m->floor[i] = INTEGRITY_USER;
	for (size_t t = 0; t < m->tokenc; t++)
		if (m->token[t].domain == i)
			m->token[t].domain = -1;
}

static void step_talk(struct model *m)
{
	talk(m, (int)pick(m, DOMAINS));
}

static void step_read(struct model *m)
{
	int i = (int)pick(m, DOMAINS);
	char text[96];
	struct origin_text t = {.data = text};
	struct source_in in = {.text = &t, .count = 1, .kind = FROM_WEB, .label = label_unknown()};
	struct source_released r;
	struct domain d = find(m, i);
	struct err err = {0};

	t.len = (size_t)snprintf(text, sizeof(text), "a document, %x of them", pick(m, 1 << 30));
	must(source_commit(&m->state.keeper, &d, &in, &r, &err) == 0, &err);
	m->floor[i] = INTEGRITY_UNTRUSTED;
}

static void step_plan(struct model *m)
{
	struct token *t = &m->token[m->tokenc];
	struct plan plan = {.caps = CAP_ALL, .runs = 1000, .lang = "python", .suffix = ".py"};
	struct request with;
	struct policy policy = {0};
	struct err err = {0};

	if (m->tokenc == TOKENS)
		return;
	request_init(&with);
	t->domain = (int)pick(m, DOMAINS);
	t->least = plan.least = (enum integrity)pick(m, INTEGRITY_COUNT);
	plan.most = SECRECY_SECRET;
	plan.from_us = m->state.keeper.now_us();
	plan.to_us = plan.from_us + PLAN_TIME_MAX_US;
	digest_of(plan.code_sha256, code, sizeof(code) - 1);
	must(policy_load(&policy, "policy.yaml", &err) == 0, &err);
	memcpy(plan.policy_sha256, policy.sha256, sizeof(plan.policy_sha256));
	policy_done(&policy);
	struct domain d = find(m, t->domain);
	bool minted = plan_mint(&m->state.keeper, &d, &plan, t->text, &err) == 0;
	promise(m, 2, minted == (m->floor[t->domain] >= INTEGRITY_TOOL));
	m->tokenc += minted;
}

/* What the model says of what the run was given. */
struct what {
	int domain, place; /* -1: none */
	bool input;
	const struct token *token;
	enum makes makes; /* as the scan would have found */
	bool module;
};

static enum integrity low_of(const struct model *m, const struct what *w)
{
	enum integrity low = INTEGRITY_USER;

	if (w->input || w->place >= 0)
		low = INTEGRITY_UNTRUSTED;
	if (w->place >= 0 && m->place[w->place] < low)
		low = m->place[w->place];
	return low;
}

static void check_origin(struct model *m, const struct what *w, const struct gate *g)
{
	enum integrity low = low_of(m, w), out = gate_label_of_output(g).integrity;
	bool planned = g->origin.origin == ORIGIN_PLAN;
	bool makes = w->makes == MAKES_CODE ||
		     (w->makes == MAKES_UNKNOWN && (w->input || w->place >= 0));

	promise(m, 6, out <= low);
	promise(m, 6, !planned || (w->token && low >= w->token->least));
	promise(m, 6,
		!w->token || w->token->domain != w->domain || low < w->token->least || makes ||
			w->module || planned);
	promise(m, 7, !planned || (!makes && !w->module));
	promise(m, 2,
		m->floor[w->domain] >= INTEGRITY_TOOL || planned ||
			g->origin.origin <= ORIGIN_EXPOSED);
	promise(m, 5,
		w->place < 0 || m->place[w->place] >= INTEGRITY_TOOL || planned ||
			g->origin.origin <= ORIGIN_EXPOSED);
	promise(m, 5,
		g->origin.origin > ORIGIN_EXPOSED ||
			gate_label_of_files(g).integrity <= INTEGRITY_UNTRUSTED);
	m->plans += planned;
	m->exposed += g->origin.origin == ORIGIN_EXPOSED;
}

/* It starts, so what it prints has been read, and what it can write is marked. */
static void start(struct model *m, const struct what *w, struct gate *g)
{
	enum integrity out = gate_label_of_output(g).integrity;
	enum integrity files = gate_label_of_files(g).integrity;
	struct err err = {0};

	must(gate_log_start(g, &err) == 0, &err);
	promise(m, 4, find(m, w->domain).floor.integrity <= out);
	if (out < m->floor[w->domain])
		m->floor[w->domain] = out;
	if (w->place >= 0 && gate_writes(&g->confined) && files < m->place[w->place]) {
		m->place[w->place] = files;
		m->marked += files < INTEGRITY_TOOL;
	}
}

static void decide(struct model *m, const struct what *w, const struct request *r)
{
	AUTO_FREE struct gate *g = calloc(1, sizeof(*g));
	AUTO_FREE struct blueprint *bp = calloc(1, sizeof(*bp));
	struct report *report = calloc(1, sizeof(*report));
	struct err err = {0};

	scratch_must(g && bp && report, "memory");
	blueprint_init(bp);
	must(blueprint_begin(bp, r, &err) == 0 && payload_know(&bp->payload, &err) == 0 &&
		     gate_open(g, r, report, &err) == 0 && gate_open_state(g, &err) == 0 &&
		     gate_facts(g, bp, &err) == 0,
	     &err);
	g->makes.makes = w->makes;
	g->has_modules = w->module;
	must(gate_origin(g, &err) == 0, &err);
	bool decided = gate_decide(g, &err) == 0;
	if (r->workspace) /* as who draws the box does */
		bp->workspace = open(r->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
	check_origin(m, w, g);
	if (decided) /* where people are asked, they agree */
		start(m, w, g);
	gate_close(g);
	blueprint_done(bp);
	report_done(report);
	free(report);
}

static void step_run(struct model *m)
{
	static const enum workspace_mode modes[] = {WORKSPACE_RO, WORKSPACE_RW};
	struct what w = {.domain = (int)pick(m, DOMAINS),
			 .place = (int)pick(m, PLACES + 1) - 1,
			 .input = pick(m, 3) == 0,
			 .makes = MAKES_DATA,
			 .module = pick(m, 8) == 0};
	char state[96], place[32];
	struct request r;

	request_init(&r);
	snprintf(state, sizeof(state), "%s/state", root);
	snprintf(place, sizeof(place), "place%d.%d", (int)m->round, w.place);
	r.lang = "python";
	r.code = code;
	r.code_len = sizeof(code) - 1;
	r.state = state;
	r.policy = "policy.yaml";
	r.workspace = w.place >= 0 ? place : NULL;
	r.workspace_mode = w.place >= 0 ? modes[pick(m, 2)] : WORKSPACE_NONE;
	r.stdin_file = w.input ? "words" : NULL;
	if (m->tokenc && pick(m, 2)) {
		w.token = &m->token[pick(m, (unsigned)m->tokenc)];
		r.plan = w.token->text;
		if (w.token->domain >= 0 && pick(m, 8))
			w.domain = w.token->domain;
		w.makes = pick(m, 3) ? MAKES_DATA : pick(m, 2);
	}
	r.domain = m->handle[w.domain];
	decide(m, &w, &r);
}

static void begin(struct model *m, uint64_t number)
{
	char place[32];

	m->round = number;
	m->random = 88172645463325252ULL * number;
	m->tokenc = 0;
	for (int i = 0; i < PLACES; i++) {
		snprintf(place, sizeof(place), "place%d.%d", (int)number, i);
		scratch_dir(place);
		m->place[i] = INTEGRITY_USER;
	}
	for (int i = 0; i < DOMAINS; i++)
		talk(m, i);
}

int main(void)
{
	static const char *const promises[8] = {
		[2] = "the floor holds: no plan is minted below it, and no code is above it "
		      "without one",
		[4] = "what a run prints was read before it starts",
		[5] = "what it writes, and who is given that later, is as low as the run",
		[6] = "what is not known is untrusted, for what is printed and for a plan's "
		      "--inputs",
		[7] = "a plan that may run what was not planned is none",
	};
	static void (*const steps[])(struct model *) = {step_read, step_talk, step_plan, step_plan,
							step_run,  step_run,  step_run};
	struct gate_state_options o = {.path = NULL};
	struct model m = {.state = STATE_CLOSED};
	struct err err = {0};
	char state[96];

	root = scratch_enter();
	snprintf(state, sizeof(state), "%s/state", root);
	scratch_file("policy.yaml", "version: 1\nprofile: balanced\n", 0644);
	scratch_file("words", "nobody knows these words\n", 0644);
	o.path = state;
	must(gate_state_open(&m.state, &o, &err) == 0, &err);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		begin(&m, round);
		for (int i = 0; i < STEPS; i++)
			steps[pick(&m, ARRAY_SIZE(steps))](&m);
	}
	gate_state_close(&m.state);
	for (int i = 0; i < 8; i++)
		if (promises[i])
			ok(m.broken[i] == 0, "%s", promises[i]);
	ok(m.plans > 10 && m.exposed > 10 && m.marked > 1, "and all of it happened (%zu, %zu, %zu)",
	   m.plans, m.exposed, m.marked);
	scratch_leave(root);
	return tap_done();
}
