/* SPDX-License-Identifier: MIT
 *
 * Parking, answering and using requests, against a real store: by which accounts, when, how often, for what.
 */
#include "approval_case.h"

static struct case_person anna, ben, asker;

static struct store *fresh(int *dir)
{
	*dir = case_fresh("state");
	struct store *s = case_open(*dir);

	anna = case_person("anna");
	ben = case_person("ben");
	asker = case_person("daemon");
	scratch_must(case_enrol(&anna) == 0 && case_enrol(&ben) == 0 && case_enrol(&asker) == 0,
		     "enrolling");
	return s;
}

static void test_once(struct store *s)
{
	struct approval_request r = case_request();
	struct err err;
	char id[APPROVAL_ID + 1];

	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_state(s, id, CASE_NOW) == APPROVAL_PENDING, "what is parked is pending");
	ok(strcmp(case_park(s, &r, CASE_NOW + 5), id) == 0, "the same question is asked once");
	ok(approval_park(s, &r, case_bytes, WAIT, CASE_NOW, id, &err) == 1, "and that is said");
	ok(case_use(s, &r, CASE_NOW) == 0, "it covers nothing yet");
	ok(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0, "anna approves");
	ok(case_approve(s, id, &ben, SCOPE_ONCE, CASE_NOW, &err) < 0 && err.code == ERR_REFUSED,
	   "it is decided: no more words");
	ok(case_use(s, &r, CASE_NOW + 10) == 1, "one run is covered");
	ok(case_use(s, &r, CASE_NOW + 10) == 0, "a second is not");
	ok(case_state(s, id, CASE_NOW) == APPROVAL_USED, "it is used");
	ok(strcmp(case_park(s, &r, CASE_NOW + 20), id) != 0, "it is asked again");
}

static void test_any_change(struct store *s)
{
	struct approval_request r = case_request();
	struct err err;

	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_ONCE, CASE_NOW, &err) == 0,
	   "approved");
	for (const struct field *f = request_fields; f->name; f++) {
		struct approval_request q = r;
		char *at = (char *)&q + f->offset;
		if (!(f->in >> APPROVAL_SUBJECT & 1))
			continue;
		if (f->type == FIELD_NUMBER)
			*(uint64_t *)at ^= 1;
		else if (f->type == FIELD_BYTES)
			at[0] ^= 1;
		else if (f->type == FIELD_TEXT)
			*(const char **)at = "other";
		else
			((struct approval_list *)at)->count--;
		ok(case_use(s, &q, CASE_NOW) <= 0, "another %s is not covered", f->name);
	}
	ok(case_use(s, &r, CASE_NOW) == 1, "the same is");
}

static void test_scopes(struct store *s)
{
	struct approval_request r = case_request(), elsewhere;
	struct err err;

	r.lang = "bash";
	r.scope = SCOPE_GRANT;
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_DIFF, CASE_NOW, &err) < 0,
	   "a run is no diff");
	r.lang = "diff";
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_PROGRAM, CASE_NOW, &err) < 0,
	   "a diff is no program");
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_DIFF, CASE_NOW, &err) == 0,
	   "for the diff");
	elsewhere = r;
	elsewhere.conversation = "conv-2";
	ok(case_use(s, &r, CASE_NOW) == 1 && case_use(s, &r, CASE_NOW) == 1, "as often as need be");
	ok(case_use(s, &elsewhere, CASE_NOW) == 0, "not in another conversation");
	r.lang = "act";
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_GRANT, CASE_NOW, &err) < 0,
	   "an act is done once");
	r.lang = elsewhere.lang = "bash";
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_GRANT, CASE_NOW, &err) == 0 &&
		   case_use(s, &r, CASE_NOW) == 1 && case_use(s, &r, CASE_NOW) == 0,
	   "an approval that gives a grant is itself for once");
	ok(case_approve(s, case_park(s, &elsewhere, CASE_NOW), &ben, SCOPE_PROGRAM, CASE_NOW,
			&err) == 0,
	   "for the hash");
	elsewhere.conversation = "conv-3";
	elsewhere.evidence.count = 0;
	ok(case_use(s, &elsewhere, CASE_NOW) == 1, "in a conversation that is new");
	elsewhere.origin = ORIGIN_EXPOSED;
	ok(case_use(s, &elsewhere, CASE_NOW) == 1, "whatever was read meanwhile");
	elsewhere.grade = GRADE_ASKS;
	ok(case_use(s, &elsewhere, CASE_NOW) == 0, "not with a worse finding");
	elsewhere.grade = r.grade;
	ok(case_use(s, &elsewhere, CASE_NOW + TTL - 1) == 1, "up to its last moment");
	ok(case_use(s, &elsewhere, CASE_NOW + TTL) == 0, "and not after it");
	r.scope = SCOPE_ONCE;
	r.lang = "node";
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_PROGRAM, CASE_NOW, &err) < 0 &&
		   err.code == ERR_REFUSED,
	   "an approver cannot give more than the policy allows");
}

