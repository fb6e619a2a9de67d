/* SPDX-License-Identifier: MIT
 *
 * DNS messages, as far as a box needs them: one question, and addresses as the answer. Pure. The input is
 * hostile.
 */
#ifndef CORDON_EGRESS_DNS_H
#define CORDON_EGRESS_DNS_H

#include "egress/address.h"
#include "model/egress_message.h"

enum {
	DNS_HEADER = 12,
	DNS_MAX = 1232,	      /* bytes of a message that all clients accept */
	DNS_ANSWERS_MAX = 16, /* addresses of a name */
	DNS_TYPE_A = 1,
	DNS_TYPE_AAAA = 28,
};

enum dns_code { DNS_OK = 0, DNS_BAD = 1, DNS_FAILED = 2, DNS_NO_NAME = 3, DNS_NOT_HERE = 4 };

struct dns_question {
	uint16_t type, class;
	bool recursion;
	size_t end;		    /* of the question in the message */
	char name[EGRESS_NAME_MAX]; /* lower case, without a dot at its end */
};

/* 0; or -1: the message has no question that can be answered. A name with characters that no host name has
 * becomes "". */
int dns_parse(const uint8_t *data, size_t len, struct dns_question *ret);
/* Writes the answer to QUERY to RET. Returns its length. */
size_t dns_answer(const uint8_t *query, const struct dns_question *q, enum dns_code code,
		  const struct address *list, size_t count, uint8_t ret[DNS_MAX]);

#endif
