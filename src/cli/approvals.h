/* SPDX-License-Identifier: MIT
 *
 * What the verbs of `cordon approvals` share. Nearly all they show was written by whoever wants to
 * be approved: it is escaped and stands behind a label or a number of ours, never at a line's start.
 */
#ifndef CORDON_CLI_APPROVALS_H
#define CORDON_CLI_APPROVALS_H

#include <jansson.h>

#include "approval/approval.h"
#include "cli/cli.h"
#include "model/report.h"

/* A verb's world: the store is open, the caller is known. */
struct approvals {
	struct cli_call *call;
	struct store *store;
	struct approval_actor actor;
	struct key key;	 /* if the verb needs one */
	uint64_t now;	 /* ms since 1970 */
	bool names_file; /* the last word is the name of a file, for the caller's own account */
};

/* approvals.c */
/* Prints the error; what to exit with. */
int approvals_fail(const struct cli_call *call, const struct err *err);
/* The person's key in FILE (NULL: none was named), with its passphrase if it has one. */
int approvals_load_key(const char *file, struct key *ret, bool *ret_protected, struct err *err);
/* The last word is not what was wanted: if it names a file, says to give the file's text. */
void approvals_hint_file(const struct approvals *v, struct err *err);
/* --key */
int approvals_set_key(struct cli_call *c, const struct cli_option *o, const char *v,
		      struct err *err);

/* approvals_show.c, approvals_code.c, approvals_json.c */
int approvals_show(struct approvals *v);
/* Nothing runs: pending changes would be written. */
bool approvals_is_changes(const struct approval_request *r);
void approvals_line(const char *label, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Time from now on, in words: "in 5m", "3h ago". Returns BUF. */
const char *approvals_when(uint64_t time, uint64_t now, char *buf, size_t size);
void approvals_code(const struct approval *a, const struct approval_code *code);
int approvals_diff(struct approvals *v, const struct approval *a, const struct approval_code *code,
		   struct err *err);
json_t *approvals_json(const struct approval *a, uint64_t now);
struct report_tie approvals_tie(const struct approval_evidence *e);
/* What the gate said of it: verdict.h. */
void approvals_add_said(json_t *all, const struct approval *a);
/* Adds the code to what approvals_json made. */
void approvals_add_code_json(json_t *all, const struct approval_code *code);

/* approvals.c */
void approvals_tell(const struct approvals *v, const struct approval *a);
/* approvals_show.c: all that is known without the store. */
void approvals_show_request(const struct approval *a, uint64_t now);

/* approvals_carry.c */
int approvals_export(struct approvals *v);
int approvals_read(struct approvals *v);
int approvals_sign(struct approvals *v);
int approvals_add(struct approvals *v);

/* approvals_key.c */
int approvals_key_new(struct approvals *v);
int approvals_key_add(struct approvals *v);
int approvals_key_list(struct approvals *v);
int approvals_key_remove(struct approvals *v);

/* passphrase.c */
/* Asks at the terminal, without showing what is typed. RET has room for APPROVAL_PASS_MAX + 1. */
int passphrase_ask(const char *prompt, char *ret, struct err *err);

#endif
