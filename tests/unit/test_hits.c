/* SPDX-License-Identifier: MIT
 *
 * Layers that were scanned are kept, so that an equal one is not scanned again: their length and
 * number, at each maximum and one more. A layer was kept if it has no second finding.
 */
#include "detect/hits.h"

#include <stdlib.h>

#include "engine_kit.h"

static const char *const rules[] = {
	HEAD("STONE", "high", "llm_io") ANY MATCH("content", "moonstone"), NULL};

/* LEN bytes: the word, a number, then one repeated letter. */
static char *layer_of(size_t len, unsigned number)
{
	char *text = malloc(len + 1);
	int head = text ? snprintf(text, len + 1, "moonstone %u ", number) : 0;

	if (text)
		memset(text + head, 'x', len - (size_t)head);
	return text;
}

static const struct event event = {
	.type = EVENT_LLM_INPUT, .content = {"a", 1}, .time_ms = EVENT_TIME_NONE};

/* Does the thread scan TEXT as another layer of the event's text? With KEEP, the layer is kept. */
static bool is_scanned(struct kit *k, struct hits_scanned *known, struct text text, bool keep)
{
	struct engine_thread *t = k->thread;
	bool found = false;
	struct err err;

	if (hits_begin(t, &event, NULL, &err) < 0)
		return false;
	known->whole = t->text[0];
	/* The event itself has no match: marks of earlier texts do not count. */
	hits_next_round(t);
	if (hits_scan(t, &event, 0, NULL, &err) == 0 &&
	    prepared_init(&t->text[0], text, &err) == 0) {
		found = hits_scan(t, &event, 0, known, &err) == 0 && t->touchedc > 0;
		if (keep)
			hits_keep(known, &t->text[0]);
		else
			prepared_done(&t->text[0]);
	}
	t->text[0] = known->whole;
	known->whole = (struct prepared){0};
	hits_done(t);
	return found;
}

/* Is TEXT, after it was scanned, scanned again? */
static bool is_kept(struct kit *k, struct text text)
{
	struct hits_scanned known = {0};
	bool first = is_scanned(k, &known, text, true);
	bool again = is_scanned(k, &known, text, false);

	hits_scanned_done(&known);
	return first && !again;
}

static bool is_length_kept(struct kit *k, size_t len)
{
	AUTO_FREE char *text = layer_of(len, 0);

	return text && is_kept(k, (struct text){text, len});
}

static void test_lengths(struct kit *k)
{
	ok(is_length_kept(k, HITS_KEPT_MIN) && !is_length_kept(k, HITS_KEPT_MIN - 1),
	   "a layer of %d bytes is kept, a shorter one is not", HITS_KEPT_MIN);
	ok(is_length_kept(k, HITS_KEPT_MAX) && !is_length_kept(k, HITS_KEPT_MAX + 1),
	   "one of %d bytes is kept, a longer one is not", HITS_KEPT_MAX);
}

/* Its normal form is short; as given it is one byte too long, by three bytes of an invisible
 * character. */
static void test_raw_length(struct kit *k)
{
	static const char unseen[] = "\xe2\x80\x8b";
	AUTO_FREE char *text = layer_of(HITS_KEPT_MAX + 1, 0);

	if (text)
		memcpy(text + HITS_KEPT_MAX - 9, unseen, sizeof(unseen) - 1);
	ok(text && is_kept(k, (struct text){text, HITS_KEPT_MAX}) &&
		   !is_kept(k, (struct text){text, HITS_KEPT_MAX + 1}),
	   "the length before normalising counts too");
}

static void test_count(struct kit *k)
{
	struct text layer[HITS_KEPT + 1];
	struct hits_scanned known = {0};
	size_t again = 0;

	for (unsigned i = 0; i <= HITS_KEPT; i++)
		layer[i] = (struct text){layer_of(HITS_KEPT_MIN, i), HITS_KEPT_MIN};
	for (size_t i = 0; i < HITS_KEPT; i++)
		is_scanned(k, &known, layer[i], true);
	for (size_t i = 0; i < HITS_KEPT; i++)
		again += is_scanned(k, &known, layer[i], false);
	ok(again == 0 && known.next == HITS_KEPT, "%d layers are kept", HITS_KEPT);
	is_scanned(k, &known, layer[HITS_KEPT], true);
	for (size_t i = 1; i <= HITS_KEPT; i++)
		again += is_scanned(k, &known, layer[i], false);
	ok(again == 0 && is_scanned(k, &known, layer[0], false),
	   "one more replaces only the oldest");
	hits_scanned_done(&known);
	for (size_t i = 0; i <= HITS_KEPT; i++)
		free((char *)layer[i].s);
}

int main(void)
{
	const char *dir = scratch_enter();
	struct kit k;

	if (ok(set_up(&k, rules, DETECT_STRICT, false), "a rule (%s)", k.said)) {
		test_lengths(&k);
		test_raw_length(&k);
		test_count(&k);
	}
	tear_down(&k);
	scratch_leave(dir);
	return tap_done();
}
