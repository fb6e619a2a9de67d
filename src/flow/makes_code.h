/* SPDX-License-Identifier: MIT
 *
 * Does a program make code of what it is given? One question for whoever mints a plan, lets one
 * run, or wants to know whether a program's input is to be looked at as code. The code view answers
 * it, by tables: what is known to hand over data does not, what is known to run it does, and of the
 * rest nobody knows. It is about programs that mean well: a plan is written before anything
 * untrusted is read.
 */
#ifndef CORDON_FLOW_MAKES_CODE_H
#define CORDON_FLOW_MAKES_CODE_H

#include "flow/view.h"

/* All zero: code. */
enum makes { MAKES_CODE, MAKES_UNKNOWN, MAKES_DATA };
enum { MAKES_WHY_MAX = 160 };

struct makes_code {
	enum makes makes;
	char why[MAKES_WHY_MAX]; /* "line 3: import runpy"; "" for data */
	const char *word; /* that is to be looked for in the code: WHY has no line; or NULL */
};

/* VIEW: of a language that has one it must be whole, or it counts as code. */
void makes_code(const char *lang, const struct code_view *view, struct makes_code *ret);
/* The same for a plan: only what is on the lists is plain (flow/plain.h, flow/plain_shell.h), and all
 * else counts as code. The view is one that view_of_plan() names. */
void makes_code_of_plan(const char *lang, const struct code_view *view, struct makes_code *ret);
/* PAIR: "NAME=value". Does an interpreter look for code by it? */
bool makes_code_by_variable(const char *pair);

#endif
