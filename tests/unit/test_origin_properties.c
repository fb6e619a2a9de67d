/* SPDX-License-Identifier: MIT
 *
 * The seven promises about labels, held over every short sequence of what can happen, and long random ones:
 * reading, running, forgetting, merging, new conversations, labels from outside. A model in this file knows,
 * in the plainest way, how low each domain must be; the real thing may never be above it. These are the
 * parts; that the gate joins them so is in test_gate_properties.c.
 */
#include "origin_case.h"

#include "base/scope.h"

enum { DOMAINS = 6, NAMES = 3, STEPS = 1500, ROUNDS = 3, FILES = 4, PICKS = 8, DEPTH = 3 };

struct model {
	struct origin_case *c;
	unsigned round; /* each has a principal and files of its own */
	char principal[16];
	uint64_t state;
	const uint8_t *script; /* what is picked, PICKS of them; NULL: by chance */
	char handle[DOMAINS][HANDLE_MAX];
	int root[DOMAINS]; /* which of them it was merged with; the last is the shared one */
	enum integrity floor[DOMAINS];
	uint32_t epoch[DOMAINS]; /* of the last look, and the lowest floor that was seen in it */
	enum integrity lowest[DOMAINS];
	int named[NAMES]; /* -1: nobody used it */
	enum integrity file[FILES];
	bool written[FILES];
	unsigned broken[8]; /* times a promise was broken */
};

#define SHARED (DOMAINS - 1)

static unsigned pick(struct model *m, unsigned n)
{
	if (m->script)
		return *m->script++ % n;
	m->state ^= m->state << 13;
	m->state ^= m->state >> 7;
	m->state ^= m->state << 17;
	return (unsigned)(m->state >> 33) % n;
}

static int root(const struct model *m, int i)
{
	while (m->root[i] != i)
		i = m->root[i];
	return i;
}

static struct domain find(struct model *m, int i, const char *name)
{
	return case_find(m->c, m->principal, i == SHARED ? NULL : m->handle[i], name);
}

static void promise(struct model *m, int number, bool kept)
{
	m->broken[number] += !kept;
}

static void lower(struct model *m, int i, enum integrity to)
{
	int r = root(m, i);

	if (to < m->floor[r])
		m->floor[r] = to;
}

/* Whatever it is called by, it is as low as the model, and what it knows is known. */
static void look(struct model *m, int i)
{
	struct domain d = find(m, i, NULL);
	int r = root(m, i);

	promise(m, 1, d.floor.integrity <= m->floor[r]);
	bool is_same = d.epoch == m->epoch[r];
	promise(m, 2, !is_same || d.floor.integrity <= m->lowest[r]);
	promise(m, 6, i != SHARED || d.floor.integrity <= INTEGRITY_UNTRUSTED);
	m->floor[r] = d.floor.integrity;
	if (!is_same || d.floor.integrity < m->lowest[r])
		m->lowest[r] = d.floor.integrity;
	m->epoch[r] = d.epoch;
}

static void step_read(struct model *m)
{
	static const enum integrity said[] = {INTEGRITY_USER, INTEGRITY_TOOL, INTEGRITY_UNTRUSTED,
					      INTEGRITY_HOSTILE};
	int i = (int)pick(m, DOMAINS);
	char text[128];
	struct domain d = find(m, i, NULL);
	struct origin_text t = {.data = text};
	struct source_in in = {
		.text = &t, .count = 1, .kind = (enum source_kind)pick(m, FROM_COUNT)};
	struct source_released r;
	struct err err = {0};

	t.len = (size_t)snprintf(text, sizeof(text), "document %x%x about n%u.example and more",
				 pick(m, 1 << 30), pick(m, 1 << 30), pick(m, 50));
	in.label = label_unknown();
	in.label.integrity = said[pick(m, ARRAY_SIZE(said))];
	in.vouched = pick(m, 2);
	in.grade = (enum grade)pick(m, GRADE_COUNT);
	case_done(source_commit(&m->c->k, &d, &in, &r, &err) == 0, &err);
	enum integrity least = in.label.integrity;
	if (!in.vouched && least > INTEGRITY_UNTRUSTED)
		least = INTEGRITY_UNTRUSTED;
	if (in.grade == GRADE_DENIES)
		least = INTEGRITY_HOSTILE;
	lower(m, i, least);
	/* What it was is on the disk when its bytes come back. */
	struct domain now = find(m, i, NULL);
	struct source kept;
	promise(m, 4,
		r.data == text && now.floor.integrity <= least &&
			source_load(&m->c->k, &r.source.id, &kept, &err) == 0 &&
			kept.label.integrity <= least);
	promise(m, 7, in.vouched || r.source.label.integrity <= INTEGRITY_UNTRUSTED);
	promise(m, 7, r.source.label.integrity <= in.label.integrity);
}

