/* SPDX-License-Identifier: MIT
 *
 * Rules and engines for a test program, started as Cordon starts them, but without the user's
 * cache. What goes wrong here is the end of the program: a test without its rules says nothing.
 */
#ifndef CORDON_UNIT_START_H
#define CORDON_UNIT_START_H

#include <stdio.h>
#include <stdlib.h>

#include "detect/packs.h"

static inline void must(bool good, const char *what, const struct err *err)
{
	if (good)
		return;
	fprintf(stderr, "%s: %s\n", what, err->message);
	exit(125);
}

/* SET is zeroed; DIRECTORY must stay. */
static inline void start_rules(struct packs *set, const char *const *directory, size_t count,
			       const struct pack_options *options)
{
	struct packs_options packs = {
		.directory = directory, .directories = count, .pack = *options};
	struct err err = {0};

	must(packs_load(set, &packs, &err) == 0, directory[0], &err);
	must(packs_compile(set, &err) == 0, directory[0], &err);
}

/* One more engine of these rules. */
struct started {
	struct engine *engine;
	struct engine_thread *thread;
};

static inline struct started start_engine(const struct packs *set, enum detect_mode mode,
					  enum lane lane)
{
	struct engine_options options = {.mode = mode, .lane = lane};
	struct started s = {0};
	struct err err = {0};

	must(packs_engine(set, &options, &s.engine, &s.thread, &err) == 0, "engine", &err);
	return s;
}

static inline void started_done(struct started *s)
{
	engine_thread_free(s->thread);
	engine_free(s->engine);
}

#endif
