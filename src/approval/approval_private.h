/* SPDX-License-Identifier: MIT
 *
 * What the files of this module share: requests and statuses as bytes, the items of the store, changes with
 * their records, and the counting of answers. It must never be included elsewhere, except by tests.
 */
#ifndef CORDON_APPROVAL_APPROVAL_PRIVATE_H
#define CORDON_APPROVAL_APPROVAL_PRIVATE_H

#include "approval/approval.h"
#include "approval/fields.h"

/* The tables of approval_request.c, status.c and people.c. */
extern const struct field request_fields[], status_fields[], vote_fields[], person_fields[];

/* approval_request.c */
int request_encode(const struct approval_request *r, struct buf *out, struct err *err);
int request_decode(const uint8_t *data, size_t len, struct arena *a, struct approval_request *ret,
		   struct err *err);
/* Computes binding and id from the request. */
int approval_set_binding(struct approval *a, struct err *err);

/* status.c */
int status_encode(const struct approval_status *s, struct buf *out, struct err *err);
int status_decode(const uint8_t *data, size_t len, struct arena *a, struct approval_status *ret,
		  struct err *err);
bool state_may_follow(enum approval_state from, enum approval_state to);
/* No state can follow. */
bool state_is_over(uint64_t state);

/* items.c */
enum { ITEM_KEY_MAX = 120 };
#define ITEM_OVER "over/"
/* "WHAT/ID", or "WHAT/DIGEST/ID" with a DIGEST. Returns RET. */
const char *item_key(char ret[ITEM_KEY_MAX], const char *what, const uint8_t *digest,
		     const char *id);
/* "approver/DIGEST": the item of an enrolled key. */
const char *item_person(char ret[ITEM_KEY_MAX], const char *key);
/* The ids at the end of items' keys. */
struct ids {
	size_t count, most;
	char (*id)[APPROVAL_ID + 1];
};
/* Of items whose keys begin with PREFIX and sort after AFTER (""), at most MOST. */
int ids_read(struct store *s, const char *prefix, const char *after, size_t most, struct ids *ret,
	     struct err *err);
void ids_done(struct ids *ids);
#define AUTO_IDS __attribute__((cleanup(ids_done)))
/* Of the open requests with this subject. */
int ids_alike(struct store *s, const uint8_t subject[APPROVAL_SHA256], struct ids *ret,
	      struct err *err);
/* Adds the items by which an open request is found, or deletes them when it is over. */
void index_add(struct store_tx *tx, const struct approval *a, bool over);
/* Adds the item that orders requests by the time at which they ended. */
void ended_add(struct store_tx *tx, const struct approval *a, uint64_t ended);
/* Notes in TX that A was approved last under its name in its conversation; or removes that note. */
void last_add(struct store_tx *tx, const struct approval *a);
int last_remove(struct store *s, struct store_tx *tx, const struct approval *a, struct err *err);
/* TX fails if the person's key has been changed or removed since it was counted. */
void person_expect(struct store_tx *tx, const struct approval_voice *v);

/* change.c: a new status and its record. */
enum event { EVENT_PARKED, EVENT_SIGNED, EVENT_APPROVED, EVENT_DENIED, EVENT_EXPIRED, EVENT_USED };
struct change {
	enum event event;
	const struct approval *approval;
	const struct approval_status *next; /* replaces the approval's status */
	const struct approval_vote *vote;   /* or NULL */
	const char *run;		    /* or NULL */
	uint64_t uid;
};
void change_add(struct store_tx *tx, const struct change *c);
/* Writes a number, or no member if UID is not known. */
void put_account(struct jcs *j, const char *name, uint64_t uid);
/* Does the log have the record? 1, 0 or -1. */
int log_says_over(struct store *s, const struct approval *a, struct err *err);
int log_says_confirmed(struct store *s, const struct approval *a, const struct approval_vote *v,
		       struct err *err);

/* vote.c: as approval_vote_counts, for a confirmation. */
int confirmation_counts(struct store *s, const struct approval *a, const struct approval_vote *v,
			uint64_t now, struct err *why, struct err *err);

/* people.c: counting answers. */
struct tally {
	struct store *store;
	uint64_t now;	/* answers are judged as of this time; 0: each as of its own time */
	unsigned depth; /* of the chain of enrolments: enrolled people can enrol others */
};
/* 1: the answer counts, and *RET says whose it is, with texts of A; 0: *WHY says why not; -1: failure. */
int tally_vote(const struct tally *t, struct approval *a, const struct approval_vote *v,
	       struct approval_voice *ret, struct err *why, struct err *err);
/* 1: enough people agree, and A has their names and scope; 0: *WHY says why not; -1: failure. */
int tally(const struct tally *t, struct approval *a, struct err *why, struct err *err);
/* Are both the same person? They are if the name or the key is the same. */
bool tally_is_same(const struct approval_voice *a, const struct approval_voice *b);

#endif
