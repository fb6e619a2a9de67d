/* SPDX-License-Identifier: MIT
 *
 * The literals of a text that somebody had to choose: hosts, URLs, addresses, paths, long tokens.
 * Code that was written anew still needs the very host it was told to send to. What everybody uses
 * (the stop list, atom_stop.c) is no atom: one that two unrelated texts share is worse than one
 * that is missed, because it makes people click. Written by hand: no expression library reads what
 * a stranger wrote, and time is linear in the text.
 */
#ifndef CORDON_TRUST_ATOMS_H
#define CORDON_TRUST_ATOMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum atom_kind { ATOM_URL, ATOM_HOST, ATOM_IP, ATOM_EMAIL, ATOM_PATH, ATOM_TOKEN, ATOM_KINDS };

enum {
	ATOM_MAX = 1024,     /* bytes: what is longer is cut there, on both sides alike */
	ATOM_TOKEN_MIN = 16, /* characters */
	ATOM_PATH_MIN = 6,
	ATOM_HOST_MAX = 253, /* RFC 1035 */
};

struct atom {
	enum atom_kind kind;
	size_t at, len; /* in the text */
	size_t plain;	/* how long it would be, written plainly */
	uint64_t hash;	/* of its kind and of how it would be written plainly */
};

/* Where a name with dots in it may be a host. An URL has one everywhere. */
enum atom_reading {
	ATOM_DOCUMENT, /* everywhere, unless it is called: name(). Code must still have it as a host */
	ATOM_COMMAND, /* before a port or a path, after an @, and else if it has no ending of files */
	ATOM_PROGRAM /* the same, but only in a string that ends on its line: a.b is an attribute */
};

typedef void atom_fn(void *context, const struct atom *atom);
/* In the order of the text, almost: an URL comes before its host. */
void atoms_find(const char *text, size_t len, enum atom_reading reading, atom_fn *fn,
		void *context);

/* Is it on the stop list? TEXT is in plain writing (lower case for all but paths and tokens). */
bool atom_is_common(enum atom_kind kind, const char *text, size_t len);
/* Do files end in it? LABEL is in lower case. */
bool atom_is_file_end(const char *label, size_t len);

#endif
