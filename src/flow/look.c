/* SPDX-License-Identifier: MIT
 *
 * The scan tells its findings one by one; here they become grades, and the gravest are kept. A
 * finding that could not be decided has the grade asks.
 */
#include "flow/look.h"

#include <stdlib.h>
#include <string.h>

#include "trust/joined.h"

int look_rules(struct packs *rules, const struct packs_options *options, struct err *err)
{
	struct engine_options engine = {.mode = DETECT_STRICT, .lane = LANE_HUNT};

	return packs_open(rules, options, &engine, err);
}

static enum grade grade_of(const struct look *l, const struct finding *f)
{
	if (f->undecided)
		return GRADE_ASKS;
	enum grade grade = grade_of_lane(vocab_at(VOCAB_LANE, scan_lane(f->rule))->name);
	return l->policy ? policy_grade_of(l->policy, f->rule->id, grade) : grade;
}

/* What a finding of the deny grade does. A rule that only wants a person to look has the person asked. */
static enum grade deny(struct look *l, const struct rule *rule)
{
	unsigned actions = 0;

	for (size_t i = 0; i < rule->actionc; i++)
		actions |= 1U << rule->action[i];
	if (actions_only_ask(actions)) {
		l->review = true;
		return GRADE_ASKS;
	}
	if (!l->denied_by)
		l->denied_by = arena_dup(&l->arena, rule->id);
	l->actions |= actions;
	return GRADE_DENIES;
}

/* The row of that rule, a new one, or that of the mildest that is milder; NULL: there is no room. */
static struct report_finding *row_for(struct look *l, const char *rule, enum grade grade)
{
	struct report_finding *mildest = NULL;

	for (size_t i = 0; i < l->listed; i++) {
		if (strcmp(l->finding[i].rule, rule) == 0)
			return l->finding[i].grade < grade ? &l->finding[i] : NULL;
		if (!mildest || l->finding[i].grade < mildest->grade)
			mildest = &l->finding[i];
	}
	if (l->listed < REPORT_FINDINGS_MAX)
		return &l->finding[l->listed++];
	return mildest->grade < grade ? mildest : NULL;
}

/* One rule may find something in many places. */
static void count_rule(struct look *l, const struct rule *rule)
{
	size_t n = (size_t)rule->order % PACK_RULES_MAX;

	l->rules += !(l->seen[n / 8] >> n % 8 & 1);
	l->seen[n / 8] |= (uint8_t)(1U << n % 8);
}

static void on_finding(void *context, const struct scan_finding *f)
{
	struct look *l = context;
	const struct rule *rule = f->finding->rule;
	enum grade grade = grade_of(l, f->finding);

	l->findings++;
	count_rule(l, rule);
	if (grade == GRADE_DENIES)
		grade = deny(l, rule);
	if (grade > l->grade)
		l->grade = grade;
	struct report_finding *row = row_for(l, rule->id, grade);
	if (!row)
		return;
	*row = (struct report_finding){.rule = arena_dup(&l->arena, rule->id),
				       .title = arena_dup(&l->arena, rule->title),
				       .severity = arena_dup(&l->arena, rule->severity_name),
				       .lane = vocab_at(VOCAB_LANE, scan_lane(rule))->name,
				       .view = view_name(f->finding->view),
				       .grade = grade,
				       .undecided = f->finding->undecided,
				       .line = f->line};
}

static void on_error(void *context, const char *name, const struct err *err)
{
	struct look *l = context;

	(void)name;
	if (!l->first.code)
		l->first = *err;
}

/* The first program's is kept: the thing itself, not what it has others run. */
static void on_effects(void *context, const struct scan_file *file, const struct code_view *view)
{
	struct look *l = context;

	(void)file;
	if (l->view.text)
		return;
	struct code_effect *list =
		arena_alloc(&l->arena, (view->effectc + 1) * sizeof(*l->view.effect));
	char *text = arena_alloc(&l->arena, view->text_len + 1);
	if (l->arena.failed)
		return;
	memcpy(text, view->text, view->text_len);
	for (size_t i = 0; i < view->effectc; i++) {
		list[i] = view->effect[i];
		list[i].value = arena_dup(&l->arena, view->effect[i].value);
	}
	l->view = (struct code_view){
		.state = view->state,
		.text = text,
		.text_len = view->text_len,
	};
	l->effect = list;
	l->effectc = view->effectc;
}

static int scan(struct look *l, const struct packs *rules, const struct look_at *at,
		struct err *err)
{
	struct scan_sink sink = {l, on_finding, on_error, NULL, on_effects};
	struct scanner s;

