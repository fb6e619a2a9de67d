/* SPDX-License-Identifier: MIT
 *
 * What an attacker gains by writing the store's items (nothing), and the largest request there may be.
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

/* Writes the status as an attacker who can write items would. */
static void forge(struct store *s, const char *id, const struct approval_status *status)
{
	AUTO_TX struct store_tx tx = {0};
	AUTO_BUF struct buf value = {0};
	char key[ITEM_KEY_MAX];
	struct err err;

	scratch_must(status_encode(status, &value, &err) == 0, "a status");
	store_put(&tx, STORE_APPROVAL, item_key(key, "status", NULL, id), value.data, value.len,
		  STORE_ANY);
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
}

static void put_index(struct store *s, const struct approval_request *r, const char *id)
{
	AUTO_TX struct store_tx tx = {0};
	uint8_t subject[APPROVAL_SHA256];
	char key[ITEM_KEY_MAX];
	struct err err;

	scratch_must(approval_digest(r, APPROVAL_SUBJECT, subject, &err) == 0, "a digest");
	store_put(&tx, STORE_APPROVAL, item_key(key, "sub", subject, id), "", 0, STORE_ANY);
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
}

static void test_forged(struct store *s)
{
	AUTO_APPROVAL struct approval a = {0}, other = {0};
	struct approval_request r = case_request(), q = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.lang = "awk", q.lang = "sed";
	strcpy(id, case_park(s, &r, CASE_NOW));
	scratch_must(approval_load(s, id, &a, &err) == 0, err.message);
	a.status.state = APPROVAL_APPROVED;
	forge(s, id, &a.status);
	ok(case_use(s, &r, CASE_NOW) == 0, "a state that says approved is not enough");

	const char *id2 = case_park(s, &q, CASE_NOW);
	ok(case_approve(s, id2, &anna, SCOPE_PROGRAM, CASE_NOW, &err) == 0, "another is approved");
	scratch_must(approval_load(s, id2, &other, &err) == 0, err.message);
	a.status.votes = other.status.votes;
	forge(s, id, &a.status);
	ok(case_use(s, &r, CASE_NOW) == 0, "its signature is not good for this one");
	put_index(s, &r, other.id);
	ok(case_use(s, &r, CASE_NOW) == 0, "nor is it found as this one");
	ok(case_use(s, &q, CASE_NOW) == 1, "it is good for its own");

	struct approval_vote wide = ((const struct approval_vote *)other.status.votes.list)[0];
	wide.expires += 1000000;
	other.status.votes.list = &wide;
	forge(s, other.id, &other.status);
	ok(case_use(s, &q, CASE_NOW) == 0, "an approval whose end was moved does not count");
}

/* Answers with valid signatures, in a list that only a forger would write. */
static void test_stuffed(struct store *s)
{
	AUTO_APPROVAL struct approval a = {0}, own = {0};
	struct approval_vote twice[2], v = case_vote(&asker, SCOPE_ONCE, CASE_NOW);
	struct approval_request r = case_request(), q = case_request();
	struct err err;

	r.approvers = 2, r.lang = "m4", q.lang = "bc";
	scratch_must(approval_load(s, case_park(s, &r, CASE_NOW), &a, &err) == 0, err.message);
	twice[0] = case_vote(&anna, SCOPE_PROGRAM, CASE_NOW);
	case_sign(&a, &anna, &twice[0]);
	twice[1] = twice[0];
	a.status.state = APPROVAL_APPROVED;
	a.status.votes = (struct approval_list){.count = 2, .list = twice};
	forge(s, a.id, &a.status);
	ok(case_use(s, &r, CASE_NOW) == 0, "one person twice is not two");

	scratch_must(approval_load(s, case_park(s, &q, CASE_NOW), &own, &err) == 0, err.message);
	case_sign(&own, &asker, &v);
	own.status.state = APPROVAL_APPROVED;
	own.status.votes = (struct approval_list){.count = 1, .list = &v};
	forge(s, own.id, &own.status);
	ok(case_use(s, &q, CASE_NOW) == 0, "the requester's own word does not count");
}

