/* SPDX-License-Identifier: MIT
 *
 * Checks tickets, and keeps them as rows of the store.
 */
#include "trust/ticket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "trust/pack.h"

enum { ROW_VERSION = 1, ROW_MAX = 128 << 10 };

static const enum cap effects[] = {CAP_WRITE, CAP_NET, CAP_SECRET};

const char *ticket_giver_name(enum ticket_giver giver)
{
	static const char *const names[TICKET_GIVERS] = {
		[TICKET_PLAN] = "plan", [TICKET_GRANT] = "grant", [TICKET_POLICY] = "policy"};

	return names[giver];
}

const char *ticket_answer_words(enum ticket_answer answer)
{
	static const char *const words[TICKET_ANSWERS] = {
		[TICKET_GOOD] = "it holds",
		[TICKET_REVOKED] = "it was revoked",
		[TICKET_EARLY] = "it is not valid yet; check the clock",
		[TICKET_LATE] = "it has expired",
		[TICKET_SPENT] = "all of its runs are used up",
		[TICKET_OTHER_CONVERSATION] = "it is for another conversation",
		[TICKET_OTHER_DIRECTORY] = "it is for another directory",
		[TICKET_OTHER_PROGRAM] =
			"the code, arguments, environment or programs differ from the plan's",
		[TICKET_NOT_TRUSTED] =
			"its directory or input is untrusted, or was changed by exposed code",
	};

	return words[answer];
}

void ticket_done(struct ticket *t)
{
	arena_done(&t->arena);
	*t = (struct ticket){0};
}

static bool is_for_directory(const struct ticket *t, const struct directory_place *at)
{
	return at && strcmp(t->directory, at->path) == 0 &&
	       t->identity.inode == at->identity[0].inode &&
	       t->identity.born_ns == at->identity[0].born_ns;
}

enum ticket_answer ticket_check(const struct ticket *t, const struct ticket_use *use)
{
	const struct {
		bool wrong;
		enum ticket_answer answer;
	} checks[] = {
		{t->revoked_us, TICKET_REVOKED},
		{use->now_us < t->from_us, TICKET_EARLY},
		{use->now_us >= t->to_us, TICKET_LATE},
		{t->runs && t->used >= t->runs, TICKET_SPENT},
		{t->has_conversation &&
			 (!use->conversation || !id_is_same(&t->conversation, use->conversation)),
		 TICKET_OTHER_CONVERSATION},
		{t->has_directory && !is_for_directory(t, use->directory), TICKET_OTHER_DIRECTORY},
		{t->has_program &&
			 (!use->program || memcmp(t->program, use->program, KEEPER_SHA256) != 0),
		 TICKET_OTHER_PROGRAM},
		{t->giver == TICKET_PLAN && !use->inputs_are_trusted, TICKET_NOT_TRUSTED},
	};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		if (checks[i].wrong)
			return checks[i].answer;
	return TICKET_GOOD;
}

bool ticket_is_confirmed(const struct ticket *t)
{
	return t->giver == TICKET_GRANT && !strstr(t->by, TICKET_SIGNED);
}

bool ticket_covers(const struct ticket *t, enum cap effect, const char *object,
		   bool is_self_executing)
{
	for (size_t i = 0; i < t->count[effect]; i++) {
		const char *row = t->list[effect][i];
		if (strcmp(row, object) == 0)
			return true;
		if (effect == CAP_WRITE && !is_self_executing &&
		    (strcmp(row, ".") == 0 || directory_holds(row, object)))
			return true;
	}
	return false;
}

static void pack_ticket(struct packer *p, const struct ticket *t)
{
	pack_uint(p, ROW_VERSION, 1);
	pack_bytes(p, &t->id, sizeof(t->id));
	pack_uint(p, t->giver, 1);
	pack_text(p, t->by);
	pack_uint(p, t->has_conversation, 1);
	pack_uint(p, t->has_directory, 1);
	pack_uint(p, t->has_program, 1);
	pack_bytes(p, &t->conversation, sizeof(t->conversation));
	pack_text(p, t->has_directory ? t->directory : "");
	pack_uint(p, t->identity.inode, 8);
	pack_uint(p, t->identity.born_ns, 8);
	pack_bytes(p, t->program, sizeof(t->program));
	for (size_t e = 0; e < ARRAY_SIZE(effects); e++) {
		pack_uint(p, t->count[effects[e]], 1);
		for (size_t i = 0; i < t->count[effects[e]]; i++)
			pack_text(p, t->list[effects[e]][i]);
	}
	pack_uint(p, t->sent_max, 8);
	pack_uint(p, t->from_us, 8);
	pack_uint(p, t->to_us, 8);
	pack_uint(p, t->runs, 4);
	pack_uint(p, t->used, 4);
	pack_uint(p, t->revoked_us, 8);
}

