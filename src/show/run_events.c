/* SPDX-License-Identifier: MIT
 *
 * Each event is a JSON object made from rows. Output is split between characters, so that each
 * piece is text; a piece of invalid UTF-8 is base64. Standard output is flushed after each line, so
 * that the reader sees each event at once. main checks that all was written.
 */
#include "show/run_events.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/io.h"
#include "base/scope.h"
#include "show/jsonval.h"
#include "show/run_json.h"

enum { PIECE = 65536 }; /* of output, in one event */

static uint64_t since(const struct events *e)
{
	return (io_now_ns() - e->begun_ns) / 1000000U;
}

/* Every event begins with these two fields. */
struct head {
	const char *event;
	uint64_t ms;
};

FIELD(head_event, struct head, json_string(v->event))
FIELD(head_ms, struct head, jsonval_number(v->ms))

static const struct json_field head_fields[] = {
	{"event", "what happened: started, stdout, telemetry, result ...", head_event},
	{"ms", "milliseconds since cordon started", head_ms},
	{0}};

struct piece {
	const char *data;
	size_t len;
	uint64_t omitted;
};

static json_t *piece_encoding(const struct piece *p)
{
	json_t *other = jsonval_encoding(p->data, p->len);

	return other ? other : json_string("utf-8");
}

FIELD(piece_data, struct piece, jsonval_text(v->data, v->len))
FIELD(piece_encoded, struct piece, piece_encoding(v))
FIELD(piece_omitted, struct piece, jsonval_number(v->omitted))

static const struct json_field output_fields[] = {
	{"data", "what the program printed", piece_data},
	{"encoding", "utf-8, or base64 where it is not UTF-8", piece_encoded},
	{"omitted", "bytes left out before this part (--output)", piece_omitted},
	{0}};

static json_t *words(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->reasonc; i++)
		json_array_append_new(list, jsonval_readable(r->reason[i]));
	return list;
}

FIELD(report_run, struct report, v->run[0] ? json_sprintf("run:%s", v->run) : json_null())
FIELD(report_verdict, struct report, json_string(verdict_name(v->verdict)))
FIELD(report_origin, struct report, json_string(origin_name(v->origin)))
FIELD(report_reasons, struct report, words(v))
FIELD(report_state, struct report, json_string(v->exposed ? "exposed" : "clean"))
FIELD(report_effects, struct report, run_effects_json(v))
FIELD(report_approval, struct report, v->approval[0] ? json_string(v->approval) : json_null())

static const struct json_field started_fields[] = {
	{"audit_id", "the run's name in the log", report_run},
	{"verdict", "allow", report_verdict},
	{"origin", "plan, user, agent, exposed, derived or hostile", report_origin},
	{"reasons", "the reasons for the verdict and the origin, in words", report_reasons},
	{"state", "clean or exposed", report_state},
	{"effects", "each effect that the run wants, and its outcome", report_effects},
	{0}};

static const struct json_field pending_fields[] = {
	{"approval_id", "the approval request that the run waits for", report_approval},
	{"verdict", "ask", report_verdict},
	{"origin", "plan, user, agent, exposed, derived or hostile", report_origin},
	{"reasons", "why a person is asked, in words", report_reasons},
	{0}};

#define SAID(member) json_string(v->member)
FIELD(said_audit, struct telemetry_event, SAID(audit))
FIELD(said_args, struct telemetry_event, SAID(args))
FIELD(said_line, struct telemetry_event, v->line ? jsonval_number(v->line) : json_null())
FIELD(said_by, struct telemetry_event, ((void)v, json_string("program")))

static const struct json_field telemetry_fields[] = {
	{"audit", "the name of Python's audit event: open, import, socket.connect ...", said_audit},
	{"args", "its arguments, as Python prints them", said_args},
	{"line", "the line of the code, or null", said_line},
	{"by", "program: reported by the program, which can forge it", said_by},
	{0}};

struct touched {
	const char *limit;
	uint64_t value;
	bool ended;
};

FIELD(touched_limit, struct touched, json_string(v->limit))
FIELD(touched_value, struct touched, v->value ? jsonval_number(v->value) : json_null())
FIELD(touched_ended, struct touched, json_boolean(v->ended))

static const struct json_field limit_fields[] = {
	{"limit", "the limit that was reached: time, memory, pids ...", touched_limit},
	{"value", "the value of the limit: milliseconds, bytes or a number; or null",
	 touched_value},
	{"ended", "true if reaching the limit ended the program", touched_ended},
	{0}};

const struct json_doc run_event_docs[] = {{"events[]", head_fields},
					  {"events.started", started_fields},
					  {"events.pending", pending_fields},
					  {"events.stdout", output_fields},
					  {"events.denial", run_denial_fields},
					  {"events.telemetry", telemetry_fields},
					  {"events.limit", limit_fields},
					  {0}};

