/* SPDX-License-Identifier: MIT
 *
 * Encodes and decodes records. The decoder accepts exactly the bytes that the encoder writes: a
 * record with two spellings could be changed unnoticed.
 */
#include "store/record.h"

#include <string.h>

#include "base/digest.h"
#include "store/merkle.h"

static const char *const kinds[RECORD_KINDS] = {
	[RECORD_GENESIS] = "genesis",
	[RECORD_INGEST] = "ingest",
	[RECORD_REQUEST] = "request",
	[RECORD_SCAN] = "scan",
	[RECORD_VERDICT] = "verdict",
	[RECORD_APPROVAL] = "approval",
	[RECORD_START] = "start",
	[RECORD_DENIAL] = "denial",
	[RECORD_RESULT] = "result",
	[RECORD_KEY] = "key",
	[RECORD_POLICY] = "policy",
	[RECORD_CONVERSATION] = "conversation",
	[RECORD_TICKET] = "ticket",
	[RECORD_CHECKPOINT] = "checkpoint",
	[RECORD_EGRESS] = "egress",
	[RECORD_TRUST] = "trust",
	[RECORD_APPLY] = "apply",
	[RECORD_ACCEPT] = "accept",
	[RECORD_UNDELIVERED] = "undelivered",
	[RECORD_STATE] = "state",
};

const char *record_kind_name(enum record_kind kind)
{
	return kinds[kind];
}

bool record_ref_is_good(const char *ref)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyz";
	static const char rest[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_.:-";
	size_t len = strnlen(ref, RECORD_REF_MAX + 1), colon = strspn(ref, name);

	return len <= RECORD_REF_MAX && colon > 0 && ref[colon] == ':' && len > colon + 1 &&
	       colon + 1 + strspn(ref + colon + 1, rest) == len;
}

int record_write_refs(const char *const *ref, size_t count, struct buf *out, struct err *err)
{
	if (count > RECORD_REFS_MAX)
		return err_set(err, ERR_LIMIT, "a record has over %d refs", RECORD_REFS_MAX);
	buf_add(out, "[", 1);
	for (size_t i = 0; i < count; i++) {
		if (!record_ref_is_good(ref[i]))
			return err_set(err, ERR_INPUT, "\"%.40s\" is not a valid name of a record",
				       ref[i]);
		buf_str(out, i ? ",\"" : "\"");
		buf_str(out, ref[i]);
		buf_add(out, "\"", 1);
	}
	buf_add(out, "]", 1);
	return out->failed ? err_memory(err) : 0;
}

int record_encode(const struct record *r, struct buf *out, struct err *err)
{
	if (r->body.len > RECORD_BODY_MAX)
		return err_set(err, ERR_LIMIT, "a record's body is over %d bytes", RECORD_BODY_MAX);
	buf_str(out, "{\"body\":");
	buf_add(out, r->body.data, r->body.len);
	buf_printf(out, ",\"boot\":\"%s\",\"kind\":\"%s\",\"mono\":%llu,\"prev\":\"", r->boot,
		   kinds[r->kind], (unsigned long long)r->mono);
	buf_hex(out, r->prev, RECORD_HASH);
	buf_str(out, "\",\"refs\":");
	buf_add(out, r->refs.data, r->refs.len);
	buf_printf(out, ",\"seq\":%llu,\"time\":%llu}", (unsigned long long)r->seq,
		   (unsigned long long)r->time);
	return out->failed ? err_set(err, ERR_LIMIT, "a record is over %d bytes", RECORD_MAX) : 0;
}

struct cursor {
	const uint8_t *p, *end;
	bool failed;
};

static void skip(struct cursor *c, const char *text)
{
	size_t len = strlen(text);

	if (c->failed || (size_t)(c->end - c->p) < len || memcmp(c->p, text, len) != 0)
		c->failed = true;
	else
		c->p += len;
}

static struct jcs_span take_value(struct cursor *c, uint8_t first)
{
	size_t left = (size_t)(c->end - c->p);
	struct jcs_span v = {c->p, 0};

	if (!c->failed && left && *c->p == first)
		v.len = jcs_value(c->p, left);
	c->failed = c->failed || !v.len;
	c->p += v.len;
	return v;
}

static uint64_t take_number(struct cursor *c)
{
	size_t len = c->failed ? 0 : jcs_value(c->p, (size_t)(c->end - c->p));
	int64_t n = 0;

	if (!len || !jcs_get_int((struct jcs_span){c->p, len}, &n) || n < 0)
		c->failed = true;
	c->p += len;
	return (uint64_t)n;
}

