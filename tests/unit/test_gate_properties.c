/* SPDX-License-Identifier: MIT
 *
 * The seven promises about labels, asked of the gate itself: random sequences of reading, of runs with
 * workspaces, input, plan tokens and names that a client chose, of new conversations and forgetting go
 * through the same words as every run (ingest; facts, origin, decide, log) and only the box is left out: what
 * it would print and write is made up. A model in this file knows, in the plainest way, how low each
 * conversation, directory and text must be; the gate may never be above it. Code is not scanned: what that
 * would have found is made up. What it does find is in tests/cli/plan.bats.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/io.h"
#include "base/scope.h"
#include "flow/gate.h"
#include "flow/ingest.h"
#include "scratch.h"
#include "tap.h"

enum {
	SLOTS = 3,
	TALKS = 64,
	NAMES = 2,
	PLACES = 3,
	TOKENS = 24,
	TEXTS = 64,
	STEPS = 100,
	ROUNDS = 24,
	TEXT_MAX = 96,
	OWNER = 61000, /* a directory of root's is given to nobody */
};

#define HOSTILE "moonstone word"
static const char rule[] =
	"title: T\nid: ATR-2026-90001\nseverity: critical\nmaturity: stable\nstatus: stable\n"
	"tags: {scan_target: both, confidence: high}\nagent_source: {type: llm_io}\ndetection:\n"
	"  condition: any\n  conditions:\n"
	"    - {field: content, operator: regex, value: '" HOSTILE "'}\n";

/* A conversation. Those that were merged have one root, whose floor counts. */
struct talk {
	char handle[HANDLE_MAX];
	int root;
	enum integrity floor;
	unsigned merges, epochs; /* that it went through */
};

struct token {
	char text[PLAN_TEXT_MAX];
	int talk;
	unsigned merges, epochs; /* of the conversation, when it was made */
	enum integrity least;
};

/* Something that was read, printed or written: wherever its bytes are met, they are as low as that. */
struct made {
	char text[TEXT_MAX];
	enum integrity label;
};

struct model {
	uint64_t random, round; /* each has conversations and directories of its own */
	struct gate_state state;
	struct packs rules;
	struct talk talk[TALKS];
	size_t talkc;
	int slot[SLOTS], named[NAMES]; /* of the talks; -1: none */
	enum integrity place[PLACES];
	struct token token[TOKENS];
	size_t tokenc;
	struct made made[TEXTS];
	size_t madec;
	/* What has happened, so that something did. */
	size_t plans, exposed, marked, merged, tied, known, hostile, renewed;
	unsigned broken[8];
};

static const char *root_dir;
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

static int root(const struct model *m, int i)
{
	while (m->talk[i].root != i)
		i = m->talk[i].root;
	return i;
}

static enum integrity floor_of(const struct model *m, int talk)
{
	return m->talk[root(m, talk)].floor;
}

static void lower(struct model *m, int talk, enum integrity to)
{
	struct talk *t = &m->talk[root(m, talk)];

	if (to < t->floor)
		t->floor = to;
}

/* Some text that is nobody else's, in RET, long enough to be known by its bytes. */
static void new_text(struct model *m, const char *what, char ret[TEXT_MAX])
{
	snprintf(ret, TEXT_MAX, "%s %08x%08x, that is all there is of it", what, pick(m, 1U << 31),
		 pick(m, 1U << 31));
}

static void remember(struct model *m, const char *text, enum integrity label)
{
	struct made *to = &m->made[m->madec < TEXTS ? m->madec++ : pick(m, TEXTS)];

	if (label >= INTEGRITY_TOOL)
		return; /* what is trusted is known to nobody */
	snprintf(to->text, sizeof(to->text), "%s", text);
	to->label = label;
}

static struct domain find(struct model *m, int talk)
{
	struct domain_ask ask = {.principal = m->state.principal, .handle = m->talk[talk].handle};
	struct domain d;
	struct err err = {0};

	must(domain_find(&m->state.keeper, &ask, &d, &err) == 0, &err);
	return d;
}

