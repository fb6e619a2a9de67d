/* SPDX-License-Identifier: MIT
 *
 * Who is a person, and what an answer looks like: each line of allowed_signers, each byte of an answer, and
 * what two people who enrol a third can do, what an attacker who writes the store's items cannot.
 */
#include "approval/act.h"
#include "approval_case.h"

static struct case_person anna, ben, cleo, dan;

static const struct {
	const char *line, *error; /* NULL: it is taken. KEY: anna's */
} lines[] = {
	{"", NULL},
	{"# nobody", NULL},
	{"anna KEY", NULL},
	{"anna KEY anna@laptop", NULL},
	{"anna@example.org KEY", NULL},
	{"anna namespaces=\"cordon-approval\" KEY", NULL},
	{"anna namespaces=\"git,cordon-approval\",valid-after=\"20240101\" KEY", NULL},
	{"anna namespaces=\"git\" KEY", "other namespaces"},
	{"anna namespaces=\"cordon-approval2\" KEY", "other namespaces"},
	{"anna namespaces=\"cordon-*\" KEY", "malformed"},
	{"anna namespaces=cordon-approval KEY", "malformed"},
	{"anna namespaces=\"cordon-approval\", KEY", "comma"},
	{"anna namespaces=\"cordon-approval KEY", "malformed"},
	{"anna verify-required KEY", "malformed"},
	{"anna cert-authority KEY", "certificate authorities"},
	{"anna CERT-AUTHORITY,namespaces=\"cordon-approval\" KEY", "certificate authorities"},
	{"* KEY", "one plain name"},
	{"anna* KEY", "one plain name"},
	{"anna? KEY", "one plain name"},
	{"!ben KEY", "one plain name"},
	{"anna,ben KEY", "one plain name"},
	{"\"anna\" KEY", "one plain name"},
	{" anna KEY", "one plain name"},
	{"anna", "one plain name"},
	{"uid:0 KEY", "one plain name"},
	{"anna  KEY", "unknown"},
	{"anna KEY\r", "printable ASCII"},
	{"anna\tKEY", "printable ASCII"},
	{"\xc3\xa4nna KEY", "printable ASCII"},
	{"anna ssh-ed25519", "not an SSH public key"},
	{"anna ssh-ed25519 AAAA", "not an SSH public key"},
	{"anna ssh-dss KEYDATA", "not an SSH public key"},
	{"anna ssh-rsa KEYDATA", "not an SSH public key"},
	{"anna ssh-ed25519-cert-v01@openssh.com KEYDATA", "not an SSH public key"},
	{"anna KEY\nben KEY", "earlier line"},
	{"anna KEY\nanna KEY", "earlier line"},
};

static void expand(const char *line, char *ret, size_t size)
{
	size_t len = 0;

	for (const char *c = line; *c && len < size;) {
		bool data = strncmp(c, "KEYDATA", 7) == 0, key = !data && strncmp(c, "KEY", 3) == 0;
		if (data || key)
			len += (size_t)snprintf(ret + len, size - len, "%s",
						data ? anna.key + 12 : anna.key);
		else
			ret[len++] = *c;
		c += data ? 7 : key ? 3 : 1;
	}
	ret[len] = '\0';
}

static void test_lines(void)
{
	static struct signers all;
	char text[1024], where[32];
	struct arena a = {0};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct err err = {0};
		expand(lines[i].line, text, sizeof(text));
		int r = signers_parse("FILE", text, strlen(text), &a, &all, &err);
		snprintf(where, sizeof(where), "FILE:%d: ", strchr(text, '\n') ? 2 : 1);
		ok(lines[i].error ? r < 0 && strstr(err.message, lines[i].error) &&
					    strncmp(err.message, where, strlen(where)) == 0
				  : r == 0,
		   "line %zu: %s", i, r < 0 ? err.message : "taken");
	}
	arena_done(&a);
}

