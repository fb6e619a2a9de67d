/* SPDX-License-Identifier: MIT
 *
 * Shared by the files of the configuration: the rows, and the reader of one place.
 */
#ifndef CORDON_CONF_CONFIG_PRIVATE_H
#define CORDON_CONF_CONFIG_PRIVATE_H

#include "conf/config.h"
#include "yaml/node.h"

/* The reader of one place. */
struct config_reader {
	struct arena *arena;
	const char *place; /* the file or the variable */
	bool is_operator;  /* `enforced` is allowed */
	bool is_variable;  /* no lines; a list is one text with colons */
	struct config_values *to, *enforced;
	const struct config_sink *sink; /* NULL: the first problem ends reading */
	struct err *err;
	bool failed;
};

struct config_row {
	const char *name; /* "notify.url"; "": one row for each limit */
	const char *takes, *help;
	enum config_id id;
	int (*read)(struct config_reader *r, const struct config_row *row, const struct node *n,
		    struct config_values *to);
	size_t at; /* in struct config_values, for `read` */
	unsigned limit;
};

/* A value as a whole. */
struct config_value {
	const char *name, *flag, *fallback;
	bool has_variable;
	bool is_bound; /* enforced as a bound; otherwise as the exact value */
	size_t at, size;
	/* Does the enforced value B forbid A? */
	bool (*breaks)(const void *a, const void *b);
	const char *(*text)(const void *v, struct arena *arena);
};

/* config_keys.c: the I-th row; NULL past the end. *RET_LIMIT is storage for the row of a limit. */
const struct config_row *config_row_at(unsigned i, struct config_row *ret_limit,
				       struct arena *arena);
struct config_value config_value(enum config_id id, struct arena *arena);
const char *config_variable(enum config_id id, struct arena *arena);

/* config_file.c: "/etc/cordon/config.yaml:3", "CORDON_TIER". */
const char *config_place(const struct config_reader *r, unsigned line);
/* "PLACE:LINE: ..."; returns -1. */
int config_complain(struct config_reader *r, unsigned line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* With a sink: reports the error and returns 0. Without one: -1. */
int config_report(struct config_reader *r);

/* Reads a whole file, malloc'd. *RET is NULL if the file does not exist. */
int config_file_operator(char **ret, size_t *ret_len, struct err *err);
int config_file_user(const char *path, char **ret, size_t *ret_len, struct err *err);
int config_file_draft(const char *path, char **ret, size_t *ret_len, struct err *err);

#endif
