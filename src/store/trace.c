/* SPDX-License-Identifier: MIT
 *
 * Walks breadth first over refs, then reads the records once more in their order. A table says
 * which records of a ref belong to its past: a source has one ingest record; runs that used the
 * source later are not part of its past.
 */
#include "store/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/scope.h"

#define BIT(kind) (1U << (kind))
#define ALL (BIT(RECORD_KINDS) - 1)
enum { REF_PLACES = 2 * TRACE_REFS_MAX, SEEN_PLACES = 2 * TRACE_RECORDS_MAX };

/* NAME: the part of a ref before the colon. TAKES: the kinds of records of such a ref that are its
 * past. FROM: the kinds of records whose refs of this sort are followed. */
static const struct {
	const char *name;
	unsigned takes, from;
} rows[] = {
	{"run", ALL,
	 ALL & ~BIT(RECORD_POLICY)}, /* else a change of policy would lead to all runs */
	{"src", BIT(RECORD_INGEST), ALL & ~(BIT(RECORD_RESULT) | BIT(RECORD_INGEST))},
	{"ticket", BIT(RECORD_TICKET), ALL},
	{"apr", BIT(RECORD_APPROVAL), ALL},
	/* Everything read in the conversation before the decision; a verdict does not name all of
	 * it. */
	{"conv", BIT(RECORD_INGEST) | BIT(RECORD_CONVERSATION),
	 BIT(RECORD_VERDICT) | BIT(RECORD_APPROVAL) | BIT(RECORD_APPLY)},
};

/* The refs and records so far, with hash tables of their indexes + 1; 0: free. */
struct trace {
	trace_fn *fn;
	void *context;
	char (*ref)[RECORD_REF_MAX + 1];
	uint64_t *before; /* per ref: later records are not its past */
	size_t refc, at;  /* AT: the one being walked */
	uint64_t *seen;
	size_t seenc;
	uint32_t *ref_place, *seen_place;
	unsigned takes; /* of the ref being walked */
};

static int row_of(const char *ref)
{
	size_t len = strcspn(ref, ":");

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (strlen(rows[i].name) == len && memcmp(rows[i].name, ref, len) == 0)
			return (int)i;
	return -1;
}

static uint32_t *ref_place(const struct trace *t, const char *ref)
{
	size_t at = hash_bytes(HASH_BEGIN, ref, strlen(ref)) % REF_PLACES;

	while (t->ref_place[at] && strcmp(t->ref[t->ref_place[at] - 1], ref) != 0)
		at = (at + 1) % REF_PLACES;
	return &t->ref_place[at];
}

/* A ref that is found again from a later record has more past: it is walked once more. */
static int add_ref(struct trace *t, const char *ref, uint64_t before, struct err *err)
{
	uint32_t *place = ref_place(t, ref);

	if (*place && before <= t->before[*place - 1])
		return 0;
	if (*place && *place > t->at + 1) {
		t->before[*place - 1] = before;
		return 0;
	}
	if (t->refc == TRACE_REFS_MAX)
		return err_set(err, ERR_LIMIT, "the trace has over %d names", TRACE_REFS_MAX);
	memcpy(t->ref[t->refc], ref, strlen(ref) + 1);
	t->before[t->refc++] = before;
	*place = (uint32_t)t->refc;
	return 0;
}

static int add_record(struct trace *t, uint64_t seq, struct err *err)
{
	size_t at = hash_bytes(HASH_BEGIN, &seq, sizeof(seq)) % SEEN_PLACES;

	for (; t->seen_place[at]; at = (at + 1) % SEEN_PLACES)
		if (t->seen[t->seen_place[at] - 1] == seq)
			return 1;
	if (t->seenc == TRACE_RECORDS_MAX)
		return err_set(err, ERR_LIMIT, "the trace has over %d records", TRACE_RECORDS_MAX);
	t->seen[t->seenc++] = seq;
	t->seen_place[at] = (uint32_t)t->seenc;
	return 0;
}

/* The last record that belongs to the past of a ref in R. A run belongs to it as a whole, with the
 * records after R. */
static uint64_t past_of(const struct record *r, unsigned takes)
{
	return takes == ALL ? UINT64_MAX : r->seq;
}

static int follow(struct trace *t, const struct record *r, struct err *err)
{
	char ref[RECORD_REF_MAX + 1];

	for (size_t at = 0; record_next_ref(r, &at, ref);) {
		int row = row_of(ref);
		if (row < 0 || !(rows[row].from & BIT(r->kind)))
			continue;
		if (add_ref(t, ref, past_of(r, rows[row].takes), err) < 0)
			return -1;
	}
	return 0;
}

static int visit(void *context, const struct store_row *row, struct err *err)
{
	struct trace *t = context;
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0) {
		err_context(err, "record %llu", (unsigned long long)row->seq);
		return -1;
	}
	if (!(t->takes & BIT(r.kind)) || row->seq > t->before[t->at])
		return 0;
	int known = add_record(t, row->seq, err);
	if (known)
		return known < 0 ? -1 : 0;
	return follow(t, &r, err);
}

static int walk(struct trace *t, struct store *s, struct err *err)
{
	for (; t->at < t->refc; t->at++) {
		int row = row_of(t->ref[t->at]);
		t->takes = t->at == 0 || row < 0 ? ALL : rows[row].takes;
		int said = store_find(s, t->ref[t->at], 0, 0, visit, t, err);
		if (said)
			return said;
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int tell_row(void *context, const struct store_row *row, struct err *err)
{
	struct trace *t = context;
	struct record r;

	return record_decode(row->bytes, row->len, &r, err) < 0 ? -1
								: t->fn(t->context, row, &r, err);
}

/* Reads consecutive records together. */
static int tell(struct trace *t, struct store *s, struct err *err)
{
	int said = 0;

	qsort(t->seen, t->seenc, sizeof(*t->seen), by_number);
	for (size_t i = 0, n; i < t->seenc && !said; i += n) {
		for (n = 1; i + n < t->seenc && t->seen[i + n] == t->seen[i] + n;)
			n++;
		said = store_read(s, t->seen[i], n, tell_row, t, err);
	}
	return said;
}

int trace_back(struct store *s, const char *ref, trace_fn *fn, void *context, struct err *err)
{
	AUTO_FREE char(*refs)[RECORD_REF_MAX + 1] = calloc(TRACE_REFS_MAX, sizeof(*refs));
	AUTO_FREE uint64_t *before = calloc(TRACE_REFS_MAX, sizeof(*before));
	AUTO_FREE uint64_t *seen = calloc(TRACE_RECORDS_MAX, sizeof(*seen));
	AUTO_FREE uint32_t *ref_places = calloc(REF_PLACES, sizeof(*ref_places));
	AUTO_FREE uint32_t *seen_places = calloc(SEEN_PLACES, sizeof(*seen_places));
	struct trace t = {.fn = fn,
			  .context = context,
			  .ref = refs,
			  .before = before,
			  .seen = seen,
			  .ref_place = ref_places,
			  .seen_place = seen_places};

	if (!refs || !before || !seen || !ref_places || !seen_places)
		return err_memory(err);
	if (!record_ref_is_good(ref))
		return err_set(err, ERR_INPUT, "invalid name of a record");
	if (add_ref(&t, ref, UINT64_MAX, err) < 0 || walk(&t, s, err) < 0)
		return -1;
	return tell(&t, s, err);
}