static void test_line_maxima(void)
{
	static char text[SIGNERS_BYTES_MAX];
	static struct signers all;
	char name[SIGNER_NAME_MAX + 2];
	struct arena a = {0};
	size_t len = 0;
	struct err err;

	memset(name, 'n', sizeof(name));
	name[SIGNER_NAME_MAX + 1] = '\0';
	len = (size_t)snprintf(text, sizeof(text), "%s %s", name + 1, anna.key);
	ok(signers_parse("F", text, len, &a, &all, &err) == 0, "the longest name");
	len = (size_t)snprintf(text, sizeof(text), "%s %s", name, anna.key);
	ok(signers_parse("F", text, len, &a, &all, &err) < 0, "and one letter more");
	len = (size_t)snprintf(text, sizeof(text), "anna %s %0*d\n", anna.key, SSH_KEY_MAX * 2, 0);
	ok(signers_parse("F", text, len, &a, &all, &err) < 0 && strstr(err.message, "too long"),
	   "a line that is too long");
	len = (size_t)snprintf(text, sizeof(text), "anna %s", anna.key);
	text[4] = '\0';
	ok(signers_parse("F", text, len, &a, &all, &err) < 0, "a NUL");
	len = 0;
	for (int i = 0; i <= SIGNERS_MAX; i++) {
		snprintf(name, sizeof(name), "person%d", i);
		struct case_person p = case_person(name);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %s\n", name, p.key);
		if (i == SIGNERS_MAX - 1)
			ok(signers_parse("F", text, len, &a, &all, &err) == 0, "the most people");
	}
	ok(signers_parse("F", text, len, &a, &all, &err) < 0 && strstr(err.message, "too many"),
	   "and one more");
	arena_done(&a);
}

/* Any change of any byte of an answer makes it unreadable or another answer, which is not signed. */
static void test_answer_bytes(struct store *s)
{
	struct approval_request r = case_request();
	AUTO_APPROVAL struct approval a = {0};
	AUTO_BUF struct buf text = {0};
	struct answer answer = {0}, again;
	struct arena arena = {0};
	size_t taken = 0, same = 0;
	struct err err;

	scratch_must(approval_load(s, case_park(s, &r, CASE_NOW), &a, &err) == 0, err.message);
	answer.vote = case_vote(&anna, SCOPE_ONCE, CASE_NOW);
	memcpy(answer.binding, a.binding, sizeof(a.binding));
	case_sign(&a, &anna, &answer.vote);
	scratch_must(answer_write(&answer, &text, &err) == 0, err.message);
	ok(answer_read(text.data, text.len, &arena, &again, &err) == 0 &&
		   strcmp(again.vote.signature, answer.vote.signature) == 0,
	   "an answer is read as it was written");
	for (size_t i = 0; i < text.len; i++)
		for (int flip = 1; flip < 256; flip <<= 1) {
			text.data[i] ^= (uint8_t)flip;
			if (answer_read(text.data, text.len, &arena, &again, &err) == 0) {
				taken++;
				same += memcmp(again.binding, answer.binding, 32) == 0 &&
					again.vote.expires == answer.vote.expires &&
					again.vote.time == answer.vote.time &&
					strcmp(again.vote.name, "anna") == 0 &&
					strcmp(again.vote.signature, answer.vote.signature) == 0;
			}
			text.data[i] ^= (uint8_t)flip;
		}
	ok(taken > 0 && same == 0, "a bit changed in it makes it another one, %zu times", taken);
	ok(answer_read(text.data, text.len - 1, &arena, &again, &err) < 0,
	   "a shortened answer is not accepted");
	buf_reserve(&text, 1);
	text.data[text.len] = '\n';
	ok(answer_read(text.data, text.len + 1, &arena, &again, &err) < 0, "nor more of it");
	arena_done(&arena);
}

