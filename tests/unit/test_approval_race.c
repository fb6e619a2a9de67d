/* SPDX-License-Identifier: MIT
 *
 * Whoever comes at the same time as others, each with a store of its own: one word for once lets one
 * run happen, the same question is asked once, and the last place in the queue is one place.
 */
#include <sys/wait.h>

#include "approval_case.h"

enum { RACERS = 8, ROUNDS = 10 };

static struct case_person anna;

/* Both at once, each with a store of its own. */
static void test_use(void)
{
	int dir = case_fresh("state"), won_both = 0, won_none = 0;
	struct store *s = case_open(dir);

	anna = case_person("anna");
	scratch_must(case_enrol(&anna) == 0, "enrolling");

	for (int i = 0; i < ROUNDS; i++) {
		struct approval_request r = case_request();
		struct err err;
		int won = 0, gate[2];
		r.lang = "race";
		scratch_must(case_approve(s, case_park(s, &r, CASE_NOW), &anna, SCOPE_ONCE,
					  CASE_NOW, &err) == 0,
			     err.message);
		scratch_must(pipe(gate) == 0, "pipe");
		pid_t pid[2];
		for (int k = 0; k < 2; k++) {
			pid[k] = fork();
			if (pid[k])
				continue;
			char go;
			close(gate[1]);
			struct store *own = case_open(open("state", O_RDONLY | O_DIRECTORY));
			if (read(gate[0], &go, 1) != 0)
				_exit(3);
			_exit(case_use(own, &r, CASE_NOW) == 1 ? 1 : 0);
		}
		close(gate[1]);
		close(gate[0]);
		for (int k = 0; k < 2; k++) {
			int status;
			scratch_must(waitpid(pid[k], &status, 0) == pid[k] && WIFEXITED(status) &&
					     WEXITSTATUS(status) <= 1,
				     "a racer");
			won += WEXITSTATUS(status);
		}
		won_both += won == 2;
		won_none += won == 0;
	}
	ok(won_both == 0, "of two runs at once never both are covered");
	ok(won_none == 0, "and always one");
	store_close(s);
	close(dir);
}

static int count_one(void *context, const char *id, struct err *err)
{
	(void)id, (void)err;
	++*(int *)context;
	return 0;
}

static int waiting(struct store *s)
{
	struct err err;
	int count = 0;

	scratch_must(approval_each(s, false, count_one, &count, &err) == 0, err.message);
	return count;
}

static void park_one(const char *conversation, int gate)
{
	struct approval_request r = case_request();
	char id[APPROVAL_ID + 1], go;
	struct err err;
	struct store *s = case_open(open("queue", O_RDONLY | O_DIRECTORY));

	r.conversation = conversation;
	if (read(gate, &go, 1) != 0)
		_exit(3);
	int parked = approval_park(s, &r, case_bytes, WAIT, CASE_NOW, id, &err);
	_exit(parked < 0 ? (err.code == ERR_LIMIT ? 2 : 3) : parked);
}

/* RET: how many new ones, old ones, refusals, failures. */
static void park_at_once(const char *conversation, bool same, int ret[4])
{
	int gate[2], status;
	char name[64];
	pid_t pid[RACERS];

	memset(ret, 0, 4 * sizeof(ret[0]));
	scratch_must(pipe(gate) == 0, "pipe");
	for (int k = 0; k < RACERS; k++) {
		pid[k] = fork();
		if (pid[k] == 0) {
			close(gate[1]);
			snprintf(name, sizeof(name), "%s-%d", conversation, same ? 0 : k);
			park_one(name, gate[0]);
		}
	}
	close(gate[1]);
	close(gate[0]);
	for (int k = 0; k < RACERS; k++) {
		scratch_must(waitpid(pid[k], &status, 0) == pid[k] && WIFEXITED(status) &&
				     WEXITSTATUS(status) < 4,
			     "a racer");
		ret[WEXITSTATUS(status)]++;
	}
}

static void test_parked_at_once(void)
{
	int dir = case_fresh("queue"), got[4], twice = 0;
	struct store *s = case_open(dir);
	struct err err = {0};
	char name[32];

	for (int i = 0; i < ROUNDS; i++) {
		snprintf(name, sizeof(name), "round-%d", i);
		park_at_once(name, true, got);
		twice += got[0] != 1 || got[1] != RACERS - 1;
	}
	ok(twice == 0 && waiting(s) == ROUNDS, "runs that ask the same at once make one request");
	int left = APPROVAL_OPEN_MAX - ROUNDS - 2;
	scratch_must(case_park_many(s, ASKER, left, &err) == left, err.message);
	park_at_once("last", false, got);
	ok(got[0] == 2 && got[2] == RACERS - 2 && waiting(s) == APPROVAL_OPEN_MAX,
	   "two places are left: two of all who come at once have them (%d new, %d refused)",
	   got[0], got[2]);
	store_close(s);
	close(dir);
}

int main(void)
{
	scratch_must(sodium_init() >= 0, "libsodium");
	const char *scratch = scratch_enter();

	test_use();
	test_parked_at_once();
	scratch_leave(scratch);
	return tap_done();
}
