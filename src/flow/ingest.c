/* SPDX-License-Identifier: MIT
 *
 * Bytes -> scan -> what is hidden in them -> source_commit. The scan is told what an agent takes the
 * bytes for (a tool's answer, a prompt), and not what they say of themselves. A finding of the deny
 * grade makes the source hostile; one that could not be decided makes it no better than asked about.
 */
#include "flow/ingest.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "flow/scan.h"
#include "scan/decode.h"
#include "scan/wide.h"

/* What such a text is to the rules. Those without a type are asked about with every rule: what a
 * tool says of itself stands in fields that no other event has. */
static const struct {
	bool has_type;
	enum event_type type;
} events[FROM_COUNT] = {
	[FROM_WEB] = {true, EVENT_TOOL_RESPONSE},
	[FROM_FILE] = {true, EVENT_TOOL_RESPONSE},
	[FROM_TOOL_RESULT] = {true, EVENT_TOOL_RESPONSE},
	[FROM_TOOL_META] = {false, EVENT_OTHER},
	[FROM_RESOURCE] = {true, EVENT_TOOL_RESPONSE},
	[FROM_PROMPT] = {true, EVENT_LLM_INPUT},
	[FROM_INSTRUCTIONS] = {false, EVENT_OTHER},
	[FROM_RUN_OUTPUT] = {true, EVENT_TOOL_RESPONSE},
};

int ingest_rules(struct packs *rules, const struct packs_options *options, struct err *err)
{
	struct engine_options engine = {.mode = DETECT_STRICT, .lane = LANE_HUNT};

	return packs_open(rules, options, &engine, err);
}

/* What the scan tells. */
struct look {
	struct ingest_report *report;
	enum grade grade;
	struct err first; /* what could not be scanned */
	struct arena arena;
	struct origin_text view; /* of a program; data NULL: none */
};

static enum grade grade_of(const struct finding *f)
{
	if (f->undecided)
		return GRADE_ASKS;
	return grade_of_lane(vocab_at(VOCAB_LANE, scan_lane(f->rule))->name);
}

/* The row of that rule, a new one, or that of the mildest that is milder; NULL: there is no room. */
static struct ingest_finding *row_for(struct ingest_report *r, const char *rule, enum grade grade)
{
	struct ingest_finding *mildest = NULL;

	for (size_t i = 0; i < r->listed; i++) {
		if (strncmp(r->list[i].rule, rule, INGEST_RULE_MAX) == 0)
			return r->list[i].grade < grade ? &r->list[i] : NULL;
		if (!mildest || r->list[i].grade < mildest->grade)
			mildest = &r->list[i];
	}
	if (r->listed < INGEST_FINDINGS_MAX)
		return &r->list[r->listed++];
	return mildest->grade < grade ? mildest : NULL;
}

static void on_finding(void *context, const struct scan_finding *f)
{
	struct look *l = context;
	enum grade grade = grade_of(f->finding);
	struct ingest_finding *row = row_for(l->report, f->finding->rule->id, grade);

	l->report->findings++;
	if (grade > l->grade)
		l->grade = grade;
	if (!row)
		return;
	*row = (struct ingest_finding){.grade = grade, .undecided = f->finding->undecided};
	snprintf(row->rule, sizeof(row->rule), "%s", f->finding->rule->id);
	snprintf(row->title, sizeof(row->title), "%s", f->finding->rule->title);
}

static void on_error(void *context, const char *name, const struct err *err)
{
	struct look *l = context;

	(void)name;
	if (!l->first.code)
		l->first = *err;
}

/* Code that is put together from what a program only hints at is recognised by this form of it. */
static void on_effects(void *context, const struct scan_file *file, const struct code_view *view)
{
	struct look *l = context;

	(void)file;
	if (l->view.data || !view->text_len)
		return;
	char *copy = arena_alloc(&l->arena, view->text_len);
	if (!copy)
		return;
	memcpy(copy, view->text, view->text_len);
	l->view = (struct origin_text){.how = "code view", .data = copy, .len = view->text_len};
}

static int look_at(struct look *l, const struct packs *rules, const struct ingest_in *in,
		   struct err *err)
{
	struct scan_options o = {.mode = DETECT_STRICT,
				 .has_type = events[in->kind].has_type,
				 .type = events[in->kind].type,
				 .no_events = true};
	struct scan_sink sink = {l, on_finding, on_error, NULL, on_effects};
	char name[SOURCE_NAME_MAX + 1] = "";
	struct scanner s;