static const char *const no_answers[] = {
	"cordon approval 2\n", "request 00\n", "answer maybe\n",   "answer Approve\n",
	"scope always\n",      "until -1\n",   "until 007\n",	   "until 99999999999999999999\n",
	"until 1x\n",	       "until \n",     "signer a b\n",	   "signer *\n",
	"signer \n",	       "time +5\n",    "time 1\ntime 1\n", "time 1\r\n"};

static void test_answer_lines(void)
{
	static const char *const good[] = {
		"cordon approval 1\n", "request %064d\n", "answer deny\n", "scope once\n",
		"until 5\n",	       "signer anna\n",	  "time 4\n"};
	struct arena a = {0};
	struct answer ret;
	struct err err;

	for (size_t i = 0; i <= ARRAY_SIZE(no_answers); i++) {
		const char *bad = i ? no_answers[i - 1] : "";
		AUTO_BUF struct buf text = {.most = ANSWER_MAX};
		for (size_t k = 0; k < ARRAY_SIZE(good); k++) {
			bool is_it = *bad && strncmp(bad, good[k], strcspn(bad, " ") + 1) == 0;
			if (is_it)
				buf_str(&text, bad);
			else if (strchr(good[k], '%'))
				buf_printf(&text, "request %064d\n", 0);
			else
				buf_str(&text, good[k]);
		}
		ssh_armour(case_signature(&anna, SSH_NAMESPACE, text.data, text.len), &text);
		int r = answer_read(text.data, text.len, &a, &ret, &err);
		ok(*bad ? r < 0 : r == 0, "answer %zu: %s", i, r < 0 ? err.cause : "taken");
	}
	arena_done(&a);
}

/* BY1 and BY2 sign that PERSON is enrolled. */
static int enrol_by(struct store *s, const struct case_person *person, struct case_person *by1,
		    struct case_person *by2, struct err *err)
{
	struct approval_act act = {.approvers = 1, .ttl_ms = TTL};
	AUTO_APPROVAL struct approval agreed = {0};
	struct approval_request r;
	char id[APPROVAL_ID + 1];
	struct arena a = {0};

	scratch_must(approval_act_enrol(person->name, person->key, &a, &act, err) == 0, "an act");
	approval_fill_act(&r, &act);
	r.uid = ASKER;
	struct approval_code code = {act.words, strlen(act.words)};
	scratch_must(approval_park(s, &r, code, WAIT, CASE_NOW, id, err) >= 0, err->message);
	int done = case_approve(s, id, by1, SCOPE_ONCE, CASE_NOW, err);
	if (done == 0 && by2)
		done = case_approve(s, id, by2, SCOPE_ONCE, CASE_NOW, err);
	if (done == 0)
		done = approval_find(s, &r, CASE_NOW, &agreed, err) == 1 ? 0 : 1;
	if (done == 0)
		done = approval_person_add(s, &agreed, person->name, person->key, CASE_NOW, err);
	arena_done(&a);
	return done;
}

/* Does PERSON's answer let a run happen? */
static bool is_person(struct store *s, struct case_person *person, const char *lang)
{
	struct approval_request r = case_request();
	struct err err;

	r.lang = lang;
	return case_approve(s, case_park(s, &r, CASE_NOW), person, SCOPE_ONCE, CASE_NOW, &err) ==
		       0 &&
	       case_use(s, &r, CASE_NOW) == 1;
}

