/* SPDX-License-Identifier: MIT
 *
 * Values for JSON objects that are made of rows (struct cli_field). Bytes from outside are data:
 * what is no UTF-8 is written in another way, never dropped and never an error.
 */
#ifndef CORDON_CLI_JSONVAL_H
#define CORDON_CLI_JSONVAL_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/cli.h"

json_t *jsonval_object(const struct cli_field *fields, const void *of);
/* COUNT structs of SIZE bytes. */
json_t *jsonval_list(const struct cli_field *fields, const void *first, size_t size, size_t count);
/* Empty ones. Never NULL: null where memory is out. It takes nothing in, and nothing is printed. */
json_t *jsonval_array(void);
json_t *jsonval_map(void);
json_t *jsonval_number(uint64_t n);
/* A word of ours; null for NULL. */
json_t *jsonval_word(const char *word);
/* A name that is not UTF-8 cannot be a JSON string as it is: it is base64. */
json_t *jsonval_text(const char *s, size_t len);
/* The field beside such a name; NULL where the name is as it is. */
json_t *jsonval_encoding(const char *s, size_t len);
/* For a person to read: a byte that is no UTF-8 (of a file's name) is written out. */
json_t *jsonval_readable(const char *s);

/* All of it on one line of standard output; gives up V. What a terminal or a reader's eye would obey
 * (controls, marks of direction, format characters) is written as an escape: the same string to a
 * program, and harmless to who looks at it. FLAGS are jansson's. -1: it cannot be written. */
int jsonval_dump(json_t *v, size_t flags);
/* The same, with numbers as people read them. */
void jsonval_print(json_t *v);

/* One function per field of a struct: what it is made of is all that differs. */
#define FIELD(function, type, expression)                                                          \
	static json_t *function(const void *of)                                                    \
	{                                                                                          \
		const type *v = of;                                                                \
		return expression;                                                                 \
	}

#endif
