/* SPDX-License-Identifier: MIT
 *
 * One row per format. A step and the new format's number are one transaction, so a crash leaves the
 * old state or the new one. A row must never be changed after its release.
 */
#include "store/upgrade.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "store/backup.h"
#include "store/chain.h"

enum { NAMES_MAX = 200 }; /* in one record */

struct names {
	const char *sort; /* of its refs */
	struct jcs body;
	struct store_tx *tx;
	const char *ref[NAMES_MAX];
	size_t count;
	enum record_kind kind;
	const char *event;
};

static void end_record(struct names *n)
{
	struct err err;

	if (!n->count)
		return;
	jcs_init(&n->body, RECORD_BODY_MAX);
	jcs_word(&n->body, "cause", "upgrade");
	jcs_word(&n->body, "event", n->event);
	jcs_list(&n->body, "names");
	for (size_t i = 0; i < n->count; i++)
		jcs_word(&n->body, NULL, n->ref[i]);
	if (jcs_finish(&n->body, &err) < 0)
		n->tx->failed = err;
	else
		store_append(n->tx, n->kind, n->ref, n->count, &n->body);
	jcs_done(&n->body);
	n->count = 0;
}

static int take_name(void *context, const struct store_item *item, struct err *err)
{
	struct names *n = context;
	const char *name = strrchr(item->key, '/');
	char ref[RECORD_REF_MAX + 1];

	(void)err;
	if (!name || snprintf(ref, sizeof(ref), "%s:%s", n->sort, name + 1) >= (int)sizeof(ref) ||
	    !record_ref_is_good(ref))
		return 0;
	if (n->count == NAMES_MAX)
		end_record(n);
	n->ref[n->count++] = arena_dup(&n->tx->arena, ref);
	return 0;
}

/* Answers to requests of format 2 were signed with keys that are no longer used. The requests and
 * keys are removed, and the log records that. */
static int from_2(struct store *s, struct store_tx *tx, struct err *err)
{
	struct names open = {.sort = "apr", .tx = tx, .kind = RECORD_APPROVAL, .event = "expired"};
	struct names keys = {.sort = "approver", .tx = tx, .kind = RECORD_KEY, .event = "removed"};

	if (store_list(s, STORE_APPROVAL, &(struct store_range){.prefix = "open/"}, take_name,
		       &open, err) < 0 ||
	    store_list(s, STORE_KEY, &(struct store_range){.prefix = "approver/"}, take_name, &keys,
		       err) < 0)
		return -1;
	end_record(&open);
	end_record(&keys);
	store_clear(tx, STORE_APPROVAL);
	store_clear(tx, STORE_KEY);
	return 0;
}

static const struct {
	uint64_t from;
	int (*run)(struct store *s, struct store_tx *tx, struct err *err);
	const char *leftover; /* a file that is no longer used; or NULL */
	const char *words;
} rows[] = {
	{2, from_2, CHAIN_CHECKPOINTS,
	 "requests that wait are expired and keys of approvers are removed: signatures are made "
	 "with SSH keys now"},
};
_Static_assert(sizeof(rows) / sizeof(rows[0]) == STORE_FORMAT - STORE_FORMAT_OLDEST,
	       "a step from each format");

const char *upgrade_words(uint64_t from)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].from == from)
			return rows[i].words;
	return NULL;
}

static int record_step(struct store_tx *tx, uint64_t from, struct err *err)
{
	AUTO_JCS struct jcs body = {0};

	jcs_init(&body, RECORD_BODY_MAX);
	jcs_word(&body, "event", "upgraded");
	jcs_int(&body, "from", (int64_t)from);
	jcs_int(&body, "to", (int64_t)from + 1);
	jcs_word(&body, "words", upgrade_words(from));
	if (jcs_finish(&body, err) < 0)
		return -1;
	store_append(tx, RECORD_STATE, NULL, 0, &body);
	return 0;
}

static int step(struct store *s, uint64_t from, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};
	struct backup_info info;
	char name[64];

	if (from < STORE_FORMAT_OLDEST)
		return store_no_format("the state", from, err);
	/* A random name: a killed process may have left a backup of the same step. */
	snprintf(name, sizeof(name), "before-format-%llu-%08x.backup", (unsigned long long)from + 1,
		 randombytes_random());
	if (backup_write(s, false, s->dir, name, &info, err) < 0)
		return -1;
	store_format(&tx, from, from + 1);
	if (record_step(&tx, from, err) < 0 ||
	    rows[from - STORE_FORMAT_OLDEST].run(s, &tx, err) < 0 ||
	    store_commit(s, &tx, err) < 0) {
		unlinkat(s->dir, name, 0);
		return -1;
	}
	const char *leftover = rows[from - STORE_FORMAT_OLDEST].leftover;
	if (leftover)
		unlinkat(s->dir, leftover, 0);
	return 0;
}

int upgrade(struct store *s, struct err *err)
{
	uint64_t now = 0;

	/* If two processes upgrade at once, the second one's transaction is refused, and it checks
	 * again. */
	for (int tries = 0; tries < 8; tries++) {
		if (s->backend->format(s->self, &now, err) < 0)
			return -1;
		if (now == STORE_FORMAT)
			return 0;
		if (step(s, now, err) < 0 && err->code != ERR_CONFLICT) {
			err_context(err, "upgrading the state");
			return -1;
		}
	}
	return -1;
}
