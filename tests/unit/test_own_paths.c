/* SPDX-License-Identifier: MIT
 *
 * Cordon's own directories and files, known by what they are and not by their names: what lies in one is
 * refused, what contains one gets a mask, and what is missing is made before an allowed box could make it.
 */
#include "live/own_paths.h"

#include <sched.h>
#include <sys/mount.h>

#include "base/scope.h"
#include "conf/places.h"
#include "scratch.h"
#include "store/state.h"
#include "tap.h"

static char top[256];

static const char *at(const char *path)
{
	static char full[4][512];
	static int turn;
	char *ret = full[turn++ % 4];

	snprintf(ret, sizeof(full[0]), "%s/%s", top, path);
	return ret;
}

static void make_path(const char *path)
{
	struct err err;

	scratch_must(places_make(path, 0755, &err) == 0, path);
}

static void set_places(const char *state, const char *cache)
{
	scratch_must(setenv("XDG_STATE_HOME", state, 1) == 0 &&
			     setenv("XDG_CACHE_HOME", cache, 1) == 0 &&
			     setenv("XDG_DATA_HOME", at("home/.local/share"), 1) == 0 &&
			     setenv("XDG_CONFIG_HOME", at("home/.config"), 1) == 0,
		     "the environment");
}

static struct spec spec;

/* The masks for a directory, sorted as they were found; "refused" or "error". */
static bool is_writable = true, is_allowed = true;

static const char *masks_of(const char *dir, const struct request *req, struct err *err)
{
	static char said[2048];
	static const struct request none;
	static struct own_paths own;
	struct own_shown shown = {dir, "/workspace", is_writable};
	struct arena arena = {0};
	AUTO_CLOSE int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	scratch_must(fd >= 0, dir);
	spec.maskc = 0;
	memset(err, 0, sizeof(*err));
	own_paths_find(&own, req ? req : &none, NULL, &arena);
	int r = own_paths_mask(&own, fd, &shown, &spec, err);
	if (r == 0 && is_allowed)
		r = own_paths_make(&own, &spec, err);
	said[0] = '\0';
	for (size_t i = 0; r == 0 && i < spec.maskc; i++)
		snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s ",
			 spec.mask[i].path + strlen("/workspace"));
	if (r < 0)
		snprintf(said, sizeof(said), "%s", err->code == ERR_REFUSED ? "refused" : "error");
	arena_done(&arena);
	return said;
}

static bool gives(const char *dir, const char *expected)
{
	struct err err;
	const char *said = masks_of(dir, NULL, &err);

	if (strcmp(said, expected) == 0)
		return true;
	printf("# %s: %s %s %s\n", dir, said, err.message, err.cause);
	return false;
}

#define ALL "/.local/state/cordon /.cache/cordon /.local/share/cordon /.config/cordon "

static void test_below(void)
{
	struct stat st;

	ok(gives("beside", "") && !scratch_exists("home/.config"),
	   "a directory beside them gets no mask, and nothing is made");
	is_allowed = false;
	ok(gives("home", "") && !scratch_exists("home/.config"),
	   "nothing is made for a run that is not allowed");
	is_allowed = true;
	is_writable = false;
	ok(gives("home", "") && !scratch_exists("home/.config"),
	   "nor in a directory that is only read");
	is_writable = true;
	scratch_must(gives("home", "/.config/cordon /.local/share/cordon /.cache/cordon "
				   "/.local/state/cordon "),
		     "the first time");
	ok(gives("home", ALL), "the home directory gets a mask for each");
	ok(stat("home/.config/cordon", &st) == 0 && (st.st_mode & 0777) == 0700,
	   "what was missing is there now, and closed to others");
	ok(stat("home/.local/state/cordon", &st) == 0 && spec.mask[0].identity.dev == st.st_dev &&
		   spec.mask[0].identity.ino == st.st_ino,
	   "a mask knows which directory it is for");
	ok(gives("home/.local", "/state/cordon /share/cordon "), "so does a part of it");
	ok(gives(".", "/home/.local/state/cordon /home/.cache/cordon /home/.local/share/cordon "
		      "/home/.config/cordon "),
	   "and the directory above");
	scratch_must(symlink("home", "way") == 0, "a link");
	ok(gives("way", ALL) && gives("beside/../way", ALL), "by whatever name it is given");
	set_places(at("home/.local//x/.././state/"), at("way/.cache"));
	scratch_dir("home/.local/x");
	ok(gives("home", ALL), "and by whatever name they are known");
	set_places(at("home/.local/state"), at("home/.cache"));
}

static void test_inside(void)
{
	struct err err;

	scratch_dir("home/.local/state/cordon/deep");
	scratch_must(symlink("home/.local/state/cordon/deep", "deep") == 0, "a link");
	ok(gives("home/.local/state/cordon", "refused") &&
		   gives("home/.local/state/cordon/deep", "refused") && gives("deep", "refused"),
	   "what lies in one is refused, by whatever name");
	masks_of("deep", NULL, &err);
	ok(strstr(err.cause, at("home/.local/state/cordon")) && err.cure[0],
	   "and the reason names it: %s", err.cause);
}

