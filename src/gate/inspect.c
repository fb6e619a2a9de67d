/* SPDX-License-Identifier: MIT
 *
 * See inspect.h. The scan reports findings one by one; this file gives each a grade and keeps the
 * gravest. An undecided finding has the grade asks.
 */
#include "gate/inspect.h"

#include <stdlib.h>
#include <string.h>

#include "read/view.h"
#include "trust/evidence/join_literals.h"

int inspect_open_rules(struct packs *rules, const struct packs_options *options, struct err *err)
{
	struct engine_options engine = {.mode = DETECT_STRICT, .lane = LANE_HUNT};

	return packs_open(rules, options, &engine, err);
}

static enum grade grade_of(const struct inspection *r, const struct finding *f)
{
	if (f->undecided)
		return GRADE_ASKS;
	enum grade grade = grade_of_lane(vocab_at(VOCAB_LANE, scan_lane(f->rule))->name);
	return r->policy ? policy_grade_of(r->policy, f->rule->id, grade) : grade;
}

/* The grade of a finding of the deny grade. If the rule's actions only want a person to review it,
 * that is asks, unless the policy itself says that the rule denies. */
static enum grade deny(struct inspection *r, const struct rule *rule)
{
	unsigned actions = 0;

	for (size_t i = 0; i < rule->actionc; i++)
		actions |= 1U << rule->action[i];
	bool by_policy =
		r->policy && policy_grade_of(r->policy, rule->id, GRADE_NONE) == GRADE_DENIES;
	if (actions_only_ask(actions) && !by_policy) {
		r->review = true;
		return GRADE_ASKS;
	}
	if (!r->denied_by)
		r->denied_by = arena_dup(&r->arena, rule->id);
	r->actions |= actions;
	return GRADE_DENIES;
}

/* The row of that rule if it has a lower grade; else a new row, or the row of the lowest grade.
 * NULL: there is no room. */
static struct report_finding *row_for(struct inspection *r, const char *rule, enum grade grade)
{
	struct report_finding *mildest = NULL;

	for (size_t i = 0; i < r->listed; i++) {
		if (strcmp(r->finding[i].rule, rule) == 0)
			return r->finding[i].grade < grade ? &r->finding[i] : NULL;
		if (!mildest || r->finding[i].grade < mildest->grade)
			mildest = &r->finding[i];
	}
	if (r->listed < REPORT_FINDINGS_MAX)
		return &r->finding[r->listed++];
	return mildest->grade < grade ? mildest : NULL;
}

/* A rule can match in many places; count it once. */
static void count_rule(struct inspection *r, const struct rule *rule)
{
	size_t n = (size_t)rule->order % PACK_RULES_MAX;

	r->rules += !(r->seen[n / 8] >> n % 8 & 1);
	r->seen[n / 8] |= (uint8_t)(1U << n % 8);
}

static void on_finding(void *context, const struct scan_finding *f)
{
	struct inspection *r = context;
	const struct rule *rule = f->finding->rule;
	enum grade grade = grade_of(r, f->finding);

	r->findings++;
	count_rule(r, rule);
	if (grade == GRADE_DENIES)
		grade = deny(r, rule);
	if (grade > r->grade)
		r->grade = grade;
	struct report_finding *row = row_for(r, rule->id, grade);
	if (!row)
		return;
	*row = (struct report_finding){.rule = arena_dup(&r->arena, rule->id),
				       .title = arena_dup(&r->arena, rule->title),
				       .severity = arena_dup(&r->arena, rule->severity_name),
				       .lane = vocab_at(VOCAB_LANE, scan_lane(rule))->name,
				       .view = view_name(f->finding->view),
				       .grade = grade,
				       .undecided = f->finding->undecided,
				       .line = f->line};
}

static void on_error(void *context, const char *name, const struct err *err)
{
	struct inspection *r = context;

	(void)name;
	if (!r->first.code)
		r->first = *err;
}

/* Keeps the first program's view: the code itself, not the programs that it starts. */
static void on_effects(void *context, const struct scan_file *file, const struct code_view *view)
{
	struct inspection *r = context;

	(void)file;
	if (r->view.text)
		return;
	struct code_effect *list =
		arena_alloc(&r->arena, (view->effectc + 1) * sizeof(*r->view.effect));
	char *text = arena_alloc(&r->arena, view->text_len + 1);
	if (r->arena.failed)
		return;
	memcpy(text, view->text, view->text_len);
	for (size_t i = 0; i < view->effectc; i++) {
		list[i] = view->effect[i];
		list[i].value = arena_dup(&r->arena, view->effect[i].value);
	}
	r->view = (struct code_view){
		.state = view->state,
		.text = text,
		.text_len = view->text_len,
	};
	r->effect = list;
	r->effectc = view->effectc;
}

static int scan(struct inspection *r, const struct packs *rules, const struct inspect_input *at,
		struct err *err)
{
	struct scan_sink sink = {r, on_finding, on_error, NULL, on_effects};
	struct scan_options options = at->options;
	struct scanner s;

	options.reader = &view_reader;
	scan_begin(&s, rules->engine, rules->thread, &options, &sink);
	scan_data(&s, at->name, at->data, false);
	scan_end(&s);
	r->unread = r->unread || s.totals.skipped;
	if (r->unread && r->grade < GRADE_ASKS)
		r->grade = GRADE_ASKS;
	if (!r->first.code)
		return r->arena.failed ? err_memory(err) : 0;
	*err = r->first;
	err_context(err, "it could not be scanned");
	return -1;
}

