/* SPDX-License-Identifier: MIT
 *
 * cordon state: shows the state directory, makes a backup of it, and restores one (store/backup.h). Lists
 * and removes kept home directories (trust/kept_home.h).
 */
#include "store/backup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "door/cli/open_state.h"
#include "show/jsonval.h"
#include "show/terminal.h"
#include "store/chain.h"
#include "store/note.h"
#include "store/upgrade.h"
#include "trust/kept_home.h"

struct options {
	bool keys, over;
};

CLI_OWN(struct options)

struct state_view {
	const struct gate_state *state;
	uint64_t format, records, bytes, approvals, conversations, sources, tickets;
	bool has_key, has_hash_key;
	char key[NOTE_VKEY_MAX];
};

#define STATE(function, expression) FIELD(function, struct state_view, expression)
STATE(field_path, jsonval_readable(v->state->path))
STATE(field_backend, json_string(v->state->on_server ? "postgres" : "sqlite"))
STATE(field_format, jsonval_number(v->format))
STATE(field_next, jsonval_word(upgrade_words(v->format)))
STATE(field_records, jsonval_number(v->records))
STATE(field_bytes, jsonval_number(v->bytes))
STATE(field_key, jsonval_word(v->key))
STATE(field_has_key, json_boolean(v->has_key))
STATE(field_has_hash_key, json_boolean(v->has_hash_key))
STATE(field_conversations, jsonval_number(v->conversations))
STATE(field_sources, jsonval_number(v->sources))
STATE(field_tickets, jsonval_number(v->tickets))

static const struct json_field state_fields[] = {
	{"path", "the state directory", field_path},
	{"backend", "sqlite or postgres", field_backend},
	{"format", "the format of the stored data", field_format},
	{"upgrade", "the upgrade by the next command that writes, in words; or null", field_next},
	{"records", "records in the log", field_records},
	{"bytes", "bytes of the files in the state directory, without a database server's",
	 field_bytes},
	{"key", "the public key that the log is signed with", field_key},
	{"has_key", "true if the state directory has the secret key", field_has_key},
	{"has_hash_key", "true if it has the key of the hashes in the log", field_has_hash_key},
	{"conversations", "number of conversations", field_conversations},
	{"sources", "number of sources", field_sources},
	{"tickets", "number of tickets", field_tickets},
	{0}};

static int count_item(void *context, const struct store_item *item, struct err *err)
{
	(void)item, (void)err;
	++*(uint64_t *)context;
	return 0;
}

static int count(struct store *s, enum store_kind kind, uint64_t *ret, struct err *err)
{
	return store_list(s, kind, &(struct store_range){0}, count_item, ret, err);
}

