/* SPDX-License-Identifier: MIT
 *
 * Tickets: for which run one holds, what it gives, and that the store keeps all of it. A self-executing path
 * must be named itself, a revoked or spent ticket gives nothing, and the last run is taken once.
 */
#include "trust/ticket.h"

#include "base/scope.h"
#include "trust_case.h"

enum { RACERS = 8 };

static struct err err;
static const uint8_t program[KEEPER_SHA256] = {7}, other_program[KEEPER_SHA256] = {8};
static const struct id conversation = {{1}}, other_conversation = {{2}};
static struct directory_place place = {
	.path = "/home/u/app", .depth = 1, .identity = {{.inode = 5, .born_ns = 6}}};

/* Of each giver, for everything that a ticket can be for. */
static struct ticket make(enum ticket_giver giver)
{
	return (struct ticket){
		.giver = giver,
		.by = "anna",
		.has_conversation = true,
		.has_directory = true,
		.has_program = true,
		.conversation = conversation,
		.directory = "/home/u/app",
		.identity = {.inode = 5, .born_ns = 6},
		.program = {7},
		.count = {[CAP_WRITE] = 2, [CAP_NET] = 1, [CAP_SECRET] = 1},
		.list = {[CAP_WRITE] = {"src", ".github/workflows/x.yml"},
			 [CAP_NET] = {"registry.example:443"},
			 [CAP_SECRET] = {"TOKEN"}},
		.sent_max = TICKET_SENT_DEFAULT,
		.from_us = 100,
		.to_us = 200,
		.runs = 3,
		.used = 2,
	};
}

static struct ticket_use use_it(void)
{
	return (struct ticket_use){.conversation = &conversation,
				   .directory = &place,
				   .inputs_are_trusted = true,
				   .program = program,
				   .now_us = 150};
}

static void is(struct ticket t, struct ticket_use use, enum ticket_answer answer, const char *what)
{
	enum ticket_answer got = ticket_check(&t, &use);

	if (!ok(got == answer, "%s: %s", what, ticket_answer_words(answer)))
		printf("# %s\n", ticket_answer_words(got));
}

/* CHANGE is done to T or U, which are good before. */
#define ROW(answer, what, change)                                                                  \
	do {                                                                                       \
		struct ticket t = make(TICKET_GRANT);                                              \
		struct ticket_use u = use_it();                                                    \
		change;                                                                            \
		is(t, u, answer, what);                                                            \
	} while (0)

static void test_times(void)
{
	ROW(TICKET_GOOD, "all is as it was given", (void)0);
	ROW(TICKET_REVOKED, "revoked", t.revoked_us = 1);
	ROW(TICKET_EARLY, "before its time", u.now_us = 99);
	ROW(TICKET_GOOD, "its first moment", u.now_us = 100);
	ROW(TICKET_GOOD, "its last moment", u.now_us = 199);
	ROW(TICKET_LATE, "its end", u.now_us = 200);
	ROW(TICKET_SPENT, "all runs are used", t.used = 3);
	ROW(TICKET_SPENT, "and more", t.used = 4);
	ROW(TICKET_GOOD, "any number of runs", t.used = 1000; t.runs = 0);
	ROW(TICKET_LATE, "a ticket without a time", t.from_us = t.to_us = 0);
}