/* A conversation in that slot, in place of another. */
static void talk(struct model *m, int slot)
{
	struct host_event e = {
		.authenticated = true, .principal = m->state.principal, .what = "test"};
	struct domain ignored;
	struct err err = {0};

	if (m->talkc == TALKS)
		return;
	int i = m->slot[slot] = (int)m->talkc++;
	m->talk[i] = (struct talk){.root = i, .floor = INTEGRITY_USER};
	must(domain_new(&m->state.keeper, &e, m->talk[i].handle, &ignored, &err) == 0, &err);
}

static void step_talk(struct model *m)
{
	talk(m, (int)pick(m, SLOTS));
}

/* Only the host begins anew; and what others have merged with it stays. */
static void step_renew(struct model *m)
{
	int i = m->slot[pick(m, SLOTS)], r = root(m, i), others = 0;
	struct host_event e = {.authenticated = pick(m, 2), .principal = m->state.principal};
	struct domain d = find(m, i), now;
	struct err err = {0};
	bool done = domain_begin_epoch(&m->state.keeper, &e, m->talk[i].handle, &now, &err) == 0;

	promise(m, 3, done == e.authenticated);
	now = find(m, i);
	promise(m, 3, now.epoch == d.epoch + done);
	for (int k = 0; k < (int)m->talkc; k++) {
		others += k != i && root(m, k) == r;
		m->talk[k].epochs += done && root(m, k) == r;
	}
	if (done && !others)
		m->talk[r].floor = INTEGRITY_USER;
	m->renewed += done;
	promise(m, 3, now.floor.integrity <= floor_of(m, i));
}

/* What is forgotten is as low as it was. */
static void step_forget(struct model *m)
{
	struct domain d = find(m, m->slot[pick(m, SLOTS)]);
	enum integrity before = d.floor.integrity;
	struct err err = {0};

	must(source_evict(&m->state.keeper, &d, pick(m, 2) ? 0 : 500, &err) == 0, &err);
	promise(m, 1, d.floor.integrity == before && d.print_bytes <= 500);
}

static void step_plan(struct model *m)
{
	struct token *t = &m->token[m->tokenc];
	struct plan plan = {.caps = CAP_ALL, .runs = 1000, .lang = "python", .suffix = ".py"};
	struct policy policy = {0};
	struct err err = {0};

	if (m->tokenc == TOKENS)
		return;
	t->talk = m->slot[pick(m, SLOTS)];
	t->merges = m->talk[t->talk].merges;
	t->epochs = m->talk[t->talk].epochs;
	t->least = plan.least = (enum integrity)pick(m, INTEGRITY_COUNT);
	plan.most = SECRECY_SECRET;
	plan.from_us = m->state.keeper.now_us();
	plan.to_us = plan.from_us + PLAN_TIME_MAX_US;
	digest_of(plan.code_sha256, code, sizeof(code) - 1);
	must(policy_load(&policy, "policy.yaml", &err) == 0, &err);
	memcpy(plan.policy_sha256, policy.sha256, sizeof(plan.policy_sha256));
	policy_done(&policy);
	struct domain d = find(m, t->talk);
	bool minted = plan_mint(&m->state.keeper, &d, &plan, t->text, &err) == 0;
	promise(m, 2, minted == (floor_of(m, t->talk) >= INTEGRITY_TOOL));
	m->tokenc += minted;
}