	if (in->name)
		memcpy(name, in->name,
		       in->name_len < SOURCE_NAME_MAX ? in->name_len : SOURCE_NAME_MAX);
	scan_begin(&s, rules->engine, rules->thread, &o, &sink);
	scan_data(&s, name, in->data, false);
	scan_end(&s);
	l->report->unread = s.totals.skipped > 0;
	if (l->report->unread && l->grade < GRADE_ASKS)
		l->grade = GRADE_ASKS;
	if (!l->first.code)
		return l->arena.failed ? err_set(err, ERR_SYSTEM, "out of memory") : 0;
	*err = l->first;
	err_context(err, "it could not be scanned");
	return -1;
}

/* All readings of the bytes: as they are, as wide characters, decoded, as a program. */
struct readings {
	struct decode layers;
	char *wide[WIDE_COUNT];
	struct origin_text *text;
	size_t count;
};

static void readings_done(struct readings *r)
{
	for (int i = 0; i < WIDE_COUNT; i++)
		free(r->wide[i]);
	decode_done(&r->layers);
	free(r->text);
}

static int read_wide(struct readings *r, const struct ingest_in *in, struct err *err)
{
	unsigned guess = wide_guess(in->data.s, in->data.len);

	for (unsigned i = 0; i < WIDE_COUNT; i++) {
		size_t len =
			guess & 1U << i ? wide_size(in->data.s, in->data.len, (enum wide)i) : 0;
		if (!len || len > INGEST_BYTES_MAX)
			continue;
		r->wide[i] = malloc(len);
		if (!r->wide[i])
			return err_set(err, ERR_SYSTEM, "out of memory");
		wide_read(in->data.s, in->data.len, (enum wide)i, r->wide[i]);
		r->text[r->count++] = (struct origin_text){
			.how = "wide characters", .data = r->wide[i], .len = len};
	}
	return 0;
}

static int read_all(struct readings *r, const struct ingest_in *in, const struct look *l,
		    struct err *err)
{
	if (decode_layers(in->data.s, in->data.len, NULL, &r->layers, err) < 0)
		return -1;
	r->text = calloc(r->layers.count + WIDE_COUNT + 2, sizeof(*r->text));
	if (!r->text)
		return err_set(err, ERR_SYSTEM, "out of memory");
	r->text[r->count++] = (struct origin_text){.data = in->data.s, .len = in->data.len};
	if (l->view.data)
		r->text[r->count++] = l->view;
	if (read_wide(r, in, err) < 0)
		return -1;
	for (size_t i = 0; i < r->layers.count && r->count < INDEX_TEXTS_MAX; i++) {
		const struct decode_layer *d = &r->layers.list[i];
		bool is_first = d->parent == DECODE_NO_PARENT;
		r->text[r->count++] = (struct origin_text){.how = d->how,
							   .data = d->data,
							   .len = d->len,
							   .offset = is_first ? d->offset : 0,
							   .span = is_first ? d->span : 0};
	}
	return 0;
}

static int record(struct gate_state *state, struct domain *d, const struct ingest_in *in,
		  const struct look *l, const struct readings *r, struct err *err)
{
	const char *rule[INGEST_FINDINGS_MAX];
	struct source_in source = {.kind = in->kind,
				   .name = in->name,
				   .name_len = in->name_len,
				   .text = r->text,
				   .count = r->count,
				   .label = in->label,
				   .vouched = in->vouched,
				   .grade = l->grade,
				   .rules = rule,
				   .rulec = l->report->listed,
				   .refs = in->refs,
				   .refc = in->refc};

	for (size_t i = 0; i < l->report->listed; i++)
		rule[i] = l->report->list[i].rule;
	return source_commit(&state->keeper, d, &source, &l->report->released, err);
}

static int check(const struct ingest_in *in, struct err *err)
{
	if (in->kind >= FROM_COUNT)
		return err_set(err, ERR_USAGE, "there is no such kind of source");
	if (in->data.len <= INGEST_BYTES_MAX)
		return 0;
	err_set(err, ERR_LIMIT, "a source has at most %zu bytes", (size_t)INGEST_BYTES_MAX);
	err_cure(err, "ingest it in parts, and release it in the same parts");
	return -1;
}

int ingest(struct gate_state *state, const struct packs *rules, struct domain *d,
	   const struct ingest_in *in, struct ingest_report *ret, struct err *err)
{
	struct look l = {.report = ret};
	struct readings r = {0};

	memset(ret, 0, sizeof(*ret));
	int done = check(in, err);
	if (done == 0)
		done = look_at(&l, rules, in, err);
	if (done == 0)
		done = read_all(&r, in, &l, err);
	if (done == 0)
		done = record(state, d, in, &l, &r, err);
	readings_done(&r);
	arena_done(&l.arena);
	return done;
}
