/* SPDX-License-Identifier: MIT
 *
 * Scans an event: the texts are scanned, rules with a hit are evaluated, then each hidden layer is
 * scanned in its text's place. The cost grows with the length of the texts and the number of hits,
 * not with the number of rules.
 */
#include "detect/engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"
#include "detect/findings.h"
#include "detect/hits.h"
#include "detect/ruleset_file.h"
#include "detect/skill.h"
#include "scan/text/decode.h"

/* One call. */
struct call {
	struct engine_thread *t;
	const struct event *event;
	enum view view;
	const char *decoding;
	bool once; /* a rule that is in the list is not added again */
	struct findings *ret;
	struct err *err;
};

int engine_new(const struct pack *pack, const struct pattern_list *patterns, const struct db *db,
	       const struct engine_options *options, struct engine **ret, struct err *err)
{
	struct engine *e = NULL;

	if (db_count(db) != patterns->count)
		return err_set(err, ERR_INPUT,
			       "engine: %zu patterns in the database, %zu in the pack",
			       db_count(db), patterns->count);
	e = calloc(1, sizeof(*e));
	if (!e)
		return err_memory(err);
	e->options = *options;
	e->db = db;
	if (ruleset_make(pack, patterns, options, &e->arena, &e->set, err) < 0) {
		engine_free(e);
		return -1;
	}
	*ret = e;
	return 0;
}

int engine_save(const struct engine *engine, uint8_t **ret, size_t *ret_len, struct err *err)
{
	return ruleset_save(&engine->set, ret, ret_len, err);
}

int engine_load(const uint8_t *bytes, size_t len, const struct pack *pack, const struct db *db,
		const struct engine_options *options, struct engine **ret, struct err *err)
{
	struct engine *e = calloc(1, sizeof(*e));

	if (!e)
		return err_memory(err);
	e->options = *options;
	e->db = db;
	if (ruleset_load(bytes, len, pack, db_count(db), &e->arena, &e->set, err) < 0) {
		engine_free(e);
		return -1;
	}
	*ret = e;
	return 0;
}

void engine_free(struct engine *engine)
{
	if (!engine)
		return;
	arena_done(&engine->arena);
	free(engine);
}

static int add(struct call *c, uint32_t number, const struct rule *rule, const struct outcome *o)
{
	struct findings *f = c->ret;
	bool decided = o->answer == ANSWER_YES;

	if (findings_grow(f, c->err) < 0)
		return -1;
	uint32_t *matched = arena_alloc(&f->arena, o->matchedc * sizeof(*matched));
	if (f->arena.failed)
		return err_memory(c->err);
	memcpy(matched, o->matched, o->matchedc * sizeof(*matched));
	f->list[f->count++] = (struct finding){
		.rule = rule,
		.undecided = !decided,
		.why = decided ? "" : "a limit was reached",
		.confidence = o->confidence,
		.view = c->view,
		.decoding = c->decoding,
		.matchedc = o->matchedc,
		.matched = matched,
	};
	c->t->found[number] = (struct thread_result){c->t->scan, decided};
	return 0;
}

/* Can another scan no longer change this rule's result? */
static bool is_known(const struct call *c, uint32_t number, enum answer answer)
{
	const struct thread_result *f = &c->t->found[number];

	return c->once && f->scan == c->t->scan && (f->decided || answer == ANSWER_UNDECIDED);
}

/* In a skill, rules that were not made for skills need more than one condition. */
static bool is_enough(const struct call *c, const struct rule *rule, const struct outcome *o)
{
	size_t total = rule->combine == COMBINE_EXPRESSION ? 1 : rule->conditionc;

	if (!c->event->skill || rule->target == TARGET_SKILL || rule->target == TARGET_BOTH)
		return true;
	return o->matchedc >= 2 && (double)o->matchedc >= (double)total * 0.3;
}

static int evaluate(struct call *c, uint32_t number)
{
	const struct ruleset *p = &c->t->engine->set;
	const struct rule *rule = NULL;
	struct outcome *o = c->t->outcome;

	if (is_known(c, number, ANSWER_UNDECIDED) && c->t->found[number].decided)
		return 0;
	rule = pack_rule(p->pack, number);
	if (!rule || (p->pack->lazy && !ruleset_fits(p, rule)))
		return err_set(c->err, ERR_SYSTEM, "rule %u: no memory, or the cache is damaged",
			       number);
	if (evaluate_rule(c->t, c->event, number, o, c->err) < 0)
		return -1;
	if (o->answer == ANSWER_NO || is_known(c, number, o->answer) || !is_enough(c, rule, o))
		return 0;
	return add(c, number, rule, o);
}

