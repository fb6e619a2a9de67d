/* SPDX-License-Identifier: MIT
 *
 * Approvals by people. A run that needs a person is parked in the store as a request. People answer it with
 * an SSH signature of its binding digest, or with a confirmation at the terminal. A later run asks whether
 * such answers cover it. Stored items are not trusted: signatures, digests and times are checked at
 * each use, and the log is asked which confirmations were made and which requests are over. So a
 * program that can write only the items can stop a run but never start one. There is no daemon: a
 * request expires when it is next read. This module must never print, read a terminal, or run a
 * program other than ssh-keygen.
 */
#ifndef CORDON_APPROVAL_APPROVAL_H
#define CORDON_APPROVAL_APPROVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/gate_terms.h"
#include "store/buf.h"
#include "store/jcs.h"
#include "store/store.h"
#include "trust/signers.h"
#include "trust/ssh_keygen.h"

enum {
	APPROVAL_SHA256 = 32,
	APPROVAL_NONCE = 16,
	/* Hex digits of an id. People choose the request that they sign by its id, so the requester
	 * must not be able to make two requests with one id: with 16 digits, 2^32 attempts would find
	 * a pair. */
	APPROVAL_ID = 32,
	APPROVAL_CODE_MAX = 1 << 20,	 /* bytes of code that a person can read */
	APPROVAL_BYTES_MAX = 1 << 20,	 /* of a request without its code */
	APPROVAL_TEXT_MAX = 128 << 10,	 /* of one text in a request */
	APPROVAL_TITLE_MAX = 200,	 /* of the title that the host gives */
	APPROVAL_PURPOSE_MAX = 500,	 /* of the purpose that the agent gives */
	APPROVAL_STDIN_MAX = 256 << 10,	 /* of standard input, which may be code too */
	APPROVAL_FILES_MAX = 1 << 20,	 /* of the list of a directory's files */
	APPROVAL_ATTACHED_MAX = 2 << 20, /* of all attachments of a request */
	APPROVAL_ATTACHMENTS_MAX = 1024,
	APPROVAL_LIST_MAX = 1024,   /* texts or inputs of one list */
	APPROVAL_EVIDENCE_MAX = 64, /* ties to sources; more are only counted */
	APPROVAL_FINDINGS_MAX = 64, /* more are only counted */
	APPROVAL_APPROVERS_MAX = 9, /* people that one request can need */
	APPROVAL_VOTES_MAX = 16,    /* answers of one request */
	APPROVAL_REASON_MAX = 512,  /* of the reason for a denial */
	APPROVAL_PARENTS_MAX = 64,  /* parent processes that are examined */
	APPROVAL_OPEN_MAX = 256,    /* open requests in all */
	/* Open requests of one conversation; and of all runs without a conversation together. */
	APPROVAL_CONVERSATION_MAX = 32,
	APPROVAL_TRIES_MAX = 64,  /* attempts while other processes park requests */
	APPROVAL_ENDED_MAX = 256, /* requests that are over and kept, the newest */
				  /* How long a request can wait; how long an answer can hold. */
	APPROVAL_MS_MAX = 24 * 60 * 60 * 1000,
	APPROVAL_CLOCK_MS = 60 * 1000, /* by how much the clock may go back */
};

/* Inputs of a run are hashed whole, up to these numbers of entries and bytes. A new virtual environment of
 * Python has 1,700 entries and 23 MB before packages are installed. */
enum {
	APPROVAL_TREE_ENTRIES_MAX = 10000,
	APPROVAL_TREE_BYTES_MAX = 256 << 20,
	APPROVAL_VENV_ENTRIES_MAX = 50000,
	APPROVAL_VENV_BYTES_MAX = 1 << 30,
	APPROVAL_PROGRAMS_BYTES_MAX = 256 << 20, /* of all programs that the run may start */
};

/* A list of structs; the comment beside each member names their type. */
struct approval_list {
	size_t count;
	const void *list;
};

struct approval_text {
	const char *text;
};
/* A directory or file of the host that the run gets, by its content: see run_request.c. */
struct approval_input {
	const char *name; /* its kind and its real path */
	uint8_t sha256[APPROVAL_SHA256];
	uint64_t entries, bytes; /* entries below a directory; bytes of its files */
};
/* A part of the code that ties to a source. Offsets are in bytes, and TO is exclusive. TO equal to
 * FROM: the whole text, or an unknown length. */
