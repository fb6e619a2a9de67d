/* SPDX-License-Identifier: MIT
 *
 * Makes the lists. Winnowing needs WINNOW_SHARED characters; the list of pieces finds a shorter
 * command that is the whole code and a whole line of the source. The end of a match in the source
 * depends on blanks and quotes, which no fingerprint has. So one bit is stored for each byte, 40 bits
 * after the number of each word: a tenth of the rest.
 */
#include "trust/evidence/source_index.h"

#include <string.h>

#include "base/hash.h"
#include "trust/evidence/atoms.h"
#include "trust/evidence/winnow.h"

enum { KEPT_BITS = 64 - PRINT_AT_BITS };
#define KEPT_NUMBER(word) ((size_t)((word) >> KEPT_BITS))
#define KEPT_OF(word) ((word) & ((1ULL << KEPT_BITS) - 1))
#define LAYER(from, to) ((uint64_t)(from) << PRINT_AT_BITS | (uint64_t)(to))

struct builder {
	const struct origin_text *text;
	struct index *ix;
	size_t layer; /* the number of a hidden text */
};

/* An atom's place and end; sorts by place. */
#define END(at, end) ((uint64_t)(at) << PRINT_AT_BITS | (uint64_t)(end))

/* No layer has this number. */
enum { NO_LAYER = (1 << PRINT_AT_BITS) - 1 };
_Static_assert((int)NO_LAYER > (int)INDEX_TEXTS_MAX, "a layer must not have this number");

static struct prints *list_of(const struct builder *b, enum index_list list)
{
	return &b->ix->list[b->text->how ? INDEX_HIDDEN + list : list];
}

/* The place of a match in a hidden text is the place of that text. */
static size_t place(const struct builder *b, size_t at)
{
	return b->text->how ? b->layer : at;
}

static void add_atom(void *context, const struct atom *atom)
{
	struct builder *b = context;

	prints_add(list_of(b, INDEX_ATOMS), PRINT(atom->hash, place(b, atom->at)));
	if (!b->text->how && atom->len != atom->plain)
		prints_add(&b->ix->list[INDEX_ENDS], END(atom->at, atom->at + atom->len));
}

static void add_spans(struct builder *b, const struct canon *c)
{
	struct prints *list = list_of(b, INDEX_SPANS);
	size_t from = list->count;

	winnow(c, list);
	for (size_t i = from; i < list->count; i++)
		list->list[i] = PRINT(list->list[i], place(b, c->map[PRINT_AT(list->list[i])]));
}

/* A piece does not include the shell's prompt. */
static size_t behind_prompt(const struct canon *c, size_t from, size_t to)
{
	return from < to && c->byte[from] == '$' ? from + 1 : from;
}

