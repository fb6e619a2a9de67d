/* SPDX-License-Identifier: MIT
 *
 * Random runs in a real overlay of the kernel's, and the same in a plain copy of the directory. After every
 * save and every part of an apply, the saved tree over the directory must show what the copy has; when all
 * is applied, the directory must have it.
 */
#include "overlay/overlay.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>

#include "overlay_case.h"
#include "tap.h"

enum { SEEDS = 12, MORE_SEEDS = 60, RUNS = 3, STEPS = 14 };

static const char *const names[] = {"a",   "b",	  "c",	   "a/x",   "a/y",
				    "b/x", "b/y", "a/x/1", "b/y/2", "a.b"};

/* One change below DIR, the same for the same numbers. */
static int change(const char *dir, unsigned kind, unsigned first, unsigned second)
{
	char path[64], other[80];

	snprintf(path, sizeof(path), "%s/%s", dir, names[first % ARRAY_SIZE(names)]);
	snprintf(other, sizeof(other), "%s/%s", dir, names[second % ARRAY_SIZE(names)]);
	if (kind % 7 < 2) {
		FILE *f = fopen(path, kind & 8 ? "a" : "w");
		return f && fprintf(f, "%u\n", second) > 0 && fclose(f) == 0 ? 0 : -1;
	}
	switch (kind % 7) {
	case 2:
		return mkdir(path, 0755);
	case 3:
		return unlink(path);
	case 4:
		return rename(path, other);
	case 5:
		return kind & 8 ? chmod(path, 0700 | (second & 077)) : symlink("a", path);
	default:
		snprintf(other, sizeof(other), "%s/x", path);
		unlink(other);
		rmdir(path);
		return 0;
	}
}

static const char *saved_tree(void)
{
	static char path[256];
	FILE *f = popen("ls -d state/overlays/*/*/tree 2>/dev/null", "r");

	scratch_must(f, "the saved tree");
	path[fread(path, 1, sizeof(path) - 1, f)] = '\0';
	pclose(f);
	path[strcspn(path, "\n")] = '\0';
	return path[0] ? path : NULL;
}

/* The directory with what is saved over it, as a box would mount it. */
static void mount_view(bool with_upper)
{
	const char *tree = saved_tree();
	char options[512];

	snprintf(options, sizeof(options), "lowerdir=%s%sws%s,userxattr", tree ? tree : "",
		 tree ? ":" : "",
		 with_upper ? ",upperdir=upper,workdir=work"
		 : tree	    ? ""
			    : ":outside");
	scratch_must(mount("overlay", "view", "overlay", 0, options) == 0, options);
}

static bool is_equal(const char *dir)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "for d in %s model; do (cd $d; find . -mindepth 1 -printf '%%P %%y %%m %%l\\n' | "
		 "sed "
		 "'s/^\\(.* l\\) .*/\\1/' | sort; find . -type f | sort | xargs cat </dev/null) "
		 ">$d.list; "
		 "done; diff %s.list model.list | sed 's/^/# /'; cmp -s %s.list model.list",
		 dir, dir, dir);
	return system(command) == 0;
}

static bool view_is_equal(void)
{
	mount_view(false);
	bool equal = is_equal("view");
	scratch_must(umount("view") == 0, "unmounting");
	return equal;
}

static bool run_once(void)
{
	struct err err;

	clear_upper();
	shell("chmod -R u+rwx work 2>/dev/null; rm -rf work; mkdir work");
	mount_view(true);
	for (int i = 0; i < STEPS; i++) {
		unsigned kind = (unsigned)rand(), first = (unsigned)rand(),
			 second = (unsigned)rand();
		if (change("view", kind, first, second) == 0 &&
		    change("model", kind, first, second) < 0)
			printf("# %s: the copy differs: %m\n", names[first % ARRAY_SIZE(names)]);
	}
	scratch_must(umount("view") == 0, "unmounting");
	if (save(&err) < 0) {
		printf("# %s\n", err.message);
		return false;
	}
	return view_is_equal();
}

/* Single paths: some may not go alone, but none may change what is shown. */
static bool apply_parts(void)
{
	struct err err;
	bool equal = true;

	for (int i = 0; equal && i < 5; i++) {
		apply(names[(unsigned)rand() % ARRAY_SIZE(names)], &err);
		equal = view_is_equal();
	}
	return equal;
}

static bool try_seed(unsigned seed)
{
	struct err err = {0};
	bool good = true;

	srand(seed);
	shell("chmod -R u+rwx ws upper work state model 2>/dev/null; rm -rf ws upper work state "
	      "model; "
	      "mkdir ws; mkdir -m 700 state");
	for (int i = 0; i < STEPS; i++)
		change("ws", (unsigned)rand(), (unsigned)rand(), (unsigned)rand());
	shell("cp -a ws model");
	for (int i = 0; good && i < RUNS; i++)
		good = run_once() && (i == 0 || apply_parts());
	good = good && apply(NULL, &err) == 0 && is_equal("ws") && !pending()[0];
	if (!good)
		printf("# seed %u: %s %s; %s\n", seed, err.message, err.cause, pending());
	return good;
}

/* Mounts of our own. As an ordinary user, with an own user namespace around them. */
static bool enter_namespaces(void)
{
	uid_t uid = getuid();
	gid_t gid = getgid();
	char command[64];
	FILE *f;

	if (unshare(CLONE_NEWNS | (uid ? CLONE_NEWUSER : 0)) < 0)
		return false;
	if (uid) {
		f = fopen("/proc/self/setgroups", "w");
		scratch_must(f && fputs("deny", f) >= 0 && fclose(f) == 0, "setgroups");
		snprintf(command, sizeof(command), "%u %u 1", uid, uid);
		f = fopen("/proc/self/uid_map", "w");
		scratch_must(f && fputs(command, f) >= 0 && fclose(f) == 0, "uid_map");
		snprintf(command, sizeof(command), "%u %u 1", gid, gid);
		f = fopen("/proc/self/gid_map", "w");
		scratch_must(f && fputs(command, f) >= 0 && fclose(f) == 0, "gid_map");
	}
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

int main(void)
{
	const char *dir = scratch_enter();
	unsigned good = 0, seeds = getenv("TEST_MORE") ? MORE_SEEDS : SEEDS;

	if (!holds_signs()) {
		tap_skip("the overlay against a model", "no extended attributes here");
	} else if (!enter_namespaces()) {
		tap_skip("the overlay against a model", "no mounts of its own here");
	} else {
		shell("mkdir view outside");
		for (unsigned seed = 1; seed <= seeds; seed++)
			good += try_seed(seed);
		ok(good == seeds, "%u of %u random conversations show and apply what they did",
		   good, seeds);
	}
	scratch_leave(dir);
	return tap_done();
}
