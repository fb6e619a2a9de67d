/* SPDX-License-Identifier: MIT
 *
 * The rules of trust, asked of the gate itself: random sequences of reading, trusting, granting, planning and
 * running go through the same words as every run (facts, origin, decide, log), and only the box is left
 * out. A model in this file knows in the plainest way what is exposed and what is covered; the gate must say
 * the same, no less and no more.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "gate/gate.h"
#include "scratch.h"
#include "tap.h"

enum {
	TALKS = 4,
	PLACES = 2,
	TICKETS = 24,
	STEPS = 120,
	ROUNDS = 30,
	HOSTS = 3,
	OWNER = 61000, /* a directory of root's is never written to directly */
};

enum host { HOST_LISTED, HOST_TRUSTED, HOST_OTHER };
static const char *const hosts[HOSTS] = {"listed.example:443", "trusted.example:443",
					 "other.example:443"};
static const char policy_text[] = "version: 2\nconfirmation: {net: no}\nnet: {allow: "
				  "[listed.example:443, trusted.example:443], "
				  "trusted: [trusted.example:443]}\n";
static const char *const codes[] = {"print(1)\n", "print(2)\n"};

struct talk {
	struct id id;
	char hex[ID_HEX];
	bool exposed, ended;
};

/* A grant of a conversation or of a directory, or a plan. -1: not for one. */
struct leave {
	char hex[ID_HEX];
	int talk, place, code; /* CODE: a plan for it, with its place or none */
	bool write, net, revoked;
	unsigned runs, used;
};

struct model {
	uint64_t random;
	struct gate_state state;
	struct talk talk[TALKS];
	bool trusted[PLACES], marked[PLACES];
	struct leave leave[TICKETS];
	size_t leavec;
	/* What has happened, so that something did. */
	size_t clean, exposed, by_ticket, by_policy, withheld, planned, unplanned, direct, refused,
		more, more_withheld;
};

enum promise { EXPOSED, ORIGIN, NET, WRITE, MORE, STATE, MARK, ENDED, PROMISES };
static const char *const promises[PROMISES] = {
	"a run is exposed exactly when something untrusted enters it",
	"and has the word for that",
	"a host is given exactly by the policy or a ticket",
	"a directory is written directly exactly by the policy or a ticket",
	"and so is another one (--rw), by those that are for it",
	"a conversation is exposed for good by an exposed run and by answers of the network",
	"an exposed direct write marks a trusted directory",
	"an ended conversation runs nothing",
};
static unsigned broken[PROMISES], asked[PROMISES];
static char state_dir[96], place_path[PLACES][96];

static unsigned pick(struct model *m, unsigned n)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (unsigned)(m->random >> 33) % n;
}

static void promise(enum promise number, bool kept)
{
	asked[number]++;
	broken[number] += !kept;
}

static void must(bool done, const struct err *err)
{
	if (!done)
		printf("# %s: %s\n", err->message, err->cause);
	scratch_must(done, "a step");
}

static void begin(struct model *m, unsigned i)
{
	struct talk *t = &m->talk[i];
	struct conversation c;
	struct err err = {0};

	conversation_init(&c, m->state.principal, "test", 1);
	must(conversation_begin(&m->state.keeper, &c, &err) == 0, &err);
	*t = (struct talk){.id = c.id};
	id_hex(&c.id, t->hex);
	for (size_t k = 0; k < m->leavec; k++) /* those of the one that was here */
		if (m->leave[k].talk == (int)i)
			m->leave[k].revoked = true;
}

static void step_begin(struct model *m)
{
	begin(m, pick(m, TALKS));
}

static void step_end(struct model *m)
{
	struct talk *t = &m->talk[pick(m, TALKS)];
	struct conversation c;
	struct err err = {0};

	if (pick(m, 4))
		return;
	must(conversation_end(&m->state.keeper, &t->id, "test", &c, &err) == 0, &err);
	t->ended = true;
}

static void step_read(struct model *m)
{
	struct talk *t = &m->talk[pick(m, TALKS)];
	struct origin_text text = {.data = "some words of nothing", .len = 21};
	struct source_in in = {.text = &text, .count = 1, .kind = FROM_WEB};
	struct source_released r;
	struct conversation c;
	struct err err = {0};

	if (pick(m, 4))
		return;
	must(conversation_load(&m->state.keeper, &t->id, &c, &err) == 0, &err);
	bool done = source_commit(&m->state.keeper, &c, &in, &r, &err) == 0;
	promise(ENDED, done == !t->ended);
	t->exposed |= done;
	promise(STATE, !done || !c.exposed_us == !t->exposed);
}