static void step_run(struct model *m)
{
	int i = (int)pick(m, DOMAINS), f = (int)pick(m, FILES), g = (int)pick(m, FILES);
	uint8_t low = (uint8_t)m->round, high = (uint8_t)(m->round >> 8);
	uint8_t sha[2][KEEPER_SHA256] = {{(uint8_t)f, low, high}, {(uint8_t)g, low, high}};
	struct file_key in = {1, (ino_t)(f + 1), sha[0], 99}, out = {1, (ino_t)(g + 1), sha[1], 99};
	struct domain d = find(m, i, NULL);
	struct label inputs, made;
	struct origin_answer a;
	struct err err = {0};
	bool known;

	case_done(file_label_find(&m->c->k, &in, &inputs, &known, &err) == 0, &err);
	promise(m, 6, known || inputs.integrity == INTEGRITY_UNTRUSTED);
	promise(m, 5, known == m->written[f] && (!known || inputs.integrity <= m->file[f]));
	bool reads = pick(m, 2);
	if (!reads)
		inputs = label_top();
	/* As the gate asks: of what it does not know it says nothing here, and labels by it all the same. */
	struct origin_ask ask = {.domain = &d,
				 .declared = (enum origin)pick(m, ORIGIN_COUNT + 1),
				 .attested = pick(m, 2),
				 .inputs = reads && known ? &inputs : NULL};
	origin_of(&ask, &a);
	made = label_of_run(a.origin, &inputs, CAP_BIT(CAP_COMPUTE));
	promise(m, 5, made.integrity <= inputs.integrity);
	promise(m, 5, a.origin > ORIGIN_EXPOSED || made.integrity <= INTEGRITY_UNTRUSTED);
	case_done(file_labels_commit(&m->c->k, &out, 1, &made, &err) == 0, &err);
	m->file[g] = m->written[g] && m->file[g] < made.integrity ? m->file[g] : made.integrity;
	m->written[g] = true;
}

static void step_evict(struct model *m)
{
	struct domain d = find(m, (int)pick(m, DOMAINS), NULL);
	enum integrity before = d.floor.integrity;
	uint64_t sources = d.sources;
	struct err err = {0};

	case_done(source_evict(&m->c->k, &d, pick(m, 2) ? 0 : 500, &err) == 0, &err);
	promise(m, 1, d.floor.integrity == before && d.sources == sources && d.print_bytes <= 500);
}

/* A name merges what used it, and splits nothing. */
static void step_name(struct model *m)
{
	static const char *const names[NAMES] = {"one", "two", "three"};
	int i = (int)pick(m, DOMAINS), n = (int)pick(m, NAMES);
	enum integrity before = m->floor[root(m, i)];
	struct domain d = find(m, i, names[n]);

	promise(m, 3, d.floor.integrity <= before);
	if (m->named[n] >= 0) {
		int a = root(m, i), b = root(m, m->named[n]);
		lower(m, a, m->floor[b]);
		m->root[b] = a;
	}
	m->named[n] = i;
	promise(m, 3, d.floor.integrity <= m->floor[root(m, i)]);
}

static void step_epoch(struct model *m)
{
	int i = (int)pick(m, DOMAINS - 1);
	struct host_event e = {pick(m, 2), m->principal, "again"};
	struct domain d = find(m, i, NULL), after;
	struct err err = {0};
	bool done = domain_begin_epoch(&m->c->k, &e, m->handle[i], &after, &err) == 0;

	promise(m, 3, done == e.authenticated);
	if (!done) {
		after = find(m, i, NULL);
		promise(m, 3, after.epoch == d.epoch && after.floor.integrity == d.floor.integrity);
		return;
	}
	int others = 0;
	for (int k = 0; k < DOMAINS; k++)
		others += k != i && root(m, k) == root(m, i);
	promise(m, 3, !others || after.floor.integrity <= d.floor.integrity);
	if (!others)
		m->floor[root(m, i)] = INTEGRITY_USER;
}

/* A label from outside. */
static void step_hear(struct model *m)
{
	struct label l = label_unknown();
	enum integrity before, said = (enum integrity)pick(m, INTEGRITY_COUNT);
	bool trusts = pick(m, 2);

	l.integrity = before = (enum integrity)pick(m, INTEGRITY_COUNT);
	label_hear(&l, said, trusts);
	promise(m, 7, said > before || l.integrity == said);
	promise(m, 7, trusts || l.integrity <= before);
	promise(m, 7, l.integrity <= before || l.integrity <= INTEGRITY_TOOL);
	promise(m, 7, before != INTEGRITY_HOSTILE || l.integrity == INTEGRITY_HOSTILE);
}

