/* SPDX-License-Identifier: MIT
 *
 * JSON values, and objects made from rows (struct json_field). Bytes from outside are data: invalid
 * UTF-8 is encoded in another way. It is never dropped and never an error.
 */
#ifndef CORDON_SHOW_JSONVAL_H
#define CORDON_SHOW_JSONVAL_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "trust/id.h"

/* One member of a JSON object. MAKE returns its value, or NULL to omit the member. */
struct json_field {
	const char *name, *help;
	json_t *(*make)(const void *of);
};

/* The fields of one object, for the manual page. */
struct json_doc {
	const char *name;		 /* "": the whole */
	const struct json_field *fields; /* ended by a row without name */
};

json_t *jsonval_object(const struct json_field *fields, const void *of);
/* COUNT structs of SIZE bytes. */
json_t *jsonval_list(const struct json_field *fields, const void *first, size_t size, size_t count);
/* Empty values. Never NULL: out of memory gives null, to which nothing can be added. */
json_t *jsonval_array(void);
json_t *jsonval_map(void);
json_t *jsonval_number(uint64_t n);
/* A constant word of Cordon's; null for NULL. */
json_t *jsonval_word(const char *word);
/* A name. Invalid UTF-8 is encoded as base64. */
json_t *jsonval_text(const char *s, size_t len);
/* The encoding field for such a name; NULL if the name is not encoded. */
json_t *jsonval_encoding(const char *s, size_t len);
json_t *jsonval_hex(const uint8_t *data, size_t len);
json_t *jsonval_id(const struct id *id);
/* The names of the bits of SET. */
json_t *jsonval_set(unsigned set, const char *(*name)(unsigned i));
/* For people: each byte of invalid UTF-8 is escaped. */
json_t *jsonval_readable(const char *s);

/* Prints V on one line of standard output and frees V. Characters that a terminal obeys
 * (controls, direction marks, format characters) are JSON escapes: the same string for a
 * program, and harmless on a terminal. FLAGS are jansson's. Returns -1 on failure. */
int jsonval_dump(json_t *v, size_t flags);
/* The same, with reals of six digits. */
void jsonval_print(json_t *v);

/* Defines the function that makes one field from a struct. */
#define FIELD(function, type, expression)                                                          \
	static json_t *function(const void *of)                                                    \
	{                                                                                          \
		const type *v = of;                                                                \
		return expression;                                                                 \
	}

#endif
