/* SPDX-License-Identifier: MIT
 *
 * Fingerprints each text of the code once and looks its hashes up in every source. Hashes that follow
 * each other in both become one span. A tie of the code itself is not repeated for its other forms.
 */
#include "trust/evidence/attribute.h"

#include <stdlib.h>
#include <string.h>

#include "trust/evidence/boilerplate.h"
#include "trust/evidence/winnow.h"

enum {
	GAP_MAX = 3 * WINNOW_K, /* canonical characters between two hashes of one span */
	SOURCE_SLACK = 64, /* extra bytes that the source may have, beside FACTOR times the gap */
	SOURCE_FACTOR = 4,
	FILTER_TEXTS_MIN = 16,	   /* a filter is made from this number on */
	FILTER_BITS_MIN = 1 << 16, /* 8 KB */
	FILTER_BITS_MAX = 1 << 26, /* 8 MB */
	FILTER_ROOM = 32,	   /* bits per hash */
	FILTER_SHIFT = 14	   /* selects other bits of the hash */
};

const char *tie_name(enum tie tie)
{
	static const char *const names[TIE_COUNT] = {
		[TIE_NONE] = "none",
		[TIE_ATOM] = "atom",
		[TIE_SPAN] = "span",
		[TIE_WHOLE] = "whole",
	};
	return names[tie];
}

/* A Bloom filter of the hashes of all sources, two bits each. Code with ten thousand hidden texts is
 * compared with thousands of sources; for nearly all texts the filter shows at once that they tie to
 * none. */
struct filter {
	uint64_t *bit; /* NULL: too few texts to need one */
	uint64_t mask;
};

static void filter_set(struct filter *f, uint64_t hash)
{
	uint64_t one = hash & f->mask, two = hash >> FILTER_SHIFT & f->mask;

	f->bit[one / 64] |= 1ULL << one % 64;
	f->bit[two / 64] |= 1ULL << two % 64;
}

static bool filter_has(const struct filter *f, uint64_t hash)
{
	uint64_t one = hash & f->mask, two = hash >> FILTER_SHIFT & f->mask;

	return f->bit[one / 64] >> one % 64 & f->bit[two / 64] >> two % 64 & 1;
}

static int filter_make(struct filter *f, const struct index *source, size_t sources,
		       struct err *err)
{
	size_t hashes = 0, bits = FILTER_BITS_MIN;

	for (size_t i = 0; i < sources; i++)
		for (int k = 0; k < INDEX_KEPT; k++)
			hashes += source[i].list[k].count;
	while (bits < FILTER_BITS_MAX && bits / FILTER_ROOM < hashes)
		bits *= 2;
	f->mask = bits - 1;
	f->bit = calloc(bits / 64, sizeof(*f->bit));
	if (!f->bit)
		return err_memory(err);
	for (size_t i = 0; i < sources; i++)
		for (int k = 0; k < INDEX_KEPT; k++)
			for (size_t n = 0; n < source[i].list[k].count; n++)
				filter_set(f, PRINT_HASH(source[i].list[k].list[n]));
	return 0;
}

/* One text against all sources. */
struct work {
	const struct origin_text *text;
	size_t number; /* of the text */
	struct canon canon;
	struct prints spans, atoms; /* of the text, sorted; places in the canonical text */
	struct atom *atom;	    /* by number, which is its place in ATOMS */
	size_t atomc, room;
	/* The source that is compared. HIDDEN is INDEX_HIDDEN, or 0 for the source itself. */
	const struct index *index;
	uint32_t source;
	int hidden;
	struct prints matches;
	bool cut;	      /* MATCHES is not complete */
	struct prints common; /* made at first use */
	struct filter filter;
	enum tie *ties;
	struct attribution *ret;
};

static bool is_stronger(const struct evidence *a, const struct evidence *b)
{
	return a->tie != b->tie ? a->tie > b->tie : a->weight > b->weight;
}

/* Is the same place of the same source listed already? Equal texts tie equally: other forms of the
 * code, and text that the source has both hidden and in clear. */
static bool is_listed(const struct work *w, const struct evidence *e)
{
	for (size_t i = 0; i < w->ret->count; i++) {
		const struct evidence *old = &w->ret->list[i];
		if (old->source != e->source || old->tie != e->tie)
			continue;
		if (old->text == e->text
			    ? w->hidden && old->text_at <= e->text_at &&
				      e->text_at + e->text_len <= old->text_at + old->text_len
			    : old->source_at <= e->source_at &&
				      e->source_at + e->weight <= old->source_at + old->weight)
			return true;
	}
	return false;
}