struct approval_evidence {
	const char *source, *name; /* its id, and its name */
	const char *how;
	uint64_t kind; /* enum source_kind */
	uint64_t code_from, code_to, source_from, source_to;
};
struct approval_finding {
	const char *rule, *title, *severity;
};
/* One path of a directory before and after, as in overlay/overlay.h. Type 0: the path does not exist. */
struct approval_change {
	const char *path;
	uint64_t change; /* enum overlay_change */
	uint64_t before_type, before_mode, before_size, after_type, after_mode, after_size;
	uint8_t before_sha256[APPROVAL_SHA256], after_sha256[APPROVAL_SHA256];
	const char *note;	 /* why the path runs or is obeyed outside the box; or "" */
	uint64_t shown;		 /* enum approval_shown */
	uint64_t added, removed; /* lines, if the text is attached */
};
enum approval_shown {
	APPROVAL_NOT_TEXT,  /* only size and hash are shown */
	APPROVAL_TEXT,	    /* both sides are attached */
	APPROVAL_TOO_LARGE, /* probably text, but too large to attach */
	APPROVAL_SHOWNS,
};
/* Bytes that follow the code, in the order of the rows. */
struct approval_attachment {
	const char *name; /* "stdin", "files", "before PATH"... */
	uint8_t sha256[APPROVAL_SHA256];
	uint64_t len;
};

