/* SPDX-License-Identifier: MIT
 *
 * cordon trust and untrust: which directories a person trusts. Before a mark is cleared, the
 * person is shown which files changed since it was made.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/scope.h"
#include "base/walk.h"
#include "door/cli/open_state.h"
#include "door/cli/person.h"
#include "show/jsonval.h"
#include "show/terminal.h"
#include "trust/directory.h"

enum {
	CHANGED_SHOWN = 50,
	TRUST_ENTRIES_MAX = 200000, /* files and directories that are examined */
	TICK_US = 20000, /* a file's time may lag behind the clock by one tick of the kernel */
};

static const char *kind_name(enum directory_kind kind)
{
	static const char *const names[] = {"untrusted", "trusted", "marked"};

	return names[kind];
}

#define DIRECTORY(function, expression) FIELD(function, struct directory, expression)
DIRECTORY(field_path, jsonval_readable(v->path))
DIRECTORY(field_kind, json_string(kind_name(v->kind)))
DIRECTORY(field_since, jsonval_number(v->time_us / 1000))
DIRECTORY(field_by, jsonval_readable(v->by))

static const struct json_field trust_fields[] = {
	{"path", "the directory", field_path},
	{"state", "trusted, untrusted, or marked: exposed code changed it", field_kind},
	{"since", "ms since 1970", field_since},
	{"by", "the person; for a mark, the run", field_by},
	{0}};

static void print_entry(const struct directory *d)
{
	char when[TERMINAL_TIME_MAX];

	printf("%-9s  ", kind_name(d->kind));
	terminal_words(stdout, d->path);
	printf("  since %s by ", terminal_time(d->time_us, when));
	terminal_words(stdout, d->by);
	putchar('\n');
}

static int list(struct cli_call *call, struct gate_state *s, struct directories *d, struct err *err)
{
	if (directories_load(&s->keeper, d, err) < 0)
		return -1;
	if (call->json) {
		jsonval_print(json_pack(
			"{s:o}", "directories",
			jsonval_list(trust_fields, d->list, sizeof(d->list[0]), d->count)));
		return 0;
	}
	for (size_t i = 0; i < d->count; i++)
		print_entry(&d->list[i]);
	return 0;
}

/* The changes that a person sees before a mark is cleared. */
struct changed {
	struct timespec since;
	size_t count, hidden; /* lines, and places that could not be examined */
	FILE *to;
	struct digest digest; /* a hash of each change and its time: the approval binds it */
};

static void print_path(FILE *to, const char *words, const char *dir, const char *name,
		       const char *end)
{
	fputs(words, to);
	terminal_words(to, dir);
	fputs(*dir ? "/" : "", to);
	terminal_words(to, name);
	fputs(end, to);
}

/* Uses ctime, which a program cannot set. A directory's ctime changes with the names in it. */
static int show_changed(void *ctx, const struct walk_entry *e, struct err *err)
{
	struct changed *c = ctx;
	const struct timespec *t = &e->st.st_ctim;

	(void)err;
	if (t->tv_sec < c->since.tv_sec ||
	    (t->tv_sec == c->since.tv_sec && t->tv_nsec < c->since.tv_nsec))
		return 0;
	digest_add(&c->digest, e->path, strlen(e->path) + 1);
	digest_add(&c->digest, t, sizeof(*t));
	if (c->count++ < CHANGED_SHOWN)
		print_path(c->to, "  changed  ", "", e->len ? e->path : ".",
			   S_ISDIR(e->st.st_mode) ? "/\n" : "\n");
	return 0;
}

static void show_hidden(void *ctx, const char *dir, const char *name)
{
	struct changed *c = ctx;

	if (c->hidden++ < CHANGED_SHOWN)
		print_path(c->to, "  cannot read  ", dir, name, "\n");
}

/* The time of the oldest mark at, below or above the directory, because trust clears or outdates
 * all of them. 0: no mark. */
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

/* Prints the changes to TO. RET gets their hash, or "" if nothing is marked. */
static int show_marks(FILE *to, const struct directories *d, const struct directory_place *at,
		      int fd, char ret[2 * DIGEST_BYTES + 1], struct err *err)
{
	uint64_t since = oldest_mark(d, at->path), entries;
	struct changed c = {.to = to};
	struct walk_to how = {.entries = TRUST_ENTRIES_MAX,
			      .leaves = show_hidden,
			      .visit = show_changed,
			      .ctx = &c};
	uint8_t sha256[DIGEST_BYTES];

	ret[0] = '\0';
	if (!since)
		return 0;
	digest_init(&c.digest);
	digest_add(&c.digest, &since, sizeof(since));
	since -= TICK_US;
	c.since = (struct timespec){.tv_sec = (time_t)(since / 1000000),
				    .tv_nsec = (long)(since % 1000000) * 1000};
	fputs("exposed code could write here; what changed since (a changed directory may have "
	      "lost files):\n",
	      to);
	int r = walk(fd, &how, &entries, err);
	if (r < 0 && err->code != ERR_LIMIT)
		return -1;
	if (c.count > CHANGED_SHOWN)
		fprintf(to, "  and %zu more\n", c.count - CHANGED_SHOWN);
	if (c.hidden > CHANGED_SHOWN)
		fprintf(to, "  cannot read %zu more\n", c.hidden - CHANGED_SHOWN);
	if (r < 0)
		fprintf(to, "  cannot read the rest: %s\n", err->message);
	else if (!c.count && !c.hidden)
		fputs("  none\n", to);
	digest_end(&c.digest, sha256);
	sodium_bin2hex(ret, 2 * DIGEST_BYTES + 1, sha256, sizeof(sha256));
	return 0;
}

