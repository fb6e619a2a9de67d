/* SPDX-License-Identifier: MIT
 *
 * Whatever happens in whatever order, no run is covered that no valid set of signatures covers.
 * Random people, requests, times, and an attacker who writes any item they like with any signature
 * that was ever made. What must hold is worked out here from a list of who signed what, without the
 * code that is tested. CORDON_SEED gives another order of events.
 */
#include "approval_case.h"

enum { PEOPLE = 5, VARIANTS = 6, REQUESTS_MAX = 500, SIGNED_MAX = 500, STEPS = 250, WORLDS = 20 };

/* Who they are; MALLORY is never enrolled, DORA signs in the name of ANNA. */
enum { P_ANNA, P_BEN, P_ASKER, P_MALLORY, P_DORA };

struct parked {
	char id[APPROVAL_ID + 1];
	int variant;
	bool denied, used; /* USED: words for once are */
};

struct signed_word {
	int request, person;
	struct approval_vote vote; /* as it was signed */
};

static struct world {
	struct store *store;
	uint64_t now, random;
	struct case_person person[PEOPLE];
	bool enrolled[PEOPLE];
	struct parked request[REQUESTS_MAX];
	struct signed_word word[SIGNED_MAX];
	int requests, words;
	/* of all worlds */
	int covered, wrong, asked, said;
} w;

static unsigned pick(unsigned below)
{
	w.random = w.random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(w.random >> 33) % below;
}

/* Variants 0-2 are one thing in three conversations; 3-5 the same where two must agree. */
static struct approval_request variant(int i)
{
	static const char *const names[] = {"conv-0", "conv-1", "conv-2"};
	struct approval_request r = case_request();

	r.conversation = names[i % 3];
	r.approvers = i < 3 ? 1 : 2;
	return r;
}

static void do_park(void)
{
	int v = (int)pick(VARIANTS);
	struct approval_request r = variant(v);
	struct parked *q = &w.request[w.requests];
	struct err err;

	if (w.requests == REQUESTS_MAX)
		return;
	/* A forger who fills the store blocks all requests, and gains nothing else. */
	if (approval_park(w.store, &r, case_bytes, WAIT, w.now, q->id, &err) < 0) {
		scratch_must(err.code == ERR_LIMIT, err.message);
		return;
	}
	for (int i = 0; i < w.requests; i++)
		if (strcmp(w.request[i].id, q->id) == 0)
			return;
	q->variant = v;
	w.requests++;
}

static int pick_request(void)
{
	int recent = w.requests < 8 ? w.requests : 8;

	return w.requests - 1 - (int)pick((unsigned)recent);
}

static void do_sign(void)
{
	int p = (int)pick(PEOPLE), q = pick_request();
	struct approval_vote v = case_vote(&w.person[p], (enum scope)pick(SCOPE_COUNT), w.now);
	struct approval_actor actor = {.uid = ASKER};
	static char signatures[SIGNED_MAX][sizeof(w.person[0].signature)];
	AUTO_APPROVAL struct approval a = {0};
	struct err err;

	if (w.words == SIGNED_MAX || approval_load(w.store, w.request[q].id, &a, &err) < 0)
		return;
	v.name = p == P_DORA ? w.person[P_ANNA].name : v.name;
	case_sign(&a, &w.person[p], &v);
	v.signature = strcpy(signatures[w.words], v.signature);
	w.word[w.words++] = (struct signed_word){.request = q, .person = p, .vote = v};
	approval_decide(w.store, &a, &v, &actor, w.now, &err);
}

static void do_deny(void)
{
	struct approval_actor actor = {.uid = BEN};
	AUTO_APPROVAL struct approval a = {0};
	int q = pick_request();
	struct err err;

	if (pick(4) == 0 && approval_load(w.store, w.request[q].id, &a, &err) == 0 &&
	    approval_deny(w.store, &a, &actor, "no", w.now, &err) == 0)
		w.request[q].denied = true;
}

static void do_enrol(void)
{
	int p = (int)pick(PEOPLE);

	if (p == P_MALLORY)
		return;
	if (w.enrolled[p] && pick(2))
		w.enrolled[p] = case_remove(&w.person[p]) != 1;
	else if (!w.enrolled[p])
		w.enrolled[p] = case_enrol(&w.person[p]) == 0;
}

/* Mostly one that was said about this request. */
static const struct signed_word *some_word(int q)
{
	const struct signed_word *word = &w.word[pick((unsigned)w.words)];

	for (int i = 0; i < 40 && word->request != q; i++)
		word = &w.word[pick((unsigned)w.words)];
	return word;
}

