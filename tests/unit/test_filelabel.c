/* SPDX-License-Identifier: MIT
 *
 * Labels of files in a real store: how a file is found again, and who notices that one has changed.
 */
#include "base/scope.h"
#include "origin_case.h"

static void test_files(struct origin_case *c)
{
	uint8_t sha[3][KEEPER_SHA256] = {{1}, {2}, {3}};
	struct file_key f[] = {{7, 100, sha[0], 50}, {7, 101, sha[0], 50}, {7, 102, sha[1], 3}};
	struct file_key moved = {8, 5, sha[0], 50}, small = {8, 6, sha[1], 3},
			none = {7, 100, sha[2], 9};
	struct label l = label_top(), back;
	struct err err = {0};
	bool known = true;

	l.integrity = INTEGRITY_TOOL;
	ok(file_label_find(&c->k, &none, &back, &known, &err) == 0 && !known &&
		   back.integrity == INTEGRITY_UNTRUSTED,
	   "a file that nobody wrote is not known");
	ok(file_labels_commit(&c->k, f, 3, &l, &err) == 0 &&
		   file_label_find(&c->k, &f[2], &back, &known, &err) == 0 && known &&
		   back.integrity == INTEGRITY_TOOL,
	   "files of a clean run");
	ok(file_label_find(&c->k, &moved, &back, &known, &err) == 0 && known, "one that was moved");
	ok(file_label_find(&c->k, &small, &back, &known, &err) == 0 && !known,
	   "a small one is known in its place only");
	l = label_unknown();
	label_add_source(&l, &(struct id){{9}});
	ok(file_labels_commit(&c->k, f, 1, &l, &err) == 0 &&
		   file_label_find(&c->k, &moved, &back, &known, &err) == 0 &&
		   back.integrity == INTEGRITY_UNTRUSTED && back.count == 1,
	   "written again by another run it goes down");
	l = label_top();
	ok(file_labels_commit(&c->k, f, 1, &l, &err) == 0 &&
		   file_label_find(&c->k, &moved, &back, &known, &err) == 0 &&
		   back.integrity == INTEGRITY_UNTRUSTED,
	   "and never up");
}

static void test_many_files(struct origin_case *c)
{
	static uint8_t sha[FILES_MAX + 1][KEEPER_SHA256];
	static struct file_key f[FILES_MAX + 1];
	struct label l = label_unknown(), back;
	struct err err = {0};
	bool known;

	for (size_t i = 0; i < ARRAY_SIZE(f); i++) {
		memcpy(sha[i] + 8, &i, sizeof(i));
		f[i] = (struct file_key){9, i + 1, sha[i], 100};
	}
	ok(file_labels_commit(&c->k, f, FILES_MAX, &l, &err) == 0 &&
		   file_label_find(&c->k, &f[FILES_MAX - 1], &back, &known, &err) == 0 && known,
	   "as many files as may be");
	ok(file_labels_commit(&c->k, f, FILES_MAX + 1, &l, &err) < 0 && err.code == ERR_LIMIT,
	   "one more");
}

/* Which sizes are known of any file: what is false need not be hashed, so it must never be false of
 * one that is. */
static void test_sizes(struct origin_case *c)
{
	static const uint64_t sizes[] = {0, 1, 4095, 4096, 4097, 123457, UINT64_MAX};
	static struct file_sizes s;
	uint8_t sha[ARRAY_SIZE(sizes)][KEEPER_SHA256] = {{0}};
	struct label l = label_unknown();
	struct err err = {0};
	bool none = true, all = true;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct file_key f = {11, i + 1, sha[i], sizes[i]};
		sha[i][5] = (uint8_t)(i + 1);
		case_done(file_sizes_load(&c->k, &s, &err) == 0, &err);
		none = none && (i == 4 || !file_sizes_has(&s, sizes[i]));
		case_done(file_labels_commit(&c->k, &f, 1, &l, &err) == 0, &err);
	}
	case_done(file_sizes_load(&c->k, &s, &err) == 0, &err);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		all = all && file_sizes_has(&s, sizes[i]);
	ok(none && all && s.any, "the size of each file that is known");
	ok(!file_sizes_has(&s, 2) && !file_sizes_has(&s, 4094) && !file_sizes_has(&s, 246914),
	   "and no other");
}

/* Expects the marks as they were when VERSION was read. */
static enum err_code act_on(struct origin_case *c, uint64_t version, bool adds)
{
	AUTO_TX struct store_tx tx = {0};
	struct err err = {0};

	file_marks_expect(version, adds, &tx);
	return store_commit(c->k.store, &tx, &err) == 0 ? ERR_NONE : err.code;
}

static void test_marks(struct origin_case *c)
{
	uint8_t sha[KEEPER_SHA256] = {77};
	struct file_key f = {12, 1, sha, 100};
	struct label l = label_unknown();
	struct err err = {0};
	uint64_t before = 0, after = 0;

	case_done(file_marks_load(&c->k, &before, &err) == 0, &err);
	ok(act_on(c, before, false) == ERR_NONE && act_on(c, before, false) == ERR_NONE,
	   "whoever looked at labels that stayed acts on them");
	case_done(file_labels_commit(&c->k, &f, 1, &l, &err) == 0, &err);
	ok(act_on(c, before, false) == ERR_CONFLICT, "with a new one he looks again");
	case_done(file_marks_load(&c->k, &before, &err) == 0, &err);
	case_done(file_labels_commit(&c->k, &f, 1, &l, &err) == 0, &err);
	ok(act_on(c, before, false) == ERR_NONE, "not when nothing was new");
	ok(act_on(c, before, true) == ERR_NONE && act_on(c, before, true) == ERR_CONFLICT,
	   "of two who write marks one looks again");
	case_done(file_marks_load(&c->k, &after, &err) == 0, &err);
	ok(after != before, "marks that a start writes count");
}

int main(void)
{
	struct origin_case c;

	case_open(&c);
	test_files(&c);
	test_sizes(&c);
	test_marks(&c);
	test_many_files(&c);
	case_close(&c);
	return tap_done();
}
