/* SPDX-License-Identifier: MIT
 *
 * Sessions keep the events that they should, drop the oldest first, and stay within their limits.
 */
#include <stdlib.h>

#include "detect/session.h"
#include "tap.h"

static int record(struct sessions *all, const char *name, int64_t time, const uint32_t *mark,
		  size_t markc)
{
	struct session_event e = {.time_ms = time, .recorded_ms = time};
	struct err err;

	return session_record(all, name, &e, mark, markc, &err);
}

static void remembers(void)
{
	struct err err;
	struct sessions *all = sessions_new(NULL, &err);
	const uint32_t marks[] = {3, 7};

	ok(all && !session_find(all, "a"), "nothing was recorded");
	ok(record(all, "a", 10, marks, 2) == 0 && record(all, "a", 20, NULL, 0) == 0 &&
		   record(all, "b", 30, marks, 1) == 0,
	   "three events");
	const struct session *a = session_find(all, "a"), *b = session_find(all, "b");
	ok(a && b && session_length(a) == 2 && session_length(b) == 1, "in two sessions");
	ok(session_at(a, 0)->time_ms == 10 && session_at(a, 1)->time_ms == 20, "oldest first");
	ok(session_event_has(session_at(a, 0), 7) && !session_event_has(session_at(a, 1), 7) &&
		   !session_event_has(session_at(b, 0), 7),
	   "each with its own marks");
	sessions_free(all);
}

static void forgets_events(void)
{
	struct err err;
	struct sessions *all = sessions_new(NULL, &err);
	bool right = true;

	for (uint32_t i = 0; i < SESSION_EVENTS_MAX; i++)
		record(all, "a", i, &i, 1);
	const struct session *a = session_find(all, "a");
	ok(session_length(a) == SESSION_EVENTS_MAX && session_at(a, 0)->time_ms == 0,
	   "%d events are kept", SESSION_EVENTS_MAX);
	for (uint32_t i = SESSION_EVENTS_MAX; i < SESSION_EVENTS_MAX + 7; i++)
		record(all, "a", i, &i, 1);
	ok(session_length(a) == SESSION_EVENTS_MAX && session_at(a, 0)->time_ms == 7,
	   "with seven more the first seven are dropped");
	for (size_t i = 0; i < SESSION_EVENTS_MAX; i++)
		right = right && session_event_has(session_at(a, i), (uint32_t)i + 7);
	ok(right, "the others are in order");
	sessions_free(all);
}

static void forgets_sessions(void)
{
	struct session_limits limits = {.sessions = 3};
	struct err err;
	struct sessions *all = sessions_new(&limits, &err);

	record(all, "a", 1, NULL, 0);
	record(all, "b", 2, NULL, 0);
	record(all, "a", 3, NULL, 0);
	record(all, "c", 4, NULL, 0);
	ok(sessions_count(all) == 3, "three sessions fit");
	record(all, "d", 5, NULL, 0);
	ok(sessions_count(all) == 3 && !session_find(all, "b") && session_find(all, "a"),
	   "with one more the one with the oldest activity is dropped");
	/* The reference evicts a session before it tests whether it must. */
	record(all, "a", 6, NULL, 0);
	ok(sessions_count(all) == 3 && session_length(session_find(all, "a")) == 1,
	   "recording in the oldest session of a full table starts it anew");
	sessions_free(all);
}

static void bytes_and_names(void)
{
	struct session_limits limits = {.bytes = 4096};
	struct err err;
	struct sessions *all = sessions_new(&limits, &err);
	uint32_t marks[256] = {0};
	char name[SESSION_NAME_MAX + 2];

	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "s%d", i % 5);
		record(all, name, i, marks, 256);
	}
	ok(sessions_count(all) >= 1 && sessions_count(all) <= 4,
	   "the limit of bytes bounds the sessions: %zu", sessions_count(all));
	for (int i = 0; i < 100; i++)
		record(all, "one", i, marks, 256);
	const struct session *one = session_find(all, "one");
	ok(one && session_length(one) >= 1 && session_length(one) <= 4 &&
		   session_at(one, session_length(one) - 1)->time_ms == 99,
	   "and the events of one: %zu", session_length(one));
	memset(name, 'n', sizeof(name));
	name[SESSION_NAME_MAX] = '\0';
	ok(record(all, name, 1, NULL, 0) == 0, "a name of %d bytes", SESSION_NAME_MAX);
	name[SESSION_NAME_MAX] = 'n';
	name[SESSION_NAME_MAX + 1] = '\0';
	ok(record(all, name, 1, NULL, 0) == -1, "one of one more is refused");
	sessions_free(all);
}

int main(void)
{
	remembers();
	forgets_events();
	forgets_sessions();
	bytes_and_names();
	return tap_done();
}
