/* SPDX-License-Identifier: MIT
 *
 * Language profiles, one row each: the interpreter, the paths of the host that its programs need, the
 * reader of its code, and its files. A new language is one row. A request extends its profile and
 * never replaces it.
 */
#ifndef CORDON_CONF_PROFILE_H
#define CORDON_CONF_PROFILE_H

#include <stdbool.h>

#include "model/request.h"
#include "model/spec.h"

/* When a bind counts, beside the flags of enum bind_flag. */
enum { WHEN_EXEC = 64, WHEN_NO_EXEC = 128, WHEN_FLAGS = WHEN_EXEC | WHEN_NO_EXEC };

struct profile_bind {
	const char *path; /* the same in the box; "@" stands for the interpreter's file name */
	unsigned flags;
};

struct profile {
	const char *name, *help;
	const char *interpreter; /* NULL: the file itself is the program */
	const char *args[3];	 /* before the payload's path */
	const char *isolated[5]; /* the same for a request that is isolated */
	const char *package;	 /* what to install when the interpreter is missing */
	const char *target;	 /* where the payload appears, without suffix */
	const char *suffixes; /* of file names that mean this language; the first is the target's */
	const char *venv;     /* its interpreter below a virtualenv; NULL: it knows none */
	const char *make_venv; /* the command that makes one */
	const char *path_env;  /* the variable that names where modules are, or NULL */
	const char *reader;    /* makes its code view; NULL: none, its code is scanned as text */
	const char *scanned_suffixes;	     /* more suffixes of its files, for a scan; or NULL */
	const char *const *scanned_names;    /* files that it reads by their name; or NULL */
	const char *const *scanned_programs; /* in the first line of its files; or NULL */
	bool is_shell;			     /* its code is a list of commands */
	bool is_dev; /* its profile of execution is dev, unless the request says otherwise */
	bool runs_any_bytes; /* it also runs archives and compiled code, whatever their name */
	bool has_boot;	     /* its interpreter can load our modules (runtime/boot) */
	bool reads_cookie;   /* a comment of the first two lines can name another encoding */
	unsigned spec_flags;
	const struct profile_bind *binds; /* ended by a row without path */
	const char *const *programs;	  /* may be started; NULL-terminated or NULL */
	const char *const *env;		  /* as profile_common_env */
};

/* NULL if NAME is not a profile. */
const struct profile *profile_find(const char *name);
/* By suffix; NULL if no suffix fits. */
const struct profile *profile_guess(const char *file);
/* By the words of a first line, such as "/usr/bin/env python3 -u"; NULL if no name fits. */
const struct profile *profile_guess_program(const char *words);
/* The I-th profile, or NULL past the end. */
const struct profile *profile_at(unsigned i);

/* The profile of execution of a request: is it dev? */
bool profile_is_dev(const struct profile *p, const struct request *r);

/* What every box gets. */
extern const struct profile_bind profile_common_binds[];
/* "@" stands for the home directory, "%" for that of temporary files. */
extern const char *const profile_common_env[];
/* In the profile dev instead of these and of the language's own. */
extern const struct profile_bind profile_dev_binds[];
extern const char *const profile_dev_env[];
extern const struct spec_file profile_dev_files[];  /* before those */
extern const struct spec_file profile_kept_files[]; /* before those: with a kept home directory */
/* Where people's toolchains are, below the home directory of the account. */
struct profile_toolchain {
	const char *dir;
	const char *programs; /* for PATH: a directory below it, "" itself; or NULL */
	const char *variable; /* that names it; or NULL */
};
extern const struct profile_toolchain profile_toolchains[]; /* ended by a row without DIR */
extern const struct spec_file profile_common_files[];
/* What a box with a network gets besides, and before those. */
extern const struct profile_bind profile_net_binds[];
extern const struct spec_file profile_net_files[];
/* The dynamic loader: started by the kernel, never by name. */
extern const char *const profile_loaders[];

#endif
