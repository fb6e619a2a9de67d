/* SPDX-License-Identifier: MIT
 *
 * Notes are untrusted and parsed strictly: three lines, an empty line, signatures. An extra line, a
 * leading zero or other base64 padding is an error. A file of notes is appended to by the operator,
 * possibly with other text in between; a note that was cut short ends where the next one begins.
 */
#include "store/note.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"

#define DASH "\xe2\x80\x94 " /* begins a line with a signature */
#define GAP "\n\n"
enum {
	KEY_ID = 4,
	ED25519 = 1, /* the key type in a key id and a vkey */
	SIGNED = KEY_ID + KEY_SIGNATURE,
	LINE_MAX_BYTES = 512,
	TEXT_LINES = 3,
	VKEY_BASE64 = (1 + KEY_PUBLIC) / 3 * 4 + 1,
};

void note_origin(const uint8_t log_id[HEAD_LOG_ID], char ret[NOTE_ORIGIN_MAX + 1])
{
	char hex[2 * HEAD_LOG_ID + 1];

	sodium_bin2hex(hex, sizeof(hex), log_id, HEAD_LOG_ID);
	snprintf(ret, NOTE_ORIGIN_MAX + 1, "cordon-log/%s", hex);
}

static void key_id(const char *name, const uint8_t public[KEY_PUBLIC], uint8_t ret[KEY_ID])
{
	static const uint8_t between[] = {'\n', ED25519};
	uint8_t hash[DIGEST_BYTES];
	struct digest state;

	digest_init(&state);
	digest_add(&state, name, strlen(name));
	digest_add(&state, between, sizeof(between));
	digest_add(&state, public, KEY_PUBLIC);
	digest_end(&state, hash);
	memcpy(ret, hash, KEY_ID);
}

size_t note_sign(const struct note *note, const struct key *key, char ret[NOTE_MAX])
{
	char base64[LINE_MAX_BYTES];
	uint8_t signed_by[SIGNED];

	sodium_bin2base64(base64, sizeof(base64), note->root, MERKLE_HASH,
			  sodium_base64_VARIANT_ORIGINAL);
	int len = snprintf(ret, NOTE_MAX, "%s\n%llu\n%s\n", note->origin,
			   (unsigned long long)note->size, base64);
	key_id(note->origin, key->public, signed_by);
	key_sign(key, ret, (size_t)len, signed_by + KEY_ID);
	sodium_bin2base64(base64, sizeof(base64), signed_by, sizeof(signed_by),
			  sodium_base64_VARIANT_ORIGINAL);
	return (size_t)len + (size_t)snprintf(ret + len, NOTE_MAX - (size_t)len,
					      "\n" DASH "%s %s\n", note->origin, base64);
}

/* Reads a line without its end; false when no line ends before END. */
static bool take_line(const char **p, const char *end, char ret[LINE_MAX_BYTES])
{
	const char *newline = memchr(*p, '\n', (size_t)(end - *p));
	size_t len = newline ? (size_t)(newline - *p) : LINE_MAX_BYTES;

	if (len >= LINE_MAX_BYTES || memchr(*p, '\0', len))
		return false;
	memcpy(ret, *p, len);
	ret[len] = '\0';
	*p = newline + 1;
	return true;
}

/* A name has no space and no plus; ours are ASCII. */
static bool is_name(const char *text)
{
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~' || text[i] == '+')
			return false;
	return len > 0 && len <= NOTE_ORIGIN_MAX;
}

static bool parse_size(const char *text, uint64_t *ret)
{
	uint64_t n = 0;

	if (!text[0] || (text[0] == '0' && text[1]))
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || n > (uint64_t)JCS_NUMBER_MAX)
			return false;
		n = n * 10 + (uint64_t)(*text - '0');
	}
	*ret = n;
	return n <= (uint64_t)JCS_NUMBER_MAX;
}

static bool parse_base64(const char *text, uint8_t *ret, size_t len)
{
	const char *end = NULL;
	size_t bytes = 0;

	return sodium_base642bin(ret, len, text, strlen(text), NULL, &bytes, &end,
				 sodium_base64_VARIANT_ORIGINAL) == 0 &&
	       bytes == len && *end == '\0';
}

