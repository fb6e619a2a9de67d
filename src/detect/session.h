/* SPDX-License-Identifier: MIT
 *
 * The earlier events of a session, as far as rules can ask: the steps of sequences and the counted
 * patterns that matched, and the tool called. Texts are not stored.
 */
#ifndef CORDON_DETECT_SESSION_H
#define CORDON_DETECT_SESSION_H

#include <stdint.h>

#include "base/err.h"
#include "yaml/node.h"

/* The first two are the reference's. */
#define SESSION_EVENTS_MAX 1000 /* of one session; then the oldest event is dropped */
#define SESSIONS_MAX 10000	/* then the one with the oldest activity is dropped */
#define SESSION_BYTES_MAX ((size_t)64 << 20)
#define SESSION_NAME_MAX 1024 /* bytes of a session's name */

struct session_limits {
	size_t events, sessions, bytes; /* 0: the maximum */
};

struct session_event {
	int64_t time_ms;     /* the event's own time, or EVENT_TIME_NONE */
	int64_t recorded_ms; /* when it came */
	size_t markc;
	uint32_t mark[]; /* numbers, in no order */
};

struct session;
struct sessions;

struct sessions *sessions_new(const struct session_limits *limits, struct err *err);
void sessions_free(struct sessions *all);
size_t sessions_count(const struct sessions *all);
/* NULL when no event was recorded under this name. */
const struct session *session_find(const struct sessions *all, const char *name);
size_t session_length(const struct session *s);
/* The I-th event, oldest first. */
const struct session_event *session_at(const struct session *s, size_t i);
bool session_event_has(const struct session_event *e, uint32_t mark);
int session_record(struct sessions *all, const char *name, const struct session_event *event,
		   const uint32_t *mark, size_t markc, struct err *err);

#endif
