/* SPDX-License-Identifier: MIT
 *
 * Domains as rows of the store. Each change says which version it was made from; whoever comes
 * second reads again and decides again, so that two processes never lose one another's exposure.
 */
#include "origin/domain.h"

#include <stdio.h>
#include <string.h>

#include "origin/handle.h"

enum {
	ROW_VERSION = 2,
	ROW_MAX = 64 + PRINCIPAL_MAX + LABEL_PACKED_MAX + DOMAIN_MEMBERS_MAX * ID_BYTES,
	KEY_MAX = ID_HEX + 2,
	KINDS_ALL = (1 << FROM_COUNT) - 1,
};

static void row_key(const char *sort, const struct id *id, char ret[KEY_MAX])
{
	char hex[ID_HEX];

	snprintf(ret, KEY_MAX, "%s.%s", sort, id_hex(id, hex));
}

/* A row is a domain, or says into which one it was merged. */
static void pack_row(struct packer *p, const struct domain *d, const struct id *into)
{
	pack_uint(p, ROW_VERSION, 1);
	pack_uint(p, into != NULL, 1);
	if (into) {
		pack_bytes(p, into, sizeof(*into));
		return;
	}
	pack_text(p, d->principal);
	pack_uint(p, d->epoch, 4);
	label_pack(p, &d->floor);
	pack_uint(p, d->tainted_us, 8);
	pack_uint(p, d->sources, 8);
	pack_uint(p, d->kinds, 4);
	pack_uint(p, d->print_bytes, 8);
	pack_uint(p, d->forgotten, 8);
	pack_uint(p, d->memberc, 2);
	pack_bytes(p, d->member, d->memberc * sizeof(d->member[0]));
}

/* 1: it was merged into *INTO. */
static int unpack_row(const struct store_item *item, struct domain *d, struct id *into,
		      struct err *err)
{
	struct unpacker u = {.data = item->value, .len = item->len};
	bool old = unpack_uint(&u, 1) != ROW_VERSION, merged = unpack_enum(&u, 2);

	if (merged) {
		unpack_bytes(&u, into, sizeof(*into));
	} else {
		unpack_text(&u, d->principal, sizeof(d->principal));
		d->epoch = (uint32_t)unpack_uint(&u, 4);
		label_unpack(&u, &d->floor);
		d->tainted_us = unpack_uint(&u, 8);
		d->sources = unpack_uint(&u, 8);
		d->kinds = (unsigned)unpack_uint(&u, 4);
		d->print_bytes = unpack_uint(&u, 8);
		d->forgotten = unpack_uint(&u, 8);
		d->memberc = (size_t)unpack_uint(&u, 2);
		u.failed = u.failed || d->memberc > DOMAIN_MEMBERS_MAX;
		if (!u.failed)
			unpack_bytes(&u, d->member, d->memberc * sizeof(d->member[0]));
	}
	if (old || !unpack_is_done(&u))
		return err_set(err, ERR_INPUT, "the row of a domain is damaged");
	d->version = item->version;
	return merged;
}

void domain_put(const struct domain *d, struct store_tx *tx)
{
	uint8_t row[ROW_MAX];
	struct packer p = {.data = row, .room = sizeof(row)};
	char key[KEY_MAX];

	pack_row(&p, d, NULL);
	row_key("d", &d->id, key);
	store_put(tx, STORE_DOMAIN, key, row, p.len, d->version);
}

void domain_expect(const struct domain *d, struct store_tx *tx)
{
	char key[KEY_MAX];

	row_key("d", &d->id, key);
	if (d->version)
		store_expect(tx, STORE_DOMAIN, key, d->version);
	else
		domain_put(d, tx); /* it is not there yet, and must not be */
}

static void put_merged(const struct domain *d, const struct id *into, struct store_tx *tx)
{
	uint8_t row[ROW_MAX];
	struct packer p = {.data = row, .room = sizeof(row)};
	char key[KEY_MAX];

	pack_row(&p, NULL, into);
	row_key("d", &d->id, key);
	store_put(tx, STORE_DOMAIN, key, row, p.len, d->version);
}

/* Follows merges; a domain that is not there has version 0. */
static int load(struct keeper *k, const struct id *id, struct domain *ret, struct err *err)
{
	struct id at = *id;

	for (int hops = 0; hops <= DOMAIN_MEMBERS_MAX; hops++) {
		AUTO_ITEM struct store_item item = {0};
		char key[KEY_MAX];
		row_key("d", &at, key);
		*ret = (struct domain){.id = at};
		if (store_get(k->store, STORE_DOMAIN, key, &item, err) < 0)
			return -1;
		if (!item.version)
			return 0;
		int merged = unpack_row(&item, ret, &at, err);
		if (merged <= 0)
			return merged;
	}
	return err_set(err, ERR_INPUT, "the rows of domains go in a circle");
}