/* Names that an attacker added beside the real signer. */
static void test_voices(struct store *s)
{
	AUTO_APPROVAL struct approval a = {0}, found = {0};
	struct approval_vote v[2] = {case_vote(&anna, SCOPE_PROGRAM, CASE_NOW)};
	struct approval_request r = case_request();
	struct err err;

	r.lang = "dc";
	scratch_must(approval_load(s, case_park(s, &r, CASE_NOW), &a, &err) == 0, err.message);
	case_sign(&a, &anna, &v[0]);
	v[1] = v[0];
	v[1].name = "the boss";
	a.status.state = APPROVAL_APPROVED;
	a.status.votes = (struct approval_list){.count = 2, .list = v};
	forge(s, a.id, &a.status);
	ok(approval_find(s, &r, CASE_NOW, &found, &err) == 1 && found.status.votes.count == 2 &&
		   found.voicec == 1 && strcmp(found.voice[0].name, "anna") == 0,
	   "only the signers that count are named");
}

/* What only the log's owner could write. */
static void log_confirmation(struct store *s, const struct approval *a,
			     const struct approval_vote *v)
{
	struct answer answer = {.vote = *v};
	AUTO_BUF struct buf text = {0};
	AUTO_TX struct store_tx tx = {0};
	uint8_t sha256[APPROVAL_SHA256];
	char ref[RECORD_REF_MAX + 1] = "aprconf:";
	struct err err;

	memcpy(answer.binding, a->binding, sizeof(answer.binding));
	answer_text(&answer, &text);
	digest_of(sha256, text.data, text.len);
	sodium_bin2hex(ref + 8, sizeof(ref) - 8, sha256, sizeof(sha256));
	case_add(&tx, RECORD_APPROVAL, ref, 1);
	scratch_must(store_commit(s, &tx, &err) == 0, err.message);
}

/* A forged confirmation. */
static void test_confirmed(struct store *s)
{
	AUTO_APPROVAL struct approval a = {0};
	struct case_person account = {.name = "uid:1"};
	struct approval_vote v = case_vote(&account, SCOPE_ONCE, CASE_NOW);
	struct approval_request r = case_request();
	struct err err;

	r.lang = "confirmed", r.confirmation = 1;
	scratch_must(approval_load(s, case_park(s, &r, CASE_NOW), &a, &err) == 0, err.message);
	a.status.state = APPROVAL_APPROVED;
	a.status.votes = (struct approval_list){.count = 1, .list = &v};
	forge(s, a.id, &a.status);
	ok(case_use(s, &r, CASE_NOW) == 0, "a confirmation that is not in the log does not count");
	log_confirmation(s, &a, &v);
	ok(case_use(s, &r, CASE_NOW) == 1, "one that it has is one");

	AUTO_APPROVAL struct approval b = {0};
	r.confirmation = 0;
	scratch_must(approval_load(s, case_park(s, &r, CASE_NOW), &b, &err) == 0, err.message);
	b.status.state = APPROVAL_APPROVED;
	b.status.votes = (struct approval_list){.count = 1, .list = &v};
	forge(s, b.id, &b.status);
	log_confirmation(s, &b, &v);
	ok(case_use(s, &r, CASE_NOW) == 0, "but not where none is enough");
}

static void test_replay(struct store *s)
{
	AUTO_APPROVAL struct approval a = {0};
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1];
	struct err err;

	r.lang = "tcl";
	strcpy(id, case_park(s, &r, CASE_NOW));
	ok(case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0, "approved for once");
	scratch_must(approval_load(s, id, &a, &err) == 0, err.message);
	ok(case_use(s, &r, CASE_NOW) == 1, "used");
	forge(s, id, &a.status);
	put_index(s, &r, id);
	ok(case_state(s, id, CASE_NOW) == APPROVAL_APPROVED && case_use(s, &r, CASE_NOW) == 0,
	   "put back as it was, it is still used: the log says so");
}

/* Both have found it before either uses it. */
static void test_late(struct store *s)
{
	AUTO_APPROVAL struct approval a = {0}, b = {0};
	AUTO_TX struct store_tx first = {0}, second = {0};
	struct approval_request r = case_request();
	struct err err;

	r.lang = "late";
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
		   approval_find(s, &r, CASE_NOW, &a, &err) == 1 &&
		   approval_find(s, &r, CASE_NOW, &b, &err) == 1,
	   "two find the same approval");
	approval_take(&first, &a, "run:1", CASE_NOW);
	approval_take(&second, &b, "run:2", CASE_NOW);
	ok(store_commit(s, &first, &err) == 0, "the first takes it");
	ok(store_commit(s, &second, &err) < 0 && err.code == ERR_CONFLICT, "the second does not");
}