static void list_tie(struct work *w, struct evidence e)
{
	struct attribution *a = w->ret;
	size_t i = a->count;

	if (w->hidden) {
		struct index_place lies = index_layer(w->index, e.source_at);
		e.source_at = lies.from;
		e.source_to = lies.to;
	}
	e.source = w->source;
	if (w->ties[e.source] < e.tie)
		w->ties[e.source] = e.tie;
	e.text = w->number;
	e.how = w->text->how;
	e.at = e.how ? w->text->offset : e.text_at;
	e.len = e.how ? w->text->span : e.text_len;
	if (is_listed(w, &e))
		return;
	if (a->count == EVIDENCE_MAX) {
		a->more++;
		if (!is_stronger(&e, &a->list[--i]))
			return;
	} else {
		a->count++;
	}
	for (; i > 0 && is_stronger(&e, &a->list[i - 1]); i--)
		a->list[i] = a->list[i - 1];
	a->list[i] = e;
}

struct span {
	size_t first, last;		  /* of hashes, in the canonical text */
	size_t source_first, source_last; /* in the source */
};

static void list_span(struct work *w, const struct span *s)
{
	size_t end = s->last + WINNOW_K, last = s->source_last;
	size_t from = w->canon.map[s->first], to = canon_end(&w->canon, w->text->data, end - 1);

	/* If the end of the last fingerprint is unknown, so is the end of the span. */
	size_t source_to = index_end(w->index, last, WINNOW_K);
	list_tie(w, (struct evidence){.tie = TIE_SPAN,
				      .source_at = s->source_first,
				      .source_to = source_to > last ? source_to : s->source_first,
				      .weight = end - s->first,
				      .text_at = from,
				      .text_len = to - from});
}

static bool continues(const struct work *w, const struct span *s, size_t at, size_t source_at)
{
	size_t gap = at - s->last;

	if (w->hidden)
		return gap <= GAP_MAX && source_at == s->source_last;
	return gap <= GAP_MAX && source_at >= s->source_last &&
	       source_at - s->source_last <= SOURCE_FACTOR * gap + SOURCE_SLACK;
}

/* MATCHES are pairs of a place in the canonical text and one in the source, sorted. */
static void list_spans(struct work *w)
{
	const struct prints *m = &w->matches;
	struct span s = {0};
	bool open = false;

	for (size_t i = 0; i < m->count;) {
		size_t at = (size_t)PRINT_HASH(m->list[i]), next = i, pick = i;
		bool goes_on = false;
		for (; next < m->count && PRINT_HASH(m->list[next]) == at; next++)
			if (open && !goes_on && continues(w, &s, at, PRINT_AT(m->list[next]))) {
				goes_on = true;
				pick = next;
			}
		if (open && !goes_on)
			list_span(w, &s);
		if (!goes_on)
			s.first = at, s.source_first = PRINT_AT(m->list[pick]);
		s.last = at;
		s.source_last = PRINT_AT(m->list[pick]);
		open = true;
		i = next;
	}
	if (open)
		list_span(w, &s);
}

/* All pairs of one hash: few, because prints_sort keeps few places. */
static void add_pairs(struct work *w, const struct prints *source, size_t i, size_t k)
{
	uint64_t hash = PRINT_HASH(w->spans.list[i]);

	for (size_t n = k; n < source->count && PRINT_HASH(source->list[n]) == hash; n++)
		if (w->matches.count < EVIDENCE_MATCHES_MAX)
			prints_add(&w->matches, (uint64_t)PRINT_AT(w->spans.list[i])
								<< PRINT_AT_BITS |
							PRINT_AT(source->list[n]));
		else
			w->cut = true;
}

/* -1 on failure. */
static int is_common(struct work *w, uint64_t hash, struct err *err)
{
	if (!w->common.count && boilerplate_prints(&w->common, err) < 0)
		return -1;
	return boilerplate_has(&w->common, hash);
}

static int tie_spans(struct work *w, struct err *err)
{
	const struct prints *source = &w->index->list[w->hidden + INDEX_SPANS];

	w->matches.count = 0;
	w->cut = false;
	for (size_t i = 0, k = 0; i < w->spans.count && k < source->count; i++) {
		uint64_t hash = PRINT_HASH(w->spans.list[i]);
		k = prints_seek(source->list, source->count, k, hash);
		if (k == source->count || PRINT_HASH(source->list[k]) != hash)
			continue;
		int common = is_common(w, hash, err);
		if (common < 0)
			return -1;
		if (!common)
			add_pairs(w, source, i, k);
	}
	if (prints_sort(&w->matches, SIZE_MAX, err) < 0)
		return -1;
	list_spans(w);
	w->ret->more += w->cut; /* a lower bound */
	return 0;
}

