/* SPDX-License-Identifier: MIT
 *
 * A conversation is clean until something untrusted enters it, and exposed for good then: whatever other
 * processes do to its row at the same time, and whatever the row is damaged to.
 */
#include "trust/conversation.h"

#include "trust_case.h"

enum { RACERS = 8 };

static struct err err;

static void put_row(struct trust_case *c, const char *key, const void *data, size_t len)
{
	AUTO_TX struct store_tx tx = {0};

	store_put(&tx, STORE_CONVERSATION, key, data, len, STORE_ANY);
	case_done(store_commit(c->k.store, &tx, &err) == 0, &err);
}

static void test_begin(struct trust_case *c)
{
	struct conversation one = case_begin(c, "first \x1b[31m"), got;
	char hex[ID_HEX];

	ok(one.version && !one.exposed_us && !one.ended_us, "a conversation begins clean");
	ok(conversation_load(&c->k, &one.id, &got, &err) == 0 && id_is_same(&one.id, &got.id) &&
		   got.version == one.version && got.begun_us == 1000 && !got.exposed_us &&
		   strcmp(got.principal, "uid:1000") == 0,
	   "and is read back the same");
	ok(strstr(got.title, "first") && !strchr(got.title, 0x1b), "its title is safe to print");
	ok(conversation_begin(&c->k, &(struct conversation){.id = one.id}, &err) < 0 &&
		   err.code == ERR_CONFLICT,
	   "none takes the id of another");
	ok(conversation_find(&c->k, id_hex(&one.id, hex), &got, &err) == 0 &&
		   id_is_same(&one.id, &got.id),
	   "it is found by its id");
}

/* Two ids that begin with the same ten digits. */
static void test_prefix(struct trust_case *c)
{
	static const struct {
		const char *name, *words; /* NULL: it is found */
	} rows[] = {{"abcdef012300", NULL},
		    {"abcdef012311", NULL},
		    {"abcdef0123", "is the beginning of more than one id"},
		    {"abcdef", "is the beginning of more than one id"},
		    {"abcde", "there is no conversation abcde"},
		    {"", "there is no conversation"},
		    {"abcdef99", "there is no conversation abcdef99"},
		    {"ABCDEF012300", "there is no conversation"},
		    {"abcdef01230%", "there is no conversation"},
		    {"abcdef01230_", "there is no conversation"},
		    {"abcdef01230000000000000000000000f", "there is no conversation"},
		    {"../abcdef012300", "there is no conversation"}};
	struct conversation one, two, got;

	conversation_init(&one, "uid:1000", "one", 1);
	one.id = (struct id){{0xab, 0xcd, 0xef, 0x01, 0x23, 0x00}};
	two = one;
	two.id.byte[5] = 0x11;
	case_done(conversation_begin(&c->k, &one, &err) == 0 &&
			  conversation_begin(&c->k, &two, &err) == 0,
		  &err);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		err = (struct err){0};
		int r = conversation_find(&c->k, rows[i].name, &got, &err);
		if (!ok(rows[i].words ? r < 0 && strstr(err.message, rows[i].words)
				      : r == 0 && got.id.byte[5] == (i ? 0x11 : 0),
			"\"%s\": %s", rows[i].name, rows[i].words ? rows[i].words : "found"))
			printf("# %s\n", err.message);
	}
}

static void test_expose(struct trust_case *c)
{
	struct conversation one = case_begin(c, "one"), got;
	AUTO_TX struct store_tx tx = {0}, late = {0}, same = {0};

	conversation_expose(&one, "web page https://x.example/\n", 50);
	conversation_expose(&one, "another", 60);
	ok(one.exposed_us == 50 && strstr(one.cause, "web page") && !strchr(one.cause, '\n'),
	   "the first cause stays, safe to print");
	conversation_record(&one, "exposed", &tx);
	conversation_put(&one, &tx);
	case_done(store_commit(c->k.store, &tx, &err) == 0, &err);
	case_done(conversation_load(&c->k, &one.id, &got, &err) == 0, &err);
	ok(got.exposed_us == 50 && strcmp(got.cause, one.cause) == 0, "it is kept");
	conversation_expect(&one, &late);
	ok(store_commit(c->k.store, &late, &err) < 0 && err.code == ERR_CONFLICT,
	   "a decision on the clean row is a conflict");
	conversation_expect(&got, &same);
	ok(store_commit(c->k.store, &same, &err) == 0,
	   "a change that expects the current row is no conflict");
}