typedef void step_fn(struct model *m);

static void begin(struct model *m, struct origin_case *c, unsigned number, int minted)
{
	*m = (struct model){.c = c, .round = number, .named = {-1, -1, -1}};
	snprintf(m->principal, sizeof(m->principal), "uid:%u", number);
	for (int i = 0; i < DOMAINS; i++) {
		m->root[i] = i;
		m->floor[i] = i == SHARED ? INTEGRITY_UNTRUSTED : INTEGRITY_USER;
		m->lowest[i] = INTEGRITY_USER;
		if (i < minted)
			case_domain(c, m->principal, m->handle[i]);
	}
}

static void add_broken(const struct model *m, unsigned *broken)
{
	for (int i = 0; i < 8; i++)
		broken[i] += m->broken[i];
}

static void round_of(struct origin_case *c, unsigned number, unsigned *broken)
{
	static step_fn *const steps[] = {step_read,  step_read, step_run,   step_run,
					 step_evict, step_name, step_epoch, step_hear};
	struct model m;

	begin(&m, c, number, SHARED);
	m.state = 88172645463325252ULL * number;
	for (int i = 0; i < STEPS; i++) {
		steps[pick(&m, ARRAY_SIZE(steps))](&m);
		look(&m, (int)pick(&m, DOMAINS));
	}
	add_broken(&m, broken);
}

/* What can happen in two conversations and without a handle, with what each step picks, in its order. Who
 * runs something says that it is a person's, and is one who may. */
#define READ(domain, said, vouched, grade)                                                         \
	{                                                                                          \
		step_read,                                                                         \
		{                                                                                  \
			domain, 0, 0, 0, domain, said, vouched, grade                              \
		}                                                                                  \
	}
#define RUN(domain, in, out, reads)                                                                \
	{                                                                                          \
		step_run,                                                                          \
		{                                                                                  \
			domain, in, out, reads, ORIGIN_USER, 1                                     \
		}                                                                                  \
	}
static const struct {
	step_fn *step;
	uint8_t picks[PICKS];
} acts[] = {
	READ(0, 0, 1, GRADE_NONE), READ(0, 2, 0, GRADE_NONE), READ(0, 0, 1, GRADE_DENIES),
	READ(1, 1, 1, GRADE_NONE), READ(1, 0, 0, GRADE_NONE), READ(SHARED, 3, 0, GRADE_NONE),
	RUN(0, 0, 1, 1),	   RUN(0, 1, 0, 0),	      RUN(1, 1, 0, 1),
	RUN(SHARED, 0, 1, 1),	   {step_evict, {0, 1}},      {step_evict, {1, 0}},
	{step_name, {0, 0}},	   {step_name, {1, 0}},	      {step_name, {SHARED, 0}},
	{step_epoch, {0, 1}},	   {step_epoch, {1, 1}},      {step_epoch, {0, 0}},
};

/* All sequences of DEPTH acts; after each, every domain is looked at. How many there were. */
static unsigned every_sequence(struct origin_case *c, unsigned *broken)
{
	unsigned count = 1;

	for (int i = 0; i < DEPTH; i++)
		count *= ARRAY_SIZE(acts);
	for (unsigned n = 0; n < count; n++) {
		struct model m;
		begin(&m, c, ROUNDS + 1 + n, 2);
		unsigned rest = n;
		for (int i = 0; i < DEPTH; i++, rest /= ARRAY_SIZE(acts)) {
			m.script = acts[rest % ARRAY_SIZE(acts)].picks;
			acts[rest % ARRAY_SIZE(acts)].step(&m);
			look(&m, 0);
			look(&m, 1);
			look(&m, SHARED);
		}
		add_broken(&m, broken);
	}
	return count;
}

int main(void)
{
	static const char *const promises[] = {
		NULL,
		"what is forgotten stays as low as it was",
		"the floor never goes up within an epoch",
		"only the host begins an epoch, and nothing the client says splits a domain",
		"when a source is released it is on the disk, with the floor it lowers",
		"what a run makes is as low as what it was made from, everywhere",
		"what is not known is untrusted",
		"a label from outside lowers, and raises only if it is trusted",
	};
	unsigned broken[8] = {0};
	struct origin_case c;

	case_open(&c);
	for (unsigned i = 1; i <= ROUNDS; i++)
		round_of(&c, i, broken);
	unsigned sequences = every_sequence(&c, broken);
	case_close(&c);
	ok(sequences == 18 * 18 * 18, "%u sequences of %d acts", sequences, DEPTH);
	for (int i = 1; i < 8; i++)
		ok(broken[i] == 0, "%s", promises[i]);
	return tap_done();
}
