/* SPDX-License-Identifier: MIT
 *
 * cordon trust and untrust: which directories a person trusts. Before a mark is cleared, the person is shown
 * which files changed since it was made.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/walk.h"
#include "cli/gate.h"
#include "cli/jsonval.h"
#include "cli/person.h"
#include "cli/shown.h"
#include "trust/directory.h"

enum {
	CHANGED_SHOWN = 50,
	TRUST_ENTRIES_MAX = 200000, /* files and directories that are looked at */
	TICK_US = 20000, /* a file's time may lag behind the clock by a tick of the kernel */
};

static const char *kind_name(enum directory_kind kind)
{
	static const char *const names[] = {"untrusted", "trusted", "marked"};

	return names[kind];
}

#define TOLD(function, expression) FIELD(function, struct directory, expression)
TOLD(told_path, jsonval_readable(v->path))
TOLD(told_kind, json_string(kind_name(v->kind)))
TOLD(told_since, jsonval_number(v->time_us / 1000))
TOLD(told_by, jsonval_readable(v->by))

const struct cli_field gate_trust_fields[] = {
	{"path", "the directory", told_path},
	{"state", "trusted, untrusted, or marked: exposed code changed it", told_kind},
	{"since", "ms since 1970", told_since},
	{"by", "the person; of a mark: the run", told_by},
	{0}};

static void print_entry(const struct directory *d)
{
	char when[GATE_TIME_MAX];

	printf("%-9s  ", kind_name(d->kind));
	shown_words(stdout, d->path);
	printf("  since %s by ", gate_time(d->time_us, when));
	shown_words(stdout, d->by);
	putchar('\n');
}

static int list(struct cli_call *call, struct gate_state *s, struct directories *d, struct err *err)
{
	if (directories_load(&s->keeper, d, err) < 0)
		return -1;
	if (call->json) {
		jsonval_print(json_pack(
			"{s:o}", "directories",
			jsonval_list(gate_trust_fields, d->list, sizeof(d->list[0]), d->count)));
		return 0;
	}
	for (size_t i = 0; i < d->count; i++)
		print_entry(&d->list[i]);
	return 0;
}

/* What a person is shown before a mark is cleared. */
struct changed {
	struct timespec since;
	size_t count, hidden; /* lines; and places that could not be looked at */
};

static void print_path(const char *words, const char *dir, const char *name, const char *end)
{
	fputs(words, stderr);
	shown_words(stderr, dir);
	fputs(*dir ? "/" : "", stderr);
	shown_words(stderr, name);
	fputs(end, stderr);
}

/* By the inode's time, which a program cannot set. A directory's time changes with the names in it. */
static int show_changed(void *ctx, const struct walk_entry *e, struct err *err)
{
	struct changed *c = ctx;
	const struct timespec *t = &e->st.st_ctim;

	(void)err;
	if (t->tv_sec < c->since.tv_sec ||
	    (t->tv_sec == c->since.tv_sec && t->tv_nsec < c->since.tv_nsec))
		return 0;
	if (c->count++ < CHANGED_SHOWN)
		print_path("  changed  ", "", e->len ? e->path : ".",
			   S_ISDIR(e->st.st_mode) ? "/\n" : "\n");
	return 0;
}

static void show_hidden(void *ctx, const char *dir, const char *name)
{
	struct changed *c = ctx;

	if (c->hidden++ < CHANGED_SHOWN)
		print_path("  cannot look at  ", dir, name, "\n");
}

/* The oldest mark at, below or above the directory: to trust it clears or outdates them all. 0: none. */
static uint64_t oldest_mark(const struct directories *d, const char *path)
{
	uint64_t oldest = 0;

	for (size_t i = 0; i < d->count; i++) {
		const struct directory *m = &d->list[i];
		if (m->kind == DIRECTORY_MARK &&
		    (directory_holds(path, m->path) || directory_holds(m->path, path)) &&
		    (!oldest || m->time_us < oldest))
			oldest = m->time_us;
	}
	return oldest;
}

static int show_marks(const struct directories *d, const struct directory_place *at, int fd,
		      struct err *err)
{
	uint64_t since = oldest_mark(d, at->path), entries;
	struct changed c = {0};
	struct walk_to to = {.entries = TRUST_ENTRIES_MAX,
			     .leaves = show_hidden,
			     .visit = show_changed,
			     .ctx = &c};

	if (!since)
		return 0;
	since -= TICK_US;
	c.since = (struct timespec){.tv_sec = (time_t)(since / 1000000),
				    .tv_nsec = (long)(since % 1000000) * 1000};
	fputs("exposed code could write here; what changed since (a changed directory may have "
	      "lost files):\n",
	      stderr);
	int r = walk(fd, &to, &entries, err);
	if (r < 0 && err->code != ERR_LIMIT)
		return -1;
	if (c.count > CHANGED_SHOWN)
		fprintf(stderr, "  and %zu more\n", c.count - CHANGED_SHOWN);
	if (c.hidden > CHANGED_SHOWN)
		fprintf(stderr, "  cannot look at %zu more\n", c.hidden - CHANGED_SHOWN);
	if (r < 0)
		fprintf(stderr, "  cannot look at the rest: %s\n", err->message);
	else if (!c.count && !c.hidden)
		fputs("  none\n", stderr);
	return 0;
}

