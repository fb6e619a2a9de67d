/* SPDX-License-Identifier: MIT
 *
 * The rules a command works with: those it was given, or else the pack that was fetched and the
 * built-in one; and the engine made of them. Whoever shows a result also shows where its rules came
 * from: a scan with other rules than one thinks is no scan.
 */
#ifndef CORDON_CLI_PACKS_H
#define CORDON_CLI_PACKS_H

#include <sys/types.h>

#include "cli/cli.h"
#include "detect/engine.h"

enum { PACKS_SOURCES_MAX = REQUEST_LIST_MAX * 2 };

struct packs_source {
	const char *kind; /* given, fetched or built-in */
	const char *path;
	size_t rules;
};

struct packs {
	bool fresh; /* set before loading: the YAML is read, whatever is on disk */
	struct pack pack;
	size_t sourcec;
	struct packs_source source[PACKS_SOURCES_MAX];
	struct arena arena; /* paths, patterns */
	struct db *db;
	struct engine *engine;
	struct engine_thread *thread;
	size_t refused; /* patterns that are no expressions */
	struct err first_refused;
};

/* SET is zeroed. DIRECTORIES come first, then --rules; without both, the default packs. That there
 * are none at all is ERR_USAGE. */
int packs_load(struct packs *set, const struct cli_call *call, const char *const *directories,
	       size_t count, const struct pack_options *options, struct err *err);
/* Makes the engine of what was loaded; its rules must not change from now on. */
int packs_start(struct packs *set, const struct engine_options *options, struct err *err);
void packs_done(struct packs *set);

/* The path and all above it. */
int packs_make_directories(const char *path, mode_t mode, struct err *err);
/* packs_cache.c: what it takes time to make is found on disk, or left there for the next time. The
 * rules in PATH, which are added to SET's pack: */
int packs_rules(struct packs *set, const char *path, const struct pack_options *options,
		struct err *err);
/* SET's database: */
int packs_database(struct packs *set, const struct db_pattern *patterns, size_t count,
		   db_refused_fn *refused, struct err *err);

/* Where fetched packs live, without a slash at its end; "" when there is no home. */
const char *packs_data_dir(struct arena *arena);
/* The name of the fetched pack's directory in it. */
#define PACKS_FETCHED "agent-threat-rules"

#endif
