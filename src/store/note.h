/* SPDX-License-Identifier: MIT
 *
 * Checkpoints: the signed size and root of the log's tree, as text in the format of C2SP
 * tlog-checkpoint (a signed note, Ed25519). A checkpoint proves later that the log still has
 * everything it had then.
 *
 *     cordon-log/<log id>
 *     1024
 *     <root, base64>
 *
 *     — cordon-log/<log id> <key id and signature, base64>
 */
#ifndef CORDON_STORE_NOTE_H
#define CORDON_STORE_NOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "store/head.h"
#include "store/keys.h"
#include "store/merkle.h"

enum { NOTE_MAX = 2048, NOTE_ORIGIN_MAX = 128, NOTE_SIGNATURES_MAX = 8, NOTE_VKEY_MAX = 256 };

struct note {
	char origin[NOTE_ORIGIN_MAX + 1];
	uint64_t size;
	uint8_t root[MERKLE_HASH];
};

/* The name of a log, which is also the name of its key. */
void note_origin(const uint8_t log_id[HEAD_LOG_ID], char ret[NOTE_ORIGIN_MAX + 1]);
/* Returns the length of the text, which is also terminated. */
size_t note_sign(const struct note *note, const struct key *key, char ret[NOTE_MAX]);
/* Parses a note; does not check signatures. */
int note_parse(const char *text, size_t len, struct note *ret, struct err *err);
/* Does the note have a good signature of the key, in its origin's name? TEXT is the parsed text. */
bool note_is_signed(const char *text, size_t len, const struct note *note,
		    const uint8_t public[KEY_PUBLIC]);
/* Does the note have a complete signature in its origin's name, of any key? */
bool note_is_whole(const char *text, size_t len, const struct note *note);
/* The public key in the format of signed notes: name+id+base64. */
void note_vkey(const char *origin, const uint8_t public[KEY_PUBLIC], char ret[NOTE_VKEY_MAX]);
int note_parse_vkey(const char *vkey, char origin[NOTE_ORIGIN_MAX + 1], uint8_t ret[KEY_PUBLIC],
		    struct err *err);

/* A file of checkpoints that are kept outside the log, which verify.c compares with the log. */
enum { NOTE_LIST_MAX = 1 << 20 };
#define NOTE_LIST_FILE_MAX ((size_t)64 << 20)

/* The next whole note of a file; false at its end. Skips everything else. *AT begins as 0. */
struct note_span {
	const char *data;
	size_t len;
};
bool note_list_next(const char *file, size_t len, size_t *at, struct note_span *ret,
		    struct note *note);

struct note_entry {
	uint64_t size;
	uint8_t root[MERKLE_HASH];
	struct note_span text;
};

struct note_list {
	struct note_entry *note;
	size_t count, room;
};

/* N points into FILE. NULL: no notes. */
int note_list_load(struct note_list *n, const char *file, size_t len, struct err *err);
bool note_entry_is_of(const struct note_entry *n, const char *origin);
bool note_entry_is_signed(const struct note_entry *n, const char *origin,
			  const uint8_t public[KEY_PUBLIC]);
void note_list_done(struct note_list *n);

#endif
