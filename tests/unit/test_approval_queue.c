/* SPDX-License-Identifier: MIT
 *
 * The queue of questions: as many as may wait, of one conversation and of all.
 */
#include "approval_case.h"

/* Parks R in the conversation NAME, as the NUMBER-th question. */
static int ask(struct store *s, const char *name, bool nameless, int number, uint64_t now,
	       struct err *err)
{
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1], file[32];

	snprintf(file, sizeof(file), "%d.sh", number);
	r.suffix = file;
	r.conversation = name;
	r.nameless = nameless;
	*err = (struct err){0};
	return approval_park(s, &r, case_bytes, WAIT, now, id, err);
}

/* One conversation has its places and leaves those of others; what has expired makes room. */
static void test_conversation_max(void)
{
	int dir = case_fresh("one"), parked = 0;
	struct store *s = case_open(dir);
	struct err err;

	for (int i = 0; i < APPROVAL_OPEN_MAX; i++)
		parked += ask(s, "greedy", false, i, CASE_NOW, &err) == 0;
	ok(parked == APPROVAL_CONVERSATION_MAX && err.code == ERR_LIMIT &&
		   strstr(err.message, "this conversation"),
	   "%d of one conversation wait", parked);
	ok(ask(s, "other", false, 0, CASE_NOW, &err) == 0, "another one has room");
	ok(ask(s, "greedy", false, 1, CASE_NOW, &err) == 1,
	   "what waits already is no new question");
	ok(ask(s, "greedy", false, -1, CASE_NOW + WAIT, &err) == 0, "time makes room");
	store_close(s);
	close(dir);
}

/* Runs without a conversation have one each: together they have the places of one. */
static void test_nameless(void)
{
	int dir = case_fresh("nameless"), parked = 0;
	struct store *s = case_open(dir);
	struct err err;
	char name[32];

	for (int i = 0; i < APPROVAL_OPEN_MAX; i++) {
		snprintf(name, sizeof(name), "run-%d", i);
		parked += ask(s, name, true, i, CASE_NOW, &err) == 0;
	}
	ok(parked == APPROVAL_CONVERSATION_MAX && err.code == ERR_LIMIT &&
		   strstr(err.message, "without a conversation"),
	   "%d runs without a conversation wait", parked);
	ok(ask(s, "named", false, 0, CASE_NOW, &err) == 0, "a conversation has room");
	store_close(s);
	close(dir);
}

/* As many as may wait of all; a no makes room for one. */
static void test_open_max(void)
{
	int dir = case_fresh("full");
	struct store *s = case_open(dir);
	struct approval_request r = case_request();
	struct approval_actor anyone = {.uid = ADMIN};
	AUTO_APPROVAL struct approval a = {0};
	char last[APPROVAL_ID + 1];
	struct err err = {0};

	r.conversation = "the last";
	scratch_must(case_park_many(s, ASKER, APPROVAL_OPEN_MAX - 1, &err) ==
				     APPROVAL_OPEN_MAX - 1 &&
			     approval_park(s, &r, case_bytes, WAIT, CASE_NOW, last, &err) == 0,
		     err.message);
	ok(ask(s, "more", false, 0, CASE_NOW, &err) < 0 && err.code == ERR_LIMIT,
	   "%d wait, and not one more", APPROVAL_OPEN_MAX);
	scratch_must(approval_load(s, last, &a, &err) == 0 &&
			     approval_deny(s, &a, &anyone, "", CASE_NOW, &err) == 0,
		     err.message);
	ok(ask(s, "more", false, 0, CASE_NOW, &err) == 0, "a no makes room");
	ok(ask(s, "still more", false, 0, CASE_NOW, &err) < 0, "for one");
	ok(ask(s, "still more", false, 0, CASE_NOW + WAIT, &err) == 0, "time makes room for all");
	store_close(s);
	close(dir);
}

int main(void)
{
	scratch_must(sodium_init() >= 0, "libsodium");
	const char *scratch = scratch_enter();

	test_conversation_max();
	test_nameless();
	test_open_max();
	scratch_leave(scratch);
	return tap_done();
}
