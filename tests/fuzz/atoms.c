/* SPDX-License-Identifier: MIT
 *
 * The fuzz target for what reads strangers' texts to recognise them: canonical text, fingerprints,
 * atoms, names. Whatever the bytes are: places lie in the text, what was put into an index is found
 * in it, and a name is safe to print. A broken promise aborts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/utf8.h"
#include "trust/escape.h"
#include "trust/evidence/attribute.h"
#include "trust/evidence/boilerplate.h"
#include "trust/evidence/canonical_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool promise)
{
	if (!promise)
		abort();
}

static void check_canon(const char *text, size_t len)
{
	struct canon c = {0};
	struct err err;

	must(canon_text(&c, text, len, &err) == 0 && c.len <= len && c.map[c.len] == len);
	for (size_t i = 0; i < c.len; i++)
		must(c.map[i] < c.map[i + 1] && c.byte[i] > ' ' &&
		     !strchr("\"'`#*>\\", c.byte[i]) && !(c.byte[i] >= 'A' && c.byte[i] <= 'Z'));
	canon_done(&c);
}

/* With one of these begins what is written otherwise than it is meant (origin/atom_refang.h). */
#define MARKS "[({<hH\xc2\xe2\xe3\xef"

struct seen {
	const char *text;
	size_t len;
};

static void check_atom(void *context, const struct atom *a)
{
	const struct seen *s = context;
	bool is_plain = true, is_marked = false;

	must(a->kind < ATOM_KINDS && a->len && a->at < s->len && a->len <= s->len - a->at);
	for (size_t i = a->at; i < a->at + a->len; i++) {
		is_plain = is_plain && s->text[i] > ' ' && s->text[i] < 0x7f;
		is_marked = is_marked || (s->text[i] && strchr(MARKS, s->text[i]));
	}
	must(is_plain || is_marked);
}

static bool are_common(const struct prints *list)
{
	struct prints common = {0};
	struct err err;
	bool all = true;

	must(list->count == 0 || boilerplate_prints(&common, &err) == 0);
	for (size_t i = 0; i < list->count; i++)
		all = all && boilerplate_has(&common, PRINT_HASH(list->list[i]));
	prints_done(&common);
	return all;
}

static void see_atom(void *context, const struct atom *a)
{
	(void)a;
	*(bool *)context = true;
}

/* A text is always recognised as itself. */
static void check_self(const char *text, size_t len)
{
	AUTO_INDEX struct index ix = {0};
	struct origin_text t = {.data = text, .len = len};
	struct attribution a;
	enum tie tie = TIE_NONE;
	struct err err;

	must(index_build(&t, 1, &ix, &err) == 0);
	for (int i = 0; i < INDEX_LISTS; i++) {
		must(prints_are_sorted(ix.list[i].list, ix.list[i].count));
		for (size_t k = 0; i < INDEX_KEPT && k < ix.list[i].count; k++)
			must(PRINT_AT(ix.list[i].list[k]) < len);
	}
	must(attribute(&t, 1, &ix, 1, &tie, &a, &err) == 0);
	must(tie >= TIE_SPAN || are_common(&ix.list[INDEX_SPANS]));
	bool has_atom = false;
	atoms_find(text, len, ATOM_PROGRAM, see_atom, &has_atom);
	must(!has_atom || tie >= TIE_ATOM);
	must(a.count <= EVIDENCE_MAX && (a.count > 0) == (tie != TIE_NONE));
	for (size_t i = 0; i < a.count; i++) {
		const struct evidence *e = &a.list[i];
		must(e->tie > TIE_NONE && e->tie <= tie && e->source == 0 && !e->how);
		must(e->at <= len && e->len <= len - e->at && e->source_at < len && e->len > 0);
		must(e->source_at < e->source_to && e->source_to <= len);
	}
}

static void check_name(const char *text, size_t len)
{
	char name[64];

	escape_text(text, len, name, sizeof(name));
	size_t n = strnlen(name, sizeof(name));
	must(n < sizeof(name));
	for (size_t i = 0; i < n;) {
		struct utf8_char c = utf8_next(name, n, i);
		must(!c.broken && c.value >= ' ' && c.value != 0x7f &&
		     !(c.value >= 0x202a && c.value <= 0x202e));
		i += c.len;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* Of its exact size, so that the sanitizer sees a read past the end. */
	AUTO_FREE char *copy = malloc(len ? len : 1);
	struct seen seen = {copy, len};

	must(copy);
	if (len)
		memcpy(copy, data, len);
	check_canon(copy, len);
	for (int i = ATOM_DOCUMENT; i <= ATOM_PROGRAM; i++)
		atoms_find(copy, len, (enum atom_reading)i, check_atom, &seen);
	check_self(copy, len);
	check_name(copy, len);
	return 0;
}