/* The hash of the canonical characters from FROM to TO. */
static uint64_t piece_hash(const struct canon *c, size_t from, size_t to)
{
	uint64_t hash = 1, seen[4] = {0};
	unsigned distinct = 0;

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

uint64_t index_whole(const struct canon *c, size_t *ret_count)
{
	size_t from = behind_prompt(c, 0, c->len);

	*ret_count = c->len - from;
	return piece_hash(c, from, c->len);
}

/* What ends between two characters: nothing, a piece in backquotes, or a line. */
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
	size_t begin = behind_prompt(c, from, to);
	uint64_t hash = piece_hash(c, begin, to);

	if (hash)
		prints_add(list_of(b, INDEX_PIECES), PRINT(hash, place(b, c->map[begin])));
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

static void add_kept(struct builder *b, const struct canon *c)
{
	struct prints *list = &b->ix->list[INDEX_KEPT];
	uint64_t word = 0;

	for (size_t i = 0; i < c->len; i++) {
		size_t last = canon_end(c, b->text->data, i) - 1;
		if (word && KEPT_NUMBER(word) != last / KEPT_BITS) {
			prints_add(list, word);
			word = 0;
		}
		word |= (uint64_t)(last / KEPT_BITS) << KEPT_BITS | 1ULL << last % KEPT_BITS;
	}
	if (word)
		prints_add(list, word);
}

static int add_text(struct builder *b, struct canon *c, struct err *err)
{
	if (canon_text(c, b->text->data, b->text->len, err) < 0)
		return -1;
	if (!b->text->how && !b->ix->list[INDEX_KEPT].count)
		add_kept(b, c);
	add_spans(b, c);
	add_pieces(b, c);
	atoms_find(b->text->data, b->text->len, ATOM_DOCUMENT, add_atom, b);
	return 0;
}

static int finish(struct index *ix, struct err *err)
{
	for (int i = 0; i < INDEX_KEPT; i++)
		if (prints_sort(&ix->list[i], i % INDEX_HIDDEN == INDEX_SPANS ? PRINT_SAME_MAX : 1,
				err) < 0)
			return -1;
	if (prints_sort(&ix->list[INDEX_ENDS], PRINT_SAME_MAX, err) < 0)
		return -1;
	return ix->list[INDEX_KEPT].failed ? err_memory(err) : 0;
}

static uint64_t layer_of(const struct origin_text *t)
{
	return LAYER(t->offset, t->span ? t->offset + t->span : t->offset);
}

/* Lists each place once, sorted. Its number is its position. */
static int list_layers(const struct origin_text *text, size_t count, struct prints *list,
		       struct err *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (text[i].how)
			prints_add(list, layer_of(&text[i]));
	if (prints_sort(list, SIZE_MAX, err) < 0)
		return -1;
	for (size_t i = 0; i < list->count; i++)
		if (!i || list->list[i] != list->list[i - 1])
			list->list[kept++] = list->list[i];
	list->count = kept;
	return 0;
}

/* The first element that is VALUE or higher. */
static size_t seek(const struct prints *p, uint64_t value)
{
	size_t low = 0, high = p->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->list[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct index_place index_layer(const struct index *ix, size_t number)
{
	const struct prints *p = &ix->list[INDEX_LAYERS];

	if (number >= p->count)
		return (struct index_place){0};
	return (struct index_place){PRINT_AT(p->list[number] >> PRINT_AT_BITS),
				    PRINT_AT(p->list[number])};
}

size_t index_end(const struct index *ix, size_t from, size_t count)
{
	const struct prints *p = &ix->list[INDEX_KEPT];
	size_t number = from / KEPT_BITS;

	for (size_t i = seek(p, (uint64_t)number << KEPT_BITS); i < p->count; i++) {
		uint64_t bits = KEPT_OF(p->list[i]);
		if (KEPT_NUMBER(p->list[i]) == number)
			bits &= ~0ULL << from % KEPT_BITS;
		for (; bits; bits &= bits - 1)
			if (--count == 0)
				return KEPT_NUMBER(p->list[i]) * KEPT_BITS +
				       (size_t)__builtin_ctzll(bits) + 1;
	}
	return from;
}

/* If two atoms begin there, the shorter one that is long enough. */
size_t index_atom_end(const struct index *ix, size_t from, size_t plain)
{
	const struct prints *p = &ix->list[INDEX_ENDS];
	size_t end = from + (plain < ATOM_MAX ? plain : ATOM_MAX), i = seek(p, END(from, 0));

	for (; i < p->count && p->list[i] >> PRINT_AT_BITS == from; i++)
		if (PRINT_AT(p->list[i]) >= end)
			return PRINT_AT(p->list[i]);
	return end;
}

int index_build(const struct origin_text *text, size_t count, struct index *ret, struct err *err)
{
	AUTO_CANON struct canon c = {0};

	if (count > INDEX_TEXTS_MAX)
		return err_set(err, ERR_LIMIT, "over %d texts", INDEX_TEXTS_MAX);
	struct prints *layers = &ret->list[INDEX_LAYERS];
	if (list_layers(text, count, layers, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		struct builder b = {&text[i], ret, 0};
		if (text[i].how)
			b.layer = seek(layers, layer_of(&text[i]));
		if (add_text(&b, &c, err) < 0)
			return -1;
	}
	return finish(ret, err);
}

static void add_named(void *context, const struct atom *atom)
{
	/* A path is not evidence: it is the usual name of a file to work on. */
	if (atom->kind == ATOM_URL || atom->kind == ATOM_HOST || atom->kind == ATOM_IP)
		prints_add(context, PRINT(atom->hash, NO_LAYER));
}

int index_name(struct index *ix, const char *name, size_t len, struct err *err)
{
	struct prints *atoms = &ix->list[INDEX_HIDDEN + INDEX_ATOMS];

	if (!name || !memmem(name, len, "://", 3))
		return 0;
	atoms_find(name, len, ATOM_DOCUMENT, add_named, atoms);
	return prints_sort(atoms, 1, err);
}

/* All pieces of the spans: which ones the source has depends on the text around them. */
static int read_own(struct builder *b, struct canon *c, struct err *err)
{
	if (canon_text(c, b->text->data, b->text->len, err) < 0)
		return -1;
	winnow_all(c, list_of(b, INDEX_SPANS));
	add_pieces(b, c);
	atoms_find(b->text->data, b->text->len, ATOM_DOCUMENT, add_atom, b);
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
		struct origin_text plain = {.data = own[i].data, .len = own[i].len};
		struct builder b = {&plain, &all, 0};
		if (own[i].len > left)
			continue;
		left -= own[i].len;
		if (read_own(&b, &c, err) < 0)
			return -1;
	}
	for (int i = 0; i < INDEX_HIDDEN; i++) {
		struct prints *p = &all.list[i];
		for (size_t n = 0; n < p->count; n++)
			p->list[n] = PRINT(p->list[n], 0);
		if (prints_sort(p, 1, err) < 0)
			return -1;
		take_out(&ix->list[i], p);
		take_out(&ix->list[INDEX_HIDDEN + i], p);
	}
	return 0;
}

void index_done(struct index *ix)
{
	for (int i = 0; i < INDEX_LISTS; i++)
		prints_done(&ix->list[i]);
}