static void step_trust(struct model *m)
{
	__attribute__((cleanup(directories_done))) struct directories dirs = {0};
	AUTO_FREE struct directory_place *at = calloc(1, sizeof(*at));
	AUTO_TX struct store_tx tx = {0};
	unsigned p = pick(m, PLACES);
	bool trusted = pick(m, 4) != 0;
	AUTO_CLOSE int fd = open(place_path[p], O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct err err = {0};

	must(directories_load(&m->state.keeper, &dirs, &err) == 0 &&
		     directory_find(fd, place_path[p], at, &err) == 0 &&
		     directory_set(&dirs, at, trusted, "anna", m->state.keeper.now_us(), &err) == 0,
	     &err);
	directories_put(&dirs, &tx);
	must(store_commit(m->state.store, &tx, &err) == 0, &err);
	m->trusted[p] = trusted;
	m->marked[p] = trusted ? false : m->marked[p];
}

static struct leave *add_leave(struct model *m, struct ticket *t)
{
	AUTO_TX struct store_tx tx = {0};
	struct leave *l = &m->leave[m->leavec++];
	struct err err = {0};

	t->by = "anna " TICKET_SIGNED;
	t->from_us = m->state.keeper.now_us();
	t->to_us = t->from_us + 3600ULL * 1000000;
	must(ticket_give(&m->state.keeper, t, &tx, &err) == 0, &err);
	*l = (struct leave){.talk = -1, .place = -1, .code = -1, .runs = t->runs};
	id_hex(&t->id, l->hex);
	return l;
}

static void set_place(struct ticket *t, int place)
{
	AUTO_FREE struct directory_place *at = calloc(1, sizeof(*at));
	AUTO_CLOSE int fd = open(place_path[place], O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct err err = {0};

	must(directory_find(fd, place_path[place], at, &err) == 0, &err);
	t->has_directory = true;
	t->directory = place_path[place];
	t->identity = at->identity[0];
}

static void step_grant(struct model *m)
{
	struct ticket t = {.giver = TICKET_GRANT, .runs = pick(m, 3)};
	int talk = pick(m, 2) ? (int)pick(m, TALKS) : -1;
	int place = talk < 0 || pick(m, 2) ? (int)pick(m, PLACES) : -1;
	bool write = pick(m, 2), net = pick(m, 2);

	if (m->leavec == TICKETS)
		return;
	if (talk >= 0) {
		t.has_conversation = true;
		t.conversation = m->talk[talk].id;
	}
	if (place >= 0)
		set_place(&t, place);
	if (write)
		t.list[CAP_WRITE][t.count[CAP_WRITE]++] = ".";
	if (net)
		t.list[CAP_NET][t.count[CAP_NET]++] = hosts[HOST_OTHER];
	struct leave *l = add_leave(m, &t);
	l->talk = talk;
	l->place = place;
	l->write = write;
	l->net = net;
}

static void step_revoke(struct model *m)
{
	struct err err = {0};

	if (!m->leavec)
		return;
	struct leave *l = &m->leave[pick(m, (unsigned)m->leavec)];
	must(ticket_revoke(&m->state.keeper, l->hex, "anna", &err) == 0, &err);
	l->revoked = true;
}

/* One run, as it was asked for and as far as it is decided. */
struct one {
	struct request req;
	struct gate gate;
	struct blueprint bp;
	struct report report;
	int talk, place, more, code; /* MORE: the place of --rw, or -1 */
	const struct leave *plan;
};

static struct one *one_new(int talk, int place, int code, const struct model *m)
{
	struct one *o = calloc(1, sizeof(*o));
	struct err err = {0};

	scratch_must(o, "memory");
	request_init(&o->req);
	o->talk = talk;
	o->place = place;
	o->more = -1;
	o->code = code;
	o->req.lang = "python";
	o->req.code = codes[code];
	o->req.code_len = strlen(codes[code]);
	o->req.state = state_dir;
	o->req.policy = "policy.yaml";
	o->req.conversation = talk < 0 ? NULL : m->talk[talk].hex;
	o->req.workspace = place < 0 ? NULL : place_path[place];
	o->req.workspace_mode = place < 0 ? WORKSPACE_NONE : WORKSPACE_OVERLAY;
	blueprint_init(&o->bp);
	must(blueprint_begin(&o->bp, &o->req, NULL, &err) == 0 &&
		     payload_hash(&o->bp.payload, &err) == 0 &&
		     gate_open(&o->gate, &o->req, &o->report, &err) == 0 &&
		     gate_open_state(&o->gate, &err) == 0,
	     &err);
	return o;
}

static void one_free(struct one *o)
{
	gate_close(&o->gate);
	blueprint_done(&o->bp);
	report_done(&o->report);
	free(o);
}

/* As cordon plan does: only while it is clean. */
static void step_plan(struct model *m)
{
	int talk = (int)pick(m, TALKS), place = (int)pick(m, PLACES + 1) - 1;
	int code = (int)pick(m, ARRAY_SIZE(codes));
	struct ticket t = {.giver = TICKET_PLAN, .has_conversation = true, .has_program = true};
	struct err err = {0};

	if (m->leavec == TICKETS || m->talk[talk].exposed || m->talk[talk].ended)
		return;
	struct one *o = one_new(talk, place, code, m);
	must(gate_facts(&o->gate, &o->bp, &err) == 0, &err);
	t.conversation = m->talk[talk].id;
	memcpy(t.program, o->gate.facts.program, sizeof(t.program));
	if (place >= 0)
		set_place(&t, place);
	t.list[CAP_NET][t.count[CAP_NET]++] = hosts[HOST_OTHER];
	struct leave *l = add_leave(m, &t);
	l->talk = talk;
	l->place = place;
	l->code = code;
	l->net = true;
	one_free(o);
}

static bool is_trusted(const struct model *m, int place)
{
	return m->trusted[place] && !m->marked[place];
}

static bool is_over(const struct leave *l, const struct one *o)
{
	return l->revoked || (l->runs && l->used >= l->runs) ||
	       (l->talk >= 0 && l->talk != o->talk);
}

static bool holds(const struct model *m, const struct leave *l, const struct one *o)
{
	if (is_over(l, o))
		return false;
	if (l->code < 0)
		return l->place < 0 || l->place == o->place;
	/* A plan was made without --rw. */
	return o->plan == l && l->code == o->code && l->place == o->place && o->more < 0 &&
	       (o->place < 0 || is_trusted(m, o->place));
}

static bool covers(const struct model *m, const struct one *o, enum cap cap)
{
	for (size_t i = 0; i < m->leavec; i++)
		if (holds(m, &m->leave[i], o) &&
		    (cap == CAP_NET ? m->leave[i].net : m->leave[i].write))
			return true;
	return false;
}

static bool covers_more(const struct model *m, const struct one *o)
{
	for (size_t i = 0; i < m->leavec; i++) {
		const struct leave *l = &m->leave[i];
		if (!is_over(l, o) && l->code < 0 && l->write &&
		    (l->place < 0 || l->place == o->more))
			return true;
	}
	return false;
}

/* Not that of --rw. */
static const struct report_effect *effect(const struct one *o, enum cap cap)
{
	for (size_t i = 0; i < o->report.effectc; i++)
		if (o->report.effect[i].cap == cap && *o->report.effect[i].object != '/')
			return &o->report.effect[i];
	return NULL;
}

static void count(struct model *m, enum outcome outcome)
{
	m->by_ticket += outcome == OUTCOME_TICKET;
	m->by_policy += outcome == OUTCOME_POLICY;
	m->withheld += outcome == OUTCOME_WITHHELD;
}

static void check_more(struct model *m, const struct one *o, bool lets_in)
{
	const struct report_effect *e = NULL;
	bool writes = !o->gate.decision.confined.rw_withheld;

	for (size_t i = 0; i < o->report.effectc; i++)
		if (o->more >= 0 && strcmp(o->report.effect[i].object, place_path[o->more]) == 0)
			e = &o->report.effect[i];
	if (o->more < 0) {
		promise(MORE, !e && writes);
		return;
	}
	enum outcome wanted = covers_more(m, o) ? OUTCOME_TICKET
			      : lets_in		? OUTCOME_WITHHELD
						: OUTCOME_POLICY;
	promise(MORE, e && e->outcome == wanted && writes == (wanted != OUTCOME_WITHHELD) &&
			      !e->command == writes);
	m->more += writes;
	m->more_withheld += !writes;
}

/* HOST -1: it asks for none. */
static void check_decision(struct model *m, const struct one *o, bool exposed, int host)
{
	const struct gate *g = &o->gate;
	bool planned = o->plan && holds(m, o->plan, o);
	bool net = g->decision.confined.netc == 1,
	     rw = g->decision.confined.workspace_mode == WORKSPACE_RW;

	promise(EXPOSED, g->facts.exposed == exposed && !g->facts.cause == !exposed);
	promise(ORIGIN, o->report.origin == (o->req.is_users ? ORIGIN_USER
					     : planned	     ? ORIGIN_PLAN
					     : exposed	     ? ORIGIN_EXPOSED
							     : ORIGIN_AGENT));
	if (host >= 0) {
		enum outcome wanted = host == HOST_OTHER && covers(m, o, CAP_NET) ? OUTCOME_TICKET
				      : host != HOST_OTHER && !exposed		  ? OUTCOME_POLICY
								       : OUTCOME_WITHHELD;
		const struct report_effect *e = effect(o, CAP_NET);
		promise(NET, e && e->outcome == wanted && net == (wanted != OUTCOME_WITHHELD) &&
				     !e->command == net);
		count(m, wanted);
	} else {
		promise(NET, g->decision.confined.netc == 0 && !effect(o, CAP_NET));
	}
	bool lets_in = exposed || (host >= 0 && host != HOST_TRUSTED && net);
	check_more(m, o, lets_in);
	if (o->req.workspace_mode == WORKSPACE_RW) {
		enum outcome wanted = covers(m, o, CAP_WRITE) ? OUTCOME_TICKET
				      : lets_in		      ? OUTCOME_WITHHELD
							      : OUTCOME_POLICY;
		const struct report_effect *e = effect(o, CAP_WRITE);
		promise(WRITE, e && e->outcome == wanted && rw == (wanted != OUTCOME_WITHHELD));
		count(m, wanted);
	} else {
		promise(WRITE, !rw && !effect(o, CAP_WRITE));
	}
	m->planned += planned;
	m->unplanned += o->plan && !planned;
	m->direct += rw;
	m->clean += !exposed;
	m->exposed += exposed;
}

/* A plan is for its program; a grant is used by a run that gets an effect by it. */
static bool is_due(const struct leave *l, const struct one *o)
{
	bool gives = o->plan == l;

	for (size_t i = 0; i < o->report.effectc; i++)
		gives |= o->report.effect[i].by && strstr(o->report.effect[i].by, l->hex);
	return gives;
}

/* What the run has changed by starting. */
static void check_start(struct model *m, struct one *o, bool exposed, int host)
{
	struct gate *g = &o->gate;
	struct conversation c;
	struct err err = {0};
	bool lets_in = exposed || (host >= 0 && host != HOST_TRUSTED && g->decision.confined.netc);

	must(gate_log_start(g, &err) == 0, &err);
	for (size_t i = 0; i < m->leavec; i++)
		m->leave[i].used += is_due(&m->leave[i], o) &&
				    (holds(m, &m->leave[i], o) || m->leave[i].place == o->more);
	if (o->place >= 0 && lets_in && g->decision.confined.workspace_mode == WORKSPACE_RW)
		m->marked[o->place] |= m->trusted[o->place];
	if (o->more >= 0 && lets_in && !g->decision.confined.rw_withheld)
		m->marked[o->more] |= m->trusted[o->more];
	if (o->place >= 0 || o->more >= 0) {
		must(gate_facts(g, &o->bp, &err) == 0, &err);
		promise(MARK,
			g->facts.inputs_are_trusted == ((o->place < 0 || is_trusted(m, o->place)) &&
							(o->more < 0 || is_trusted(m, o->more))));
	}
	if (o->talk < 0)
		return;
	m->talk[o->talk].exposed |= lets_in;
	must(conversation_load(&g->state.keeper, &m->talk[o->talk].id, &c, &err) == 0, &err);
	promise(STATE, !c.exposed_us == !m->talk[o->talk].exposed && !c.exposed_us == !c.cause[0]);
}

static void step_run(struct model *m)
{
	int talk = (int)pick(m, TALKS + 1) - 1, place = (int)pick(m, PLACES + 1) - 1;
	int host = (int)pick(m, HOSTS + 1) - 1, code = (int)pick(m, ARRAY_SIZE(codes));
	const struct leave *plan = m->leavec ? &m->leave[pick(m, (unsigned)m->leavec)] : NULL;
	struct err err = {0};

	plan = plan && plan->code >= 0 ? plan : NULL;
	if (plan && pick(m, 4)) { /* mostly for what it was made for */
		talk = plan->talk;
		place = plan->place;
		code = plan->code;
	}
	struct one *o = one_new(talk, place, code, m);
	o->plan = plan;
	o->req.plan = plan ? plan->hex : NULL;
	o->req.is_users = pick(m, 6) == 0;
	o->req.is_exposed = !o->req.is_users && pick(m, 8) == 0;
	if (place >= 0 && pick(m, 2))
		o->req.workspace_mode = WORKSPACE_RW;
	if (pick(m, 3) == 0)
		o->more = place >= 0 ? !place : (int)pick(m, PLACES);
	if (o->more >= 0)
		o->req.rw[o->req.rwc++] = place_path[o->more];
	if (host >= 0)
		o->req.net[o->req.netc++] = hosts[host];
	bool exposed = o->req.is_exposed || (place >= 0 && !is_trusted(m, place)) ||
		       (o->more >= 0 && !is_trusted(m, o->more)) ||
		       (!o->req.is_users && (talk < 0 || m->talk[talk].exposed));
	bool found = gate_facts(&o->gate, &o->bp, &err) == 0;
	bool ended = talk >= 0 && m->talk[talk].ended;
	promise(ENDED, found == !ended && (found || err.code == ERR_REFUSED));
	m->refused += ended;
	if (found) {
		must(gate_origin(&o->gate, &err) == 0 && gate_decide(&o->gate, &err) == 0, &err);
		check_decision(m, o, exposed, host);
		check_start(m, o, exposed, host);
	}
	one_free(o);
}

static void (*const steps[])(struct model *) = {
	step_begin, step_end,	 step_read, step_trust, step_trust, step_grant, step_plan,
	step_plan,  step_revoke, step_run,  step_run,	step_run,   step_run,	step_run};

static void play(struct model *m, unsigned round)
{
	struct gate_state_options o = {.path = state_dir};
	struct err err = {0};

	snprintf(state_dir, sizeof(state_dir), "%s", "");
	scratch_must(getcwd(state_dir, sizeof(state_dir) - 16) != NULL, "getcwd");
	for (int p = 0; p < PLACES; p++) {
		snprintf(place_path[p], sizeof(place_path[p]), "%.64s/place%u.%d", state_dir, round,
			 p);
		scratch_dir(place_path[p]);
		scratch_must(geteuid() != 0 || chown(place_path[p], OWNER, OWNER) == 0, "chown");
		m->trusted[p] = m->marked[p] = false;
	}
	snprintf(state_dir + strlen(state_dir), 16, "/state%u", round);
	m->state = (struct gate_state)STATE_CLOSED;
	m->leavec = 0;
	must(gate_state_open(&m->state, &o, &err) == 0, &err);
	for (unsigned i = 0; i < TALKS; i++)
		begin(m, i);
	for (int i = 0; i < STEPS; i++)
		steps[pick(m, ARRAY_SIZE(steps))](m);
	gate_state_close(&m->state);
}

int main(void)
{
	const char *root = scratch_enter();
	struct model *m = calloc(1, sizeof(*m));

	scratch_must(m && chmod(".", 0755) == 0, "a model");
	unsetenv(STATE_URL_VARIABLE);
	scratch_file("policy.yaml", policy_text, 0644);
	m->random = 0x9e3779b97f4a7c15ULL;
	for (unsigned i = 0; i < ROUNDS; i++)
		play(m, i);
	for (int i = 0; i < PROMISES; i++)
		ok(!broken[i] && asked[i] > 50, "%s (%u of %u times not)", promises[i], broken[i],
		   asked[i]);
	ok(m->clean > 50 && m->exposed > 50 && m->by_ticket > 20 && m->by_policy > 20 &&
		   m->withheld > 50 && m->planned > 5 && m->unplanned > 20 && m->direct > 20 &&
		   m->refused > 5 && m->more > 20 && m->more_withheld > 20,
	   "%zu clean, %zu exposed, %zu tickets, %zu policy, %zu withheld, %zu plans, %zu not, %zu "
	   "direct, %zu ended, %zu with --rw, %zu without it",
	   m->clean, m->exposed, m->by_ticket, m->by_policy, m->withheld, m->planned, m->unplanned,
	   m->direct, m->refused, m->more, m->more_withheld);
	free(m);
	scratch_leave(root);
	return tap_done();
}
