/* SPDX-License-Identifier: MIT
 *
 * Names as a sum of keyed hashes.
 */
#include "store/verify_names.h"

#include <string.h>

#include "store/chain.h"

void verify_names_begin(struct verify_names *n)
{
	*n = (struct verify_names){0};
	randombytes_buf(n->key, sizeof(n->key));
}

static uint64_t name_sum(const struct verify_names *n, const char *name, uint64_t seq)
{
	uint8_t bytes[RECORD_REF_MAX + sizeof(seq)], hash[crypto_shorthash_BYTES];
	size_t len = sizeof(seq);
	uint64_t sum;

	memcpy(bytes, &seq, sizeof(seq));
	while (*name && len < sizeof(bytes))
		bytes[len++] = (uint8_t)*name++;
	crypto_shorthash(hash, bytes, len, n->key);
	memcpy(&sum, hash, sizeof(sum));
	return sum;
}

static bool is_first(const struct record *r, size_t end, const char *name)
{
	char other[RECORD_REF_MAX + 1];

	for (size_t at = 0; record_next_ref(r, &at, other) && at < end;)
		if (strcmp(other, name) == 0)
			return false;
	return true;
}

/* A name that a record has twice is in the index once. */
void verify_names_add(struct verify_names *n, const struct record *r)
{
	char name[RECORD_REF_MAX + 1];

	for (size_t at = 0; record_next_ref(r, &at, name);)
		if (is_first(r, at, name))
			n->sum += name_sum(n, name, r->seq);
}

/* Of records that were added meanwhile nothing is known but that there are some. */
static int take_name(void *context, const struct store_item *item, struct err *err)
{
	struct verify_names *n = context;

	(void)err;
	if (item->version < n->size)
		n->sum -= name_sum(n, item->key, item->version);
	else if (item->version > n->last)
		n->last = item->version;
	return 0;
}

/* A record and its names come together, so there is one now for every name that was there before. */
static int check_end(const struct verify_names *n, struct store *s, struct err *err)
{
	struct store_tip tip = {0};

	if (n->last == 0 || n->last < n->size)
		return 0;
	if (s->backend->tip(s->self, &tip, err) < 0)
		return -1;
	return !tip.has_last || n->last > tip.last_seq;
}

int verify_names_check(struct verify_names *n, struct store *s, uint64_t size, struct err *err)
{
	n->size = size;
	int said = s->backend->refs(s->self, take_name, n, err);
	if (said)
		return said;
	return n->sum != 0 ? 1 : check_end(n, s, err);
}