/* Evaluates rules that may match without a hit, unless a hit had them evaluated already. */
static int evaluate_always(struct call *c)
{
	const struct ruleset *p = &c->t->engine->set;
	unsigned class = class_of(c->event);

	for (size_t i = 0; i < p->alwaysc[class]; i++) {
		uint32_t rule = p->always[class][i];
		if (c->t->rule_round[rule] == c->t->round)
			continue;
		if (evaluate(c, rule) < 0)
			return -1;
	}
	return 0;
}

static int evaluate_all(struct call *c)
{
	const struct ruleset *p = &c->t->engine->set;

	for (size_t i = 0; i < c->t->touchedc; i++)
		if (evaluate(c, c->t->touched[i]) < 0)
			return -1;
	if (evaluate_always(c) < 0)
		return -1;
	for (size_t i = 0; c->event->trace && !c->once && i < p->tracec; i++)
		if (evaluate(c, p->trace[i]) < 0)
			return -1;
	return 0;
}

/* Scans LAYER in place of the N-th text. Earlier hits stay: evidence accumulates. */
static int scan_layer(struct call *c, size_t n, const struct decode_layer *layer,
		      struct hits_scanned *known, bool content)
{
	struct text text = {layer->data, layer->len};
	int result = prepared_init(&c->t->text[n], text, c->err);

	if (result == 0) {
		hits_next_round(c->t);
		result = hits_scan(c->t, c->event, n, known, c->err);
		if (result == 0 && content)
			result = find_steps(c->t, text, true, c->err);
		if (result == 0)
			result = evaluate_all(c);
		hits_keep(known, &c->t->text[n]);
	}
	c->t->text[n] = known->whole;
	return result;
}

/* The maximum of steps for the layers of a text of LEN bytes. */
static uint64_t layer_steps(const struct call *c, size_t len)
{
	uint64_t steps = c->t->engine->options.layers_steps;

	return steps ? steps : ENGINE_LAYERS_STEPS + (uint64_t)len * ENGINE_LAYERS_BYTE_STEPS;
}

/* Scans every layer of the N-th text. RET then owns the names of layers. */
static int scan_layers(struct call *c, size_t n)
{
	const struct prepared *p = &c->t->text[n];
	struct call inner = *c;
	struct decode d = {0};
	struct hits_scanned known = {.whole = *p};
	uint64_t most = layer_steps(c, p->raw.len), before = db_steps(c->t->scratch);

	/* Computed once, because the text may be long and have many layers. */
	bool content = p->source.len == c->event->content.len &&
		       !memcmp(p->source.s, c->event->content.s, p->source.len);
	inner.view = VIEW_DECODED;
	inner.once = true;
	if (decode_layers(p->raw.data, p->raw.len, NULL, &d, c->err) < 0)
		return -1;
	if (d.bound != DECODE_COMPLETE)
		c->ret->unsearched = decode_bound_name(d.bound);
	int result = 0;
	for (size_t i = 0; result == 0 && i < d.count; i++) {
		size_t had = c->ret->count;
		if (db_steps(c->t->scratch) - before > most) {
			c->ret->unsearched = "steps";
			break;
		}
		inner.decoding = d.list[i].how;
		result = scan_layer(&inner, n, &d.list[i], &known, content);
		if (c->ret->count > had)
			inner.decoding = arena_dup(&c->ret->arena, d.list[i].how);
		for (size_t k = had; k < c->ret->count; k++)
			c->ret->list[k].decoding = inner.decoding;
	}
	hits_scanned_done(&known);
	decode_done(&d);
	return result;
}

static int scan_texts(struct call *c, const struct text *instead, bool layers)
{
	int result = 0;

	if (hits_begin(c->t, c->event, instead, c->err) < 0)
		return -1;
	hits_next_round(c->t);
	for (size_t i = 0; result == 0 && i < c->t->textc; i++)
		result = hits_scan(c->t, c->event, i, NULL, c->err);
	if (result == 0)
		result = find_steps(c->t, instead ? *instead : c->event->content, false, c->err);
	if (result == 0)
		result = evaluate_all(c);
	for (size_t i = 0; result == 0 && layers && i < c->t->textc; i++)
		result = scan_layers(c, i);
	hits_done(c->t);
	return result;
}

