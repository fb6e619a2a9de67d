/* SPDX-License-Identifier: MIT
 *
 * What the readers of gate_modules.c share: files of the workspace that code of one language takes
 * in, and the text in which they are named. A language is a row with the words after which they
 * are.
 */
#ifndef CORDON_FLOW_GATE_MODULES_PRIVATE_H
#define CORDON_FLOW_GATE_MODULES_PRIVATE_H

#include "flow/gate.h"

enum { MODULE_NAME_MAX = 256 }; /* bytes of a module's whole name, and of its file's */

struct module_language;

struct modules {
	struct gate *g;
	const struct module_language *language;
	int dir;      /* the workspace */
	size_t names; /* that were looked for */
	size_t count; /* files that were read */
	const char *path[GATE_MODULES_MAX];
	struct text text[GATE_MODULES_MAX]; /* malloc'd */
	bool more;			    /* there is something that was not read */
	bool any;   /* it takes in what could not be found out: it may be any of its language */
	bool moved; /* it goes to another directory before it takes something in */
};

/* What is read next. AT is behind what was read. */
struct reader {
	struct modules *m;
	const char *base; /* the directory of the file that is read, with a slash; "" */
	const char *begin, *at, *end;
};

/* After a word: what it names. */
struct module_word {
	const char *word; /* a name, or one other character */
	int (*read)(struct reader *r, struct err *err);
};

struct module_language {
	const char *name;
	const struct module_word *words;
	size_t wordc;
	/* What is taken in though no text names it, or NULL. */
	int (*begin)(struct modules *m, struct err *err);
	/* How names of its files end, for when it may be any of them. NULL: that is not so. */
	const char *const *ends;
};
extern const struct module_language module_python, module_shell, module_node;

/* A file of the workspace, if it is there. */
int modules_add_file(struct modules *m, const char *path, struct err *err);
/* One more name is looked for. false: it is one too many, and that is told. */
bool modules_may_look(struct modules *m);
bool modules_is_word(char c);

#endif