static const char *unpack_copy(struct unpacker *u, struct arena *a)
{
	char text[PATH_MAX];

	unpack_text(u, text, sizeof(text));
	return arena_dup(a, u->failed ? "" : text);
}

static int unpack_ticket(const struct store_item *item, struct ticket *t, struct err *err)
{
	struct unpacker u = {.data = item->value, .len = item->len};
	bool old = unpack_uint(&u, 1) != ROW_VERSION;

	*t = (struct ticket){.version = item->version};
	unpack_bytes(&u, &t->id, sizeof(t->id));
	t->giver = (enum ticket_giver)unpack_enum(&u, TICKET_GIVERS);
	t->by = unpack_copy(&u, &t->arena);
	t->has_conversation = unpack_enum(&u, 2);
	t->has_directory = unpack_enum(&u, 2);
	t->has_program = unpack_enum(&u, 2);
	unpack_bytes(&u, &t->conversation, sizeof(t->conversation));
	t->directory = unpack_copy(&u, &t->arena);
	t->identity.inode = unpack_uint(&u, 8);
	t->identity.born_ns = unpack_uint(&u, 8);
	unpack_bytes(&u, t->program, sizeof(t->program));
	for (size_t e = 0; e < ARRAY_SIZE(effects); e++) {
		size_t count = unpack_enum(&u, TICKET_LIST_MAX + 1);
		for (size_t i = 0; i < count && !u.failed; i++)
			t->list[effects[e]][i] = unpack_copy(&u, &t->arena);
		t->count[effects[e]] = u.failed ? 0 : count;
	}
	t->sent_max = unpack_uint(&u, 8);
	t->from_us = unpack_uint(&u, 8);
	t->to_us = unpack_uint(&u, 8);
	t->runs = (uint32_t)unpack_uint(&u, 4);
	t->used = (uint32_t)unpack_uint(&u, 4);
	t->revoked_us = unpack_uint(&u, 8);
	if (t->arena.failed)
		return err_memory(err);
	if (old || !unpack_is_done(&u))
		return err_set(err, ERR_INPUT, "the row of ticket %.64s is damaged", item->key);
	return 0;
}

static void put(const struct ticket *t, struct store_tx *tx)
{
	AUTO_FREE uint8_t *row = malloc(ROW_MAX);
	struct packer p = {.data = row, .room = row ? ROW_MAX : 0};
	char key[ID_HEX];

	pack_ticket(&p, t);
	if (p.failed)
		err_set(&tx->failed, ERR_LIMIT, "the ticket is too large");
	else
		store_put(tx, STORE_TICKET, id_hex(&t->id, key), row, p.len, t->version);
}

static void put_list(struct jcs *j, const char *name, const struct ticket *t, enum cap effect)
{
	jcs_list(j, name);
	for (size_t i = 0; i < t->count[effect]; i++)
		(effect == CAP_NET ? jcs_word : jcs_str)(j, NULL, t->list[effect][i]);
	jcs_end(j);
}

/* WHAT: "given", "revoked". */
static void record(const struct ticket *t, const char *what, const char *by, struct store_tx *tx)
{
	AUTO_JCS struct jcs j = {0};
	char hex[ID_HEX], ref[ID_HEX + 8], conv[ID_HEX + 8];
	const char *refs[] = {ref, conv};
	struct err err;

	jcs_init(&j, RECORD_BODY_MAX);
	jcs_word(&j, "by", by);
	if (t->has_conversation)
		jcs_word(&j, "conversation", id_hex(&t->conversation, hex));
	snprintf(conv, sizeof(conv), "conv:%s", id_hex(&t->conversation, hex));
	if (t->has_directory)
		jcs_str(&j, "directory", t->directory);
	jcs_word(&j, "giver", ticket_giver_name(t->giver));
	jcs_word(&j, "id", id_hex(&t->id, hex));
	snprintf(ref, sizeof(ref), "ticket:%s", hex);
	put_list(&j, "net", t, CAP_NET);
	if (t->has_program)
		jcs_hex(&j, "program", t->program, sizeof(t->program));
	jcs_int(&j, "runs", t->runs);
	put_list(&j, "secret", t, CAP_SECRET);
	jcs_int(&j, "sent_max", (int64_t)t->sent_max);
	jcs_int(&j, "to_us", (int64_t)t->to_us);
	jcs_word(&j, "what", what);
	put_list(&j, "write", t, CAP_WRITE);
	if (jcs_finish(&j, &err) < 0)
		tx->failed = err;
	else
		store_append(tx, RECORD_TICKET, refs, t->has_conversation ? 2 : 1, &j);
}