static void test_run(void)
{
	struct directory_place moved = place, replaced = place, reborn = place;

	snprintf(moved.path, sizeof(moved.path), "/home/u/app2");
	replaced.identity[0].inode = 9;
	reborn.identity[0].born_ns = 9;
	ROW(TICKET_OTHER_CONVERSATION, "another", u.conversation = &other_conversation);
	ROW(TICKET_OTHER_CONVERSATION, "none", u.conversation = NULL);
	ROW(TICKET_GOOD, "for any conversation", t.has_conversation = false;
	    u.conversation = &other_conversation);
	ROW(TICKET_OTHER_DIRECTORY, "another path", u.directory = &moved);
	ROW(TICKET_OTHER_DIRECTORY, "another directory of this name", u.directory = &replaced);
	ROW(TICKET_OTHER_DIRECTORY, "one that was made later", u.directory = &reborn);
	ROW(TICKET_OTHER_DIRECTORY, "none", u.directory = NULL);
	ROW(TICKET_GOOD, "for any directory", t.has_directory = false; u.directory = &moved);
	ROW(TICKET_GOOD, "for any directory", t.has_directory = false; u.directory = NULL);
	ROW(TICKET_OTHER_PROGRAM, "another", u.program = other_program);
	ROW(TICKET_OTHER_PROGRAM, "none", u.program = NULL);
	ROW(TICKET_GOOD, "for any program", t.has_program = false; u.program = NULL);
	ROW(TICKET_GOOD, "a grant in an untrusted directory", u.inputs_are_trusted = false);
	ROW(TICKET_NOT_TRUSTED, "a plan in an untrusted directory", t.giver = TICKET_PLAN;
	    u.inputs_are_trusted = false);
	ROW(TICKET_GOOD, "a plan in a trusted one", t.giver = TICKET_PLAN);
	ROW(TICKET_GOOD, "a plan without a directory", t.giver = TICKET_PLAN;
	    t.has_directory = false; u.directory = NULL);
	ROW(TICKET_NOT_TRUSTED, "nor is its input trusted", t.giver = TICKET_PLAN;
	    t.has_directory = false; u.directory = NULL; u.inputs_are_trusted = false);
}

static void test_words(void)
{
	bool good = true;

	for (unsigned i = 0; i < TICKET_ANSWERS; i++)
		good = good && strlen(ticket_answer_words((enum ticket_answer)i)) > 5;
	for (unsigned i = 0; i < TICKET_GIVERS; i++)
		good = good && strlen(ticket_giver_name((enum ticket_giver)i)) > 3;
	ok(good, "every answer and giver has words");
}

