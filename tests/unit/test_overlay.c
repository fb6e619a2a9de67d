/* SPDX-License-Identifier: MIT
 *
 * A conversation's overlay: what runs leave is saved, merged, shown and applied, and nothing reaches the
 * directory that the diff does not show.
 */
#include "overlay/overlay.h"

#include <errno.h>
#include <limits.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "overlay_case.h"
#include "tap.h"

static unsigned mode_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 ? st.st_mode & 07777U : 0xffffU;
}

static void find_saved(const char *name, char ret[PATH_MAX])
{
	char command[64];

	snprintf(command, sizeof(command), "find state -name %s", name);
	FILE *f = popen(command, "r");
	scratch_must(f && fgets(ret, PATH_MAX, f) && pclose(f) == 0, name);
	ret[strcspn(ret, "\n")] = '\0';
}

static void shows(const char *expected, const char *what)
{
	const char *got = pending();

	if (!ok(!strcmp(got, expected), "%s", what))
		printf("# %s\n# expected: %s\n", got, expected);
}

static void saves(const char *what)
{
	struct err err;

	ok(save(&err) == 0, "%s: %s", what, err.message);
	clear_upper();
}

static void applies(const char *what)
{
	struct err err = {0};

	ok(apply(NULL, &err) == 0, "%s: %s %s", what, err.message, err.cause);
	shows("", "then nothing waits");
	ok(system("! find ws -name '.cordon*' | grep -q .") == 0, "and no temporary name stays");
}

static void test_kinds(void)
{
	prepare();
	shows("", "an overlay without a run shows nothing");
	shell("echo new >upper/new; echo changed >upper/old; mkdir upper/made upper/dir; "
	      "echo in >upper/made/in; cp ws/tool upper/tool; chmod 600 upper/tool; "
	      "ln -s made/in upper/to; echo same >/dev/null; cp -p ws/dir/kept upper/dir/kept; "
	      "chmod 755 upper/dir upper/made");
	whiteout("upper/link");
	whiteout("upper/dir/sub");
	saves("a run is saved");
	shows("-dir/sub -dir/sub/deep -link +made +made/in +new =old +to %tool",
	      "every kind of change, sorted; what is the same is left out");
	ok(!strcmp(scratch_text("ws/old"), "old\n") && !scratch_exists("ws/new"),
	   "the directory is as it was");
	applies("all of it is applied");
	ok(!strcmp(scratch_text("ws/new"), "new\n") &&
		   !strcmp(scratch_text("ws/old"), "changed\n") &&
		   !strcmp(scratch_text("ws/made/in"), "in\n") && mode_of("ws/tool") == 0600 &&
		   !scratch_exists("ws/link") && !scratch_exists("ws/dir/sub") &&
		   !strcmp(scratch_text("ws/dir/kept"), "kept\n"),
	   "and is there");
	char target[64] = "";
	ok(readlink("ws/to", target, sizeof(target) - 1) == 7 && !strcmp(target, "made/in"),
	   "a link that stays inside too");
}

static void test_merges(void)
{
	prepare();
	shell("echo 1 >upper/new; mkdir upper/dir; echo 1 >upper/dir/a");
	saves("the first run");
	shell("echo 2 >upper/new; mkdir upper/dir; echo 2 >upper/dir/b");
	whiteout("upper/dir/kept");
	saves("the second run");
	shows("+dir/a +dir/b -dir/kept +new", "changes of both");
	whiteout("upper/new");
	shell("mkdir upper/dir");
	whiteout("upper/dir/a");
	saves("a run that deletes what only the overlay had");
	shows("+dir/b -dir/kept", "leaves nothing of it");
	ok(system("! find state -name new | grep -q .") == 0, "not even a whiteout");
	shell("mkdir upper/dir; echo again >upper/dir/kept");
	saves("a deleted file is made again");
	shows("+dir/b =dir/kept", "and counts as changed");
	shell("mkdir upper/dir; echo fresh >upper/dir/fresh");
	opaque("upper/dir");
	saves("a directory is replaced");
	shows("+dir/fresh -dir/kept -dir/sub -dir/sub/deep", "and hides the old one");
	shell("mkdir upper/dir; echo more >upper/dir/more");
	whiteout("upper/dir/fresh");
	saves("a run works in the new one");
	shows("-dir/kept +dir/more -dir/sub -dir/sub/deep", "a deletion in it leaves no whiteout");
	ok(system("! find state -type c | grep -q .") == 0, "none at all");
	whiteout("upper/dir");
	saves("the directory is deleted");
	shows("-dir -dir/kept -dir/sub -dir/sub/deep", "with all in it");
	shell("mkdir upper/dir; echo x >upper/dir/x");
	saves("and made again, where the overlay could not say that it is new");
	shows("-dir/kept -dir/sub -dir/sub/deep +dir/x", "it does not show the old one");
	shell("echo file >upper/dir");
	saves("a file takes its place");
	shows("=dir -dir/kept -dir/sub -dir/sub/deep", "that is one change more");
	applies("all of it is applied");
	ok(!strcmp(scratch_text("ws/dir"), "file\n"), "the file is there");
	shell("mkdir upper/dir; echo y >upper/dir/y");
	opaque("upper/dir");
	saves("a directory takes the file's place");
	shows("=dir +dir/y", "two changes");
	applies("they are applied");
	ok(!strcmp(scratch_text("ws/dir/y"), "y\n"), "the directory is there");
}

