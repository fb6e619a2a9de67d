/* SPDX-License-Identifier: MIT
 *
 * Checks what cordon needs of this machine besides the layers of the box; a row for each check. A
 * check only reads: it creates and changes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "detect/packs.h"
#include "flow/doctor.h"
#include "gate/gate_state.h"
#include "gate/heads_send.h"
#include "overlay/overlay.h"
#include "policy/policy.h"
#include "store/archive.h"
#include "store/chain_heads.h"
#include "store/heads.h"
#include "store/state.h"
#include "store/upgrade.h"
#include "store/verify.h"
#include "trust/signers.h"

enum {
	DISK_BYTES_MIN = 64 << 20,
	DISK_FILES_MIN = 1000,
	LOG_RECORDS_MAX = 100000, /* more take too long here; cordon audit verify checks them */
	RULES_DAYS_MAX = 180,
	CLOCK_SLACK_S = 5,
};
#define SSH_KEYGEN "/usr/bin/ssh-keygen"

struct host {
	const struct config *config;
	const struct err *broken; /* the configuration's error, or NULL */
	struct gate_state state;
	bool is_open;
	bool is_broken;	     /* it exists and cannot be opened */
	struct err format;   /* the error, if its format is not supported */
	char path[PATH_MAX]; /* of the state directory */
};

static int describe(struct doctor_check *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int describe(struct doctor_check *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->found, sizeof(c->found), fmt, ap);
	va_end(ap);
	return 0;
}

static int check_config(struct host *h, struct doctor_check *c, struct err *err)
{
	const char *policy = h->config->now.policy;
	struct policy p;
	unsigned set = 0;

	if (h->broken) {
		*err = *h->broken;
		return -1;
	}
	for (int i = 0; i < CONFIG_COUNT; i++)
		set += h->config->now.where[i] != NULL;
	int result = policy_open(&p, policy, err);
	policy_done(&p);
	return result < 0 ? -1 : describe(c, "%u values are set; cordon config show", set);
}

/* The directories of the rules, without a cache: opening that would create it. */
static struct places places_to_look(struct arena *arena)
{
	struct places p = places_of_program(arena);

	p.rules = places_below(arena, "XDG_DATA_HOME", ".local/share", "cordon/rules");
	p.cache = "";
	return p;
}

/* The age of the fetched rules, by the file that fetch writes last. */
static int check_age(const struct packs *set, size_t *ret_days, struct err *err)
{
	*ret_days = 0;
	for (size_t i = 0; i < set->sourcec; i++) {
		char path[PATH_MAX];
		struct stat st;
		if (strcmp(set->source[i].kind, "fetched") != 0 ||
		    (size_t)snprintf(path, sizeof(path), "%s/ORIGIN", set->source[i].path) >=
			    sizeof(path) ||
		    stat(path, &st) < 0)
			continue;
		time_t now = time(NULL);
		*ret_days = now > st.st_mtime ? (size_t)(now - st.st_mtime) / 86400 : 0;
	}
	if (*ret_days <= RULES_DAYS_MAX)
		return 0;
	err_set(err, ERR_INPUT, "the fetched rules are %zu days old", *ret_days);
	err_cure(err, "cordon rules fetch");
	return -1;
}

static int check_rules(struct host *h, struct doctor_check *c, struct err *err)
{
	AUTO_FREE struct packs *set = calloc(1, sizeof(*set));
	size_t days = 0;

	if (!set)
		return err_memory(err);
	struct packs_options o = {.directory = h->config->now.rules.text,
				  .directories = h->config->now.rules.count,
				  .places = places_to_look(&set->arena),
				  .fresh = true};
	int result = packs_load(set, &o, err);
	if (result == 0 && set->pack.errors) {
		err_set(err, ERR_INPUT, "%zu rules are broken", (size_t)set->pack.errors);
		err_cure(err, "cordon rules check DIR names them");
		result = -1;
	}
	if (result == 0)
		result = check_age(set, &days, err);
	if (result == 0)
		describe(c, "%zu rules from %zu directories", set->pack.rulec, set->sourcec);
	packs_done(set);
	return result;
}

