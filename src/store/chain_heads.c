/* SPDX-License-Identifier: MIT
 *
 * Compares the log with the file heads. It only reads.
 */
#include "store/chain_heads.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "store/backend.h"
#include "store/chain.h"

bool chain_line_is_head(const struct heads_line *line, const struct head *h)
{
	return line->size == h->tree.size && memcmp(line->last, h->last, RECORD_HASH) == 0;
}

static int has_hash(void *context, const struct store_row *row, struct err *err)
{
	uint8_t hash[RECORD_HASH];

	(void)err;
	record_hash(row->bytes, row->len, hash);
	/* An archived record has only its hash. */
	return memcmp(record_is_stub(row->bytes, row->len) ? row->hash : hash, context,
		      RECORD_HASH) == 0;
}

int chain_has_record(struct store *s, const struct heads_line *line, struct err *err)
{
	uint8_t last[RECORD_HASH];

	memcpy(last, line->last, RECORD_HASH);
	return store_read(s, line->size - 1, 1, has_hash, last, err);
}

static int take_accepted(void *context, const struct store_row *row, struct err *err)
{
	struct accepted *a = context;
	struct jcs_span from, to;
	int64_t after = 0, last = 0;
	struct record r;

	(void)err;
	/* verify reports damaged records. */
	if (a->count == ACCEPT_MAX || record_decode(row->bytes, row->len, &r, err) < 0 ||
	    r.kind != RECORD_ACCEPT || !jcs_member(r.body, "from", &from) ||
	    !jcs_member(r.body, "to", &to) || !jcs_get_int(from, &after) ||
	    !jcs_get_int(to, &last) || after < 0 || last < after)
		return 0;
	a->seq[a->count] = r.seq;
	a->lost[a->count++] = (struct accept_lost){.from = (uint64_t)after, .to = (uint64_t)last};
	return 0;
}

/* The accepting record, and possibly a checkpoint. */
enum { TRANSACTION_RECORDS = 2 };

/* Sets HAS_HEAD for each accepted loss whose transaction has a line in the file. */
static int find_heads(const struct accepted *a, struct store *s, bool *has_head, struct err *err)
{
	AUTO_FREE struct heads_reader *r = malloc(sizeof(*r));
	AUTO_CLOSE int fd = heads_open(s->dir, HEADS_READ, err);
	struct heads_line line;
	int more;

	if (fd == -2)
		return 0;
	if (fd < 0 || !r)
		return r ? -1 : err_memory(err);
	if (heads_reader_begin(r, fd, err) < 0)
		return -1;
	while ((more = heads_read(r, &line, err)) > 0)
		for (size_t i = 0; i < a->count; i++) {
			bool is_its = line.size > a->seq[i] &&
				      line.size <= a->seq[i] + TRANSACTION_RECORDS;
			int has = is_its && !has_head[i] ? chain_has_record(s, &line, err) : 0;
			if (has < 0)
				return -1;
			has_head[i] |= has > 0;
		}
	return more;
}

int accepted_load(struct accepted *a, struct store *s, struct err *err)
{
	AUTO_FREE bool *has_head = calloc(ACCEPT_MAX, sizeof(*has_head));
	size_t count = 0;

	*a = (struct accepted){.lost = calloc(ACCEPT_MAX, sizeof(*a->lost)),
			       .seq = calloc(ACCEPT_MAX, sizeof(*a->seq))};
	if (!a->lost || !a->seq || !has_head)
		return err_memory(err);
	if (store_find(s, ACCEPT_REF, 0, ACCEPT_MAX, take_accepted, a, err) < 0 ||
	    (a->count && find_heads(a, s, has_head, err) < 0))
		return -1;
	for (size_t i = 0; i < a->count; i++)
		if (has_head[i])
			a->lost[count++] = a->lost[i];
	a->count = count;
	return 0;
}

bool accepted_has(const struct accepted *a, uint64_t writes)
{
	for (size_t i = 0; i < a->count; i++)
		if (writes > a->lost[i].from && writes <= a->lost[i].to)
			return true;
	return false;
}

void accepted_done(struct accepted *a)
{
	free(a->lost);
	free(a->seq);
	*a = (struct accepted){0};
}

