/* SPDX-License-Identifier: MIT
 *
 * People approve exact bytes. A request that needs a person is parked in the store with everything
 * it binds; people sign its binding digest; a run asks whether such a signature covers it. Nothing
 * that is stored is believed: signatures, digests and times are checked again at every use, and the
 * log is asked whether it is over, so who can only write the items can stop a run and never start
 * one. Nobody has to run a daemon: what is looked at after its time is expired. Nothing here prints,
 * reads a terminal or runs anything.
 */
#ifndef CORDON_APPROVAL_APPROVAL_H
#define CORDON_APPROVAL_APPROVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/gate.h"
#include "store/keys.h"
#include "store/store.h"

enum {
	APPROVAL_SHA256 = 32,
	APPROVAL_NONCE = 16,
	/* Letters of an id. People see a request and then sign it by its id: who makes the requests must
	 * not find two that share one, and among 2^32 there would be two of 16 letters. */
	APPROVAL_ID = 32,
	APPROVAL_CODE_MAX = 1 << 20,	/* bytes that a person can be asked to read */
	APPROVAL_BYTES_MAX = 1 << 20,	/* of a parked request without its code */
	APPROVAL_TEXT_MAX = 128 << 10,	/* of one text in it */
	APPROVAL_LIST_MAX = 1024,	/* texts or inputs of one list */
	APPROVAL_EVIDENCE_MAX = 64,	/* ties to sources; the rest is counted */
	APPROVAL_FINDINGS_MAX = 64,	/* the same for findings */
	APPROVAL_APPROVERS_MAX = 9,	/* people needed for one request */
	APPROVAL_VOTES_MAX = 16,	/* signatures kept of one request */
	APPROVAL_NAME_MAX = 64,		/* bytes of a person's name */
	APPROVAL_REASON_MAX = 512,	/* and of why they denied */
	APPROVAL_PARENTS_MAX = 64,	/* processes that are looked at for who started whom */
	APPROVAL_OPEN_MAX = 1024,	/* requests that are not over, of all */
	APPROVAL_ACCOUNT_MAX = 256,	/* and of one account: none fills the queue for all */
	APPROVAL_CONVERSATION_MAX = 32, /* and of one conversation of it */
	APPROVAL_TRIES_MAX = 64,	/* when others park something meanwhile */
	APPROVAL_ENDED_MAX = 256,	/* that are over and can still be looked at, the newest */
	APPROVAL_MS_MAX =
		24 * 60 * 60 * 1000,   /* how long people are asked; how long a word holds */
	APPROVAL_CLOCK_MS = 60 * 1000, /* by how much a clock may go back */
};

/* What a run is given is hashed whole: so many files and directories, so many bytes of them. A new
 * virtual environment of Python has 1,700 and 23 MB; what is installed into it comes on top. */
enum {
	APPROVAL_TREE_ENTRIES_MAX = 10000,
	APPROVAL_TREE_BYTES_MAX = 256 << 20,
	APPROVAL_VENV_ENTRIES_MAX = 50000,
	APPROVAL_VENV_BYTES_MAX = 1 << 30,
	APPROVAL_PROGRAMS_BYTES_MAX = 256 << 20, /* of all programs that it may start */
};

/* A list of structs; what they are is said beside each. */
struct approval_list {
	size_t count;
	const void *list;
};

struct approval_text {
	const char *text;
};
/* Something of the host that it is given, by its content: see inputs.c. */
struct approval_input {
	const char *name; /* what it is, and where it really is */
	uint8_t sha256[APPROVAL_SHA256];
	uint64_t entries, bytes; /* below a directory; of files */
};
/* A part of the code that ties to a source, in bytes; TO is behind the last. FROM again: it is all over
 * it, or nobody knows how far it goes. */
struct approval_evidence {
	const char *source, *name; /* its id, and what it calls itself */
	const char *how;
	uint64_t kind; /* enum source_kind */
	uint64_t code_from, code_to, source_from, source_to;
};
struct approval_finding {
	const char *rule, *title, *severity;
};