int domain_load(struct keeper *k, const struct id *id, struct domain *ret, struct err *err)
{
	if (load(k, id, ret, err) < 0)
		return -1;
	return ret->version ? 0 : err_set(err, ERR_INPUT, "there is no such domain");
}

bool domain_is_member(const struct domain *d, const struct id *id)
{
	for (size_t i = 0; i < d->memberc; i++)
		if (id_is_same(&d->member[i], id))
			return true;
	return false;
}

static void init(struct domain *d, const struct id *id, const char *principal, struct label floor)
{
	*d = (struct domain){.id = *id, .floor = floor, .memberc = 1, .member = {*id}};
	snprintf(d->principal, sizeof(d->principal), "%s", principal);
}

static void log_domain(struct store_tx *tx, const struct domain *d, const char *what,
		       const struct id *other)
{
	AUTO_JCS struct jcs j = {0};
	char hex[ID_HEX], ref[ID_HEX + 4], ref2[ID_HEX + 4];
	const char *refs[] = {ref, ref2};
	struct err err;

	snprintf(ref, sizeof(ref), "dom:%s", id_hex(&d->id, hex));
	jcs_init(&j, RECORD_BODY_MAX);
	jcs_str(&j, "domain", hex);
	jcs_int(&j, "epoch", d->epoch);
	if (other) {
		jcs_str(&j, "from", id_hex(other, hex));
		snprintf(ref2, sizeof(ref2), "dom:%s", hex);
	}
	jcs_str(&j, "integrity", integrity_name(d->floor.integrity));
	jcs_str(&j, "principal", d->principal);
	jcs_str(&j, "what", what);
	if (jcs_finish(&j, &err) < 0)
		tx->failed = err;
	else
		store_append(tx, RECORD_DOMAIN, refs, other ? 2 : 1, &j);
}

static int commit_row(struct keeper *k, struct domain *d, const char *what, struct err *err)
{
	AUTO_TX struct store_tx tx = {0};

	log_domain(&tx, d, what, NULL);
	domain_put(d, &tx);
	if (store_commit(k->store, &tx, err) < 0)
		return -1;
	d->version = tx.version;
	return 0;
}

static int check_principal(const char *principal, struct err *err)
{
	if (!principal || !principal[0] || strnlen(principal, PRINCIPAL_MAX + 1) > PRINCIPAL_MAX)
		return err_set(err, ERR_INPUT, "a principal has 1 to %d bytes", PRINCIPAL_MAX);
	return 0;
}

static int check_event(const struct host_event *event, struct err *err)
{
	if (!event || !event->authenticated) {
		err_set(err, ERR_REFUSED, "only the host begins a new conversation");
		err_cure(err, "let the program that the user talks to ask for it, not the agent");
		return -1;
	}
	return check_principal(event->principal, err);
}

int domain_new(struct keeper *k, const struct host_event *event, char *handle, struct domain *ret,
	       struct err *err)
{
	struct id id;

	if (check_event(event, err) < 0)
		return -1;
	id_random(&id);
	init(ret, &id, event->principal, label_top());
	if (commit_row(k, ret, event->what ? event->what : "new", err) < 0)
		return -1;
	handle_write(k, event->principal, &id, handle);
	return 0;
}

static struct id shared_id(const struct keeper *k, const char *principal)
{
	struct id id;

	keeper_mac(k, "shared", principal, "", 0, id.byte);
	return id;
}

/* The principal's shared domain. It is exposed from the start: nobody knows what was read. */
static int load_shared(struct keeper *k, const char *principal, struct domain *ret, struct err *err)
{
	struct id id = shared_id(k, principal);

	for (int i = 0; i < KEEPER_TRIES_MAX; i++) {
		if (load(k, &id, ret, err) < 0)
			return -1;
		if (ret->version)
			return 0;
		init(ret, &id, principal, label_unknown());
		ret->kinds = KINDS_ALL; /* or a rule for who read files only would be for this */
		if (commit_row(k, ret, "shared", err) == 0)
			return 0;
		if (err->code != ERR_CONFLICT)
			return -1;
	}
	return -1;
}

static int load_handle(struct keeper *k, const struct domain_ask *ask, struct domain *ret,
		       struct err *err)
{
	struct id id;

	if (ask->handle && handle_read(k, ask->principal, ask->handle, &id)) {
		if (load(k, &id, ret, err) < 0)
			return -1;
		if (ret->version)
			return 0;
	}
	return load_shared(k, ask->principal, ret, err);
}

static int too_many(struct err *err)
{
	err_set(err, ERR_LIMIT, "over %d conversations of one name", DOMAIN_MEMBERS_MAX);
	err_cause(err,
		  "a name that a client chooses makes one of all that it is used in, for good");
	err_cure(err, "another name, or none, in a conversation that is new");
	return -1;
}

