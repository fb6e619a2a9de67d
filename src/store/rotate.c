/* SPDX-License-Identifier: MIT
 *
 * The new key is written before the record that names it, and renamed to its final name after it. A
 * process that opens the log in between finishes the rename (chain_take_next_key).
 */
#include "store/rotate.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "store/chain.h"

#define EVENT "rotated"
/* The prefix of the signed bytes. No other text that the key signs begins with it. */
#define SIGNED "cordon-log-key-v1\n"
enum { SIGNED_MAX = sizeof(SIGNED) + NOTE_ORIGIN_MAX + 2UL * KEY_PUBLIC };

static size_t to_sign(const char *origin, const uint8_t *from, const uint8_t *to,
		      uint8_t ret[SIGNED_MAX])
{
	size_t len = (size_t)snprintf((char *)ret, SIGNED_MAX, "%s%s\n", SIGNED, origin);

	memcpy(ret + len, from, KEY_PUBLIC);
	memcpy(ret + len + KEY_PUBLIC, to, KEY_PUBLIC);
	return len + (size_t)2 * KEY_PUBLIC;
}

static int write_body(struct jcs *body, const char *origin, const struct key *from,
		      const struct key *to, struct err *err)
{
	uint8_t bytes[SIGNED_MAX], signature[KEY_SIGNATURE];

	key_sign(from, bytes, to_sign(origin, from->public, to->public, bytes), signature);
	jcs_init(body, RECORD_BODY_MAX);
	jcs_word(body, "event", EVENT);
	jcs_hex(body, "from", from->public, KEY_PUBLIC);
	jcs_hex(body, "key", to->public, KEY_PUBLIC);
	jcs_hex(body, "signature", signature, KEY_SIGNATURE);
	return jcs_finish(body, err);
}

bool rotate_is(const struct record *r)
{
	char event[sizeof(EVENT) + 1];

	return r->kind == RECORD_KEY && jcs_text_at(r->body, "event", event, sizeof(event)) &&
	       strcmp(event, EVENT) == 0;
}

bool rotate_read(const struct record *r, const char *origin, const uint8_t from[KEY_PUBLIC],
		 uint8_t ret[KEY_PUBLIC])
{
	uint8_t said[KEY_PUBLIC], to[KEY_PUBLIC], signature[KEY_SIGNATURE], bytes[SIGNED_MAX];

	if (!jcs_hex_at(r->body, "from", said, sizeof(said)) ||
	    !jcs_hex_at(r->body, "key", to, sizeof(to)) ||
	    !jcs_hex_at(r->body, "signature", signature, sizeof(signature)) ||
	    memcmp(said, from, KEY_PUBLIC) != 0 ||
	    !key_verify(from, bytes, to_sign(origin, from, to, bytes), signature))
		return false;
	memcpy(ret, to, KEY_PUBLIC);
	return true;
}

static int take_key(void *context, const struct store_row *row, struct err *err)
{
	struct rotate_keys *k = context;
	struct record r;

	(void)err;
	/* verify reports damaged records. */
	if (k->count < ROTATE_MAX && record_decode(row->bytes, row->len, &r, err) == 0 &&
	    rotate_is(&r) && jcs_hex_at(r.body, "key", k->key[k->count], KEY_PUBLIC))
		k->count++;
	return 0;
}

int rotate_keys_load(struct rotate_keys *k, struct store *s, struct err *err)
{
	*k = (struct rotate_keys){.key = calloc(ROTATE_MAX, sizeof(*k->key))};
	if (!k->key)
		return err_memory(err);
	return store_find(s, ROTATE_REF, 0, ROTATE_MAX, take_key, k, err);
}

void rotate_keys_done(struct rotate_keys *k)
{
	free(k->key);
	*k = (struct rotate_keys){0};
}

bool rotate_keys_has(const struct rotate_keys *k, const uint8_t public[KEY_PUBLIC])
{
	for (size_t i = 0; i < k->count; i++)
		if (memcmp(k->key[i], public, KEY_PUBLIC) == 0)
			return true;
	return false;
}

bool rotate_keys_signed(const struct rotate_keys *k, const uint8_t first[KEY_PUBLIC],
			const struct note_entry *note, const char *origin, size_t *at)
{
	for (size_t i = 0; i <= k->count; i++) {
		size_t key = (*at + i) % (k->count + 1);
		if (note_entry_is_signed(note, origin, key ? k->key[key - 1] : first)) {
			*at = key;
			return true;
		}
	}
	return false;
}

static int check_count(struct store *s, struct err *err)
{
	struct rotate_keys k = {0};
	int r = rotate_keys_load(&k, s, err);

	if (r == 0 && k.count >= ROTATE_MAX)
		r = err_set(err, ERR_LIMIT, "the key of a log can be changed at most %d times",
			    ROTATE_MAX);
	rotate_keys_done(&k);
	return r;
}

int store_rotate(struct store *s, uint64_t *ret_record, struct err *err)
{
	AUTO_KEY struct key next = {0};
	AUTO_JCS struct jcs body = {0};
	AUTO_TX struct store_tx tx = {0};
	const char *ref = ROTATE_REF;
	char vkey[NOTE_VKEY_MAX];

	if (s->read_only)
		return err_set(err, ERR_USAGE, "the store was opened for reading only");
	if (store_vkey(s, vkey, err) < 0 || check_count(s, err) < 0 ||
	    key_load(s->dir, CHAIN_NEXT_KEY, true, &next, err) < 0)
		return -1;
	vkey[strcspn(vkey, "+")] = '\0'; /* the log's name */
	if (write_body(&body, vkey, &s->key, &next, err) < 0)
		return -1;
	store_append(&tx, RECORD_KEY, &ref, 1, &body);
	if (tx.failed.code) {
		*err = tx.failed;
		return -1;
	}
	if (chain_change_key(s, &tx, &next, err) < 0)
		return -1;
	*ret_record = tx.first_seq;
	int r = chain_take_next_key(s->dir, next.public, &s->key, err);
	if (r == 1) /* another process has renamed it */
		s->key = next;
	return r < 0 ? -1 : 0;
}