static void test_enrolment(struct store *s)
{
	struct case_person twin = cleo;
	struct err err = {0};

	ok(!is_person(s, &cleo, "a"), "cleo is not enrolled");
	ok(enrol_by(s, &cleo, &anna, NULL, &err) == 1 && !is_person(s, &cleo, "b"),
	   "one person alone cannot enrol another");
	ok(enrol_by(s, &cleo, &anna, &ben, &err) == 0 && is_person(s, &cleo, "c"), "two do: %s",
	   err.message);
	ok(enrol_by(s, &cleo, &anna, &ben, &err) < 0 && err.code == ERR_CONFLICT, "once");
	twin.name = "twin";
	ok(enrol_by(s, &twin, &anna, &ben, &err) < 0, "nor under another name: %s", err.message);
	ok(enrol_by(s, &dan, &cleo, &anna, &err) == 0 && is_person(s, &dan, "d"),
	   "one who was enrolled so enrols another: %s", err.message);
	scratch_must(case_remove(&ben) == 1, "ben");
	ok(!is_person(s, &cleo, "e") && !is_person(s, &dan, "f"),
	   "when one who enrolled them goes, they count no more");
	scratch_must(case_enrol(&ben) == 0, "ben");
	ok(is_person(s, &cleo, "g") && is_person(s, &dan, "h"), "and again when he is back");
	ok(approval_person_remove(s, "cleo", ADMIN, &err) == 1 && !is_person(s, &cleo, "i") &&
		   !is_person(s, &dan, "j"),
	   "who is removed is gone, with those whom they enrolled");
	ok(approval_person_remove(s, "nobody", ADMIN, &err) == 0,
	   "removing a name that is not enrolled changes nothing");
}

/* People who enrol one another in a row: the row has an end. */
static void test_row(struct store *s)
{
	static char names[6][8];
	struct case_person row[6], *before = &ben;
	struct err err = {0};
	int count = 0;

	for (int i = 0; i < 6; i++) {
		snprintf(names[i], sizeof(names[i]), "row%d", i);
		row[i] = case_person(names[i]);
		if (enrol_by(s, &row[i], &anna, before, &err) < 0)
			break;
		count++;
		before = &row[i];
	}
	ok(count == 5 && is_person(s, &row[3], "m") && !is_person(s, &row[4], "n"),
	   "after four the next does not count: %d", count);
	for (int i = 0; i < 6; i++)
		approval_person_remove(s, names[i], ADMIN, &err);
}

/* Two people agreed to something else. */
static void test_other_act(struct store *s)
{
	struct approval_act act = {.approvers = 1, .ttl_ms = TTL};
	struct arena a = {0};
	struct err err = {0};

	for (int change = 0; change < 3; change++) {
		AUTO_APPROVAL struct approval agreed = {0};
		struct approval_request r;
		scratch_must(approval_act_enrol("zoe", dan.key, &a, &act, &err) == 0, "an act");
		act.name = change == 0 ? "trust" : act.name;
		act.words = change == 1 ? "Nothing of note.\n" : act.words;
		approval_fill_act(&r, &act);
		r.uid = ASKER;
		r.approvers = change == 2 ? 1 : 2;
		struct approval_code code = {act.words, strlen(act.words)};
		char id[APPROVAL_ID + 1];
		scratch_must(approval_park(s, &r, code, WAIT, CASE_NOW, id, &err) >= 0 &&
				     case_approve(s, id, &anna, SCOPE_ONCE, CASE_NOW, &err) == 0 &&
				     (change == 2 ||
				      case_approve(s, id, &ben, SCOPE_ONCE, CASE_NOW, &err) == 0) &&
				     approval_find(s, &r, CASE_NOW, &agreed, &err) == 1,
			     err.message);
		ok(approval_person_add(s, &agreed, "zoe", dan.key, CASE_NOW, &err) < 0 &&
			   err.code == ERR_REFUSED,
		   "a signature of another act (%d) enrols no person: %s", change, err.message);
	}
	arena_done(&a);
}

static int keep_item(void *context, const struct store_item *item, struct err *err)
{
	struct store_item *to = context;

	(void)err;
	*to = *item;
	uint8_t *copy = malloc(item->len);
	memcpy(copy, item->value, item->len);
	to->value = copy;
	return 1;
}