/* Everything that an approval binds. A new member needs a row in approval_request.c. */
struct approval_request {
	/* the program */
	uint8_t code_sha256[APPROVAL_SHA256];
	uint64_t code_len;
	const char *lang, *name; /* NAME: the caller's name for the code */
	const char *title;	 /* the host's title; or "" */
	const char *purpose;	 /* the purpose that the agent gives; or "" */
	const char *
		suffix; /* of its file in the box: Node reads .mjs and .cjs as different languages */
	struct approval_list args, env; /* approval_text */
	uint8_t stdin_sha256[APPROVAL_SHA256];
	struct approval_list inputs;	  /* approval_input */
	struct approval_list changes;	  /* approval_change: to be written */
	struct approval_list attachments; /* approval_attachment: for people to read */
	const char *workspace;		  /* or "" */
	uint64_t workspace_mode;	  /* enum workspace_mode */
	/* the box: box_sha256 covers this too; here it is for people to read */
	const char *venv;		   /* or "" */
	struct approval_list exec, limits; /* approval_text: programs; "memory 512M" */
	struct approval_list net, secret;  /* approval_text: hosts and secrets */
	uint64_t tier;			   /* enum tier */
					   /* the effects, and the reasons for asking */
	uint64_t caps;			   /* requested effects: bits of enum cap */
	uint64_t origin, grade;
	struct approval_list reasons, reach, effects; /* approval_text */
	uint64_t effects_more;			      /* not listed */
	struct approval_list evidence;		      /* approval_evidence */
	uint64_t evidence_more;			      /* not listed */
	struct approval_list findings;		      /* approval_finding */
	uint64_t findings_more;
	uint8_t policy_sha256[APPROVAL_SHA256], box_sha256[APPROVAL_SHA256];
	/* the requester */
	uint64_t uid, pgid; /* UID may be ACCOUNT_UNKNOWN; PGID 0: not known */
	const char *conversation;
	uint64_t nameless; /* the caller named no conversation; this one is the run's own */
			   /* what people may approve */
	uint64_t scope, approvers, ttl_ms; /* SCOPE: the widest allowed */
	uint64_t confirmation;		   /* the requester may confirm: see approval_may_confirm */
	uint64_t created, expires;	   /* ms since 1970; EXPIRES: when the request expires */
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

/* An answer to one request: signed by the person NAME, or confirmed without a signature by the account that
 * asked ("uid:1000"). */
struct approval_vote {
	const char *name;
	uint64_t approves; /* 0: denies */
	uint64_t scope, expires, time;
	const char *signature; /* base64, see trust/ssh_keygen.h; "" for a confirmation */
};
bool approval_is_confirmation(const struct approval_vote *v);

/* The prefix of the reason that names what exposed the conversation. */
#define EXPOSED_BY "exposed by: "

/* The only part of an approval that changes. */
struct approval_status {
	uint8_t binding[APPROVAL_SHA256];
	uint64_t state;
	struct approval_list votes; /* approval_vote */
	uint64_t ended, ended_by;   /* when and by which uid it was denied or used */
	const char *reason;	    /* or "" */
	uint64_t uses;
};

struct approval {
	char id[APPROVAL_ID + 1];
	uint8_t binding[APPROVAL_SHA256];
	struct approval_request request;
	struct approval_status status;
	uint64_t version; /* of the status item */
	/* Set by approval_find: the people whose answers counted, and their narrowest scope. The status may
	 * have answers that do not count. */
	enum scope scope;
	size_t voicec;
	struct approval_voice {
		const char *name, *key;
		uint64_t version; /* of the person's item, or 0: see person_expect */
	} voice[APPROVAL_VOTES_MAX];
	struct arena arena;
};
void approval_done(struct approval *a);
#define AUTO_APPROVAL __attribute__((cleanup(approval_done)))

/* approval_request.c */
/* All texts empty, with the account and process group of this process. */
void approval_init(struct approval_request *r);
bool approval_id_is_good(const char *id);
/* BINDING is signed. SUBJECT is equal for requests about the same program or changes: within one
 * conversation, or in any. */
enum approval_digest { APPROVAL_BINDING, APPROVAL_SUBJECT, APPROVAL_SUBJECT_ANYWHERE };
int approval_digest(const struct approval_request *r, enum approval_digest which,
		    uint8_t ret[APPROVAL_SHA256], struct err *err);

/* Does the request ask about changes of a directory, and not about a run? */
bool approval_is_changes(const struct approval_request *r);
/* Is the scope defined for this kind of request? Does it hold for more than one use? */
bool approval_scope_is_for(const struct approval_request *r, enum scope scope);
bool approval_scope_lasts(const struct approval_request *r, enum scope scope);
/* Can a grant include the path of this change? Not if the path is a directory: the grant would hold for
 * everything below it, which the person has not seen. */
bool approval_change_gives(const struct approval_change *c);

/* attachments.c */
/* The code and the attachments that follow it. */
struct approval_code {
	const void *data;
	size_t len;
};
/* Is CODE exactly the code and the attachments that R binds? */
bool approval_code_fits(const struct approval_request *r, const struct approval_code *code);
/* The code without attachments; and the attachment NAME, false if there is none. */
struct approval_code approval_code_alone(const struct approval_request *r,
					 const struct approval_code *code);
bool approval_attachment_find(const struct approval_request *r, const struct approval_code *code,
			      const char *name, struct approval_code *ret);
/* Collects code and attachments; the code comes first. */
struct approval_attachments {
	struct buf bytes;
	size_t count;
	struct approval_attachment row[APPROVAL_ATTACHMENTS_MAX];
};
/* Must be the first call. */
void approval_attach_code(struct approval_attachments *k, const void *data, size_t len);
/* False: there is no room, and nothing was attached. NAME must live as long as the request. */
bool approval_attach(struct approval_attachments *k, const char *name, const void *data,
		     size_t len);

/* park.c */
/* Fails if code of LEN bytes is too long for a person. */
int approval_check_code(size_t len, struct err *err);
/* Parks the request. 1: an equal request waits already, and *RET_ID is its id. Sets code hash, code length,
 * times and nonce of R; attachments follow the code. The request expires after WAIT_MS. */
int approval_park(struct store *s, struct approval_request *r, struct approval_code code,
		  uint64_t wait_ms, uint64_t now, char ret_id[APPROVAL_ID + 1], struct err *err);
/* items.c */
int approval_load(struct store *s, const char *id, struct approval *ret, struct err *err);
/* Loads code and attachments, and checks their hashes. RET->data is malloc'd. */
int approval_load_code(struct store *s, const struct approval *a, struct approval_code *ret,
		       struct err *err);
typedef int approval_fn(void *context, const char *id, struct err *err);
/* Calls FN for each open request, or for each request with ALL. FN may use the store. */
int approval_each(struct store *s, bool all, approval_fn *fn, void *context, struct err *err);
/* The request that was last approved under the name of A in its conversation. 1, or 0: there is none that
 * can be read. */
int approval_load_last(struct store *s, const struct approval *a, struct approval *ret,
		       struct err *err);

/* status.c */
/* The stored state, or EXPIRED if that is due at NOW. */
enum approval_state approval_state_at(const struct approval *a, uint64_t now);

/* people.c: the people whose signatures count. */
enum { APPROVAL_BY_MAX = 4 }; /* enrolling people that are named */
struct approval_person {
	const char *name, *key; /* KEY: see trust/ssh_key.h */
	const char *options;	/* of the line in SIGNERS_FILE; or "" */
	size_t line;		/* in SIGNERS_FILE; 0: other people enrolled this one */
	size_t byc;		/* those people */
	const char *by[APPROVAL_BY_MAX];
	uint64_t time, version; /* time of the enrolment, version of its item */
};
/* Finds the person with this key, in root's file or among enrolments, whose answers are verified again.
 * 1, or 0: no person has it. RET's texts belong to A. */
int approval_person_find(struct store *s, const char *key, struct arena *a,
			 struct approval_person *ret, struct err *err);
/* COUNTS is false if an enrolment is not valid any more; WHY has the reason. */
typedef int approval_person_fn(void *context, const struct approval_person *p, bool counts,
			       const struct err *why, struct err *err);
int approval_person_each(struct store *s, approval_person_fn *fn, void *context, struct err *err);
/* May any person be enrolled? This decides only whether asking makes sense: nothing is verified. */
bool approval_has_people(struct store *s);
/* AGREED is the approved request to enrol NAME with KEY (act.h). ERR_CONFLICT: the key is enrolled. */
int approval_person_add(struct store *s, const struct approval *agreed, const char *name,
			const char *key, uint64_t now, struct err *err);
/* Removes every enrolled key of NAME and returns their number, or -1. No person need agree to that. */
int approval_person_remove(struct store *s, const char *name, uint64_t by, struct err *err);

/* answerer.c: the process that answers. */
struct approval_actor {
	uint64_t uid; /* or ACCOUNT_UNKNOWN, see base/account.h */
	bool has_terminal;
	bool in_box; /* no_new_privs is on it */
	size_t groupc;
	uint64_t group[APPROVAL_PARENTS_MAX]; /* process groups of the process and its parents */
	bool has_more_parents;		      /* than fit in GROUP */
};
/* Describes this process. An answer that the kernel does not give counts against it. */
void approval_actor_here(struct approval_actor *ret);

/* vote.c */
/* Checks the scope and the end of VOTE against the request. End 0 becomes the latest allowed. */
int approval_bound(const struct approval *a, struct approval_vote *vote, struct err *err);
/* Signs VOTE, whose other members are set, with the key in KEY_FILE. The signature belongs to A. */
int approval_sign(struct approval *a, const char *key_file, struct approval_vote *vote,
		  struct err *err);
/* Does this signed answer count if P has the key? 1; 0: *WHY says why not; -1: verifying failed. */
int approval_vote_counts(const struct approval *a, const struct approval_vote *v,
			 const struct approval_person *p, uint64_t now, struct err *why,
			 struct err *err);

/* May ACTOR confirm A without a key? Only the account that asked may, at a terminal and if the policy
 * allows it; never in a box, in a user namespace, or in a process that the requester started. */
int approval_may_confirm(const struct approval *a, const struct approval_actor *actor,
			 struct err *err);
/* accept_answer.c */
/* -1: A was denied, has expired (which is recorded) or, unless OR_APPROVED, was approved. */
int approval_must_be_open(struct store *s, struct approval *a, bool or_approved, uint64_t now,
			  struct err *err);
/* Adds the answer and updates A. Any account may hand in a signed answer. ERR_CONFLICT: another process has
 * changed the request. */
int approval_decide(struct store *s, struct approval *a, const struct approval_vote *vote,
		    const struct approval_actor *actor, uint64_t now, struct err *err);
/* Denies without a key. An approved request can be denied until it is used. */
int approval_deny(struct store *s, struct approval *a, const struct approval_actor *actor,
		  const char *reason, uint64_t now, struct err *err);

/* cover.c */
/* Is there an approval that covers WANT now? 1: *RET has it; 0: there is none. */
int approval_find(struct store *s, const struct approval_request *want, uint64_t now,
		  struct approval *ret, struct err *err);
/* change.c */
/* Stores that the approval has expired, if it has. */
int approval_settle(struct store *s, struct approval *a, uint64_t now, struct err *err);
/* Adds a use of A to TX. TX fails with ERR_CONFLICT if another process has used or changed A, or removed a
 * key that it counts on. RUN is the record name of the run ("run:..."), or NULL. */
void approval_take(struct store_tx *tx, const struct approval *a, const char *run, uint64_t now);
/* Records that the notification about A could not be delivered. */
int approval_note_undelivered(struct store *s, const struct approval *a, const char *why,
			      struct err *err);
/* Writes V as a member of a record's body, or as an element of a list if NAME is NULL. */
void approval_put_vote(struct jcs *j, const char *name, const struct approval_vote *v);

#endif
