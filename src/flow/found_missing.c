/* SPDX-License-Identifier: MIT
 *
 * Rows can be taken out by whoever can write the database; records cannot without its being seen. So for
 * each run that the log calls lost there must be its row, or the word of a person who was enrolled when
 * they gave it, with a signature on exactly that. This is for people who look: no run waits for it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "flow/found.h"

/* One record, or row. */
struct one {
	uint64_t seq;
	struct lost_run lost;
	uint8_t label[KEEPER_SHA256];
	struct approval_word word;
};

struct all {
	size_t count, room;
	struct one *list;
};

struct log {
	struct all lost, words, rows;
};

static void log_done(struct log *log)
{
	free(log->lost.list);
	free(log->words.list);
	free(log->rows.list);
}

static struct one *add(struct all *all, struct err *err)
{
	if (all->count == FOUND_RECORDS_MAX) {
		err_set(err, ERR_LIMIT, "over %d runs wrote more than can be remembered",
			FOUND_RECORDS_MAX);
		err_cure(err,
			 "keep this state and its log (cordon audit export), and begin a new one: "
			 "--state DIR");
		return NULL;
	}
	if (all->count == all->room) {
		size_t room = all->room ? 2 * all->room : 64;
		struct one *list = reallocarray(all->list, room, sizeof(*list));
		if (!list) {
			err_memory(err);
			return NULL;
		}
		all->list = list;
		all->room = room;
	}
	all->list[all->count] = (struct one){0};
	return &all->list[all->count++];
}

static void read_run(const struct record *r, struct id *ret)
{
	char ref[RECORD_REF_MAX + 1];

	for (size_t at = 0; record_next_ref(r, &at, ref);)
		if (strncmp(ref, "run:", 4) == 0 && id_parse(ref + 4, strlen(ref + 4), ret))
			return;
}

static void read_body(const struct record *r, struct one *ret)
{
	char why[128] = "";
	int64_t version = 0;
	unsigned i = 0;

	jcs_int_at(r->body, "since", &ret->lost.since);
	jcs_int_at(r->body, "version", &version);
	ret->lost.version = (uint64_t)version;
	jcs_text_at(r->body, "why", why, sizeof(why));
	while (i + 1 < LOST_WHYS && strcmp(lost_why_words(i), why) != 0)
		i++;
	ret->lost.why = (enum lost_why)i;
	jcs_hex_at(r->body, "label_sha256", ret->label, sizeof(ret->label));
	approval_get_word(r->body, &ret->word);
}

static int read_record(void *context, const struct store_row *row, struct err *err)
{
	struct log *log = context;
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	if (r.kind != RECORD_LOST && r.kind != RECORD_FOUND)
		return 0;
	struct one *one = add(r.kind == RECORD_LOST ? &log->lost : &log->words, err);
	if (!one)
		return -1;
	one->seq = r.seq;
	read_run(&r, &one->lost.run);
	read_body(&r, one);
	return 0;
}

/* Is WORD, which comes later, on what was lost? */
static int is_signed_by(struct gate_state *s, const struct one *lost, const struct one *word,
			struct err *err)
{
	struct approval_matter m = {.what = ""};
	bool is_it =
		word->seq > lost->seq &&
		(lost_is_several(&word->lost.run) ? word->lost.since <= lost->lost.since
						  : id_is_same(&word->lost.run, &lost->lost.run) &&
							    word->lost.since == lost->lost.since);

	if (!is_it)
		return 0;
	lost_run_digest(&word->lost, word->label, m.binding);
	return approval_word_was_good(s->store, &m, &word->word, word->seq, err);
}

static int is_signed(struct gate_state *s, const struct one *lost, const struct all *words,
		     struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < words->count; i++)
		r = is_signed_by(s, lost, &words->list[i], err);
	return r;
}

static int add_row(void *context, const struct lost_run *run, struct err *err)
{
	struct log *log = context;
	struct one *one = add(&log->rows, err);

	if (!one)
		return -1;
	one->lost = *run;
	return 0;
}

/* Its own row, or the one of many. */
static bool has_row(const struct all *rows, const struct lost_run *lost)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct lost_run *row = &rows->list[i].lost;
		if (id_is_same(&row->run, &lost->run) ||
		    (lost_is_several(&row->run) && row->since <= lost->since))
			return true;
	}
	return false;
}

int found_missing_each(struct gate_state *s, lost_run_fn *fn, void *context, struct err *err)
{
	__attribute__((cleanup(log_done))) struct log log = {0};
	int r = store_find(s->store, FOUND_REF, 0, 0, read_record, &log, err);

	if (r == 0)
		r = files_lost_each(&s->keeper, add_row, &log, err);
	for (size_t i = 0; r == 0 && i < log.lost.count; i++) {
		const struct one *lost = &log.lost.list[i];
		int good =
			has_row(&log.rows, &lost->lost) ? 1 : is_signed(s, lost, &log.words, err);
		r = good < 0 ? -1 : good ? 0 : fn(context, &lost->lost, err);
	}
	return r;
}