/* FROM becomes a part of TO. */
static int merge_once(struct keeper *k, struct domain *to, const struct domain *from,
		      struct err *err)
{
	AUTO_TX struct store_tx tx = {0};

	if (to->memberc + from->memberc > DOMAIN_MEMBERS_MAX)
		return too_many(err);
	label_join(&to->floor, &from->floor);
	if (!to->tainted_us || (from->tainted_us && from->tainted_us < to->tainted_us))
		to->tainted_us = from->tainted_us;
	to->sources += from->sources;
	to->kinds |= from->kinds;
	to->print_bytes += from->print_bytes;
	to->forgotten += from->forgotten;
	memcpy(to->member + to->memberc, from->member, from->memberc * sizeof(from->member[0]));
	to->memberc += from->memberc;
	log_domain(&tx, to, "merged", &from->id);
	domain_put(to, &tx);
	put_merged(from, &to->id, &tx);
	if (store_commit(k->store, &tx, err) < 0)
		return -1;
	to->version = tx.version;
	return 0;
}

static int put_name(struct keeper *k, const char *key, const struct domain *d, uint64_t version,
		    struct err *err)
{
	AUTO_TX struct store_tx tx = {0};

	store_put(&tx, STORE_DOMAIN, key, &d->id, sizeof(d->id), version);
	return store_commit(k->store, &tx, err);
}

/* One try: ERR_CONFLICT when somebody else was faster. */
static int find_named(struct keeper *k, const struct domain_ask *ask, struct domain *ret,
		      struct err *err)
{
	AUTO_ITEM struct store_item item = {0};
	struct domain other;
	struct id name;
	char key[KEY_MAX];

	if (load_handle(k, ask, ret, err) < 0)
		return -1;
	if (!ask->name)
		return 0;
	keeper_mac(k, "name", ask->principal, ask->name, strlen(ask->name), name.byte);
	row_key("n", &name, key);
	if (store_get(k->store, STORE_DOMAIN, key, &item, err) < 0)
		return -1;
	if (!item.version)
		return put_name(k, key, ret, STORE_NEW, err);
	if (item.len != sizeof(name))
		return err_set(err, ERR_INPUT, "the row of a name is damaged");
	memcpy(&name, item.value, sizeof(name));
	if (domain_load(k, &name, &other, err) < 0)
		return -1;
	return id_is_same(&other.id, &ret->id) ? 0 : merge_once(k, ret, &other, err);
}

int domain_find(struct keeper *k, const struct domain_ask *ask, struct domain *ret, struct err *err)
{
	if (check_principal(ask->principal, err) < 0)
		return -1;
	if (ask->name && strnlen(ask->name, DOMAIN_NAME_MAX + 1) > DOMAIN_NAME_MAX)
		return err_set(err, ERR_INPUT, "a name has at most %d bytes", DOMAIN_NAME_MAX);
	for (int i = 0; i < KEEPER_TRIES_MAX; i++) {
		*err = (struct err){0};
		if (find_named(k, ask, ret, err) == 0)
			return 0;
		if (err->code != ERR_CONFLICT)
			return -1;
	}
	return -1;
}

/* Only for a domain that is alone. The others of one that was merged go on with what they have read:
 * nobody began those anew, and an agent can merge its own with any whose name it knows. */
static void forget(struct domain *d)
{
	d->floor = label_top();
	d->tainted_us = 0;
	d->kinds = 0;
}

int domain_begin_epoch(struct keeper *k, const struct host_event *event, const char *handle,
		       struct domain *ret, struct err *err)
{
	struct id id;

	if (check_event(event, err) < 0)
		return -1;
	if (!handle || !handle_read(k, event->principal, handle, &id))
		return err_set(err, ERR_INPUT, "that is no handle of this principal's");
	for (int i = 0; i < KEEPER_TRIES_MAX; i++) {
		*err = (struct err){0};
		if (domain_load(k, &id, ret, err) < 0)
			return -1;
		ret->epoch++;
		if (ret->memberc == 1)
			forget(ret);
		if (commit_row(k, ret, event->what ? event->what : "epoch", err) == 0)
			return 0;
		if (err->code != ERR_CONFLICT)
			return -1;
	}
	return -1;
}

void domain_read(struct keeper *k, struct domain *d, const struct label *label,
		 enum source_kind kind, struct store_tx *tx)
{
	if (label->integrity < d->floor.integrity)
		d->floor.integrity = label->integrity;
	if (label->secrecy > d->floor.secrecy)
		d->floor.secrecy = label->secrecy;
	if (d->floor.integrity < INTEGRITY_TOOL && !d->tainted_us)
		d->tainted_us = k->now_us();
	d->kinds |= 1U << kind;
	domain_put(d, tx);
}