/* What the model says of what the run was given. */
struct what {
	int talk, place, name; /* -1: none */
	bool input;
	const struct token *token;
	const struct made *made; /* its code is this; or NULL */
	const char *part;	 /* or has this in it, which was just read here; or NULL */
	enum makes makes;	 /* as the scan would have found */
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

/* The conversation is one with all that its name was used in. */
static void merge(struct model *m, const struct what *w)
{
	if (w->name < 0)
		return;
	if (m->named[w->name] < 0)
		m->named[w->name] = w->talk;
	int to = root(m, w->talk), from = root(m, m->named[w->name]);
	if (to == from)
		return;
	for (int k = 0; k < (int)m->talkc; k++)
		m->talk[k].merges += root(m, k) == to || root(m, k) == from;
	lower(m, to, m->talk[from].floor);
	m->talk[from].root = to;
	m->merged++;
}

/* That of the token's own conversation, in its own epoch. */
static bool is_theirs(const struct model *m, const struct what *w)
{
	return root(m, w->token->talk) == root(m, w->talk) &&
	       m->talk[w->token->talk].epochs == w->token->epochs;
}

static void check_plan(struct model *m, const struct what *w, enum integrity low, bool planned)
{
	bool makes = w->makes == MAKES_CODE ||
		     (w->makes == MAKES_UNKNOWN && (w->input || w->place >= 0));
	bool good = w->token && is_theirs(m, w) && low >= w->token->least && !makes && !w->module;

	promise(m, 6, !planned || (w->token && low >= w->token->least));
	promise(m, 3, !planned || (w->token && is_theirs(m, w)));
	promise(m, 7, !planned || (!makes && !w->module));
	/* Who was merged may have lost its plans; all others have theirs. */
	promise(m, 6, !good || m->talk[w->token->talk].merges != w->token->merges || planned);
}

static void check_origin(struct model *m, const struct what *w, const struct gate *g)
{
	enum integrity low = low_of(m, w), out = gate_label_of_output(g).integrity;
	enum origin origin = g->origin.origin;
	bool planned = origin == ORIGIN_PLAN;

	check_plan(m, w, low, planned);
	promise(m, 6, out <= low);
	promise(m, 2,
		floor_of(m, w->talk) >= INTEGRITY_TOOL || planned || origin <= ORIGIN_EXPOSED);
	promise(m, 3, find(m, w->talk).floor.integrity <= floor_of(m, w->talk));
	promise(m, 5,
		w->place < 0 || m->place[w->place] >= INTEGRITY_TOOL || planned ||
			origin <= ORIGIN_EXPOSED);
	promise(m, 5,
		origin > ORIGIN_EXPOSED || gate_label_of_files(g).integrity <= INTEGRITY_UNTRUSTED);
	promise(m, 5, !w->made || origin <= ORIGIN_DERIVED);
	promise(m, 1, !w->made || w->made->label > INTEGRITY_HOSTILE || origin == ORIGIN_HOSTILE);
	promise(m, 4, !w->part || origin <= ORIGIN_DERIVED);
	m->plans += planned;
	m->exposed += origin == ORIGIN_EXPOSED;
	m->tied += w->part && origin <= ORIGIN_DERIVED;
	m->known += w->made && origin <= ORIGIN_DERIVED;
	m->hostile += w->made && w->made->label == INTEGRITY_HOSTILE;
}

/* It prints something, and writes something where it may: both are what it is. */
static void make(struct model *m, const struct what *w, struct gate *g)
{
	enum integrity out = gate_label_of_output(g).integrity;
	enum integrity files = gate_label_of_files(g).integrity;
	char printed[TEXT_MAX], written[TEXT_MAX], path[64];
	struct result r;
	struct err err = {0};

	result_init(&r);
	new_text(m, "printed", printed);
	must(capture_init(&r.out[0], 4096) == 0 && capture_init(&r.out[1], 4096) == 0, &err);
	capture_add(&r.out[0], printed, strlen(printed));
	if (w->place >= 0 && gate_writes(&g->confined)) {
		new_text(m, "written", written);
		snprintf(path, sizeof(path), "place%d.%d/%.16s", (int)m->round, w->place,
			 written + strlen("written "));
		scratch_file(path, written, 0644);
		remember(m, written, files);
	}
	r.status = STATUS_EXITED;
	must(gate_see_written(g, &r, &err) == 0 && gate_log_result(g, &r, &err) == 0 &&
		     gate_log_made(g, &r, &err) == 0,
	     &err);
	remember(m, printed, out);
	result_done(&r);
}

/* It starts, so what it prints has been read, and what it can write is marked. */
static void start(struct model *m, const struct what *w, struct gate *g)
{
	enum integrity out = gate_label_of_output(g).integrity;
	enum integrity files = gate_label_of_files(g).integrity;
	struct err err = {0};

	must(gate_log_start(g, &err) == 0, &err);
	promise(m, 4, find(m, w->talk).floor.integrity <= out);
	lower(m, w->talk, out);
	if (w->place >= 0 && gate_writes(&g->confined) && files < m->place[w->place]) {
		m->place[w->place] = files;
		m->marked += files < INTEGRITY_TOOL;
	}
	make(m, w, g);
}

static void decide(struct model *m, const struct what *w, const struct request *r)
{
	AUTO_FREE struct gate *g = calloc(1, sizeof(*g));
	AUTO_FREE struct blueprint *bp = calloc(1, sizeof(*bp));
	struct report *report = calloc(1, sizeof(*report));
	struct origin_text text = {.data = r->code, .len = r->code_len};
	struct err err = {0};

	scratch_must(g && bp && report, "memory");
	blueprint_init(bp);
	must(blueprint_begin(bp, r, NULL, &err) == 0 && payload_know(&bp->payload, &err) == 0 &&
		     gate_open(g, r, report, &err) == 0 && gate_open_state(g, &err) == 0 &&
		     gate_facts(g, bp, &err) == 0,
	     &err);
	merge(m, w);
	g->look.text = &text;
	g->look.textc = 1;
	g->makes.makes = g->makes_as_plan.makes = w->makes;
	g->has_modules = w->module;
	must(gate_origin(g, &err) == 0, &err);
	bool decided = gate_decide(g, &err) == 0;
	if (r->workspace) /* as who draws the box does */
		bp->workspace = open(r->workspace, O_PATH | O_DIRECTORY | O_CLOEXEC);
	check_origin(m, w, g);
	if (decided) { /* where people are asked, they agree */
		bp->planned = g->decision.origin == ORIGIN_PLAN;
		must(blueprint_make(bp, &g->confined, &err) == 0 && gate_check_given(g, &err) == 0,
		     &err);
		start(m, w, g);
	}
	g->look = (struct look){0};
	gate_close(g);
	blueprint_done(bp);
	report_done(report);
	free(report);
}

/* Any run that is about what W says. */
static void run(struct model *m, struct what *w)
{
	static const enum workspace_mode modes[] = {WORKSPACE_RO, WORKSPACE_RW};
	char state[96], place[32], name[32], with_part[TEXT_MAX + 32];
	struct request r;

	request_init(&r);
	snprintf(state, sizeof(state), "%s/state", root_dir);
	snprintf(place, sizeof(place), "place%d.%d", (int)m->round, w->place);
	snprintf(name, sizeof(name), "talk%d.%d", (int)m->round, w->name);
	snprintf(with_part, sizeof(with_part), "y = 2\nx = '%s'\n", w->part ? w->part : "");
	r.lang = "python";
	r.code = w->made ? w->made->text : w->part ? with_part : code;
	r.code_len = strlen(r.code);
	r.state = state;
	r.policy = "policy.yaml";
	r.rules[r.rulesc++] = "rules";
	r.workspace = w->place >= 0 ? place : NULL;
	r.workspace_mode = w->place >= 0 ? modes[pick(m, 2)] : WORKSPACE_NONE;
	r.stdin_file = w->input ? "words" : NULL;
	r.plan = w->token ? w->token->text : NULL;
	r.conversation = w->name >= 0 ? name : NULL;
	r.domain = m->talk[w->talk].handle;
	decide(m, w, &r);
}

static void step_run(struct model *m)
{
	struct what w = {.talk = m->slot[pick(m, SLOTS)],
			 .place = (int)pick(m, PLACES + 1) - 1,
			 .name = pick(m, 12) ? -1 : (int)pick(m, NAMES),
			 .input = pick(m, 3) == 0,
			 .makes = MAKES_DATA,
			 .module = pick(m, 8) == 0};

	if (m->madec && pick(m, 4) == 0) {
		w.made = &m->made[pick(m, (unsigned)m->madec)];
		w.made = *w.made->text ? w.made : NULL;
	} else if (m->tokenc && pick(m, 2)) {
		w.token = &m->token[pick(m, (unsigned)m->tokenc)];
		if (pick(m, 8))
			w.talk = w.token->talk;
		w.makes = pick(m, 3) ? MAKES_DATA : pick(m, 2);
	}
	run(m, &w);
}

/* Its bytes come back when it is on the disk, and the next call knows it, however fast it comes. */
static void step_read(struct model *m)
{
	struct what w = {.talk = m->slot[pick(m, SLOTS)], .place = -1, .name = -1};
	bool hostile = pick(m, 4) == 0;
	enum integrity least = hostile ? INTEGRITY_HOSTILE : INTEGRITY_UNTRUSTED;
	char text[TEXT_MAX];
	AUTO_FREE struct ingest_report *r = calloc(1, sizeof(*r));
	struct domain d = find(m, w.talk);
	struct source kept;
	struct err err = {0};

	scratch_must(r, "memory");
	new_text(m, hostile ? HOSTILE : "a page", text);
	struct ingest_in in = {.kind = FROM_WEB,
			       .name = "page",
			       .name_len = 4,
			       .data = {text, strlen(text)},
			       .label = {.integrity = (enum integrity)pick(m, INTEGRITY_COUNT)}};
	must(ingest(&m->state, &m->rules, &d, &in, r, &err) == 0, &err);
	if (in.label.integrity < least)
		least = in.label.integrity;
	promise(m, 4,
		r->released.data == text && find(m, w.talk).floor.integrity <= least &&
			source_load(&m->state.keeper, &r->released.source.id, &kept, &err) == 0 &&
			kept.label.integrity <= least);
	promise(m, 7, r->released.source.label.integrity <= least); /* a label can only lower */
	ingest_done(r);
	lower(m, w.talk, least);
	remember(m, text, hostile ? INTEGRITY_HOSTILE : INTEGRITY_UNTRUSTED);
	w.part = text;
	w.makes = MAKES_DATA;
	if (pick(m, 3) == 0)
		run(m, &w);
}

static void begin(struct model *m, uint64_t number)
{
	char place[32];

	m->round = number;
	m->random = 88172645463325252ULL * number;
	m->tokenc = m->talkc = m->madec = 0;
	m->named[0] = m->named[1] = -1;
	for (int i = 0; i < PLACES; i++) {
		snprintf(place, sizeof(place), "place%d.%d", (int)number, i);
		scratch_dir(place);
		scratch_must(geteuid() || chown(place, OWNER, OWNER) == 0, "chown");
		m->place[i] = INTEGRITY_USER;
	}
	for (int i = 0; i < SLOTS; i++)
		talk(m, i);
}

static void open_all(struct model *m, const char *state)
{
	struct gate_state_options o = {.path = state};
	const char *where = "rules";
	struct packs_options packs = {.directory = &where, .directories = 1};
	struct err err = {0};

	scratch_file("policy.yaml", "version: 1\nprofile: balanced\n", 0644);
	scratch_file("words", "nobody knows these words\n", 0644);
	scratch_dir("rules");
	scratch_file("rules/a.yaml", rule, 0644);
	must(look_rules(&m->rules, &packs, &err) == 0 && gate_state_open(&m->state, &o, &err) == 0,
	     &err);
}

int main(void)
{
	static const char *const promises[8] = {
		[1] = "what is forgotten stays as low as it was, and hostile bytes are for good",
		[2] = "the floor holds: no plan is minted below it, and no code is above it "
		      "without one",
		[3] = "only the host begins an epoch; no name makes anything cleaner, no plan is "
		      "another's",
		[4] = "what is read, and what a run prints, is on the disk before anybody has it",
		[5] = "what it writes and prints, and who is given that later, is as low as the "
		      "run",
		[6] = "what is not known is untrusted, for what is printed and for a plan's "
		      "--inputs",
		[7] = "a plan that may run what was not planned is none; a label from outside "
		      "lowers",
	};
	static void (*const steps[])(struct model *) = {
		step_read, step_read, step_talk, step_plan, step_plan, step_renew,
		step_run,  step_run,  step_run,	 step_run,  step_run,  step_forget};
	static struct model m = {.state = STATE_CLOSED};
	char state[96];

	root_dir = scratch_enter();
	snprintf(state, sizeof(state), "%s/state", root_dir);
	setenv("XDG_CACHE_HOME", state, 1);
	open_all(&m, state);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		begin(&m, round);
		for (int i = 0; i < STEPS; i++)
			steps[pick(&m, ARRAY_SIZE(steps))](&m);
	}
	packs_done(&m.rules);
	gate_state_close(&m.state);
	for (int i = 1; i < 8; i++)
		ok(m.broken[i] == 0, "%s", promises[i]);
	ok(m.plans > 10 && m.exposed > 10 && m.marked > 1 && m.merged > 5 && m.tied > 10 &&
		   m.known > 10 && m.hostile > 5 && m.renewed > 10,
	   "and all of it happened (%zu, %zu, %zu, %zu, %zu, %zu, %zu, %zu)", m.plans, m.exposed,
	   m.marked, m.merged, m.tied, m.known, m.hostile, m.renewed);
	scratch_leave(root_dir);
	return tap_done();
}