static bool refuses(const char *path, const struct request *req)
{
	static struct own_paths own;
	struct arena arena = {0};
	struct err err = {0};
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	scratch_must(fd >= 0, path);
	own_paths_find(&own, req, NULL, &arena);
	bool refused = own_paths_refuse(&own, fd, path, &err) < 0 && err.code == ERR_REFUSED;
	arena_done(&arena);
	return refused;
}

static bool is_refused(const char *path)
{
	static const struct request none;

	return refuses(path, &none);
}

static void test_files(void)
{
	scratch_file("home/.local/state/cordon/plan.key", "secret", 0600);
	scratch_file("home/file", "data", 0600);
	scratch_must(symlink("home/.local/state/cordon/plan.key", "key") == 0, "a link");
	ok(is_refused("home/.local/state/cordon/plan.key") && is_refused("key"),
	   "a file in one is refused, through a link too");
	ok(!is_refused("home/file") && !is_refused("/dev/null"), "others are not");
	scratch_must(mkfifo("home/.cache/cordon/pipe", 0600) == 0, "a pipe");
	ok(!is_refused("home/.cache/cordon/pipe"), "a pipe holds nothing of ours");
}

/* The box could replace such a link. */
static void test_links(void)
{
	struct err err;

	scratch_dir("far");
	scratch_must(symlink("../far", "home/far") == 0 && symlink("loop", "home/loop") == 0 &&
			     symlink(at("home"), "beside/home") == 0,
		     "links");
	set_places(at("home/.local/state"), at("home/far"));
	ok(gives("home", "refused"), "a link in the directory leads to one: refused");
	masks_of("home", NULL, &err);
	ok(strstr(err.cause, "far") && err.cure[0], "and the reason names it: %s", err.cause);
	ok(gives("far", "/cordon "), "where it leads there is a mask");
	set_places(at("home/.local/state"), at("beside/home/.cache"));
	ok(gives("home", ALL), "a link that is elsewhere is followed");
	set_places(at("home/.local/state"), at("home/loop"));
	ok(gives("home/.config", "/cordon "), "one that leads nowhere is no way for Cordon either");
	set_places(at("home/.local/state"), at("home/.cache"));
}

static void test_request(void)
{
	static struct request req = {.policy = "home/policy.yaml", .rulesc = 2};
	struct err err;

	scratch_file("home/policy.yaml", "x", 0600);
	scratch_dir("home/r");
	req.rules[0] = "home/r";
	req.rules[1] = "home/missing";
	req.state = at("home/other");
	ok(strcmp(masks_of("home", &req, &err),
		  "/.local/state/cordon /.cache/cordon /.local/share/cordon "
		  "/.config/cordon /policy.yaml /r /other ") == 0,
	   "what a request names is Cordon's own too");
	static struct request nested = {.policy = "home/.config/cordon/policy.yaml"};
	scratch_file("home/.config/cordon/policy.yaml", "x", 0600);
	ok(strcmp(masks_of("home", &nested, &err), ALL) == 0, "one mask for one in another");
	scratch_dir("home/r/sub");
	scratch_file("home/r/code.py", "x", 0600);
	ok(refuses("home/policy.yaml", &req) && refuses("home/r/sub", &req) &&
		   !refuses("home/r/code.py", &req),
	   "the policy is refused and a directory among the rules, but not a file beside them");
	spec.private_dir = "/tmp/x";
	ok(gives("home", "refused") && gives("beside", ""),
	   "without mounts there are no masks, so such a directory is refused");
	spec.private_dir = NULL;
}

static void test_closed(void)
{
	scratch_dir("closed");
	set_places(at("home/.local/state"), at("closed"));
	scratch_must(chmod("closed", 0500) == 0, "a mode");
	ok(gives("closed", geteuid() ? "error" : "/cordon "),
	   "what cannot be made, but the box could allow itself to make, is an error");
	scratch_must(chmod("closed", 0700) == 0, "a mode");
	set_places(at("home/.local/state"), at("home/.cache"));
}

/* The account itself closed it; a program in its box could open it. Root may look anyway. */
static void test_shut(void)
{
	struct err err;

	scratch_must(chmod("home/.local", 0) == 0, "a mode");
	ok(gives("home", geteuid() ? "refused" : ALL) && gives("beside", ""),
	   "what cannot be looked for is taken to be there");
	if (geteuid()) {
		masks_of("home", NULL, &err);
		ok(strstr(err.message, ".local/s") && strstr(err.cause, "Permission denied") &&
			   err.cure[0],
		   "and the reason says why: %s", err.cause);
	}
	scratch_must(chmod("home/.local", 0700) == 0, "a mode");
}