/* Everything that an approval binds. A new member is a row in request.c. */
struct approval_request {
	/* what would run */
	uint8_t code_sha256[APPROVAL_SHA256];
	uint64_t code_len;
	const char *lang, *name; /* NAME: what the caller calls it */
	const char *suffix; /* of its file in the box: .mjs and .cjs are other languages to Node */
	struct approval_list args, env; /* approval_text */
	uint8_t stdin_sha256[APPROVAL_SHA256];
	struct approval_list inputs; /* approval_input */
	const char *workspace;	     /* "": none */
	uint64_t workspace_mode;     /* enum workspace_mode */
	/* how: all of it is in the box's hash too, and here for people to see */
	const char *venv;		   /* "": none */
	struct approval_list exec, limits; /* approval_text: programs; "memory 512M" */
	struct approval_list net, secret;  /* approval_text: hosts and secrets that it gets */
	uint64_t tier;			   /* enum tier */
	/* what it would get, and why somebody is asked */
	uint64_t caps; /* effects that it wants */
	uint64_t origin, grade;
	struct approval_list reasons, reach, effects; /* approval_text */
	uint64_t effects_more;			      /* that are not listed */
	struct approval_list evidence;		      /* approval_evidence */
	uint64_t evidence_more;			      /* that were found and are not listed */
	struct approval_list findings;		      /* approval_finding */
	uint64_t findings_more;
	uint8_t policy_sha256[APPROVAL_SHA256], box_sha256[APPROVAL_SHA256];
	/* who asks */
	uint64_t uid, pgid; /* UID: or ACCOUNT_UNKNOWN. PGID 0: not known */
	const char *conversation;
	/* what the people's word is good for */
	uint64_t scope, approvers, ttl_ms; /* scope: the widest they may give */
	uint64_t single_user; /* the requester's own account may approve: see approval_decide */
	uint64_t created, expires; /* ms since 1970; EXPIRES: of the question */
	uint8_t nonce[APPROVAL_NONCE];
};

enum approval_state {
	APPROVAL_DENIED, /* the zero value */
	APPROVAL_PENDING,
	APPROVAL_APPROVED,
	APPROVAL_EXPIRED,
	APPROVAL_USED,
	APPROVAL_STATES,
};
const char *approval_state_name(unsigned state);

/* A person's signed word on one request. */
struct approval_vote {
	const char *name;
	uint64_t approves; /* 0: denies */
	uint64_t scope, expires, time, uid;
	uint8_t public[KEY_PUBLIC], signature[KEY_SIGNATURE];
};

/* What has become of it: the only part that changes. */
struct approval_status {
	uint8_t binding[APPROVAL_SHA256];
	uint64_t state;
	struct approval_list votes; /* approval_vote */
	uint64_t ended, ended_by;   /* when and by which uid it was denied, used up... */
	const char *reason;	    /* in words; "" */
	uint64_t uses;
};

struct approval {
	char id[APPROVAL_ID + 1];
	uint8_t binding[APPROVAL_SHA256];
	struct approval_request request;
	struct approval_status status;
	uint64_t version; /* of the status in the store */
	/* approval_find: the people whose words counted, and the narrowest scope among them. The status
	 * may have other words in it. */
	enum scope scope;
	size_t voicec;
	const char *voice[APPROVAL_VOTES_MAX];
	uint64_t voice_key[APPROVAL_VOTES_MAX]; /* versions of their keys: see person_expect */
	struct arena arena;
};
void approval_done(struct approval *a);
#define AUTO_APPROVAL __attribute__((cleanup(approval_done)))

/* request.c: digests. BINDING is what is signed; SUBJECT is the same for every request about the
 * same thing, in one conversation or (for the scope hash) in any. */
enum approval_digest { APPROVAL_BINDING, APPROVAL_SUBJECT, APPROVAL_SUBJECT_ANYWHERE };
int approval_digest(const struct approval_request *r, enum approval_digest which,
		    uint8_t ret[APPROVAL_SHA256], struct err *err);

/* park.c */
/* Can a person be asked about so many bytes? */
int approval_check_code(size_t len, struct err *err);
/* Parks it. 1: the same question waits already, and is *RET_ID. Code's hash and length, times and nonce
 * of R are set here. WAIT_MS: how long people are asked. */
struct approval_code {
	const void *data;
	size_t len;
};
int approval_park(struct store *s, struct approval_request *r, struct approval_code code,
		  uint64_t wait_ms, uint64_t now, char ret_id[APPROVAL_ID + 1], struct err *err);
int approval_load(struct store *s, const char *id, struct approval *ret, struct err *err);
/* RET->data is malloc'd; its hash is the request's. */
int approval_load_code(struct store *s, const struct approval *a, struct approval_code *ret,
		       struct err *err);
typedef int approval_fn(void *context, const char *id, struct err *err);
/* ALL: also those that are over. FN may use the store. */
int approval_each(struct store *s, bool all, approval_fn *fn, void *context, struct err *err);
/* The one that was last approved under the same name in the same conversation. Returns 0 if none can be
 * read. */
int approval_load_last(struct store *s, const struct approval *a, struct approval *ret,
		       struct err *err);

/* status.c */
/* Its state at the time NOW: what is stored, or expired. */
enum approval_state approval_state_at(const struct approval *a, uint64_t now);
/* Writes down that it has expired, if it has. */
int approval_settle(struct store *s, struct approval *a, uint64_t now, struct err *err);

