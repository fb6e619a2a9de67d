/* SPDX-License-Identifier: MIT
 *
 * Questions and answers of DNS, as far as a box needs them: one question, addresses as the answer.
 * Pure. What comes in is hostile.
 */
#ifndef CORDON_EGRESS_DNS_H
#define CORDON_EGRESS_DNS_H

#include "egress/address.h"
#include "model/egress.h"

enum {
	DNS_HEADER = 12,
	DNS_MAX = 1232,	      /* bytes of a message, as everybody takes them */
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

/* 0; or -1: there is no question in it that could be answered. A name with other characters than
 * hosts have is "". */
int dns_parse(const uint8_t *data, size_t len, struct dns_question *ret);
/* The answer to what QUERY asked. Returns its length. */
size_t dns_answer(const uint8_t *query, const struct dns_question *q, enum dns_code code,
		  const struct address *list, size_t count, uint8_t ret[DNS_MAX]);

#endif