/* A person with two keys is one person. */
static void test_two_keys(struct store *s)
{
	struct case_person other = case_person("another key");
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.name = "keys.py", r.lang = "ruby", r.approvers = 2;
	other.name = "anna";
	scratch_must(case_enrol(&other) == 0, "a second key");
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
		   case_approve(s, id, &other, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
		   case_state(s, id, CASE_NOW) == APPROVAL_PENDING,
	   "two keys of one name are one person's");
	ok(case_approve(s, id, &ben, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
		   case_use(s, &r, CASE_NOW) == 1,
	   "another's is the second");
	scratch_must(case_remove(&anna) == 2 && case_enrol(&anna) == 0, "and away");
}

static void test_time(struct store *s)
{
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.name = "late.py", r.lang = "perl";
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(strlen(id) * 4 >= 128, "two requests never have the same id");
	ok(case_state(s, id, CASE_NOW + WAIT - 1) == APPROVAL_PENDING, "people have their time");
	ok(case_state(s, id, CASE_NOW + WAIT) == APPROVAL_EXPIRED, "and no more");
	ok(case_state(s, id, CASE_NOW - APPROVAL_CLOCK_MS - 1) == APPROVAL_EXPIRED,
	   "a clock that was set back is not believed");
	ok(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW + WAIT, &err) < 0 &&
		   strstr(err.cause, "in time"),
	   "then approval is refused, with the reason: %s", err.cause);
	ok(case_state(s, id, CASE_NOW) == APPROVAL_EXPIRED, "it is written down");
	ok(case_use(s, &r, CASE_NOW) == 0, "it covers nothing");
}

static void test_two(struct store *s)
{
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.approvers = 2;
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_approve(s, id, &anna, SCOPE_PROGRAM, CASE_NOW, &err) == 0, "the first of two");
	ok(case_state(s, id, CASE_NOW) == APPROVAL_PENDING && case_use(s, &r, CASE_NOW) == 0,
	   "is not enough");
	ok(case_approve(s, id, &anna, SCOPE_PROGRAM, CASE_NOW, &err) == 0 &&
		   case_state(s, id, CASE_NOW) == APPROVAL_PENDING,
	   "nor is the first again");
	ok(case_approve(s, id, &asker, SCOPE_PROGRAM, CASE_NOW, &err) < 0, "nor the requester");
	ok(case_approve(s, id, &ben, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
		   case_state(s, id, CASE_NOW) == APPROVAL_APPROVED,
	   "the second is");
	ok(case_use(s, &r, CASE_NOW) == 1 && case_use(s, &r, CASE_NOW) == 0,
	   "the narrower word counts: once");
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_PROGRAM, CASE_NOW, &err) == 0,
	   "again, the first");
	ok(case_remove(&anna) == 1, "the first signer is removed");
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &ben, SCOPE_PROGRAM, CASE_NOW, &err) == 0 &&
		   case_use(s, &r, CASE_NOW) == 0,
	   "so the second is alone");
	ok(case_enrol(&anna) == 0, "the first signer is enrolled again");
}

