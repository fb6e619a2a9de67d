/* SPDX-License-Identifier: MIT
 *
 * A hash table of sessions, a list of them by last activity, and a list of events in each. An
 * attacker who invents session names only evicts other sessions: memory stays below its maximum.
 */
#include "detect/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/scope.h"

enum { BUCKETS = 4096 };

struct session {
	struct session *next;	       /* in its bucket */
	struct session *older, *newer; /* by activity */
	struct session_event **event;  /* oldest first */
	size_t count, room, bytes;
	char name[];
};

struct sessions {
	struct session_limits limits;
	size_t count, bytes;
	struct session *oldest, *newest;
	struct session *bucket[BUCKETS];
};

static struct session **bucket_of(const struct sessions *all, const char *name)
{
	uint64_t h = hash_bytes(HASH_BEGIN, name, strlen(name));

	return (struct session **)&all->bucket[(h ^ h >> 32) % BUCKETS];
}

struct sessions *sessions_new(const struct session_limits *limits, struct err *err)
{
	struct sessions *all = calloc(1, sizeof(*all));

	if (!all) {
		err_memory(err);
		return NULL;
	}
	if (limits)
		all->limits = *limits;
	if (!all->limits.events || all->limits.events > SESSION_EVENTS_MAX)
		all->limits.events = SESSION_EVENTS_MAX;
	if (!all->limits.sessions || all->limits.sessions > SESSIONS_MAX)
		all->limits.sessions = SESSIONS_MAX;
	if (!all->limits.bytes || all->limits.bytes > SESSION_BYTES_MAX)
		all->limits.bytes = SESSION_BYTES_MAX;
	return all;
}

static void unlink_session(struct sessions *all, struct session *s)
{
	*(s->older ? &s->older->newer : &all->oldest) = s->newer;
	*(s->newer ? &s->newer->older : &all->newest) = s->older;
	s->older = s->newer = NULL;
}

static void link_newest(struct sessions *all, struct session *s)
{
	s->older = all->newest;
	*(all->newest ? &all->newest->newer : &all->oldest) = s;
	all->newest = s;
}

static void forget(struct sessions *all, struct session *s)
{
	struct session **at = bucket_of(all, s->name);

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	unlink_session(all, s);
	all->count--;
	all->bytes -= s->bytes;
	for (size_t i = 0; i < s->count; i++)
		free(s->event[i]);
	free(s->event);
	free(s);
}

void sessions_free(struct sessions *all)
{
	while (all && all->oldest)
		forget(all, all->oldest);
	free(all);
}

size_t sessions_count(const struct sessions *all)
{
	return all->count;
}

const struct session *session_find(const struct sessions *all, const char *name)
{
	const struct session *s = *bucket_of(all, name);

	while (s && strcmp(s->name, name) != 0)
		s = s->next;
	return s;
}

size_t session_length(const struct session *s)
{
	return s->count;
}

const struct session_event *session_at(const struct session *s, size_t i)
{
	return s->event[i];
}

bool session_event_has(const struct session_event *e, uint32_t mark)
{
	for (size_t i = 0; i < e->markc; i++)
		if (e->mark[i] == mark)
			return true;
	return false;
}

static struct session *get_or_make(struct sessions *all, const char *name)
{
	struct session *s = (struct session *)session_find(all, name);

	if (s) {
		unlink_session(all, s);
		link_newest(all, s);
		return s;
	}
	size_t len = strlen(name) + 1, size = sizeof(*s) + len;
	s = calloc(1, size);
	if (!s)
		return NULL;
	memcpy(s->name, name, len);
	s->bytes = size;
	all->bytes += size;
	all->count++;
	struct session **bucket = bucket_of(all, name);
	s->next = *bucket;
	*bucket = s;
	link_newest(all, s);
	return s;
}

static bool make_room(struct sessions *all, struct session *s)
{
	size_t room = s->room ? 2 * s->room : 8;

	if (s->event && s->count < s->room)
		return true;
	if (room > all->limits.events)
		room = all->limits.events;
	void *grown = realloc(s->event, room * sizeof(struct session_event *));
	if (!grown)
		return false;
	size_t more = (room - s->room) * sizeof(struct session_event *);
	s->bytes += more;
	all->bytes += more;
	s->event = grown;
	s->room = room;
	return true;
}

static size_t size_of(const struct session_event *e)
{
	return sizeof(*e) + e->markc * sizeof(e->mark[0]);
}

static void drop_first(struct sessions *all, struct session *s)
{
	struct session_event *e = s->event[0];

	s->bytes -= size_of(e);
	all->bytes -= size_of(e);
	s->count--;
	memmove(s->event, s->event + 1, s->count * sizeof(struct session_event *));
	free(e);
}

int session_record(struct sessions *all, const char *name, const struct session_event *event,
		   const uint32_t *mark, size_t markc, struct err *err)
{
	if (strlen(name) > SESSION_NAME_MAX)
		return err_set(err, ERR_LIMIT, "session: the name is longer than %d bytes",
			       SESSION_NAME_MAX);
	/* The reference evicts a session even when this one exists already. */
	if (all->count >= all->limits.sessions)
		forget(all, all->oldest);
	AUTO_FREE struct session_event *e = malloc(sizeof(*e) + markc * sizeof(*mark));
	struct session *s = e ? get_or_make(all, name) : NULL;
	if (s && s->event && s->count == all->limits.events)
		drop_first(all, s);
	if (!s || !make_room(all, s))
		return err_memory(err);
	e->time_ms = event->time_ms;
	e->recorded_ms = event->recorded_ms;
	e->markc = markc;
	if (markc)
		memcpy(e->mark, mark, markc * sizeof(*mark));
	s->bytes += size_of(e);
	all->bytes += size_of(e);
	s->event[s->count++] = e;
	e = NULL;
	while (all->bytes > all->limits.bytes && all->oldest != s)
		forget(all, all->oldest);
	while (all->bytes > all->limits.bytes && s->count > 1)
		drop_first(all, s);
	return 0;
}