/* What a run made and another removed is forgotten: it says nothing about a later file of that name. */
static void test_forgotten(void)
{
	prepare();
	shell("echo 1 >upper/new; echo 1 >upper/old");
	saves("a run makes a file");
	whiteout("upper/new");
	saves("another removes it");
	shell("echo theirs >ws/new; echo 3 >upper/new");
	saves("a third changes the user's file of that name");
	shows("=new =old", "which has not moved");
}

/* Parts of a directory that replaces another one. */
static void test_parts(void)
{
	struct err err;

	prepare();
	shell("mkdir upper/dir; echo x >upper/dir/x; echo z >upper/dir/z");
	opaque("upper/dir");
	saves("a directory is replaced");
	ok(apply("dir/x", &err) == 0, "one of its files is applied: %s", err.message);
	shows("-dir/kept -dir/sub -dir/sub/deep +dir/z", "the others wait");
	ok(apply("dir/sub", &err) == -1 && err.code == ERR_CONFLICT &&
		   scratch_exists("ws/dir/sub/deep"),
	   "a directory does not go without what is in it: %s", err.message);
	ok(apply("dir/kept", &err) == 0 && !scratch_exists("ws/dir/kept"), "a deletion is applied");
	shows("-dir/sub -dir/sub/deep +dir/z", "the others wait");
	shell("echo changed >ws/dir/x");
	shows("-dir/sub -dir/sub/deep =*dir/x +dir/z",
	      "a file that is changed afterwards counts as moved");
	applies("the rest is applied");
	prepare();
	shell("mkdir upper/made; echo in >upper/made/in");
	saves("a new directory");
	ok(apply("made/in", &err) == -1 && err.code == ERR_CONFLICT && !scratch_exists("ws/made"),
	   "a file is not applied without its directory: %s", err.message);
	ok(apply("made", &err) == 0 && scratch_exists("ws/made"), "the directory is without it");
	shows("+made/in", "and it waits");
}

/* The user works on while changes wait. */
static void test_moved(void)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	AUTO_DIFF struct overlay_diff d = {0};
	uint8_t id[DIGEST_BYTES], same[DIGEST_BYTES];
	struct err err;

	prepare();
	shell("echo mine >upper/old; echo mine >upper/new; cp ws/tool upper/tool; chmod 700 "
	      "upper/tool");
	whiteout("upper/dir");
	saves("a run is saved");
	scratch_must(open_overlay(&o, &err) == 0, "opening");
	AUTO_CLOSE int ws = open_dir("ws");
	ok(overlay_diff(&o, ws, &d, &err) == 0 && d.count == 7 &&
		   overlay_diff_id(&d, id, &err) == 0,
	   "a diff: %s", show(&d));
	ok(overlay_diff_id(&d, same, &err) == 0 && !memcmp(id, same, sizeof(id)), "it has an id");
	bool chosen[7] = {true, true, true, true, true, true, true};
	static const struct {
		const char *command, *expected;
	} moves[] = {
		{"echo theirs >ws/old", "-dir -dir/kept -dir/sub -dir/sub/deep +new =*old %tool"},
		{"chmod 600 ws/old", "-dir -dir/kept -dir/sub -dir/sub/deep +new =*old %tool"},
		{"echo theirs >ws/new", "-dir -dir/kept -dir/sub -dir/sub/deep =*new =old %tool"},
		{"rm ws/tool", "-dir -dir/kept -dir/sub -dir/sub/deep +new =old +*tool"},
		{"echo theirs >ws/dir/sub/theirs",
		 "-dir -dir/kept -dir/sub -dir/sub/deep -*dir/sub/theirs +new =old %tool"},
		{"rm ws/dir/kept", "-dir -dir/sub -dir/sub/deep +new =old %tool"},
		{"rm -r ws/dir; ln -s ../outside ws/dir", "-*dir +new =old %tool"}};
	for (size_t i = 0; i < ARRAY_SIZE(moves); i++) {
		AUTO_DIFF struct overlay_diff now = {0};
		shell("cp -a ws before");
		shell(moves[i].command);
		shell("cp -a ws after");
		ok(overlay_apply(&o, ws, &d, chosen, &err) == -1 && err.code == ERR_CONFLICT &&
			   system("diff -r --no-dereference ws after") == 0,
		   "nothing is applied after: %s: %s (%s)", moves[i].command, err.message,
		   err.cause);
		ok(overlay_diff(&o, ws, &now, &err) == 0 &&
			   !strcmp(show(&now), moves[i].expected) &&
			   overlay_diff_id(&now, same, &err) == 0 &&
			   memcmp(id, same, sizeof(id)) != 0,
		   "the diff tells it: %s", show(&now));
		shell("find ws -mindepth 1 -delete; cp -a before/. ws; rm -rf before after");
	}
	ok(overlay_apply(&o, ws, &d, chosen, &err) == 0, "as it was, it is applied: %s",
	   err.message);
}