static void record(const char *path, bool trusted, const struct person_act *act,
		   struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};
	struct err err;

	jcs_init(&j, RECORD_BODY_MAX);
	jcs_str(&j, "by", act->by);
	jcs_str(&j, "directory", path);
	jcs_str(&j, "state", trusted ? "trusted" : "untrusted");
	if (act->is_signed)
		approval_put_vote(&j, &act->word.vote);
	if (jcs_finish(&j, &err) < 0)
		tx->failed = err;
	else
		store_append(tx, RECORD_TRUST, NULL, 0, &j);
}

static int save(struct cli_call *call, struct gate_state *s, const struct directories *d,
		const struct directory *entry, const struct person_act *act, struct store_tx *tx,
		struct err *err)
{
	record(entry->path, entry->kind == DIRECTORY_TRUSTED, act, tx);
	directories_put(d, tx);
	if (store_commit(s->store, tx, err) < 0)
		return -1;
	if (call->json)
		jsonval_print(jsonval_object(gate_trust_fields, entry));
	else
		print_entry(entry);
	return 0;
}

/* A directory that is gone has only the path by which it is listed. */
static int forget(struct cli_call *call, struct gate_state *s, struct directories *d,
		  struct err *err)
{
	const char *path = call->argv[0];
	AUTO_TX struct store_tx tx = {0};
	struct person_act act = {0};
	int why = errno;

	if (directories_load(&s->keeper, d, err) < 0)
		return -1;
	if (!directory_forget(d, path)) {
		errno = why;
		err_errno(err, ERR_INPUT, "%.200s", path);
		err_cure(err, "name a directory that is gone as cordon trust list shows it");
		return -1;
	}
	snprintf(act.by, sizeof(act.by), "%s", s->principal);
	struct directory entry = {.kind = DIRECTORY_UNTRUSTED,
				  .path = path,
				  .time_us = s->keeper.now_us(),
				  .by = act.by};
	return save(call, s, d, &entry, &act, &tx, err);
}

/* To trust is an act of a person; to distrust needs none. */
static int set(struct cli_call *call, struct gate_state *s, struct directories *d, bool trusted,
	       struct err *err)
{
	AUTO_CLOSE int fd = open(call->argv[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_TX struct store_tx tx = {0};
	AUTO_FREE char *words = NULL;
	struct person_act act = {0};

	if (fd < 0 && !trusted && (errno == ENOENT || errno == ENOTDIR))
		return forget(call, s, d, err);
	if (fd < 0)
		return err_errno(err, ERR_INPUT, "%.200s", call->argv[0]);
	AUTO_FREE struct directory_place *at = calloc(1, sizeof(*at));
	if (!at)
		return err_memory(err);
	if (directory_find(fd, call->argv[0], at, err) < 0 ||
	    directories_load(&s->keeper, d, err) < 0)
		return -1;
	if (asprintf(&words, "Trust what is in %s: code that reads it stays clean.", at->path) < 0)
		return err_memory(err);
	act.words = words;
	if (trusted && show_marks(d, at, fd, err) < 0)
		return -1;
	if (trusted && person_agree(call, s, &act, &tx, err) < 0)
		return -1;
	if (!trusted)
		snprintf(act.by, sizeof(act.by), "%s", s->principal);
	if (directory_set(d, at, trusted, act.by, s->keeper.now_us(), err) < 0)
		return -1;
	return save(call, s, d, &d->list[d->count - 1], &act, &tx, err);
}

static int run(struct cli_call *call, bool trusted)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	AUTO_FREE struct directories *d = calloc(1, sizeof(*d));
	struct err err;
	int r = -1;

	if (!d)
		err_memory(&err);
	else if (call->argc != 1) {
		err_set(&err, ERR_USAGE, "which directory?");
		err_cure(&err,
			 trusted ? "cordon trust DIR, or cordon trust list" : "cordon untrust DIR");
	} else if (gate_begin(call, GATE_WRITES, &s, &err) == 0) {
		r = trusted && strcmp(call->argv[0], "list") == 0 ? list(call, &s, d, &err)
								  : set(call, &s, d, trusted, &err);
	}
	if (d)
		directories_done(d);
	return r == 0 ? 0 : gate_fail(call, &err);
}

int cli_trust(struct cli_call *call)
{
	return run(call, true);
}

int cli_untrust(struct cli_call *call)
{
	return run(call, false);
}
