/* SPDX-License-Identifier: MIT
 *
 * Conditions on more than the event's texts: measurements, and sequences of events. As in the
 * reference, two steps in one event match the whole sequence.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "detect/thread.h"

static bool is_more(double a, double b)
{
	return a > b;
}
static bool is_less(double a, double b)
{
	return a < b;
}
static bool is_equal(double a, double b)
{
	return a == b;
}
static bool is_at_least(double a, double b)
{
	return a >= b;
}
static bool is_at_most(double a, double b)
{
	return a <= b;
}
static bool is_farther(double a, double b)
{
	return fabs(a) > b;
}

static bool (*const compare[])(double value, double threshold) = {
	[COMPARE_GT] = is_more,	     [COMPARE_LT] = is_less,	 [COMPARE_EQ] = is_equal,
	[COMPARE_GTE] = is_at_least, [COMPARE_LTE] = is_at_most, [COMPARE_DEVIATION] = is_farther,
};

static int64_t now_of(const struct engine_thread *t, const struct event *event)
{
	struct timespec now;

	/* The reference uses its own clock even for old events. */
	if (t->engine->options.mode == DETECT_STRICT && event->time_ms != EVENT_TIME_NONE)
		return event->time_ms;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const struct session *session_of(const struct engine_thread *t, const struct event *event)
{
	return t->sessions && event->session && *event->session
		       ? session_find(t->sessions, event->session)
		       : NULL;
}

/* Counts the earlier events in the window that have MARK. MARK PATTERN_NONE counts all events. */
static double count_events(const struct engine_thread *t, const struct event *event,
			   uint64_t window_ms, uint32_t mark)
{
	const struct session *s = session_of(t, event);
	double since = (double)now_of(t, event) - (double)window_ms, count = 0;

	for (size_t i = 0; s && i < session_length(s); i++) {
		const struct session_event *e = session_at(s, i);
		if ((double)e->recorded_ms >= since &&
		    (mark == PATTERN_NONE || session_event_has(e, mark)))
			count++;
	}
	return count;
}

enum answer ask_metric(struct engine_thread *t, const struct event *event,
		       const struct rule_condition *c, const struct ruleset_condition *set)
{
	double value;

	if (node_number(node_get(event->metrics, c->metric), &value) < 0) {
		if (set->metric == METRIC_OF_EVENT || !event->session || !*event->session)
			return ANSWER_NO;
		value = count_events(t, event, c->window_ms, set->mark);
	}
	return compare[c->compare](value, c->threshold) ? ANSWER_YES : ANSWER_NO;
}

/* Records for every step whether one of its patterns matched. */
static void answer_steps(struct engine_thread *t, const struct db_hits *hits)
{
	const struct ruleset *p = &t->engine->set;
	const struct {
		const uint32_t *list;
		size_t count;
		enum answer answer;
	} both[] = {{hits->undecided, hits->undecidedc, ANSWER_UNDECIDED},
		    {hits->yes, hits->yesc, ANSWER_YES}};

	for (int k = 0; k < 2; k++) {
		memset(t->hit, 0, p->words * sizeof(*t->hit));
		for (size_t i = 0; i < both[k].count; i++)
			t->hit[both[k].list[i] / 64] |= 1ULL << both[k].list[i] % 64;
		for (size_t s = 0; s < p->stepc; s++)
			for (size_t i = 0; i < p->step[s].patternc; i++)
				if (db_is_wanted(t->hit, p->step_pattern[p->step[s].first + i]) &&
				    t->step[s] < both[k].answer)
					t->step[s] = both[k].answer;
	}
}

int find_steps(struct engine_thread *t, struct text content, bool more, struct err *err)
{
	struct scan_text raw, text;
	struct db_hits hits = {0};

	if (!t->engine->set.stepc)
		return 0;
	if (!more)
		memset(t->step, 0, t->engine->set.stepc * sizeof(*t->step));
	if (normal_decode(content.s ? content.s : "", content.len, &raw, err) < 0)
		return -1;
	int result = normal_strip(&raw, &text, err);
	if (result == 0 &&
	    (t->engine->options.mode == DETECT_STRICT || text.utf16 <= REFERENCE_LENGTH_MAX)) {
		result = db_scan(t->engine->db, t->scratch, &text, t->engine->set.wanted_steps,
				 &hits, err);
		if (result == 0)
			answer_steps(t, &hits);
	}
	if (result == 0)
		normal_done(&text);
	normal_done(&raw);
	return result;
}

