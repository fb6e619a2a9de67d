/* SPDX-License-Identifier: MIT
 *
 * Trusted directories: the nearest entry decides, an entry is for one directory and not for its name,
 * and a mark holds until a person has cleared it.
 */
#include "trust/directory.h"
#include "trust_case.h"

static struct directories dirs;
static struct err err;

/* What the tables below speak about: a tree in the scratch directory. */
static struct directory_place place(const char *path)
{
	struct directory_place p = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	case_done(fd >= 0 && directory_find(fd, path, &p, &err) == 0, &err);
	close(fd);
	return p;
}

static void set(const char *path, bool trusted, uint64_t now)
{
	struct directory_place p = place(path);

	case_done(directory_set(&dirs, &p, trusted, "alice", now, &err) == 0, &err);
}

static int mark(const char *path, uint64_t now)
{
	struct directory_place p = place(path);
	int r = directory_mark(&dirs, &p, "run:1", now, &err);

	case_done(r >= 0, &err);
	return r;
}

static void is(const char *path, enum directory_why why, const char *name)
{
	struct directory_place p = place(path);
	struct directory_answer a = directory_judge(&dirs, &p);

	ok(a.why == why && a.trusted == (why == DIRECTORY_GOOD), "%s", name);
}

static void test_nearest(void)
{
	is("a/b", DIRECTORY_NO_ENTRY, "a directory without an entry is untrusted");
	is("/usr/bin", DIRECTORY_GOOD, "the system's directories need no entry");
	set("a", true, 10);
	is("a", DIRECTORY_GOOD, "a trusted directory");
	is("a/b/c", DIRECTORY_GOOD, "and what is below it");
	is("a/b/c/file", DIRECTORY_GOOD, "a file counts as its directory");
	is("ab", DIRECTORY_NO_ENTRY, "a name that only begins the same is another directory");
	is(".", DIRECTORY_NO_ENTRY, "what is above it is not trusted");
	set("a/b", false, 20);
	is("a/b/c", DIRECTORY_SAID, "the nearest entry decides");
	set("a/b/c", true, 30);
	is("a/b/c", DIRECTORY_GOOD, "also inside an untrusted one");
	set("a/b", true, 40);
	is("a/b", DIRECTORY_GOOD, "an entry is replaced");
	is("link", DIRECTORY_GOOD, "a link is what it leads to");
}

static void test_identity(void)
{
	scratch_must(rename("a", "old") == 0 && mkdir("a", 0755) == 0, "exchanging it");
	is("a", DIRECTORY_REPLACED, "another directory of the same name is not trusted");
	is("old/b", DIRECTORY_NO_ENTRY, "nor is the old one by another name");
	scratch_must(rmdir("a") == 0 && rename("old", "a") == 0, "putting it back");
	is("a", DIRECTORY_GOOD, "it is again when it is back");
}

static void test_marks(void)
{
	ok(mark("ab", 40) == 0, "an untrusted directory is not marked");
	ok(mark("a/b", 50) == 1, "a trusted one is");
	is("a/b", DIRECTORY_MARKED, "then it is untrusted");
	is("a", DIRECTORY_MARKED, "and what holds it");
	is("a/other", DIRECTORY_GOOD, "but not what stands beside it");
	is("a/b/c", DIRECTORY_MARKED, "and what is below it, whose entry is older");
	set("a/b/c", true, 60);
	is("a/b/c", DIRECTORY_GOOD, "until a person trusts that");
	is("a/b", DIRECTORY_MARKED, "which says nothing of the rest");
	mark("a/b", 70);
	is("a/b/c", DIRECTORY_MARKED, "the next exposed write counts again");
	mark("a", 75);
	set("a/b", true, 80);
	is("a/b", DIRECTORY_GOOD, "to trust a directory clears its marks");
	is("a", DIRECTORY_MARKED, "and none above it");
	set("a", true, 90);
	is("a", DIRECTORY_GOOD, "the whole");
	mark(".", 100);
	is("a/b", DIRECTORY_MARKED, "a write above a trusted directory may have changed it");
	set("a", true, 110);
	is("a/b", DIRECTORY_MARKED, "an older entry below a mark stays untrusted");
	set("a/b", true, 120);
	is("a/b", DIRECTORY_GOOD, "until it is trusted again");
}

