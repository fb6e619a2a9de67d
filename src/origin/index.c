/* SPDX-License-Identifier: MIT
 *
 * Makes the three lists. Winnowing needs WINNOW_SHARED characters; a command that is shorter, but
 * is all of the code and all of a line of the source, would be missed without the third list.
 */
#include "origin/index.h"

#include "base/hash.h"
#include "origin/atoms.h"
#include "origin/winnow.h"

struct builder {
	const struct origin_text *text;
	struct index *ix;
};

/* What is found in a hidden text is found where that text lies. */
static size_t place(const struct origin_text *t, size_t at)
{
	return t->how ? t->offset : at;
}

static void add_atom(void *context, const struct atom *atom)
{
	struct builder *b = context;

	prints_add(&b->ix->list[INDEX_ATOMS], PRINT(atom->hash, place(b->text, atom->at)));
}

static void add_spans(struct builder *b, const struct canon *c)
{
	struct prints *list = &b->ix->list[INDEX_SPANS];
	size_t from = list->count;

	winnow(c, list);
	for (size_t i = from; i < list->count; i++)
		list->list[i] =
			PRINT(list->list[i], place(b->text, c->map[PRINT_AT(list->list[i])]));
}

/* The hash of the canonical characters from FROM to TO. A shell's prompt is not part of it. */
static uint64_t piece_hash(const struct canon *c, size_t from, size_t to)
{
	uint64_t hash = 1, seen[4] = {0};
	unsigned distinct = 0;

	if (from < to && c->byte[from] == '$')
		from++;
	if (to - from < INDEX_PIECE_MIN || to - from > INDEX_PIECE_MAX)
		return 0;
	for (size_t i = from; i < to; i++) {
		uint8_t b = c->byte[i];
		hash = hash_add(hash, b);
		distinct += !(seen[b / 64] >> b % 64 & 1);
		seen[b / 64] |= 1ULL << b % 64;
	}
	return distinct < INDEX_PIECE_DISTINCT ? 0 : prints_mix(hash);
}

uint64_t index_whole(const struct canon *c)
{
	return piece_hash(c, 0, c->len);
}

/* What ends between two characters of the text: nothing, a piece in backquotes, or a line. */
enum ending { GOES_ON, QUOTE, LINE };

static enum ending ending_of(const struct origin_text *t, size_t from, size_t to)
{
	enum ending e = GOES_ON;

	for (size_t i = from; i < to; i++) {
		char c = t->data[i];
		if (c == '\n' || c == '\r')
			return LINE;
		if (c == '\\' && i + 1 < to && (t->data[i + 1] == 'n' || t->data[i + 1] == 'r'))
			return LINE;
		if (c == '`')
			e = QUOTE;
	}
	return e;
}

static void add_piece(struct builder *b, const struct canon *c, size_t from, size_t to)
{
	uint64_t hash = piece_hash(c, from, to);

	if (hash)
		prints_add(&b->ix->list[INDEX_PIECES], PRINT(hash, place(b->text, c->map[from])));
}

static void add_pieces(struct builder *b, const struct canon *c)
{
	size_t line = 0, quote = 0;

	for (size_t i = 1; i <= c->len; i++) {
		enum ending e = LINE;
		if (i < c->len && c->map[i] == c->map[i - 1] + 1)
			continue;
		if (i < c->len)
			e = ending_of(b->text, c->map[i - 1] + 1, c->map[i]);
		if (e == GOES_ON)
			continue;
		if (e == LINE)
			add_piece(b, c, line, i);
		if (quote > line || e == QUOTE)
			add_piece(b, c, quote, i);
		quote = i;
		line = e == LINE ? i : line;
	}
}

static int add_text(struct builder *b, struct canon *c, struct err *err)
{
	if (canon_text(c, b->text->data, b->text->len, err) < 0)
		return -1;
	add_spans(b, c);
	add_pieces(b, c);
	atoms_find(b->text->data, b->text->len, add_atom, b);
	return 0;
}

static int finish(struct index *ix, struct err *err)
{
	for (int i = 0; i < INDEX_LISTS; i++)
		if (prints_sort(&ix->list[i], i == INDEX_SPANS ? PRINT_SAME_MAX : 1, err) < 0)
			return -1;
	return 0;
}

int index_build(const struct origin_text *text, size_t count, struct index *ret, struct err *err)
{
	AUTO_CANON struct canon c = {0};

	if (count > INDEX_TEXTS_MAX)
		return err_set(err, ERR_LIMIT, "over %d texts", INDEX_TEXTS_MAX);
	for (size_t i = 0; i < count; i++) {
		struct builder b = {&text[i], ret};
		if (add_text(&b, &c, err) < 0)
			return -1;
	}
	return finish(ret, err);
}

/* Of spans all pieces, not some: which of them the source has kept depends on what is around. */
static int read_own(struct builder *b, struct canon *c, struct err *err)
{
	if (canon_text(c, b->text->data, b->text->len, err) < 0)
		return -1;
	winnow_all(c, &b->ix->list[INDEX_SPANS]);
	add_pieces(b, c);
	atoms_find(b->text->data, b->text->len, add_atom, b);
	return 0;
}

static void take_out(struct prints *from, const struct prints *own)
{
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < from->count; i++) {
		uint64_t hash = PRINT_HASH(from->list[i]);
		at = prints_seek(own->list, own->count, at, hash);
		if (at == own->count || PRINT_HASH(own->list[at]) != hash)
			from->list[kept++] = from->list[i];
	}
	from->count = kept;
}

int index_without(struct index *ix, const struct origin_text *own, size_t count, struct err *err)
{
	AUTO_INDEX struct index all = {0};
	AUTO_CANON struct canon c = {0};
	size_t left = INDEX_OWN_MAX;

	for (size_t i = 0; i < count; i++) {
		struct builder b = {&own[i], &all};
		if (own[i].len > left)
			continue;
		left -= own[i].len;
		if (read_own(&b, &c, err) < 0)
			return -1;
	}
	for (int i = 0; i < INDEX_LISTS; i++) {
		struct prints *p = &all.list[i];
		for (size_t n = 0; n < p->count; n++)
			p->list[n] = PRINT(p->list[n], 0);
		if (prints_sort(p, 1, err) < 0)
			return -1;
		take_out(&ix->list[i], p);
	}
	return 0;
}

void index_done(struct index *ix)
{
	for (int i = 0; i < INDEX_LISTS; i++)
		prints_done(&ix->list[i]);
}