static int digit_value(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void take_hex(struct cursor *c, uint8_t *ret, size_t len)
{
	if (c->failed || (size_t)(c->end - c->p) < 2 * len) {
		c->failed = true;
		return;
	}
	for (size_t i = 0; i < len; i++, c->p += 2) {
		int high = digit_value(c->p[0]), low = digit_value(c->p[1]);
		c->failed = c->failed || high < 0 || low < 0;
		ret[i] = (uint8_t)((unsigned)high << 4 | (unsigned)low);
	}
}

/* A boot id in the kernel's form: 8-4-4-4-12 digits. */
static void take_boot(struct cursor *c, char ret[RECORD_BOOT + 1])
{
	if (c->failed || c->end - c->p < RECORD_BOOT) {
		c->failed = true;
		return;
	}
	for (int i = 0; i < RECORD_BOOT; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		if (dash ? c->p[i] != '-' : digit_value(c->p[i]) < 0)
			c->failed = true;
	}
	memcpy(ret, c->p, RECORD_BOOT);
	ret[RECORD_BOOT] = '\0';
	c->p += RECORD_BOOT;
}

static enum record_kind take_kind(struct cursor *c)
{
	size_t left = (size_t)(c->end - c->p);

	for (int i = 0; !c->failed && i < RECORD_KINDS; i++) {
		size_t len = strlen(kinds[i]);
		if (left > len && memcmp(c->p, kinds[i], len) == 0 && c->p[len] == '"') {
			c->p += len;
			return (enum record_kind)i;
		}
	}
	c->failed = true;
	return RECORD_GENESIS;
}

static bool are_refs(const struct record *r)
{
	char name[RECORD_REF_MAX + 1];
	size_t at = 0, n = 0;

	while (record_next_ref(r, &at, name))
		n++;
	/* Only the closing bracket follows the last ref. */
	return n <= RECORD_REFS_MAX && (n ? at + 1 == r->refs.len : r->refs.len == 2);
}

int record_decode(const uint8_t *data, size_t len, struct record *ret, struct err *err)
{
	struct cursor c = {data, data + len, len > RECORD_MAX};
	struct record r = {0};

	skip(&c, "{\"body\":");
	r.body = take_value(&c, '{');
	skip(&c, ",\"boot\":\"");
	take_boot(&c, r.boot);
	skip(&c, "\",\"kind\":\"");
	r.kind = take_kind(&c);
	skip(&c, "\",\"mono\":");
	r.mono = take_number(&c);
	skip(&c, ",\"prev\":\"");
	take_hex(&c, r.prev, RECORD_HASH);
	skip(&c, "\",\"refs\":");
	r.refs = take_value(&c, '[');
	skip(&c, ",\"seq\":");
	r.seq = take_number(&c);
	skip(&c, ",\"time\":");
	r.time = take_number(&c);
	skip(&c, "}");
	if (c.failed || c.p != c.end || r.body.len > RECORD_BODY_MAX || !are_refs(&r))
		return err_set(err, ERR_INPUT, "this is not a record in canonical form");
	*ret = r;
	return 0;
}

bool record_next_ref(const struct record *r, size_t *at, char ret[RECORD_REF_MAX + 1])
{
	struct jcs_span name;
	size_t next = *at;

	if (!jcs_next(r->refs, &next, &name) || !jcs_get_text(name, ret, RECORD_REF_MAX + 1) ||
	    !record_ref_is_good(ret))
		return false;
	*at = next;
	return true;
}

void record_hash(const uint8_t *data, size_t len, uint8_t ret[RECORD_HASH])
{
	digest_of(ret, data, len);
}

/* A record begins with '{'. */
bool record_is_stub(const uint8_t *data, size_t len)
{
	return len == RECORD_STUB && data[0] == 'A';
}

void record_leaf(const uint8_t *data, size_t len, uint8_t ret[RECORD_HASH])
{
	if (record_is_stub(data, len))
		memcpy(ret, data + 1, RECORD_HASH);
	else
		merkle_leaf(data, len, ret);
}

void record_make_stub(const uint8_t *data, size_t len, uint8_t ret[RECORD_STUB])
{
	ret[0] = 'A';
	record_leaf(data, len, ret + 1);
}