static void test_end(struct trust_case *c)
{
	struct conversation one = case_begin(c, "one"), got, again;
	struct id none = {{1}};

	conversation_expose(&one, "a page", 50);
	AUTO_TX struct store_tx tx = {0};
	conversation_put(&one, &tx);
	case_done(store_commit(c->k.store, &tx, &err) == 0, &err);
	ok(conversation_end(&c->k, &one.id, "done\n", &got, &err) == 0 && got.ended_us &&
		   strncmp(got.end, "done", 4) == 0 && !strchr(got.end, '\n'),
	   "a conversation ends, with a reason");
	ok(got.exposed_us == 50, "and stays exposed");
	ok(conversation_end(&c->k, &one.id, "again", &again, &err) == 0 &&
		   again.ended_us == got.ended_us && strcmp(again.end, got.end) == 0,
	   "once");
	ok(conversation_end(&c->k, &none, "x", &got, &err) < 0 &&
		   strstr(err.message, "there is no conversation"),
	   "one that there is not cannot be ended");
}

static struct id raced;

/* Each exposes the row or adds to it, as the gate and ingest do: on a conflict it is read again. */
static int change(struct trust_case *c, int i)
{
	for (int n = 0; n < KEEPER_TRIES_MAX; n++) {
		AUTO_TX struct store_tx tx = {0};
		struct conversation one;
		if (conversation_load(&c->k, &raced, &one, &err) < 0)
			return 1;
		if (i == RACERS / 2)
			conversation_expose(&one, "the one page", 70);
		one.sources++;
		conversation_put(&one, &tx);
		if (store_commit(c->k.store, &tx, &err) == 0)
			return 0;
		if (err.code != ERR_CONFLICT)
			return 1;
	}
	return 1;
}

/* All read the same row before any writes it. */
static int change_once(struct trust_case *c, int i)
{
	AUTO_TX struct store_tx tx = {0};
	struct conversation one;

	if (conversation_load(&c->k, &raced, &one, &err) < 0)
		return 1;
	one.version = 1; /* as if it were read at its beginning */
	one.sources = 1000 + (uint64_t)i;
	conversation_put(&one, &tx);
	return store_commit(c->k.store, &tx, &err) == 0 ? 0 : 1;
}

static int end(struct trust_case *c, int i)
{
	struct conversation got;

	(void)i;
	return conversation_end(&c->k, &raced, "enough", &got, &err) == 0 ? 0 : 1;
}

static int change_or_end(struct trust_case *c, int i)
{
	return i % 2 ? end(c, i) : change(c, i);
}

static void test_race(struct trust_case *c)
{
	struct conversation one = case_begin(c, "raced"), got;

	raced = one.id;
	ok(case_race(c, RACERS, change) == RACERS, "all processes change one row");
	case_done(conversation_load(&c->k, &raced, &got, &err) == 0, &err);
	ok(got.exposed_us == 70 && strcmp(got.cause, "the one page") == 0,
	   "and the exposure is not lost");
	ok(got.sources == RACERS, "nor is any other change");
	one = case_begin(c, "ended");
	raced = one.id;
	ok(case_race(c, RACERS, change_or_end) == RACERS, "some end it meanwhile");
	case_done(conversation_load(&c->k, &raced, &got, &err) == 0, &err);
	ok(got.ended_us && got.exposed_us == 70, "it is ended and exposed");
	ok(case_race(c, RACERS, change_once) == 0,
	   "a write over an old version never goes through");
}