/* Frees BODY. */
static void print_event(const char *event, uint64_t ms, json_t *body)
{
	struct head head = {event, ms};
	json_t *o = jsonval_object(head_fields, &head);

	json_object_update(o, body);
	json_decref(body);
	jsonval_dump(o, 0);
	fflush(stdout);
}

static void print_piece(struct events *e, int stream, const struct piece *p)
{
	static const char *const kinds[] = {"stdout", "stderr"};

	print_event(kinds[stream], since(e), jsonval_object(output_fields, p));
}

/* The number of bytes at the end of DATA that begin an incomplete character. */
static size_t unfinished(const char *data, size_t len)
{
	for (size_t back = 1; back <= len && back < UTF8_CHAR_MAX; back++) {
		unsigned char c = (unsigned char)data[len - back];
		if ((c & 0xc0) == 0x80)
			continue;
		size_t need = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
		return back < need ? back : 0;
	}
	return 0;
}

/* Prints at most PIECE bytes; an incomplete character is held until the next piece. */
static void tell_piece(struct events *e, int stream, const char *data, size_t len)
{
	struct events_stream *s = &e->out[stream];
	char joined[PIECE + UTF8_CHAR_MAX];

	memcpy(joined, s->held, s->heldc);
	memcpy(joined + s->heldc, data, len);
	len += s->heldc;
	s->heldc = (unsigned)unfinished(joined, len);
	memcpy(s->held, joined + len - s->heldc, s->heldc);
	if (len > s->heldc)
		print_piece(e, stream, &(struct piece){.data = joined, .len = len - s->heldc});
}

/* Prints the held bytes: the character was not completed. */
static void release(struct events *e, int stream)
{
	struct events_stream *s = &e->out[stream];
	struct piece p = {.data = s->held, .len = s->heldc};

	if (p.len)
		print_piece(e, stream, &p);
	s->heldc = 0;
}

static void on_output(void *ctx, int stream, const char *data, size_t len)
{
	struct events *e = ctx;
	size_t *room = &e->out[stream].room;

	for (size_t part; len && *room; data += part, len -= part) {
		part = len < *room ? len : *room;
		part = part < PIECE ? part : PIECE;
		*room -= part;
		tell_piece(e, stream, data, part);
	}
}

static void on_started(void *ctx, const struct report *report)
{
	print_event("started", since(ctx), jsonval_object(started_fields, report));
}

static void on_pending(void *ctx, const struct report *report)
{
	print_event("pending", since(ctx), jsonval_object(pending_fields, report));
}

static void on_telemetry(void *ctx, const struct telemetry_event *event)
{
	print_event("telemetry", since(ctx), jsonval_object(telemetry_fields, event));
}

static void on_denial(void *ctx, const struct wire_denial *denial)
{
	print_event("denial", since(ctx), jsonval_object(run_denial_fields, denial));
}

void events_init(struct events *e, size_t room)
{
	*e = (struct events){.begun_ns = io_now_ns(), .out = {{.room = room}, {.room = room}}};
}

struct launch_sink events_sink(struct events *e)
{
	return (struct launch_sink){.pending = on_pending,
				    .started = on_started,
				    .output = on_output,
				    .telemetry = on_telemetry,
				    .denial = on_denial,
				    .ctx = e};
}

/* Prints the end that was kept, after the event for the omitted middle. */
static void tell_rest(struct events *e, int stream, const struct capture *c)
{
	struct piece gap = {.data = "", .omitted = capture_omitted(c)};

	if (gap.omitted) {
		release(e, stream);
		print_piece(e, stream, &gap);
	}
	for (size_t at = 0; at < c->tail_len;) {
		size_t from = (c->tail_at + at) % c->tail_max, part = c->tail_len - at;
		part = part < c->tail_max - from ? part : c->tail_max - from;
		part = part < PIECE ? part : PIECE;
		tell_piece(e, stream, c->tail + from, part);
		at += part;
	}
	release(e, stream);
}

static void tell_limit(const struct events *e, const struct result *r)
{
	bool late = r->status == STATUS_TIMED_OUT;
	enum limit_id id = late ? LIMIT_TIME : (enum limit_id)r->wire.limit;

	if (id >= LIMIT_COUNT || r->status == STATUS_ERROR)
		return;
	struct touched t = {limit_row(id)->name, r->wire.limit_value, late || r->wire.limit_ended};
	print_event("limit", since(e), jsonval_object(limit_fields, &t));
}

void events_finish(struct events *e, const struct result *r, enum tier tier)
{
	for (int i = 0; i < 2; i++)
		tell_rest(e, i, &r->out[i]);
	tell_limit(e, r);
	events_print_result(r, tier, since(e));
}

void events_print_result(const struct result *r, enum tier tier, uint64_t ms)
{
	print_event("result", ms, run_json_without_output(r, tier));
}
