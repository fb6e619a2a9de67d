/* SPDX-License-Identifier: MIT
 *
 * Between scanning a text, pass by pass (db_scan.c), and what literals that are found in it lead to
 * (db_slot.c).
 */
#ifndef CORDON_SCAN_DB_PASS_H
#define CORDON_SCAN_DB_PASS_H

#include "scan/confirm.h"
#include "scan/db_private.h"
#include "scan/same.h"
#include "scan/search.h"

/* A slot in one cache line with where its first literal was, and up to where places have been
 * asked about. It is taken from the table when a literal first finds it (pass 0: not yet): most
 * slots never are, and their pages are never needed. */
struct slot_state {
	struct table_slot slot;
	uint32_t pass, first, last, asked;
};

/* Whether a pattern can match the text of a pass. */
struct chance {
	uint32_t pass;
	bool possible;
};

struct db_scratch {
	struct confirm *confirm;
	struct folded folded;
	struct search_room *room;
	struct same *same;
	struct slot_state *slot[JS_FORMS];
	struct reach_memo *memo, *ahead;
	uint32_t epoch, pass;
	struct chance *chance;	   /* by pattern */
	uint32_t *epoch_of;	   /* by pattern: the scan in which it was answered */
	enum match_answer *answer; /* by pattern */
	uint32_t *yes, *undecided, *answered;
	size_t answeredc;
};

/* One pass over one form of a text. */
struct pass {
	const struct db *db;
	struct db_scratch *s;
	const struct scan_text *text;
	const uint64_t *wanted;
	const struct db_before *before; /* NULL: nothing of it is in this text */
	const char *data;		/* what the patterns of this pass read */
	size_t len;
	struct slot_state *slot;
	const struct table_slot *table_slot;
	const struct reach *reach;
	const struct table_guard *guard;
	const struct reach_set *guard_set;
	const struct table_pattern *about;
	const uint16_t *point;
	struct reach_walker walker;
	bool both; /* patterns with the flag u read the same; otherwise only those that */
	bool unicode;
};

/* Puts its questions to all patterns whose literals were found: a search_hits_fn; CONTEXT is the pass. */
void db_take_hits(void *context, const struct search_hit *hit, size_t count);
/* And to those without a literal. */
void db_ask_always(struct pass *p, enum js_form form);

#endif
