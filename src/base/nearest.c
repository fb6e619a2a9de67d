/* SPDX-License-Identifier: MIT
 *
 * Uses the Damerau-Levenshtein distance (one swap of neighbours counts once). Case, and - for _,
 * cost nothing. A name is near if at most a third of it differs.
 */
#include "base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DISTANCE_MAX = 3, PREFIX_MIN = 3 };

static unsigned char fold(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (unsigned char)(c - 'A' + 'a');
	return c == '_' ? '-' : (unsigned char)c;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Both are at most NEAREST_MAX long. Three rows of the table suffice, because a swap needs the last
 * two. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][NEAREST_MAX + 1];

	for (size_t j = 0; j <= b_len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *row = rows[i % 3], *up = rows[(i - 1) % 3], *two_up = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			bool same = fold(a[i - 1]) == fold(b[j - 1]);
			row[j] = least(up[j - 1] + !same, least(up[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
			    fold(a[i - 2]) == fold(b[j - 1]))
				row[j] = least(row[j], two_up[j - 2] + 1);
		}
	}
	return rows[a_len % 3][b_len];
}

/* A prefix, as "conv" for "conversation", has the largest distance that is still near. */
static bool begins(const struct nearest *n, const char *name, size_t name_len)
{
	return n->len >= PREFIX_MIN && n->len < name_len &&
	       distance(n->word, n->len, name, n->len) == 0;
}

struct nearest nearest_begin(const char *word, size_t len)
{
	return (struct nearest){word, len, NULL, DISTANCE_MAX + 1};
}

void nearest_try(struct nearest *n, const char *name)
{
	size_t len = strlen(name), longer = len > n->len ? len : n->len;

	if (n->len == 0 || longer > NEAREST_MAX)
		return;
	/* The distance is at least the difference of the lengths, and most names differ in that. */
	size_t most = least(longer / 3, DISTANCE_MAX), shorter = least(len, n->len);
	size_t far = longer - shorter > most ? longer : distance(n->word, n->len, name, len);
	bool near = far <= most;

	if (!near && begins(n, name, len)) {
		far = DISTANCE_MAX;
		near = true;
	}
	if (near && far < n->distance) {
		n->name = name;
		n->distance = far;
	}
}

const char *nearest(const char *word, size_t len, const char *(*at)(unsigned i))
{
	struct nearest n = nearest_begin(word, len);

	for (unsigned i = 0; at(i); i++)
		nearest_try(&n, at(i));
	return n.name;
}

void nearest_say(struct err *err, const char *prefix, const char *name)
{
	size_t len = strlen(err->message);

	if (name)
		snprintf(err->message + len, sizeof(err->message) - len, "; did you mean %s%s?",
			 prefix, name);
}
