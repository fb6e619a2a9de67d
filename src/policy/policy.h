/* SPDX-License-Identifier: MIT
 *
 * The policy and its one question: may this code have what it asks for? policy_decide() is pure:
 * it looks at nothing but its arguments, so the whole of it is tested cell by cell. A policy is a
 * built-in profile (table.h) and the user's rules on top, from one YAML file.
 *
 * A rule has two sides. Code of the origins it names, and any that is trusted less or was found
 * worse, gets no more than the rule says: the strictest such rule wins, so an explicit deny beats
 * everything. If it names both origins and capabilities, code of those origins, and any that is
 * trusted more, gets as much as it says where the profile lets that be (policy_ceiling). So
 * whatever rules there are: who is trusted less, was found worse or asks for more never gets more.
 */
#ifndef CORDON_POLICY_POLICY_H
#define CORDON_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/limit.h"
#include "model/request.h"
#include "policy/net.h"
#include "policy/table.h"

#define POLICY_BYTES_MAX (256UL << 10) /* of the file */
#define POLICY_RULES_MAX 256
#define POLICY_EXAMPLES_MAX 64 /* of one list of a rule */
#define POLICY_ID_MAX 64       /* bytes */
#define POLICY_WHY_MAX 200
#define POLICY_APPROVERS_MAX 9
#define POLICY_TTL_MIN_MS 1000ULL
#define POLICY_TTL_MAX_MS (24ULL * 60 * 60 * 1000)
#define POLICY_SHA256 32
#define POLICY_REASON_MAX 512 /* room for any */

/* What is decided about. All zero: hostile. */
struct ask {
	enum origin origin;
	unsigned caps; /* bits; computing is always one of them */
	enum grade grade;
	unsigned sources; /* bits of enum source_kind: what was read before; not known: all */
	const char *lang; /* a language profile's name; NULL: not known */
};

/* The conditions of a rule: each a set of words, as bits. 0: not named, so it always holds. */
enum policy_when {
	WHEN_ORIGIN,
	WHEN_CAPS,     /* all of them are asked for */
	WHEN_CAPS_ANY, /* at least one of them is */
	WHEN_GRADE,
	WHEN_LANG,
	WHEN_SOURCE,
	WHEN_COUNT,
};

/* The word for a condition's bit; NULL past the end. */
const char *policy_when_name(enum policy_when when, unsigned i);

struct policy_approval {
	enum scope scope;   /* SCOPE_COUNT: not named */
	uint64_t ttl_ms;    /* 0: not named */
	uint64_t wait_ms;   /* 0: not named */
	unsigned approvers; /* 0: not named */
};

struct policy_example {
	struct ask ask;
	enum verdict verdict; /* what must be decided; VERDICT_COUNT: not named */
	unsigned line;
};

struct policy_examples {
	size_t count;
	struct policy_example *list;
};

struct policy_rule {
	const char *id, *why; /* WHY is "" when not named */
	unsigned line;
	unsigned when[WHEN_COUNT];
	enum verdict then;
	struct policy_approval approval;
	struct policy_examples match, not_match;
};

/* What a contained run gets at most. */
struct policy_contained {
	enum tier tier;		     /* the weakest box */
	uint64_t limit[LIMIT_COUNT]; /* 0: the request's own */
};

/* A credential that a run uses and never sees: see docs/EGRESS.md. One of the last three is named. */
#define POLICY_SECRETS_MAX 16
struct policy_secret {
	const char *name; /* of the variable that holds what stands for it */
	const char *host; /* a name, in lower case */
	uint16_t port;
	const char *header; /* in which it goes there */
	const char *env, *path, *command;
};

struct policy {
	const char *file; /* NULL: built in */
	enum policy_profile profile;
	enum origin undeclared; /* of code of which nothing is known */
	bool single_user; /* whoever asks may also approve what one person can, with a passphrase */
	struct policy_netlist allow, deny;
	bool sni; /* TLS to a name must ask for that name */
	size_t secretc;
	struct policy_secret *secret;
	struct policy_contained contained;
	struct policy_approval approval; /* where no rule says otherwise */
	size_t rulec;
	struct policy_rule *rule;
	uint8_t sha256[POLICY_SHA256]; /* of its canonical form: all that can change a decision */
	struct arena arena;
};

