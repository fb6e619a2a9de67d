/* SPDX-License-Identifier: MIT
 *
 * Every kind of record becomes an event that the schemas accept: what they require is there and of
 * its type, the numbers fit together, and the record goes along byte for byte. Bodies are as the
 * modules write them, and also empty, because a mapping must not need what a record may not have.
 */
#include <jansson.h>

#include "base/scope.h"
#include "door/cli/audit.h"
#include "tap.h"

static const char origin[] = "cordon-log/00112233445566778899aabbccddeeff";

struct made {
	struct buf bytes;
	struct record record;
	struct store_row row;
	uint8_t hash[RECORD_HASH];
	json_t *body, *event;
};

static void make(struct made *m, enum record_kind kind, const char *body, const char *ref,
		 json_t *(*how)(const struct audit_event *e))
{
	AUTO_BUF struct buf refs = {.most = RECORD_MAX};
	struct err err = {0};

	*m = (struct made){.bytes = {.most = RECORD_MAX}};
	struct record r = {.seq = 17,
			   .time = 1794809628534589,
			   .mono = 5,
			   .kind = kind,
			   .boot = "124ab5bb-080e-4bac-a24a-1d1829f82bb9",
			   .body = {(const uint8_t *)body, strlen(body)}};
	record_write_refs(&ref, ref ? 1 : 0, &refs, &err);
	r.refs = (struct jcs_span){refs.data, refs.len};
	if (record_encode(&r, &m->bytes, &err) < 0 ||
	    record_decode(m->bytes.data, m->bytes.len, &m->record, &err) < 0)
		printf("Bail out! %s\n", err.message);
	record_hash(m->bytes.data, m->bytes.len, m->hash);
	m->row = (struct store_row){17, m->hash, m->bytes.data, m->bytes.len};
	m->body = json_loads(body, 0, NULL);
	struct audit_event e = {origin, "host", &m->row, &m->record, m->body};
	m->event = how(&e);
}

static void made_done(struct made *m)
{
	json_decref(m->body);
	json_decref(m->event);
	buf_done(&m->bytes);
}

static bool is_number(const json_t *o, const char *name)
{
	return json_is_integer(json_object_get(o, name));
}

static bool is_text(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	return s && *s;
}

static json_int_t number(const json_t *o, const char *name)
{
	return json_integer_value(json_object_get(o, name));
}

/* What every class requires. */
static bool has_base(const struct made *m)
{
	static const char *const numbers[] = {"category_uid", "class_uid",   "activity_id",
					      "type_uid",     "severity_id", "time"};
	const json_t *meta = json_object_get(m->event, "metadata");
	const json_t *product = json_object_get(meta, "product");
	bool good = is_text(meta, "version") && is_text(product, "name") &&
		    is_text(product, "vendor_name") && is_text(meta, "uid");

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		good = good && is_number(m->event, numbers[i]);
	return good && number(m->event, "category_uid") == number(m->event, "class_uid") / 1000 &&
	       number(m->event, "type_uid") ==
		       number(m->event, "class_uid") * 100 + number(m->event, "activity_id") &&
	       number(m->event, "time") == 1794809628534 && number(m->event, "severity_id") >= 1 &&
	       number(m->event, "severity_id") <= 5;
}

static bool has_actor(const json_t *event)
{
	return is_text(json_object_get(event, "actor"), "app_name");
}

/* What the class requires beside that. */
static bool has_class(const struct made *m)
{
	const json_t *e = m->event;

	switch (number(e, "class_uid")) {
	case 1007:
		return has_actor(e) && is_number(json_object_get(e, "device"), "type_id") &&
		       is_text(json_object_get(e, "device"), "hostname") &&
		       is_text(json_object_get(e, "process"), "uid");
	case 2004:
		return is_text(json_object_get(e, "finding_info"), "uid") &&
		       is_text(json_object_get(e, "finding_info"), "title");
	case 6003:
		return has_actor(e) && is_text(json_object_get(e, "api"), "operation") &&
		       is_text(json_object_get(e, "src_endpoint"), "hostname");
	}
	return false;
}

static bool has_bytes(const struct made *m)
{
	const json_t *raw = json_object_get(m->event, "raw_data");

	return json_string_length(raw) == m->bytes.len &&
	       memcmp(json_string_value(raw), m->bytes.data, m->bytes.len) == 0;
}

static void test_kinds(void)
{
	for (int kind = 0; kind < RECORD_KINDS; kind++) {
		struct made m;
		make(&m, (enum record_kind)kind, "{}", kind % 2 ? "run:1" : NULL, audit_ocsf);
		ok(has_base(&m) && has_class(&m) && has_bytes(&m), "OCSF: an empty %s",
		   record_kind_name((enum record_kind)kind));
		made_done(&m);
	}
}