int note_parse(const char *text, size_t len, struct note *ret, struct err *err)
{
	const char *p = text, *end = text + len;
	char line[TEXT_LINES + 1][LINE_MAX_BYTES];
	struct note note = {0};
	bool good = len <= NOTE_MAX;

	for (int i = 0; good && i < TEXT_LINES + 1; i++)
		good = take_line(&p, end, line[i]);
	if (!good || !is_name(line[0]) || !parse_size(line[1], &note.size) ||
	    !parse_base64(line[2], note.root, MERKLE_HASH) || line[TEXT_LINES][0])
		return err_set(err, ERR_INPUT, "this is not a checkpoint");
	memcpy(note.origin, line[0], strlen(line[0]) + 1);
	int signatures = 0;
	for (; p < end && signatures <= NOTE_SIGNATURES_MAX; signatures++)
		if (!take_line(&p, end, line[0]) || strncmp(line[0], DASH, sizeof(DASH) - 1) != 0)
			return err_set(err, ERR_INPUT, "this is not a checkpoint");
	if (signatures == 0 || signatures > NOTE_SIGNATURES_MAX)
		return err_set(err, ERR_INPUT, "a checkpoint has 1 to %d signatures",
			       NOTE_SIGNATURES_MAX);
	*ret = note;
	return 0;
}

/* The bytes of the next signature line, "— NAME BASE64", in the origin's name; skips other names.
 * *P begins behind the empty line. */
static bool next_signature(const char **p, const char *end, const struct note *note,
			   uint8_t ret[SIGNED])
{
	size_t dash = sizeof(DASH) - 1, name = strlen(note->origin);
	char line[LINE_MAX_BYTES];

	while (*p < end && take_line(p, end, line)) {
		const char *rest = line + dash;
		if (strncmp(line, DASH, dash) == 0 && strncmp(rest, note->origin, name) == 0 &&
		    rest[name] == ' ' && parse_base64(rest + name + 1, ret, SIGNED))
			return true;
	}
	return false;
}

/* Where the signatures begin; NULL: there is no empty line. */
static const char *signatures_of(const char *text, size_t len)
{
	const char *gap = memmem(text, len, "\n\n", 2);

	return gap ? gap + 2 : NULL;
}

bool note_is_whole(const char *text, size_t len, const struct note *note)
{
	const char *p = signatures_of(text, len);
	uint8_t bytes[SIGNED];

	return p && next_signature(&p, text + len, note, bytes);
}

bool note_is_signed(const char *text, size_t len, const struct note *note,
		    const uint8_t public[KEY_PUBLIC])
{
	const char *p = signatures_of(text, len);
	size_t text_len = p ? (size_t)(p - text) - 1 : 0;
	uint8_t bytes[SIGNED], id[KEY_ID];

	key_id(note->origin, public, id);
	while (p && next_signature(&p, text + len, note, bytes))
		if (memcmp(id, bytes, KEY_ID) == 0 &&
		    key_verify(public, text, text_len, bytes + KEY_ID))
			return true;
	return false;
}

void note_vkey(const char *origin, const uint8_t public[KEY_PUBLIC], char ret[NOTE_VKEY_MAX])
{
	uint8_t id[KEY_ID], typed[1 + KEY_PUBLIC] = {ED25519};
	char hex[2 * KEY_ID + 1], base64[VKEY_BASE64];

	key_id(origin, public, id);
	memcpy(typed + 1, public, KEY_PUBLIC);
	sodium_bin2hex(hex, sizeof(hex), id, sizeof(id));
	sodium_bin2base64(base64, sizeof(base64), typed, sizeof(typed),
			  sodium_base64_VARIANT_ORIGINAL);
	snprintf(ret, NOTE_VKEY_MAX, "%s+%s+%s", origin, hex, base64);
}

int note_parse_vkey(const char *vkey, char origin[NOTE_ORIGIN_MAX + 1], uint8_t ret[KEY_PUBLIC],
		    struct err *err)
{
	uint8_t typed[1 + KEY_PUBLIC] = {0};
	char again[NOTE_VKEY_MAX], name[NOTE_ORIGIN_MAX + 1] = "";
	size_t len = strcspn(vkey, "+");
	const char *base64 = vkey[len] ? strchr(vkey + len + 1, '+') : NULL;