static void test_others(void)
{
	struct err err;

	make_path("other/.local/state/cordon");
	make_path("other/.cache/cordon");
	ok(gives("other", "/.cache/cordon /.local/state/cordon "),
	   "a home directory of another account gets masks for what is there");
	make_path("any/deep");
	ok(gives("any/deep", "") && gives("any", ""), "a directory of any name");
	scratch_file("any/" STATE_MARK, "", 0600);
	scratch_file("any/deep/file", "x", 0600);
	ok(gives("any", "refused") && gives("any/deep", "refused") && is_refused("any/deep/file"),
	   "is refused when it is a state directory, and so is what lies in it");
	masks_of("any/deep", NULL, &err);
	ok(strstr(err.cause, STATE_MARK), "and the reason names the file: %s", err.cause);
}

/* A policy's secrets. */
static void test_secrets(void)
{
	static const struct request none;
	static struct own_paths own;
	struct policy_secret secret = {.path = "home/token"};
	struct policy policy = {.secretc = 1, .secret = &secret};
	struct own_shown shown = {"home", "/workspace", false};
	struct arena arena = {0};
	struct err err = {0};
	AUTO_CLOSE int dir = open("home", O_PATH | O_CLOEXEC);

	scratch_file("home/token", "secret", 0600);
	AUTO_CLOSE int file = open("home/token", O_RDONLY | O_CLOEXEC);
	own_paths_find(&own, &none, &policy, &arena);
	spec.maskc = 0;
	ok(own_paths_mask(&own, dir, &shown, &spec, &err) == 0 && spec.maskc == 5 &&
		   strcmp(spec.mask[4].path, "/workspace/token") == 0,
	   "the file of a secret gets a mask");
	ok(own_paths_refuse(&own, file, "home/token", &err) < 0 && err.code == ERR_REFUSED,
	   "and is not given itself");
	arena_done(&arena);
}

static void test_accounts(void)
{
	char passwd[512];

	make_path("homes/one/.config/cordon");
	make_path("homes/two");
	snprintf(passwd, sizeof(passwd), "one:x:1:1::%s:/bin/sh\nbroken\ntwo:x:2:2::%s:/bin/sh\n",
		 at("homes/one"), at("homes/two"));
	scratch_file("passwd", passwd, 0644);
	scratch_must(mount("passwd", "/etc/passwd", NULL, MS_BIND, NULL) == 0, "mounting");
	ok(gives("homes", "/one/.config/cordon ") && gives("homes/one/.config/cordon", "refused") &&
		   !scratch_exists("homes/two/.config"),
	   "the home directories of all accounts are known, and nothing is made there");
	scratch_must(umount("/etc/passwd") == 0, "unmounting");
}

/* Last: it stays in a namespace of its own. Only root can mount, and root's run has this. */
static void test_mounts(void)
{
	if (geteuid() != 0)
		return;
	scratch_dir("bound");
	scratch_must(unshare(CLONE_NEWNS) == 0 &&
			     mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0,
		     "a mount namespace");
	scratch_must(mount("home", "bound", NULL, MS_BIND, NULL) == 0, "mounting");
	ok(gives("bound", ALL), "a second mount of a directory above gets the masks");
	scratch_must(umount("bound") == 0 &&
			     mount("home/.local/state/cordon", "bound", NULL, MS_BIND, NULL) == 0,
		     "mounting");
	ok(gives("bound", "refused"), "a second mount of one is refused");
	scratch_must(umount("bound") == 0 && mount("home/.local/state/cordon/deep", "bound", NULL,
						   MS_BIND, NULL) == 0,
		     "mounting");
	ok(gives("bound", "refused"), "so is one of a directory in it");
	scratch_must(umount("bound") == 0, "unmounting");
	scratch_dir("beside/m");
	scratch_file("beside/f", "", 0600);
	scratch_must(mount("home/.local", "beside/m", NULL, MS_BIND, NULL) == 0 &&
			     mount("home/.local/state/cordon/plan.key", "beside/f", NULL, MS_BIND,
				   NULL) == 0,
		     "mounting");
	ok(gives("beside", "/m/state/cordon /m/share/cordon /f ") && is_refused("beside/f"),
	   "mounts below a directory get masks, also of a single file");
	scratch_must(umount("beside/f") == 0 && umount("beside/m") == 0, "unmounting");
	make_path("disk/local/state/cordon");
	scratch_must(mount("disk/local", "home/.local", NULL, MS_BIND, NULL) == 0, "mounting");
	ok(gives("disk", "/local/state/cordon /local/share/cordon ") &&
		   gives("disk/local/state/cordon", "refused"),
	   "what a mount on the way to them was bound from is known");
	ok(gives("home", "/.cache/cordon /.config/cordon /.local/state/cordon "
			 "/.local/share/cordon "),
	   "and what it hides gets no mask");
	scratch_must(umount("home/.local") == 0, "unmounting");
	test_accounts();
}

int main(void)
{
	const char *dir = scratch_enter();

	scratch_must(getcwd(top, sizeof(top)) != NULL, "the directory");
	scratch_dir("home");
	scratch_dir("beside");
	set_places(at("home/.local/state"), at("home/.cache"));
	test_below();
	test_inside();
	test_files();
	test_links();
	test_request();
	test_closed();
	test_shut();
	test_others();
	test_secrets();
	test_mounts();
	scratch_leave(dir);
	return tap_done();
}
