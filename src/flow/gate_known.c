/* SPDX-License-Identifier: MIT
 *
 * What lies in a directory that a run is given: bytes that somebody has read, or that a run wrote, are
 * what they are wherever they were put. Every file in it is looked at and not only what the code names:
 * there are more ways to run a file than anybody can list. Nothing is read where nothing is known, and
 * no file that has another size than all that is known. What cannot be looked at is unknown, and said.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/scope.h"
#include "base/walk.h"
#include "flow/gate.h"

struct knowing {
	struct gate *g;
	struct file_sizes *sizes;
	uint64_t left; /* bytes that may still be hashed */
};

/* Whoever is at its other end says what the run reads. */
static void join_fifo(struct gate *g)
{
	struct label unknown = label_unknown();

	gate_join_input(g, &unknown,
			"a pipe lies in what it is given, and nobody knows who feeds it");
}

static bool skips(void *ctx, const struct stat *st)
{
	const struct knowing *k = ctx;

	gate_join_lost(k->g, st);
	if (S_ISFIFO(st->st_mode))
		join_fifo(k->g);
	return !S_ISREG(st->st_mode) || !file_sizes_has(k->sizes, (uint64_t)st->st_size);
}

static void keep_hostile(struct gate *g, const char *path)
{
	if (g->hostilec == GATE_HOSTILE_MAX)
		return;
	g->hostile[g->hostilec++] = arena_dup(&g->arena, path);
}

static int visit_file(struct knowing *k, const struct walk_entry *e, struct err *err)
{
	uint8_t sha256[KEEPER_SHA256];
	struct file_key key = {e->st.st_dev, e->st.st_ino, sha256, (uint64_t)e->st.st_size};
	struct label label;
	bool known = false;

	if (key.bytes > k->left)
		return err_set(err, ERR_LIMIT, "over %d MB of its files have a size that is known",
			       GATE_KNOWN_BYTES >> 20);
	k->left -= key.bytes;
	AUTO_CLOSE int fd = walk_reopen(e);
	if (fd < 0)
		return walk_unreadable(e, err);
	if (payload_hash_file(fd, sha256, err) < 0 ||
	    file_label_find(&k->g->state.keeper, &key, &label, &known, err) < 0)
		return -1;
	if (known)
		gate_join_input(k->g, &label,
				"a file it is given has bytes that were read, or "
				"that an untrusted run wrote");
	if (known && label.integrity == INTEGRITY_HOSTILE)
		keep_hostile(k->g, e->path);
	return 0;
}

/* A directory that was moved here is still where a run could write. */
static int visit(void *ctx, const struct walk_entry *e, struct err *err)
{
	struct knowing *k = ctx;

	return S_ISDIR(e->st.st_mode) ? gate_join_mark(k->g, DIR_WRITTEN, &e->st, err)
				      : visit_file(k, e, err);
}

int gate_join_known(struct gate *g, int dir, struct err *err)
{
	AUTO_FREE struct file_sizes *sizes = malloc(sizeof(*sizes));
	struct knowing k = {.g = g, .sizes = sizes, .left = GATE_KNOWN_BYTES};
	struct walk_to to = {
		.entries = GATE_KNOWN_ENTRIES, .skips = skips, .visit = visit, .ctx = &k};
	struct label unknown = label_unknown();
	uint64_t seen;
	struct err why;

	if (!sizes)
		return err_memory(err);
	if (file_sizes_load(&g->state.keeper, sizes, err) < 0)
		return -1;
	/* Also where nothing is known of any file: a pipe, or what a lost run wrote, is seen by what
	 * it is. */
	if (walk(dir, &to, &seen, &why) == 0)
		return 0;
	if (why.code != ERR_LIMIT && why.code != ERR_INPUT) {
		*err = why;
		return -1;
	}
	gate_join_input(g, &unknown,
			arena_printf(&g->arena, "nobody can look through what it is given: %s",
				     why.message));
	return 0;
}

static int look_up_word(struct gate *g, const void *word, size_t len, struct err *err)
{
	uint8_t sha256[KEEPER_SHA256];
	struct file_key key = {.sha256 = sha256, .bytes = len};
	struct label label;
	bool known = false;

	digest_of(sha256, word, len);
	if (file_label_find(&g->state.keeper, &key, &label, &known, err) < 0)
		return -1;
	if (known)
		gate_join_input(g, &label,
				"an argument or a variable of it has bytes that were read, or that "
				"an untrusted run wrote");
	if (known && label.integrity == INTEGRITY_HOSTILE)
		keep_hostile(g, "(arguments)");
	return 0;
}

/* A shell takes the last newline away when it makes a word of a file. */
static int join_word(struct gate *g, const struct file_sizes *sizes, const char *word,
		     struct err *err)
{
	size_t len = strlen(word);

	if (len >= FILE_HASH_MIN && file_sizes_has(sizes, len) &&
	    look_up_word(g, word, len, err) < 0)
		return -1;
	if (len < FILE_HASH_MIN || !file_sizes_has(sizes, len + 1))
		return 0;
	const char *line = arena_printf(&g->arena, "%s\n", word);
	if (g->arena.failed)
		return err_memory(err);
	return look_up_word(g, line, len + 1, err);
}

int gate_join_words(struct gate *g, struct err *err)
{
	const struct request *r = g->req;
	AUTO_FREE struct file_sizes *sizes = NULL;

	if (!r->argc && !r->envc)
		return 0;
	sizes = malloc(sizeof(*sizes));
	if (!sizes)
		return err_memory(err);
	if (file_sizes_load(&g->state.keeper, sizes, err) < 0)
		return -1;
	for (size_t i = 0; i < r->argc; i++)
		if (join_word(g, sizes, r->argv[i], err) < 0)
			return -1;
	for (size_t i = 0; i < r->envc; i++) {
		const char *value = strchr(r->env[i], '=');
		if (value && join_word(g, sizes, value + 1, err) < 0)
			return -1;
	}
	return 0;
}

/* Is it the name of that file, without its ending, or of a directory before it? */
static bool is_part(const char *path, const char *name, size_t len)
{
	for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
		if (strncmp(at, name, len) == 0 && strchr("./", at[len]))
			return true;
	return false;
}

static bool is_imported(const struct gate *g, const char *path)
{
	for (size_t i = 0; i < g->look.effectc; i++) {
		const struct code_effect *e = &g->look.effect[i];
		if (e->kind != EFFECT_IMPORT)
			continue;
		for (const char *at = e->value; *at;) {
			size_t len = strcspn(at, ".");
			if (len && is_part(path, at, len))
				return true;
			at += len + (at[len] == '.');
		}
	}
	return false;
}

/* May it run what it is given? */
static bool runs_given(const struct gate *g)
{
	return g->bp->payload.is_program || g->makes.makes == MAKES_CODE ||
	       !view_has_language(g->bp->profile->name);
}

void gate_join_pipe(struct gate *g)
{
	struct label unknown = label_unknown();

	if (!g->bp->input_is_fixed && runs_given(g))
		gate_join_input(g, &unknown,
				"it may run what comes through a pipe, which nobody has looked at");
}

const char *gate_runs_hostile(const struct gate *g)
{
	bool runs = runs_given(g) || g->hostilec == GATE_HOSTILE_MAX;

	for (size_t i = 0; i < g->hostilec; i++)
		if (runs || is_imported(g, g->hostile[i]))
			return g->hostile[i];
	return NULL;
}