/* people.c: whose signatures count. */
struct approval_person {
	const char *name;
	uint8_t public[KEY_PUBLIC];
	uint64_t has_uid, uid; /* the account on this machine that is theirs */
	uint64_t enrolled_by, time;
	uint64_t version; /* approval_person_find: of its item */
};
bool approval_name_is_good(const char *name);
/* ERR_CONFLICT: the name or its key is there already. */
int approval_person_add(struct store *s, const struct approval_person *p, struct err *err);
int approval_person_remove(struct store *s, const char *name, uint64_t by, struct err *err);
/* RET's strings are A's. 1, or 0: there is none. */
int approval_person_find(struct store *s, const char *name, struct arena *a,
			 struct approval_person *ret, struct err *err);
typedef int approval_person_fn(void *context, const struct approval_person *p, struct err *err);
int approval_person_each(struct store *s, approval_person_fn *fn, void *context, struct err *err);
/* A person is known by their key. */
int approval_person_of_key(struct store *s, const uint8_t public[KEY_PUBLIC],
			   char ret_name[APPROVAL_NAME_MAX + 1], struct err *err);

/* actor.c: who is at the door. */
struct approval_actor {
	uint64_t uid; /* or ACCOUNT_UNKNOWN, see base/account.h */
	bool has_terminal;
	bool in_box;	    /* no_new_privs is on it */
	bool key_protected; /* by a passphrase */
	bool relayed;	    /* hands in what somebody else has signed */
	size_t groupc;
	uint64_t group[APPROVAL_PARENTS_MAX]; /* process groups of itself and of who started it */
	bool has_more_parents;		      /* than there is room for */
};
/* Of this process. What cannot be found out counts against it. */
void approval_actor_here(struct approval_actor *ret);

/* vote.c */
/* VOTE's name, approves, scope, time and uid are the caller's; the rest is set here. */
int approval_sign(const struct approval *a, const struct key *key, struct approval_vote *vote,
		  struct err *err);
/* Is that the account that asked, as far as anybody can tell? Who asked in a user namespace may be
 * anybody but root. */
bool approval_is_requester(const struct approval_request *r, uint64_t uid);
/* Does this signature count for this request? No: *WHY says why. */
bool approval_vote_counts(const struct approval *a, const struct approval_vote *v,
			  const struct approval_person *p, uint64_t now, struct err *why);

/* decide.c */
/* May this one sign for A at all? The requester's own account may only where the request says
 * single_user, at a terminal, with a key that has a passphrase, not started by the requester. */
int approval_may_sign(const struct approval *a, const struct approval_actor *actor,
		      struct err *err);
/* Adds the vote; A has the new state afterwards. ERR_CONFLICT: somebody was faster. */
int approval_decide(struct store *s, struct approval *a, const struct approval_vote *vote,
		    const struct approval_actor *actor, uint64_t now, struct err *err);
/* No key is needed to say no, and what was approved and not used can still be denied. */
int approval_deny(struct store *s, struct approval *a, const struct approval_actor *actor,
		  const char *reason, uint64_t now, struct err *err);

/* use.c */
/* Is there an approval that covers WANT now? 1: it is *RET; 0: there is none. */
int approval_find(struct store *s, const struct approval_request *want, uint64_t now,
		  struct approval *ret, struct err *err);
/* Adds its use to the caller's transaction, which fails with ERR_CONFLICT when somebody else has
 * used or changed it meanwhile, or removed a key that it counts on. RUN: the record's name for what
 * uses it ("run:..."). */
void approval_take(struct store_tx *tx, const struct approval *a, const char *run, uint64_t now);

/* word.c: a person's word on something that is no request to run. Who may say it is who may approve. */
struct approval_matter {
	const char *what;		  /* for people; APPROVAL_ID letters at most */
	uint8_t binding[APPROVAL_SHA256]; /* of all that it is about, behind a prefix of its own */
	uint64_t uid;			  /* whose doing it was; or ACCOUNT_UNKNOWN */
	bool single_user;		  /* the same account may say it: see approval_may_sign */
	uint64_t now;			  /* ms since 1970; when it is said */
};
struct approval_word {
	char name[APPROVAL_NAME_MAX + 1];
	struct approval_vote vote; /* its name is NAME */
};
/* Signs it. TX, in which it takes effect, fails when the key is not enrolled any more by then. */
int approval_say(struct store *s, const struct approval_matter *m, const struct key *key,
		 const struct approval_actor *actor, struct store_tx *tx, struct approval_word *ret,
		 struct err *err);
/* events.c: as the member "vote" of a record's body. */
void approval_put_vote(struct jcs *j, const struct approval_vote *v);

/* keyfile.c: a person's key. PASSPHRASE NULL: the file is not protected. */
enum { APPROVAL_PASS_MAX = 1024 };
int approval_key_new(const char *path, const char *passphrase, struct key *ret, struct err *err);
/* 1: a passphrase is needed and none was given. */
int approval_key_load(const char *path, const char *passphrase, struct key *ret,
		      bool *ret_protected, struct err *err);

#endif