struct shown_case {
	struct approval_request request;
	struct approval_attachment kept[8];
	struct approval_change change[2];
	struct buf bytes;
};

static void keep(struct shown_case *c, const char *name, const char *text)
{
	struct approval_attachment *k = &c->kept[c->request.attachments.count++];

	*k = (struct approval_attachment){.name = name, .len = strlen(text)};
	digest_of(k->sha256, text, k->len);
	buf_str(&c->bytes, text);
}

/* What is kept is the case's, and STDIN, BEFORE and AFTER are its texts; NULL: not kept. */
static struct shown_case *shown_case(const char *input, const char *before, const char *after)
{
	static struct shown_case c;

	buf_done(&c.bytes);
	c = (struct shown_case){.request = case_request(), .bytes.most = APPROVAL_CODE_MAX};
	c.change[0] = *(const struct approval_change *)c.request.changes.list;
	c.request.changes.list = c.change;
	c.request.attachments = (struct approval_list){.list = c.kept};
	buf_str(&c.bytes, CASE_CODE);
	if (input)
		keep(&c, "stdin", input);
	if (before)
		keep(&c, "before a.py", before);
	if (after)
		keep(&c, "after a.py", after);
	return &c;
}

static bool fits(const struct shown_case *c)
{
	return approval_code_fits(&c->request,
				  &(struct approval_code){c->bytes.data, c->bytes.len});
}

/* What people read is what they sign: each kept text is the one that the rest of the request binds. */
static void test_shown(void)
{
	struct shown_case *c = shown_case(CASE_STDIN, CASE_BEFORE, CASE_AFTER);

	ok(fits(c), "what is kept is what is bound");
	ok(!fits(shown_case(CASE_STDIN, CASE_BEFORE, "good\n")),
	   "another text than the one that would be written is not shown");
	ok(!fits(shown_case(CASE_STDIN, "good\n", CASE_AFTER)), "nor than the one that is there");
	ok(!fits(shown_case("good\n", CASE_BEFORE, CASE_AFTER)), "nor another standard input");
	ok(!fits(shown_case(NULL, CASE_BEFORE, CASE_AFTER)), "standard input is not left out");
	ok(!fits(shown_case(CASE_STDIN, CASE_BEFORE, NULL)) &&
		   !fits(shown_case(CASE_STDIN, NULL, NULL)),
	   "nor the text of a change: it would be an empty diff");
	c = shown_case(CASE_STDIN, CASE_BEFORE, CASE_AFTER);
	keep(c, "after a.py", "good\n");
	ok(!fits(c), "no text is kept twice");
	c = shown_case(CASE_STDIN, CASE_BEFORE, CASE_AFTER);
	c->change[1] = c->change[0];
	c->request.changes.count = 2;
	keep(c, "before a.py", CASE_BEFORE);
	keep(c, "after a.py", CASE_AFTER);
	ok(!fits(c), "nor for two changes of one path");
	c = shown_case(CASE_STDIN, CASE_BEFORE, CASE_AFTER);
	c->change[0].shown = APPROVAL_NOT_TEXT;
	ok(!fits(c), "nor for what is said not to be text");
	c = shown_case(CASE_STDIN, "", CASE_AFTER);
	c->change[0].before_type = 0;
	ok(fits(c), "a new file was nothing");
	c = shown_case(CASE_STDIN, CASE_BEFORE, CASE_AFTER);
	c->change[0].before_type = 0;
	ok(!fits(c), "and nothing has no text");
	c->change[0].before_type = 4;
	ok(!fits(c), "nor has a device");
	c = shown_case(NULL, NULL, NULL);
	c->request.changes.count = 0;
	ok(!fits(c), "no standard input is kept, and some is bound");
	digest_of(c->request.stdin_sha256, "", 0);
	ok(fits(c), "nor is any bound");
	keep(c, "files", "");
	keep(c, "pending files", "");
	ok(fits(c), "lists of files");
	keep(c, "more", "");
	ok(!fits(c), "and nothing else");
}

/* The lists of files stand nowhere else: a run has Cordon's, and an approval of other lists is for none. */
static void test_lists(struct store *s)
{
	struct approval_request r;
	char id[APPROVAL_ID + 1];
	struct err err;

	for (int honest = 0; honest < 2; honest++) {
		struct shown_case *c = shown_case(NULL, NULL, NULL);
		c->request.changes.count = 0;
		c->request.conversation = "lists";
		digest_of(c->request.stdin_sha256, "", 0);
		keep(c, "files", honest ? "evil" : "good");
		r = c->request;
		scratch_must(approval_park(s, &r,
					   (struct approval_code){c->bytes.data, c->bytes.len},
					   WAIT, CASE_NOW, id, &err) == 0 &&
				     case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0,
			     err.message);
		digest_of(c->kept[0].sha256, "evil", 4);
		ok(case_use(s, &r, CASE_NOW) == honest,
		   honest ? "the same run has the same list" : "a list of others is no run's");
	}
}