static void test_kept(struct trust_case *c)
{
	struct store_tx tx = {0}, late = {0};
	size_t count = dirs.count;

	directories_put(&dirs, &tx);
	case_done(store_commit(c->k.store, &tx, &err) == 0, &err);
	store_tx_done(&tx);
	directories_expect(&dirs, &late); /* as if there were none yet */
	ok(store_commit(c->k.store, &late, &err) < 0 && err.code == ERR_CONFLICT,
	   "a decision on an old list is a conflict");
	store_tx_done(&late);
	case_done(directories_load(&c->k, &dirs, &err) == 0, &err);
	ok(dirs.count == count && strcmp(dirs.list[0].by, "alice") == 0, "the list is kept");
	is("a/b", DIRECTORY_GOOD, "and means the same");
}

/* NAME is a path; the entries and marks at or below it. */
static size_t count_of(const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < dirs.count; i++)
		n += directory_holds(name, dirs.list[i].path);
	return n;
}

static void test_gone(void)
{
	struct directory_place a = place("a"), b = place("a/b"), c = place("a/b/c");

	directories_done(&dirs);
	set("a", true, 10);
	set("a/b", true, 20);
	mark("a/b/c", 30);
	ok(directory_forget(&dirs, b.path) && count_of(b.path) == 2,
	   "in a trusted directory the entry and the marks of one that is gone stay");
	is("a/b", DIRECTORY_SAID, "it is untrusted when it comes back");
	ok(!directory_forget(&dirs, c.path) && count_of(c.path) == 1, "a mark alone stays too");
	ok(directory_forget(&dirs, a.path) && count_of(a.path) == 1 && count_of(b.path) == 1,
	   "without one the entry goes, and the marks below it");
	is("a", DIRECTORY_NO_ENTRY, "it is untrusted when it comes back");
	ok(directory_forget(&dirs, b.path) && dirs.count == 0, "then the one below");
	ok(!directory_forget(&dirs, b.path), "once");
	mark("a", 50);
	set("a/b", true, 60);
	mark("a", 70);
	ok(!directory_forget(&dirs, a.path) && dirs.count == 2,
	   "a mark above a trusted directory stays");
	ok(directory_forget(&dirs, b.path) && directory_forget(&dirs, a.path) && dirs.count == 0,
	   "until that is forgotten");
}

static void test_maxima(void)
{
	struct directory_place p = place("a");

	directories_done(&dirs);
	for (int i = 0; i < DIRECTORIES_MAX; i++) {
		snprintf(p.path, sizeof(p.path), "/d%d", i);
		case_done(directory_set(&dirs, &p, true, "alice", 1, &err) == 0, &err);
	}
	ok(directory_set(&dirs, &p, false, "alice", 2, &err) == 0, "the most that there may be");
	snprintf(p.path, sizeof(p.path), "/more");
	ok(directory_set(&dirs, &p, true, "alice", 1, &err) < 0 && err.code == ERR_LIMIT,
	   "and one more is refused");
	ok(directory_forget(&dirs, "/d7") && directory_set(&dirs, &p, true, "alice", 1, &err) == 0,
	   "until one that is gone is forgotten");
}

int main(void)
{
	struct trust_case c = {0};

	case_open(&c);
	scratch_must(system("mkdir -p a/b/c a/other ab && touch a/b/c/file && ln -s a/b link") == 0,
		     "making a tree");
	test_nearest();
	test_identity();
	test_marks();
	test_kept(&c);
	test_gone();
	test_maxima();
	directories_done(&dirs);
	case_close(&c);
	return tap_done();
}