/* False for a directory that only has a key of the rule cache. */
static bool has_begun(const char *path)
{
	static const char *const files[] = {CHAIN_KEY, HEADS_FILE, STATE_URL_FILE};
	AUTO_CLOSE int dir = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (faccessat(dir, files[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
			return true;
	return false;
}

static int check_state(struct host *h, struct doctor_check *c, struct err *err)
{
	struct gate_state_options o = {
		.path = h->config->now.state, .read_only = true, .as_owner = true};
	struct stat st;

	if (o.path)
		snprintf(h->path, sizeof(h->path), "%s", o.path);
	else if (state_path(h->path, err) < 0)
		return -1;
	if (lstat(h->path, &st) < 0 && errno == ENOENT)
		return describe(c, "%.200s does not exist yet: nothing was recorded", h->path);
	if (!has_begun(h->path))
		return describe(c, "%.200s: nothing was recorded yet", h->path);
	if (gate_state_open(&h->state, &o, err) < 0) {
		h->is_broken = true;
		if (err->sys_errno != STORE_NO_FORMAT)
			return -1;
		h->format = *err;
		return describe(c, "%.200s", h->path);
	}
	h->is_open = true;
	if (access(h->path, W_OK) < 0) {
		err_errno(err, ERR_SYSTEM, "%.200s cannot be written", h->path);
		err_cure(err, "check its permissions and how its file system is mounted");
		return -1;
	}
	return describe(c, "%.200s, of %s", h->path, h->state.principal);
}

/* For checks of a state that is not open. */
static int describe_closed(const struct host *h, struct doctor_check *c)
{
	return describe(c, "%s",
			h->is_broken ? "not checked: the state cannot be opened"
				     : "there is no state yet");
}

static int check_format(struct host *h, struct doctor_check *c, struct err *err)
{
	const struct store *s = h->state.store;
	uint64_t format = 0;

	if (h->format.code) {
		*err = h->format;
		return -1;
	}
	if (!h->is_open)
		return describe_closed(h, c);
	if (s->backend->format(s->self, &format, err) < 0)
		return -1;
	if (!upgrade_words(format))
		return describe(c, "%llu, the newest that this cordon knows",
				(unsigned long long)format);
	return describe(c, "%llu; the next command that writes upgrades it: %s",
			(unsigned long long)format, upgrade_words(format));
}

/* Checks the state directory or, if it does not exist, the nearest directory above it. */
static int check_disk(struct host *h, struct doctor_check *c, struct err *err)
{
	char path[PATH_MAX];
	struct statvfs fs;

	snprintf(path, sizeof(path), "%s", h->path);
	while (statvfs(path, &fs) < 0) {
		char *slash = strrchr(path, '/');
		if (errno != ENOENT || !slash || !slash[1])
			return err_errno(err, ERR_SYSTEM, "%.200s", path);
		slash[slash == path] = '\0';
	}
	uint64_t bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	bool few_files = fs.f_files && fs.f_favail < DISK_FILES_MIN;
	if (bytes >= DISK_BYTES_MIN && !few_files)
		return describe(c, "%llu MB are free", (unsigned long long)(bytes >> 20));
	if (few_files)
		err_set(err, ERR_SYSTEM, "%.200s: only %llu more files can be made", path,
			(unsigned long long)fs.f_favail);
	else
		err_set(err, ERR_SYSTEM, "%.200s: only %llu MB are free", path,
			(unsigned long long)(bytes >> 20));
	err_cause(err, "nothing runs without a record, and a record needs room");
	err_cure(err, "make room, or move the state to another file system (state: in %s)",
		 CONFIG_FILE);
	return -1;
}

static bool is_overdue(struct host *h)
{
	uint64_t keep_us = h->config->now.keep_ms * 1000, oldest = 0;
	struct timespec ts;
	struct err none;

	clock_gettime(CLOCK_REALTIME, &ts);
	return keep_us && archive_oldest(h->state.store, &oldest, &none) == 0 && oldest &&
	       oldest + keep_us < (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static int check_log(struct host *h, struct doctor_check *c, struct err *err)
{
	struct verify_options o = {.dir = h->state.dir};
	AUTO_FREE struct verify_report *r = calloc(1, sizeof(*r));
	uint64_t size = 0;

	if (!r)
		return err_memory(err);
	if (!h->is_open)
		return describe_closed(h, c);
	if (store_size(h->state.store, &size, err) < 0)
		return -1;
	if (size > LOG_RECORDS_MAX)
		return describe(c, "%llu records, too many to check here: cordon audit verify",
				(unsigned long long)size);
	if (verify_log(h->state.store, &o, r, err) < 0)
		return -1;
	if (r->problem == VERIFY_GOOD && is_overdue(h))
		return describe(c,
				"%llu records, intact; some are older than log.keep: cordon audit "
				"archive FILE",
				(unsigned long long)size);
	if (r->problem == VERIFY_GOOD)
		return describe(c, "%llu records, intact", (unsigned long long)size);
	err_set(err, ERR_INPUT, "the log is damaged or was changed: %.200s", r->words);
	err_cure(err, "keep a copy of %.100s, then cordon audit verify", h->path);
	return -1;
}

static int check_heads(struct host *h, struct doctor_check *c, struct err *err)
{
	struct heads_line newest = {0};

	if (!h->is_open)
		return describe_closed(h, c);
	int none = chain_check(h->state.store, &newest, err);
	if (none)
		return none < 0 ? -1 : describe(c, "there are none yet");
	const struct config_target *to = &h->config->now.heads;
	char elsewhere[64] = "they are sent nowhere else (heads:)";
	uint64_t waiting;
	if (to->url || to->commandc) {
		if (heads_waiting(h->state.dir, &waiting, err) < 0)
			return -1;
		snprintf(elsewhere, sizeof(elsewhere),
			 "they are sent elsewhere too, %llu bytes wait",
			 (unsigned long long)waiting);
	}
	return describe(c, "the log has the newest, of transaction %llu; %s",
			(unsigned long long)newest.writes, elsewhere);
}

static int check_apply(struct host *h, struct doctor_check *c, struct err *err)
{
	size_t count = h->is_open ? overlay_unfinished(h->state.dir) : 0;

	if (!count)
		return describe(c, "no apply is unfinished");
	err_set(err, ERR_INPUT, "applies that were interrupted and are not finished: %zu", count);
	err_cause(err, "a directory may have some of the changes and not the others");
	err_cure(err, "cordon diff --conversation ID DIR finishes it; cordon conversation list");
	return -1;
}

static bool is_first(const struct signers *all, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (strcmp(all->list[j].name, all->list[i].name) == 0)
			return false;
	return true;
}

/* Reads the file as it is read for each answer of a person. */
static int check_signers(struct host *h, struct doctor_check *c, struct err *err)
{
	AUTO_FREE struct signers *all = calloc(1, sizeof(*all));
	struct arena arena = {0};
	size_t people = 0;

	(void)h;
	if (!all)
		return err_memory(err);
	int result = signers_load(&arena, all, err);
	for (size_t i = 0; result == 0 && i < all->count; i++)
		people += is_first(all, i);
	if (result == 0)
		describe(c, SIGNERS_FILE " has %zu people with %zu keys", people, all->count);
	arena_done(&arena);
	if (result == 0 && access(SSH_KEYGEN, X_OK) < 0 && people) {
		err_errno(err, ERR_INPUT, SSH_KEYGEN);
		err_cause(err, "signatures of people are checked with it");
		err_cure(err, "install openssh-client");
		result = -1;
	}
	return result;
}

static int check_keys(struct host *h, struct doctor_check *c, struct err *err)
{
	struct stat st;

	if (h->is_open && fstatat(h->state.dir, CHAIN_KEY, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		err_errno(err, ERR_INPUT, "%.200s/" CHAIN_KEY, h->path);
		err_cause(err, "the log was signed with it");
		err_cure(err, "put it back from a backup; or cordon audit verify, then accept");
		return -1;
	}
	if (h->is_open && (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)) {
		err_set(err, ERR_REFUSED, "%.200s/" CHAIN_KEY ": others can read it", h->path);
		err_cure(err, "chmod 600 it, then cordon audit rotate: it may be known");
		return -1;
	}
	return describe(c, "%s",
			h->is_open ? CHAIN_KEY " can be read only by you" : "no " CHAIN_KEY " yet");
}

static int take_time(void *context, const struct store_row *row, struct err *err)
{
	uint64_t *ret = context;
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	*ret = r.time;
	return 0;
}

static int check_clock(struct host *h, struct doctor_check *c, struct err *err)
{
	uint64_t size = 0, last = 0, now = (uint64_t)time(NULL);

	if (!h->is_open)
		return describe(c, "nothing is recorded to compare it with");
	if (store_size(h->state.store, &size, err) < 0 ||
	    (size && store_read(h->state.store, size - 1, 1, take_time, &last, err) < 0))
		return -1;
	if (last / 1000000 <= now + CLOCK_SLACK_S)
		return describe(c, "it is not behind the log");
	err_set(err, ERR_INPUT, "the clock is %llu seconds behind the log's last record",
		(unsigned long long)(last / 1000000 - now));
	err_cause(err, "it was set back, or was ahead when that was written; approvals and grants "
		       "end by the clock");
	err_cure(err, "check the time (date) and what sets it (timedatectl)");
	return -1;
}

/* Opening the state takes its owner's ids, so checks that need the caller's come before it. */
static const struct row {
	const char *name;
	int (*run)(struct host *h, struct doctor_check *c, struct err *err);
	bool unconfigured; /* the check does not need the configuration */
} rows[DOCTOR_CHECKS] = {
	{"configuration", check_config, true}, {"rules", check_rules, false},
	{"state", check_state, false},	       {"format", check_format, false},
	{"disk", check_disk, false},	       {"log", check_log, false},
	{"heads", check_heads, false},	       {"apply", check_apply, false},
	{"keys", check_keys, false},	       {"signers", check_signers, false},
	{"clock", check_clock, false},
};

static void run_row(const struct row *row, struct host *h, struct doctor_check *c)
{
	struct err err = {0};

	*c = (struct doctor_check){.name = row->name};
	if (h->broken && !row->unconfigured)
		err_set(&err, ERR_INPUT, "not checked: the configuration is broken");
	else
		c->holds = row->run(h, c, &err) == 0;
	if (c->holds)
		return;
	snprintf(c->cause, sizeof(c->cause), "%s%s%s", err.message, err.cause[0] ? ": " : "",
		 err.cause);
	snprintf(c->cure, sizeof(c->cure), "%s", err.cure);
}

void doctor_check_host(const struct config *config, const struct err *broken,
		       struct doctor_check ret[DOCTOR_CHECKS])
{
	AUTO_FREE struct host *h = calloc(1, sizeof(*h));

	for (int i = 0; i < DOCTOR_CHECKS; i++)
		ret[i] = (struct doctor_check){.name = rows[i].name, .cause = "out of memory"};
	if (!h)
		return;
	h->config = config;
	h->broken = broken;
	h->state = (struct gate_state)STATE_CLOSED;
	for (int i = 0; i < DOCTOR_CHECKS; i++)
		run_row(&rows[i], h, &ret[i]);
	gate_state_close(&h->state);
}