static const struct {
	enum record_kind kind;
	const char *body;
	json_int_t class, activity, severity, action; /* action -1: there is none */
} rows[] = {
	{RECORD_INGEST, "{\"grade\":\"none\",\"trust\":\"untrusted\"}", 6003, 2, 1, -1},
	{RECORD_INGEST, "{\"grade\":\"shown\",\"rules\":[\"R\"]}", 2004, 1, 2, 0},
	{RECORD_INGEST, "{\"grade\":\"denies\",\"rules\":[\"R\"]}", 2004, 1, 4, 0},
	{RECORD_VERDICT, "{\"verdict\":\"allow\"}", 2004, 1, 1, 1},
	{RECORD_VERDICT, "{\"verdict\":\"ask\"}", 2004, 1, 3, 0},
	{RECORD_VERDICT, "{\"verdict\":\"deny\"}", 2004, 1, 4, 2},
	{RECORD_DENIAL, "{}", 2004, 1, 3, 2},
	{RECORD_EGRESS, "{}", 6003, 99, 1, -1},
	{RECORD_INGEST, "{\"grade\":\"none\",\"trust\":\"hostile\"}", 6003, 2, 4, -1},
	{RECORD_CONVERSATION, "{\"what\":\"exposed\"}", 6003, 1, 1, -1},
	{RECORD_TICKET, "{\"what\":\"given\"}", 6003, 1, 1, -1},
	{RECORD_TRUST, "{}", 6003, 3, 1, -1},
	{RECORD_APPLY, "{}", 6003, 3, 1, -1},
	{RECORD_ACCEPT, "{}", 6003, 3, 1, -1},
	{RECORD_UNDELIVERED, "{}", 6003, 99, 1, -1},
	{RECORD_START, "{}", 1007, 1, 1, -1},
	{RECORD_RESULT, "{\"exit_code\":3}", 1007, 2, 1, -1},
	{RECORD_KEY, "{\"by\":1000,\"event\":\"enrolled\"}", 6003, 3, 1, -1},
	{RECORD_POLICY, "{\"policy_sha256\":\"ab\",\"profile\":\"strict\"}", 6003, 3, 1, -1},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct made m;
		make(&m, rows[i].kind, rows[i].body, "run:7", audit_ocsf);
		const json_t *action = json_object_get(m.event, "action_id");
		ok(has_base(&m) && has_class(&m) && number(m.event, "class_uid") == rows[i].class &&
			   number(m.event, "activity_id") == rows[i].activity &&
			   number(m.event, "severity_id") == rows[i].severity &&
			   (rows[i].action < 0 ? !action
					       : json_integer_value(action) == rows[i].action),
		   "OCSF: %s %s", record_kind_name(rows[i].kind), rows[i].body);
		made_done(&m);
	}
}

static void test_details(void)
{
	struct made m;

	make(&m, RECORD_RESULT, "{\"exit_code\":3}", "run:7", audit_ocsf);
	ok(number(m.event, "exit_code") == 3 &&
		   !strcmp(json_string_value(
				   json_object_get(json_object_get(m.event, "process"), "uid")),
			   "7"),
	   "a result has its run and its status");
	made_done(&m);
	make(&m, RECORD_KEY, "{\"by\":1000}", NULL, audit_ocsf);
	const json_t *user = json_object_get(json_object_get(m.event, "actor"), "user");
	ok(is_text(user, "uid") && !strcmp(json_string_value(json_object_get(user, "uid")), "1000"),
	   "who did it is told");
	made_done(&m);
}

static void test_cloudevents(void)
{
	for (int kind = 0; kind < RECORD_KINDS; kind++) {
		struct made m;
		make(&m, (enum record_kind)kind, "{\"n\":1}", kind % 2 ? "run:1" : NULL,
		     audit_cloudevent);
		const json_t *e = m.event, *data = json_object_get(e, "data");
		const char *when = json_string_value(json_object_get(e, "time"));
		const json_t *subject = json_object_get(e, "subject");
		ok(is_text(e, "id") && is_text(e, "source") && is_text(e, "type") &&
			   !strcmp(json_string_value(json_object_get(e, "specversion")), "1.0") &&
			   when && !strcmp(when, "2026-11-16T06:13:48.534589Z") &&
			   (kind % 2 ? json_is_string(subject) : !subject) &&
			   number(data, "seq") == 17 && is_text(data, "hash"),
		   "CloudEvents: %s", record_kind_name((enum record_kind)kind));
		made_done(&m);
	}
}

int main(void)
{
	test_kinds();
	test_rows();
	test_details();
	test_cloudevents();
	return tap_done();
}