/* The size of the files at the top level: overlays are in directories of their own. */
static uint64_t count_bytes(int dir)
{
	int own = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = own < 0 ? NULL : fdopendir(own);
	uint64_t bytes = 0;
	struct stat st;

	if (!d) {
		scope_close(&own);
		return 0;
	}
	for (const struct dirent *e = readdir(d); e; e = readdir(d))
		if (fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	closedir(d);
	return bytes;
}

static int show(struct cli_call *call, struct err *err)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct state_view t = {.state = &s};

	if (cli_open_state(call, STATE_READS, &s, err) < 0 ||
	    s.store->backend->format(s.store->self, &t.format, err) < 0 ||
	    store_size(s.store, &t.records, err) < 0 || store_vkey(s.store, t.key, err) < 0 ||
	    count(s.store, STORE_CONVERSATION, &t.conversations, err) < 0 ||
	    count(s.store, STORE_SOURCE, &t.sources, err) < 0 ||
	    count(s.store, STORE_TICKET, &t.tickets, err) < 0)
		return -1;
	t.bytes = count_bytes(s.dir);
	t.has_key = faccessat(s.dir, CHAIN_KEY, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	t.has_hash_key = faccessat(s.dir, CHAIN_HASH_KEY, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	if (call->json) {
		jsonval_print(jsonval_object(state_fields, &t));
		return 0;
	}
	printf("%s\n  %s, format %llu, %llu records, %llu bytes\n", s.path,
	       s.on_server ? "postgres" : "sqlite", (unsigned long long)t.format,
	       (unsigned long long)t.records, (unsigned long long)t.bytes);
	printf("  %llu conversations, %llu sources, %llu tickets\n",
	       (unsigned long long)t.conversations, (unsigned long long)t.sources,
	       (unsigned long long)t.tickets);
	printf("  key %s%s\n", t.key, t.has_key ? "" : " (the secret key is not here)");
	if (upgrade_words(t.format))
		printf("  the next command that writes upgrades it: %s\n", upgrade_words(t.format));
	return 0;
}

FIELD(info_records, struct backup_info, jsonval_number(v->records))
FIELD(info_items, struct backup_info, jsonval_number(v->items))
FIELD(info_format, struct backup_info, jsonval_number(v->format))
FIELD(info_keys, struct backup_info, json_boolean(v->has_keys))
FIELD(info_time, struct backup_info, jsonval_number(v->time_us / 1000))
FIELD(info_sha256, struct backup_info, jsonval_hex(v->sha256, sizeof(v->sha256)))

static const struct json_field backup_fields[] = {
	{"records", "log records in the backup", info_records},
	{"items", "other items: conversations, sources, tickets ...", info_items},
	{"format", "the format of the stored data", info_format},
	{"has_keys", "true if it contains the secret keys", info_keys},
	{"time", "when it was made, ms since 1970", info_time},
	{"sha256", "the SHA-256 stored in the file", info_sha256},
	{0}};

static void tell(const struct cli_call *call, const char *what, const struct backup_info *info)
{
	char sum[2 * 32 + 1];

	if (call->json) {
		jsonval_print(jsonval_object(backup_fields, info));
		return;
	}
	printf("%s: %llu records, %llu items%s\nsha256 %s\n", what,
	       (unsigned long long)info->records, (unsigned long long)info->items,
	       info->has_keys ? ", with its secret keys" : ", without its secret keys",
	       sodium_bin2hex(sum, sizeof(sum), info->sha256, sizeof(info->sha256)));
}

static int backup(struct cli_call *call, struct err *err)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct backup_info info = {0};

	if (cli_open_state(call, STATE_READS, &s, err) < 0 ||
	    backup_write(s.store, options_of(call)->keys, AT_FDCWD, call->argv[1], &info, err) < 0)
		return -1;
	tell(call, "the backup is whole", &info);
	return 0;
}

/* Keeps the current state in a backup beside it. */
static int keep_old(struct gate_state *s, struct err *err)
{
	struct store_tip tip = {0};
	struct backup_info info;
	char name[64];

	if (s->store->backend->tip(s->store->self, &tip, err) < 0)
		return -1;
	if (!tip.head_len)
		return 0;
	snprintf(name, sizeof(name), "before-restore-%08x.backup", randombytes_random());
	return backup_write(s->store, false, s->dir, name, &info, err);
}

static int restore(struct cli_call *call, struct err *err)
{
	AUTO_CLOSE int fd = open(call->argv[1], O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	struct backup_info info = {0};
	struct stat st;

	if (cli_check_owner(call, "restores a state", "a backup brings trust and grants along",
			    err) < 0)
		return -1;
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, ERR_INPUT, "%.200s", call->argv[1]);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT, "%.200s is not a file", call->argv[1]);
	/* Check the backup before a state directory is created. */
	if (backup_check(fd, &info, err) < 0 || cli_open_state(call, STATE_RESTORES, &s, err) < 0)
		return -1;
	if ((options_of(call)->over && keep_old(&s, err) < 0) ||
	    backup_restore(s.store, fd, options_of(call)->over, &info, err) < 0)
		return -1;
	tell(call, "restored", &info);
	return 0;
}

struct home_view {
	const char *project, *name, *state, *path;
};

#define HOME(function, expression) FIELD(function, struct home_view, expression)
HOME(home_project, jsonval_readable(v->project))
HOME(home_name, json_string(v->name))
HOME(home_state, json_string(v->state))
HOME(home_path, jsonval_readable(v->path))

static const struct json_field home_fields[] = {
	{"directory", "the workspace that it is kept for", home_project},
	{"name", "its name: --keep NAME", home_name},
	{"state", "clean; or exposed: an exposed run had it", home_state},
	{"path", "where it is", home_path},
	{0}};

struct home_list {
	json_t *all; /* NULL: print */
	struct directories directories;
	struct directory_place at;
};

