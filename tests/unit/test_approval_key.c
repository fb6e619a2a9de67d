/* SPDX-License-Identifier: MIT
 *
 * People's key files: made once, for their owner only, with a passphrase or without; what was changed
 * in one is refused. And who this process is.
 */
#include <sys/prctl.h>
#include <sys/wait.h>

#include "approval/approval.h"
#include "scratch.h"
#include "tap.h"

static bool is_same(const struct key *a, const struct key *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static int load(const char *path, const char *pass, struct key *ret, bool *ret_protected)
{
	struct err err;

	*ret = (struct key){0};
	return approval_key_load(path, pass, ret, ret_protected, &err);
}

/* DEPTH processes below this one: does it say that there are more than it looked at? */
static bool has_more(int depth)
{
	struct approval_actor actor;
	int status = 1;
	pid_t pid = fork();

	if (pid == 0 && depth > 1)
		_exit(has_more(depth - 1) ? 0 : 1);
	if (pid == 0) {
		approval_actor_here(&actor);
		_exit(actor.has_more_parents ? 0 : 1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

static void test_parents(void)
{
	struct approval_actor actor;

	approval_actor_here(&actor);
	int room = APPROVAL_PARENTS_MAX - (int)actor.groupc;
	ok(!has_more(room), "as many parents as are looked at");
	ok(has_more(room + 1), "one more is told");
}

static void test_plain(void)
{
	struct key made, back;
	bool protected = true;
	struct stat st;
	struct err err;

	ok(approval_key_new("plain", NULL, &made, &err) == 0, "a key without a passphrase");
	ok(stat("plain", &st) == 0 && (st.st_mode & 0777) == 0600, "only its owner can read it");
	ok(load("plain", NULL, &back, &protected) == 0 && !protected && is_same(&made, &back),
	   "it is read again");
	ok(approval_key_new("plain", NULL, &made, &err) < 0, "it is never replaced");
	ok(load("plain", NULL, &made, &protected) == 0 && is_same(&made, &back), "it is as it was");
	scratch_must(chmod("plain", 0640) == 0, "chmod");
	ok(load("plain", NULL, &back, &protected) < 0, "one that others can read is none");
	ok(load("nothing", NULL, &back, &protected) < 0, "nor is one that is not there");
	scratch_must(symlink("/dev/zero", "zero") == 0, "symlink");
	ok(load("zero", NULL, &back, &protected) < 0, "nor a device");
}

/* Writes the text with one letter changed, and what came of it. */
static int load_changed(const char *text, size_t at, char to)
{
	char changed[1024];
	struct key key;
	bool protected;

	snprintf(changed, sizeof(changed), "%s", text);
	changed[at] = to;
	unlink("changed");
	scratch_file("changed", changed, 0600);
	return load("changed", "pass", &key, &protected);
}

static void test_protected(void)
{
	struct key made, back;
	bool protected = false;
	struct err err;
	char text[1024];

	ok(approval_key_new("guarded", "pass", &made, &err) == 0, "a key with a passphrase");
	ok(load("guarded", NULL, &back, &protected) == 1 && protected, "it asks for it");
	ok(load("guarded", "pass", &back, &protected) == 0 && is_same(&made, &back), "it is read");
	ok(load("guarded", "Pass", &back, &protected) < 0, "not with another one");
	ok(load("guarded", "", &back, &protected) < 0, "nor with none");
	snprintf(text, sizeof(text), "%.1000s", scratch_text("guarded"));
	char hex[2 * KEY_SEED + 1] = "";
	for (int i = 0; i < KEY_SEED; i++)
		snprintf(hex + 2 * i, 3, "%02x", made.secret[i]);
	ok(!strstr(text, hex), "the key itself is not in the file");
	size_t last = strlen(text) - 2;
	ok(load_changed(text, last, text[last] == 'a' ? 'b' : 'a') < 0,
	   "a changed file is refused");
	ok(load_changed(text, last, 'A') < 0, "and one that is written otherwise");
	ok(load_changed(text, 0, 'C') < 0, "and one of another kind");
	ok(load_changed(text, strlen(text) - 1, ' ') < 0, "and one without its end");
}

/* Files that ask for more work than we do. */
static void test_costs(void)
{
	static const char rest[] = " 00112233445566778899aabbccddeeff "
				   "00112233445566778899aabbccddeeff0011223344556677 ";
	char text[1024], box[97];
	struct key key;
	bool protected;
	struct err err;

	memset(box, '0', 96);
	box[96] = '\0';
	snprintf(text, sizeof(text), "cordon-approver-1 argon2id 3 1073741825%s%s\n", rest, box);
	scratch_file("memory", text, 0600);
	ok(approval_key_load("memory", "pass", &key, &protected, &err) < 0 && err.code == ERR_INPUT,
	   "more memory than the maximum is refused before it is taken");
	snprintf(text, sizeof(text), "cordon-approver-1 argon2id 17 8192%s%s\n", rest, box);
	scratch_file("time", text, 0600);
	ok(approval_key_load("time", "pass", &key, &protected, &err) < 0 && err.code == ERR_INPUT,
	   "and more rounds");
	snprintf(text, sizeof(text), "cordon-approver-1 argon2id 16 8192%s%s\n", rest, box);
	scratch_file("most", text, 0600);
	ok(approval_key_load("most", "pass", &key, &protected, &err) < 0 && err.code == ERR_REFUSED,
	   "the most rounds are done, and the passphrase is wrong");
}

static void test_actor(void)
{
	struct approval_actor actor;
	int status;

	approval_actor_here(&actor);
	ok(actor.uid == getuid() && !actor.in_box, "who this is");
	ok(actor.groupc > 1 && actor.group[0] == (uint64_t)getpgrp(), "and who started it");
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		approval_actor_here(&actor);
		_exit(actor.in_box ? 0 : 1);
	}
	ok(waitpid(pid, &status, 0) == pid && status == 0,
	   "one that no_new_privs is on is in a box");
}

int main(void)
{
	const char *scratch = scratch_enter();

	test_plain();
	test_protected();
	test_costs();
	test_parents();
	test_actor();
	scratch_leave(scratch);
	return tap_done();
}
