/* SPDX-License-Identifier: MIT
 *
 * The policy and its two questions: may this code run, and may it have this effect? The answers
 * depend only on the arguments, so the table is tested cell by cell. A policy is a built-in profile
 * (builtin_profiles.c) with the changes of one YAML file.
 */
#ifndef CORDON_POLICY_POLICY_H
#define CORDON_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/egress_message.h"
#include "model/limit.h"
#include "model/request.h"
#include "policy/net.h"

#define POLICY_BYTES_MAX (256UL << 10) /* of the file */
#define POLICY_RULES_MAX 1000	       /* rules with a changed grade */
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

/* The answer of the table for an effect that no ticket covers. Strictest first. */
enum policy_cell {
	CELL_DENY,   /* the effect is withheld */
	CELL_ASK,    /* a person is asked */
	CELL_LISTED, /* given if the policy lists it; else a person is asked */
	CELL_ALLOW,
	CELL_COUNT,
};
const char *policy_cell_name(unsigned cell);

/* What the box may execute at most: see enum execution. Strictest first. */
enum policy_exec { EXEC_LISTED, EXEC_ANY, EXEC_COUNT };
const char *policy_exec_name(unsigned exec);

enum policy_state { STATE_EXPOSED, STATE_CLEAN, STATE_COUNT };

/* The cells of a policy file, or those in force: one row for each state. */
struct policy_row {
	enum policy_cell cell[CAP_COUNT];
};

struct policy_approval {
	uint64_t ttl_ms;    /* how long an approval holds; 0: not set */
	uint64_t wait_ms;   /* how long people are asked; 0: not set */
	unsigned approvers; /* 0: not set */
};

/* A credential that a run uses but never sees: see docs/explanation/EGRESS.md. One of the last
 * three is set. */
#define POLICY_SECRETS_MAX 16
struct policy_secret {
	const char *name; /* of the variable with the placeholder */
	const char *host; /* a name, in lower case */
	uint16_t port;
	const char *header;	      /* that gets the secret */
	const char *methods, *prefix; /* of the requests that get it; "" and "/": all */
	const char *env, *path, *command;
};

/* The use of a secret in a grant: NAME=METHOD[,METHOD...]:HOST:PORT/PATH. */
struct policy_use {
	char name[POLICY_ID_MAX];
	char host[POLICY_NET_TEXT_MAX]; /* HOST:PORT */
	struct egress_use in;
};
int policy_use_parse(const char *text, struct policy_use *ret, struct err *err);
/* The canonical form. */
const char *policy_use_format(const struct policy_use *u, struct arena *arena);
/* Is TEXT a use of this secret at this host? */
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

/* Raises or lowers the grade of one rule. */
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
	enum policy_exec exec;
	/* May the account that asks confirm at a terminal? */
	enum policy_confirmation { CONFIRM_NO, CONFIRM_YES } confirmation[CAP_COUNT];
	struct policy_netlist allow, deny;
	struct policy_netlist trusted; /* hosts whose answers do not expose */
	bool sni;		       /* the TLS server name must be the allowed name */
	size_t secretc, gradec, grantc;
	struct policy_secret *secret;
	struct policy_grade *grade;
	struct policy_grant *grant;
	enum tier tier;		     /* the weakest box of exposed code */
	uint64_t limit[LIMIT_COUNT]; /* the limits of exposed code; 0: the request's */
	struct policy_approval approval;
	uint8_t sha256[POLICY_SHA256]; /* of the canonical form */
	struct arena arena;
};

/* The built-in profile alone. Call policy_done also after a failure. */
int policy_init(struct policy *p, enum policy_profile profile, struct err *err);
/* Reads one YAML document. An error message begins with FILE:LINE. */
int policy_parse(struct policy *p, const char *file, const char *data, size_t len, struct err *err);
int policy_load(struct policy *p, const char *file, struct err *err);
/* Reads FILE; NULL is the built-in profile balanced. */
int policy_open(struct policy *p, const char *file, struct err *err);
void policy_done(struct policy *p);
/* The canonical form: everything that can change a decision. Malloc'd. */
char *policy_canonical(const struct policy *p, size_t *ret_len);

/* A path of a grant in canonical form: below the directory, or "." for all of it. NULL: TEXT is not such a
 * path. */
const char *policy_path(const char *text, struct arena *arena, struct err *err);

/* May the code run? */
struct policy_run {
	bool exposed;	  /* the conversation or an input is exposed */
	bool derived;	  /* parts of the code tie to an untrusted source */
	bool bounded;	  /* a grant bounds the effects */
	bool review;	  /* a rule requires a person to review */
	enum grade grade; /* of the worst finding */
};
enum verdict policy_decide_run(const struct policy *p, const struct policy_run *run);
/* In words; a static string. */
const char *policy_run_reason(const struct policy *p, const struct policy_run *run);

/* May the code have this effect? */
struct policy_effect {
	enum cap cap;
	bool exposed;
	bool listed;  /* the policy lists the host or secret */
	bool covered; /* a ticket covers it */
	bool can_ask; /* a person can be asked */
};
enum outcome policy_decide_effect(const struct policy *p, const struct policy_effect *effect);
/* For an effect that the table gives: "policy", or "observe" if the profile balanced would not give it. */
const char *policy_giver(const struct policy *p, const struct policy_effect *effect);

/* The grade of a finding of RULE, whose lane has GRADE. */
enum grade policy_grade_of(const struct policy *p, const char *rule, enum grade grade);

/* Is a confirmation by the requesting account enough for all of CAPS? Never if several people must
 * agree. */
/* The policy's cell says deny: no ticket gives the effect. */
bool policy_denies(const struct policy *p, const struct policy_effect *e);
#define POLICY_DENIES "the policy denies it, and no ticket gives it"
bool policy_confirms(const struct policy *p, unsigned caps);
/* The effects that a request names. */
unsigned policy_caps_of(const struct request *r);
/* Limits what the box of the request may execute. -1: it asks for more. */
int policy_limit_execution(const struct policy *p, struct request *r, struct err *err);
/* Limits the request of exposed code. -1: its tier is too weak. */
int policy_confine(const struct policy *p, struct request *r, struct err *err);
/* Do two confined copies of one request need the same box? */
bool policy_confined_alike(const struct request *a, const struct request *b);
/* Names of a set, "write, net"; "none". Returns BUF. */
const char *caps_words(unsigned caps, char *buf, size_t size);

/* The keys of the file, for help and documents; NULL past the end. MAP is "" for the file. */
struct policy_key {
	const char *map, *name, *takes, *help;
};
const struct policy_key *policy_key_at(unsigned i);

#endif
