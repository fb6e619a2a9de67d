/* SPDX-License-Identifier: MIT
 *
 * A struct as bytes, by a table of its members: one way to write it, so that a hash of the bytes is
 * a hash of what they say. Each member in the table's order, numbers as eight bytes, texts and
 * lists behind their length. Any byte that would not have been written so is an error.
 */
#ifndef CORDON_APPROVAL_FIELDS_H
#define CORDON_APPROVAL_FIELDS_H

#include "approval/approval.h"
#include "store/buf.h"

enum field_type { FIELD_NUMBER, FIELD_BYTES, FIELD_TEXT, FIELD_LIST };

struct field {
	const char *name; /* NULL ends the table */
	enum field_type type;
	size_t offset;
	uint64_t most;		 /* number: the largest; bytes: how many; text, list: the longest */
	unsigned in;		 /* of which digests it is a part: bits, see approval_digest */
	const struct field *row; /* of a list's structs */
	size_t row_size;
};

enum { FIELD_ALWAYS = ~0U };

/* Those that are part of IN. What is too large or missing fails OUT. */
void fields_encode(const struct field *f, const void *of, unsigned in, struct buf *out);
/* All of them; DATA must end with the last. RET's strings and lists are A's. */
int fields_decode(const struct field *f, const uint8_t *data, size_t len, struct arena *a,
		  void *ret, struct err *err);

/* The tables: request.c, status.c, people.c. */
extern const struct field request_fields[], status_fields[], vote_fields[], person_fields[];
int request_encode(const struct approval_request *r, struct buf *out, struct err *err);
int request_decode(const uint8_t *data, size_t len, struct arena *a, struct approval_request *ret,
		   struct err *err);
int status_encode(const struct approval_status *s, struct buf *out, struct err *err);
int status_decode(const uint8_t *data, size_t len, struct arena *a, struct approval_status *ret,
		  struct err *err);

/* Names of items. */
enum { ITEM_KEY_MAX = 120 };
/* "WHAT/ID", or "WHAT/DIGEST/ID" with a DIGEST. Returns RET. */
const char *item_key(char ret[ITEM_KEY_MAX], const char *what, const uint8_t *digest,
		     const char *id);
bool approval_id_is_good(const char *id);
/* Binding and id from the request. */
int approval_set_binding(struct approval *a, struct err *err);

/* ids.c: ids at the end of items' names. */
struct ids {
	size_t count, most;
	char (*id)[APPROVAL_ID + 1];
};
/* Of the items that begin with PREFIX and come after AFTER (""), at most MOST. */
int ids_read(struct store *s, const char *prefix, const char *after, size_t most, struct ids *ret,
	     struct err *err);
void ids_done(struct ids *ids);
#define AUTO_IDS __attribute__((cleanup(ids_done)))
/* "asks/UID/ID", or with "" what the names of all that UID asks begin with. Returns RET. */
const char *account_key(char ret[ITEM_KEY_MAX], uint64_t uid, const char *id);
/* Of the requests about the same thing that are not over. */
int ids_alike(struct store *s, const uint8_t subject[APPROVAL_SHA256], struct ids *ret,
	      struct err *err);
/* The items by which one that is not over is found: put when it is new, deleted when it is over. */
void index_add(struct store_tx *tx, const struct approval *a, bool over);
/* queue.c: as it was when somebody looked, before anything that was looked at. */
struct queue {
	uint64_t version;
	char id[APPROVAL_ID + 1];
};
/* 1: the same question waits, and is ID. 0: there is room for one more. */
int queue_look(struct store *s, const struct approval_request *r, uint64_t now, struct queue *ret,
	       struct err *err);
/* TX adds one; it fails with ERR_CONFLICT when somebody else has done so since. */
void queue_add(struct store_tx *tx, const struct queue *q);
/* prune.c: requests that are over. */
void ended_add(struct store_tx *tx, const struct approval *a, uint64_t ended);
/* Adds to TX that those which nobody needs any more go. */
int ended_prune(struct store *s, struct store_tx *tx, struct err *err);
/* Does the log say that it is over? 1, 0 or -1. */
int log_says_over(struct store *s, const struct approval *a, struct err *err);

/* events.c: the records. */
enum event { EVENT_PARKED, EVENT_SIGNED, EVENT_APPROVED, EVENT_DENIED, EVENT_EXPIRED, EVENT_USED };
/* NEXT goes in the place of A's status, with the record of it. VOTE and RUN may be NULL. */
struct change {
	enum event event;
	const struct approval *approval;
	const struct approval_status *next;
	const struct approval_vote *vote;
	const char *run;
	uint64_t uid;
};
/* A number, or no member at all where it is not known. */
void put_account(struct jcs *j, const char *name, uint64_t uid);
void change_add(struct store_tx *tx, const struct change *c);

#endif
