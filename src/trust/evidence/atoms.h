/* SPDX-License-Identifier: MIT
 *
 * Atoms are the distinctive literals of a text: hosts, URLs, addresses, paths, long tokens. Rewritten
 * code still needs the exact host that it was told to use. Common literals are not atoms
 * (atom_stoplist.c): an atom that unrelated texts share is worse than a missed one, because it makes
 * people approve without reading. The finder uses no regular expressions on untrusted text; its time
 * is linear.
 */
#ifndef CORDON_TRUST_EVIDENCE_ATOMS_H
#define CORDON_TRUST_EVIDENCE_ATOMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum atom_kind { ATOM_URL, ATOM_HOST, ATOM_IP, ATOM_EMAIL, ATOM_PATH, ATOM_TOKEN, ATOM_KINDS };

enum {
	ATOM_MAX = 1024,     /* bytes; a longer atom is cut there, in source and code alike */
	ATOM_TOKEN_MIN = 16, /* characters */
	ATOM_PATH_MIN = 6,
	ATOM_HOST_MAX = 253, /* RFC 1035 */
};

struct atom {
	enum atom_kind kind;
	size_t at, len; /* in the text */
	size_t plain;	/* length in normal form */
	uint64_t hash;	/* of kind and normal form */
};

/* Where a name with dots can be a host. The host of a URL is found everywhere. */
enum atom_reading {
	ATOM_DOCUMENT, /* everywhere but in calls, name() */
	ATOM_COMMAND,  /* before a port or path, after @, or without a file suffix */
	ATOM_PROGRAM   /* the same, in strings of one line only: elsewhere a.b is an attribute */
};

typedef void atom_fn(void *context, const struct atom *atom);
/* Nearly in the order of the text: a URL comes before its host. */
void atoms_find(const char *text, size_t len, enum atom_reading reading, atom_fn *fn,
		void *context);

/* Is it on the stop list? TEXT is in normal form: lower case except for paths and tokens. */
bool atom_is_common(enum atom_kind kind, const char *text, size_t len);
/* Is it a suffix of files? LABEL is in lower case. */
bool atom_is_file_end(const char *label, size_t len);

#endif