	if (base64 && len <= NOTE_ORIGIN_MAX)
		memcpy(name, vkey, len);
	if (!is_name(name) || !parse_base64(base64 + 1, typed, sizeof(typed)) ||
	    typed[0] != ED25519)
		return err_set(err, ERR_INPUT, "this is not a public key of a log");
	note_vkey(name, typed + 1, again);
	if (strcmp(again, vkey) != 0)
		return err_set(err, ERR_INPUT, "this public key is damaged");
	memcpy(origin, name, sizeof(name));
	memcpy(ret, typed + 1, KEY_PUBLIC);
	return 0;
}

static int add(struct note_list *n, const struct note *note, struct note_span text, struct err *err)
{
	if (n->count == NOTE_LIST_MAX)
		return err_set(err, ERR_LIMIT, "the file has over %d checkpoints", NOTE_LIST_MAX);
	if (n->count == n->room) {
		size_t room = n->room ? 2 * n->room : 64;
		struct note_entry *grown = realloc(n->note, room * sizeof(*grown));
		if (!grown)
			return err_memory(err);
		n->note = grown;
		n->room = room;
	}
	struct note_entry *kept = &n->note[n->count++];
	*kept = (struct note_entry){.size = note->size, .text = text};
	memcpy(kept->root, note->root, MERKLE_HASH);
	return 0;
}

/* A block of lines up to an empty line or the end. */
static bool next_block(const char *file, size_t len, size_t *at, struct note_span *ret)
{
	while (*at < len && file[*at] == '\n')
		++*at;
	if (*at == len)
		return false;
	const char *end = memmem(file + *at, len - *at, GAP, sizeof(GAP) - 1);
	size_t to = end ? (size_t)(end - file) + 1 : len;
	*ret = (struct note_span){file + *at, to - *at};
	*at = to;
	return true;
}

static bool is_signatures(struct note_span block)
{
	return block.len >= sizeof(DASH) - 1 && memcmp(block.data, DASH, sizeof(DASH) - 1) == 0;
}

/* A note is two blocks: its text, then its signatures. */
bool note_list_next(const char *file, size_t len, size_t *at, struct note_span *ret,
		    struct note *note)
{
	struct note_span text = {0}, block;
	struct err err;

	while (next_block(file, len, at, &block)) {
		if (text.len && is_signatures(block)) {
			struct note_span whole = {text.data,
						  (size_t)(block.data + block.len - text.data)};
			if (note_parse(whole.data, whole.len, note, &err) == 0 &&
			    note_is_whole(whole.data, whole.len, note)) {
				*ret = whole;
				return true;
			}
		}
		text = block;
	}
	return false;
}

static int by_size(const void *a, const void *b)
{
	const struct note_entry *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

int note_list_load(struct note_list *n, const char *file, size_t len, struct err *err)
{
	struct note_span text;
	struct note note;

	*n = (struct note_list){0};
	for (size_t at = 0; file && note_list_next(file, len, &at, &text, &note);)
		if (add(n, &note, text, err) < 0) {
			note_list_done(n);
			return -1;
		}
	/* A file without a checkpoint must not pass as checked. */
	if (file && !n->count)
		return err_set(err, ERR_INPUT, "the file has no checkpoint");
	if (n->count)
		qsort(n->note, n->count, sizeof(*n->note), by_size);
	return 0;
}

bool note_entry_is_of(const struct note_entry *n, const char *origin)
{
	size_t len = strlen(origin);

	return n->text.len > len && memcmp(n->text.data, origin, len) == 0 &&
	       n->text.data[len] == '\n';
}

bool note_entry_is_signed(const struct note_entry *n, const char *origin,
			  const uint8_t public[KEY_PUBLIC])
{
	struct note note;
	struct err err;

	return note_entry_is_of(n, origin) &&
	       note_parse(n->text.data, n->text.len, &note, &err) == 0 &&
	       note_is_signed(n->text.data, n->text.len, &note, public);
}

void note_list_done(struct note_list *n)
{
	free(n->note);
	*n = (struct note_list){0};
}