static void test_covers(void)
{
	static const struct {
		enum cap effect;
		const char *row, *object;
		bool self, covered;
	} rows[] = {
		{CAP_WRITE, "src", "src", false, true},
		{CAP_WRITE, "src", "src/a/b.c", false, true},
		{CAP_WRITE, "src", "src2", false, false},
		{CAP_WRITE, "src", "src2/a.c", false, false},
		{CAP_WRITE, "src", "sr", false, false},
		{CAP_WRITE, "src", "a/src", false, false},
		{CAP_WRITE, "src/a", "src", false, false},
		{CAP_WRITE, "a", "a/b.c", false, true},
		{CAP_WRITE, "a", "README", false, false},
		{CAP_WRITE, "a", ".", false, false},
		{CAP_WRITE, ".", "anything/at/all", false, true},
		{CAP_WRITE, ".", "anything", false, true},
		/* what is run or obeyed outside the box */
		{CAP_WRITE, ".", ".git/hooks/pre-commit", true, false},
		{CAP_WRITE, ".git", ".git/config", true, false},
		{CAP_WRITE, ".git/hooks", ".git/hooks/pre-commit", true, false},
		{CAP_WRITE, ".git/hooks/pre-commit", ".git/hooks/pre-commit", true, true},
		{CAP_WRITE, ".github/workflows/x.yml", ".github/workflows/y.yml", true, false},
		{CAP_WRITE, "src", "src/CLAUDE.md", true, false},
		{CAP_WRITE, "src/CLAUDE.md", "src/CLAUDE.md", true, true},
		/* hosts and secrets are exact */
		{CAP_NET, "a.example:443", "a.example:443", false, true},
		{CAP_NET, "a.example:443", "a.example:444", false, false},
		{CAP_NET, "a.example:443", "b.a.example:443", false, false},
		{CAP_NET, "a.example:44", "a.example:443", false, false},
		{CAP_NET, ".", "a.example:443", false, false},
		{CAP_NET, "*.example:443", "a.example:443", false, false},
		{CAP_SECRET, "A", "A", false, true},
		{CAP_SECRET, "A", "AB", false, false},
		{CAP_SECRET, "A", "A/B", false, false},
		{CAP_SECRET, ".", "A", false, false},
		/* gate/gate_decide.c holds it against the host and narrows the secret */
		{CAP_SECRET, "A=GET:a.example:443/", "A", false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ticket t = {.count = {[CAP_WRITE] = 0}};
		t.count[rows[i].effect] = 1;
		t.list[rows[i].effect][0] = rows[i].row;
		bool elsewhere = false;
		for (unsigned e = 0; e < CAP_COUNT; e++)
			elsewhere = elsewhere ||
				    (e != rows[i].effect &&
				     ticket_covers(&t, (enum cap)e, rows[i].object, rows[i].self));
		ok(ticket_covers(&t, rows[i].effect, rows[i].object, rows[i].self) ==
				   rows[i].covered &&
			   !elsewhere,
		   "%s %s: %s is %s", cap_name(rows[i].effect), rows[i].row, rows[i].object,
		   rows[i].covered ? "given" : "not given");
	}
	struct ticket t = make(TICKET_GRANT);
	ok(ticket_covers(&t, CAP_WRITE, ".github/workflows/x.yml", true) &&
		   !ticket_covers(&t, CAP_WRITE, "doc", false) &&
		   !ticket_covers(&(struct ticket){0}, CAP_WRITE, ".", false),
	   "any row of the list may give it, and no list gives nothing");
}

static const char *give(struct trust_case *c, struct ticket *t)
{
	static char hex[ID_HEX];
	AUTO_TX struct store_tx tx = {0};

	case_done(ticket_give(&c->k, t, &tx, &err) == 0, &err);
	return id_hex(&t->id, hex);
}

static bool is_same(const struct ticket *a, const struct ticket *b)
{
	for (unsigned e = 0; e < CAP_COUNT; e++) {
		if (a->count[e] != b->count[e])
			return false;
		for (size_t i = 0; i < a->count[e]; i++)
			if (strcmp(a->list[e][i], b->list[e][i]) != 0)
				return false;
	}
	return id_is_same(&a->id, &b->id) && a->giver == b->giver && strcmp(a->by, b->by) == 0 &&
	       a->has_conversation == b->has_conversation && a->has_directory == b->has_directory &&
	       a->has_program == b->has_program && id_is_same(&a->conversation, &b->conversation) &&
	       strcmp(a->directory, b->directory) == 0 && a->identity.inode == b->identity.inode &&
	       a->identity.born_ns == b->identity.born_ns &&
	       memcmp(a->program, b->program, sizeof(a->program)) == 0 &&
	       a->sent_max == b->sent_max && a->from_us == b->from_us && a->to_us == b->to_us &&
	       a->runs == b->runs && a->used == b->used && a->revoked_us == b->revoked_us &&
	       a->version == b->version;
}

static void test_kept(struct trust_case *c)
{
	AUTO_TICKET struct ticket got = {0};

	for (unsigned g = 0; g < TICKET_GIVERS; g++) {
		struct ticket t = make((enum ticket_giver)g);
		const char *hex = give(c, &t);
		ok(ticket_load(&c->k, hex, &got, &err) == 0 && is_same(&t, &got),
		   "a %s is read back the same", ticket_giver_name((enum ticket_giver)g));
	}
	struct ticket bare = {.by = "", .to_us = 1, .giver = TICKET_GRANT};
	ok(ticket_load(&c->k, give(c, &bare), &got, &err) == 0 && !got.has_directory &&
		   !got.has_conversation && !got.has_program && !got.count[CAP_WRITE],
	   "so is an empty one");
	ok(ticket_load(&c->k, "00000000000000000000000000000000", &got, &err) < 0 &&
		   strstr(err.message, "there is no plan or grant"),
	   "one that there is not");
	ok(ticket_load(&c->k, "../x", &got, &err) < 0 && ticket_load(&c->k, "", &got, &err) < 0,
	   "what is no id");
}

static void test_expect(struct trust_case *c)
{
	struct conversation clean = case_begin(c, "planned"), now = clean;
	struct ticket plan = make(TICKET_PLAN);
	AUTO_TX struct store_tx exposes = {0}, gives = {0};

	conversation_expose(&now, "a page", 10);
	conversation_put(&now, &exposes);
	case_done(store_commit(c->k.store, &exposes, &err) == 0, &err);
	conversation_expect(&clean, &gives);
	ok(ticket_give(&c->k, &plan, &gives, &err) < 0 && err.code == ERR_CONFLICT,
	   "no plan is given when its conversation was exposed meanwhile");
}

static void test_damage(struct trust_case *c)
{
	AUTO_TICKET struct ticket got = {0};
	AUTO_ITEM struct store_item item = {0};
	struct ticket t = make(TICKET_GRANT);
	const char *hex = give(c, &t);
	uint8_t bytes[4096];
	unsigned taken = 0;

	case_done(store_get(c->k.store, STORE_TICKET, hex, &item, &err) == 0, &err);
	scratch_must(item.len < sizeof(bytes), "a short row");
	for (size_t len = 0; len <= item.len + 1; len++) {
		AUTO_TX struct store_tx tx = {0};
		if (len == item.len || (len > 60 && len < item.len - 60 && len % 5))
			continue;
		memcpy(bytes, item.value, item.len);
		bytes[item.len] = 0;
		store_put(&tx, STORE_TICKET, hex, bytes, len, STORE_ANY);
		case_done(store_commit(c->k.store, &tx, &err) == 0, &err);
		taken += ticket_load(&c->k, hex, &got, &err) == 0;
	}
	ok(!taken && strstr(err.message, "is damaged"), "a row of another length is not taken");
	AUTO_TX struct store_tx tx = {0};
	store_delete(&tx, STORE_TICKET, hex, STORE_ANY);
	case_done(store_commit(c->k.store, &tx, &err) == 0, &err);
}

static int count(void *context, struct ticket *t, struct err *e)
{
	(void)t;
	(void)e;
	++*(unsigned *)context;
	return 0;
}

static unsigned held(struct trust_case *c, uint64_t now)
{
	unsigned n = 0;

	case_done(ticket_each(&c->k, now, count, &n, &err) == 0, &err);
	return n;
}

static void test_revoke(struct trust_case *c)
{
	AUTO_TICKET struct ticket got = {0};
	struct ticket t = make(TICKET_GRANT);
	struct ticket_use u = use_it();
	AUTO_TX struct store_tx late = {0};
	unsigned before = held(c, 150);
	const char *hex = give(c, &t);

	ok(held(c, 150) == before + 1, "a ticket is listed");
	ok(held(c, 99) == before + 1, "also before its time");
	ok(held(c, 200) == 0, "not when it is over");
	case_done(ticket_load(&c->k, hex, &got, &err) == 0, &err);
	ok(ticket_revoke(&c->k, hex, "ben", &err) == 0 && held(c, 150) == before,
	   "nor when it is revoked");
	ticket_spend(&got, &late);
	ok(store_commit(c->k.store, &late, &err) < 0 && err.code == ERR_CONFLICT,
	   "a run that found it good before does not start");
	case_done(ticket_load(&c->k, hex, &got, &err) == 0, &err);
	ok(ticket_check(&got, &u) == TICKET_REVOKED, "and it gives nothing");
	uint64_t when = got.revoked_us;
	case_done(ticket_revoke(&c->k, hex, "ben", &err) == 0 &&
			  ticket_load(&c->k, hex, &got, &err) == 0,
		  &err);
	ok(got.revoked_us == when, "it is revoked once");
	ok(ticket_revoke(&c->k, "00000000000000000000000000000000", "ben", &err) < 0,
	   "one that there is not cannot be revoked");
	/* Without a number of runs its row does not change, and is expected all the same. */
	AUTO_TX struct store_tx any = {0};
	struct ticket many = make(TICKET_GRANT);
	many.runs = many.used = 0;
	hex = give(c, &many);
	case_done(ticket_load(&c->k, hex, &got, &err) == 0 &&
			  ticket_revoke(&c->k, hex, "ben", &err) == 0,
		  &err);
	ticket_spend(&got, &any);
	ok(store_commit(c->k.store, &any, &err) < 0 && err.code == ERR_CONFLICT,
	   "nor does one under a grant for any number of runs");
}

static char raced[ID_HEX];

static int spend(struct trust_case *c, int i)
{
	(void)i;
	for (int n = 0; n < KEEPER_TRIES_MAX; n++) {
		AUTO_TICKET struct ticket t = {0};
		AUTO_TX struct store_tx tx = {0};
		struct ticket_use u = use_it();
		if (ticket_load(&c->k, raced, &t, &err) < 0 || ticket_check(&t, &u) != TICKET_GOOD)
			return 1;
		t.is_due = true;
		ticket_spend(&t, &tx);
		if (store_commit(c->k.store, &tx, &err) == 0)
			return 0;
		if (err.code != ERR_CONFLICT)
			return 1;
	}
	return 1;
}

static void test_spend(struct trust_case *c)
{
	AUTO_TICKET struct ticket one = {0}, two = {0};
	AUTO_TX struct store_tx unused = {0}, first = {0}, second = {0}, again = {0};
	struct ticket t = make(TICKET_GRANT);
	struct ticket_use u = use_it();

	snprintf(raced, sizeof(raced), "%s", give(c, &t));
	size_t before = held(c, 150);
	case_done(ticket_load(&c->k, raced, &one, &err) == 0 &&
			  ticket_load(&c->k, raced, &two, &err) == 0,
		  &err);
	ticket_spend(&one, &unused);
	ok(store_commit(c->k.store, &unused, &err) == 0 && held(c, 150) == before,
	   "a run that gets nothing by it takes no use of it");
	one.is_due = two.is_due = true;
	ticket_spend(&one, &first);
	ticket_spend(&two, &second);
	ok(store_commit(c->k.store, &first, &err) == 0, "the last run is taken");
	ticket_spent(&one, first.version);
	ok(one.is_spent && !ticket_is_over(&one, 150), "the run that took it keeps it to its end");
	ticket_spend(&one, &again);
	ok(store_commit(c->k.store, &again, &err) == 0 && one.used == 3, "and takes it once");
	ok(store_commit(c->k.store, &second, &err) < 0 && err.code == ERR_CONFLICT,
	   "the other taker of it has a conflict");
	case_done(ticket_load(&c->k, raced, &one, &err) == 0, &err);
	ok(one.used == 3 && ticket_check(&one, &u) == TICKET_SPENT, "then it is spent");
	t = make(TICKET_GRANT);
	t.runs = RACERS / 2;
	t.used = 0;
	snprintf(raced, sizeof(raced), "%s", give(c, &t));
	ok(case_race(c, RACERS, spend) == RACERS / 2,
	   "of many processes, as many get a run as there are runs");
	t = make(TICKET_GRANT);
	t.runs = t.used = 0;
	snprintf(raced, sizeof(raced), "%s", give(c, &t));
	ok(case_race(c, RACERS, spend) == RACERS, "any number: all of them");
}

static void test_maxima(struct trust_case *c)
{
	static char text[TICKET_TEXT_MAX + 1], path[PATH_MAX];
	AUTO_TICKET struct ticket got = {0};
	struct ticket t = make(TICKET_GRANT);
	struct store_tx tx = {0};

	memset(text, 'x', TICKET_TEXT_MAX);
	memset(path, 'p', sizeof(path) - 1);
	for (unsigned e = 0; e < CAP_COUNT; e++) {
		t.count[e] = TICKET_LIST_MAX;
		for (size_t i = 0; i < TICKET_LIST_MAX; i++)
			t.list[e][i] = text;
	}
	t.directory = path;
	t.runs = TICKET_RUNS_MAX;
	t.to_us = t.from_us + TICKET_TIME_MAX_US;
	ok(ticket_load(&c->k, give(c, &t), &got, &err) == 0 && is_same(&t, &got),
	   "everything may be as large as it may be at once");
	static const struct {
		const char *what;
		uint64_t to_us;
		uint32_t runs;
	} rows[] = {{"a time that is too long", 100 + TICKET_TIME_MAX_US + 1, 1},
		    {"no time", 100, 1},
		    {"an end before the beginning", 99, 1},
		    {"too many runs", 200, TICKET_RUNS_MAX + 1}};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		t = make(TICKET_GRANT);
		t.to_us = rows[i].to_us;
		t.runs = rows[i].runs;
		ok(ticket_give(&c->k, &t, &tx, &err) < 0 && err.code == ERR_USAGE, "%s is refused",
		   rows[i].what);
	}
	char longer[TICKET_TEXT_MAX + 2];
	memset(longer, 'x', TICKET_TEXT_MAX + 1);
	longer[TICKET_TEXT_MAX + 1] = '\0';
	for (unsigned e = 0; e < CAP_COUNT; e++) {
		t = make(TICKET_GRANT);
		t.list[e][t.count[e] - 1] = longer;
		ok(ticket_give(&c->k, &t, &tx, &err) < 0 && err.code == ERR_LIMIT &&
			   strstr(err.message, "at most 1024 bytes"),
		   "%s: a text that is too long is refused", cap_name(e));
	}
	store_tx_done(&tx);
}

int main(void)
{
	struct trust_case c = {0};

	test_times();
	test_run();
	test_words();
	test_covers();
	case_open(&c);
	test_kept(&c);
	test_expect(&c);
	test_damage(&c);
	test_revoke(&c);
	test_spend(&c);
	test_maxima(&c);
	case_close(&c);
	return tap_done();
}