/* Reference mode: each block is a document of its own, and its findings come after the others. */
static int scan_blocks(struct call *c)
{
	struct text block[SKILL_BLOCKS_MAX];
	struct arena arena = {0};
	size_t count = 0;
	int result = skill_blocks(c->event->content, &arena, block, &count, c->err);

	for (size_t i = 0; result == 0 && i < count; i++) {
		struct event event = *c->event;
		struct call inner = *c;
		size_t before = c->ret->count;
		event.content = block[i];
		inner.event = &event;
		inner.view = VIEW_DECODED;
		inner.decoding = "base64";
		result = scan_texts(&inner, NULL, false);
		findings_sort(c->ret, before);
	}
	arena_done(&arena);
	return result;
}

static void begin(struct engine_thread *t)
{
	if (++t->scan == 0) {
		memset(t->found, 0, t->engine->set.pack->rulec * sizeof(*t->found));
		t->scan = 1;
	}
	while (t->markc > 0)
		t->marked[t->mark[--t->markc]] = false;
}

/* Drops an undecided finding whose rule matched in another layer. */
static void drop_settled(struct engine_thread *t, struct findings *f, size_t from)
{
	size_t kept = from;

	for (size_t i = from; i < f->count; i++) {
		const struct rule *rule = f->list[i].rule;
		bool counts = f->list[i].undecided && undecided_number(rule) < 0;
		const struct thread_result *found = counts ? &t->found[rule->order] : NULL;
		if (!found || found->scan != t->scan || !found->decided)
			f->list[kept++] = f->list[i];
	}
	f->count = kept;
}

int engine_scan(const struct engine *engine, struct engine_thread *t, const struct event *event,
		struct findings *ret, struct err *err)
{
	bool strict = engine->options.mode == DETECT_STRICT;
	struct call c = {t, event, VIEW_TEXT, "", false, ret, err};
	size_t from = ret->count;

	begin(t);
	if (scan_texts(&c, NULL, strict) < 0 || thread_record(t, event, err) < 0)
		return -1;
	drop_settled(t, ret, from);
	if (undecided_add_layers(ret, err) < 0)
		return -1;
	if (strict || !event->skill) {
		findings_sort(ret, 0);
		return 0;
	}
	findings_sort(ret, from);
	return scan_blocks(&c);
}

int engine_scan_view(const struct engine *engine, struct engine_thread *t,
		     const struct event *event, enum view view, struct text text,
		     struct findings *ret, struct err *err)
{
	struct call c = {t, event, view, "", true, ret, err};

	(void)engine;
	begin(t);
	for (size_t i = 0; i < ret->count; i++)
		if (undecided_number(ret->list[i].rule) < 0)
			t->found[ret->list[i].rule->order] =
				(struct thread_result){t->scan, !ret->list[i].undecided};
	if (scan_texts(&c, &text, false) < 0)
		return -1;
	drop_settled(t, ret, 0);
	findings_sort(ret, 0);
	return 0;
}

int engine_place_init(struct engine_place *p, struct text text, struct err *err)
{
	*p = (struct engine_place){.text = text};
	return normal_decode(text.s, text.len, &p->raw, err);
}

void engine_place_done(struct engine_place *p)
{
	normal_done(&p->raw);
	p->text = (struct text){0};
}

/* The byte at which code unit UNIT of the text begins. */
static size_t byte_of(const struct engine_place *p, size_t unit)
{
	size_t at = 0;

	if (!p->raw.owned)
		return normal_byte_at(p->text.s, p->text.len, unit);
	for (size_t n = 0; at < p->text.len && n < unit;) {
		struct utf8_char c = utf8_next(p->text.s, p->text.len, at);
		n += 1 + (c.value > 0xffff);
		at += c.len;
	}
	return at;
}

int engine_locate(const struct engine *engine, struct engine_thread *t, const struct rule *rule,
		  size_t number, const struct engine_place *place, size_t *ret_offset)
{
	const struct ruleset *p = &engine->set;
	/* The numbers of rules of other kinds are not those of conditions. */
	bool listed = rule->method != METHOD_SIGNATURE && rule->method != METHOD_TRACE;
	const struct rule_condition *c =
		listed && number < rule->conditionc ? &rule->condition[number] : NULL;
	size_t unit = 0;

	if (!c || c->kind != CONDITION_TEXT)
		return -1;
	size_t first = p->condition[p->rule[rule->order].first_condition + number].first_use;
	for (size_t i = 0; i < c->patternc; i++) {
		uint32_t pattern = p->use[first + i].pattern;
		if (pattern == PATTERN_NONE ||
		    db_locate(engine->db, t->scratch, pattern, &place->raw, &unit) != MATCH_YES)
			continue;
		*ret_offset = byte_of(place, unit);
		return 0;
	}
	return -1;
}
