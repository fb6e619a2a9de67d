/* SPDX-License-Identifier: MIT
 *
 * PCRE2 behind a few calls. Every text here is valid UTF-8 by construction, so PCRE2 need not
 * check it; the form of code units contains halves of pairs, so it must not. The offset limit is
 * compiled in, because a scan asks only about places where a match could begin.
 * The machine code counts its steps at each place separately, leaves out those that only read, and
 * reports none. So the patterns have callouts before each part that can read far (toll.h), and
 * these are counted here.
 * Each compiled expression can be saved as bytes by PCRE2's own means; a text needs about ten of
 * thousands. The machine code is not part of the bytes.
 */
#include "scan/regex/match.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/scope.h"
#include "scan/regex/toll.h"

enum { NEST_MAX = 1000, STACK_START = 32 << 10, BEHIND_STEPS = 8000 };

/* An expression that is rarely asked about short texts is interpreted: its machine code takes
 * about 30 microseconds to make, such a match one or two. A thread interprets only in its first
 * questions: a thread with many texts needs the machine code. A match that exceeds these limits is
 * repeated with machine code, so only that code's bounds count. */
enum {
	FRESH_USES = 16, /* of one expression */
	FRESH_ALL = 400, /* of a thread */
	FRESH_BYTES = 8192,
	FRESH_STEPS = 500,
	FRESH_TOLLS = 32,
};

/* The state of a form. It only advances, under the lock. The form may be read once it is past
 * ENCODED. */
enum form_state {
	FORM_NEVER,   /* it matches nothing */
	FORM_ENCODED, /* only its bytes exist */
	FORM_FRESH,   /* PCRE2 interprets it: making machine code takes longer than a few matches */
	FORM_NATIVE,  /* the machine code exists */
	FORM_INTERPRETED, /* it cannot be made */
	FORM_BROKEN,	  /* PCRE2 refuses the bytes, or memory was out */
};

/* Behind a pointer, so that a const match_code can change it. */
struct machine {
	pthread_mutex_t lock;
	pcre2_code *form[JS_FORMS];
	atomic_uchar state[JS_FORMS]; /* enum form_state */
	atomic_uchar uses[JS_FORMS];  /* while it is fresh */
};

struct match_code {
	struct machine *machine;
	struct match_bytes bytes;
	bool unicode;
};

struct match_scratch {
	pcre2_match_context *context;
	pcre2_match_data *data;
	pcre2_jit_stack *stack;
	uint32_t steps;
	uint32_t fresh; /* questions asked before the machine code existed */
	uint64_t *steps_left;
};

static const uint32_t common =
	PCRE2_DOTALL | PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT;

static enum form_state form_state(const struct match_code *code, enum js_form form)
{
	return (enum form_state)atomic_load_explicit(&code->machine->state[form],
						     memory_order_acquire);
}

static pcre2_code *compile(const struct js_pattern *p, uint32_t options, struct err *err)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	int number = PCRE2_ERROR_NOMEMORY;
	PCRE2_SIZE at = 0;
	pcre2_code *code = NULL;
	PCRE2_UCHAR why[128];

	if (context) {
		pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALLOW_SURROGATE_ESCAPES);
		pcre2_set_parens_nest_limit(context, NEST_MAX);
		code = pcre2_compile((PCRE2_SPTR)p->text, p->len, options, &number, &at, context);
	}
	pcre2_compile_context_free(context);
	if (code)
		return code;
	if (number == PCRE2_ERROR_NOMEMORY || number == PCRE2_ERROR_HEAP_FAILED) {
		err_memory(err);
		return NULL;
	}
	pcre2_get_error_message(number, why, sizeof(why));
	err_set(err, ERR_INPUT, "regular expression: PCRE2 at %zu of %zu: %s", at, p->len,
		(const char *)why);
	return NULL;
}

static struct match_code *code_new(bool unicode, struct err *err)
{
	struct match_code *code = calloc(1, sizeof(*code));
	struct machine *machine = calloc(1, sizeof(*machine));

	if (!code || !machine || pthread_mutex_init(&machine->lock, NULL) != 0) {
		free(code);
		free(machine);
		err_memory(err);
		return NULL;
	}
	code->machine = machine;
	code->unicode = unicode;
	return code;
}

struct match_code *match_compile(const struct regex *regex, struct err *err)
{
	bool ignore = regex->ast.flags & JS_IGNORE_CASE;
	uint32_t options[JS_FORMS] = {
		[JS_WIDE] = common | PCRE2_UTF | PCRE2_NO_UTF_CHECK,
		[JS_ASCII] = common | (ignore ? PCRE2_CASELESS : 0),
	};
	struct match_code *code = code_new(regex->ast.flags & JS_UNICODE, err);