/* May the actor confirm? NULL, or why not. */
static const char *why_not(struct approval_actor actor, bool confirmation, uint64_t approvers)
{
	static struct err err;
	struct approval a = {.request = case_request(), .id = "0123456789abcdef0123456789abcdef"};

	a.request.confirmation = confirmation;
	a.request.approvers = approvers;
	return approval_may_confirm(&a, &actor, &err) == 0 ? NULL : err.message;
}

static void test_actor(void)
{
	struct approval_actor own = {.uid = ASKER, .has_terminal = true, .groupc = 1, .group = {5}};
	struct approval_actor other = own, root = own, in_box = own, child = own, blind = own,
			      deep = own, mapped = own;

	other.uid = BEN, root.uid = 0, in_box.in_box = true, blind.has_terminal = false;
	child.groupc = 2, child.group[1] = 77;
	deep.has_more_parents = true;
	mapped.uid = UINT32_MAX;
	ok(!why_not(own, true, 1), "the account that asked may confirm");
	ok(why_not(own, false, 1), "not where the policy does not let it");
	ok(why_not(own, true, 2), "not where two must agree");
	ok(why_not(other, true, 1) && why_not(root, true, 1), "no other account, and not root");
	ok(why_not(in_box, true, 1), "not from a box");
	ok(why_not(mapped, true, 1), "not from a user namespace");
	ok(why_not(child, true, 1), "not when the requester started it");
	ok(why_not(deep, true, 1), "nor one whose parents cannot all be seen");
	ok(why_not(blind, true, 1), "not without a terminal");
}

/* The requester says yes without a key. */
static int confirm(struct store *s, const char *id, const char *name, struct err *err)
{
	struct approval_actor actor = {.uid = ASKER, .has_terminal = true};
	struct case_person nobody = {.name = name};
	struct approval_vote v = case_vote(&nobody, SCOPE_ONCE, CASE_NOW);
	AUTO_APPROVAL struct approval a = {0};

	scratch_must(approval_load(s, id, &a, err) == 0, err->message);
	return approval_decide(s, &a, &v, &actor, CASE_NOW, err);
}

static void test_confirmation(struct store *s)
{
	struct approval_request r = case_request();
	AUTO_APPROVAL struct approval a = {0};
	char id[APPROVAL_ID + 1];
	struct err err;

	r.lang = "confirm", r.pgid = 0;
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(confirm(s, id, "uid:1", &err) < 0, "nothing is confirmed where the policy says no");
	r.confirmation = 1;
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(confirm(s, id, "uid:1", &err) == 0 && case_take(s, &r, CASE_NOW, &a) == 1,
	   "where it says yes it covers the run");
	ok(a.voicec == 1 && strcmp(a.voice[0].name, "uid:1 (confirmation)") == 0 &&
		   !a.voice[0].key[0],
	   "and is called what it is");
	ok(case_use(s, &r, CASE_NOW) == 0, "once");
	r.name = "again.py";
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(confirm(s, id, "anna", &err) == 0 && case_use(s, &r, CASE_NOW) == 0,
	   "one under another name than the account's counts for nothing");
}

