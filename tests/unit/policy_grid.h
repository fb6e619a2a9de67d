/* SPDX-License-Identifier: MIT
 *
 * What the built-in profiles must decide, written by hand from the design and not from the table:
 * one line per profile, origin and grade, one sign per capability.
 *
 *   +  allow    c  allow-contained    ?  ask    2  ask-two    -  deny
 */
#ifndef CORDON_UNIT_POLICY_GRID_H
#define CORDON_UNIT_POLICY_GRID_H

struct grid_row {
	const char *profile, *origin, *grade;
	const char *signs; /* compute, read, write, net, secret, host */
};

/* clang-format off */
static const struct grid_row grid[] = {
	/*                                  c r w n s h */
	{"strict",   "plan",    "none",    "+ + + + ? -"},
	{"strict",   "plan",    "shown",   "+ + + + ? -"},
	{"strict",   "plan",    "asks",    "? ? ? ? ? -"},
	{"strict",   "plan",    "denies",  "- - - - - -"},
	{"strict",   "user",    "none",    "+ + + ? ? -"},
	{"strict",   "user",    "shown",   "+ + + ? ? -"},
	{"strict",   "user",    "asks",    "? ? ? ? ? -"},
	{"strict",   "user",    "denies",  "- - - - - -"},
	{"strict",   "agent",   "none",    "+ + ? ? 2 -"},
	{"strict",   "agent",   "shown",   "+ + ? ? 2 -"},
	{"strict",   "agent",   "asks",    "? ? ? ? 2 -"},
	{"strict",   "agent",   "denies",  "- - - - - -"},
	{"strict",   "exposed", "none",    "c c ? 2 - -"},
	{"strict",   "exposed", "shown",   "c c ? 2 - -"},
	{"strict",   "exposed", "asks",    "? ? 2 2 - -"},
	{"strict",   "exposed", "denies",  "- - - - - -"},
	{"strict",   "derived", "none",    "? ? ? 2 - -"},
	{"strict",   "derived", "shown",   "? ? ? 2 - -"},
	{"strict",   "derived", "asks",    "2 2 2 - - -"},
	{"strict",   "derived", "denies",  "- - - - - -"},
	{"strict",   "hostile", "none",    "- - - - - -"},
	{"strict",   "hostile", "shown",   "- - - - - -"},
	{"strict",   "hostile", "asks",    "- - - - - -"},
	{"strict",   "hostile", "denies",  "- - - - - -"},

	{"balanced", "plan",    "none",    "+ + + + ? 2"},
	{"balanced", "plan",    "shown",   "+ + + + ? 2"},
	{"balanced", "plan",    "asks",    "c c ? ? ? 2"},
	{"balanced", "plan",    "denies",  "- - - - - -"},
	{"balanced", "user",    "none",    "+ + + + ? 2"},
	{"balanced", "user",    "shown",   "+ + + + ? 2"},
	{"balanced", "user",    "asks",    "c c ? ? ? 2"},
	{"balanced", "user",    "denies",  "- - - - - -"},
	{"balanced", "agent",   "none",    "+ + + + ? -"},
	{"balanced", "agent",   "shown",   "+ + + + ? -"},
	{"balanced", "agent",   "asks",    "c c ? ? 2 -"},
	{"balanced", "agent",   "denies",  "- - - - - -"},
	{"balanced", "exposed", "none",    "c c ? ? 2 -"},
	{"balanced", "exposed", "shown",   "c c ? ? 2 -"},
	{"balanced", "exposed", "asks",    "c ? ? 2 2 -"},
	{"balanced", "exposed", "denies",  "- - - - - -"},
	{"balanced", "derived", "none",    "c ? ? ? - -"},
	{"balanced", "derived", "shown",   "? ? ? ? - -"},
	{"balanced", "derived", "asks",    "? ? 2 2 - -"},
	{"balanced", "derived", "denies",  "- - - - - -"},
	{"balanced", "hostile", "none",    "- - - - - -"},
	{"balanced", "hostile", "shown",   "- - - - - -"},
	{"balanced", "hostile", "asks",    "- - - - - -"},
	{"balanced", "hostile", "denies",  "- - - - - -"},

	{"observe",  "plan",    "none",    "+ + + + c c"},
	{"observe",  "plan",    "shown",   "+ + + + c c"},
	{"observe",  "plan",    "asks",    "c c c c c c"},
	{"observe",  "plan",    "denies",  "- - - - - -"},
	{"observe",  "user",    "none",    "+ + + + c c"},
	{"observe",  "user",    "shown",   "+ + + + c c"},
	{"observe",  "user",    "asks",    "c c c c c c"},
	{"observe",  "user",    "denies",  "- - - - - -"},
	{"observe",  "agent",   "none",    "+ + + + c -"},
	{"observe",  "agent",   "shown",   "+ + + + c -"},
	{"observe",  "agent",   "asks",    "c c c c c -"},
	{"observe",  "agent",   "denies",  "- - - - - -"},
	{"observe",  "exposed", "none",    "c c c c c -"},
	{"observe",  "exposed", "shown",   "c c c c c -"},
	{"observe",  "exposed", "asks",    "c c c c c -"},
	{"observe",  "exposed", "denies",  "- - - - - -"},
	{"observe",  "derived", "none",    "c c c c - -"},
	{"observe",  "derived", "shown",   "c c c c - -"},
	{"observe",  "derived", "asks",    "c c c c - -"},
	{"observe",  "derived", "denies",  "- - - - - -"},
	{"observe",  "hostile", "none",    "- - - - - -"},
	{"observe",  "hostile", "shown",   "- - - - - -"},
	{"observe",  "hostile", "asks",    "- - - - - -"},
	{"observe",  "hostile", "denies",  "- - - - - -"},
};
/* clang-format on */

#endif
