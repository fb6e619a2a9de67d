/* SPDX-License-Identifier: MIT
 *
 * A keeper with a store of its own in a scratch directory: the real one, on SQLite, or in the database
 * server that CORDON_STORE_URL names, as in tests/store. A helper that fails ends the program.
 */
#ifndef CORDON_UNIT_TRUST_CASE_H
#define CORDON_UNIT_TRUST_CASE_H

#include <sys/wait.h>

#include "scratch.h"
#include "tap.h"
#include "trust/source.h"

struct trust_case {
	const char *dir;
	int fd;
	struct keeper k;
};

static inline struct store *case_store(struct trust_case *c)
{
	struct store_options o = {
		.wait_ms = 10000, .url = getenv("CORDON_STORE_URL"), .dir = c->fd};
	struct store *s = NULL;
	struct err err = {0};

	if (store_open(&o, &s, &err) < 0)
		printf("# %s: %s\n", err.message, err.cause);
	scratch_must(s != NULL, "opening the store");
	return s;
}

static inline void case_open(struct trust_case *c)
{
	c->dir = scratch_enter();
	if (getenv("CORDON_STORE_URL"))
		scratch_must(system("psql -qX -c 'SET client_min_messages = error' -c 'DROP SCHEMA "
				    "IF EXISTS cordon CASCADE' \"$CORDON_STORE_URL\" >/dev/null") ==
				     0,
			     "dropping what was there");
	scratch_must(chmod(".", 0700) == 0, "chmod");
	c->fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	keeper_init(&c->k, case_store(c));
}

static inline void case_close(struct trust_case *c)
{
	store_close(c->k.store);
	close(c->fd);
	scratch_leave(c->dir);
}

static inline void case_done(bool done, const struct err *err)
{
	if (!done)
		printf("# %s: %s\n", err->message, err->cause);
	scratch_must(done, "a step");
}

static inline struct conversation case_begin(struct trust_case *c, const char *title)
{
	struct conversation conversation;
	struct err err = {0};

	conversation_init(&conversation, "uid:1000", title, 1000);
	case_done(conversation_begin(&c->k, &conversation, &err) == 0, &err);
	return conversation;
}

/* WORK in COUNT processes, each with a store of its own, all at the same time: how many returned 0. */
static inline int case_race(struct trust_case *c, int count,
			    int (*work)(struct trust_case *c, int i))
{
	int won = 0, go[2];
	char byte;

	scratch_must(pipe2(go, O_CLOEXEC) == 0, "a pipe");
	fflush(stdout);
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();
		scratch_must(pid >= 0, "a child");
		if (pid > 0)
			continue;
		struct trust_case own = *c;
		keeper_init(&own.k, case_store(&own));
		close(go[1]);
		_exit(read(go[0], &byte, 1) == 0 ? work(&own, i) : 2);
	}
	close(go[1]);
	close(go[0]);
	for (int i = 0, status; i < count; i++) {
		scratch_must(wait(&status) > 0 && WIFEXITED(status) && WEXITSTATUS(status) < 2,
			     "a racer");
		won += WEXITSTATUS(status) == 0;
	}
	return won;
}

#endif
