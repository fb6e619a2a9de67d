/* SPDX-License-Identifier: MIT
 *
 * The queue of questions: as many as may wait, of one account and of all.
 */
#include "approval_case.h"

/* As many as may wait, of one and of all; what has expired makes room. */
static void test_open_max(void)
{
	int dir = case_fresh("full");
	struct store *s = case_open(dir);
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err = {0};
	int accounts = APPROVAL_OPEN_MAX / APPROVAL_ACCOUNT_MAX, parked = 0;

	parked = case_park_many(s, ASKER, APPROVAL_ACCOUNT_MAX, &err);
	ok(parked == APPROVAL_ACCOUNT_MAX, "%d requests of one may wait", APPROVAL_ACCOUNT_MAX);
	r.conversation = "one more";
	ok(approval_park(s, &r, case_bytes, WAIT, CASE_NOW, id, &err) < 0 &&
		   err.code == ERR_LIMIT && strstr(err.message, "your account"),
	   "one more may not");
	for (int i = 1; i < accounts; i++)
		parked += case_park_many(s, (uint64_t)ASKER + (uint64_t)i, APPROVAL_ACCOUNT_MAX,
					 &err);
	ok(parked == APPROVAL_OPEN_MAX, "those of others may, %d of all", APPROVAL_OPEN_MAX);
	r.uid = (uint64_t)ASKER + (uint64_t)accounts;
	ok(approval_park(s, &r, case_bytes, WAIT, CASE_NOW, id, &err) < 0 &&
		   err.code == ERR_LIMIT && !strstr(err.message, "your account"),
	   "but not one more, whose ever it is");
	ok(approval_park(s, &r, case_bytes, WAIT, CASE_NOW + WAIT, id, &err) == 0,
	   "but when the others have expired");
	store_close(s);
	close(dir);
}

/* What one account has answered, or let expire, is no longer its. */
static void test_account_room(void)
{
	int dir = case_fresh("room");
	struct store *s = case_open(dir);
	struct approval_request r = case_request();
	struct approval_actor anyone = {.uid = ADMIN};
	AUTO_APPROVAL struct approval a = {0};
	char id[APPROVAL_ID + 1], last[APPROVAL_ID + 1];
	struct err err = {0};

	r.conversation = "the last";
	scratch_must(case_park_many(s, ASKER, APPROVAL_ACCOUNT_MAX - 1, &err) ==
				     APPROVAL_ACCOUNT_MAX - 1 &&
			     approval_park(s, &r, case_bytes, WAIT, CASE_NOW, last, &err) == 0,
		     err.message);
	r.conversation = "one more";
	ok(approval_park(s, &r, case_bytes, WAIT, CASE_NOW, id, &err) < 0, "an account is full");
	scratch_must(approval_load(s, last, &a, &err) == 0 &&
			     approval_deny(s, &a, &anyone, "", CASE_NOW, &err) == 0,
		     err.message);
	ok(approval_park(s, &r, case_bytes, WAIT, CASE_NOW, id, &err) == 0, "one no makes room");
	r.conversation = "two more";
	ok(approval_park(s, &r, case_bytes, WAIT, CASE_NOW, id, &err) < 0, "for one");
	ok(approval_park(s, &r, case_bytes, WAIT, CASE_NOW + WAIT, id, &err) == 0,
	   "time makes room for all");
	store_close(s);
	close(dir);
}

int main(void)
{
	scratch_must(sodium_init() >= 0, "libsodium");
	const char *scratch = scratch_enter();

	test_open_max();
	test_account_room();
	scratch_leave(scratch);
	return tap_done();
}