static void test_maxima(struct store *s)
{
	static char code[APPROVAL_CODE_MAX + 1];
	struct approval_request r = case_request();
	AUTO_APPROVAL struct approval a = {0};
	struct approval_code back = {0};
	char id[APPROVAL_ID + 1];
	struct err err;

	memset(code, '#', sizeof(code));
	r.attachments.count = r.changes.count = 0;
	digest_of(r.stdin_sha256, "", 0);
	ok(approval_park(s, &r, (struct approval_code){code, APPROVAL_CODE_MAX + 1}, WAIT, CASE_NOW,
			 id, &err) < 0 &&
		   err.code == ERR_REFUSED,
	   "code that no approver can read is refused");
	ok(approval_park(s, &r, (struct approval_code){code, APPROVAL_CODE_MAX}, WAIT, CASE_NOW, id,
			 &err) == 0,
	   "and the longest is parked");
	ok(approval_load(s, id, &a, &err) == 0 && approval_load_code(s, &a, &back, &err) == 0 &&
		   back.len == APPROVAL_CODE_MAX && memcmp(back.data, code, back.len) == 0,
	   "and comes back as it was");
	free((void *)back.data);
	approval_done(&a);
	ok(approval_park(s, &r, (struct approval_code){0}, WAIT, CASE_NOW, id, &err) < 0,
	   "evidence in code that is empty makes no sense");
	r.evidence.count = 0;
	ok(approval_park(s, &r, (struct approval_code){0}, WAIT, CASE_NOW, id, &err) == 0 &&
		   approval_load(s, id, &a, &err) == 0 &&
		   approval_load_code(s, &a, &back, &err) == 0 && back.len == 0,
	   "no code at all: %s", err.message);
	free((void *)back.data);
	approval_done(&a);
	ok(approval_park(s, &r, case_bytes, APPROVAL_MS_MAX + 1, CASE_NOW, id, &err) < 0 &&
		   approval_park(s, &r, case_bytes, 0, CASE_NOW, id, &err) < 0,
	   "people have some time, and not more than a day");
	ok(approval_load(s, "0123456789abcdef0123456789abcdef", &a, &err) < 0 &&
		   approval_load(s, "x", &a, &err) < 0,
	   "what is not there is not found");
}

static int count_items(void *context, const struct store_item *item, struct err *err)
{
	(void)item, (void)err;
	++*(int *)context;
	return 0;
}

/* What is over is not looked through for ever. */
static void test_tidy(void)
{
	int dir = case_fresh("tidy"), names = 0;
	struct store *s = case_open(dir);
	struct approval_request r = case_request();
	char name[32];
	struct err err;

	for (int i = 0; i < 70; i++) {
		snprintf(name, sizeof(name), "conv-%d", i);
		r.conversation = name;
		case_park(s, &r, CASE_NOW);
	}
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_PROGRAM, CASE_NOW, &err) == 0 &&
		   case_use(s, &r, CASE_NOW) == 1,
	   "one of many alike is approved and found");
	r.conversation = "another";
	ok(case_use(s, &r, CASE_NOW) == 1, "also from another conversation");
	ok(case_use(s, &r, CASE_NOW + WAIT) == 0, "when all have expired none is");
	ok(store_list(s, STORE_APPROVAL, &(struct store_range){.prefix = "sub/"}, count_items,
		      &names, &err) == 0 &&
		   names == 0,
	   "and no name leads to them any more");
	store_close(s);
	close(dir);
}

int main(void)
{
	scratch_must(sodium_init() >= 0, "libsodium");
	const char *scratch = scratch_enter();
	int dir;
	struct store *s = fresh(&dir);

	test_forged(s);
	test_stuffed(s);
	test_voices(s);
	test_confirmed(s);
	test_replay(s);
	test_late(s);
	test_shown();
	test_lists(s);
	test_maxima(s);
	test_tidy();
	store_close(s);
	close(dir);
	scratch_leave(scratch);
	return tap_done();
}