static void tie_atoms(struct work *w)
{
	const struct prints *source = &w->index->list[w->hidden + INDEX_ATOMS];

	for (size_t i = 0, k = 0; i < w->atoms.count && k < source->count; i++) {
		uint64_t hash = PRINT_HASH(w->atoms.list[i]);
		const struct atom *a = &w->atom[PRINT_AT(w->atoms.list[i])];
		k = prints_seek(source->list, source->count, k, hash);
		if (k == source->count || PRINT_HASH(source->list[k]) != hash)
			continue;
		size_t from = PRINT_AT(source->list[k]);
		list_tie(w, (struct evidence){.tie = TIE_ATOM,
					      .atom = a->kind,
					      .source_at = from,
					      .source_to = index_atom_end(w->index, from, a->plain),
					      .weight = a->len,
					      .text_at = a->at,
					      .text_len = a->len});
	}
}

static void tie_whole(struct work *w)
{
	const struct prints *source = &w->index->list[w->hidden + INDEX_PIECES];
	size_t count = 0;
	uint64_t whole = index_whole(&w->canon, &count);
	size_t k = prints_seek(source->list, source->count, 0, whole >> PRINT_AT_BITS);

	if (!whole || k == source->count || PRINT_HASH(source->list[k]) != whole >> PRINT_AT_BITS)
		return;
	size_t from = PRINT_AT(source->list[k]);
	list_tie(w, (struct evidence){.tie = TIE_WHOLE,
				      .source_at = from,
				      .source_to = index_end(w->index, from, count),
				      .weight = w->canon.len,
				      .text_len = w->text->len});
}

static void add_atom(void *context, const struct atom *atom)
{
	struct work *w = context;

	if (w->atomc == w->room) {
		size_t room = w->room ? 2 * w->room : 64;
		struct atom *list = reallocarray(w->atom, room, sizeof(*list));
		if (!list) {
			w->atoms.failed = true;
			return;
		}
		w->atom = list;
		w->room = room;
	}
	w->atom[w->atomc] = *atom;
	prints_add(&w->atoms, PRINT(atom->hash, w->atomc++));
}

static int read_text(struct work *w, struct err *err)
{
	w->spans.count = w->atoms.count = w->atomc = 0;
	if (canon_text(&w->canon, w->text->data, w->text->len, err) < 0)
		return -1;
	winnow(&w->canon, &w->spans);
	atoms_find(w->text->data, w->text->len, w->text->is_command ? ATOM_COMMAND : ATOM_PROGRAM,
		   add_atom, w);
	return prints_sort(&w->spans, PRINT_SAME_MAX, err) < 0 ? -1
							       : prints_sort(&w->atoms, 1, err);
}

static bool may_tie(const struct work *w)
{
	size_t count;
	bool may = !w->filter.bit ||
		   filter_has(&w->filter, PRINT_HASH(index_whole(&w->canon, &count)));

	for (size_t i = 0; i < w->spans.count && !may; i++)
		may = filter_has(&w->filter, PRINT_HASH(w->spans.list[i]));
	for (size_t i = 0; i < w->atoms.count && !may; i++)
		may = filter_has(&w->filter, PRINT_HASH(w->atoms.list[i]));
	return may;
}

static int tie_text(struct work *w, const struct index *source, size_t sources, struct err *err)
{
	if (read_text(w, err) < 0)
		return -1;
	if (!may_tie(w))
		return 0;
	for (w->source = 0; w->source < sources; w->source++)
		for (w->hidden = 0; w->hidden <= INDEX_HIDDEN; w->hidden += INDEX_HIDDEN) {
			w->index = &source[w->source];
			tie_whole(w);
			if (tie_spans(w, err) < 0)
				return -1;
			tie_atoms(w);
		}
	return 0;
}

int attribute(const struct origin_text *text, size_t count, const struct index *source,
	      size_t sources, enum tie *ties, struct attribution *ret, struct err *err)
{
	struct work w = {.ties = ties, .ret = ret};
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	if (count > INDEX_TEXTS_MAX || sources > EVIDENCE_SOURCES_MAX)
		return err_set(err, ERR_LIMIT, "over %d texts or %d sources", INDEX_TEXTS_MAX,
			       EVIDENCE_SOURCES_MAX);
	for (size_t i = 0; i < sources; i++)
		ties[i] = TIE_NONE;
	if (count >= FILTER_TEXTS_MIN)
		r = filter_make(&w.filter, source, sources, err);
	for (w.number = 0; w.number < count && r == 0; w.number++) {
		w.text = &text[w.number];
		r = tie_text(&w, source, sources, err);
	}
	canon_done(&w.canon);
	prints_done(&w.spans);
	prints_done(&w.atoms);
	prints_done(&w.matches);
	prints_done(&w.common);
	free(w.filter.bit);
	free(w.atom);
	return r;
}
