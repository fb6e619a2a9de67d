/* SPDX-License-Identifier: MIT
 *
 * What the verbs of `cordon approvals` share. The requester wrote nearly all that they show. It is
 * escaped and stands behind a label or a number of Cordon's, never at the start of a line.
 */
#ifndef CORDON_CLI_APPROVALS_H
#define CORDON_CLI_APPROVALS_H

#include <jansson.h>

#include "approval/approval.h"
#include "door/cli/cli.h"
#include "gate/gate_state.h"
#include "model/report.h"

/* Printed below the last line of a text without a newline at its end. */
#define APPROVALS_UNENDED "         | (no newline at the end)"

struct approvals_options {
	const char *key, *name, *id, *reason; /* files and words, or NULL */
	unsigned scope;			      /* enum scope */
	uint64_t for_ms;		      /* 0: as long as the policy says */
	bool all, denies;
	bool has_timeout; /* wait */
	uint64_t timeout_ms;
	const char *file; /* show */
};

struct approvals {
	struct cli_call *call;
	const struct approvals_options *options;
	struct store *store;
	struct approval_actor actor;
	uint64_t now; /* ms since 1970 */
	struct gate_state state;
};

/* approvals_answer.c */
int approvals_list(struct approvals *v);
int approvals_approve(struct approvals *v);
int approvals_deny(struct approvals *v);
int approvals_open(struct approvals *v, struct err *err);
/* Signs with --key and --as. A owns the signature. */
int approvals_sign_vote(struct approvals *v, struct approval *a, bool approves,
			struct approval_vote *ret, struct err *err);

/* approvals_show.c, approvals_print.c, approvals_code.c, approvals_json.c */
int approvals_show(struct approvals *v);
void approvals_line(const char *label, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Time from now on, in words: "in 5m", "3h ago". Returns BUF. */
const char *approvals_when(uint64_t time, uint64_t now, char *buf, size_t size);
/* Prints the code, what is kept with it, and the details. */
void approvals_code(const struct approval *a, const struct approval_code *code, uint64_t now);
void approvals_details(const struct approval *a, uint64_t now);
/* Prints the effects and the end of an answer with the scope "grant"; nothing for another scope. */
void approvals_grant(const struct approval *a, const struct approval_vote *vote);
void approvals_headline(const struct approval_request *r);
/* For --file: prints a file that the request names, if it is unchanged. */
int approvals_file(struct approvals *v, const struct approval *a, const struct approval_code *code,
		   const char *path, struct err *err);
/* approvals_wait.c */
int approvals_wait(struct approvals *v);

int approvals_diff(struct approvals *v, const struct approval *a, const struct approval_code *code,
		   struct err *err);
json_t *approvals_json(const struct approval *a, uint64_t now);
struct report_tie approvals_tie(const struct approval_evidence *e);
/* Adds the fields of verdict_json.h. */
void approvals_add_said(json_t *all, const struct approval *a);
/* Adds the code to what approvals_json made. */
void approvals_add_code_json(json_t *all, const struct approval *a,
			     const struct approval_code *code);

/* approvals_answer.c */
/* Sends the notification that A no longer waits. */
void approvals_ended(const struct approvals *v, const struct approval *a);
void approvals_tell(const struct approvals *v, const struct approval *a);
/* approvals_print.c: a summary of the request */
void approvals_show_request(const struct approval *a, uint64_t now);
void approvals_show_answer(const struct approval *a, uint64_t now);
void approvals_show_grant(const struct approval *a, uint64_t now);

/* approvals_carry.c */
int approvals_export(struct approvals *v);
/* Reads an exported request from FILE, "-" for standard input. RET_CODE is malloc'd. */
int approvals_read_request(const char *file, struct approval *ret, struct approval_code *ret_code,
			   struct err *err);
int approvals_sign(struct approvals *v);
int approvals_add(struct approvals *v);

/* approvals_key.c */
int approvals_key_add(struct approvals *v);
int approvals_key_list(struct approvals *v);
int approvals_key_remove(struct approvals *v);

#endif