static void record(const char *path, bool trusted, const struct person_act *act,
		   struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};
	struct err err;

	jcs_init(&j, RECORD_BODY_MAX);
	person_put_answers(act, &j);
	jcs_word(&j, "by", act->by);
	jcs_str(&j, "directory", path);
	jcs_word(&j, "state", trusted ? "trusted" : "untrusted");
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
		jsonval_print(jsonval_object(trust_fields, entry));
	else
		print_entry(entry);
	return 0;
}

/* A removed directory is found only by its listed path. */
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
		err_cure(err, "if the directory does not exist any more, give its path as in "
			      "cordon trust list");
		return -1;
	}
	snprintf(act.by, sizeof(act.by), "%s", s->principal);
	struct directory entry = {.kind = DIRECTORY_UNTRUSTED,
				  .path = path,
				  .time_us = s->keeper.now_us(),
				  .by = act.by};
	return save(call, s, d, &entry, &act, &tx, err);
}

/* The approval binds the directory's path, its identity, and what changed since it was marked. */
static int agree(struct cli_call *call, struct gate_state *s, const struct directories *d,
		 const struct directory_place *at, int fd, struct person_act *act, struct err *err)
{
	char changed[2 * DIGEST_BYTES + 1];
	struct arena *a = &call->arena;
	AUTO_FREE char *words = NULL;
	size_t len;
	FILE *to = open_memstream(&words, &len);

	if (!to)
		return err_memory(err);
	int r = show_marks(to, d, at, fd, changed, err);
	fprintf(to, "Trust what is in ");
	terminal_words(to, at->path);
	fprintf(to, ": code that reads it stays clean.\n");
	if (fclose(to) < 0)
		return err_memory(err);
	if (r < 0)
		return -1;
	const struct approval_text arg[] = {
		{at->path},
		{arena_printf(a, "directory %" PRIu64 " %" PRIu64, at->identity[0].inode,
			      at->identity[0].born_ns)},
		{arena_printf(a, "changes %s", changed)}};
	act->act = (struct approval_act){.name = "trust",
					 .words = words,
					 .arg = arg,
					 .argc = ARRAY_SIZE(arg),
					 .caps = CAP_BIT(CAP_WRITE)};
	return a->failed ? err_memory(err) : person_agree(call, s, act, err);
}

/* Trust needs a person's approval, untrust does not. Returns 1 if the request waits for people. */
static int set(struct cli_call *call, struct gate_state *s, struct directories *d, bool trusted,
	       struct err *err)
{
	AUTO_CLOSE int fd = open(call->argv[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	AUTO_TX struct store_tx tx = {0};
	AUTO_ACT struct person_act act = {0};

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
	int agreed = trusted ? agree(call, s, d, at, fd, &act, err) : 0;
	if (agreed)
		return agreed;
	if (!trusted)
		snprintf(act.by, sizeof(act.by), "%s", s->principal);
	person_take(&act, s, &tx);
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
		err_set(&err, ERR_USAGE,
			call->argc ? "only one directory is accepted" : "no directory is given");
		err_cure(&err,
			 trusted ? "cordon trust DIR, or cordon trust list" : "cordon untrust DIR");
	} else if (cli_open_state(call, STATE_WRITES, &s, &err) == 0) {
		r = trusted && strcmp(call->argv[0], "list") == 0 ? list(call, &s, d, &err)
								  : set(call, &s, d, trusted, &err);
	}
	if (d)
		directories_done(d);
	return r < 0 ? cli_fail_short(call, &err) : r ? PERSON_WAITS : 0;
}

static int run_trust(struct cli_call *call)
{
	return run(call, true);
}

static const struct cli_option trust_options[] = {
	CLI_AGREE_ROWS, CLI_REQUEST_ROWS, CLI_STATE_ROW, CLI_JSON_ROW, {0}};

static const struct json_doc trust_docs[] = {{"trust", trust_fields}, {0}};

static const struct cli_exit trust_exits[] = {
	{"0", "the directory is trusted; list: success"},
	{"2", "wrong usage"},
	{"75", "it waits for approval; after that, the same command trusts it"},
	{"125", "there is no such directory, or the state could not be read or written"},
	{"126", "refused: no person approved it, or others have access to the state directory"},
	{"", ""}};

static const struct cli_combination trust_combinations[] = {
	{"policy, title, purpose, wait", NOT_FOR, "list"}, {0}};

COMMAND(trust) = {
	.name = "trust",
	.order = 90,
	.synopsis = "DIR|list [options]",
	.help = "trust a directory; list those that are trusted or marked",
	.example = "cordon trust ~/app",
	.options = trust_options,
	.combinations = trust_combinations,
	.exits = trust_exits,
	.docs = {trust_docs},
	.usage_status = 2,
	.takes_operands = true,
	.run = run_trust,
};

static int run_untrust(struct cli_call *call)
{
	return run(call, false);
}

static const struct cli_option untrust_options[] = {CLI_STATE_ROW, CLI_JSON_ROW, {0}};

static const struct cli_exit untrust_exits[] = {
	{"0", "the directory is not trusted any more"},
	{"2", "wrong usage"},
	{"125", "there is no such directory or entry, or the state could not be read or written"},
	{"126", "refused: other accounts have access to the state directory"},
	{"", ""}};

COMMAND(untrust) = {
	.name = "untrust",
	.order = 100,
	.synopsis = "DIR [options]",
	.help = "stop trusting a directory",
	.example = "cordon untrust ~/app",
	.options = untrust_options,
	.exits = untrust_exits,
	.usage_status = 2,
	.takes_operands = true,
	.run = run_untrust,
};