static void test_keys(struct store *s)
{
	struct case_person mallory = case_person("mallory"), twin = anna;
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.name = "keys.py", r.lang = "ruby";
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_approve(s, id, &mallory, SCOPE_ONCE, CASE_NOW, &err) < 0 &&
		   strstr(err.message, "not enrolled"),
	   "a key that is not enrolled does not count");
	ok(case_approve(s, id, &asker, SCOPE_ONCE, CASE_NOW, &err) < 0 &&
		   strstr(err.message, "account of that name"),
	   "nor that of the account that asked: %s", err.message);
	twin.name = "anna2";
	ok(case_enrol(&twin) < 0, "one key has one name");
	ok(case_approve(s, id, &twin, SCOPE_ONCE, CASE_NOW, &err) < 0 &&
		   strstr(err.message, "under that name"),
	   "and counts under no other");
	twin = mallory, twin.name = "anna";
	ok(case_approve(s, id, &twin, SCOPE_ONCE, CASE_NOW, &err) < 0, "a name alone is nothing");
	r.uid = 54321;
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_ONCE, CASE_NOW, &err) < 0 &&
		   strstr(err.message, "/etc/passwd"),
	   "an account without a name may be anybody");
	r.uid = UINT32_MAX;
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_ONCE, CASE_NOW, &err) < 0 &&
		   strstr(err.message, "user namespace"),
	   "and so may one in a user namespace");
	r.uid = ASKER;
	ok(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0, "the right one counts");
	ok(case_remove(&anna) == 1 && case_use(s, &r, CASE_NOW) == 0,
	   "and counts no more when it was removed");
	ok(case_enrol(&anna) == 0 && case_use(s, &r, CASE_NOW) == 1, "and again later");
	ok(!signer_name_is_good("a/b") && !signer_name_is_good("") && !signer_name_is_good("-x") &&
		   !signer_name_is_good("a*") && !signer_name_is_good("a,b") &&
		   !signer_name_is_good("!a") && !signer_name_is_good("uid:1") &&
		   signer_name_is_good("anna@example.org"),
	   "names are plain");
}

/* Each line of what was signed, and the bytes around it. */
static void test_signed_text(struct store *s)
{
	struct approval_request r = case_request();
	struct approval_actor actor = {.uid = ASKER};
	AUTO_APPROVAL struct approval a = {0};
	struct err err;

	r.lang = "text";
	scratch_must(approval_load(s, case_park(s, &r, CASE_NOW), &a, &err) == 0, err.message);
	for (int change = 0; change < 6; change++) {
		struct approval_vote v = case_vote(&anna, SCOPE_ONCE, CASE_NOW);
		case_sign(&a, &anna, &v);
		v.approves ^= change == 0;
		v.scope += change == 1 ? SCOPE_PROGRAM : 0;
		v.expires -= change == 2;
		v.time += change == 3;
		if (change == 4) {
			struct answer other = {.vote = v};
			AUTO_BUF struct buf text = {0};
			memcpy(other.binding, a.binding, sizeof(other.binding));
			answer_text(&other, &text);
			v.signature = case_signature(&anna, "git", text.data, text.len);
		}
		if (change == 5)
			a.binding[31] ^= 1;
		ok(approval_decide(s, &a, &v, &actor, CASE_NOW, &err) < 0,
		   "change %d of what was signed does not count: %s", change, err.message);
		ok(strstr(err.message, change == 4 ? "namespace" : "does not match"),
		   "and says so");
	}
}

static void test_no(struct store *s)
{
	struct approval_request r = case_request();
	struct approval_vote v = case_vote(&anna, SCOPE_ONCE, CASE_NOW);
	struct approval_actor actor = {.uid = ASKER};
	AUTO_APPROVAL struct approval a = {0};
	struct err err;

	r.lang = "no";
	scratch_must(approval_load(s, case_park(s, &r, CASE_NOW), &a, &err) == 0, err.message);
	v.approves = 0;
	case_sign(&a, &anna, &v);
	ok(approval_decide(s, &a, &v, &actor, CASE_NOW, &err) == 0 &&
		   a.status.state == APPROVAL_DENIED && strstr(a.status.reason, "anna"),
	   "a signed no denies it, with a name");
}

static void test_deny(struct store *s)
{
	struct approval_actor actor = {.uid = BEN};
	struct approval_request r = case_request();
	AUTO_APPROVAL struct approval a = {0};
	char id[APPROVAL_ID + 1], reason[APPROVAL_REASON_MAX + 2];
	struct err err;

	r.lang = "lua";
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_approve(s, id, &anna, SCOPE_PROGRAM, CASE_NOW, &err) == 0, "approved");
	scratch_must(approval_load(s, id, &a, &err) == 0, err.message);
	memset(reason, 'r', sizeof(reason));
	reason[APPROVAL_REASON_MAX + 1] = '\0';
	ok(approval_deny(s, &a, &actor, reason, CASE_NOW, &err) < 0 && err.code == ERR_LIMIT,
	   "a reason that is too long");
	reason[APPROVAL_REASON_MAX] = '\0';
	ok(approval_deny(s, &a, &actor, reason, CASE_NOW, &err) == 0, "and the longest");
	ok(case_state(s, id, CASE_NOW) == APPROVAL_DENIED && case_use(s, &r, CASE_NOW) == 0,
	   "what is denied covers nothing");
	ok(case_approve(s, id, &anna, SCOPE_PROGRAM, CASE_NOW, &err) < 0, "and stays so");
	ok(approval_deny(s, &a, &actor, "again", CASE_NOW, &err) < 0, "once is enough");
}