	for (int i = 0; code && i < JS_FORMS; i++) {
		if (regex->form[i].never)
			continue;
		code->machine->form[i] = compile(&regex->form[i], options[i], err);
		if (!code->machine->form[i]) {
			match_free(code);
			return NULL;
		}
		atomic_init(&code->machine->state[i], FORM_FRESH);
	}
	return code;
}

void match_free(struct match_code *code)
{
	if (!code)
		return;
	for (int i = 0; i < JS_FORMS; i++)
		pcre2_code_free(code->machine->form[i]);
	pthread_mutex_destroy(&code->machine->lock);
	free(code->machine);
	free(code);
}

bool match_has(const struct match_code *code, enum js_form form)
{
	return code && form_state(code, form) != FORM_NEVER;
}

bool match_is_unicode(const struct match_code *code)
{
	return code->unicode;
}

void match_library(char *ret, size_t size)
{
	char version[64] = "";
	uint32_t link = 0;

	if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) < (int)sizeof(version))
		pcre2_config(PCRE2_CONFIG_VERSION, version);
	pcre2_config(PCRE2_CONFIG_LINKSIZE, &link);
	snprintf(ret, size, "%.40s link %u", version, link);
}

/* PCRE2 writes a head and then the code as it is in memory; this gives the head's length. */
int match_save(const struct match_code *code, enum js_form form, uint8_t **ret, size_t *ret_len,
	       size_t *ret_head_len, struct err *err)
{
	const pcre2_code *one = code->machine->form[form];
	uint8_t *bytes = NULL;
	PCRE2_SIZE len = 0;
	size_t own = 0;

	if (pcre2_pattern_info(one, PCRE2_INFO_SIZE, &own) != 0 ||
	    pcre2_serialize_encode(&one, 1, &bytes, &len, NULL) != 1 || own > len) {
		pcre2_serialize_free(bytes);
		return err_set(err, ERR_SYSTEM, "patterns: PCRE2 cannot serialize them");
	}
	*ret = malloc(len);
	if (*ret)
		memcpy(*ret, bytes, len);
	pcre2_serialize_free(bytes);
	*ret_len = len;
	*ret_head_len = len - own;
	return *ret ? 0 : err_memory(err);
}

struct match_code *match_lazy(const struct match_bytes *bytes, bool unicode, struct err *err)
{
	struct match_code *code = code_new(unicode, err);

	if (!code)
		return NULL;
	code->bytes = *bytes;
	for (int i = 0; i < JS_FORMS; i++)
		if (bytes->len[i])
			atomic_init(&code->machine->state[i], FORM_ENCODED);
	return code;
}

/* Makes a form from its bytes; NULL on failure. */
static pcre2_code *decode_form(const struct match_bytes *bytes, enum js_form form)
{
	size_t len = bytes->head_len + bytes->len[form];
	AUTO_FREE uint8_t *whole = malloc(len);
	pcre2_code *code = NULL;

	if (!whole)
		return NULL;
	memcpy(whole, bytes->head, bytes->head_len);
	memcpy(whole + bytes->head_len, bytes->own[form], bytes->len[form]);
	return pcre2_serialize_decode(&code, 1, whole, NULL) == 1 ? code : NULL;
}

static void decode(const struct match_code *code, enum js_form form)
{
	struct machine *m = code->machine;

	m->form[form] = decode_form(&code->bytes, form);
	atomic_store_explicit(&m->state[form], m->form[form] ? FORM_FRESH : FORM_BROKEN,
			      memory_order_release);
}

/* Makes the machine code. No other thread reads the form before its state changes. If memory, or
 * the right to make executable pages, is missing, PCRE2 interprets. */
static void make_native(const struct match_code *code, enum js_form form)
{
	struct machine *m = code->machine;
	int made = pcre2_jit_compile(m->form[form], PCRE2_JIT_COMPLETE);

	atomic_store_explicit(&m->state[form], made == 0 ? FORM_NATIVE : FORM_INTERPRETED,
			      memory_order_release);
}

/* Advances until the form is past PAST; another thread may do it first. */
static enum form_state go_past(const struct match_code *code, enum js_form form,
			       enum form_state past)
{
	struct machine *m = code->machine;

	pthread_mutex_lock(&m->lock);
	if (form_state(code, form) == FORM_ENCODED)
		decode(code, form);
	if (form_state(code, form) == FORM_FRESH && past == FORM_FRESH)
		make_native(code, form);
	pthread_mutex_unlock(&m->lock);
	return form_state(code, form);
}

/* Past FRESH: with machine code. */
static enum form_state ready(const struct match_code *code, enum js_form form, enum form_state past)
{
	enum form_state state = form_state(code, form);

