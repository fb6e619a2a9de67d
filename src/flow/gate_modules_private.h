/* SPDX-License-Identifier: MIT
 *
 * What the readers of gate_modules.c share: files of the workspace that code of one language takes
 * in, and the text in which they are named. A language is a row with the words that take something in.
 * Where such a word is given a constant, that is the file. Where it is given anything else, it may be
 * every file that the code names anywhere (TAKES), and every script of that language (ALL).
 */
#ifndef CORDON_FLOW_GATE_MODULES_PRIVATE_H
#define CORDON_FLOW_GATE_MODULES_PRIVATE_H

#include <string.h>

#include "flow/gate.h"

enum {
	MODULE_NAME_MAX = 256, /* bytes of a module's whole name, and of its file's */
	MODULE_BELOW_MAX = 16, /* directories in which names are looked for */
};

struct module_language;

struct modules {
	struct gate *g;
	const struct module_language *language;
	int dir;	/* the workspace */
	size_t names;	/* that were looked for */
	size_t words;	/* that were tried as names */
	size_t entries; /* of directories that were listed */
	size_t found;	/* of them that are there */
	size_t count;	/* files that were read */
	const char *path[GATE_MODULES_MAX];
	struct text text[GATE_MODULES_MAX];  /* malloc'd */
	size_t belowc;			     /* directories that it names, with a slash; */
	const char *below[MODULE_BELOW_MAX]; /* the first is the workspace itself: "" */
	bool more;			     /* there is something that was not read */
	bool takes;			     /* it may take in whatever it names */
	bool all;			     /* and what it does not name */
	bool any;	      /* the same, and that is told: nobody knows what runs */
	bool foreign;	      /* those that are walked through: code of others */
	unsigned seen;	      /* of what leads there, if that takes more than one word */
	const char *archives; /* the text that was looked through for them */
	bool moved;	      /* it goes to another directory before it takes something in */
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
	/* How names of its files end, for when it may be any of them. */
	const char *const *ends;
	/* What may follow a name to make it a file's. */
	const char *const *follow;
	/* Signs that may stand within a word and mean nothing. */
	const char *quotes;
	/* What is in a directory that it names, once it has moved; or NULL. */
	int (*add_below)(struct modules *m, const char *below, struct err *err);
	/* Where code of others is, which takes in this and that for reasons of its own; or NULL. */
	const char *foreign;
	/* A package's own description, if its files have one; or NULL. */
	const char *package;
	int (*read_package)(struct modules *m, const char *base, struct text text, struct err *err);
};
extern const struct module_language module_python, module_shell, module_node;

static inline bool is_in(const char *set, char c)
{
	return c && strchr(set, c);
}

static inline bool begins(struct text t, const char *with)
{
	return t.len >= strlen(with) && memcmp(t.s, with, strlen(with)) == 0;
}

/* A file of the workspace, if it is there. */
int modules_add_file(struct modules *m, const char *path, struct err *err);
/* One more name is looked for. false: it is one too many, and that is told. */
bool modules_may_look(struct modules *m);
bool modules_is_word(char c);
bool modules_has_end(struct text name, const char *end);

/* gate_modules_names.c */
/* A path that the text names: of one that is computed its constant end. */
int modules_add_path(struct reader *r, struct text path, const char *const *follow,
		     struct err *err);
/* Is that a file where R's text is, and neither a link nor a directory? */
bool modules_is_plain(struct reader *r, struct text path);
/* Everything in R's text that may be a file's name. */
int modules_add_words(struct reader *r, struct err *err);
/* A text without the signs that hide its words; the caller frees it. They hide none: *RET stays. */
int modules_plain_text(const struct modules *m, struct text text, char **ret, size_t *ret_len,
		       struct err *err);
/* Nobody knows what it takes in. */
void modules_take_computed(struct modules *m);

/* gate_modules_calls.c: calls of Node and Python, which are written alike. */
enum call_given { GIVEN_NOTHING, GIVEN_CONSTANTS, GIVEN_COMPUTED };
/* What stands between the round brackets that AT is behind of. */
enum call_given modules_given(struct reader *r, const char *at);
/* The same of the word that R is behind of, if it is called; NOTHING: it is not. A value that is handed
 * on is COMPUTED; in a sentence it is neither. */
enum call_given modules_call(struct reader *r);
/* Behind blanks and comments. Comments that are too long hide something. */
const char *modules_skip(struct reader *r, const char *at);
/* It takes in what it is given, unless that stands there. */
int modules_read_taker(struct reader *r, struct err *err);
/* Whoever has such a word means it. */
int modules_read_loader(struct reader *r, struct err *err);

#endif