static int commit(struct keeper *k, struct ticket *t, const char *what, const char *by,
		  struct store_tx *tx, struct err *err)
{
	record(t, what, by, tx);
	put(t, tx);
	if (store_commit(k->store, tx, err) < 0)
		return -1;
	t->version = tx->version;
	return 0;
}

int ticket_check_bounds(const struct ticket *t, struct err *err)
{
	for (size_t e = 0; e < ARRAY_SIZE(effects); e++)
		for (size_t i = 0; i < t->count[effects[e]]; i++)
			if (strlen(t->list[effects[e]][i]) > TICKET_TEXT_MAX)
				return err_set(err, ERR_LIMIT, "%s %.32s...: at most %d bytes",
					       cap_name(effects[e]), t->list[effects[e]][i],
					       TICKET_TEXT_MAX);
	if (t->to_us <= t->from_us || t->to_us - t->from_us > TICKET_TIME_MAX_US ||
	    t->runs > TICKET_RUNS_MAX)
		return err_set(err, ERR_USAGE, "a ticket is valid for at most 30 days and %d runs",
			       TICKET_RUNS_MAX);
	return 0;
}

int ticket_add(struct ticket *t, struct store_tx *tx, struct err *err)
{
	if (t->arena.failed)
		return err_memory(err);
	if (ticket_check_bounds(t, err) < 0)
		return -1;
	id_random(&t->id);
	record(t, "given", t->by, tx);
	put(t, tx);
	return 0;
}

int ticket_give(struct keeper *k, struct ticket *t, struct store_tx *tx, struct err *err)
{
	if (ticket_add(t, tx, err) < 0 || store_commit(k->store, tx, err) < 0)
		return -1;
	t->version = tx->version;
	return 0;
}

int ticket_load(struct keeper *k, const char *hex, struct ticket *ret, struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	struct id id;

	ticket_done(ret);
	if (id_parse(hex, strlen(hex), &id) &&
	    store_get(k->store, STORE_TICKET, hex, &item, err) < 0)
		return -1;
	if (item.version)
		return unpack_ticket(&item, ret, err);
	err_set(err, ERR_INPUT, "there is no plan or grant %.64s", hex);
	err_cure(err, "cordon grant list");
	return -1;
}

int ticket_revoke(struct keeper *k, const char *hex, const char *by, struct err *err)
{
	for (int i = 0; i < KEEPER_TRIES_MAX; i++) {
		AUTO_TICKET struct ticket t = {0};
		AUTO_TX struct store_tx tx = {0};
		*err = (struct err){0};
		if (ticket_load(k, hex, &t, err) < 0)
			return -1;
		if (t.revoked_us)
			return 0;
		t.revoked_us = k->now_us();
		if (commit(k, &t, "revoked", by, &tx, err) == 0)
			return 0;
		if (err->code != ERR_CONFLICT)
			return -1;
	}
	return -1;
}

bool ticket_is_over(const struct ticket *t, uint64_t now_us)
{
	return t->revoked_us || now_us >= t->to_us ||
	       (t->runs && t->used >= t->runs && !t->is_spent);
}

static bool counts(const struct ticket *t)
{
	return t->runs && t->is_due && !t->is_spent;
}

void ticket_spend(const struct ticket *t, struct store_tx *tx)
{
	struct ticket less = *t;
	char key[ID_HEX];

	less.used++;
	if (counts(t))
		put(&less, tx);
	else
		store_expect(tx, STORE_TICKET, id_hex(&t->id, key), t->version);
}

void ticket_spent(struct ticket *t, uint64_t version)
{
	if (!counts(t))
		return;
	t->used++;
	t->is_spent = true;
	t->version = version;
}

struct listing {
	uint64_t now_us;
	ticket_fn *fn;
	void *context;
};

static int each(void *context, const struct store_item *item, struct err *err)
{
	struct listing *l = context;
	AUTO_TICKET struct ticket t = {0};

	if (unpack_ticket(item, &t, err) < 0)
		return -1;
	return ticket_is_over(&t, l->now_us) ? 0 : l->fn(l->context, &t, err);
}

int ticket_each(struct keeper *k, uint64_t now_us, ticket_fn *fn, void *context, struct err *err)
{
	struct listing l = {now_us, fn, context};
	struct store_range range = {.prefix = "", .after = ""};

	return store_list(k->store, STORE_TICKET, &range, each, &l, err);
}
