/* SPDX-License-Identifier: MIT
 *
 * See names.h.
 */
#include "egress/names.h"

#include <stdio.h>
#include <string.h>

/* 198.18.0.0/15 and fd63:6f72:646f:6e00::/64. */
static const uint8_t range4[16] = {198, 18}, range6[16] = {0xfd, 'c', 'o', 'r', 'd', 'o', 'n', 0};
enum { PREFIX4 = 15, PREFIX6 = 64, FIRST = 16 };

bool names_has(const struct address *a)
{
	return (a->family == AF_INET && address_is_in(a, range4, PREFIX4)) ||
	       (a->family == AF_INET6 && address_is_in(a, range6, PREFIX6));
}

static void make(int family, size_t index, struct address *ret)
{
	size_t number = index + FIRST, last = family == AF_INET ? 3 : 15;

	ret->family = family;
	memcpy(ret->bytes, family == AF_INET ? range4 : range6, sizeof(ret->bytes));
	ret->bytes[last] = (uint8_t)number;
	ret->bytes[last - 1] = (uint8_t)(number >> 8);
}

bool names_give(struct names *n, const char *name, const struct address *real, struct address *ret)
{
	size_t i = 0;

	while (i < n->count &&
	       (strcmp(n->list[i].name, name) != 0 || !address_is_same(&n->list[i].real, real)))
		i++;
	if (i == NAMES_MAX_ENTRIES)
		return false;
	if (i == n->count) {
		snprintf(n->list[i].name, sizeof(n->list[i].name), "%s", name);
		n->list[i].real = *real;
		n->count++;
	}
	make(real->family, i, ret);
	return true;
}

const struct name_entry *names_find(const struct names *n, const struct address *a)
{
	size_t last = a->family == AF_INET ? 3 : 15;
	size_t number = (size_t)a->bytes[last - 1] << 8 | a->bytes[last];
	struct address expected;

	if (!names_has(a) || number < FIRST || number - FIRST >= n->count)
		return NULL;
	make(a->family, number - FIRST, &expected);
	const struct name_entry *e = &n->list[number - FIRST];
	return address_is_same(&expected, a) && e->real.family == a->family ? e : NULL;
}