/* The buffers of one input's readings. */
struct inspect_buffers {
	struct inspect_buffers *next;
	struct decode layers;
	char *wide[WIDE_COUNT], *joined;
};

/* Adds a reading. Its name is HOW, after the name of an attached input. */
static void add(struct inspection *r, const struct inspect_input *at, struct origin_text t)
{
	if (at->how) {
		t.how = t.how ? arena_printf(&r->arena, "%s, %s", at->how, t.how) : at->how;
		t.offset = t.span = 0; /* an attached input has no position in the main text */
	}
	t.is_command = at->is_command;
	r->text[r->textc++] = t;
}

static int read_wide(struct inspection *r, const struct inspect_input *at,
		     struct inspect_buffers *b, struct err *err)
{
	struct text data = at->data;
	unsigned guess = wide_guess(data.s, data.len);

	for (unsigned i = 0; i < WIDE_COUNT; i++) {
		size_t len = guess & 1U << i ? wide_size(data.s, data.len, (enum wide)i) : 0;
		if (!len || len > SCAN_FILE_MAX)
			continue;
		b->wide[i] = malloc(len);
		if (!b->wide[i])
			return err_memory(err);
		wide_read(data.s, data.len, (enum wide)i, b->wide[i]);
		add(r, at,
		    (struct origin_text){.how = "wide characters", .data = b->wide[i], .len = len});
	}
	return 0;
}

static int read_joined(struct inspection *r, const struct inspect_input *at,
		       struct inspect_buffers *b, struct err *err)
{
	b->joined = malloc(at->data.len + 1);
	if (!b->joined)
		return err_memory(err);
	size_t len = join_literals(at->data.s, at->data.len, b->joined);
	if (len)
		add(r, at,
		    (struct origin_text){.how = "joined literals", .data = b->joined, .len = len});
	return 0;
}

/* A layer inside another layer has no position in the input. */
static struct origin_text reading_of(const struct decode_layer *d)
{
	bool is_first = d->parent == DECODE_NO_PARENT;

	return (struct origin_text){.how = d->how,
				    .data = d->data,
				    .len = d->len,
				    .offset = is_first ? d->offset : 0,
				    .span = is_first ? d->span : 0};
}

/* Makes room for COUNT more readings. */
static int make_room(struct inspection *r, size_t count, struct err *err)
{
	struct origin_text *grown = reallocarray(r->text, r->textc + count, sizeof(*grown));

	if (!grown)
		return err_memory(err);
	r->text = grown;
	return 0;
}

static void skip(struct inspection *r)
{
	r->unread = true;
	if (r->grade < GRADE_ASKS)
		r->grade = GRADE_ASKS;
}

static int read_all(struct inspection *r, const struct inspect_input *at, struct err *err)
{
	struct inspect_buffers *b = calloc(1, sizeof(*b));

	if (!b)
		return err_memory(err);
	b->next = r->bytes;
	r->bytes = b;
	if (decode_layers(at->data.s, at->data.len, NULL, &b->layers, err) < 0 ||
	    make_room(r, b->layers.count + WIDE_COUNT + 4, err) < 0)
		return -1;
	if (at->how && !r->textc) /* the main input is machine code and has no text */
		r->text[r->textc++] = (struct origin_text){.data = ""};
	add(r, at, (struct origin_text){.data = at->data.s, .len = at->data.len});
	if (!at->how && r->view.text_len)
		add(r, at,
		    (struct origin_text){
			    .how = "code view", .data = r->view.text, .len = r->view.text_len});
	if (read_wide(r, at, b, err) < 0 || (at->joins && read_joined(r, at, b, err) < 0))
		return -1;
	for (size_t i = 0; i < b->layers.count && r->textc < INDEX_TEXTS_MAX; i++)
		add(r, at, reading_of(&b->layers.list[i]));
	if (r->textc == INDEX_TEXTS_MAX)
		skip(r);
	return r->arena.failed ? err_memory(err) : 0;
}

int inspect_bytes(struct inspection *r, const struct packs *rules, const struct inspect_input *at,
		  struct err *err)
{
	struct inspect_input kept = *at;

	if (scan(r, rules, at, err) < 0)
		return -1;
	if (r->textc + WIDE_COUNT + 4 > INDEX_TEXTS_MAX) {
		skip(r);
		return 0;
	}
	if (at->how) {
		char *copy = arena_alloc(&r->arena, at->data.len + 1);
		if (r->arena.failed)
			return err_memory(err);
		memcpy(copy, at->data.s, at->data.len);
		kept.data.s = copy;
		kept.how = arena_dup(&r->arena, at->how);
	}
	return read_all(r, &kept, err);
}

static void free_bytes(struct inspect_buffers *b)
{
	while (b) {
		struct inspect_buffers *next = b->next;
		for (int i = 0; i < WIDE_COUNT; i++)
			free(b->wide[i]);
		free(b->joined);
		decode_done(&b->layers);
		free(b);
		b = next;
	}
}

void inspection_done(struct inspection *r)
{
	free_bytes(r->bytes);
	free(r->text);
	arena_done(&r->arena);
	*r = (struct inspection){0};
}