	scan_begin(&s, rules->engine, rules->thread, &at->options, &sink);
	scan_data(&s, at->name, at->data, false);
	scan_end(&s);
	l->unread = l->unread || s.totals.skipped;
	if (l->unread && l->grade < GRADE_ASKS)
		l->grade = GRADE_ASKS;
	if (!l->first.code)
		return l->arena.failed ? err_memory(err) : 0;
	*err = l->first;
	err_context(err, "it could not be scanned");
	return -1;
}

/* What the readings of one of its texts lie in. */
struct look_bytes {
	struct look_bytes *next;
	struct decode layers;
	char *wide[WIDE_COUNT], *joined;
};

/* As HOW says, of the thing itself; of anything else, with what it is before it. */
static void add(struct look *l, const struct look_at *at, struct origin_text t)
{
	if (at->how) {
		t.how = t.how ? arena_printf(&l->arena, "%s, %s", at->how, t.how) : at->how;
		t.offset = t.span = 0; /* it stands nowhere in the thing itself */
	}
	t.is_command = at->is_command;
	l->text[l->textc++] = t;
}

static int read_wide(struct look *l, const struct look_at *at, struct look_bytes *b,
		     struct err *err)
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
		add(l, at,
		    (struct origin_text){.how = "wide characters", .data = b->wide[i], .len = len});
	}
	return 0;
}

static int read_joined(struct look *l, const struct look_at *at, struct look_bytes *b,
		       struct err *err)
{
	b->joined = malloc(at->data.len + 1);
	if (!b->joined)
		return err_memory(err);
	size_t len = joined_literals(at->data.s, at->data.len, b->joined);
	if (len)
		add(l, at,
		    (struct origin_text){.how = "joined literals", .data = b->joined, .len = len});
	return 0;
}

/* A layer in a layer is nowhere in the bytes themselves. */
static struct origin_text reading_of(const struct decode_layer *d)
{
	bool is_first = d->parent == DECODE_NO_PARENT;

	return (struct origin_text){.how = d->how,
				    .data = d->data,
				    .len = d->len,
				    .offset = is_first ? d->offset : 0,
				    .span = is_first ? d->span : 0};
}

/* Room for COUNT more. */
static int make_room(struct look *l, size_t count, struct err *err)
{
	struct origin_text *grown = reallocarray(l->text, l->textc + count, sizeof(*grown));

	if (!grown)
		return err_memory(err);
	l->text = grown;
	return 0;
}

static void skip(struct look *l)
{
	l->unread = true;
	if (l->grade < GRADE_ASKS)
		l->grade = GRADE_ASKS;
}

static int read_all(struct look *l, const struct look_at *at, struct err *err)
{
	struct look_bytes *b = calloc(1, sizeof(*b));

	if (!b)
		return err_memory(err);
	b->next = l->bytes;
	l->bytes = b;
	if (decode_layers(at->data.s, at->data.len, NULL, &b->layers, err) < 0 ||
	    make_room(l, b->layers.count + WIDE_COUNT + 4, err) < 0)
		return -1;
	if (at->how && !l->textc) /* the thing itself is no text */
		l->text[l->textc++] = (struct origin_text){.data = ""};
	add(l, at, (struct origin_text){.data = at->data.s, .len = at->data.len});
	if (!at->how && l->view.text_len)
		add(l, at,
		    (struct origin_text){
			    .how = "code view", .data = l->view.text, .len = l->view.text_len});
	if (read_wide(l, at, b, err) < 0 || (at->joins && read_joined(l, at, b, err) < 0))
		return -1;
	for (size_t i = 0; i < b->layers.count && l->textc < INDEX_TEXTS_MAX; i++)
		add(l, at, reading_of(&b->layers.list[i]));
	if (l->textc == INDEX_TEXTS_MAX)
		skip(l);
	return l->arena.failed ? err_memory(err) : 0;
}

int look_at(struct look *l, const struct packs *rules, const struct look_at *at, struct err *err)
{
	struct look_at kept = *at;

	if (scan(l, rules, at, err) < 0)
		return -1;
	if (l->textc + WIDE_COUNT + 4 > INDEX_TEXTS_MAX) {
		skip(l);
		return 0;
	}
	if (at->how) {
		char *copy = arena_alloc(&l->arena, at->data.len + 1);
		if (l->arena.failed)
			return err_memory(err);
		memcpy(copy, at->data.s, at->data.len);
		kept.data.s = copy;
		kept.how = arena_dup(&l->arena, at->how);
	}
	return read_all(l, &kept, err);
}

static void free_bytes(struct look_bytes *b)
{
	while (b) {
		struct look_bytes *next = b->next;
		for (int i = 0; i < WIDE_COUNT; i++)
			free(b->wide[i]);
		free(b->joined);
		decode_done(&b->layers);
		free(b);
		b = next;
	}
}

void look_done(struct look *l)
{
	free_bytes(l->bytes);
	free(l->text);
	arena_done(&l->arena);
	*l = (struct look){0};
}