static int list_home(void *ctx, int fd, const char *project, const char *name, struct err *err)
{
	struct home_list *l = ctx;

	if (directory_find(fd, name, &l->at, err) < 0)
		return -1;
	bool trusted = directory_judge(&l->directories, &l->at).trusted;
	struct home_view v = {project, name, trusted ? "clean" : "exposed", l->at.path};
	if (l->all) {
		json_array_append_new(l->all, jsonval_object(home_fields, &v));
		return 0;
	}
	printf("%-7s  %-16s  ", v.state, v.name);
	terminal_words(stdout, v.project);
	fputs("\n         ", stdout);
	terminal_words(stdout, v.path);
	putchar('\n');
	return 0;
}

static int homes(struct cli_call *call, struct err *err)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	AUTO_FREE struct home_list *l = calloc(1, sizeof(*l));

	if (!l)
		return err_memory(err);
	if (cli_open_state(call, STATE_READS, &s, err) < 0)
		return -1;
	l->all = call->json ? jsonval_array() : NULL;
	int r = directories_load(&s.keeper, &l->directories, err);
	if (r == 0)
		r = kept_home_each(s.dir, list_home, l, err);
	directories_done(&l->directories);
	if (r < 0)
		json_decref(l->all);
	else if (l->all)
		jsonval_print(json_pack("{s:o}", "homes", l->all));
	return r;
}

static int remove_home(struct cli_call *call, struct err *err)
{
	AUTO_STATE struct gate_state s = STATE_CLOSED;
	const char *name = call->argv[1], *dir = call->argc > 2 ? call->argv[2] : ".";
	char real[PATH_MAX];
	unsigned count;

	/* A directory that does not exist any more is named as "homes" lists it. */
	const char *path = realpath(dir, real) ? real : dir;
	if (cli_check_name(name, "kept home directory", err) < 0 ||
	    cli_open_state(call, STATE_WRITES, &s, err) < 0 ||
	    kept_home_remove(&s.keeper, s.dir, path, name, &count, err) < 0)
		return -1;
	if (count)
		return 0;
	err_set(err, ERR_INPUT, "%.200s has no kept home directory %s", path, name);
	err_cure(err, "cordon state homes lists them");
	return -1;
}

static const struct verb {
	struct cli_verb verb;
	int (*run)(struct cli_call *call, struct err *err);
} verbs[] = {
	{{"show", NULL, 0, 0}, show},
	{{"backup", NULL, 1, 1}, backup},
	{{"restore", NULL, 1, 1}, restore},
	{{"homes", NULL, 0, 0}, homes},
	{{"remove-home", NULL, 1, 2}, remove_home},
};

static int run_state(struct cli_call *call)
{
	struct err err;
	const struct verb *verb =
		cli_find_verb(call, verbs, ARRAY_SIZE(verbs), sizeof(verbs[0]), &err);
	int r = verb ? verb->run(call, &err) : -1;

	return r < 0 ? cli_fail_short(call, &err) : r;
}

static const struct cli_option state_options[] = {
	CLI_FLAG(struct options, keys, "keys",
		 "backup: include the secret keys; keep the file as secret as a key"),
	CLI_FLAG(struct options, over, "over",
		 "restore: replace an existing log, which is saved as before-restore-*.backup"),
	CLI_STATE_ROW,
	CLI_JSON_ROW,
	{0}};

static const struct json_doc state_docs[] = {{"state.show", state_fields},
					     {"state.backup", backup_fields},
					     {"state.restore", backup_fields},
					     {"state.homes[]", home_fields},
					     {0}};

static const struct cli_exit state_exits[] = {
	{"0", "success"},
	{"2", "wrong usage"},
	{"125",
	 "the state or the file is damaged, or could not be read or written; nothing was changed"},
	{"126", "refused: a log exists, its key is another, or the format is unknown"},
	{"", ""}};

static const struct cli_combination state_combinations[] = {
	{"keys", ONLY_FOR, "backup"}, {"over", ONLY_FOR, "restore"}, {0}};

COMMAND(state) = {
	.name = "state",
	.order = 180,
	.synopsis = "show|backup FILE|restore FILE|homes|remove-home NAME [DIR] [options]",
	.help = "show, back up and restore the state; list and remove what --keep keeps",
	.example = "cordon state backup cordon.backup",
	.options = state_options,
	.combinations = state_combinations,
	.exits = state_exits,
	.docs = {state_docs},
	.usage_status = 2,
	.takes_operands = true,
	.run = run_state,
};
