/* SPDX-License-Identifier: MIT */
/*
 * What every attack probe shares: its arguments (key=value words planted by the runner), its
 * verdict, and its row in a table. A probe tries one thing that the box must stop. Its last line
 * is "HELD detail" (status 0) or "ESCAPED detail" (status 1).
 *
 * A probe must be bounded: it is also run against builds with a layer taken out, so even when it
 * gets through it must not harm the machine. It must never send anything beyond loopback.
 */
#ifndef ATTACKS_PROBE_H
#define ATTACKS_PROBE_H

#include <stddef.h>

#include "leaked.h"

struct args {
	int argc;
	char **argv;
};

struct probe {
	const char *name;
	int (*fn)(const struct args *args);
	const char *tries;
};

/* Value of key=value, or the fallback. */
const char *arg_text(const struct args *args, const char *key, const char *fallback);
long arg_number(const struct args *args, const char *key, long fallback);

/* Verdicts: print the last line and give the exit status. */
int held(const char *format, ...) __attribute__((format(printf, 1, 2)));
int escaped(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A call that had to fail: held with the errno's name if rc < 0, else escaped. */
int must_fail(const char *what, long rc);

/* Stricter: only an answer of "not permitted" or "no such call" holds. Any other errno means that
 * the kernel's own code ran and looked at the arguments: the call is reachable. */
int must_be_shut(const char *what, long rc);
int errno_is_shut(int error);

/* Opens path and shows what it holds, so that the runner sees a stolen token in the output. */
int must_not_read(const char *path);
int must_not_write(const char *path);
int show_stolen(const char *what, int fd);

/* Reads a whole small file; -1 and errno on failure. The text is always terminated. */
long slurp(const char *path, char *buffer, size_t size);

/* Copies this very program (a static one) to path with mode 0755; 0 or -1. */
int copy_self(const char *path);

/* Forks and runs attempt in the child. 0: some program was really executed; else the errno with
 * which the attempt came back. */
int try_exec(void (*attempt)(const void *what), const void *what);

/* How a forked child ended: its exit status, or 128 + signal. */
int child_status(int pid);

extern const struct probe files_probes[], proc_probes[], procs_probes[], kernel_probes[],
	exec_probes[], net_probes[], limits_probes[], floods_probes[], tty_probes[],
	memory_probes[], workspace_probes[], creds_probes[], kernelmem_probes[];

#endif
