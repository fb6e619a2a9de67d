/* SPDX-License-Identifier: MIT
 *
 * The text is escaped as for a terminal: the receiver may print it unchanged.
 */
#include "door/cli/notice.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "approval/summary.h"
#include "base/scope.h"
#include "gate/deliver.h"
#include "show/jsonval.h"
#include "show/terminal.h"

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* TEXT with control characters escaped. */
static json_t *safe(const char *text)
{
	AUTO_FREE char *shown = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&shown, &len);

	if (!to)
		return NULL;
	terminal_words(to, text);
	return fclose(to) == 0 ? json_string(shown) : NULL;
}

static json_t *lines(const struct approval *a, uint64_t now, struct arena *arena)
{
	struct summary_line line[SUMMARY_LINES];
	size_t count = approval_summary(a, now, arena, line);
	json_t *all = json_array();

	for (size_t i = 0; i < count; i++) {
		const char *text =
			*line[i].label ? arena_printf(arena, "%s: %s", line[i].label, line[i].text)
				       : line[i].text;
		json_array_append_new(all, safe(text ? text : "?"));
	}
	return all;
}

/* "approval.waiting", "approval.approved"... */
static const char *event_of(enum approval_state state, struct arena *arena)
{
	return state == APPROVAL_PENDING
		       ? "approval.waiting"
		       : arena_printf(arena, "approval.%s", approval_state_name(state));
}

static char *body_of(const struct approval *a, const char *event, uint64_t now, struct arena *arena)
{
	const struct approval_request *r = &a->request;
	json_t *all = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:s, s:I}", "type",
				event, "id", a->id, "title", safe(r->title), "purpose",
				safe(r->purpose), "headline", safe(approval_headline(r, arena)),
				"summary", lines(a, now, arena), "status",
				approval_state_name(approval_state_at(a, now)), "reason",
				safe(a->status.reason), "conversation", safe(r->conversation),
				"show", arena_printf(arena, "cordon approvals show %s", a->id),
				"expires", (json_int_t)r->expires);
	char *text = all ? json_dumps(all, JSON_COMPACT) : NULL;

	json_decref(all);
	return text;
}

static int deliver_one(const struct cli_call *call, const struct approval *a, struct err *err)
{
	const struct config_target *to = &call->config.now.notify;
	struct arena arena = {0};
	uint64_t now = now_ms();

	const char *event = event_of(approval_state_at(a, now), &arena);
	AUTO_FREE char *body = event ? body_of(a, event, now, &arena) : NULL;
	int r = body ? deliver(to, event, body, strlen(body), err) : err_memory(err);
	arena_done(&arena);
	return r;
}

static int send(const struct cli_call *call, struct store *s, const char *id, struct err *err)
{
	AUTO_APPROVAL struct approval a = {0};
	struct err why, lost;

	if (!call->config.now.notify.commandc && !call->config.now.notify.url)
		return 0;
	if (approval_load(s, id, &a, err) < 0)
		return -1;
	if (deliver_one(call, &a, &why) == 0)
		return 0;
	bool recorded = approval_note_undelivered(s, &a, why.message, &lost) == 0;
	err_set(err, ERR_SYSTEM, "the notification about request %s failed: %.300s", id,
		why.message);
	err_cause(err, "%.250s%s", why.cause,
		  recorded ? "" : "; and this failure could not be recorded");
	err_cure(err, "%s", why.cure);
	return -1;
}

void notice_tell(const struct cli_call *call, struct store *s, const char *id)
{
	struct err err = {0};

	if (send(call, s, id, &err) < 0)
		terminal_print_error(&err);
}

static int send_one(const void *ctx, struct store *s, const char *id, struct err *err)
{
	const struct cli_call *call = ctx;

	if (send(call, s, id, err) == 0)
		return 0;
	if (!call->json && !call->events)
		terminal_print_error(err);
	return -1;
}

struct request_notice notice_of(const struct cli_call *call)
{
	return (struct request_notice){.send = send_one, .ctx = call};
}
