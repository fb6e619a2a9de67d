/* SPDX-License-Identifier: MIT
 *
 * What the verbs of `cordon policy` share. Ids, reasons and files' names are data: what a person
 * sees of them has nothing that a terminal would obey.
 */
#ifndef CORDON_CLI_POLICY_H
#define CORDON_CLI_POLICY_H

#include <jansson.h>

#include "cli/cli.h"
#include "policy/policy.h"

/* policy_show.c */
int policy_show(struct cli_call *call, const struct policy *p);
#define POLICY_HEX_ROOM (2 * POLICY_SHA256 + 1)
void policy_hex(const uint8_t sha256[POLICY_SHA256], char ret[POLICY_HEX_ROOM]);
/* A set of bits as a list of names. */
json_t *policy_set_json(unsigned set, const char *(*name)(unsigned i));
json_t *policy_approval_json(const struct policy_approval *a);
/* Hosts, and which secret goes where: its name, never what it is. */
json_t *policy_net_json(const struct policy *p);
void policy_net_lines(const struct policy *p);
void policy_secret_lines(const struct policy *p);
/* A name before its text, in columns; the text is escaped. */
void policy_line(const char *label, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