	return state == FORM_NEVER || state > past ? state : go_past(code, form, past);
}

bool match_is_native(const struct match_code *code)
{
	bool native = true;

	for (int i = 0; i < JS_FORMS; i++) {
		enum form_state state = ready(code, i, FORM_FRESH);
		native &= state == FORM_NEVER || state == FORM_NATIVE;
	}
	return native;
}

/* Bytes up to where spaces end, or begin. */
static size_t run_length(const uint8_t *s, size_t len)
{
	bool space = len && s[0] <= ' ';
	size_t n = 0;

	while (n < len && (s[n] <= ' ') == space)
		n++;
	return n;
}

/* How far the following part may read; KIND is one of those that read. */
static size_t read_length(const pcre2_callout_block *b, enum js_toll kind)
{
	const uint8_t *s = b->subject + b->current_position;
	size_t left = b->subject_length - b->current_position;
	const uint8_t *end;

	if (kind == JS_TOLL_RUN)
		return run_length(s, left);
	end = kind == JS_TOLL_LINE ? memchr(s, '\n', left) : NULL;
	return end ? (size_t)(end - s) : left;
}

/* The maximum that a back-reference compares. PCRE2 does not say which group it is, so the longest
 * is charged. The case of letters does not matter here. */
static uint64_t repeated_length(const pcre2_callout_block *b)
{
	const uint8_t *here = b->subject + b->current_position;
	size_t left = b->subject_length - b->current_position, most = 0;

	for (uint32_t i = 1; i < b->capture_top; i++) {
		const size_t *pair = b->offset_vector + 2 * (size_t)i;
		if (pair[0] == PCRE2_UNSET || pair[1] <= pair[0])
			continue;
		const uint8_t *group = b->subject + pair[0];
		size_t len = pair[1] - pair[0] < left ? pair[1] - pair[0] : left, n = 0;
		while (n < len && !((group[n] ^ here[n]) & ~0x20))
			n++;
		most = n > most ? n : most;
	}
	return most;
}

static uint64_t toll_of(const pcre2_callout_block *b)
{
	uint32_t toll = b->callout_number, weight;

	if (toll == JS_TOLL_BEHIND)
		return BEHIND_STEPS;
	if (toll == JS_TOLL_BACK)
		return repeated_length(b) / JS_TOLL_BYTES + 1;
	if (toll <= JS_TOLL_FIXED_MAX)
		return JS_TOLL_FIXED * (uint64_t)toll + 1;
	weight = (toll - JS_TOLL_RUN) % JS_TOLL_WEIGHTS;
	return ((uint64_t)read_length(b, toll - weight) << 2 * weight) / JS_TOLL_BYTES + 1;
}

static int pay_toll(pcre2_callout_block *block, void *context)
{
	struct match_scratch *s = context;
	uint64_t steps = toll_of(block);

	if (*s->steps_left < steps) {
		*s->steps_left = 0;
		return PCRE2_ERROR_MATCHLIMIT;
	}
	*s->steps_left -= steps;
	return 0;
}

struct match_scratch *match_scratch_new(const struct match_limits *limits, struct err *err)
{
	static const struct match_limits none;
	struct match_scratch *s = calloc(1, sizeof(*s));

	if (!limits)
		limits = &none;
	if (s) {
		s->context = pcre2_match_context_create(NULL);
		s->data = pcre2_match_data_create(1, NULL);
		s->stack = pcre2_jit_stack_create(STACK_START, MATCH_STACK_MAX, NULL);
	}
	if (!s || !s->context || !s->data || !s->stack) {
		err_memory(err);
		match_scratch_free(s);
		return NULL;
	}
	s->steps = limits->steps;
	pcre2_set_callout(s->context, pay_toll, s);
	pcre2_set_depth_limit(s->context, limits->depth ? limits->depth : MATCH_DEPTH);
	pcre2_set_heap_limit(s->context, limits->heap_kb ? limits->heap_kb : MATCH_HEAP_KB);
	pcre2_jit_stack_assign(s->context, NULL, s->stack);
	return s;
}

void match_scratch_free(struct match_scratch *s)
{
	if (!s)
		return;
	pcre2_match_context_free(s->context);
	pcre2_match_data_free(s->data);
	pcre2_jit_stack_free(s->stack);
	free(s);
}

/* PCRE2's return value; 0 means a match with more groups than the match data holds. */
static enum match_answer answer(int number)
{
	if (number == PCRE2_ERROR_NOMATCH)
		return MATCH_NO;
	return number < 0 ? MATCH_UNDECIDED : MATCH_YES;
}

/* The form that reads TEXT. */
static enum js_form form_for(const struct scan_text *text)
{
	return text->ascii ? JS_ASCII : JS_WIDE;
}

