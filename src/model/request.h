/* SPDX-License-Identifier: MIT
 *
 * The request: what every front door turns its input into.
 */
#ifndef CORDON_MODEL_REQUEST_H
#define CORDON_MODEL_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/gate_terms.h"
#include "model/spec.h"

#define REQUEST_LIST_MAX 256
#define REQUEST_TOOLCHAINS_MAX 32
#define REQUEST_PATHS_MAX 64
#define REQUEST_RW_MAX 16
/* The words of two commands, and a secret for each. */
#define REQUEST_RESERVED_MAX 66

struct store;
struct err;

/* What the box may execute, and what it shows for that: the profile of execution. */
enum execution {
	EXECUTION_OF_LANG, /* what the language's row says */
	EXECUTION_SNIPPET, /* the listed programs only */
	EXECUTION_DEV,	   /* every program of the system, the toolchains and the workspace */
	EXECUTION_COUNT,
};

/* Text that a running program reads. */
enum typed { TYPED_NOT, TYPED_TEXT, TYPED_COMMANDS };

/* How people are notified of a request and of its end; SEND NULL: they are not notified. */
struct request_notice {
	int (*send)(const void *ctx, struct store *s, const char *approval, struct err *err);
	const void *ctx;
};

struct request {
	const char *lang; /* NULL: by the file's name */
	const char *file; /* "-": standard input */
	const char *code; /* the code itself, of CODE_LEN bytes; NULL: FILE is read */
	size_t code_len;
	enum tier tier;
	uint64_t limit[LIMIT_COUNT];
	bool creates_box;	/* only creates a live box, for later programs: no code, no input */
	bool is_login;		/* a start in such a box: by a login shell */
	const char *arg0;	/* the name of that shell, or NULL */
	enum typed typed;	/* for a program of such a box: nothing starts */
	const char *cwd;	/* where the program starts; NULL: the workspace */
	unsigned rows, cols;	/* of the terminal that the program gets; 0: none */
	const char *stdin_file; /* NULL: empty */
	const char *input;	/* standard input itself, of INPUT_LEN bytes; NULL: STDIN_FILE */
	size_t input_len;
	enum execution execution;
	bool isolated; /* only the interpreter and its standard library, no other package of the host */
	const char *workspace; /* directory on the host, or NULL */
	enum workspace_mode workspace_mode;
	bool whole; /* the workspace may be a home directory or the like */
	const char *venv;
	size_t toolchainc;
	const char *toolchain
		[REQUEST_TOOLCHAINS_MAX]; /* directories of programs, for the profile dev */
	const char
		*keep; /* the name of the home directory that is kept for the workspace; or NULL */
	const char *home; /* the gate: that directory on the host */
	size_t roc, rwc, hidec;
	const char *ro[REQUEST_PATHS_MAX]; /* more files and directories of the host, read-only */
	const char *rw[REQUEST_RW_MAX];	   /* more directories of the host, written to directly */
	/* the gate: bits of RW that the run may not write to. The box shows them read-only. */
	uint32_t rw_withheld;
	const char *hide[REQUEST_PATHS_MAX]; /* paths of what is shown that stay empty */
	bool diff, apply;  /* list the changes; apply them afterwards, if that is allowed */
	bool telemetry;	   /* the interpreter reports what the program does */
	bool hash_program; /* the caller wants the hash of a program that is not copied */
	size_t argc, envc, execc, netc, secretc;
	const char *const *argv; /* the program's arguments */
	const char *env[REQUEST_LIST_MAX];
	const char *exec[REQUEST_LIST_MAX];
	const char *net[REQUEST_LIST_MAX];    /* HOST:PORT that the program may connect to */
	const char *secret[REQUEST_LIST_MAX]; /* names of the policy's secrets for the program */
	/* for the gate */
	const char *reads; /* standard output is this file, which an agent reads; or NULL */
	const char *title, *purpose; /* the host's and the agent's text for approvers; or NULL */
	const char *conversation;    /* the id; NULL: the run is a conversation of its own */
	bool is_users;		     /* the user typed it, or the host attests that */
	bool is_exposed;    /* the host attests that the conversation read untrusted text */
	const char *plan;   /* a plan's id, or NULL */
	const char *policy; /* a file, or NULL */
	const char *state;  /* the state directory, or NULL: the user's */
	size_t rulesc;
	const char *rules[REQUEST_LIST_MAX]; /* directories; none: the default packs */
	bool wait;			     /* wait for the answer of people */
	struct request_notice notice;
	/* Files that the configuration names: commands and secrets of messages. No box gets them. */
	size_t reservedc;
	const char *reserved[REQUEST_RESERVED_MAX];
};

/* Is its box one that starts programs when it is told to? A terminal of the box's own needs that. */
static inline bool request_has_live_box(const struct request *r)
{
	return r->creates_box || r->rows;
}

/* Does the request name a host or a secret? */
static inline bool request_connects(const struct request *r)
{
	return r->netc || r->secretc;
}

/* May the run write to the directory RW[I]? */
static inline bool request_writes(const struct request *r, size_t i)
{
	return !(r->rw_withheld >> i & 1);
}

/* Sets every limit to its default. */
void request_init(struct request *r);

#endif
