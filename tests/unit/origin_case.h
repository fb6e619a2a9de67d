/* SPDX-License-Identifier: MIT
 *
 * A keeper with a store of its own in a scratch directory: the real one, on SQLite, or in the database
 * server that CORDON_STORE_URL names, as in tests/store. A helper that fails ends the program.
 */
#ifndef CORDON_UNIT_ORIGIN_CASE_H
#define CORDON_UNIT_ORIGIN_CASE_H

#include "origin/filelabel.h"
#include "origin/origin.h"
#include "origin/source.h"
#include "scratch.h"
#include "tap.h"

struct origin_case {
	const char *dir;
	int fd;
	struct keeper k;
};

static inline void case_open(struct origin_case *c)
{
	struct store_options o = {.wait_ms = 10000, .url = getenv("CORDON_STORE_URL")};
	struct store *s = NULL;
	struct err err = {0};

	c->dir = scratch_enter();
	if (o.url)
		scratch_must(system("psql -qX -c 'SET client_min_messages = error' -c 'DROP SCHEMA "
				    "IF EXISTS cordon CASCADE' \"$CORDON_STORE_URL\" >/dev/null") ==
				     0,
			     "dropping what was there");
	scratch_must(chmod(".", 0700) == 0, "chmod");
	o.dir = c->fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (store_open(&o, &s, &err) < 0 || keeper_open(&c->k, s, c->fd, &err) < 0)
		printf("# %s: %s\n", err.message, err.cause);
	scratch_must(!err.code, "opening the store");
}

static inline void case_close(struct origin_case *c)
{
	store_close(c->k.store);
	keeper_done(&c->k);
	close(c->fd);
	scratch_leave(c->dir);
}

static inline void case_done(bool done, const struct err *err)
{
	if (!done)
		printf("# %s: %s\n", err->message, err->cause);
	scratch_must(done, "a step");
}

static inline struct domain case_domain(struct origin_case *c, const char *principal, char *handle)
{
	struct host_event e = {.authenticated = true, .principal = principal, .what = "test"};
	struct domain d;
	struct err err = {0};

	case_done(domain_new(&c->k, &e, handle, &d, &err) == 0, &err);
	return d;
}

static inline struct domain case_find(struct origin_case *c, const char *principal,
				      const char *handle, const char *name)
{
	struct domain_ask ask = {principal, handle, name};
	struct domain d;
	struct err err = {0};

	case_done(domain_find(&c->k, &ask, &d, &err) == 0, &err);
	return d;
}

/* TEXT as a web page, with nothing known of it. */
static inline struct source case_read(struct origin_case *c, struct domain *d, const char *text,
				      enum grade grade)
{
	struct origin_text t = {.data = text, .len = strlen(text)};
	struct source_in in = {.kind = FROM_WEB,
			       .name = "https://x.example/",
			       .name_len = 18,
			       .text = &t,
			       .count = 1,
			       .label = label_unknown(),
			       .grade = grade};
	struct source_released r;
	struct err err = {0};

	case_done(source_commit(&c->k, d, &in, &r, &err) == 0, &err);
	return r.source;
}

/* What CODE would be, as the sentence asks it. */
static inline enum origin case_origin(struct origin_case *c, const struct domain *d,
				      const char *code)
{
	AUTO_SOURCES struct source_set set = {0};
	struct origin_text t = {.data = code, .len = strlen(code)};
	struct attribution a;
	struct origin_answer answer;
	struct err err = {0};

	case_done(source_set_load(&c->k, d, &set, &err) == 0, &err);
	enum tie *ties = calloc(set.count + 1, sizeof(*ties));
	enum integrity *of = calloc(set.count + 1, sizeof(*of));
	case_done(attribute(&t, 1, set.index, set.count, ties, &a, &err) == 0 &&
			  source_integrities(&c->k, &set, ties, of, &err) == 0,
		  &err);
	struct origin_ask ask = {.domain = d,
				 .declared = ORIGIN_COUNT,
				 .tie = ties,
				 .of_tied = of,
				 .sources = set.count};
	origin_of(&ask, &answer);
	free(ties);
	free(of);
	return answer.origin;
}

#endif