struct span {
	size_t last;   /* the event of the previous step, plus one */
	bool timeless; /* one of the events has no time, so there is no window */
	double first_ms, last_ms;
};

/* The first event that matches STEP: searches earlier events, then the current one. */
static bool find_step(const struct engine_thread *t, const struct session *s,
		      const struct event *event, uint32_t step, size_t *ret_at, int64_t *ret_time)
{
	for (size_t i = 0; i < session_length(s); i++)
		if (session_event_has(session_at(s, i), step)) {
			*ret_at = i;
			*ret_time = session_at(s, i)->time_ms;
			return true;
		}
	*ret_at = session_length(s);
	*ret_time = event->time_ms;
	return t->step[step] == ANSWER_YES;
}

static bool is_in_session(const struct engine_thread *t, const struct event *event,
			  const struct rule_condition *c, uint32_t first_step)
{
	const struct session *s = session_of(t, event);
	struct span span = {.first_ms = INFINITY, .last_ms = -INFINITY};

	if (!s || session_length(s) + 1 < c->stepc)
		return false;
	for (size_t i = 0; i < c->stepc; i++) {
		size_t at;
		int64_t time;
		if (!find_step(t, s, event, first_step + (uint32_t)i, &at, &time))
			return false;
		if (c->ordered && i && at < span.last)
			return false;
		span.last = at + 1;
		span.timeless |= time == EVENT_TIME_NONE;
		span.first_ms = (double)time < span.first_ms ? (double)time : span.first_ms;
		span.last_ms = (double)time > span.last_ms ? (double)time : span.last_ms;
	}
	return span.timeless || !c->window_ms ||
	       span.last_ms - span.first_ms <= (double)c->window_ms;
}

enum answer ask_sequence(struct engine_thread *t, const struct event *event,
			 const struct rule_condition *c, const struct ruleset_condition *set)
{
	size_t yes = 0, undecided = 0;

	if (is_in_session(t, event, c, set->first_step))
		return ANSWER_YES;
	for (size_t i = 0; i < c->stepc; i++) {
		yes += t->step[set->first_step + i] == ANSWER_YES;
		undecided += t->step[set->first_step + i] == ANSWER_UNDECIDED;
	}
	if (yes >= 2)
		return ANSWER_YES;
	return undecided ? ANSWER_UNDECIDED : ANSWER_NO;
}

void thread_mark(struct engine_thread *t, uint32_t mark)
{
	if (t->marked[mark])
		return;
	t->marked[mark] = true;
	t->mark[t->markc++] = mark;
}

/* Only tool calls and responses have a tool name: the field tool_name, else the content. */
static void mark_tool(struct engine_thread *t, const struct event *event)
{
	const struct node *field = node_get(event->fields, "tool_name");
	const struct ruleset *p = &t->engine->set;
	struct text name = event->content;

	if (event->type != EVENT_TOOL_CALL && event->type != EVENT_TOOL_RESPONSE)
		return;
	if (field && field->kind == NODE_STRING)
		name = field->text;
	for (size_t i = 0; name.s && i < p->toolc; i++)
		if (strlen(p->tool[i]) == name.len && !memcmp(p->tool[i], name.s, name.len))
			thread_mark(t, (uint32_t)(p->stepc + i));
}

int thread_record(struct engine_thread *t, const struct event *event, struct err *err)
{
	struct session_event e = {.time_ms = event->time_ms};

	if (!t->sessions || !event->session || !*event->session)
		return 0;
	/* An undecided step counts as matched: a limit must not hide a step. */
	for (size_t s = 0; s < t->engine->set.stepc; s++)
		if (t->step[s] != ANSWER_NO)
			thread_mark(t, (uint32_t)s);
	mark_tool(t, event);
	e.recorded_ms = now_of(t, event);
	return session_record(t->sessions, event->session, &e, t->mark, t->markc, err);
}