static enum match_answer run_most(const struct match_code *code, struct match_scratch *s,
				  const struct scan_text *text, uint64_t most, size_t *ret_start)
{
	enum js_form form = form_for(text);
	enum form_state state = ready(code, form, FORM_FRESH);
	const char *data = code->unicode ? text->data : text->unit;
	size_t len = code->unicode ? text->len : text->unit_len;

	uint64_t left = most, steps = most / (len + 1);

	if (state == FORM_NEVER || state == FORM_BROKEN)
		return state == FORM_NEVER ? MATCH_NO : MATCH_UNDECIDED;
	steps = steps < MATCH_STEPS_MIN ? MATCH_STEPS_MIN : steps;
	steps = steps > MATCH_STEPS ? MATCH_STEPS : steps;
	s->steps_left = &left;
	pcre2_set_match_limit(s->context, s->steps ? s->steps : (uint32_t)steps);
	pcre2_set_offset_limit(s->context, PCRE2_UNSET);
	int n = pcre2_match(code->machine->form[form], (PCRE2_SPTR)data, len, 0, PCRE2_NO_UTF_CHECK,
			    s->data, s->context);
	if (n >= 0 && ret_start)
		*ret_start = normal_utf16_at(data, pcre2_get_ovector_pointer(s->data)[0]);
	return answer(n);
}

enum match_answer match_run(const struct match_code *code, struct match_scratch *s,
			    const struct scan_text *text, size_t *ret_start)
{
	return run_most(code, s, text, MATCH_TEXT_STEPS, ret_start);
}

enum match_answer match_locate(const struct match_code *code, struct match_scratch *s,
			       const struct scan_text *text, size_t *ret_start)
{
	return run_most(code, s, text, MATCH_PLACE_STEPS, ret_start);
}

/* Asks a form that is ready. */
struct question {
	const pcre2_code *form;
	enum form_state state;
	PCRE2_SPTR data;
	const struct match_window *window;
};

static enum match_answer put(const struct question *q, struct match_scratch *s,
			     uint32_t place_steps, uint64_t *steps_left)
{
	size_t from = q->window->from, end = q->window->end;

	s->steps_left = steps_left;
	pcre2_set_match_limit(s->context, place_steps);
	pcre2_set_offset_limit(s->context, q->window->to);
	/* Calls the machine code directly: the checks of pcre2_match() hold by construction. */
	if (q->state == FORM_NATIVE)
		return answer(pcre2_jit_match(q->form, q->data, end, from, 0, s->data, s->context));
	/* Does not use machine code, even if it exists: another thread may be making it. */
	return answer(pcre2_match(q->form, q->data, end, from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
				  s->data, s->context));
}

/* May a fresh form be interpreted? */
static bool is_rare(const struct match_code *code, enum js_form form, const struct match_window *w,
		    struct match_scratch *s)
{
	return w->end - w->from <= FRESH_BYTES && s->fresh < FRESH_ALL && ++s->fresh &&
	       atomic_fetch_add_explicit(&code->machine->uses[form], 1, memory_order_relaxed) <
		       FRESH_USES;
}

/* Undecided: it exceeded these limits, and nothing has been charged. */
static enum match_answer put_fresh(const struct question *q, struct match_scratch *s,
				   uint32_t place_steps, uint64_t *steps_left)
{
	uint64_t few = *steps_left < FRESH_TOLLS ? *steps_left : FRESH_TOLLS, left = few;
	enum match_answer answer =
		put(q, s, place_steps < FRESH_STEPS ? place_steps : FRESH_STEPS, &left);

	if (answer != MATCH_UNDECIDED)
		*steps_left -= few - left;
	return answer;
}

enum match_answer match_run_window(const struct match_code *code, struct match_scratch *s,
				   const struct scan_text *text, const struct match_window *window,
				   uint32_t place_steps, uint64_t *steps_left)
{
	enum js_form form = form_for(text);
	struct question q = {.state = ready(code, form, FORM_ENCODED),
			     .data = (PCRE2_SPTR)(code->unicode ? text->data : text->unit),
			     .window = window};

	if (q.state == FORM_NEVER || q.state == FORM_BROKEN)
		return q.state == FORM_NEVER ? MATCH_NO : MATCH_UNDECIDED;
	q.form = code->machine->form[form];
	if (q.state == FORM_FRESH && is_rare(code, form, window, s)) {
		enum match_answer answer = put_fresh(&q, s, place_steps, steps_left);
		if (answer != MATCH_UNDECIDED)
			return answer;
	}
	if (q.state == FORM_FRESH)
		q.state = ready(code, form, FORM_FRESH);
	return put(&q, s, place_steps, steps_left);
}