/* During the run: the program has not seen what is there now. */
static void test_since(void)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	struct overlay_losses lost;
	struct err err;

	prepare();
	shell("echo mine >upper/old; echo mine >upper/tool");
	AUTO_CLOSE int upper = open_dir("upper"), ws = open_dir("ws");
	struct stat st;
	scratch_must(stat("upper/tool", &st) == 0 && open_overlay(&o, &err) == 0, "opening");
	usleep(20000);
	shell("echo theirs >ws/old");
	ok(overlay_save(&o, upper, ws, st.st_ctim, &lost, &err) == 0, "saved");
	overlay_close(&o);
	shows("=*old =tool", "a file that changed during the run counts as moved");
}

/* A live box: the tree of the earlier runs is a layer of it, and its saves replace each other. */
static void test_live(void)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	struct err err;

	prepare();
	shell("mkdir upper/early; echo early >upper/early/a; echo early >upper/old");
	scratch_must(save(&err) == 0 && open_overlay(&o, &err) == 0, err.message);
	o.is_live = true;
	AUTO_CLOSE int layer = overlay_open_tree(&o);
	clear_upper();
	shell("mkdir upper/early; echo 1 >upper/early/b; echo 1 >upper/tool");
	whiteout("upper/early/a");
	ok(save_in(&o, &err) == 0, "a live box saves");
	AUTO_CLOSE int early = openat(layer, "early/a", O_RDONLY | O_CLOEXEC);
	ok(early >= 0 && faccessat(layer, "early/b", F_OK, 0) < 0, "its layer stays as it was");
	shell("rm upper/early/a upper/early/b upper/tool");
	ok(save_in(&o, &err) == 0, "it saves again");
	shell("rm -r upper");
	shell("mkdir upper; echo 3 >upper/third");
	ok(save_in(&o, &err) == 0, "and a third time");
	overlay_close(&o);
	shows("+early +early/a =old +third", "only what it has at last is pending");
	ok(system("! find state -name first -o -name next | grep -q .") == 0,
	   "the kept tree is removed when the box has ended");
}