static int count_kind(void *context, const struct store_row *row, struct err *err)
{
	struct record r;

	if (record_decode(row->bytes, row->len, &r, err) < 0)
		return -1;
	((int *)context)[r.kind]++;
	return 0;
}

static int count_named(struct store *s, const char *what, const char *name)
{
	int kinds[RECORD_KINDS] = {0};
	char ref[RECORD_REF_MAX + 1];
	struct err err;

	snprintf(ref, sizeof(ref), "%s:%s", what, name);
	scratch_must(store_find(s, ref, 0, 0, count_kind, kinds, &err) == 0, err.message);
	return kinds[RECORD_APPROVAL];
}

static void test_log(struct store *s)
{
	int before[RECORD_KINDS] = {0}, after[RECORD_KINDS] = {0};
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.lang = "log", r.conversation = "conv-log";
	scratch_must(store_read(s, 0, 0, count_kind, before, &err) == 0, err.message);
	strcpy(id, case_park(s, &r, CASE_NOW));
	scratch_must(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
			     case_use(s, &r, CASE_NOW) == 1,
		     "a whole life");
	scratch_must(store_read(s, 0, 0, count_kind, after, &err) == 0, err.message);
	ok(after[RECORD_APPROVAL] - before[RECORD_APPROVAL] == 3,
	   "parked, approved and used: a record each");
	ok(count_named(s, "apr", id) == 3 && count_named(s, "aprend", id) == 1 &&
		   count_named(s, "conv", "conv-log") == 1,
	   "they are found by its name, the last one also by that of its end");
	ok(count_named(s, "src", case_evidence[0].source) > 0, "and by its sources");
}

static void test_last(struct store *s)
{
	AUTO_APPROVAL struct approval a = {0}, last = {0};
	struct approval_request r = case_request();
	char first[APPROVAL_ID + 1], key[ITEM_KEY_MAX];
	AUTO_TX struct store_tx tx = {0};
	struct err err;

	r.conversation = "conv-last";
	strcpy(first, case_park(s, &r, CASE_NOW));
	scratch_must(approval_load(s, first, &a, &err) == 0, err.message);
	ok(approval_load_last(s, &a, &last, &err) == 0, "nothing was approved before");
	scratch_must(case_approve(s, first, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0, err.message);
	r.caps = CAP_BIT(CAP_WRITE);
	approval_done(&a);
	scratch_must(approval_load(s, case_park(s, &r, CASE_NOW), &a, &err) == 0, err.message);
	ok(approval_load_last(s, &a, &last, &err) == 1 && strcmp(last.id, first) == 0,
	   "the last of that name in that conversation is known");
	approval_done(&last);
	store_put(&tx, STORE_APPROVAL, item_key(key, "req", NULL, first), "of another version", 18,
		  STORE_ANY);
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
	ok(approval_load_last(s, &a, &last, &err) == 0,
	   "an approval that cannot be read is ignored");
}

int main(void)
{
	scratch_must(sodium_init() >= 0, "libsodium");
	const char *scratch = scratch_enter();
	int dir;
	struct store *s = fresh(&dir);

	test_once(s);
	test_any_change(s);
	test_scopes(s);
	test_time(s);
	test_two_keys(s);
	test_two(s);
	test_actor();
	test_keys(s);
	test_confirmation(s);
	test_signed_text(s);
	test_no(s);
	test_deny(s);
	test_log(s);
	test_last(s);
	store_close(s);
	close(dir);
	scratch_leave(scratch);
	return tap_done();
}
