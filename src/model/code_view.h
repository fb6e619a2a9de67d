/* SPDX-License-Identifier: MIT
 *
 * The code view of a program: its canonical text, and the effects that its text shows. src/read makes
 * it; rules, evidence and people get it.
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
	VIEW_TIME_MS = 6000,   /* of the processor: a net too, the reader counts its steps */
	VIEW_WALL_MS = 20000,  /* for a machine that is busy: only a net */
	VIEW_MEMORY = 256 << 20,
};

/* What a program would do, as far as its text tells. The names are those of JSON. */
enum effect_kind {
	EFFECT_IMPORT,	/* a module */
	EFFECT_PROGRAM, /* a program it starts */
	EFFECT_HOST,	/* a host, an address or a URL in a string */
	EFFECT_READ,	/* a path it reads */
	EFFECT_WRITE,	/* a path it writes, moves or deletes */
	EFFECT_PATH,	/* a path in a string, used for anything */
	EFFECT_ENV,	/* the name of an environment variable */
	EFFECT_DYNAMIC, /* eval, exec, ctypes, pickle and the like: what does it */
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
	const char *reason;		  /* in words why it is not whole; "" */
	bool limited;	    /* by a maximum of ours: what was left out may well run elsewhere */
	struct arena arena; /* owns all of it */
};

/* Makes code views. src/read has the one that there is; a scan without a reader makes none. */
struct code_reader {
	bool (*has_language)(const char *lang);
	/* 0: *RET holds a text, see its state. -1: there is none, *RET is empty but for the line, and ERR
	 * says why: ERR_INPUT, the program cannot be parsed; ERR_LIMIT, it was too much for the reader. */
	int (*read)(const char *lang, const char *code, size_t len, struct code_view *ret,
		    struct err *err);
};

void code_view_done(struct code_view *v);
const char *effect_name(enum effect_kind kind);

#endif
