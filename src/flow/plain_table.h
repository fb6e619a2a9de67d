/* SPDX-License-Identifier: MIT
 *
 * Which Python modules hand over data, and what of them does: the lists of flow/plain.h. What is
 * not here is not plain.
 */
#ifndef CORDON_FLOW_PLAIN_TABLE_H
#define CORDON_FLOW_PLAIN_TABLE_H

#include <stddef.h>

/* What NAMES are. */
enum plain_kind {
	PLAIN_ONLY, /* these are plain and nothing else */
	PLAIN_DATA, /* the same; and what is asked of their parts may name functions and options */
	PLAIN_OBJECT, /* as PLAIN_ONLY, of something that is no module: its parts are asked by constants */
};

/* Words have blanks between them; one that ends in a star stands for all that begin so. */
struct plain_row {
	const char *modules;
	enum plain_kind kind;
	const char *names;
	const char *called; /* plain if called with a constant program, also if its words are not */
	const char *first;  /* plain if called with constants first: names, or code */
};
extern const struct plain_row plain_rows[];
extern const size_t plain_rowc;
extern const struct plain_row plain_packages[]; /* those that are not Python's own */
extern const size_t plain_packagec;

/* Of Python itself; of anything else than a module; keywords of calls. */
extern const char plain_builtins[];	 /* plain */
extern const char plain_special[];	 /* attributes with underscores that are plain */
extern const char plain_not_attribute[]; /* not plain, wherever they are asked for */
extern const char
	plain_not_module[];	/* not plain further down in a package: modules that others have */
extern const char plain_type[]; /* of a package: plain as what something is, and not to make one */
extern const char plain_first_attribute[]; /* plain if called with constants first */
extern const char plain_not_keyword[];	   /* not plain */
extern const char plain_constant[];	   /* of a package: plain if called with constants alone */
/* Of a table: what they are given names a function, and a name that comes from data could be any. */
extern const char plain_function_attribute[];
extern const char plain_function_keyword[];
extern const char plain_charts_keyword[]; /* the same of a chart */
extern const char plain_starters[];	  /* programs that run what they are given */

#endif