/* A status with any state and any words, some of them changed, over any request. */
static void do_forge(void)
{
	struct approval_vote votes[4];
	struct approval_status status = {
		.state = pick(4) ? APPROVAL_APPROVED : pick(APPROVAL_STATES), .reason = ""};
	int q = pick_request();
	AUTO_APPROVAL struct approval a = {0};
	AUTO_TX struct store_tx tx = {0};
	AUTO_BUF struct buf value = {0};
	uint8_t subject[APPROVAL_SHA256];
	char key[ITEM_KEY_MAX];
	struct err err;

	if (!w.words || approval_load(w.store, w.request[q].id, &a, &err) < 0)
		return;
	memcpy(status.binding, a.binding, sizeof(status.binding));
	size_t count = pick(4);
	for (size_t i = 0; i < count; i++) {
		votes[i] = some_word(q)->vote;
		unsigned change = pick(12);
		votes[i].expires += change == 0 ? TTL : 0;
		votes[i].scope = change == 1 ? SCOPE_PROGRAM : votes[i].scope;
		votes[i].time += change == 2 ? 1000 : 0;
		votes[i].name = change == 3 ? "anna" : votes[i].name;
	}
	status.votes = (struct approval_list){.count = count, .list = votes};
	scratch_must(status_encode(&status, &value, &err) == 0, "a status");
	store_put(&tx, STORE_APPROVAL, item_key(key, "status", NULL, a.id), value.data, value.len,
		  STORE_ANY);
	struct approval_request found_as =
		variant(pick(2) ? w.request[q].variant : (int)pick(VARIANTS));
	scratch_must(approval_digest(&found_as, APPROVAL_SUBJECT, subject, &err) == 0, "a digest");
	store_put(&tx, STORE_APPROVAL, item_key(key, "sub", subject, a.id), "", 0, STORE_ANY);
	scratch_must(store_commit(w.store, &tx, &err) == 0, err.message);
}

/* How many different people's words, at least as wide as NEEDED, are good for the request now. */
static int good_words(int q, unsigned needed)
{
	bool seen[PEOPLE] = {0};
	int count = 0;

	for (int i = 0; i < w.words; i++) {
		const struct signed_word *s = &w.word[i];
		if (s->request != q || seen[s->person] || !w.enrolled[s->person] ||
		    s->person == P_ASKER || s->person == P_MALLORY || s->person == P_DORA ||
		    s->vote.scope < needed || w.now >= s->vote.time + TTL)
			continue;
		seen[s->person] = true;
		count++;
	}
	return count;
}

static void do_use(void)
{
	int v = (int)pick(VARIANTS), q;
	struct approval_request r = variant(v);
	AUTO_APPROVAL struct approval a = {0};

	if (case_take(w.store, &r, w.now, &a) != 1)
		return;
	for (q = 0; q < w.requests && strcmp(w.request[q].id, a.id) != 0; q++)
		;
	scratch_must(q < w.requests, "a request that was never parked");
	/* Words that hold longer, or else those for once, if they have not been used yet. */
	int own = w.request[q].variant, needed = (int)variant(own).approvers;
	bool longer = good_words(q, SCOPE_PROGRAM) >= needed;
	bool once = own == v && !w.request[q].used && good_words(q, SCOPE_ONCE) >= needed;
	w.request[q].used |= !longer;
	w.covered++;
	if ((own / 3 != v / 3 || w.request[q].denied || (!longer && !once)) && w.wrong++ < 5)
		printf("# %s (variant %d) covered variant %d\n", a.id, own, v);
}

static void do_wait(void)
{
	w.now += pick(3) ? pick(1000) : pick(TTL);
}

static void (*const acts[])(void) = {do_park, do_park, do_sign,	 do_sign,  do_sign,  do_use,
				     do_use,  do_deny, do_forge, do_enrol, do_enrol, do_wait};

static void live(void)
{
	int dir = case_fresh("state");

	w.store = case_open(dir);
	w.now = CASE_NOW;
	w.requests = w.words = 0;
	memset(w.enrolled, 0, sizeof(w.enrolled));
	unlink(SIGNERS_FILE);
	memset(w.request, 0, sizeof(w.request));
	do_park();
	for (int i = 0; i < STEPS; i++)
		acts[pick(sizeof(acts) / sizeof(acts[0]))]();
	w.asked += w.requests;
	w.said += w.words;
	store_close(w.store);
	close(dir);
}

int main(void)
{
	const char *seed = getenv("CORDON_SEED"), *scratch = scratch_enter();
	static const char *const people[PEOPLE] = {"anna", "ben", "daemon", "mallory", "dora"};

	scratch_must(sodium_init() >= 0, "libsodium");
	w.random = seed ? strtoull(seed, NULL, 10) : 1;
	for (int i = 0; i < PEOPLE; i++)
		w.person[i] = case_person(people[i]);
	for (int i = 0; i < WORLDS; i++)
		live();
	ok(w.wrong == 0, "no run was covered without the words for it (seed %s)",
	   seed ? seed : "1");
	ok(w.covered > 20, "and %d were, of %d requests with %d words", w.covered, w.asked, w.said);
	scratch_leave(scratch);
	return tap_done();
}