static void test_damage(struct trust_case *c)
{
	AUTO_ITEM struct store_item item = {0};
	struct conversation one = case_begin(c, "damaged"), got;
	char key[ID_HEX];
	uint8_t bytes[4096];
	unsigned taken = 0;

	id_hex(&one.id, key);
	case_done(store_get(c->k.store, STORE_CONVERSATION, key, &item, &err) == 0, &err);
	scratch_must(item.len < sizeof(bytes), "a short row");
	memcpy(bytes, item.value, item.len);
	for (size_t len = 0; len <= item.len + 1; len += len < 40 ? 1 : 7) {
		bytes[item.len] = 0;
		if (len == item.len)
			continue;
		put_row(c, key, bytes, len);
		taken += conversation_load(&c->k, &one.id, &got, &err) == 0;
	}
	put_row(c, key, bytes, item.len + 1);
	taken += conversation_load(&c->k, &one.id, &got, &err) == 0;
	ok(!taken, "a row that is too short or too long is not taken");
	ok(strstr(err.message, "is damaged") && strstr(err.message, key),
	   "and the error names the damaged row");
	ok(conversation_find(&c->k, key, &got, &err) < 0, "nor is it found");
	ok(conversation_end(&c->k, &one.id, "x", &got, &err) < 0, "nor can it be ended");
	bytes[0]++;
	put_row(c, key, bytes, item.len);
	ok(conversation_load(&c->k, &one.id, &got, &err) < 0, "a row of another version neither");
	bytes[0]--;
	put_row(c, key, bytes, item.len);
	ok(conversation_load(&c->k, &one.id, &got, &err) == 0, "it was the damage");
}

struct counts {
	size_t all, exposed, stop;
};

static int count(void *context, const struct conversation *one, struct err *e)
{
	struct counts *counts = context;

	(void)e;
	counts->exposed += one->exposed_us != 0;
	return ++counts->all == counts->stop ? 7 : 0;
}

static void test_list(struct trust_case *c)
{
	struct counts before = {0}, after = {0}, some = {.stop = 2};

	case_done(conversation_list(&c->k, count, &before, &err) == 0, &err);
	case_begin(c, "one more");
	case_done(conversation_list(&c->k, count, &after, &err) == 0, &err);
	ok(before.all > 4 && after.all == before.all + 1 && after.exposed == before.exposed &&
		   after.exposed > 0,
	   "all of them are listed");
	ok(conversation_list(&c->k, count, &some, &err) == 7 && some.all == 2,
	   "a list can be ended");
}

static void test_maxima(struct trust_case *c)
{
	char text[2000], principal[PRINCIPAL_MAX + 1];
	struct conversation one, got;

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memset(principal, 'p', PRINCIPAL_MAX);
	principal[PRINCIPAL_MAX] = '\0';
	conversation_init(&one, principal, text, UINT64_MAX >> 1);
	conversation_expose(&one, text, UINT64_MAX >> 1);
	one.sources = one.print_bytes = one.forgotten = UINT64_MAX;
	case_done(conversation_begin(&c->k, &one, &err) == 0, &err);
	ok(conversation_end(&c->k, &one.id, text, &got, &err) == 0 &&
		   strlen(got.title) == CONVERSATION_TITLE_MAX &&
		   strlen(got.cause) == CONVERSATION_CAUSE_MAX &&
		   strlen(got.end) == CONVERSATION_CAUSE_MAX &&
		   strcmp(got.principal, principal) == 0 && got.sources == UINT64_MAX,
	   "everything may be as long as it may be at once");
	ok(strcmp(got.cause + CONVERSATION_CAUSE_MAX - 3, "...") == 0, "what is cut says so");
	text[CONVERSATION_CAUSE_MAX - 3] = '\0';
	conversation_init(&one, "p", "", 1);
	conversation_expose(&one, text, 1);
	ok(strcmp(one.cause, text) == 0, "one that leaves room for the dots is whole");
}

int main(void)
{
	struct trust_case c = {0};

	case_open(&c);
	test_begin(&c);
	test_prefix(&c);
	test_expose(&c);
	test_end(&c);
	test_race(&c);
	test_damage(&c);
	test_list(&c);
	test_maxima(&c);
	case_close(&c);
	return tap_done();
}