/* An attacker who writes the items of people gains nothing. */
static void test_forged(struct store *s)
{
	struct store_range people = {.prefix = "approver/"};
	struct store_item was = {0};
	AUTO_TX struct store_tx back = {0}, other = {0};
	struct err err = {0};

	approval_person_remove(s, "dan", ADMIN, &err);
	scratch_must(enrol_by(s, &cleo, &anna, &ben, &err) == 0 &&
			     store_list(s, STORE_KEY, &people, keep_item, &was, &err) == 1,
		     err.message);
	scratch_must(approval_person_remove(s, "cleo", ADMIN, &err) == 1, err.message);
	store_put(&back, STORE_KEY, was.key, was.value, was.len, STORE_ANY);
	scratch_must(store_commit(s, &back, &err) == 0, err.message);
	ok(!is_person(s, &cleo, "k"), "a removed person does not come back with an old item");
	uint8_t *bytes = (uint8_t *)was.value;
	uint8_t *name = memmem(bytes, was.len, "cleo", 4);
	scratch_must(name != NULL, "the name");
	memcpy(name, "anna", 4);
	store_put(&other, STORE_KEY, was.key, was.value, was.len, STORE_ANY);
	scratch_must(store_commit(s, &other, &err) == 0, err.message);
	ok(!is_person(s, &cleo, "l"), "nor under another name");
	free(bytes);
}

/* The key is removed when the run has found the answer, and is not written yet. */
static void test_removed(struct store *s)
{
	struct approval_request r = case_request();
	AUTO_APPROVAL struct approval a = {0};
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};

	approval_person_remove(s, "cleo", ADMIN, &err);
	approval_person_remove(s, "anna", ADMIN, &err);
	scratch_must(enrol_by(s, &dan, &anna, &ben, &err) == 0, err.message);
	r.lang = "removed";
	scratch_must(case_approve(s, case_park(s, &r, CASE_NOW), &dan, SCOPE_ONCE, CASE_NOW,
				  &err) == 0 &&
			     approval_find(s, &r, CASE_NOW, &a, &err) == 1 &&
			     approval_person_remove(s, "dan", ADMIN, &err) == 1,
		     err.message);
	approval_take(&tx, &a, "run:1", CASE_NOW);
	ok(store_commit(s, &tx, &err) < 0 && err.code == ERR_CONFLICT,
	   "a key that is removed between the look and the start starts nothing");
	ok(case_use(s, &r, CASE_NOW) == 0, "nor does its answer the next time");
}

/* A file that cannot be read whole enrols no person, and the error says so. */
static void test_bad_file(struct store *s)
{
	struct approval_request r = case_request();
	struct err err;

	r.lang = "file";
	scratch_must(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_PROGRAM, CASE_NOW,
				  &err) == 0,
		     err.message);
	FILE *f = fopen(SIGNERS_FILE, "a");
	scratch_must(f && fputs("* everybody\n", f) >= 0 && fclose(f) == 0, SIGNERS_FILE);
	ok(case_use(s, &r, CASE_NOW) < 0, "with an error in the file nothing is covered");
	ok(case_approve(s, case_park(s, &r, CASE_NOW), &ben, SCOPE_ONCE, CASE_NOW, &err) < 0,
	   "and approval is refused: %s", err.message);
	ok(signers_remove("anna", &err) == 1, "a person can be taken away all the same");
}

int main(void)
{
	scratch_must(sodium_init() >= 0, "libsodium");
	const char *scratch = scratch_enter();
	int dir = case_fresh("state");
	struct store *s = case_open(dir);

	anna = case_person("anna"), ben = case_person("ben");
	cleo = case_person("cleo"), dan = case_person("dan");
	scratch_must(case_enrol(&anna) == 0 && case_enrol(&ben) == 0, "enrolling");
	test_lines();
	test_line_maxima();
	test_answer_bytes(s);
	test_answer_lines();
	test_enrolment(s);
	test_row(s);
	test_other_act(s);
	test_forged(s);
	test_removed(s);
	test_bad_file(s);
	store_close(s);
	close(dir);
	scratch_leave(scratch);
	return tap_done();
}