/* Is the newest line one that the database has, or one whose loss was accepted? 1, 0 or -1. */
static int is_known(struct store *s, const struct heads_line *newest, const struct head *h,
		    struct err *err)
{
	struct accepted accepted = {0};
	int r = 0;

	if (newest->writes == h->writes)
		r = chain_line_is_head(newest, h);
	if (newest->writes < h->writes)
		r = chain_has_record(s, newest, err);
	if (r == 0 && newest->writes < h->writes) {
		r = accepted_load(&accepted, s, err);
		r = r < 0 ? -1 : accepted_has(&accepted, newest->writes);
		accepted_done(&accepted);
	}
	return r;
}

static int check_newest(struct store *s, const struct heads_line *newest, const struct head *h,
			struct err *err)
{
	int known = is_known(s, newest, h, err);

	if (known)
		return known < 0 ? -1 : 0;
	err_set(err, ERR_REFUSED, "the log is not the one that was last written");
	err_cause(err,
		  "it was truncated, or replaced by an old copy: it has %llu records "
		  "in %llu transactions, the file " HEADS_FILE " knows %llu in %llu",
		  (unsigned long long)h->tree.size, (unsigned long long)h->writes,
		  (unsigned long long)newest->size, (unsigned long long)newest->writes);
	err_cure(err, "put the newest database back; or run cordon audit verify, which shows "
		      "what is lost, then cordon audit accept");
	return -1;
}

enum { FORMAT_WITHOUT_HEADS = 2 }; /* and older ones */

int chain_needs_heads(const struct store *s, struct err *err)
{
	uint64_t format = 0;

	return s->backend->format(s->self, &format, err) < 0 ? -1 : format > FORMAT_WITHOUT_HEADS;
}

/* Without the file an old copy of the database cannot be noticed, and what was used up in the
 * meantime would be valid again. A log with only its first transaction may not have the file yet. */
static int check_missing(const struct store *s, const struct head *h, struct err *err)
{
	if (h->writes <= 1)
		return 0;
	int has_heads = chain_needs_heads(s, err);
	if (has_heads < 0)
		return -1;
	/* A log of that format has a file of checkpoints instead, until it is upgraded. */
	if (!has_heads && faccessat(s->dir, CHAIN_CHECKPOINTS, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	err_set(err, ERR_REFUSED,
		"the file " HEADS_FILE " is missing, and the log has %llu records",
		(unsigned long long)h->tree.size);
	err_cause(err, "the log may have been truncated, or replaced by an old copy");
	err_cure(err, "put the file back; or check the log (cordon audit verify --heads COPY), "
		      "then run cordon audit accept");
	return -1;
}

int chain_read_heads(struct store *s, struct heads_line *ret, uint64_t *ret_from, struct err *err)
{
	enum heads_way way = s->read_only ? HEADS_READ : HEADS_ADD;
	int fd = s->heads >= 0 ? s->heads : heads_open(s->dir, way, err);

	if (fd < 0)
		return fd == -2 ? 1 : -1;
	s->heads = fd;
	return heads_newest(fd, ret, ret_from, err);
}

/* NEWEST is the newest line behind FROM only, and lines may have been appended to push newer ones
 * before it. The head has the file's length at its transaction, so every newer line is behind that. */
int chain_check_heads(struct store *s, struct heads_line *newest, uint64_t from,
		      const struct head *h, struct err *err)
{
	if (newest && heads_newest_between(s->heads, h->heads, from, newest, err) < 0)
		return -1;
	return newest ? check_newest(s, newest, h, err) : check_missing(s, h, err);
}

int chain_check(struct store *s, struct heads_line *ret, struct err *err)
{
	struct store_tip tip = {0};
	struct head head = {0};
	uint64_t from = 0;
	int none = chain_read_heads(s, ret, &from, err);
	bool bad = none < 0 || s->backend->tip(s->self, &tip, err) < 0 ||
		   head_from_tip(&tip, &head, err) < 0 ||
		   chain_check_heads(s, none ? NULL : ret, from, &head, err) < 0;

	return bad ? -1 : none;
}
