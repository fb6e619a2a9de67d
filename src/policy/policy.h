/* SPDX-License-Identifier: MIT
 *
 * The policy and its two questions: may this code run, and may it have this effect? Both are pure: they look
 * at nothing but their arguments, so the whole table is tested cell by cell. A policy is a built-in profile
 * (table.c) and what one YAML file changes in it.
 */
#ifndef CORDON_POLICY_POLICY_H
#define CORDON_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/egress.h"
#include "model/limit.h"
#include "model/request.h"
#include "policy/net.h"

#define POLICY_BYTES_MAX (256UL << 10) /* of the file */
#define POLICY_RULES_MAX 1000	       /* rules whose grade it changes */
#define POLICY_GRANTS_MAX 64
#define POLICY_LIST_MAX 32 /* paths, hosts or secrets of a grant */
#define POLICY_ID_MAX 64   /* bytes */
#define POLICY_TEXT_MAX 1024
#define POLICY_APPROVERS_MAX 9
#define POLICY_TTL_MIN_MS 1000ULL
#define POLICY_TTL_MAX_MS (24ULL * 60 * 60 * 1000)
#define POLICY_SHA256 32

/* Strictest first. */
enum policy_profile { POLICY_STRICT, POLICY_BALANCED, POLICY_OBSERVE, POLICY_PROFILES };
const char *policy_profile_name(unsigned profile); /* NULL past the end */
const char *policy_profile_help(unsigned profile);

/* What the table says of an effect that no ticket covers. Strictest first. */
enum policy_cell {
	CELL_DENY,   /* it is withheld */
	CELL_ASK,    /* a person is asked */
	CELL_LISTED, /* given where the policy lists it; else a person is asked */
	CELL_ALLOW,
	CELL_COUNT,
};
const char *policy_cell_name(unsigned cell);

enum policy_state { STATE_EXPOSED, STATE_CLEAN, STATE_COUNT };

/* What a policy changes in its profile, or all that is in force: one row for each state. */
struct policy_row {
	enum policy_cell cell[CAP_COUNT];
};

struct policy_approval {
	uint64_t ttl_ms;    /* how long an approval holds; 0: not named */
	uint64_t wait_ms;   /* how long people are asked; 0: not named */
	unsigned approvers; /* 0: not named */
};

/* A credential that a run uses and never sees: see docs/EGRESS.md. One of the last three is named. */
#define POLICY_SECRETS_MAX 16
struct policy_secret {
	const char *name; /* of the variable that holds what stands for it */
	const char *host; /* a name, in lower case */
	uint16_t port;
	const char *header;	      /* in which it goes there */
	const char *methods, *prefix; /* of the requests in which it does; "" and "/": all */
	const char *env, *path, *command;
};

/* What a grant says of a secret, in one text: NAME=METHOD[,METHOD...]:HOST:PORT/PATH. */
struct policy_use {
	char name[POLICY_ID_MAX];
	char host[POLICY_NET_TEXT_MAX]; /* HOST:PORT */
	struct egress_use in;
};
int policy_use_parse(const char *text, struct policy_use *ret, struct err *err);
/* The one way to write it. */
const char *policy_use_format(const struct policy_use *u, struct arena *arena);
/* Is TEXT such a text, and is it for this secret at this host? */
bool policy_use_is_of(const char *text, const struct policy_secret *s, struct policy_use *ret);

/* A grant as a line of the policy: for a directory. */
struct policy_list {
	size_t count;
	const char *text[POLICY_LIST_MAX];
};
struct policy_grant {
	const char *directory;
	struct policy_list write, net, secret;
};

/* Raises or lowers one rule. */
struct policy_grade {
	const char *rule;
	enum grade grade;
};

struct policy {
	const char *file; /* NULL: built in */
	enum policy_profile profile;
	struct policy_row row[STATE_COUNT];
	enum policy_waits {
		WAITS_DERIVED, /* all derived code */
		WAITS_FINDING, /* derived code with a finding */
		WAITS_NEVER,
	} waits;
	bool single_user; /* the account that asks may also approve, at a terminal */
	struct policy_netlist allow, deny;
	struct policy_netlist trusted; /* hosts whose answers expose nothing */
	bool sni;		       /* TLS to a name must ask for that name */
	size_t secretc, gradec, grantc;
	struct policy_secret *secret;
	struct policy_grade *grade;
	struct policy_grant *grant;
	enum tier tier;		     /* the weakest box of exposed code */
	uint64_t limit[LIMIT_COUNT]; /* the most that exposed code gets; 0: the request's own */
	struct policy_approval approval;
	uint8_t sha256[POLICY_SHA256]; /* of its canonical form: all that can change a decision */
	struct arena arena;
};

/* The built-in profile alone. policy_done is always due, also after a failure. */
int policy_init(struct policy *p, enum policy_profile profile, struct err *err);
/* One YAML document. An error's message begins with FILE:LINE. */
int policy_parse(struct policy *p, const char *file, const char *data, size_t len, struct err *err);
int policy_load(struct policy *p, const char *file, struct err *err);
/* FILE, or the built-in profile balanced (NULL). */
int policy_open(struct policy *p, const char *file, struct err *err);
void policy_done(struct policy *p);
/* All that can change a decision, in words that do not depend on how it was written. Malloc'd. */
char *policy_canonical(const struct policy *p, size_t *ret_len);

/* What a grant may write, in its one form: a path below the directory, or "." for all of it. NULL: TEXT is
 * no such path. */
const char *policy_path(const char *text, struct arena *arena, struct err *err);

/* May it run? */
struct policy_run {
	bool exposed;	  /* the conversation is, or what the run is given */
	bool derived;	  /* parts of it stand in an untrusted document */
	bool bounded;	  /* a grant already bounds its effects */
	bool review;	  /* a rule of the deny grade wants a person to look, and no more */
	enum grade grade; /* of the worst finding */
};
enum verdict policy_decide_run(const struct policy *p, const struct policy_run *run);
/* In words; static. */
const char *policy_run_reason(const struct policy *p, const struct policy_run *run);

/* May it have this effect? */
struct policy_effect {
	enum cap cap;
	bool exposed;
	bool listed;  /* the policy lists this host or secret */
	bool covered; /* a ticket covers it */
	bool can_ask; /* there is a person to ask */
};
enum outcome policy_decide_effect(const struct policy *p, const struct policy_effect *effect);
/* For an effect that the table gave: "policy"; "observe" if the profile balanced would not give it. */
const char *policy_giver(const struct policy *p, const struct policy_effect *effect);

/* The grade of a finding of this rule, which is GRADE by its lane. */
enum grade policy_grade_of(const struct policy *p, const char *rule, enum grade grade);

/* Which effects a request wants by its words alone. */
unsigned policy_caps_of(const struct request *r);
/* Takes from the request of exposed code what its box must not have. -1: its tier is too weak. */
int policy_confine(const struct policy *p, struct request *r, struct err *err);
/* True if two confined copies of one request need the same box. */
bool policy_confined_alike(const struct request *a, const struct request *b);
/* Names of a set, "write, net"; "none". Returns BUF. */
const char *caps_words(unsigned caps, char *buf, size_t size);

/* The keys of the file, for help and documents; NULL past the end. MAP is "" for the file. */
struct policy_key {
	const char *map, *name, *takes, *help;
};
const struct policy_key *policy_key_at(unsigned i);

#endif
