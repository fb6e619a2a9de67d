/* SPDX-License-Identifier: MIT
 *
 * Compares the log with heads outside the database: the file beside it, and a kept copy from the
 * caller. Each line has a record's hash, and the log must have that record in that place. Accepted
 * losses are excused for the file but not for the kept copy: an attacker with access to the log can
 * also write a record that accepts a loss.
 */
#include <fcntl.h>
#include <string.h>

#include "base/scope.h"
#include "store/chain_heads.h"
#include "store/verify_walk.h"

static int next(struct verify_heads *h, struct err *err)
{
	int r = heads_read(&h->reader, &h->next, err);

	h->has_next = r > 0;
	return r < 0 ? -1 : 0;
}

int verify_heads_begin(struct verify_walk *w, const struct verify_options *o, struct err *err)
{
	w->heads.is_there = w->file >= 0;
	w->elsewhere.is_there = o->heads != NULL;
	if (w->heads.is_there &&
	    (heads_reader_begin(&w->heads.reader, w->file, err) < 0 || next(&w->heads, err) < 0))
		return -1;
	if (!o->heads)
		return 0;
	if (heads_reader_begin(&w->elsewhere.reader, *o->heads, err) < 0 ||
	    next(&w->elsewhere, err) < 0)
		return -1;
	/* A file without heads must not pass as checked. */
	return w->elsewhere.has_next ? 0 : err_set(err, ERR_INPUT, "the file has no heads");
}

/* Counts transactions without a line. Lines of other processes may come a little later. */
static void count_gap(struct verify_heads *h, uint64_t writes)
{
	if (writes > h->newest) {
		h->gaps += writes - h->newest - 1;
		h->newest = writes;
	} else if (writes < h->newest && h->gaps) {
		h->gaps--;
	}
}

static void lose(struct verify_heads *h, bool is_fork)
{
	const struct heads_line *line = &h->next;

	if (!h->lost.to || line->writes <= h->lost.from)
		h->lost.from = line->writes - 1;
	if (line->writes > h->lost.to)
		h->lost.to = line->writes;
	if (line->size > h->lost.records)
		h->lost.records = line->size;
	if (is_fork && (!h->fork || line->size < h->fork))
		h->fork = line->size;
}

static void judge(struct verify_walk *w, struct verify_heads *h, bool same)
{
	const struct heads_line *line = &h->next;

	count_gap(h, line->writes);
	if (same && line->writes <= w->writes) {
		h->met++;
		if (!h->fork && line->size > h->agreed)
			h->agreed = line->size;
		return;
	}
	if (h == &w->elsewhere || !accepted_has(&w->accepted, line->writes))
		lose(h, !same && line->size <= w->tree.size);
}

static int meet(struct verify_walk *w, struct verify_heads *h, struct err *err)
{
	while (h->has_next && h->next.size <= w->tree.size) {
		int same = h->next.size == w->tree.size
				   ? memcmp(h->next.last, w->last, RECORD_HASH) == 0
				   : chain_has_record(w->store, &h->next, err);
		if (same < 0)
			return -1;
		judge(w, h, same);
		if (next(h, err) < 0)
			return -1;
	}
	return 0;
}

int verify_heads_compare(struct verify_walk *w, struct err *err)
{
	return meet(w, &w->heads, err) < 0 || meet(w, &w->elsewhere, err) < 0 ? -1 : 0;
}

static int drain(struct verify_walk *w, struct verify_heads *h, struct err *err)
{
	while (h->has_next) {
		int same = h->next.size <= w->tree.size ? chain_has_record(w->store, &h->next, err)
							: 0;
		if (same < 0)
			return -1;
		judge(w, h, same);
		if (next(h, err) < 0)
			return -1;
	}
	return 0;
}

static int tell(struct verify_walk *w, const struct verify_heads *h)
{
	const char *whose = h == &w->heads ? "the file " HEADS_FILE : "the copy of the heads";
	unsigned long long from = h->fork ? h->agreed : w->tree.size;

	if (h->fork)
		return verify_fail(
			w, VERIFY_FORKED, from, h->fork - 1,
			"a record from %llu to %llu is not the one in %s, which has %llu "
			"records; the log has %llu",
			from, (unsigned long long)h->fork - 1, whose,
			(unsigned long long)h->lost.records, (unsigned long long)w->tree.size);
	if (h->lost.records > w->tree.size)
		return verify_fail(w, VERIFY_TRUNCATED, from, h->lost.records - 1,
				   "record %llu is missing: %s has %llu records, the log has %llu",
				   from, whose, (unsigned long long)h->lost.records, from);
	verify_fail(w, VERIFY_TRUNCATED, 0, 0, "%s has %llu transactions, the log has %llu", whose,
		    (unsigned long long)h->lost.to, (unsigned long long)w->writes);
	w->report->has_record = false;
	return 1;
}

int verify_heads_end(struct verify_walk *w, struct err *err)
{
	struct verify_report *r = w->report;

	if (drain(w, &w->heads, err) < 0 || drain(w, &w->elsewhere, err) < 0)
		return -1;
	r->heads = w->heads.met;
	r->heads_kept = w->elsewhere.met;
	r->accepted = w->accepted.count;
	r->headless = w->heads.gaps;
	if (w->writes != UINT64_MAX && w->writes > w->heads.newest)
		r->headless += w->writes - w->heads.newest;
	r->lost = w->heads.lost;
	if (w->elsewhere.lost.to)
		return tell(w, &w->elsewhere);
	return w->heads.lost.to ? tell(w, &w->heads) : 0;
}

/* An attacker who truncates the log also removes the file. A kept checkpoint or copy of the heads
 * serves as well. */
int verify_heads_exist(struct verify_walk *w, struct err *err)
{
	bool has_own = w->dir < 0 || w->heads.newest;

	if (has_own || w->writes <= 1 || w->notes.count || w->elsewhere.is_there)
		return 0;
	int has_heads = chain_needs_heads(w->store, err);
	if (has_heads <= 0)
		return has_heads;
	verify_fail(w, VERIFY_UNKEPT, 0, 0,
		    "the file " HEADS_FILE
		    " is missing, and the log has %llu transactions: it may have been truncated",
		    (unsigned long long)w->writes);
	w->report->has_record = false;
	return 1;
}
