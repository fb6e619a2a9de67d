/* SPDX-License-Identifier: MIT
 *
 * The code view of a program: its canonical text, and the effects found in it. src/read makes it; the
 * rules scan it, the evidence compares it, and people are shown it.
 */
#ifndef CORDON_MODEL_CODE_VIEW_H
#define CORDON_MODEL_CODE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/layer.h"

enum {
	VIEW_CODE_MAX = 16 << 20, /* bytes of code */
	VIEW_TEXT_MAX = 8 << 20,  /* bytes of canonical text */
	VIEW_EFFECTS_MAX = 4096,
	VIEW_VALUE_MAX = 1024, /* bytes of one effect's value, and of a reason */
	VIEW_TIME_MS = 6000,   /* CPU time; a second bound, because the reader counts its steps */
	VIEW_WALL_MS = 20000,  /* a second bound, for a busy machine */
	VIEW_MEMORY = 256 << 20,
};

/* What the program would do according to its text. The names are those in JSON. */
enum effect_kind {
	EFFECT_IMPORT,	/* a module */
	EFFECT_PROGRAM, /* a program it starts */
	EFFECT_HOST,	/* a host, an address or a URL in a string */
	EFFECT_READ,	/* a path it reads */
	EFFECT_WRITE,	/* a path it writes, moves or deletes */
	EFFECT_PATH,	/* a path in a string, used for anything */
	EFFECT_ENV,	/* the name of an environment variable */
	EFFECT_DYNAMIC, /* code made at run time: eval, exec, ctypes, pickle ... */
	EFFECT_NETWORK, /* a call or a program that talks to the network */
	EFFECT_KINDS,
};

struct code_effect {
	enum effect_kind kind;
	unsigned line; /* of the code, from 1 */
	const char *value;
};

/* The zero value: there is no view. */
enum code_view_state {
	CODE_VIEW_NONE,
	CODE_VIEW_PART, /* not all of the code could be read, or a limit was reached: see reason */
	CODE_VIEW_WHOLE,
};

struct code_view {
	enum code_view_state state;
	enum tier tier;	  /* in which the parser ran */
	const char *text; /* canonical, UTF-8, one statement a line; NUL after its end */
	size_t text_len;
	size_t effectc;
	const struct code_effect *effect; /* each kind and value once, at its first line */
	unsigned line;			  /* of the code, where reading failed; 0: not one line */
	const char *reason;		  /* why the view is not complete; or "" */
	bool limited;	    /* by one of our maxima; the program may run nevertheless */
	struct arena arena; /* owns all of it */
};

/* Makes code views; src/read has the only one. A scan without a reader makes none. */
struct code_reader {
	bool (*has_language)(const char *lang);
	/* 0: *RET has a text; see its state. -1: *RET has only the line, and ERR the reason. ERR_INPUT: the
	 * program cannot be parsed. ERR_LIMIT: the reader reached one of its maxima. */
	int (*read)(const char *lang, const char *code, size_t len, struct code_view *ret,
		    struct err *err);
};

void code_view_done(struct code_view *v);
const char *effect_name(enum effect_kind kind);

#endif