static void test_hostile(void)
{
	char path[PATH_MAX];
	struct err err;

	prepare();
	shell("mkfifo upper/fifo; echo x >upper/suid; chmod 6755 upper/suid");
	shell("mkdir -m 7777 upper/sticky; mkdir upper/d; ln -s .. upper/up");
	shell("ln -s /etc/passwd upper/absolute; ln -s ../outside/file upper/out");
	shell("ln -s ../old upper/d/in; ln -s ../../outside upper/d/out");
	shell("ln -s in/.. upper/d/through");
	shell("mkdir upper/.git; echo x >upper/.git/config; echo x >upper/.envrc");
	scratch_must(setxattr("upper/suid", "user.evil", "x", 1, 0) == 0, "an attribute");
	ok(save(&err) == 0 && losses.left_out == 1 && losses.stripped == 1 &&
		   !strcmp(losses.first, "fifo"),
	   "a FIFO is left out, set-id bits and attributes are stripped, and it is told: %zu %zu "
	   "%s",
	   losses.left_out, losses.stripped, losses.first);
	ok(system("! find state -perm /7000 -o -type p | grep -q .") == 0, "none of it is saved");
	find_saved("suid", path);
	ok(getxattr(path, "user.evil", NULL, 0) == -1, "nor the attribute");
	shows("+!.envrc +!.git +!.git/config +#absolute +d +d/in +#d/out +#d/through +#out +sticky "
	      "+suid +#up",
	      "links that lead out are never applied, what would be run only if it is named");
	ok(apply("out", &err) == -1 && err.code == ERR_REFUSED && !scratch_exists("ws/out"),
	   "not even when they are chosen: %s", err.message);
	ok(apply(".envrc", &err) == 0 && scratch_exists("ws/.envrc"), "what is named is applied");
	ok(apply("suid", &err) == 0 && mode_of("ws/suid") == 0755, "without set-id bits");
	/* The directory has become a link meanwhile. */
	prepare();
	shell("mkdir upper/dir; echo evil >upper/dir/file");
	saves("a file in a directory");
	shell("rm -r ws/dir; ln -s ../outside ws/dir");
	ok(apply("dir/file", &err) == -1 && !strcmp(scratch_text("outside/file"), "x\n"),
	   "nothing is written through a link: %s", err.message);
	if (geteuid() == 0 && mknod("upper/null", S_IFCHR | 0666, makedev(1, 3)) == 0) {
		ok(save(&err) == 0 && losses.left_out == 1, "a device is left out");
		ok(system("! find state -name null | grep -q .") == 0, "and not saved");
	}
}

/* A commit in a repository that was there is data. What git runs or obeys is not; no repository is made. */
static void test_repository(void)
{
	prepare();
	shell("mkdir -p ws/.git/hooks ws/.git/refs/heads; echo ref >ws/.git/HEAD");
	shell("mkdir -p upper/.git/hooks upper/.git/objects/ab upper/.git/refs/heads "
	      "upper/.git/refs/.git "
	      "upper/.git/rebase-merge upper/sub/.git");
	shell("for f in HEAD index config hooks/pre-commit objects/ab/cd refs/heads/main "
	      "refs/.envrc "
	      "refs/.git/config rebase-merge/git-rebase-todo; do echo x >upper/.git/$f; done; "
	      "echo x >upper/sub/.git/HEAD");
	saves("a commit");
	shows("=.git/HEAD +!.git/config +!.git/hooks/pre-commit +.git/index +.git/objects "
	      "+.git/objects/ab +.git/objects/ab/cd +!.git/rebase-merge "
	      "+!.git/rebase-merge/git-rebase-todo +!.git/refs/.envrc +!.git/refs/.git "
	      "+!.git/refs/.git/config +.git/refs/heads/main +sub +!sub/.git +!sub/.git/HEAD",
	      "a commit is free, what git runs or obeys is not, nor another repository");
}

static void test_limits(void)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	struct err err;

	prepare();
	shell("echo first >upper/first");
	saves("a run is saved");
	scratch_must(open_overlay(&o, &err) == 0, "opening");
	o.entries_max = 3;
	shell("echo 2 >upper/2; echo 3 >upper/3");
	ok(save_in(&o, &err) == 0, "as many paths as may be: %s", err.message);
	clear_upper();
	shell("echo 4 >upper/4");
	ok(save_in(&o, &err) == -1 && err.code == ERR_LIMIT, "one more is an error: %s",
	   err.message);
	o.entries_max = 100;
	o.bytes_max = 6 + 2 + 2 + 4096;
	shell("rm upper/4; truncate -s 4097 upper/4");
	ok(save_in(&o, &err) == -1 && err.code == ERR_LIMIT, "a byte too many is an error: %s",
	   err.message);
	shell("rm upper/4; truncate -s 4096 upper/4");
	ok(save_in(&o, &err) == 0, "as many bytes as may be: %s", err.message);
	shell("rm upper/4; truncate -s 1T upper/5; echo >upper/first");
	ok(save_in(&o, &err) == -1 && err.code == ERR_LIMIT, "more are an error: %s", err.message);
	overlay_close(&o);
	shows("+2 +3 +4 +first", "what was saved before is whole");
	ok(system("grep -qr first state") == 0, "with its bytes");
	clear_upper();
	shell("seq -f 'upper/%.0f' 10000 | xargs touch");
	saves("ten thousand files");
	ok(system("[ $(find state -name '[0-9]*' -type f | wc -l) = 10000 ]") == 0, "are saved");
	clear_upper();
	shell("p=upper; for i in $(seq 255); do p=$p/d; done; mkdir -p $p");
	saves("as deep a tree as may be");
	clear_upper();
	shell("p=upper; for i in $(seq 256); do p=$p/d; done; mkdir -p $p");
	ok(save(&err) == -1 && err.code == ERR_LIMIT, "a deep tree is an error: %s", err.message);
}

