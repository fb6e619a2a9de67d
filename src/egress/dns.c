/* SPDX-License-Identifier: MIT
 *
 * See dns.h. Names in questions are never compressed, so a pointer is an error.
 */
#include "egress/dns.h"

#include <ctype.h>
#include <string.h>

enum {
	LABEL_MAX = 63,
	FLAG_ANSWER = 0x80,    /* in the third byte */
	FLAG_RECURSION = 0x01, /* recursion desired; 0x80 in the fourth byte: available */
	TTL = 5,	       /* seconds, as EGRESS_FRESH_MS */
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static uint8_t *put16(uint8_t *p, unsigned value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
	return p + 2;
}

static bool is_plain(const uint8_t *label, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum(label[i]) && label[i] != '-' && label[i] != '_')
			return false;
	return true;
}

/* Returns the offset after the name; 0: it is malformed. */
static size_t parse_name(const uint8_t *data, size_t len, char *ret)
{
	size_t at = DNS_HEADER, used = 0;
	bool plain = true;

	while (at < len && data[at]) {
		size_t label = data[at];
		if (label > LABEL_MAX || len - at <= label || used + label + 1 >= EGRESS_NAME_MAX)
			return 0;
		plain = plain && is_plain(data + at + 1, label);
		if (used)
			ret[used++] = '.';
		for (size_t i = 0; i < label; i++)
			ret[used++] = (char)tolower(data[at + 1 + i]);
		at += label + 1;
	}
	ret[plain ? used : 0] = '\0';
	return at < len ? at + 1 : 0;
}

int dns_parse(const uint8_t *data, size_t len, struct dns_question *ret)
{
	if (len < DNS_HEADER || data[2] & FLAG_ANSWER || (data[2] & 0x78) != 0 ||
	    get16(data + 4) != 1)
		return -1;
	ret->recursion = data[2] & FLAG_RECURSION;
	size_t at = parse_name(data, len, ret->name);
	if (at == 0 || len - at < 4)
		return -1;
	ret->type = get16(data + at);
	ret->class = get16(data + at + 2);
	ret->end = at + 4;
	return 0;
}

size_t dns_answer(const uint8_t *query, const struct dns_question *q, enum dns_code code,
		  const struct address *list, size_t count, uint8_t ret[DNS_MAX])
{
	int family = q->type == DNS_TYPE_A ? AF_INET : q->type == DNS_TYPE_AAAA ? AF_INET6 : 0;
	size_t bytes = family == AF_INET ? 4 : 16, answers = 0;
	uint8_t *p = ret + q->end;

	memcpy(ret, query, q->end);
	for (size_t i = 0; code == DNS_OK && i < count && answers < DNS_ANSWERS_MAX; i++) {
		if (list[i].family != family || q->class != 1)
			continue;
		p = put16(p, 0xc000 | DNS_HEADER);
		p = put16(put16(p, q->type), 1);
		p = put16(put16(p, 0), TTL);
		p = put16(p, (unsigned)bytes);
		memcpy(p, list[i].bytes, bytes);
		p += bytes;
		answers++;
	}
	ret[2] = (uint8_t)(FLAG_ANSWER | (q->recursion ? FLAG_RECURSION : 0));
	ret[3] = (uint8_t)(0x80 | code);
	put16(ret + 4, 1);
	put16(ret + 6, (unsigned)answers);
	memset(ret + 8, 0, 4);
	return (size_t)(p - ret);
}