/* The built-in profile alone. policy_done is always due, also after a failure. */
int policy_init(struct policy *p, enum policy_profile profile, struct err *err);
/* One YAML document. An error's message begins with FILE:LINE. */
int policy_parse(struct policy *p, const char *file, const char *data, size_t len, struct err *err);
int policy_load(struct policy *p, const char *file, struct err *err);
/* What holds when somebody names a FILE, or none (NULL): the built-in profile balanced then. */
int policy_open(struct policy *p, const char *file, struct err *err);
void policy_done(struct policy *p);
/* All that can change a decision, in words that do not depend on how it was written. Malloc'd. */
char *policy_canonical(const struct policy *p, size_t *ret_len);

/* Where the verdict on one capability came from. */
struct policy_outcome {
	enum verdict verdict;
	const struct policy_rule *rule; /* NULL: the profile's own cell */
};

/* What the box gets: at most this. */
struct policy_box {
	enum tier tier; /* the weakest allowed */
	bool network, secrets, commit;
	enum workspace_mode workspace;
	uint64_t limit[LIMIT_COUNT]; /* 0: the request's own */
};

/* All zero: denied. RULEs live as long as the policy. */
struct decision {
	enum verdict verdict;
	const char *refusal; /* the question makes no sense: why; or NULL */
	enum origin origin;  /* as decided on: findings of the deny grade make it hostile */
	enum grade grade;
	enum policy_profile profile;
	unsigned asked;			     /* capabilities */
	unsigned granted;		     /* what it has now */
	unsigned if_approved;		     /* what it will have when people agree */
	enum cap cap;			     /* the first whose outcome is the verdict */
	struct policy_outcome of[CAP_COUNT]; /* of those that were asked for */
	struct policy_approval approval;     /* what the people's word is good for; asked only */
	struct policy_box box;		     /* for what is granted, now or when they agree */
	uint8_t policy_sha256[POLICY_SHA256];
};

void policy_decide(const struct policy *p, const struct ask *ask, struct decision *ret);
/* Was the rule written for exactly this? That is what its examples are about. */
bool policy_rule_matches(const struct policy_rule *rule, const struct ask *ask);

/* In words. All return BUF. */
/* Why the capability got what it got; "" for one that was not asked for. */
const char *decision_reason(const struct decision *d, enum cap cap, char *buf, size_t size);
/* The row that decided: "profile/balanced/derived/none/net" or "rule/ID". */
const char *decision_row(const struct decision *d, char *buf, size_t size);
/* Names of a set, "a, b"; "none". */
const char *caps_words(unsigned caps, char *buf, size_t size);

/* Runs the rules' examples. Calls REPORT for each that does not hold; returns how many. */
struct policy_report {
	const struct policy_rule *rule;
	unsigned line;
	const char *words;
};
typedef void policy_report_fn(void *context, const struct policy_report *report);
size_t policy_check(const struct policy *p, policy_report_fn *report, void *context);

/* One ask as an object of the same keys as in examples; NODE is what was read of it. *RET_LINE is
 * good on failure. */
struct node;
int policy_read_ask(const struct node *node, struct arena *arena, struct ask *ret,
		    unsigned *ret_line, struct err *err);

/* What a request asks for by its words alone, whatever it says that it asks for. */
unsigned policy_caps_of(const struct request *r);
/* Takes from the request what the box must not have. 0, or -1: its tier is too weak. */
int policy_confine(const struct policy_box *box, struct request *r, struct err *err);
/* True if two confined copies of one request need the same box. */
bool policy_confined_alike(const struct request *a, const struct request *b);

/* The keys of the file, for help and documents; NULL past the end. MAP is "" for the file. */
struct policy_key {
	const char *map, *name, *takes, *help;
};
const struct policy_key *policy_key_at(unsigned i);

#endif
