/* SPDX-License-Identifier: MIT
 *
 * What the tests of the store share. They are the same for every backend: CORDON_STORE_URL names a
 * database server whose schema "cordon" is theirs to drop, without it the store is a file. A helper
 * that fails ends the program.
 */
#ifndef CORDON_TESTS_STORE_CASE_H
#define CORDON_TESTS_STORE_CASE_H

#include <sqlite3.h>
#include <stdlib.h>

#include "../unit/scratch.h"
#include "../unit/tap.h"
#include "store/chain.h"
#include "store/heads.h"
#include "store/store.h"
#include "store/verify.h"

static inline const char *case_url(void)
{
	return getenv("CORDON_STORE_URL");
}

static inline const char *case_backend(void)
{
	return case_url() ? "postgres" : "sqlite";
}

static inline void case_sha256(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	uint8_t hash[RECORD_HASH];

	(void)argc;
	record_hash(sqlite3_value_blob(argv[0]), (size_t)sqlite3_value_bytes(argv[0]), hash);
	sqlite3_result_blob(c, hash, RECORD_HASH, SQLITE_TRANSIENT);
}

/* One statement for each kind of database, by a program or connection of its own. */
static inline void case_sql(const char *dir, const char *for_sqlite, const char *for_postgres)
{
	if (case_url()) {
		FILE *psql = popen("psql -qAtX -v ON_ERROR_STOP=1 \"$CORDON_STORE_URL\" >/dev/null",
				   "w");
		scratch_must(psql && fputs(for_postgres, psql) >= 0 && pclose(psql) == 0,
			     for_postgres);
		return;
	}
	char path[256];
	sqlite3 *db = NULL;
	snprintf(path, sizeof(path), "%s/log.db", dir);
	scratch_must(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK, path);
	sqlite3_busy_timeout(db, 5000);
	sqlite3_create_function(db, "sha256", 1, SQLITE_UTF8, NULL, case_sha256, NULL, NULL);
	int r = sqlite3_exec(db, for_sqlite, NULL, NULL, NULL);
	if (r != SQLITE_OK)
		printf("# %s\n", sqlite3_errmsg(db));
	scratch_must(r == SQLITE_OK, for_sqlite);
	sqlite3_close(db);
}

/* An empty state directory and an empty database. */
static inline int case_fresh(const char *dir)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	scratch_must(system(command) == 0 && mkdir(dir, 0700) == 0, dir);
	if (case_url())
		case_sql(dir, "",
			 "SET client_min_messages = error; DROP SCHEMA IF EXISTS cordon CASCADE;");
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scratch_must(fd >= 0, dir);
	return fd;
}

static inline struct store *case_open(int dir)
{
	struct store_options o = {.dir = dir, .url = case_url()};
	struct store *s = NULL;
	struct err err = {0};

	if (store_open(&o, &s, &err) < 0)
		printf("# %s: %s\n", err.message, err.cause);
	scratch_must(s != NULL, "opening the store");
	return s;
}

/* {"n":NUMBER} */
static inline void case_body(struct jcs *j, int64_t number)
{
	struct err err;

	jcs_init(j, RECORD_BODY_MAX);
	jcs_int(j, "n", number);
	scratch_must(jcs_finish(j, &err) == 0, "a body");
}

static inline void case_add(struct store_tx *tx, enum record_kind kind, const char *ref,
			    int64_t number)
{
	AUTO_JCS struct jcs j = {0};

	case_body(&j, number);
	store_append(tx, kind, &ref, ref ? 1 : 0, &j);
}

/* COUNT records, EACH of them in a transaction. */
static inline void case_fill(struct store *s, int count, int each)
{
	for (int i = 0; i < count;) {
		AUTO_TX struct store_tx tx = {0};
		struct err err = {0};
		for (int k = 0; k < each && i < count; k++, i++)
			case_add(&tx, RECORD_REQUEST, "run:a", i);
		if (store_commit(s, &tx, &err) < 0)
			printf("# %s: %s\n", err.message, err.cause);
		scratch_must(!err.code, "filling the log");
	}
}

/* Prints what was found when it is not what was WANTED. */
static inline bool case_verifies(struct store *s, const struct verify_options *o,
				 enum verify_problem wanted, struct verify_report *ret)
{
	struct err err = {0};
	int r = verify_log(s, o, ret, &err);

	if (r < 0)
		printf("# could not be verified: %s: %s\n", err.message, err.cause);
	else if (ret->problem != wanted)
		printf("# found %s: %s\n", verify_problem_name(ret->problem), ret->words);
	return r == 0 && ret->problem == wanted;
}

static inline bool case_is_good(struct store *s, int dir)
{
	struct verify_options o = {.dir = dir};
	struct verify_report report;

	return case_verifies(s, &o, VERIFY_GOOD, &report);
}

/* Everything that is stored, put aside and brought back. */
#define CASE_SAVE                                                                                  \
	"CREATE TABLE saved_log AS SELECT * FROM log;"                                             \
	"CREATE TABLE saved_item AS SELECT * FROM item;"                                           \
	"CREATE TABLE saved_ref AS SELECT * FROM ref"
#define CASE_RESTORE                                                                               \
	"DELETE FROM log; DELETE FROM item; DELETE FROM ref;"                                      \
	"INSERT INTO log SELECT * FROM saved_log; INSERT INTO item SELECT * FROM saved_item;"      \
	"INSERT INTO ref SELECT * FROM saved_ref"

#endif