static void test_lock_and_reset(void)
{
	AUTO_OVERLAY struct overlay o = OVERLAY_CLOSED;
	AUTO_CLOSE int state = -1, ws = -1;
	struct overlay other = OVERLAY_CLOSED;
	bool finished = false;
	struct err err;

	prepare();
	shell("echo new >upper/new");
	saves("a run is saved");
	state = open_dir("state");
	ws = open_dir("ws");
	scratch_must(open_overlay(&o, &err) == 0, "opening");
	ok(open_overlay(&other, &err) == -1 && err.code == ERR_CONFLICT, "one at a time: %s",
	   err.message);
	ok(overlay_reset(state, conversation, ws, &finished, &err) == -1, "also for a reset");
	overlay_close(&o);
	ok(overlay_reset(state, conversation, ws, &finished, &err) == 0, "a reset: %s",
	   err.message);
	shows("", "drops everything");
	ok(!scratch_exists("ws/new"), "the directory is as it was");
}

/* Every byte of base, of which none may be believed. */
static void test_damage(void)
{
	struct err err;
	char path[PATH_MAX];
	size_t refused = 0, size;

	prepare();
	shell("echo new >upper/new; echo changed >upper/old");
	saves("a run is saved");
	find_saved("base", path);
	struct stat st;
	scratch_must(stat(path, &st) == 0, "base");
	size = (size_t)st.st_size;
	AUTO_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC);
	for (size_t i = 0; i < size; i++) {
		unsigned char was, byte;
		scratch_must(pread(fd, &was, 1, (off_t)i) == 1, "reading");
		byte = was ^ 0x11;
		scratch_must(pwrite(fd, &byte, 1, (off_t)i) == 1, "writing");
		refused += strstr(pending(), "damaged") != NULL;
		scratch_must(pwrite(fd, &was, 1, (off_t)i) == 1, "writing");
	}
	ok(refused == size, "%zu of %zu bytes that are damaged are noticed", refused, size);
	shows("+new =old", "as it was, it is read");
	scratch_must(ftruncate(fd, (off_t)size - 1) == 0, "cutting");
	ok(apply(NULL, &err) == -1 && strstr(err.message, "damaged"), "nor is a part of it: %s",
	   err.message);
	AUTO_CLOSE int state = open_dir("state"), ws = open_dir("ws");
	bool finished = false;
	ok(overlay_reset(state, conversation, ws, &finished, &err) == 0, "a reset drops it");
	shows("", "and all is well");
}

/* The disk of the state is full, then the directory's. As root, on small file systems. */
static void test_full_disk(void)
{
	struct err err;

	prepare();
	if (geteuid() != 0 || mount("none", "state", "tmpfs", 0, "size=256k,mode=700") < 0)
		return;
	shell("echo first >upper/first");
	saves("a run is saved");
	shell("head -c 1M /dev/zero >upper/large; echo second >upper/first");
	ok(save(&err) == -1 && err.sys_errno == ENOSPC, "a full disk is an error: %s", err.message);
	shows("+first", "what was saved before is whole");
	ok(system("grep -qr first state && ! grep -qr second state") == 0, "with its bytes");
	scratch_must(umount("state") == 0 && mount("none", "ws", "tmpfs", 0, "size=64k") == 0,
		     "another disk");
	clear_upper();
	shell("echo first >upper/first; head -c 1M /dev/zero >upper/large");
	saves("a run is saved");
	ok(apply(NULL, &err) == -1 && err.sys_errno == ENOSPC && scratch_exists("ws/first"),
	   "what does not fit is an error: %s", err.message);
	shows("+large", "it waits, and what did fit is applied");
	ok(system("! find ws -name '.cordon*' | grep -q .") == 0, "no temporary name stays");
	scratch_must(umount("ws") == 0, "umount");
}

int main(void)
{
	const char *dir = scratch_enter();

	if (!holds_signs()) {
		tap_skip("overlays", "no extended attributes here");
		scratch_leave(dir);
		return tap_done();
	}
	test_kinds();
	test_merges();
	test_forgotten();
	test_parts();
	test_moved();
	test_since();
	test_live();
	test_hostile();
	test_repository();
	test_limits();
	test_lock_and_reset();
	test_damage();
	test_full_disk();
	scratch_leave(dir);
	return tap_done();
}
